#include "scenario/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const struct tma_suffix bytes[] = {
    {"B", 1}, {"KiB", 1u << 10}, {"MiB", 1u << 20}, {"GiB", 1u << 30}};
static const struct tma_suffix frequencies[] = {{"MHz", 1}, {"GHz", 1000}};
static const struct tma_suffix cycles[] = {{"cycles", 1}, {"cycle", 1}};
static const struct tma_suffix picoseconds[] = {{"ns", 1000}, {"us", 1000000}};
static const struct tma_suffix bits[] = {{"bit", 1}};
static const struct tma_suffix millicycles[] = {{"cycles", 1000}, {"cycle", 1000}};
static const struct tma_suffix microseconds[] = {{"us", 1}, {"ms", 1000}};
static const struct tma_suffix watts[] = {{"W", 1}};
static const struct tma_suffix energies[] = {{"pJ", 1000}, {"nJ", 1000000}};
static const struct tma_suffix percents[] = {{"%", 10}};
static const struct tma_suffix rates[] = {{"B/cycle", 1000}};

const struct tma_quantity_unit tma_unit_none = {"a number", NULL, 0, true};
const struct tma_quantity_unit tma_unit_address = {"an address", NULL, 0, true};
const struct tma_quantity_unit tma_unit_bytes = {"a size", bytes, COUNT(bytes), false};
const struct tma_quantity_unit tma_unit_driver_bytes = {"a size", bytes, COUNT(bytes), true};
const struct tma_quantity_unit tma_unit_mhz = {"a frequency", frequencies, COUNT(frequencies),
                                               false};
const struct tma_quantity_unit tma_unit_cycles = {"a duration", cycles, COUNT(cycles), false};
const struct tma_quantity_unit tma_unit_millicycles = {"a duration", millicycles,
                                                       COUNT(millicycles), false};
const struct tma_quantity_unit tma_unit_ps = {"a time", picoseconds, COUNT(picoseconds), false};
const struct tma_quantity_unit tma_unit_bits = {"a width", bits, COUNT(bits), false};
const struct tma_quantity_unit tma_unit_microseconds = {"a time", microseconds, COUNT(microseconds),
                                                        false};
const struct tma_quantity_unit tma_unit_watts = {"a power", watts, COUNT(watts), false};
const struct tma_quantity_unit tma_unit_femtojoules = {"an energy", energies, COUNT(energies),
                                                       false};
const struct tma_quantity_unit tma_unit_percent = {"a part", percents, COUNT(percents), false};
const struct tma_quantity_unit tma_unit_bytes_per_kcycle = {"a rate", rates, COUNT(rates), false};

/* 10^18 is the largest power of ten that fits in an int64_t. */
enum { MAX_DIGITS = 18 };

