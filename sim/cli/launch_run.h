/* Launches of compiled kernels: what run, check and validate do with them. */
#pragma once

#include "cli/options.h"
#include "report/launch_report.h"

struct cli_launch_options {
    const struct cli_options *common;
    enum tma_launch_format format;
    const char *label; /* of the record that is run; NULL: not given */
    struct cli_count sanitize;
    bool strict;
    bool page;                                /* write an HTML page */
    bool functional;                          /* no time passes */
    const char *timeline;                     /* file of a timeline; NULL: none */
    const struct tma_core_ablation *ablation; /* NULL: the whole model */
    const struct cli_list *relieve;           /* of what; NULL: nothing */
    const char *sass; /* text of nvdisasm, or a folder that has NAME.sass for NAME.ptx; NULL: as the
                         launch has it */
    const char *outputs; /* folder for the buffers; NULL: not wanted */
    bool sample;         /* a long launch is simulated in part */
    bool exact;          /* no page of a launch that is not simulated whole */
    bool why, no_why;    /* whether experiments find out what limits the launch; neither: if it is
                            short */
};

/* True if the file is a launch file or a file of launch records. *unreadable, which begins empty,
 * or is NULL, becomes the error of the first path that cannot be read. */
bool cli_is_launch(const char *path, struct tma_error *unreadable);

/* True if the file has records of launches: its name ends with .jsonl. */
bool cli_is_launch_records(const char *path);

/* Gives a launch the SASS of --sass: *path, owned by the caller, which the launch borrows. */
bool cli_launch_take_sass(const char *sass, struct tma_launch *launch, char **path);

/* Runs the launch that the first operand names, and reports on it. Returns the exit status. */
int cli_launch_run(const struct cli_launch_options *options);

/* Checks the launch that the first operand names without running it. Returns the exit status. */
int cli_launch_check(const struct cli_launch_options *options);

/* Runs all records of the operands, which are files of launch records. Returns the exit status. */
int cli_launch_validate(const struct cli_launch_options *options, const char *gpu);
