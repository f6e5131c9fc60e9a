#include "ptx/check_calls.h"

#include <stdio.h>

#include "banks/wgmma_descriptor.h"
#include "base/allocation.h"
#include "tensormap/types.h"

/* What is known of the registers of a warp. */
struct tma_checked_warp {
    uint32_t *products;           /* by register: the wgmma group that uses it; 0: none */
    uint32_t *touched;            /* by register: time of its last use by another instruction */
    uint32_t committed, complete; /* wgmma groups */
    uint32_t time, fenced;        /* time of the last wgmma.fence */
    /* A wait orders once the warp acts on its outcome: the predicate of the last one, which no
     * instruction has read yet; 0: none. */
    uint32_t outcome, outcome_lanes, outcome_cta;
    uint64_t outcome_offset;
    uint32_t outcome_instruction;
    bool outcome_acquires;
};

struct tma_checked {
    struct tma_checks *checks;
    struct tma_executor *launch;
    struct tma_ptx_cluster *cluster;
    struct tma_checked_warp *warps; /* by CTA, then warp */
    uint32_t warp_count;            /* of a CTA */
};

/* Everything that a warp did is one side; lanes that have not exited may be all of them. */
static struct tma_check_side side_of(const struct tma_warp *warp, const struct tma_op *op,
                                     uint32_t lanes) {
    return (struct tma_check_side){.cta = warp->cta->rank,
                                   .warp = warp->index,
                                   .lanes = (warp->alive & ~lanes) == 0 ? UINT32_MAX : lanes,
                                   .instruction = op->instruction};
}

static struct tma_checks *checks_of(const struct tma_warp *warp) {
    return warp->cta->cluster->watch->checks;
}

static struct tma_checked_warp *registers_of(const struct tma_warp *warp) {
    struct tma_checked *watch = warp->cta->cluster->watch;
    return &watch->warps[warp->cta->rank * watch->warp_count + warp->index];
}

static void report(void *context, const char *kind, const struct tma_check_side *side,
                   uint32_t other, const char *text) {
    struct tma_checked *watch = context;
    tma_note(watch->launch, &watch->cluster->ctas[side->cta].warps[side->warp], side->instruction,
             other, kind, "%s", text);
}

bool tma_watch_begin(struct tma_executor *launch, struct tma_ptx_cluster *cluster, uint64_t first) {
    const struct tma_ptx_options *options = launch->options;
    cluster->watch = NULL;
    if (first >= options->sanitize_ctas)
        return true;
    uint32_t warps = (launch->threads + 31) / 32, all = warps * cluster->cta_count;
    struct tma_checked *watch = tma_allocate(1, sizeof *watch);
    if (watch == NULL)
        return false;
    cluster->watch = watch;
    *watch = (struct tma_checked){.launch = launch, .cluster = cluster, .warp_count = warps};
    watch->warps = tma_allocate(all, sizeof *watch->warps);
    bool good = watch->warps != NULL;
    for (uint32_t i = 0; good && i < all; ++i) {
        struct tma_checked_warp *registers = &watch->warps[i];
        registers->products = tma_allocate(launch->register_count, sizeof *registers->products);
        registers->touched = tma_allocate(launch->register_count, sizeof *registers->touched);
        registers->time = 1;
        good = registers->products != NULL && registers->touched != NULL;
    }
    watch->checks = tma_checks_begin(cluster->cta_count, warps, launch->shared_bytes,
                                     options->strict, launch->launch, report, watch);
    return good && watch->checks != NULL;
}

void tma_watch_end(struct tma_ptx_cluster *cluster, bool completed) {
    struct tma_checked *watch = cluster->watch;
    if (watch == NULL)
        return;
    if (!tma_checks_end(watch->checks, completed))
        watch->launch->out_of_memory = true;
    for (uint32_t i = 0; watch->warps != NULL && i < watch->warp_count * cluster->cta_count; ++i) {
        TMA_RELEASE(watch->warps[i].products, watch->warps[i].touched);
    }
    TMA_RELEASE(watch->warps, watch);
    cluster->watch = NULL;
}