static int digit_of(char c, unsigned base) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (base == 16 && c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (base == 16 && c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Parses digits and appends them to the number. Returns how many there were. */
static unsigned read_digits(const char **text, unsigned base, struct tma_number *number) {
    unsigned count = 0;
    for (int digit; (digit = digit_of(**text, base)) >= 0; (*text)++, count++)
        number->digits = base * number->digits + (unsigned)digit;
    return count;
}

static enum tma_number_error read_suffix(const char *text, const struct tma_quantity_unit *unit,
                                         struct tma_number *number) {
    number->scale = 1;
    if (text[0] == '\0')
        return unit->optional || number->digits == 0 ? TMA_NUMBER_OK : TMA_NUMBER_NEEDS_UNIT;
    for (size_t i = 0; i < unit->count; i++)
        if (strcmp(text, unit->suffixes[i].name) == 0) {
            number->scale = unit->suffixes[i].scale;
            return TMA_NUMBER_OK;
        }
    return TMA_NUMBER_UNKNOWN_UNIT;
}

enum tma_number_error tma_number_read(const char *text, const struct tma_quantity_unit *unit,
                                      struct tma_number *number, const char **suffix) {
    *number = (struct tma_number){.negative = text[0] == '-', .scale = 1};
    *suffix = text;
    if (number->negative)
        text++;
    unsigned base = text[0] == '0' && text[1] == 'x' ? 16 : 10;
    if (base == 16)
        text += 2;
    if (base == 10 && text[0] == '0' && digit_of(text[1], 10) >= 0)
        return TMA_NUMBER_LEADING_ZERO;
    unsigned count = read_digits(&text, base, number);
    if (base == 10 && count > 0 && text[0] == '.') {
        text++;
        number->decimals = read_digits(&text, base, number);
        if (number->decimals == 0)
            return TMA_NUMBER_NONE;
    }
    if (count == 0)
        return TMA_NUMBER_NONE;
    if (count + number->decimals > (base == 16 ? 15 : MAX_DIGITS))
        return TMA_NUMBER_TOO_LARGE;
    while (*text == ' ')
        text++;
    *suffix = text;
    return read_suffix(text, unit, number);
}

static uint64_t power_of_ten(uint32_t exponent) {
    uint64_t power = 1;
    for (; exponent > 0; exponent--)
        power *= 10;
    return power;
}

bool tma_number_integer(const struct tma_number *number, int64_t *value) {
    uint64_t divisor = power_of_ten(number->decimals);
    uint64_t whole = number->digits / divisor, part = number->digits % divisor;
    /* With at most 9 decimals and a scale below 2^31, part * scale fits in 64 bits. */
    if (number->decimals > 9 || part * number->scale % divisor != 0 ||
        whole >= (uint64_t)INT64_MAX / number->scale)
        return false;
    uint64_t magnitude = whole * number->scale + part * number->scale / divisor;
    *value = number->negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

double tma_number_real(const struct tma_number *number) {
    double magnitude =
        (double)number->digits * number->scale / (double)power_of_ten(number->decimals);
    return number->negative ? -magnitude : magnitude;
}

/* Formats a value in thousandths of a unit with 1 to 3 decimals, as many as it needs. */
static void format_thousandths(int64_t value, const char *unit, char *text, size_t size) {
    int decimals = value % 10 != 0 ? 3 : value % 100 != 0 ? 2 : 1;
    int64_t part = value % 1000 / (decimals == 3 ? 1 : decimals == 2 ? 10 : 100);
    snprintf(text, size, "%" PRId64 ".%0*" PRId64 " %s", value / 1000, decimals, part, unit);
}

/* True for "cycle": a suffix with the same scale as the one before is its singular form. */
static bool is_singular(const struct tma_quantity_unit *unit, size_t index) {
    return index > 0 && unit->suffixes[index].scale == unit->suffixes[index - 1].scale;
}

static const char *name_for(const struct tma_quantity_unit *unit, const struct tma_suffix *suffix,
                            int64_t value) {
    size_t next = (size_t)(suffix - unit->suffixes) + 1;
    bool one = value == suffix->scale && next < unit->count && is_singular(unit, next);
    return one ? unit->suffixes[next].name : suffix->name;
}

void tma_unit_format(const struct tma_quantity_unit *unit, int64_t value, char *text, size_t size) {
    const struct tma_suffix *best = NULL;
    for (size_t i = 0; i < unit->count && !unit->optional; i++)
        if (value % unit->suffixes[i].scale == 0 &&
            (best == NULL || (value != 0 && unit->suffixes[i].scale > best->scale)))
            best = &unit->suffixes[i];
    if (best != NULL)
        snprintf(text, size, "%" PRId64 " %s", value / best->scale, name_for(unit, best, value));
    else if (unit == &tma_unit_address)
        snprintf(text, size, "0x%" PRIx64, (uint64_t)value);
    else if (unit->count > 0 && unit->suffixes[0].scale == 1000)
        format_thousandths(value, unit->suffixes[0].name, text, size);
    else if (unit->count > 0 && unit->suffixes[0].scale == 10)
        snprintf(text, size, "%" PRId64 ".%" PRId64 " %s", value / 10, value % 10,
                 unit->suffixes[0].name);
    else
        snprintf(text, size, "%" PRId64, value);
}

void tma_unit_list(const struct tma_quantity_unit *unit, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < unit->count && used < size; i++) {
        if (is_singular(unit, i))
            continue;
        const char *joint = i == 0 ? "" : i + 1 == unit->count ? " or " : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", joint, unit->suffixes[i].name);
    }
}
