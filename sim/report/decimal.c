#include "report/decimal.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

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
