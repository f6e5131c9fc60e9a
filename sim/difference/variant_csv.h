/* Reads the rows of a sweep as CSV (RFC 4180). Internal to sim/difference. */
#ifndef TMA_DIFFERENCE_VARIANT_CSV_H
#define TMA_DIFFERENCE_VARIANT_CSV_H

#include "difference/variant.h"

/* Adds a case for each row. `text` ends with a NUL; its first line names the columns. Returns
 * false, with the error in the list, if it is not such a table. */
bool tma_variant_read_csv(struct tma_variant *variant, const char *text, const char *file,
                          struct tma_diagnostics *list);

#endif
