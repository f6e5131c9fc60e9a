/* The rules of a tensor map: why the driver answers CUDA_ERROR_INVALID_VALUE.
 *
 * One constant table (tma_rules) holds every rule with its condition, its reason, where that comes
 * from and what fixes it. The check names every broken rule, not the first. The rules are those of
 * the CUDA driver API, "Tensor Map Object Management", and of PTX ISA 5.5; where the records of a
 * real H200 (tests/hardware/h200/encode.tsv) show more, or otherwise, the records win. */
#ifndef TMA_TENSORMAP_RULES_H
#define TMA_TENSORMAP_RULES_H

#include "base/api.h"
#include "tensormap/fields.h"

TMA_API_BEGIN

/* Architectures, as bits: a rule holds on a set of them. */
enum tma_architecture { TMA_SM_90 = 1, TMA_SM_100 = 2 };

extern const struct tma_names tma_architecture_names; /* sm_90, sm_100 */

struct tma_rule_context;

struct tma_rule {
    const char *id;         /* "stride_alignment" */
    unsigned kinds;         /* bits 1 << enum tma_map_kind */
    unsigned architectures; /* bits of enum tma_architecture */
    const char *condition;  /* what must hold */
    const char *why;
    const char *source; /* the document and its parameter, or the records that show it */
    const char *fix;
    void (*examine)(struct tma_rule_context *context); /* of the folder alone */
};

extern const struct tma_rule tma_rules[];
extern const size_t tma_rule_count;

/* NULL where no rule has this id. */
const struct tma_rule *tma_rule_by_id(const char *id);

/* How a value must relate to the bound. */
enum tma_relation {
    TMA_AT_LEAST,
    TMA_AT_MOST,
    TMA_MULTIPLE_OF,
    TMA_EXACTLY,
    TMA_ONE_OF /* the bound is a bit set of an enumeration's values */
};

struct tma_violation {
    const struct tma_rule *rule;
    enum tma_field field;
    int index; /* of the list's element; -1 where the field is a single value */
    int64_t value;
    enum tma_relation relation;
    int64_t bound;
    int64_t nearest; /* the nearest value of this field that every rule on it accepts */
};

enum { TMA_MAX_VIOLATIONS = 64 }; /* no map breaks more rules, and fields of a rule, than this */

/* Gives how many violations there are, and writes the first `capacity` of them, in the order of the
 * table. 0: the architecture's driver takes the map. A rule is silent while what it is computed
 * from is itself out of range: sizes in bytes while the data type is unknown, for example. */
size_t tma_tensor_map_check(const struct tma_tensor_map *map, enum tma_architecture architecture,
                            struct tma_violation *violations, size_t capacity);

/* One sentence: "global_strides[1] is 1000 bytes and must be a multiple of 16 (stride_alignment:
 * ...); nearest legal value: 1008". Cut to size - 1 characters. */
void tma_violation_text(const struct tma_violation *violation, char *text, size_t size);

/* Sets what each violation names to its nearest legal value, and checks again until nothing is
 * broken: a repaired data type can uncover a broken size. Gives the number of rounds (0: the map
 * was legal), after which the map is legal; -1 where that took too many. */
int tma_tensor_map_repair(struct tma_tensor_map *map, enum tma_architecture architecture);

TMA_API_END

#endif
