/* Matrix instructions of a launch: fragments in registers and matrices in shared memory. */
#include "base/allocation.h"
#include "ptx/check_calls.h"
#include "ptx/execution_state.h"
#include "ptx/matrix.h"
#include "ptx/operands.h"

/* Copies registers into words. A register of 64 bits is two words. Returns the lanes that have an
 * opaque value in some register. */
static uint32_t read_words(const struct tma_warp *warp, const struct tma_place *places,
                           uint32_t count, uint32_t (*words)[32], uint16_t *origin) {
    uint32_t opaque = 0, at = 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t more = tma_opaque(warp, &places[i]);
        if (more)
            *origin = warp->origin[places[i].number];
        opaque |= more;
        if (places[i].width == TMA_PTX_DOUBLE) {
            const uint64_t *from = tma_read(warp, &places[i]);
            for (uint32_t lane = 0; lane < 32; ++lane) {
                words[at][lane] = (uint32_t)from[lane];
                words[at + 1][lane] = (uint32_t)(from[lane] >> 32);
            }
            at += 2;
        } else {
            memcpy(words[at++], tma_read(warp, &places[i]), sizeof words[0]);
        }
    }
    return opaque;
}

static void write_words(struct tma_warp *warp, const struct tma_place *places, uint32_t count,
                        const uint32_t (*words)[32]) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (places[i].width == TMA_PTX_DOUBLE) {
            uint64_t *to = tma_write_all(warp, &places[i]);
            for (uint32_t lane = 0; lane < 32; ++lane)
                to[lane] = words[at][lane] | (uint64_t)words[at + 1][lane] << 32;
            at += 2;
        } else {
            memcpy(tma_write_all(warp, &places[i]), words[at++], sizeof words[0]);
        }
    }
}

static struct tma_ptx_matrices *room(struct tma_warp *warp, const struct tma_op *op) {
    struct tma_executor *launch = warp->launch;
    if (launch->matrices == NULL)
        launch->matrices = tma_allocate(1, sizeof(struct tma_ptx_matrices));
    if (launch->matrices == NULL) {
        launch->out_of_memory = true;
        tma_stop(warp, op, TMA_PTX_FAULT, "out of memory");
    }
    return launch->matrices;
}

static enum tma_step all_opaque(struct tma_warp *warp, const struct tma_op *op, uint16_t origin) {
    const struct tma_place *places = &warp->launch->places[op->list];
    uint32_t count = op->list_count;
    for (uint32_t i = 0, end; i < count; i = end) {
        /* Mostly D is registers in a row. */
        for (end = i + 1; end < count && places[end].number == places[end - 1].number + 1;)
            ++end;
        uint32_t *opaque = &warp->opaque[places[i].number];
        uint16_t *origins = &warp->origin[places[i].number];
        for (uint32_t n = 0; n < end - i; ++n)
            opaque[n] = TMA_ALL_LANES;
        for (uint32_t n = 0; n < end - i; ++n)
            origins[n] = origin;
    }
    return TMA_STEP_NEXT;
}

/* mma.sync: places[list] is D; places[list2] A, B, C, and the metadata of a sparse A. */
static enum tma_step run_mma(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    if (lanes == 0)
        return TMA_STEP_NEXT;
    const struct tma_ptx_product *product = op->extra;
    const struct tma_place *places = &warp->launch->places[op->list2];
    uint32_t shift = product->wide ? 1 : 0;
    uint32_t a_count = product->a_registers >> shift, b_count = product->b_registers >> shift,
             c_count = product->c_registers >> shift;
    uint32_t a[TMA_PTX_MAX_FRAGMENT][32], b[TMA_PTX_MAX_FRAGMENT][32], c[TMA_PTX_MAX_FRAGMENT][32];
    uint32_t metadata[1][32];
    uint16_t origin = 0;
    /* A row of D takes part in many lanes: one opaque value makes all of it opaque. */
    if (read_words(warp, places, a_count, a, &origin) |
        read_words(warp, places + a_count, b_count, b, &origin) |
        read_words(warp, places + a_count + b_count, c_count, c, &origin) |
        read_words(warp, places + a_count + b_count + c_count, product->sparse, metadata, &origin))
        return all_opaque(warp, op, origin);
    struct tma_ptx_matrices *matrices = room(warp, op);
    if (matrices == NULL)
        return TMA_STEP_FAILED;
    uint32_t d[TMA_PTX_MAX_FRAGMENT][32];
    tma_ptx_mma(product, (const uint32_t(*)[32])a, (const uint32_t(*)[32])b,
                (const uint32_t(*)[32])c, metadata[0], d, matrices);
    write_words(warp, &warp->launch->places[op->list], op->list_count, (const uint32_t(*)[32])d);
    for (uint32_t i = 0; i < op->list_count; ++i)
        tma_mark(warp, &warp->launch->places[op->list + i], TMA_ALL_LANES, 0, 0);
    return TMA_STEP_NEXT;
}

