/* tmasim fragment: which thread and register has which element of a matrix fragment. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "cli/files/output.h"
#include "cli/messages.h"
#include "cli/verbs/verbs.h"
#include "report/fragment_report.h"
#include "scenario/suggestion.h"

struct fragment_options {
    struct cli_options common;
    struct cli_count bits, size, thread;
    const char *element; /* NULL: not given */
};

/* The number behind `mark` in a text, as 128 behind "n" in m64n128k16; 0: none. */
static uint32_t number_behind(const char *text, const char *mark) {
    const char *at = strstr(text, mark);
    return at == NULL ? 0 : (uint32_t)strtoul(at + strlen(mark), NULL, 10);
}

/* Instructions as PTX writes them, and what people call an accumulator. */
static bool kind_of_instruction(const char *name, enum tma_fragment_kind *kind, uint32_t *size) {
    if (strstr(name, "ldmatrix") != NULL || strstr(name, "stmatrix") != NULL) {
        *kind = strstr(name, "trans") != NULL ? TMA_FRAGMENT_LDMATRIX_TRANS : TMA_FRAGMENT_LDMATRIX;
        *size = number_behind(name, ".x");
        return true;
    }
    if (strncmp(name, "mma", strlen("mma")) == 0) {
        *kind = TMA_FRAGMENT_MMA_D;
        return true;
    }
    *kind = TMA_FRAGMENT_WGMMA_D;
    *size = number_behind(name, "m64n");
    return *size != 0 || strncmp(name, "wgmma", strlen("wgmma")) == 0 ||
           strncmp(name, "acc", strlen("acc")) == 0;
}

static bool read_kind(const char *name, enum tma_fragment_kind *kind, uint32_t *size) {
    char small[100];
    size_t length = 0;
    int value;
    for (; name[length] != '\0' && length + 1 < sizeof small; length++)
        small[length] = (char)tolower((unsigned char)name[length]);
    small[length] = '\0';
    if (tma_value_of(&tma_fragment_names, small, &value)) {
        *kind = (enum tma_fragment_kind)value;
        return true;
    }
    if (kind_of_instruction(small, kind, size))
        return true;
    char *allowed = tma_names_list(&tma_fragment_names);
    cli_error("unknown fragment \"%s\"; allowed: %s; --size has the columns of wgmma_d", name,
              allowed == NULL ? "" : allowed);
    tma_release(allowed);
    return false;
}

/* Reads "5,12", the row and column of an element. */
static bool read_element(const char *text, const struct tma_fragment *fragment, uint32_t *row,
                         uint32_t *column) {
    char *end;
    unsigned long r = strtoul(text, &end, 10), c = 0;
    bool good = end != text && *end == ',';
    if (good) {
        const char *second = end + 1;
        c = strtoul(second, &end, 10);
        good = end != second && *end == '\0';
    }
    if (!good || r >= fragment->rows || c >= fragment->columns) {
        bool next = good && c < fragment->columns && fragment->kind == TMA_FRAGMENT_WGMMA_D;
        return cli_error("--element is \"%s\"; expected ROW,COLUMN: 0 to %u and 0 to %u%s", text,
                         fragment->rows - 1, fragment->columns - 1,
                         next ? "; a wgmma has 64 rows, and those behind them belong to another one"
                              : "");
    }
    *row = (uint32_t)r;
    *column = (uint32_t)c;
    return true;
}

static int run(const struct cli_options *options) {
    const struct fragment_options *own = (const struct fragment_options *)options;
    enum tma_fragment_kind kind;
    struct tma_fragment fragment;
    struct tma_error error;
    struct cli_output output;
    uint32_t row = 0, column = 0, size = 0;
    if (!read_kind(options->operands.items[0], &kind, &size))
        return CLI_ERROR;
    if (own->size.given)
        size = own->size.value;
    if (tma_fragment_of(kind, own->bits.value, size, &fragment, &error) != TMA_OK)
        return cli_fail("%s", error.text);
    if (own->element != NULL && !read_element(own->element, &fragment, &row, &column))
        return CLI_ERROR;
    if (own->thread.given && own->thread.value >= fragment.threads)
        return cli_fail("--thread is %u; allowed: 0 to %u", own->thread.value,
                        fragment.threads - 1);
    if (!cli_output_open(&output, options->output))
        return CLI_ERROR;
    if (own->element != NULL)
        tma_fragment_write_element(&fragment, row, column, output.file);
    else if (own->thread.given)
        tma_fragment_write_thread(&fragment, own->thread.value, output.file);
    else
        tma_fragment_write(&fragment, options->format, output.file);
    return cli_output_close(&output, true) ? CLI_OK : CLI_ERROR;
}

static const struct cli_option options[] = {
    CLI_VALUE_OPTION("--bits", "N", COUNT, offsetof(struct fragment_options, bits),
                     "bits of an element: 8, 16 or 32 (default: 32 of accumulators, else 16)"),
    CLI_VALUE_OPTION("--size", "N", COUNT, offsetof(struct fragment_options, size),
                     "columns of wgmma_d (default 64); matrices of ldmatrix (default 4)"),
    CLI_VALUE_OPTION("--element", "ROW,COLUMN", TEXT, offsetof(struct fragment_options, element),
                     "only say which thread and register has this element"),
    CLI_VALUE_OPTION("--thread", "N", COUNT, offsetof(struct fragment_options, thread),
                     "only say which elements this thread of the warp or warp group has"),
    CLI_OPTION_FORMAT(&tma_fragment_format_names),
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_fragment = {
    .name = "fragment",
    .operands = "FRAGMENT",
    .operand_words = &tma_fragment_names,
    .example = "wgmma_d --size 128 --element 17,70",
    .summary = "Show which thread and register has an element of a wgmma, mma or ldmatrix.",
    .details =
        "FRAGMENT is one of:\n"
        "  wgmma_d         the accumulator of a wgmma: 64 rows, --size columns, 128 threads\n"
        "  wgmma_a         its matrix A in registers: 64 rows, 32 bytes of K\n"
        "  mma_a           A of mma.m16n8: 16 rows, 32 bytes of K, 32 threads\n"
        "  mma_b           B of mma.m16n8: 32 bytes of K by 8 columns\n"
        "  mma_d           C and D of mma.m16n8\n"
        "  ldmatrix        --size matrices of 8 x 8 elements, one below the other: row r of matrix "
        "m\n"
        "                  lies at the address of lane 8 m + r; stmatrix has the same\n"
        "  ldmatrix_trans  the same with .trans: rows and columns of the matrices in shared "
        "memory\n"
        "or an instruction: ldmatrix.x4.trans; wgmma.mma_async.sync.aligned.m64n128k16 and "
        "mma.sync.aligned.m16n8k16\nare their accumulators.",
    .statuses = "0 done, 2 error",
    .min_operands = 1,
    .max_operands = 1,
    CLI_RUNS_WITH(fragment_options),
};
