#include "tensormap/architectures.h"

#include <assert.h>
#include <stdio.h>

static const struct tma_name architecture_items[] = {
    {"sm_90", TMA_SM_90}, {"sm_100", TMA_SM_100}, {"sm_103", TMA_SM_103}, {"sm_120", TMA_SM_120}};
const struct tma_names tma_architecture_names = {
    "architecture", architecture_items, sizeof architecture_items / sizeof architecture_items[0]};

#define ALL          TMA_ALL_ARCHITECTURES
#define FAMILY_100   (TMA_SM_100 | TMA_SM_103)
#define FROM_100     (TMA_SM_100 | TMA_SM_103 | TMA_SM_120)
#define COPY         "PTX ISA, cp.async.bulk.tensor, Target ISA Notes"
#define PREFETCH     "PTX ISA, cp.async.bulk.prefetch.tensor, Target ISA Notes"
#define RESTRICTIONS "PTX ISA, Restriction on Tensor Copy instructions"
#define REPLACE      "PTX ISA, tensormap.replace, Target ISA Notes"
#define WIDE         "CUDA driver API, cuTensorMapEncodeIm2colWide, swizzle"

static const struct tma_feature_info features[TMA_FEATURE_COUNT] = {
    [TMA_FEATURE_TILE] = {"tile operations", ALL, COPY},
    [TMA_FEATURE_IM2COL] = {"im2col and im2col_no_offs operations", ALL, COPY},
    [TMA_FEATURE_GATHER4_LOAD] = {"tile::gather4 loads", FROM_100,
                                  COPY " (destination .shared::cta)"},
    [TMA_FEATURE_GATHER4_MULTICAST] = {"multicast loads with tile::gather4", FAMILY_100,
                                       COPY " (destination .shared::cluster)"},
    [TMA_FEATURE_GATHER4_PREFETCH] = {"tile::gather4 prefetches", FAMILY_100, PREFETCH},
    [TMA_FEATURE_SCATTER4_STORE] = {"tile::scatter4 stores", FAMILY_100, COPY},
    [TMA_FEATURE_IM2COL_W_LOAD] = {"im2col::w loads", FROM_100, COPY " (destination .shared::cta)"},
    [TMA_FEATURE_IM2COL_W_MULTICAST] = {"multicast loads with im2col::w", FAMILY_100,
                                        COPY " (destination .shared::cluster)"},
    [TMA_FEATURE_IM2COL_W_PREFETCH] = {"im2col::w prefetches", FAMILY_100, PREFETCH},
    [TMA_FEATURE_IM2COL_W128] = {"im2col::w::128 operations", FAMILY_100, COPY},
    [TMA_FEATURE_SUB_BYTE_TYPES] = {"tensor maps of sub-byte types", FROM_100,
                                    "PTX ISA, tensormap.replace, Target ISA Notes (.elemtype 13 "
                                    "to 15); records of an H200 (encode.tsv)"},
    [TMA_FEATURE_SUB_BYTE_LOAD] = {"loads of sub-byte types", FROM_100,
                                   RESTRICTIONS " (destination .shared::cta)"},
    [TMA_FEATURE_SUB_BYTE_MULTICAST] = {"multicast loads of sub-byte types", FAMILY_100,
                                        RESTRICTIONS " (sm_120a, destination .shared::cluster)"},
    [TMA_FEATURE_SIX_BIT_HALF_ROWS] = {".b6p2x16 stores of rows of 48 bytes", TMA_SM_103,
                                       RESTRICTIONS " (sm_103a)"},
    [TMA_FEATURE_SWIZZLE_ATOMS] = {"swizzle atoms of 32 and 64 bytes", FROM_100,
                                   REPLACE " (.swizzle_atomicity); records of an H200 "
                                           "(encode.tsv)"},
    [TMA_FEATURE_SWIZZLE_ATOM_LOAD] = {"loads with swizzle atoms of 32 and 64 bytes", FROM_100,
                                       RESTRICTIONS " (destination .shared::cta)"},
    [TMA_FEATURE_SWIZZLE_ATOM_MULTICAST] = {"multicast loads with swizzle atoms of 32 and 64 bytes",
                                            FAMILY_100,
                                            RESTRICTIONS
                                            " (sm_120a, destination .shared::cluster)"},
    [TMA_FEATURE_SWIZZLE_96B_WIDE] = {"im2col_w maps with swizzle 96b", FROM_100, WIDE},
    [TMA_FEATURE_SWIZZLE_96B_REPLACED] = {"swizzle 96b in maps other than im2col_w", TMA_SM_103,
                                          REPLACE " (.swizzle_mode 4)"},
    [TMA_FEATURE_REPLACE] = {"tensormap.replace", ALL, REPLACE},
    [TMA_FEATURE_REPLACE_ATOMICITY] = {"tensormap.replace.swizzle_atomicity", FROM_100, REPLACE},
    [TMA_FEATURE_REPLACE_SUB_BYTE] = {"tensormap.replace.elemtype with 13 to 15", FROM_100,
                                      REPLACE},
    [TMA_FEATURE_OOB_BASE] = {"the mode of out-of-bounds bases (bit 85 of a map)", FROM_100,
                              "release notes of driver 595.71.05, known issues"},
};

const struct tma_feature_info *tma_feature_info(enum tma_feature feature) {
    assert((unsigned)feature < TMA_FEATURE_COUNT);
    return &features[feature];
}

bool tma_has_feature(enum tma_architecture architecture, enum tma_feature feature) {
    return (tma_feature_info(feature)->architectures & (unsigned)architecture) != 0;
}

enum tma_error_code tma_require_feature(enum tma_architecture architecture,
                                        enum tma_feature feature, struct tma_error *error) {
    if (tma_has_feature(architecture, feature))
        return TMA_OK;
    char names[64];
    tma_architectures_text(tma_feature_info(feature)->architectures, names, sizeof names);
    return tma_fail(error, TMA_ERROR_UNSUPPORTED,
                    "%s does not have %s; architectures that do: %s (%s)",
                    tma_name_of(&tma_architecture_names, (int)architecture),
                    tma_feature_info(feature)->name, names, tma_feature_info(feature)->source);
}

void tma_architectures_text(unsigned architectures, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < tma_architecture_names.count && used < size; i++)
        if ((architectures & (unsigned)architecture_items[i].value) != 0)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used == 0 ? "" : ", ",
                                     architecture_items[i].name);
}
