/* Files of launches, and their machines. */
#pragma once

#include "cli/options.h"
#include "launch/launch.h"
#include "memory/machine.h"

/* A file, and where its lines are. */
struct cli_launch_file {
    const char *path; /* borrowed */
    char *text;       /* owned */
    size_t length;
    bool records; /* JSON lines; else a launch file */
};

bool cli_is_folder(const char *path);

/* Reads the file. Prints the error and returns false if that fails. */
bool cli_launch_file_read(const char *path, struct cli_launch_file *file);
void cli_launch_file_free(struct cli_launch_file *file);

/* Finds the next line with a record from *at on, which starts as 0 with *line 0. Returns its start
 * and length, and moves both behind it; NULL: there is none. */
const char *cli_launch_next(const struct cli_launch_file *file, size_t *at, unsigned *line,
                            size_t *length);

/* Reads the launch of the file, or its record with that label. Without one, the file has one
 * record. Errors go to the list; returns false if there is one. */
bool cli_launch_read(const struct cli_launch_file *file, const char *label,
                     const struct cli_list *settings, struct tma_launch *launch,
                     struct tma_diagnostics *list);

/* Reads the machine that the launch names, or the default one, as its settings change it. Prints
 * errors. */
bool cli_launch_machine(const struct tma_launch *launch, struct tma_machine *machine);
