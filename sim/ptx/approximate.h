/* The approximate functions of PTX, by additions, multiplications and divisions of doubles alone:
 * the same bits with every compiler and library. Closer to the exact value than hardware is. */
#ifndef TMA_PTX_APPROXIMATE_H
#define TMA_PTX_APPROXIMATE_H

#include "ptx/softfloat.h"

enum tma_approximation {
    TMA_APPROXIMATE_DIV,
    TMA_APPROXIMATE_DIV_FULL,
    TMA_APPROXIMATE_RCP,
    TMA_APPROXIMATE_SQRT,
    TMA_APPROXIMATE_RSQRT,
    TMA_APPROXIMATE_SIN,
    TMA_APPROXIMATE_COS,
    TMA_APPROXIMATE_LG2,
    TMA_APPROXIMATE_EX2,
    TMA_APPROXIMATE_TANH
};

/* The function of x (and of y, of a division). */
double tma_approximate(enum tma_approximation function, double x, double y);

#endif