/* ---- registers ---- */

static void touch(struct tma_warp *warp, const struct tma_op *op, const struct tma_place *place) {
    struct tma_checked_warp *registers = registers_of(warp);
    if (place->absent || place->kind != TMA_PLACE_REGISTER)
        return;
    registers->touched[place->number] = registers->time;
    if (registers->products[place->number] == 0)
        return;
    if (registers->products[place->number] > registers->complete)
        tma_note(warp->launch, warp, op->instruction, UINT32_MAX, "race",
                 "warp %u of CTA %u touches a register of a matrix product that is in flight; "
                 "wgmma.wait_group is missing before it",
                 warp->index, warp->cta->rank);
    registers->products[place->number] = 0;
}

static bool is_product(const struct tma_warp *warp, const struct tma_op *op) {
    return warp->launch->module->instructions[op->instruction].opcode == TMA_PTX_OP_WGMMA_MMA_ASYNC;
}

static bool reads(const struct tma_warp *warp, const struct tma_op *op, uint32_t number) {
    const struct tma_place *places = warp->launch->places;
    const struct tma_place *const own[] = {&op->guard, &op->a, &op->b, &op->c};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; ++i)
        if (!own[i]->absent && own[i]->kind == TMA_PLACE_REGISTER && own[i]->number == number)
            return true;
    for (uint32_t i = 0; i < op->list2_count; ++i)
        if (places[op->list2 + i].number == number)
            return true;
    return false;
}

/* Does the instruction act on the outcome of the last wait, or forget it? */
static void look_at_outcome(struct tma_warp *warp, const struct tma_op *op) {
    struct tma_checked_warp *registers = registers_of(warp);
    if (reads(warp, op, registers->outcome)) {
        struct tma_check_side side = side_of(warp, op, registers->outcome_lanes);
        side.instruction = registers->outcome_instruction;
        tma_checks_barrier_wait(checks_of(warp), &side, registers->outcome_cta,
                                (uint32_t)registers->outcome_offset, registers->outcome_acquires);
        registers->outcome = 0;
    } else if (!op->d.absent && op->d.number == registers->outcome) {
        registers->outcome = 0;
    }
}

/* ptxas gives both registers of a copy one place: the copy is as old as what it copies. Compilers
 * put such copies between wgmma.fence and the product. */
static bool is_copy(const struct tma_warp *warp, const struct tma_op *op) {
    return warp->launch->module->instructions[op->instruction].opcode == TMA_PTX_OP_MOV &&
           op->list_count == 0 && op->list2_count == 0 && op->d.kind == TMA_PLACE_REGISTER &&
           op->a.kind == TMA_PLACE_REGISTER;
}

void tma_watch_registers(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    struct tma_checked_warp *registers = registers_of(warp);
    const struct tma_place *places = warp->launch->places;
    if (registers->outcome != 0)
        look_at_outcome(warp, op);
    if (lanes == 0 || is_product(warp, op))
        return;
    ++registers->time;
    if (is_copy(warp, op)) {
        uint32_t age = registers->touched[op->a.number];
        touch(warp, op, &op->a);
        touch(warp, op, &op->d);
        registers->touched[op->a.number] = registers->touched[op->d.number] = age;
        return;
    }
    const struct tma_place *const own[] = {&op->d, &op->a, &op->b, &op->c};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; ++i)
        touch(warp, op, own[i]);
    for (uint32_t i = 0; i < op->list_count; ++i)
        touch(warp, op, &places[op->list + i]);
    for (uint32_t i = 0; i < op->list2_count; ++i)
        touch(warp, op, &places[op->list2 + i]);
}

