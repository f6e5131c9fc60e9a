/* Random kernels with roles, for tests that compare runs of each. */
#ifndef TMA_TESTS_RANDOM_KERNELS_H
#define TMA_TESTS_RANDOM_KERNELS_H

#include "random_operation.h"
#include "scenario/scenario.h"
#include "suite.h"

#define FUZZ_FAIL(text) ck_abort_msg("%s", text)
#include "../fuzz/random_kernel.h"

/* How many kernels to try: `usual`, or what KERNELS in the environment says for a soak. */
static inline int kernels_to_try(int usual) {
    const char *soak = getenv("KERNELS");
    return soak != NULL ? atoi(soak) : some_of(usual);
}

/* Where the random numbers begin: SEED in the environment says another place. */
static inline uint64_t first_random_state(uint64_t usual) {
    const char *seed = getenv("SEED");
    return seed == NULL ? usual : strtoull(seed, NULL, 0);
}

/* Draws the text of kernel number `number`: every fourth one is larger. */
static inline void draw_kernel_text(uint64_t *state, int number, struct yaml_text *yaml) {
    uint8_t bytes[512];
    for (size_t b = 0; b < sizeof bytes; b++)
        bytes[b] = (uint8_t)random_between(state, 0, 255);
    struct fuzz_input input = {bytes, sizeof bytes};
    draw_kernel(&input, number % 4 == 0 ? &usual_kernel : &small_kernel, yaml);
}

/* Reads the text of a scenario, which the caller frees also if it is refused. Then `refusal`,
 * unless it is NULL, gets the first reason. */
static inline bool read_scenario_text(const char *text, const char *name,
                                      const char *const *settings, size_t setting_count,
                                      struct tma_scenario *scenario,
                                      char refusal[TMA_ERROR_TEXT_BYTES]) {
    struct tma_diagnostics list = {0};
    bool good = tma_scenario_read_text(text, name, settings, setting_count, scenario, &list);
    if (!good && list.count > 0 && refusal != NULL)
        snprintf(refusal, TMA_ERROR_TEXT_BYTES, "%s", list.items[0].text);
    tma_diagnostics_free(&list);
    return good;
}

#endif
