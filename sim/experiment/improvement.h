/* How a relief makes parameters better. */
#pragma once

#include "experiment/relief.h"
#include "memory/machine_parameter.h"

/* Rounds to the nearest whole number. A latency or a rate that is at least 1 stays so. */
uint32_t tma_improve(uint32_t value, enum tma_improvement improvement);

/* How much better: bandwidths and rates become so many percent, and latencies so many of 10000. */
struct tma_improvement_factors {
    uint32_t more_percent, less_of_10000;
};

/* Improves the parameters of a part of the machine by other factors than a tenth. */
void tma_improve_part_by(struct tma_machine *machine, enum tma_relief_part part,
                         const struct tma_improvement_factors *factors);

/* The same words alone. */
const char *tma_improvement_words(enum tma_relief_part part);

/* Improves a part as a relief: writes the words to `relieved->change`. */
void tma_relieve_part(struct tma_relieved *relieved, enum tma_relief_part part);

/* Applies the variant that `relieved` says. False where it does not apply. */
bool tma_relief_apply(const struct tma_relief *relief, struct tma_relieved *relieved);

/* Applies a variant of L2 promotion, of which there are two, to all tensor maps. False where
 * nothing is another one, or nothing is fetched. */
enum { TMA_PROMOTION_VARIANTS = 2 };
bool tma_relieve_promotion(struct tma_relieved *relieved, struct tma_tensor_map *maps,
                           uint32_t count);

/* A row of a table of reliefs: key, name, and the other members by designators, some of which have
 * short forms. */
#define TMA_RELIEF(key_text, name_text, ...)                                                       \
    &(const struct tma_relief) {                                                                   \
        .key = key_text, .name = name_text, __VA_ARGS__                                            \
    }
/* A role waits for data, which deeper rings or another CTA can hide. */
#define TMA_WAITS_FOR_DATA .waits = 1u << TMA_ROLE_FULL | 1u << TMA_ROLE_LOADS
#define TMA_ADVICE(count)  .advice = true, .variants = count
#define TMA_PART(name)     .part = TMA_RELIEF_OF_##name
#define TMA_BUSY(name)     .busy = offsetof(struct tma_result, busy_##name)
#define TMA_USED(counter)  .used = offsetof(struct tma_result, counters.counter)
