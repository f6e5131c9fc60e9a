#include "report/swizzle_comparison.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "report/decimal.h"

static struct tma_compared_mode *new_mode(struct tma_swizzle_comparison *comparison,
                                          enum tma_swizzle swizzle) {
    assert(comparison->mode_count < TMA_MAX_COMPARED_MODES);
    struct tma_compared_mode *mode = &comparison->modes[comparison->mode_count++];
    *mode = (struct tma_compared_mode){.swizzle = swizzle};
    return mode;
}

void tma_compare_add_illegal(struct tma_swizzle_comparison *comparison, enum tma_swizzle swizzle,
                             const char *reason) {
    struct tma_compared_mode *mode = new_mode(comparison, swizzle);
    snprintf(mode->reason, sizeof mode->reason, "%s", reason);
}

void tma_compare_add_legal(struct tma_swizzle_comparison *comparison, enum tma_swizzle swizzle,
                           const struct tma_workload *workload, const struct tma_result *result) {
    struct tma_compared_mode *mode = new_mode(comparison, swizzle);
    mode->legal = true;
    mode->cycles = result->cycles;
    if (result->cycles > 0) {
        const struct tma_counters *counters = &result->counters;
        mode->bytes_per_cycle =
            (double)(counters->bytes + counters->stored_bytes + counters->reduced_bytes) /
            (double)result->cycles;
        mode->bytes_per_cycle_per_sm = tma_ratio(mode->bytes_per_cycle, result->sms);
    }
    for (uint32_t i = 0; i < workload->consumer_count; i++) {
        const struct tma_consumer_total *total = &result->consumers[i];
        mode->wavefronts += total->wavefronts;
        mode->ideal_wavefronts += total->ideal_wavefronts;
        mode->banks_used |= total->tile.banks_used;
        if (total->tile.worst.ways > mode->ways)
            mode->ways = total->tile.worst.ways;
        mode->passes[i] = total->tile;
        tma_workload_tile(workload, 0, workload->consumers[i].operation, &mode->tiles[i], NULL);
    }
}

/* --- Padding --- */

/* The bank of an address repeats every 128 bytes, so longer gaps give nothing new. */
enum { MAX_GAP_BYTES = 128 };

/* A gap is a multiple of this many bytes, so that every consumer access stays aligned. */
static uint32_t gap_unit(const struct tma_workload *workload, uint32_t operation) {
    uint32_t unit = TMA_BANK_BYTES;
    for (uint32_t i = 0; i < workload->consumer_count; i++) {
        const struct tma_consumer *consumer = &workload->consumers[i];
        uint32_t bytes = tma_shared_instruction_info(consumer->instruction)->lane_bytes;
        if (consumer->operation == operation && bytes > unit)
            unit = bytes;
    }
    return unit;
}

/* Measures all consumers of the padded tile. Returns the wavefronts of one stage. Where a consumer
 * does not fit the tile, sets the reason and returns UINT64_MAX. */
static uint64_t measure_padding(const struct tma_workload *workload,
                                struct tma_compared_padding *padding) {
    uint64_t wavefronts = 0;
    for (uint32_t i = 0; i < workload->consumer_count; i++) {
        const struct tma_consumer *consumer = &workload->consumers[i];
        struct tma_error error;
        if (consumer->operation != padding->operation)
            continue;
        if (tma_consumer_check(consumer, &padding->tile, &error) != TMA_OK) {
            memcpy(padding->reason, error.text, sizeof padding->reason);
            return UINT64_MAX;
        }
        padding->passes[i] = tma_consumer_measure(consumer, &padding->tile);
        wavefronts += padding->passes[i].wavefronts * consumer->repeat;
    }
    padding->possible = true;
    return wavefronts;
}

static struct tma_compared_padding best_padding(const struct tma_workload *workload,
                                                uint32_t operation) {
    struct tma_compared_padding best = {.operation = operation};
    uint64_t fewest = UINT64_MAX;
    struct tma_tile tile;
    tma_workload_tile(workload, 0, operation, &tile, NULL);
    tile.swizzle = TMA_SWIZZLE_NONE;
    uint32_t unit = gap_unit(workload, operation);
    for (uint32_t gap = unit; gap < MAX_GAP_BYTES; gap += unit) {
        struct tma_compared_padding padding = {.operation = operation, .tile = tile};
        padding.tile.pitch_bytes = tile.row_bytes + gap;
        uint64_t wavefronts = measure_padding(workload, &padding);
        padding.extra_bytes = padding.possible ? gap * tile.rows : 0;
        if (wavefronts < fewest || gap == unit)
            best = padding;
        fewest = wavefronts < fewest ? wavefronts : fewest;
    }
    return best;
}

