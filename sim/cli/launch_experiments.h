/* What limits a launch of a compiled kernel: it runs again with one part of the machine a tenth
 * better, part by part, in worker processes. */
#pragma once

#include "cli/options.h"
#include "launch/launch.h"
#include "report/launch_report.h"

/* Runs a prepared launch in time. Where options->sample_from asks for a sample, and what is left
 * out changes what the kernel does, or its cycles may be more than 20 % off, the launch is prepared
 * anew and runs whole: options->sample_from is 0 then, and the result has the estimate that was not
 * trusted. What is wrong is in *error. */
enum tma_error_code cli_launch_time(const struct tma_machine *machine,
                                    struct tma_ptx_options *options, struct tma_prepared *prepared,
                                    struct tma_ptx_result *executed, struct tma_core_result *timing,
                                    struct tma_error *error);

/* Runs the experiments for a launch that took report->timing->cycles cycles, and puts into the
 * report the parts that save a hundredth of them or more, the one that saves most first. At most
 * `most` of the parts that the launch used are tried, those that were busiest; the report names the
 * others. `sample_from`: as
 * that run. Prints an error if workers fail; Ctrl-C ends the experiments early. */
void cli_launch_experiments(const struct tma_launch *launch, const struct tma_machine *machine,
                            uint64_t sample_from, uint64_t most, unsigned jobs, bool quiet,
                            struct tma_launch_report *report);

/* Runs the launch again at a lower clock of the SMs, if its time depends on one, and sets
 * timing->memory_share. `machine` has the clock at which it ran; `options`: as that run. */
void cli_launch_find_memory_share(const struct tma_launch *launch,
                                  const struct tma_machine *machine,
                                  const struct tma_ptx_options *options,
                                  struct tma_core_result *timing);

/* What a user relieves a launch of, one thing a run. */
struct cli_launch_reliefs;

/* Reads FILE:LINE, mbarrier:OFFSET, PART, PART=N% and PART=N. Prints an error and returns NULL if
 * one is not of the kernel or the machine. */
struct cli_launch_reliefs *cli_launch_reliefs_read(const struct cli_list *wanted,
                                                   const struct tma_prepared *prepared);
void cli_launch_reliefs_free(struct cli_launch_reliefs *reliefs);

/* Runs the launch with each of them: relieved[i] is that of wanted->items[i], and borrows its text.
 * Prints an error and returns false if workers fail. */
bool cli_launch_relieve(const struct cli_launch_reliefs *reliefs, const struct tma_launch *launch,
                        const struct tma_machine *machine, unsigned jobs, bool quiet,
                        struct tma_launch_relieved *relieved);
