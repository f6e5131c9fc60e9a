/* Matrix instructions of a launch. Internal to this folder. */
#pragma once

#include "ptx/operands.h"

/* ldmatrix, stmatrix, movmatrix, mma, wgmma.mma_async. False: not with these operands. */
bool tma_prepare_matrix(const struct tma_operands *operands);
