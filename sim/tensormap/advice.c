#include "tensormap/advice.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tensormap/rule_context.h"

/* Measured on an H200 (records timing.tsv, counters.tsv). */
#define RETURN_BYTES_PER_CYCLE 106.0
enum { LINE_BYTES = 128, LEAST_FILL_BYTES = 64, SECTOR_BYTES = 32, GRAIN_BYTES = 16 };

/* Advice is given if the cost is at least this many times the ideal. */
#define WORTH_A_LINE 1.25

/* One operation, in rows and bytes. */
struct tma_tile_shape {
    double rows;
    uint32_t row_bytes;        /* in global memory */
    uint32_t shared_row_bytes; /* in shared memory, without the swizzle's padding */
    uint64_t row_pitch_bytes;  /* distance of two rows of the tensor; 0: there is one row */
    uint32_t row_step;         /* element stride from one row of the box to the next */
    bool alone;                /* nothing is known of other boxes */
    bool loads, stores;        /* or may load and store */
    double together_bytes;     /* that all boxes read of a row in one piece */
};

static uint32_t divide_up(uint32_t a, uint32_t b) {
    return (a + b - 1) / b;
}

/* Bytes of a pixel of an interleaved layout. */
static uint32_t slice_bytes(const struct tma_tensor_map *map) {
    return map->interleave == TMA_INTERLEAVE_16B ? 16 : 32;
}

/* The rows of one operation. An interleaved tile has one channel slice: the box's size in dimension
 * rank - 2 is ignored. */
static double count_rows(const struct tma_tensor_map *map) {
    if (map->kind == TMA_MAP_IM2COL_W128)
        return TMA_W128_PIXELS;
    if (map->kind != TMA_MAP_TILED)
        return map->pixels_per_column;
    bool interleaved = map->interleave != TMA_INTERLEAVE_NONE;
    double rows = 1;
    for (uint32_t d = 1; d < map->rank; d++)
        if (!interleaved || d != map->rank - 2)
            rows *= divide_up(map->box_dim[d], map->element_strides[d]);
    return rows;
}

static struct tma_tile_shape shape_of(const struct tma_tensor_map *map) {
    uint32_t inner = (uint32_t)tma_inner_size(map);
    struct tma_tile_shape shape = {.rows = count_rows(map),
                                   .row_bytes = (uint32_t)tma_global_bytes(map->data_type, inner),
                                   .shared_row_bytes =
                                       (uint32_t)tma_shared_bytes(map->data_type, inner),
                                   .row_pitch_bytes = map->rank > 1 ? map->global_strides[0] : 0,
                                   .row_step = map->rank > 1 ? map->element_strides[1] : 1};
    if (map->interleave != TMA_INTERLEAVE_NONE) {
        bool tiled = map->kind == TMA_MAP_TILED;
        uint32_t pixels = tiled ? divide_up(map->box_dim[0], map->element_strides[0]) : 1;
        shape.row_bytes = tiled ? map->box_dim[0] * slice_bytes(map) : slice_bytes(map);
        shape.shared_row_bytes = pixels * slice_bytes(map);
    }
    return shape;
}

/* Sets the advice's field and cost; true if the cost is high enough. */
static bool cost(struct tma_advice *advice, enum tma_field field, size_t index, double actual,
                 double ideal) {
    advice->field = field;
    advice->index = tma_field_info(field)->is_list ? (int)index : -1;
    advice->cost = actual;
    advice->ideal = ideal;
    return actual >= WORTH_A_LINE * ideal;
}

/* Sets the advice's field for advice without a cost. */
static bool note(struct tma_advice *advice, enum tma_field field, size_t index, bool applies) {
    cost(advice, field, index, 0, 0);
    return applies;
}

static bool short_rows(const struct tma_tensor_map *map, const struct tma_tile_shape *shape,
                       struct tma_advice *advice) {
    double lines = divide_up(shape->shared_row_bytes, LINE_BYTES);
    double return_cycles = shape->rows * shape->shared_row_bytes / RETURN_BYTES_PER_CYCLE;
    double request_cycles = shape->rows * lines;
    return cost(advice, tma_inner_field(map), 0, request_cycles, return_cycles) &&
           shape->rows > 1 && shape->shared_row_bytes < LINE_BYTES;
}

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The average number of lines that a row touches if rows start at multiples of `grain` bytes. */
static double lines_of_row(uint32_t row_bytes, uint64_t grain) {
    return (double)(row_bytes - grain) / LINE_BYTES + 1;
}