/* A register of a product that runs from now on. */
static bool use_register(struct tma_checked_warp *registers, const struct tma_place *place) {
    if (place->absent || place->kind != TMA_PLACE_REGISTER)
        return true;
    registers->products[place->number] = registers->committed + 1;
    return registers->touched[place->number] <= registers->fenced;
}

enum tma_step tma_run_product_fence(struct tma_warp *warp, const struct tma_op *op,
                                    uint32_t lanes) {
    if (lanes != 0 && tma_watched(warp)) {
        registers_of(warp)->fenced = registers_of(warp)->time;
        tma_watch_converge(warp, op, lanes);
    }
    return TMA_STEP_NEXT;
}

/* ---- shared memory ---- */

/* The CTA and the place of an address in shared memory. False: it lies elsewhere. */
static bool in_shared(const struct tma_op *op, uint64_t address, uint32_t *cta, uint32_t *offset) {
    if (op->space == TMA_PTX_GENERIC) {
        uint64_t low = address & (TMA_WINDOW_BYTES - 1);
        if (address - low != TMA_WINDOW_SHARED)
            return false;
        address = low;
    } else if (op->space != TMA_PTX_SHARED) {
        return false;
    }
    *cta = tma_shared_rank(address);
    *offset = tma_shared_offset(address);
    return true;
}

void tma_watch_access(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes,
                      const uint64_t address[32], uint32_t bytes, enum tma_check_access access) {
    TMA_EACH_OF(i, lanes) {
        uint32_t cta, offset;
        struct tma_check_side side = side_of(warp, op, UINT32_C(1) << i);
        if (in_shared(op, address[i], &cta, &offset))
            tma_checks_access(checks_of(warp), &side, access, cta, offset, bytes);
    }
}

void tma_watch_bulk_write(struct tma_warp *warp, const struct tma_op *op, uint32_t lane,
                          uint64_t address, uint32_t bytes, uint8_t layout, bool reduces,
                          uint64_t barrier) {
    struct tma_check_side side = side_of(warp, op, UINT32_C(1) << lane);
    tma_checks_bulk_write(checks_of(warp), &side, tma_shared_rank(address),
                          tma_shared_offset(address), bytes, layout, reduces,
                          tma_shared_rank(barrier), tma_shared_offset(barrier));
}

void tma_watch_bulk_read(struct tma_warp *warp, const struct tma_op *op, uint32_t lane,
                         uint64_t address, uint32_t bytes, uint8_t layout) {
    struct tma_check_side side = side_of(warp, op, UINT32_C(1) << lane);
    tma_checks_bulk_read(checks_of(warp), &side, tma_shared_offset(address), bytes, layout);
}

void tma_watch_bulk_source(struct tma_warp *warp, const struct tma_op *op, uint32_t lane,
                           uint64_t address, uint32_t bytes, uint64_t barrier) {
    struct tma_check_side side = side_of(warp, op, UINT32_C(1) << lane);
    tma_checks_bulk_source(checks_of(warp), &side, tma_shared_offset(address), bytes,
                           tma_shared_rank(barrier), tma_shared_offset(barrier));
}

void tma_watch_copy(struct tma_warp *warp, const struct tma_op *op, uint32_t lane, uint64_t address,
                    uint32_t bytes) {
    struct tma_check_side side = side_of(warp, op, UINT32_C(1) << lane);
    tma_checks_copy_write(checks_of(warp), &side, tma_shared_rank(address),
                          tma_shared_offset(address), bytes);
}

/* Bits 62 and 63 of a descriptor, as the swizzle of tensor maps. */
static uint8_t layout_of(uint64_t descriptor) {
    static const uint8_t layouts[] = {TMA_SWIZZLE_NONE, TMA_SWIZZLE_128B, TMA_SWIZZLE_64B,
                                      TMA_SWIZZLE_32B};
    return layouts[descriptor >> 62];
}

