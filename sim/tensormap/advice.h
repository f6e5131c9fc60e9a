/* What is legal in a tensor map, but costly: each with an estimate of the cost.
 *
 * The estimates are for one box (or column) inside the tensor, and use what was measured on an
 * H200: the TMA unit asks L2 for one row of the box, or one 128-byte line of a longer row, a cycle;
 * data come back at 106 bytes a cycle to one SM; L2 fills from DRAM by the promotion's size;
 * swizzled rows lie at the pitch of the span. */
#ifndef TMA_TENSORMAP_ADVICE_H
#define TMA_TENSORMAP_ADVICE_H

#include "base/api.h"
#include "tensormap/rules.h"

TMA_API_BEGIN

struct tma_tile_shape;
struct tma_advice;

struct tma_advice_rule {
    const char *id;   /* "short_rows" */
    const char *what; /* what is so in this map */
    const char *unit; /* of the cost: "cycles", "bytes of DRAM traffic"; "" where there is none */
    const char *fix;
    /* Of the folder alone: does it apply? Fills the advice's field, index and cost if so. */
    bool (*applies)(const struct tma_tensor_map *map, const struct tma_tile_shape *shape,
                    struct tma_advice *advice);
};

extern const struct tma_advice_rule tma_advice_rules[];
extern const size_t tma_advice_rule_count;

struct tma_advice {
    const struct tma_advice_rule *rule;
    enum tma_field field; /* the one to change */
    int index;            /* of the list's element; -1 where the field is a single value */
    double cost, ideal;   /* in the rule's unit: as it is, and as it could be; 0 without a unit */
};

enum { TMA_MAX_ADVICE = 16 };

/* Gives how many pieces of advice there are for a legal map, and writes the first `capacity`. None
 * for a map that tma_tensor_map_check rejects. */
size_t tma_tensor_map_advise(const struct tma_tensor_map *map, enum tma_architecture architecture,
                             struct tma_advice *advice, size_t capacity);

/* One sentence: "box_dim[0]: rows are shorter than ... (short_rows); about 64 cycles instead of 10:
 * 6.6 times; ...". Cut to size - 1 characters. */
void tma_advice_text(const struct tma_advice *advice, char *text, size_t size);

TMA_API_END

#endif