static void pad_tiles(struct tma_swizzle_comparison *comparison) {
    const struct tma_workload *workload = comparison->workload;
    comparison->padding_count = 0;
    for (uint32_t operation = 0; operation < workload->operation_count; operation++) {
        bool consumed = false;
        for (uint32_t i = 0; i < workload->consumer_count; i++)
            consumed = consumed || workload->consumers[i].operation == operation;
        if (consumed)
            comparison->padding[comparison->padding_count++] = best_padding(workload, operation);
    }
}

/* --- The best mode --- */

static bool is_better(const struct tma_compared_mode *a, const struct tma_compared_mode *b) {
    if (a->wavefronts != b->wavefronts)
        return a->wavefronts < b->wavefronts;
    return a->cycles < b->cycles;
}

static uint64_t excess(const struct tma_compared_mode *mode) {
    return mode->wavefronts - mode->ideal_wavefronts;
}

static const struct tma_compared_mode *
worst_legal(const struct tma_swizzle_comparison *comparison) {
    const struct tma_compared_mode *worst = comparison->best;
    for (size_t i = 0; i < comparison->mode_count; i++)
        if (comparison->modes[i].legal && is_better(worst, &comparison->modes[i]))
            worst = &comparison->modes[i];
    return worst;
}

static const char *swizzle_name(const struct tma_compared_mode *mode) {
    return tma_name_of(&tma_swizzle_names, (int)mode->swizzle);
}

/* Describes the worst conflict of a mode. */
struct conflict_text {
    char text[100];
};

static struct conflict_text describe_conflict(const struct tma_swizzle_comparison *comparison,
                                              const struct tma_compared_mode *mode) {
    const struct tma_workload *workload = comparison->workload;
    struct conflict_text conflict;
    uint32_t worst = 0;
    for (uint32_t i = 1; i < workload->consumer_count; i++)
        if (mode->passes[i].worst.ways > mode->passes[worst].worst.ways)
            worst = i;
    snprintf(conflict.text, sizeof conflict.text,
             "%s of consumer %" PRIu32 " has %" PRIu32 "-way conflicts",
             tma_shared_instruction_info(workload->consumers[worst].instruction)->name, worst,
             mode->passes[worst].worst.ways);
    return conflict;
}

/* Excess wavefronts of one pass of every consumer over padded tiles; UINT64_MAX where a tile cannot
 * be padded. */
static uint64_t padded_excess(const struct tma_swizzle_comparison *comparison) {
    uint64_t sum = 0;
    for (size_t i = 0; i < comparison->padding_count; i++) {
        const struct tma_compared_padding *padding = &comparison->padding[i];
        if (!padding->possible)
            return UINT64_MAX;
        for (uint32_t consumer = 0; consumer < TMA_MAX_CONSUMERS; consumer++)
            sum +=
                padding->passes[consumer].wavefronts - padding->passes[consumer].ideal_wavefronts;
    }
    return sum;
}

/* Adds the effect of padding where the best mode has conflicts and padding has none. */
static void recommend_padding(struct tma_swizzle_comparison *comparison) {
    char *text = comparison->recommendation;
    size_t length = strlen(text);
    uint32_t bytes = 0;
    if (excess(comparison->best) == 0 || padded_excess(comparison) != 0)
        return;
    for (size_t i = 0; i < comparison->padding_count; i++)
        bytes += comparison->padding[i].extra_bytes;
    snprintf(text + length, sizeof comparison->recommendation - length,
             "; padded rows would avoid all conflicts, for %" PRIu32
             " more bytes of shared memory per stage",
             bytes);
}