/* The rows of 16 bytes of an operand: `mn` elements along M or N, `k` along K. */
static void read_operand(struct tma_warp *warp, const struct tma_check_side *side,
                         uint64_t descriptor, bool mn_major, uint32_t mn, uint32_t k,
                         enum tma_ptx_type type) {
    uint32_t lines = mn_major ? k : mn,
             chunks = (mn_major ? mn : k) * tma_ptx_types[type].bits / 128;
    uint32_t begin = 0, end = 0;
    for (uint32_t line = 0; line < lines; ++line)
        for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
            uint32_t at =
                tma_wgmma_descriptor_address(descriptor, mn_major, line, chunk) - TMA_SHARED_BASE;
            if (at == end) {
                end += 16;
                continue;
            }
            if (end > begin)
                tma_checks_product_read(checks_of(warp), side, begin, end - begin,
                                        layout_of(descriptor));
            begin = at;
            end = at + 16;
        }
    if (end > begin)
        tma_checks_product_read(checks_of(warp), side, begin, end - begin, layout_of(descriptor));
}

void tma_watch_product(struct tma_warp *warp, const struct tma_op *op,
                       const struct tma_ptx_product *product, uint64_t a_descriptor,
                       uint64_t b_descriptor) {
    struct tma_check_side side = side_of(warp, op, TMA_ALL_LANES);
    struct tma_checked_warp *registers = registers_of(warp);
    const struct tma_place *places = warp->launch->places;
    bool fenced = registers->fenced != 0;
    for (uint32_t i = 0; i < op->list_count; ++i)
        fenced = use_register(registers, &places[op->list + i]) && fenced;
    for (uint32_t i = 0; i < product->a_registers; ++i)
        fenced = use_register(registers, &places[op->list2 + i]) && fenced;
    if (!fenced)
        tma_note(warp->launch, warp, op->instruction, UINT32_MAX, "fence",
                 "warp %u of CTA %u gives wgmma registers that it used after its last wgmma.fence",
                 warp->index, warp->cta->rank);
    if (!product->a_in_registers)
        read_operand(warp, &side, a_descriptor, product->transpose_a, 64,
                     tma_ptx_kept_columns(product), product->a);
    read_operand(warp, &side, b_descriptor, product->transpose_b, product->shape.n,
                 product->shape.k, product->b);
}

/* ---- groups and fences ---- */

/* A product is over when all warps of the warpgroup have issued their part. With time, the core
 * knows when that is. */
static bool waits_for_products(struct tma_warp *warp, uint32_t left) {
    struct tma_path *path = &warp->paths[warp->current];
    path->wait = (struct tma_ptx_wait){.kind = TMA_WAIT_NOTHING};
    if (warp->launch->step != NULL || warp->products <= left)
        return false;
    path->wait = (struct tma_ptx_wait){.kind = TMA_WAIT_PRODUCTS, .address = warp->products - left};
    return !tma_products_begun(warp, path->wait.address);
}

enum tma_step tma_run_group(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    enum tma_check_group group = (enum tma_check_group)op->mode;
    if (lanes == 0)
        return TMA_STEP_NEXT;
    uint32_t first = (uint32_t)__builtin_ctz(lanes);
    uint32_t left = op->a.absent ? 0 : (uint32_t)tma_lane_value(warp, &op->a, first);
    if (group == TMA_CHECK_PRODUCT && op->mode2) {
        ++warp->products;
        ++warp->launch->changes;
    } else if (group == TMA_CHECK_PRODUCT && waits_for_products(warp, left)) {
        return TMA_STEP_PARKED;
    }
    if (!tma_watched(warp))
        return TMA_STEP_NEXT;
    struct tma_check_side side = side_of(warp, op, lanes);
    struct tma_checked_warp *registers = registers_of(warp);
    if (group == TMA_CHECK_PRODUCT)
        tma_watch_converge(warp, op, lanes);
    if (op->mode2) {
        tma_checks_commit(checks_of(warp), &side, group);
        registers->committed += group == TMA_CHECK_PRODUCT;
        return TMA_STEP_NEXT;
    }
    tma_checks_wait_group(checks_of(warp), &side, group, left);
    if (group == TMA_CHECK_PRODUCT && registers->committed > left)
        registers->complete = registers->committed - left;
    return TMA_STEP_NEXT;
}

