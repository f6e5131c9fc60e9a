/* What the readers of launch files and of records share. Internal to this folder. */
#pragma once

#include "launch/launch.h"
#include "ptx/execution.h"
#include "scenario/tree.h"

/* Of a buffer: addresses have 47 bits, and bytes are counted exactly in a double. */
#define TMA_LAUNCH_MOST_BYTES   (UINT64_C(1) << 40)
#define TMA_LAUNCH_MOST_ADDRESS (UINT64_C(1) << 47)

struct tma_launch_reader {
    struct tma_launch *launch;
    struct tma_diagnostics *list;
};

/* Append an element and return it; NULL, with the error in the list, when out of memory. */
struct tma_launch_buffer *tma_launch_add_buffer(struct tma_launch_reader *reader);
struct tma_launch_parameter *tma_launch_add_parameter(struct tma_launch_reader *reader);
struct tma_launch_part *tma_launch_add_part(struct tma_launch_reader *reader);

/* Finds a buffer by name: its index; -1 if there is none. */
int32_t tma_launch_buffer_index(const struct tma_launch *launch, const char *name);

/* The same, with an error at the node. */
int32_t tma_launch_find_buffer(struct tma_launch_reader *reader, const struct tma_yaml_node *node);

/* The words of numbers: "u32", of enum tma_element. */
extern const struct tma_names tma_launch_number_names;

/* Reads a number of a type into its bits. False if the node is none. */
bool tma_launch_parse_number(enum tma_element type, const struct tma_yaml_node *node,
                             uint64_t *bits);

/* The same, with an error at the node. */
bool tma_launch_number(struct tma_launch_reader *reader, enum tma_element type,
                       const struct tma_yaml_node *node, uint64_t *bits);

/* The text at a key; NULL if there is none. */
const char *tma_launch_text(const struct tma_yaml_node *mapping, const char *key);

/* Reads the mapping that is a launch file. */
void tma_launch_read_root(struct tma_launch_reader *reader, const struct tma_yaml_node *root);

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
