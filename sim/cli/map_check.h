/* The rules that one tensor map breaks and the advice for it, and the checks of all maps of an
 * input, as text and as JSON. */
#pragma once

#include "cli/files/map_input.h"
#include "report/json_writer.h"
#include "scenario/map_file.h"
#include "tensormap/advice.h"

struct cli_map_check {
    const struct tma_tensor_map *map; /* borrowed */
    enum tma_architecture architecture;
    enum tma_name_style names; /* how enumerations are written */
    bool usable;               /* the architecture has an operation on maps of this kind */
    bool has_unsupported;      /* an operation of the scenario on this map is not supported */
    struct tma_location unsupported_at;
    struct tma_error unsupported; /* what the architecture lacks, and the source */
    struct tma_violation violations[TMA_MAX_VIOLATIONS];
    size_t violation_count; /* 0: the map is legal */
    struct tma_advice advice[TMA_MAX_ADVICE];
    size_t advice_count; /* only a legal map has advice */
    const char *phase;   /* of a tile that begins within its swizzle's pattern; or NULL */
};

/* Checks the map against the rules of the architecture. `use` is NULL where no kernel is known. */
void cli_map_check_rules(const struct tma_tensor_map *map, enum tma_architecture architecture,
                         enum tma_name_style names, const struct tma_map_use *use,
                         struct cli_map_check *check);

/* Writes "legal on sm_90" or "illegal on sm_90", then each violation with its reason, its fix and
 * its source, then the advice. `file` gives the line of each value of map number `map`; NULL where
 * the map does not come from a file. */
void cli_map_check_text(const struct cli_map_check *check, const struct tma_map_file *file,
                        uint32_t map, FILE *out);

/* Writes the keys legal, usable, unsupported (if an operation is), violations and advice into an
 * object that the caller has begun. */
void cli_map_check_json(const struct cli_map_check *check, const struct tma_map_file *file,
                        uint32_t map, struct tma_json *json);

/* Checks a map, and the operations on it, for the architecture and with the names that the options
 * ask for. Returns true where the map is legal and all can be done. */
bool cli_map_checks_one(const struct cli_options *options, const struct cli_map_input *input,
                        uint32_t map, struct cli_map_check *check);

/* Writes what is wrong with each map. Return true where nothing is. The JSON is the keys
 * architecture and tensor_maps of an object that the caller has begun. */
bool cli_map_checks_text(const struct cli_options *options, const struct cli_map_input *input,
                         FILE *out);
bool cli_map_checks_json(const struct cli_options *options, const struct cli_map_input *input,
                         struct tma_json *json);
