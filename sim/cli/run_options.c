#include "cli/run_options.h"

#include "cli/files/piped_input.h"
#include "cli/messages.h"

bool cli_sample_allowed(int sampling, const char *const *others, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (sampling != TMA_SAMPLING_NONE && others[i] != NULL)
            return cli_error(
                "--sample leaves out parts of the run, which %s needs: give one of them",
                others[i]);
    return true;
}

enum { MOST_DRAWS = 1000 };

bool cli_draws_allowed(struct cli_count draws) {
    if (!draws.given || (draws.value >= 1 && draws.value <= MOST_DRAWS))
        return true;
    return cli_error("--draws is %u; allowed: 1 to %d", draws.value, MOST_DRAWS);
}

bool cli_draws_most(struct cli_count draws) {
    return draws.value == 0 || cli_draws_allowed(draws);
}

bool cli_variants_make(const struct cli_list *tries, const char *list,
                       struct tma_variants *variants) {
    struct tma_tries all = {.items = tries->items, .count = tries->count};
    struct tma_error error;
    if (list != NULL) {
        all.list = cli_piped_input(list);
        if (all.list == NULL)
            return false;
        all.list_name = cli_file_name(all.list);
    }
    if (tma_variants_make(&all, variants, &error) == TMA_OK)
        return true;
    return cli_error("%s", error.text);
}

int cli_row_status(const struct tma_sweep *sweep) {
    if (sweep->partial)
        return CLI_INTERRUPTED;
    for (size_t i = 0; i < sweep->row_count; i++)
        if (sweep->rows[i].failure != NULL)
            return CLI_FAILED_ROWS;
    return CLI_OK;
}
