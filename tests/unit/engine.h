/* What tests of the engine that simulate have in common. */
#pragma once

#include "engine/module.h"

/* Loads SimGrid once for all tests of a program. Check runs each test in a process of its own,
 * which would load it again. A module that is missing fails the first run. */
static inline void load_engine(void) {
    const struct tma_engine_module *module;
    tma_module_load(&module, NULL);
}
