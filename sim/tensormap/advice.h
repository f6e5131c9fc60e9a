/* Advice: properties of a legal tensor map that are costly or surprising, with the estimated cost.
 *
 * The estimates are for one box (or column) inside the tensor; traffic of DRAM also for all boxes
 * of a kernel together, where the caller knows them. They use these measurements of an
 * H200: in each cycle the TMA unit requests one row of the box from L2, or one 128-byte line of a
 * longer row; 106 bytes per cycle return to one SM; L2 fills from DRAM in units of the promotion's
 * size; swizzled rows lie at the pitch of the swizzle's span. */
#pragma once

#include "base/api.h"
#include "tensormap/rules.h"

TMA_API_BEGIN

struct tma_tile_shape;
struct tma_advice;

struct tma_advice_rule {
    const char *id;   /* "short_rows" */
    const char *what; /* the property of the map */
    const char *unit; /* of the cost: "cycles", "bytes of DRAM traffic"; "" if there is no cost */
    const char *fix;
    const char *unless; /* when the fix is not necessary, for one box alone; or NULL */
    /* Internal to this folder. True if the advice applies; then it has set the advice's field,
     * index and cost. */
    bool (*applies)(const struct tma_tensor_map *map, const struct tma_tile_shape *shape,
                    struct tma_advice *advice);
};

extern const struct tma_advice_rule tma_advice_rules[];
extern const size_t tma_advice_rule_count;

struct tma_advice {
    const struct tma_advice_rule *rule;
    enum tma_field field; /* the field to change */
    int index;            /* of the list's element; -1: the field is a single value */
    double cost;          /* of this map, in the rule's unit; 0 without a unit */
    double ideal;         /* the cost after the fix, in the rule's unit; 0 without a unit */
    bool alone;           /* the cost is that of one box alone: other boxes may use the rest */
    uint32_t overwritten; /* bytes behind each row that a store writes; or 0 */
    double over_fetch;    /* fraction of the sectors that DRAM brings and nothing uses; or 0 */
};

/* What a kernel reads by a map. */
struct tma_map_use {
    bool loads; /* it loads or prefetches */
    /* All boxes together read the rows of the tensor in pieces of so many bytes, at least a box's;
     * 0: not known. */
    uint64_t row_bytes;
    bool stores;  /* it stores or reduces */
    bool gathers; /* all its operations are gather4 or scatter4, which take four rows each */
};

enum { TMA_MAX_ADVICE = 16 };

/* Writes the first `capacity` pieces of advice for a map, and returns how many there are. A map
 * that tma_tensor_map_check rejects gets none. `use` is NULL where the kernel is not known. */
size_t tma_tensor_map_advise(const struct tma_tensor_map *map, enum tma_architecture architecture,
                             const struct tma_map_use *use, struct tma_advice *advice,
                             size_t capacity);

/* Writes one sentence: "box_dim[0]: rows are shorter than ... (short_rows); about 64 cycles instead
 * of 10: 6.6 times; ...". Cut to size - 1 characters. */
void tma_advice_text(const struct tma_advice *advice, char *text, size_t size);

TMA_API_END
