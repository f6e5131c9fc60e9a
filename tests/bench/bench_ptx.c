/* Speed of the PTX reader: bench_ptx [FILE.ptx ...]. Says which of the files are no PTX, and which
 * have instructions that the reader does not know: it fails then. Without files, reads what
 * compilers wrote for the unit tests, one function a thousand times. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "ptx/read.h"
#include "scenario/text_file.h"

/* Reads a whole file; the caller frees it. */
static char *read_file(const char *path, size_t *size) {
    enum { MOST_BYTES = 256 << 20 };
    struct tma_error error;
    char *text;
    if (tma_text_read_up_to(path, MOST_BYTES, &text, size, &error) == TMA_OK)
        return text;
    fprintf(stderr, "%s\n", error.text);
    exit(2);
}

/* Reads one text, and says what is wrong with it. Returns the number of problems. */
static size_t read_text(const char *path, const char *text, size_t size, size_t *instructions) {
    struct tma_diagnostics diagnostics = tma_diagnostics_empty();
    struct tma_ptx_module *module = tma_ptx_read(text, size, path, &diagnostics);
    size_t problems = tma_diagnostics_total(&diagnostics);
    for (size_t i = 0; i < diagnostics.count; i++)
        printf("%s:%u:%u: error: %s\n", path, diagnostics.items[i].at.line,
               diagnostics.items[i].at.column, diagnostics.items[i].text);
    for (size_t i = 0; module != NULL && i < module->instruction_count; i++) {
        const struct tma_ptx_instruction *instruction = &module->instructions[i];
        if (instruction->unknown == 0)
            continue;
        printf("%s:%u:%u: %s\n", path, instruction->line, instruction->column,
               module->messages[instruction->unknown]);
        problems++;
    }
    *instructions += module == NULL ? 0 : module->instruction_count;
    tma_ptx_module_free(module);
    tma_diagnostics_free(&diagnostics);
    return problems;
}

/* One text with a function of another many times, each under a name of its own. */
static char *repeat(const char *path, size_t times, size_t *size) {
    size_t length, at = 0;
    char *text = read_file(path, &length);
    char *start = strstr(text, ".visible .entry vector_add"), *end = strstr(text, "\n}");
    char *result = malloc(times * (length + 100) + length);
    if (start == NULL || end == NULL || result == NULL)
        exit(2);
    memcpy(result, text, (size_t)(start - text));
    at = (size_t)(start - text);
    start += strlen(".visible .entry vector_add");
    for (size_t i = 0; i < times; i++)
        at += (size_t)sprintf(result + at, ".visible .entry f%zu%.*s\n}\n", i, (int)(end - start),
                              start);
    free(text);
    *size = at;
    return result;
}

int main(int count, char **paths) {
    size_t problems = 0, bytes = 0, instructions = 0, size;
    double time = 0;
    for (int i = 1; i < count || (count == 1 && i == 1); i++) {
        char *text = count == 1 ? repeat("tests/unit/ptx/triton.ptx", 1000, &size)
                                : read_file(paths[i], &size);
        double start = cpu_seconds();
        problems += read_text(count == 1 ? "triton.ptx" : paths[i], text, size, &instructions);
        time += cpu_seconds() - start;
        bytes += size;
        free(text);
    }
    printf("%.1f MB, %zu instructions, %.0f MB/s, %zu problems\n", (double)bytes * 1e-6,
           instructions, (double)bytes * 1e-6 / time, problems);
    return problems != 0;
}
