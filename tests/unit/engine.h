/* What tests of the engine that simulate have in common. */
#ifndef TMA_TESTS_ENGINE_H
#define TMA_TESTS_ENGINE_H

#include "engine/module.h"

/* Loads SimGrid once for all tests of a program. Check runs each test in a process of its own,
 * which would load it again. A module that is missing fails the first run. */
static inline void load_engine(void) {
    const struct tma_engine_module *module;
    tma_module_load(&module, NULL);
}

#endif
