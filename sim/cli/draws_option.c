#include "cli/draws_option.h"

#include "cli/messages.h"

enum { MOST_DRAWS = 1000 };

bool cli_draws_allowed(struct cli_count draws) {
    if (!draws.given || (draws.value >= 1 && draws.value <= MOST_DRAWS))
        return true;
    cli_error("--draws is %u; allowed: 1 to %d", draws.value, MOST_DRAWS);
    return false;
}

bool cli_draws_most(struct cli_count draws) {
    return draws.value == 0 || cli_draws_allowed(draws);
}