static bool split_rows(const struct tma_tensor_map *map, const struct tma_tile_shape *shape,
                       struct tma_advice *advice) {
    uint64_t own = common_divisor(shape->row_bytes, LINE_BYTES);
    uint64_t grain = common_divisor(own, map->global_address);
    enum tma_field field = grain < own ? TMA_FIELD_GLOBAL_ADDRESS : TMA_FIELD_GLOBAL_STRIDES;
    size_t index = 0;
    for (size_t i = 0; i < tma_field_count(map, TMA_FIELD_GLOBAL_STRIDES); i++) {
        uint64_t next = common_divisor(grain, map->global_strides[i]);
        if (next < grain && field == TMA_FIELD_GLOBAL_STRIDES)
            index = i;
        grain = next;
    }
    if (grain == own) /* the length of the rows causes the splits */
        field = tma_inner_field(map);
    return cost(advice, field, index, shape->rows * lines_of_row(shape->row_bytes, grain),
                shape->rows * divide_up(shape->row_bytes, LINE_BYTES));
}

static double fill_bytes(enum tma_l2_promotion promotion) {
    static const double bytes[] = {LEAST_FILL_BYTES, LEAST_FILL_BYTES, 128, 256};
    return bytes[promotion];
}

/* Bytes that DRAM brings for one row of a box, if rows are `pitch` bytes apart: whole fills, but
 * not beyond the next row, because neighbouring rows share fills. Boxes that lie side by side share
 * them, too. */
static double fetched_bytes(const struct tma_tile_shape *shape, double fill, double pitch) {
    double together = shape->together_bytes;
    double fills = (double)(uint64_t)((together + fill - 1) / fill) * fill;
    double to_next = pitch < together ? together : pitch;
    return (pitch > 0 && to_next < fills ? to_next : fills) * shape->row_bytes / together;
}

/* Sets what is known of the traffic of DRAM, with fills of so many bytes. */
static bool traffic(struct tma_advice *advice, const struct tma_tile_shape *shape, double fill,
                    bool applies) {
    double pitch = (double)shape->row_pitch_bytes;
    advice->alone = shape->alone;
    advice->over_fetch =
        1 - fetched_bytes(shape, SECTOR_BYTES, pitch) / fetched_bytes(shape, fill, pitch);
    return applies && shape->loads;
}

static bool over_fetch(const struct tma_tensor_map *map, const struct tma_tile_shape *shape,
                       struct tma_advice *advice) {
    double fill = fill_bytes(map->l2_promotion);
    double pitch = (double)shape->row_pitch_bytes;
    bool applies =
        cost(advice, TMA_FIELD_L2_PROMOTION, 0, shape->rows * fetched_bytes(shape, fill, pitch),
             shape->rows * fetched_bytes(shape, LEAST_FILL_BYTES, pitch));
    return traffic(advice, shape, fill, applies);
}

static bool partial_fill(const struct tma_tensor_map *map, const struct tma_tile_shape *shape,
                         struct tma_advice *advice) {
    double fetched = fetched_bytes(shape, LEAST_FILL_BYTES, (double)shape->row_pitch_bytes);
    bool applies = cost(advice, tma_inner_field(map), 0, shape->rows * fetched,
                        shape->rows * shape->row_bytes);
    return traffic(advice, shape, LEAST_FILL_BYTES, applies);
}

