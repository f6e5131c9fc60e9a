/* tmasim pattern: a 2-D tile distribution, its tuples and its threads. */
#include <stdlib.h>

#include "cli/complain.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "report/pattern.h"
#include "scenario/suggestion.h"

static bool read_raking(const char *name, enum tma_raking *raking) {
    int value;
    if (!tma_value_of(&tma_raking_names, name, &value)) {
        char *allowed = tma_names_list(&tma_raking_names);
        cli_complain("there is no pattern \"%s\"; allowed: %s", name,
                     allowed == NULL ? "" : allowed);
        free(allowed);
        return false;
    }
    *raking = (enum tma_raking)value;
    return true;
}

/* The option's value, or its default; 0: the option has to be given. */
static bool read_count(const char *name, struct cli_count count, uint32_t fallback,
                       uint32_t *value) {
    *value = count.given ? count.value : fallback;
    if (!count.given && fallback == 0)
        cli_complain("pattern needs %s", name);
    return count.given || fallback != 0;
}

static bool read_pattern(const struct cli_options *options, struct tma_tile_pattern *pattern) {
    return read_raking(options->operands[0], &pattern->raking) &&
           read_count("--block-size", options->block_size, 0, &pattern->block_size) &&
           read_count("--y-per-tile", options->y_per_tile, 0, &pattern->y_per_tile) &&
           read_count("--x-per-tile", options->x_per_tile, 0, &pattern->x_per_tile) &&
           read_count("--vec-size", options->vec_size, 0, &pattern->vec_size) &&
           read_count("--warp-size", options->warp_size, 32, &pattern->warp_size) &&
           read_count("--wave-groups", options->wave_groups, 1, &pattern->wave_groups);
}

static int run(const struct cli_options *options) {
    struct tma_tile_pattern pattern;
    struct tma_tile_distribution distribution;
    struct tma_error error;
    struct cli_output output;
    if (!read_pattern(options, &pattern))
        return CLI_BAD_INPUT;
    if (tma_tile_distribute(&pattern, &distribution, &error) != TMA_OK) {
        cli_complain("%s", error.text);
        return CLI_BAD_INPUT;
    }
    if (!cli_output_open(&output, options->output))
        return CLI_BAD_INPUT;
    tma_pattern_write(&distribution, options->format, output.file);
    return cli_output_close(&output, true) ? CLI_OK : CLI_BAD_INPUT;
}

#define COUNT_OPTION(name, member, meaning)                                                        \
    { name, NULL, "N", CLI_COUNT, offsetof(struct cli_options, member), NULL, meaning }

static const struct cli_option options[] = {
    COUNT_OPTION("--block-size", block_size, "BlockSize: threads"),
    COUNT_OPTION("--y-per-tile", y_per_tile, "YPerTile: rows of the tile"),
    COUNT_OPTION("--x-per-tile", x_per_tile, "XPerTile: elements of a row"),
    COUNT_OPTION("--vec-size", vec_size,
                 "VecSize: elements that a thread would like to take at once"),
    COUNT_OPTION("--warp-size", warp_size, "32 (the default) or 64 threads"),
    COUNT_OPTION("--wave-groups", wave_groups, "NumWaveGroups; default: 1"),
    CLI_OPTION_FORMAT(&tma_pattern_format_names),
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_pattern = {
    .name = "pattern",
    .operands = "thread_raked|warp_raked|block_raked",
    .summary = "Shows which threads of a block take which elements of a 2-D tile.",
    .details =
        "The tile distributions of Composable Kernel: the tuples <X0, X1> and <Y0, Y1, Y2>, and a "
        "table of\nthreads over the tile. What does not divide is refused with the equation that "
        "fails. JSON and CSV\nlist the threads of every wave group.\n\n"
        "Which pattern for which work (Composable Kernel's guidance):\n"
        "  thread_raked  element-wise operations: the order of memory is thread-major\n"
        "  warp_raked    matrix multiplication: vectorisation is at the level of warps\n"
        "  block_raked   reductions: the block reduces, then global atomics combine blocks\n\n"
        "exit status: 0 done, 2 bad input or output",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
