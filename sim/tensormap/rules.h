/* The rules of tensor maps: reasons for which the driver returns CUDA_ERROR_INVALID_VALUE.
 *
 * One constant table (tma_rules) holds every rule with its condition, its reason, its source and a
 * fix. The check reports every broken rule, not only the first. The rules are those of the CUDA
 * driver API, "Tensor Map Object Management", and of PTX ISA 5.5. Where the records of a real H200
 * (tests/hardware/h200/encode.tsv) differ from the documents, the records decide. */
#pragma once

#include "base/api.h"
#include "tensormap/architectures.h"
#include "tensormap/fields.h"

TMA_API_BEGIN

/* What a rule rests on. */
enum tma_basis {
    TMA_BASIS_RECORDS,   /* the documents say so, and records of an H200 confirm it */
    TMA_BASIS_DOCUMENTS, /* the documents say so; no record exists */
    TMA_BASIS_MEASURED,  /* records of an H200 show it; the documents do not say it */
    TMA_BASIS_READING    /* an interpretation of the documents */
};

extern const struct tma_names tma_basis_names; /* records, documents, measured, reading */

struct tma_rule_context;

struct tma_rule {
    const char *id;         /* "stride_alignment" */
    unsigned kinds;         /* bits 1 << enum tma_map_kind */
    unsigned architectures; /* bits of enum tma_architecture */
    const char *condition;  /* what must hold */
    const char *why;
    const char *source;   /* the document and its parameter, or the records that show it */
    enum tma_basis basis; /* on the oldest of its architectures */
    const char *fix;
    void (*check)(struct tma_rule_context *context); /* internal to this folder */
};

extern const struct tma_rule tma_rules[];
extern const size_t tma_rule_count;

/* NULL if no rule has this id. */
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
    int index; /* of the list's element; -1: the field is a single value */
    int64_t value;
    enum tma_relation relation;
    int64_t bound;
    int64_t nearest; /* the nearest value of this field that all rules on it accept */
};

enum { TMA_MAX_VIOLATIONS = 64 }; /* at least the violations of any map */

/* Checks the map by the rules of one architecture. Writes the first `capacity` violations in the
 * order of the table, and returns how many there are; 0: the driver accepts the map. A rule reports
 * nothing while a field that it is computed from is illegal, for example a size in bytes while the
 * data type is unknown. */
size_t tma_tensor_map_check(const struct tma_tensor_map *map, enum tma_architecture architecture,
                            struct tma_violation *violations, size_t capacity);

/* Does the architecture have an operation on maps of this kind? The driver of an sm_90 encodes
 * im2col wide maps, although no operation of an sm_90 can use them. */
bool tma_map_kind_is_usable(enum tma_map_kind kind, enum tma_architecture architecture);

/* Writes one sentence: "global_strides[1] is 1000 bytes and must be a multiple of 16
 * (stride_alignment:
 * ...); nearest legal value: 1008". Cut to size - 1 characters. */
void tma_violation_text(const struct tma_violation *violation, char *text, size_t size);

/* The same, with the values of enumerations in a style. */
void tma_violation_text_in(const struct tma_violation *violation, enum tma_name_style style,
                           char *text, size_t size);

/* Sets the field of each violation to its nearest legal value, and repeats until the map is legal:
 * repairing a data type can uncover an illegal size. Returns the number of rounds, 0 for a legal
 * map; -1 if the map did not become legal. */
int tma_tensor_map_repair(struct tma_tensor_map *map, enum tma_architecture architecture);

TMA_API_END