/* Skipped rows can lie in the same fill as used rows, and skipped pixels in the same row. */
static bool skipped_elements(const struct tma_tensor_map *map, const struct tma_tile_shape *shape,
                             struct tma_advice *advice) {
    if (map->interleave != TMA_INTERLEAVE_NONE && map->kind == TMA_MAP_TILED)
        return cost(advice, TMA_FIELD_ELEMENT_STRIDES, 0, shape->rows * shape->row_bytes,
                    shape->rows * shape->shared_row_bytes);
    double fill = fill_bytes(map->l2_promotion), pitch = (double)shape->row_pitch_bytes;
    return map->rank > 1 && cost(advice, TMA_FIELD_ELEMENT_STRIDES, 1,
                                 shape->rows * fetched_bytes(shape, fill, pitch * shape->row_step),
                                 shape->rows * fetched_bytes(shape, fill, pitch));
}

static bool ignored_stride(const struct tma_tensor_map *map, const struct tma_tile_shape *shape,
                           struct tma_advice *advice) {
    (void)shape;
    return note(advice, TMA_FIELD_ELEMENT_STRIDES, 0,
                map->interleave == TMA_INTERLEAVE_NONE && map->element_strides[0] != 1);
}

static bool unfilled_span(const struct tma_tensor_map *map, const struct tma_tile_shape *shape,
                          struct tma_advice *advice) {
    double span = tma_swizzle_info(map->swizzle)->span_bytes;
    return map->interleave == TMA_INTERLEAVE_NONE && span > 0 &&
           cost(advice, tma_inner_field(map), 0, shape->rows * span,
                shape->rows * shape->shared_row_bytes);
}

/* Names the dimension with the largest ratio. */
static bool beyond_tensor(const struct tma_tensor_map *map, const struct tma_tile_shape *shape,
                          struct tma_advice *advice) {
    double worst = 1;
    for (size_t d = 0; d < tma_field_count(map, TMA_FIELD_BOX_DIM); d++) {
        double times = (double)map->box_dim[d] / (double)map->global_dim[d];
        double bytes = shape->rows * shape->shared_row_bytes;
        bool slices = map->interleave != TMA_INTERLEAVE_NONE && (d == 0 || d + 2 == map->rank);
        if (slices || times <= worst)
            continue;
        worst = times;
        cost(advice, TMA_FIELD_BOX_DIM, d, bytes, bytes / times);
    }
    return worst >= WORTH_A_LINE;
}

/* A store ends at a multiple of 16 bytes of the row, not at its last element (records store.tsv).
 */
static bool store_past_row(const struct tma_tensor_map *map, const struct tma_tile_shape *shape,
                           struct tma_advice *advice) {
    bool clips = map->interleave == TMA_INTERLEAVE_NONE &&
                 tma_type_info(map->data_type)->type_class != TMA_CLASS_SUB_BYTE;
    uint64_t rest = tma_global_bytes(map->data_type, map->global_dim[0]) % GRAIN_BYTES;
    advice->overwritten = rest == 0 ? 0 : (uint32_t)(GRAIN_BYTES - rest);
    return note(advice, TMA_FIELD_GLOBAL_DIM, 0, clips && rest != 0 && shape->stores);
}

static bool null_address(const struct tma_tensor_map *map, const struct tma_tile_shape *shape,
                         struct tma_advice *advice) {
    (void)shape;
    return note(advice, TMA_FIELD_GLOBAL_ADDRESS, 0, map->global_address == 0);
}

static bool counts_nothing(const struct tma_tensor_map *map, const struct tma_tile_shape *shape,
                           struct tma_advice *advice) {
    (void)shape;
    for (size_t d = 0; d < tma_field_count(map, TMA_FIELD_BOX_DIM); d++)
        if (map->box_dim[d] < map->element_strides[d])
            return note(advice, TMA_FIELD_BOX_DIM, d, true);
    return false;
}

static bool interleave_swizzle(const struct tma_tensor_map *map, const struct tma_tile_shape *shape,
                               struct tma_advice *advice) {
    (void)shape;
    return note(advice, TMA_FIELD_SWIZZLE, 0,
                map->interleave == TMA_INTERLEAVE_32B && map->swizzle != TMA_SWIZZLE_32B);
}

static bool wide_kind(const struct tma_tensor_map *map, const struct tma_tile_shape *shape,
                      struct tma_advice *advice) {
    (void)shape;
    return note(advice, TMA_FIELD_KIND, 0, tma_is_wide(map->kind));
}