/* wgmma.mma_async, the part of one warp: 16 rows of D, which need no other warp's registers.
 * places[list] is D, places[list2] A if it is in registers, then the metadata of a sparse A; op->a
 * is A's descriptor, op->b B's; op->c says whether D is added to. */
static enum tma_step run_wgmma(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    if (lanes == 0)
        return TMA_STEP_NEXT;
    if (!tma_converged(warp))
        return TMA_STEP_PARKED;
    warp->paths[warp->current].wait = (struct tma_ptx_wait){.kind = TMA_WAIT_NOTHING};
    const struct tma_ptx_product *product = op->extra;
    struct tma_executor *launch = warp->launch;
    uint32_t first = (uint32_t)__builtin_ctz(lanes);
    if (!tma_known(warp, op, &op->c, lanes, "the scale of a matrix product") ||
        !tma_known(warp, op, &op->b, lanes, "a matrix descriptor") ||
        !tma_known(warp, op, &op->a, lanes, "a matrix descriptor"))
        return TMA_STEP_FAILED;
    bool scale = tma_predicate(warp, &op->c) >> first & 1;
    uint16_t origin = TMA_ORIGIN_PRODUCT;
    uint32_t a[TMA_PTX_MAX_FRAGMENT][32], d[TMA_PTX_MAX_ACCUMULATOR][32], metadata[1][32];
    const struct tma_place *a_places = &launch->places[op->list2];
    if (read_words(warp, a_places, product->a_registers, a, &origin) |
        read_words(warp, a_places + product->a_registers, product->sparse, metadata, &origin))
        return all_opaque(warp, op, origin);
    const struct tma_region *shared = &warp->cta->shared;
    struct tma_ptx_window window = {shared->bytes, shared->opaque, TMA_SHARED_BASE,
                                    (uint32_t)shared->size};
    struct tma_ptx_matrices *matrices = room(warp, op);
    if (matrices == NULL)
        return TMA_STEP_FAILED;
    uint64_t a_descriptor = op->a.absent ? 0 : tma_lane_value(warp, &op->a, first),
             b_descriptor = tma_lane_value(warp, &op->b, first);
    if (tma_watched(warp))
        tma_watch_product(warp, op, product, a_descriptor, b_descriptor);
    uint32_t address = 0;
    switch (tma_ptx_wgmma_read(product, warp->index % 4, (const uint32_t(*)[32])a, metadata[0],
                               a_descriptor, b_descriptor, &window, matrices, &address)) {
    case TMA_PTX_MATRIX_DONE:
        break;
    case TMA_PTX_MATRIX_OPAQUE:
        return all_opaque(warp, op, tma_region_origin(shared, address - TMA_SHARED_BASE));
    case TMA_PTX_MATRIX_OUTSIDE:
        return tma_stop(
            warp, op, TMA_PTX_FAULT,
            "a matrix descriptor reaches the shared-memory address 0x%x; the CTA has the "
            "addresses 0x%x to 0x%llx",
            address, TMA_SHARED_BASE, (unsigned long long)(TMA_SHARED_BASE + shared->size - 1));
    }
    const struct tma_place *places = &launch->places[op->list];
    if (scale)
        read_words(warp, places, op->list_count, d, &origin);
    tma_ptx_wgmma(product, scale, d, matrices);
    write_words(warp, places, op->list_count, (const uint32_t(*)[32])d);
    if (!scale) /* else what was opaque in D stays so */
        for (uint32_t i = 0; i < op->list_count; ++i)
            tma_mark(warp, &places[i], TMA_ALL_LANES, 0, 0);
    return TMA_STEP_NEXT;
}

/* ---- matrices of 8 rows of 16 bytes ---- */

/* The lanes that have bytes of a row; with .trans, of both rows of a pair. */
static uint32_t lanes_of_row(uint32_t row, bool transpose) {
    return transpose ? UINT32_C(0x11111111) << row / 2 : UINT32_C(15) << 4 * row;
}

/* The lanes that have the addresses of 1, 2 or 4 matrices. */
static uint32_t lanes_of_rows(uint32_t matrices) {
    return TMA_ALL_LANES >> (32 - 8 * matrices);
}

