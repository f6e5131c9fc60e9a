#include "banks/shared_instruction.h"

#include <assert.h>
#include <string.h>

/* enumerator, name, family, lane_bytes, lanes, reduction */
#define INSTRUCTIONS(X)                                                                            \
    X(TMA_LD_SHARED_B8, "ld.shared.b8", VECTOR, 1, 32, false)                                      \
    X(TMA_LD_SHARED_B16, "ld.shared.b16", VECTOR, 2, 32, false)                                    \
    X(TMA_LD_SHARED_B32, "ld.shared.b32", VECTOR, 4, 32, false)                                    \
    X(TMA_LD_SHARED_B64, "ld.shared.b64", VECTOR, 8, 32, false)                                    \
    X(TMA_LD_SHARED_B128, "ld.shared.b128", VECTOR, 16, 32, false)                                 \
    X(TMA_ST_SHARED_B8, "st.shared.b8", VECTOR, 1, 32, false)                                      \
    X(TMA_ST_SHARED_B16, "st.shared.b16", VECTOR, 2, 32, false)                                    \
    X(TMA_ST_SHARED_B32, "st.shared.b32", VECTOR, 4, 32, false)                                    \
    X(TMA_ST_SHARED_B64, "st.shared.b64", VECTOR, 8, 32, false)                                    \
    X(TMA_ST_SHARED_B128, "st.shared.b128", VECTOR, 16, 32, false)                                 \
    X(TMA_LDMATRIX_X1, "ldmatrix.x1", MATRIX, 16, 8, false)                                        \
    X(TMA_LDMATRIX_X2, "ldmatrix.x2", MATRIX, 16, 16, false)                                       \
    X(TMA_LDMATRIX_X4, "ldmatrix.x4", MATRIX, 16, 32, false)                                       \
    X(TMA_STMATRIX_X1, "stmatrix.x1", MATRIX, 16, 8, false)                                        \
    X(TMA_STMATRIX_X2, "stmatrix.x2", MATRIX, 16, 16, false)                                       \
    X(TMA_STMATRIX_X4, "stmatrix.x4", MATRIX, 16, 32, false)                                       \
    X(TMA_RED_SHARED_B32, "red.shared.b32", VECTOR, 4, 32, true)                                   \
    X(TMA_WGMMA_SHARED, "wgmma", WGMMA, 16, 32, false)

static const struct tma_shared_instruction_info infos[] = {
#define INSTRUCTION_INFO(constant, name, family, bytes, lanes, reduction)                          \
    [constant] = {name, TMA_FAMILY_##family, bytes, lanes, reduction},
    INSTRUCTIONS(INSTRUCTION_INFO)};

static const struct tma_name instruction_items[] = {
#define INSTRUCTION_NAME(constant, name, family, bytes, lanes, reduction) {name, constant},
    INSTRUCTIONS(INSTRUCTION_NAME)};

enum { INSTRUCTION_COUNT = sizeof infos / sizeof infos[0] };

const struct tma_names tma_shared_instruction_names = {"instruction", instruction_items,
                                                       INSTRUCTION_COUNT};

const struct tma_shared_instruction_info *
tma_shared_instruction_info(enum tma_shared_instruction instruction) {
    assert((unsigned)instruction < INSTRUCTION_COUNT);
    return &infos[instruction];
}

bool tma_shared_instruction_writes(enum tma_shared_instruction instruction) {
    const struct tma_shared_instruction_info *info = tma_shared_instruction_info(instruction);
    return info->reduction || strncmp(info->name, "st", strlen("st")) == 0;
}