/* The stride of dimension i + 1 in bytes, and the bytes that the dimensions inside it take. */
static uint64_t inner_extent(const struct tma_tensor_map *map, size_t i) {
    uint64_t bytes = map->interleave == TMA_INTERLEAVE_NONE
                         ? tma_global_bytes(map->data_type, map->global_dim[0])
                         : map->global_dim[0] * slice_bytes(map);
    for (size_t d = 0; d < i; d++) {
        uint64_t last = 0;
        if (__builtin_mul_overflow(map->global_dim[d + 1] - 1, map->global_strides[d], &last))
            return UINT64_MAX;
        bytes = last + bytes < bytes ? UINT64_MAX : last + bytes;
    }
    return bytes;
}

/* Dimensions may be permuted: a stride that is smaller than an inner one is compared with the
 * innermost row only. */
static bool is_overlapping(const struct tma_tensor_map *map, size_t i) {
    uint64_t stride = map->global_strides[i];
    bool permuted = i > 0 && stride < map->global_strides[i - 1];
    return map->global_dim[i + 1] > 1 && stride > 0 && stride < inner_extent(map, permuted ? 0 : i);
}

static bool overlapping_rows(const struct tma_tensor_map *map, const struct tma_tile_shape *shape,
                             struct tma_advice *advice) {
    (void)shape;
    for (size_t i = 0; i < tma_field_count(map, TMA_FIELD_GLOBAL_STRIDES); i++)
        if (is_overlapping(map, i))
            return note(advice, TMA_FIELD_GLOBAL_STRIDES, i, true);
    return false;
}

static bool broadcast_stride(const struct tma_tensor_map *map, const struct tma_tile_shape *shape,
                             struct tma_advice *advice) {
    (void)shape;
    for (size_t i = 0; i < tma_field_count(map, TMA_FIELD_GLOBAL_STRIDES); i++)
        if (map->global_strides[i] == 0 && map->global_dim[i + 1] > 1)
            return note(advice, TMA_FIELD_GLOBAL_STRIDES, i, true);
    return false;
}

const struct tma_advice_rule tma_advice_rules[] = {
    {"short_rows", "rows are shorter than a line of 128 bytes, and each row takes a cycle",
     "cycles", "make the inner box 128 bytes, or fold a dimension into the innermost one", NULL,
     short_rows},
    {"split_rows", "rows do not start at line boundaries, and touch one more line", "L2 requests",
     "align the address and the strides to 128 bytes", NULL, split_rows},
    {"over_fetch", "L2 fills more bytes than boxes read of a row",
     "bytes of DRAM traffic for a box", "use a promotion no longer than a row",
     "the next boxes use the rest soon", over_fetch},
    {"partial_fill", "rows are not whole fills of 64 bytes", "bytes of DRAM traffic for a box",
     "make the inner box a multiple of 64 bytes", "the next boxes use the rest soon", partial_fill},
    {"skipped_elements", "the element stride skips data that L2 fetches anyway",
     "bytes of DRAM traffic", "load everything once, or store the tensor de-interleaved", NULL,
     skipped_elements},
    {"ignored_stride", "without interleave the element stride of dimension 0 has no effect", "",
     "use 1", NULL, ignored_stride},
    {"unfilled_span", "swizzled rows lie at the pitch of the span, and do not fill it",
     "bytes of shared memory", "use a shorter swizzle, or a longer row", NULL, unfilled_span},
    {"beyond_tensor", "the box is larger than the tensor: the rest is filled, at the same rate",
     "bytes of shared memory", "use a box no larger than the tensor", NULL, beyond_tensor},
    {"counts_nothing",
     "the box is smaller than its element stride: the driver computes a box of 0 bytes", "",
     "make box_dim a multiple of the element stride; compute the transaction's bytes yourself",
     NULL, counts_nothing},
    {"store_past_row",
     "a store writes whole groups of 16 bytes, and the size of a row is no multiple of that: a "
     "store that comes to the end of a row also writes what lies behind it",
     "", "make the row a multiple of 16 bytes, or see to it that only padding lies behind it", NULL,
     store_past_row},
    {"null_address",
     "the address is 0: driver 580 accepts that, older drivers are reported to refuse it "
     "(CUDA_ERROR_INVALID_VALUE), and each access faults",
     "", "encode the map once the tensor is there, or leave it out", NULL, null_address},
    {"interleave_swizzle",
     "interleave 32b goes with swizzle 32b, says the driver's document; the "
     "driver takes others",
     "", "use swizzle 32b", NULL, interleave_swizzle},
    {"wide_kind",
     "the driver encodes the map, but this architecture has no operation that uses it: im2col::w "
     "needs sm_100, sm_103 or sm_120, im2col::w::128 sm_100 or sm_103",
     "", "use im2col", NULL, wide_kind},
    {"overlapping_rows",
     "a stride is smaller than the dimensions inside it: elements overlap. The driver's page does "
     "not allow it, an H200's driver does; stores to such a tensor race",
     "",
     "strides count bytes, not elements: use at least the inner dimensions' extent, unless "
     "windows shall overlap",
     NULL, overlapping_rows},
    {"broadcast_stride",
     "a stride of 0 makes every index of the dimension the same data, a broadcast. The driver's "
     "page does not allow it, an H200's driver does; stores to such a tensor race",
     "", "keep it for loads of broadcast data", NULL, broadcast_stride},
};