/* Says whether the launches of the best and of the worst mode differ in time. */
static void recommend_by_time(struct tma_swizzle_comparison *comparison,
                              const struct tma_compared_mode *worst) {
    const struct tma_launches *best = &comparison->best->draws, *other = &worst->draws;
    char *text = comparison->recommendation;
    size_t length = strlen(text), size = sizeof comparison->recommendation - length;
    if (best->count == 0 || worst == comparison->best)
        return;
    if (tma_launches_overlap(best, other))
        snprintf(text + length, size,
                 "; in time there is no difference: the cycles of %" PRIu32 " launches overlap",
                 best->count);
    else
        snprintf(text + length, size,
                 "; %" PRIu32 " launches take %" PRIu64 " to %" PRIu64 " cycles, and with swizzle "
                 "%s %" PRIu64 " to %" PRIu64,
                 best->count, best->least, best->most, swizzle_name(worst), other->least,
                 other->most);
}

static void recommend(struct tma_swizzle_comparison *comparison) {
    const struct tma_compared_mode *best = comparison->best;
    char *text = comparison->recommendation;
    size_t size = sizeof comparison->recommendation, legal = 0;
    if (best == NULL) {
        snprintf(text, size, "none: no mode is legal for every tensor map and consumer");
        return;
    }
    if (comparison->workload->consumer_count == 0) {
        snprintf(text, size, "use any legal mode: no consumer reads the tiles");
        return;
    }
    for (size_t i = 0; i < comparison->mode_count; i++)
        legal += comparison->modes[i].legal;
    const struct tma_compared_mode *worst = worst_legal(comparison);
    struct conflict_text best_conflict = describe_conflict(comparison, best);
    struct conflict_text worst_conflict = describe_conflict(comparison, worst);
    const char *best_name = swizzle_name(best), *worst_name = swizzle_name(worst);
    if (legal == 1)
        snprintf(text, size, "use %s: no other mode is legal, and %s", best_name,
                 excess(best) > 0 ? best_conflict.text : "no consumer has a bank conflict");
    else if (worst->wavefronts == best->wavefronts && excess(best) == 0)
        snprintf(text, size, "use any legal mode: no consumer has a bank conflict");
    else if (worst->wavefronts == best->wavefronts)
        snprintf(text, size,
                 "no mode is better than another: all take %" PRIu64
                 " excess wavefronts, because %s",
                 excess(best), best_conflict.text);
    else if (excess(best) == 0)
        snprintf(text, size,
                 "use %s: no consumer has a bank conflict, while with swizzle %s %s (%" PRIu64
                 " excess wavefronts)",
                 best_name, worst_name, worst_conflict.text, excess(worst));
    else
        snprintf(text, size,
                 "use %s: it has the fewest excess wavefronts, %" PRIu64 " (swizzle %s has %" PRIu64
                 "), but %s",
                 best_name, excess(best), worst_name, excess(worst), best_conflict.text);
    recommend_by_time(comparison, worst);
    recommend_padding(comparison);
}

void tma_compare_finish(struct tma_swizzle_comparison *comparison) {
    comparison->best = NULL;
    pad_tiles(comparison);
    for (size_t i = 0; i < comparison->mode_count; i++) {
        const struct tma_compared_mode *mode = &comparison->modes[i];
        if (mode->legal && (comparison->best == NULL || is_better(mode, comparison->best)))
            comparison->best = mode;
    }
    recommend(comparison);
}

size_t tma_compared_layouts(const struct tma_swizzle_comparison *comparison, uint32_t consumer,
                            struct tma_compared_layout layouts[TMA_MAX_COMPARED_MODES + 1]) {
    size_t count = 0;
    for (size_t i = 0; i < comparison->mode_count; i++) {
        const struct tma_compared_mode *mode = &comparison->modes[i];
        if (!mode->legal)
            continue;
        layouts[count] = (struct tma_compared_layout){
            .mode = mode, .tile = &mode->tiles[consumer], .pass = &mode->passes[consumer]};
        snprintf(layouts[count++].name, sizeof layouts->name, "%s",
                 tma_name_of(&tma_swizzle_names, (int)mode->swizzle));
    }
    for (size_t i = 0; comparison->show_padding && i < comparison->padding_count; i++) {
        const struct tma_compared_padding *padding = &comparison->padding[i];
        if (!padding->possible ||
            padding->operation != comparison->workload->consumers[consumer].operation)
            continue;
        layouts[count] = (struct tma_compared_layout){.tile = &padding->tile,
                                                      .pass = &padding->passes[consumer],
                                                      .extra_bytes = padding->extra_bytes};
        snprintf(layouts[count++].name, sizeof layouts->name, "none+%" PRIu32,
                 padding->tile.pitch_bytes - padding->tile.row_bytes);
    }
    return count;
}
