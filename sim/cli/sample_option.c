#include "cli/sample_option.h"

#include "cli/messages.h"

bool cli_sample_allowed(int sampling, const char *const *others, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (sampling != TMA_SAMPLING_NONE && others[i] != NULL) {
            cli_error("--sample leaves out parts of the run, which %s needs: give one of them",
                      others[i]);
            return false;
        }
    return true;
}
