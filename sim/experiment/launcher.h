/* Launches of a subject, with reliefs and without: in this process, or in several. Internal to
 * sim/experiment. */
#ifndef TMA_EXPERIMENT_LAUNCHER_H
#define TMA_EXPERIMENT_LAUNCHER_H

#include "experiment/experiment.h"

/* One launch: of the subject as it is, or with a variant of a relief. */
struct tma_launch_order {
    const struct tma_relief *relief; /* NULL: as it is */
    uint32_t variant;
    uint32_t seed;
};

struct tma_launch_outcome {
    struct tma_error error; /* code TMA_OK: the launch went well */
    uint64_t cycles;        /* that the whole work would take */
};

struct tma_launcher;

/* Creates a launcher. `before` is the subject's own result, which reliefs look at. Both are
 * borrowed. Returns NULL when out of memory. */
struct tma_launcher *tma_launcher_create(const struct tma_experiment_subject *subject,
                                         const struct tma_result *before);

/* Runs the launches and writes their outcomes, by order. A launch whose relief moves other bytes
 * than its part of the work fails with TMA_ERROR_UNSUPPORTED. Fails itself with TMA_ERROR_MEMORY
 * or TMA_ERROR_FILE, also where a launch does. */
enum tma_error_code tma_launcher_run(struct tma_launcher *launcher,
                                     const struct tma_launch_order *orders, size_t count,
                                     struct tma_launch_outcome *outcomes, struct tma_error *error);

/* NULL is allowed. */
void tma_launcher_free(struct tma_launcher *launcher);

/* Makes the subject with a variant of a relief, which may be NULL. The caller releases the
 * workload. False when out of memory. */
bool tma_relieved_copy(const struct tma_experiment_subject *subject,
                       const struct tma_result *before, uint32_t variant,
                       struct tma_relieved *relieved);

#endif
