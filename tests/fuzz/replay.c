/* Runs a target on each file that is named, for make test: the corpora, and all that was ever
 * found. Ends as a Check program does, so that tests/run counts it. */
#include "fuzz.h"

int main(int count, char **arguments) {
    int files = 0;
    for (int i = 1; i < count; i++) {
        FILE *file = fopen(arguments[i], "rb");
        if (file == NULL) {
            perror(arguments[i]);
            return EXIT_FAILURE;
        }
        uint8_t *data = malloc((1 << 20) + 1);
        size_t size = data == NULL ? 0 : fread(data, 1, (1 << 20) + 1, file);
        fclose(file);
        /* A buffer of the very size, so that the address sanitizer sees what reads past it. */
        uint8_t *exact = malloc(size + (size == 0));
        if (data == NULL || exact == NULL)
            return EXIT_FAILURE;
        memcpy(exact, data, size);
        free(data);
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
        files++;
    }
    printf("100%%: Checks: %d, Failures: 0, Errors: 0\n", files);
    return EXIT_SUCCESS;
}
