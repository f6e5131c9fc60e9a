/* Finds and loads libtmasim-engine.so, which has SimGrid (engine_module.h). */
#pragma once

#include "engine/engine_module.h"

/* Gives the module, loaded at the first call and then kept until the process ends. Searches
 *   1. $TMASIM_ENGINE, the path of the module; if it is set, nowhere else;
 *   2. the folder of the executable or shared library that has this code;
 *   3. the folders ../lib, ../lib/tmasim and ../tmasim beside that one;
 *   4. where the dynamic linker searches: run path, LD_LIBRARY_PATH, the system's folders.
 * The first file that exists counts. Fails with TMA_ERROR_FILE: the text says where it searched, or
 * why the file cannot be loaded. */
enum tma_error_code tma_module_load(const struct tma_engine_module **module,
                                    struct tma_error *error);
