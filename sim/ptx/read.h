/* Reads PTX text (ISA versions 7.8 to 9.x) into its decoded form. */
#pragma once

#include "base/diagnostics.h"
#include "ptx/decoded.h"

/* Reads `size` bytes of PTX. `file` names the text in diagnostics; it must outlive them. Returns
 * NULL if the text is not PTX: *diagnostics then has all errors, with line and column. An opcode, a
 * modifier or a combination of types that is not known is no error here: the instruction becomes
 * TMA_PTX_UNKNOWN with a message, which counts only where it is reached. */
struct tma_ptx_module *tma_ptx_read(const char *text, size_t size, const char *file,
                                    struct tma_diagnostics *diagnostics);

void tma_ptx_module_free(struct tma_ptx_module *module);

/* Finds a function by name; UINT32_MAX if there is none. */
uint32_t tma_ptx_find_function(const struct tma_ptx_module *module, const char *name);

/* The entry that a launch is of. */
struct tma_ptx_entry {
    uint32_t number;     /* in module->functions; UINT32_MAX: there is none, or a choice */
    uint32_t count;      /* entries of the module */
    const char *closest; /* the entry whose name is most like the one wanted; NULL: no entry */
};

/* Finds the entry of a name; if `wanted` is NULL the only one. */
struct tma_ptx_entry tma_ptx_find_entry(const struct tma_ptx_module *module, const char *wanted);