/* Finds the rows of 1, 2 or 4 matrices, and counts their wavefronts. */
static bool find_rows(struct tma_warp *warp, const struct tma_op *op, uint32_t matrices,
                      struct tma_region *regions[32], uint64_t offsets[32], bool store) {
    uint64_t all_addresses[32];
    uint32_t low[32] = {0};
    uint32_t all = lanes_of_rows(matrices);
    if (!tma_known(warp, op, &op->a, all, "an address"))
        return false;
    for (uint32_t lane = 0; lane < 8 * matrices; ++lane) {
        uint64_t address = tma_address(warp, &op->a, op->offset, lane);
        regions[lane] = tma_locate(warp, op, (enum tma_ptx_space)op->space, address, 16, 16, lane,
                                   &offsets[lane]);
        if (regions[lane] == NULL)
            return false;
        if (regions[lane]->bytes == NULL || regions[lane]->origins == NULL) {
            tma_stop(warp, op, TMA_PTX_FAULT,
                     "lane %u has an address of %s: matrices lie in shared "
                     "memory",
                     lane, regions[lane]->name);
            return false;
        }
        low[lane] = (uint32_t)address & TMA_SHARED_OFFSET_MASK;
        all_addresses[lane] = address;
    }
    if (tma_watched(warp))
        tma_watch_access(warp, op, all, all_addresses, 16,
                         store ? TMA_CHECK_WRITE : TMA_CHECK_READ);
    tma_count_shared(warp, op,
                     matrices == 4   ? (store ? TMA_STMATRIX_X4 : TMA_LDMATRIX_X4)
                     : matrices == 2 ? (store ? TMA_STMATRIX_X2 : TMA_LDMATRIX_X2)
                                     : (store ? TMA_STMATRIX_X1 : TMA_LDMATRIX_X1),
                     all, low, store);
    return true;
}

static enum tma_step run_ldmatrix(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    struct tma_region *regions[32];
    uint64_t offsets[32];
    uint32_t count = op->elements;
    if (lanes == 0)
        return TMA_STEP_NEXT;
    if (!find_rows(warp, op, count, regions, offsets, false))
        return TMA_STEP_FAILED;
    for (uint32_t matrix = 0; matrix < count; ++matrix) {
        const struct tma_place *place = &warp->launch->places[op->list + matrix];
        uint8_t rows[8][16];
        uint32_t opaque = 0, words[32];
        uint16_t origin = 0;
        for (uint32_t row = 0; row < 8; ++row) {
            const struct tma_region *region = regions[8 * matrix + row];
            uint64_t offset = offsets[8 * matrix + row];
            memcpy(rows[row], region->bytes + offset, 16);
            if (tma_region_opaque(region, offset, 16)) {
                opaque |= lanes_of_row(row, op->mode);
                origin = tma_region_origin(region, offset);
            }
        }
        tma_ptx_matrix_spread((const uint8_t(*)[16])rows, op->mode, words);
        memcpy(tma_write_all(warp, place), words, sizeof words);
        tma_mark(warp, place, TMA_ALL_LANES, opaque, origin);
    }
    return TMA_STEP_NEXT;
}

static enum tma_step run_stmatrix(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    struct tma_region *regions[32];
    uint64_t offsets[32];
    uint32_t count = op->elements;
    if (lanes == 0)
        return TMA_STEP_NEXT;
    if (!find_rows(warp, op, count, regions, offsets, true))
        return TMA_STEP_FAILED;
    for (uint32_t matrix = 0; matrix < count; ++matrix) {
        const struct tma_place *place = &warp->launch->places[op->list + matrix];
        uint8_t rows[8][16];
        uint32_t opaque = tma_opaque(warp, place);
        tma_ptx_matrix_collect(tma_read(warp, place), op->mode, rows);
        for (uint32_t row = 0; row < 8; ++row) {
            struct tma_region *region = regions[8 * matrix + row];
            uint64_t offset = offsets[8 * matrix + row];
            memcpy(region->bytes + offset, rows[row], 16);
            bool whole = (opaque & lanes_of_row(row, op->mode)) != 0;
            tma_region_mark(region, offset, 16, whole, warp->origin[place->number]);
            if (!whole)
                continue;
            /* Not all of the row is: 4 bytes of a lane, or 2 with .trans. */
            for (uint32_t lane = 0; lane < 32; ++lane)
                if (lanes_of_row(row, op->mode) >> lane & ~(opaque >> lane) & 1)
                    tma_region_mark(region, offset + (op->mode ? 2 * (lane / 4) : 4 * (lane % 4)),
                                    op->mode ? 2 : 4, false, 0);
        }
    }
    ++warp->launch->changes;
    return TMA_STEP_NEXT;
}

