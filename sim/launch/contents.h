/* What the buffers of a launch have before it. Internal to this folder. */
#ifndef TMA_LAUNCH_CONTENTS_H
#define TMA_LAUNCH_CONTENTS_H

#include "launch/launch.h"
#include "ptx/execution.h"

/* Allocates and fills the contents of the buffers that are not opaque. Where some are opaque, the
 * others have bits that say which of their bytes have become so. Returns false, with the errors in
 * the list, if a file cannot be read or memory runs out. */
bool tma_fill_buffers(const struct tma_launch *launch, struct tma_ptx_buffer *buffers,
                      struct tma_diagnostics *list);

/* Reads a file that the launch names into a block of `bytes` zeros; the file may be shorter, with
 * `exact` not. The caller frees it. NULL, with the error in the list, if that fails. */
uint8_t *tma_launch_bytes(const struct tma_launch *launch, const char *name, const char *subfolder,
                          uint64_t bytes, bool exact, struct tma_location at,
                          struct tma_diagnostics *list);

#endif
