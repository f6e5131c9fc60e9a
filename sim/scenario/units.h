/* Values with units: "228 KiB", "1980 MHz", "16 B". */
#ifndef TMA_SCENARIO_UNITS_H
#define TMA_SCENARIO_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tma_suffix {
    const char *name; /* "KiB" */
    uint32_t scale;   /* in the quantity's base unit */
};

/* A quantity: what it is and the units that a value of it may have. */
struct tma_quantity_unit {
    const char *what; /* "a size" */
    const struct tma_suffix *suffixes;
    size_t count;  /* 0: plain numbers */
    bool optional; /* a number without a unit counts in the first one */
};

extern const struct tma_quantity_unit tma_unit_none;
extern const struct tma_quantity_unit tma_unit_address; /* said in hex */
extern const struct tma_quantity_unit tma_unit_bytes;   /* B, KiB, MiB, GiB */
/* The same, but a plain number is bytes, as in the driver API. */
extern const struct tma_quantity_unit tma_unit_driver_bytes;
extern const struct tma_quantity_unit tma_unit_mhz;              /* MHz, GHz */
extern const struct tma_quantity_unit tma_unit_cycles;           /* cycles */
extern const struct tma_quantity_unit tma_unit_millicycles;      /* cycles, kept in thousandths */
extern const struct tma_quantity_unit tma_unit_ns;               /* ns, us */
extern const struct tma_quantity_unit tma_unit_bits;             /* bit */
extern const struct tma_quantity_unit tma_unit_bytes_per_kcycle; /* B/cycle, kept in thousandths */

/* A number as it was written: exact, whatever the locale. */
struct tma_number {
    bool negative;
    uint64_t digits;   /* all digits, the point left out */
    uint32_t decimals; /* how many of them were behind the point */
    uint32_t scale;    /* of the unit */
};

enum tma_number_fault {
    TMA_NUMBER_OK,
    TMA_NUMBER_NONE,         /* the text is no number */
    TMA_NUMBER_NEEDS_UNIT,   /* it has none, and has to */
    TMA_NUMBER_UNKNOWN_UNIT, /* *suffix points to it */
    TMA_NUMBER_TOO_LARGE,    /* more digits than any value needs */
};

/* Reads "[-]digits[.digits] [unit]" or "0x..."; a bare 0 needs no unit. *suffix points at what
 * follows the digits. */
enum tma_number_fault tma_number_read(const char *text, const struct tma_quantity_unit *unit,
                                      struct tma_number *number, const char **suffix);

/* In the base unit. False where that is no whole number or does not fit. */
bool tma_number_integer(const struct tma_number *number, int64_t *value);
double tma_number_real(const struct tma_number *number);

/* Writes a value of the base unit with the largest unit that leaves it whole, "32 KiB"; where units
 * are optional without one, "48". */
void tma_unit_format(const struct tma_quantity_unit *unit, int64_t value, char *text, size_t size);

/* "B, KiB, MiB or GiB", cut to size - 1 characters. */
void tma_unit_list(const struct tma_quantity_unit *unit, char *text, size_t size);

#endif
