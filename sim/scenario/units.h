/* Parses and formats numbers with units: "228 KiB", "1980 MHz", "16 B". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tma_suffix {
    const char *name; /* "KiB" */
    uint32_t scale;   /* base units in one of this unit */
};

/* A kind of quantity, and the units that its values may have. */
struct tma_quantity_unit {
    const char *what;                  /* for messages: "a size" */
    const struct tma_suffix *suffixes; /* the first one is the default where `optional` */
    size_t count;                      /* of suffixes; 0: plain numbers without a unit */
    bool optional;                     /* a number may lack its unit */
};

extern const struct tma_quantity_unit tma_unit_none;    /* plain numbers */
extern const struct tma_quantity_unit tma_unit_address; /* plain numbers, formatted in hex */
extern const struct tma_quantity_unit tma_unit_bytes;   /* B, KiB, MiB, GiB; base unit: B */

/* As tma_unit_bytes, but a number without a unit is in bytes, as in the driver API. */
extern const struct tma_quantity_unit tma_unit_driver_bytes;
extern const struct tma_quantity_unit tma_unit_mhz;          /* MHz, GHz; base unit: MHz */
extern const struct tma_quantity_unit tma_unit_cycles;       /* cycles */
extern const struct tma_quantity_unit tma_unit_millicycles;  /* cycles; base unit: 1/1000 cycle */
extern const struct tma_quantity_unit tma_unit_ps;           /* ns, us; base unit: ps */
extern const struct tma_quantity_unit tma_unit_bits;         /* bit */
extern const struct tma_quantity_unit tma_unit_microseconds; /* us */
extern const struct tma_quantity_unit tma_unit_watts;        /* W */
extern const struct tma_quantity_unit tma_unit_femtojoules;  /* pJ, nJ; base unit: 1/1000 pJ */
extern const struct tma_quantity_unit tma_unit_percent;      /* %; base unit: 1/1000 of the whole */
extern const struct tma_quantity_unit
    tma_unit_bytes_per_kcycle; /* B/cycle; base unit: 1/1000 B/cycle */

/* A number as it was written, in decimal digits: exact and independent of the locale. */
struct tma_number {
    bool negative;
    uint64_t digits;   /* all digits, without the decimal point */
    uint32_t decimals; /* number of digits after the decimal point */
    uint32_t scale;    /* of the unit: base units in one of it */
};

enum tma_number_error {
    TMA_NUMBER_OK,
    TMA_NUMBER_NONE,         /* the text is not a number */
    TMA_NUMBER_NEEDS_UNIT,   /* the number lacks a unit, and the quantity requires one */
    TMA_NUMBER_UNKNOWN_UNIT, /* the quantity does not have the unit at *suffix */
    TMA_NUMBER_LEADING_ZERO, /* "010": 8 in C and YAML 1.1, 10 in YAML 1.2 */
    TMA_NUMBER_TOO_LARGE,    /* more than 18 decimal or 15 hexadecimal digits */
};

/* Parses "[-]digits[.digits] [unit]" or "0x...". A 0 may always lack its unit. *suffix points to
 * the text after the digits. */
enum tma_number_error tma_number_read(const char *text, const struct tma_quantity_unit *unit,
                                      struct tma_number *number, const char **suffix);

/* Converts a number to its base unit. Returns false if the result is not a whole number or does not
 * fit. */
bool tma_number_integer(const struct tma_number *number, int64_t *value);

/* Returns a number in its base unit. */
double tma_number_real(const struct tma_number *number);

/* Formats a value, given in the base unit, in the largest unit in which it is whole ("32 KiB"), or
 * without a unit if units are optional ("48"). Cuts the text to size - 1 characters. */
void tma_unit_format(const struct tma_quantity_unit *unit, int64_t value, char *text, size_t size);

/* Writes the list of units, "B, KiB, MiB or GiB", cut to size - 1 characters. */
void tma_unit_list(const struct tma_quantity_unit *unit, char *text, size_t size);
