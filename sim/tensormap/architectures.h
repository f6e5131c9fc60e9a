/* Architectures, and the features of tensor maps and their operations that not all of them have.
 *
 * One table says for each feature which architectures have it and which document says so. The rules
 * of tensor maps, the check of operations and the replacement of fields all use this table. */
#pragma once

#include <stddef.h>

#include "base/api.h"
#include "tensormap/types.h"

TMA_API_BEGIN

/* Bits, so that a set of architectures is an unsigned. sm_100 stands for the targets sm_100a and
 * sm_100f, sm_103 for sm_103a and sm_120 for sm_120a. */
enum tma_architecture { TMA_SM_90 = 1, TMA_SM_100 = 2, TMA_SM_103 = 4, TMA_SM_120 = 8 };

enum { TMA_ALL_ARCHITECTURES = TMA_SM_90 | TMA_SM_100 | TMA_SM_103 | TMA_SM_120 };

extern const struct tma_names tma_architecture_names; /* sm_90, sm_100, sm_103, sm_120 */

enum tma_feature {
    TMA_FEATURE_TILE,
    TMA_FEATURE_IM2COL,
    TMA_FEATURE_GATHER4_LOAD,
    TMA_FEATURE_GATHER4_MULTICAST,
    TMA_FEATURE_GATHER4_PREFETCH,
    TMA_FEATURE_SCATTER4_STORE,
    TMA_FEATURE_IM2COL_W_LOAD,
    TMA_FEATURE_IM2COL_W_MULTICAST,
    TMA_FEATURE_IM2COL_W_PREFETCH,
    TMA_FEATURE_IM2COL_W128,
    TMA_FEATURE_SUB_BYTE_TYPES,
    TMA_FEATURE_SUB_BYTE_LOAD,
    TMA_FEATURE_SUB_BYTE_MULTICAST,
    TMA_FEATURE_SIX_BIT_HALF_ROWS,
    TMA_FEATURE_SWIZZLE_ATOMS,
    TMA_FEATURE_SWIZZLE_ATOM_LOAD,
    TMA_FEATURE_SWIZZLE_ATOM_MULTICAST,
    TMA_FEATURE_SWIZZLE_96B_WIDE,
    TMA_FEATURE_SWIZZLE_96B_REPLACED,
    TMA_FEATURE_REPLACE,
    TMA_FEATURE_REPLACE_ATOMICITY,
    TMA_FEATURE_REPLACE_SUB_BYTE,
    TMA_FEATURE_OOB_BASE,
    TMA_FEATURE_COUNT
};

struct tma_feature_info {
    const char *name;       /* "tile::gather4 loads" */
    unsigned architectures; /* bits of enum tma_architecture */
    const char *source;     /* the document and its section */
};

/* Never NULL for a feature below TMA_FEATURE_COUNT. */
const struct tma_feature_info *tma_feature_info(enum tma_feature feature);

bool tma_has_feature(enum tma_architecture architecture, enum tma_feature feature);

/* Fails with TMA_ERROR_UNSUPPORTED if the architecture does not have the feature. The error names
 * the feature, the architectures that have it, and the source. */
enum tma_error_code tma_require_feature(enum tma_architecture architecture,
                                        enum tma_feature feature, struct tma_error *error);

/* Writes the names of a set of architectures, "sm_100, sm_103", cut to size - 1 characters. */
void tma_architectures_text(unsigned architectures, char *text, size_t size);

TMA_API_END
