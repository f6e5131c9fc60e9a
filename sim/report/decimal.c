#include "report/decimal.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct tma_decimal tma_decimal(double value, unsigned digits) {
    assert(digits <= TMA_DECIMAL_MAX_DIGITS);
    struct tma_decimal decimal = {""};
    if (!(fabs(value) < 1e15))
        return decimal;
    long long unit = 1;
    for (unsigned i = 0; i < digits; i++)
        unit *= 10;
    /* The value times the unit may overflow, so scale the fraction alone. */
    double whole = trunc(fabs(value));
    long long fraction = llround((fabs(value) - whole) * (double)unit);
    long long integer = (long long)whole + fraction / unit;
    fraction %= unit;
    const char *sign = value < 0 && (integer != 0 || fraction != 0) ? "-" : "";
    if (digits == 0)
        snprintf(decimal.text, sizeof decimal.text, "%s%lld", sign, integer);
    else
        snprintf(decimal.text, sizeof decimal.text, "%s%lld.%0*lld", sign, integer, (int)digits,
                 fraction);
    return decimal;
}

struct tma_decimal tma_percent(double fraction) {
    return tma_decimal(100 * fraction, 1);
}

struct tma_decimal tma_grouped(uint64_t count) {
    char plain[24];
    struct tma_decimal grouped;
    int length = snprintf(plain, sizeof plain, "%" PRIu64, count), at = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            grouped.text[at++] = ',';
        grouped.text[at++] = plain[i];
    }
    grouped.text[at] = 0;
    return grouped;
}

/* Three digits, in the largest of the units, each a thousand of the one before, of which there is
 * at least one. */
static struct tma_decimal three_digits(double value, const char *const *units, int count) {
    int unit = 0;
    for (; unit + 1 < count && value >= 999.5; unit++)
        value /= 1000;
    unsigned digits = value >= 99.95 || (unit == 0 && value == trunc(value)) ? 0
                      : value >= 9.995                                       ? 1
                                                                             : 2;
    struct tma_decimal text = tma_decimal(value, digits);
    size_t length = strlen(text.text);
    snprintf(text.text + length, sizeof text.text - length, " %s", units[unit]);
    return text;
}

struct tma_decimal tma_time_text(double ns) {
    static const char *const units[] = {"ns", "us", "ms", "s"};
    return three_digits(ns, units, 4);
}

struct tma_decimal tma_bytes_text(double bytes) {
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    return three_digits(bytes, units, 5);
}

struct tma_decimal tma_rate_text(double gigabytes_per_second) {
    static const char *const units[] = {"kB/s", "MB/s", "GB/s", "TB/s", "PB/s"};
    return three_digits(gigabytes_per_second * 1e6, units, 5);
}