/* movmatrix.trans: one matrix, from registers to registers. */
static enum tma_step run_movmatrix(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    if (lanes == 0)
        return TMA_STEP_NEXT;
    uint8_t rows[8][16];
    uint32_t words[32], opaque = tma_opaque(warp, &op->a);
    tma_ptx_matrix_collect(tma_read(warp, &op->a), false, rows);
    tma_ptx_matrix_spread((const uint8_t(*)[16])rows, true, words);
    memcpy(tma_write_all(warp, &op->d), words, sizeof words);
    tma_mark(warp, &op->d, TMA_ALL_LANES, opaque ? TMA_ALL_LANES : 0, warp->origin[op->a.number]);
    return TMA_STEP_NEXT;
}

static bool prepare_rows(const struct tma_operands *operands, bool store) {
    struct tma_op *op = operands->op;
    const struct tma_ptx_instruction *instruction = operands->instruction;
    op->space = (uint8_t)tma_ptx_space_of(instruction);
    op->mode = tma_ptx_has(instruction, TMA_PTX_DOT_TRANS);
    op->elements = tma_ptx_has(instruction, TMA_PTX_DOT_X4)   ? 4
                   : tma_ptx_has(instruction, TMA_PTX_DOT_X2) ? 2
                                                              : 1;
    op->a = tma_base(operands, store ? 0 : 1, &op->offset, &op->space);
    if (store)
        tma_list_sources(operands, 1, TMA_PTX_B32, &op->list, &op->list_count);
    else
        tma_list_targets(operands, 0, &op->list, &op->list_count);
    op->run = store ? run_stmatrix : run_ldmatrix;
    return tma_need_cost(operands) && op->list_count == op->elements && !op->a.absent;
}

/* The registers of a list are words, or doubles where the product has such. */
static bool fit(const struct tma_operands *operands, uint32_t list, uint32_t count, bool wide) {
    for (uint32_t i = 0; i < count; ++i)
        if (operands->launch->places[list + i].width != (wide ? TMA_PTX_DOUBLE : TMA_PTX_WORD))
            return false;
    return true;
}

bool tma_prepare_matrix(const struct tma_operands *operands) {
    struct tma_op *op = operands->op;
    const struct tma_ptx_instruction *instruction = operands->instruction;
    switch ((enum tma_ptx_opcode)instruction->opcode) {
    case TMA_PTX_OP_LDMATRIX:
        return prepare_rows(operands, false);
    case TMA_PTX_OP_STMATRIX:
        return prepare_rows(operands, true);
    case TMA_PTX_OP_MOVMATRIX:
        op->d = tma_target(operands, 0);
        op->a = tma_source(operands, 1, TMA_PTX_B32);
        op->run = run_movmatrix;
        return op->a.width == TMA_PTX_WORD;
    default:
        break;
    }
    struct tma_ptx_product *product = tma_allocate(1, sizeof *product);
    op->extra = product;
    if (product == NULL) {
        operands->launch->out_of_memory = true;
        return false;
    }
    if (!tma_ptx_product_of(operands->launch->module, instruction, product))
        return false;
    uint32_t shift = product->wide ? 1 : 0;
    tma_list_targets(operands, 0, &op->list, &op->list_count);
    if (op->list_count != product->d_registers >> shift ||
        !fit(operands, op->list, op->list_count, product->wide))
        return false;
    if (instruction->opcode == TMA_PTX_OP_MMA) {
        for (uint32_t i = 1; i <= (product->sparse ? 4 : 3); ++i)
            tma_list_sources(operands, i, product->wide ? TMA_PTX_B64 : TMA_PTX_B32, &op->list2,
                             &op->list2_count);
        op->run = run_mma;
        return op->list2_count ==
                   ((product->a_registers + product->b_registers + product->c_registers) >> shift) +
                       product->sparse &&
               fit(operands, op->list2, op->list2_count, product->wide);
    }
    if (product->a_in_registers) {
        tma_list_sources(operands, 1, TMA_PTX_B32, &op->list2, &op->list2_count);
    } else {
        op->a = tma_source(operands, 1, TMA_PTX_B64);
    }
    if (product->sparse)
        tma_list_sources(operands, 3, TMA_PTX_B32, &op->list2, &op->list2_count);
    if (op->list2_count != product->a_registers + product->sparse)
        return false;
    op->b = tma_source(operands, 2, TMA_PTX_B64);
    op->c = tma_source(operands, product->sparse ? 5 : 3, TMA_PTX_PRED);
    op->run = run_wgmma;
    return op->c.width == TMA_PTX_PREDICATE;
}
