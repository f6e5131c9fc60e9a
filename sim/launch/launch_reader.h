/* What the readers of launch files and of records share. Internal to this folder. */
#ifndef TMA_LAUNCH_LAUNCH_READER_H
#define TMA_LAUNCH_LAUNCH_READER_H

#include "launch/launch.h"
#include "scenario/tree.h"

struct tma_launch_reader {
    struct tma_launch *launch;
    struct tma_diagnostics *list;
};

/* Append an element and return it; NULL, with the error in the list, when out of memory. */
struct tma_launch_buffer *tma_launch_add_buffer(struct tma_launch_reader *reader);
struct tma_launch_parameter *tma_launch_add_parameter(struct tma_launch_reader *reader);
struct tma_launch_part *tma_launch_add_part(struct tma_launch_reader *reader);

/* Finds a buffer by name: its index; -1, with an error at the node, if there is none. */
int32_t tma_launch_find_buffer(struct tma_launch_reader *reader, const struct tma_yaml_node *node);

/* The words of numbers: "u32"; value: bits, and 256 for signed, 512 for floating-point ones. */
extern const struct tma_names tma_launch_number_names;
enum { TMA_NUMBER_SIGNED = 256, TMA_NUMBER_FLOAT = 512 };

/* Reads a number of that type into its bits. False, with an error at the node, if it is none. */
bool tma_launch_number(struct tma_launch_reader *reader, int type, const struct tma_yaml_node *node,
                       uint64_t *bits);

/* Reads the mapping that is a launch file. */
void tma_launch_read_root(struct tma_launch_reader *reader, const struct tma_yaml_node *root);

/* The folder of a file, with a slash at its end, or "". The caller frees it; NULL when out of
 * memory. */
char *tma_launch_folder(const char *path);

#endif