enum tma_step tma_run_fence(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    if (lanes == 0 || !tma_watched(warp))
        return TMA_STEP_NEXT;
    struct tma_check_side side = side_of(warp, op, lanes);
    tma_checks_fence(checks_of(warp), &side, (enum tma_check_fence)op->mode);
    return TMA_STEP_NEXT;
}

/* ---- barriers ---- */

static bool relaxed(const struct tma_warp *warp, const struct tma_op *op) {
    return tma_ptx_has(&warp->launch->module->instructions[op->instruction], TMA_PTX_DOT_RELAXED);
}

void tma_watch_barrier_init(struct tma_warp *warp, const struct tma_op *op, uint32_t lane,
                            uint32_t cta, uint64_t offset) {
    struct tma_check_side side = side_of(warp, op, UINT32_C(1) << lane);
    if (cta == side.cta)
        tma_checks_barrier_init(checks_of(warp), &side, (uint32_t)offset);
}

void tma_watch_barrier_arrive(struct tma_warp *warp, const struct tma_op *op, uint32_t lane,
                              uint32_t cta, uint64_t offset) {
    struct tma_check_side side = side_of(warp, op, UINT32_C(1) << lane);
    tma_checks_barrier_arrive(checks_of(warp), &side, cta, (uint32_t)offset, !relaxed(warp, op));
}

void tma_watch_copy_arrive(struct tma_warp *warp, const struct tma_op *op, uint32_t lane,
                           uint32_t cta, uint64_t offset) {
    struct tma_check_side side = side_of(warp, op, UINT32_C(1) << lane);
    tma_checks_copy_arrive(checks_of(warp), &side, cta, (uint32_t)offset);
}

void tma_watch_phase(struct tma_warp *warp, uint32_t cta, uint64_t offset) {
    tma_checks_phase_complete(checks_of(warp), cta, (uint32_t)offset);
}

void tma_watch_barrier_wait(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes,
                            uint32_t cta, uint64_t offset) {
    struct tma_checked_warp *registers = registers_of(warp);
    bool same = registers->outcome == op->d.number && registers->outcome_cta == cta &&
                registers->outcome_offset == offset;
    registers->outcome = op->d.number;
    registers->outcome_lanes = same ? registers->outcome_lanes | lanes : lanes;
    registers->outcome_cta = cta;
    registers->outcome_offset = offset;
    registers->outcome_instruction = op->instruction;
    registers->outcome_acquires = !relaxed(warp, op);
}

void tma_watch_sync_arrive(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes,
                           uint32_t barrier) {
    struct tma_check_side side = side_of(warp, op, lanes);
    tma_checks_sync_arrive(checks_of(warp), &side, barrier, !relaxed(warp, op));
}

void tma_watch_sync_complete(struct tma_warp *warp, uint32_t barrier) {
    tma_checks_sync_complete(checks_of(warp), warp->cta->rank, barrier);
}

void tma_watch_sync_wait(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes,
                         uint32_t barrier) {
    struct tma_check_side side = side_of(warp, op, lanes);
    tma_checks_sync_wait(checks_of(warp), &side, barrier, !relaxed(warp, op));
}

void tma_watch_converge(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    struct tma_check_side side = side_of(warp, op, lanes);
    if (side.lanes == UINT32_MAX)
        tma_checks_converge(checks_of(warp), &side);
}

void tma_watch_exit(struct tma_warp *warp) {
    struct tma_check_side side = {.cta = warp->cta->rank, .warp = warp->index};
    tma_checks_exit(checks_of(warp), &side);
}
