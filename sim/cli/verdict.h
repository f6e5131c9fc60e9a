/* What the rules say of one tensor map, for people and as JSON. */
#ifndef TMA_CLI_VERDICT_H
#define TMA_CLI_VERDICT_H

#include "report/json_writer.h"
#include "scenario/map_file.h"
#include "tensormap/advice.h"

struct cli_verdict {
    enum tma_architecture architecture;
    enum tma_name_style names; /* how enumerations are written */
    bool usable;               /* the architecture has an operation on maps of this kind */
    struct tma_violation violations[TMA_MAX_VIOLATIONS];
    size_t violation_count; /* 0: legal */
    struct tma_advice advice[TMA_MAX_ADVICE];
    size_t advice_count; /* of a legal map */
};

void cli_judge(const struct tma_tensor_map *map, enum tma_architecture architecture,
               enum tma_name_style names, struct cli_verdict *verdict);

/* "legal on sm_90", or what is broken, each with its reason and what would fix it; then what is
 * costly. `file` says where the map's values stand; NULL where it comes from no file. */
void cli_verdict_text(const struct cli_verdict *verdict, const struct tma_map_file *file,
                      uint32_t map, FILE *out);

/* The keys legal, usable, violations and advice, in an object that the caller has begun. */
void cli_verdict_json(const struct cli_verdict *verdict, const struct tma_map_file *file,
                      uint32_t map, struct tma_json *json);

#endif
