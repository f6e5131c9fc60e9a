/* tmasim pattern: a 2-D tile distribution with its tuples and its threads. */
#include "base/allocation.h"
#include "cli/files/output.h"
#include "cli/messages.h"
#include "cli/verbs/verbs.h"
#include "report/pattern.h"
#include "scenario/suggestion.h"

struct pattern_options {
    struct cli_options common;
    struct cli_count block_size, y_per_tile, x_per_tile, vec_size, warp_size, wave_groups;
};

static bool read_raking(const char *name, enum tma_raking *raking) {
    int value;
    if (!tma_value_of(&tma_raking_names, name, &value)) {
        char *allowed = tma_names_list(&tma_raking_names);
        cli_error("unknown pattern \"%s\"; allowed: %s", name, allowed == NULL ? "" : allowed);
        tma_release(allowed);
        return false;
    }
    *raking = (enum tma_raking)value;
    return true;
}

/* Reads the value of an option, or its default. A default of 0 means that the option is required.
 */
static bool read_count(const char *name, struct cli_count count, uint32_t fallback,
                       uint32_t *value) {
    *value = count.given ? count.value : fallback;
    if (!count.given && fallback == 0)
        cli_error("pattern: %s is required", name);
    return count.given || fallback != 0;
}

static bool read_pattern(const struct pattern_options *options, struct tma_tile_pattern *pattern) {
    return read_raking(options->common.operands.items[0], &pattern->raking) &&
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
    if (!read_pattern((const struct pattern_options *)options, &pattern))
        return CLI_ERROR;
    if (tma_tile_distribute(&pattern, &distribution, &error) != TMA_OK)
        return cli_fail("%s", error.text);
    if (!cli_output_open(&output, options->output))
        return CLI_ERROR;
    tma_pattern_write(&distribution, options->format, output.file);
    return cli_output_close(&output, true) ? CLI_OK : CLI_ERROR;
}

static const struct cli_option options[] = {
    CLI_VALUE_OPTION("--block-size", "N", COUNT, offsetof(struct pattern_options, block_size),
                     "BlockSize: threads of the block"),
    CLI_VALUE_OPTION("--y-per-tile", "N", COUNT, offsetof(struct pattern_options, y_per_tile),
                     "YPerTile: rows of the tile"),
    CLI_VALUE_OPTION("--x-per-tile", "N", COUNT, offsetof(struct pattern_options, x_per_tile),
                     "XPerTile: elements per row"),
    CLI_VALUE_OPTION("--vec-size", "N", COUNT, offsetof(struct pattern_options, vec_size),
                     "VecSize: maximum number of elements that a thread accesses at once"),
    CLI_VALUE_OPTION("--warp-size", "N", COUNT, offsetof(struct pattern_options, warp_size),
                     "threads per warp: 32 (default) or 64"),
    CLI_VALUE_OPTION("--wave-groups", "N", COUNT, offsetof(struct pattern_options, wave_groups),
                     "NumWaveGroups: groups of warps that each cover the tile; default: 1"),
    CLI_OPTION_FORMAT(&tma_pattern_format_names),
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_pattern = {
    .name = "pattern",
    .operands = "thread_raked|warp_raked|block_raked",
    .operand_words = &tma_raking_names,
    .example = "warp_raked --block-size 64 --y-per-tile 16 --x-per-tile 32 --vec-size 4",
    .summary = "Show which thread of a block accesses which elements of a 2-D tile.",
    .details =
        "The patterns are the tile distributions of Composable Kernel. The output has the "
        "tuples <X0, X1> and\n<Y0, Y1, Y2>, and the thread of every element. Sizes that do not "
        "divide are an error, which names the\nequation that fails. JSON and CSV list the threads "
        "of every wave group.\n\n"
        "Which pattern for which work (Composable Kernel's guidance):\n"
        "  thread_raked  element-wise operations: the order of memory is thread-major\n"
        "  warp_raked    matrix multiplication: vectorisation is at the level of warps\n"
        "  block_raked   reductions: the block reduces, then global atomics combine blocks",
    .statuses = "0 done, 2 error",
    .min_operands = 1,
    .max_operands = 1,
    CLI_RUNS_WITH(pattern_options),
};