const size_t tma_advice_rule_count = sizeof tma_advice_rules / sizeof tma_advice_rules[0];

/* Adds what is known of the kernel to the shape of a box. */
static void add_use(struct tma_tile_shape *shape, const struct tma_map_use *use) {
    bool known = use != NULL && (use->row_bytes > 0 || !use->loads);
    shape->alone = !known;
    shape->loads = !known || use->loads;
    shape->stores = use == NULL || use->stores;
    if (use != NULL && use->gathers) { /* the rows may lie anywhere */
        shape->rows = 4;
        shape->row_pitch_bytes = 0;
    }
    shape->together_bytes = shape->row_bytes;
    if (known && use->row_bytes > shape->row_bytes)
        shape->together_bytes = (double)use->row_bytes;
}

size_t tma_tensor_map_advise(const struct tma_tensor_map *map, enum tma_architecture architecture,
                             const struct tma_map_use *use, struct tma_advice *advice,
                             size_t capacity) {
    if (tma_tensor_map_check(map, architecture, NULL, 0) > 0)
        return 0;
    struct tma_tile_shape shape = shape_of(map);
    add_use(&shape, use);
    size_t count = 0;
    for (size_t i = 0; i < tma_advice_rule_count; i++) {
        struct tma_advice item = {.rule = &tma_advice_rules[i]};
        if (item.rule->applies == wide_kind && tma_map_kind_is_usable(map->kind, architecture))
            continue;
        if (!item.rule->applies(map, &shape, &item))
            continue;
        if (count < capacity)
            advice[count] = item;
        count++;
    }
    return count;
}

void tma_advice_text(const struct tma_advice *advice, char *text, size_t size) {
    char index[16] = "", estimate[160] = "", over_fetch[48] = "";
    const char *alone = advice->alone ? " alone" : "";
    const char *unless = advice->alone ? advice->rule->unless : NULL;
    if (advice->index >= 0)
        snprintf(index, sizeof index, "[%d]", advice->index);
    if (advice->rule->unit[0] != '\0')
        snprintf(estimate, sizeof estimate, "; about %.0f %s%s instead of %.0f: %.1f times",
                 advice->cost, advice->rule->unit, alone, advice->ideal,
                 advice->cost / advice->ideal);
    if (advice->over_fetch > 0)
        snprintf(over_fetch, sizeof over_fetch, ", an over-fetch of %.1f %%",
                 100 * advice->over_fetch);
    if (advice->overwritten > 0)
        snprintf(estimate, sizeof estimate, "; %" PRIu32 " bytes behind each row",
                 advice->overwritten);
    snprintf(text, size, "%s%s: %s (%s)%s%s; %s%s%s", tma_field_info(advice->field)->name, index,
             advice->rule->what, advice->rule->id, estimate, over_fetch, advice->rule->fix,
             unless != NULL ? ", unless " : "", unless != NULL ? unless : "");
}
