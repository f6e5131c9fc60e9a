#include "cli/traced_operation.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/messages.h"
#include "placement/operation_architecture.h"
#include "placement/operation_words.h"
#include "placement/rows.h"

/* More rows than this are counted, not listed. */
enum { MOST_ROWS = 16 };

bool cli_operation_given(const struct cli_operation_options *options) {
    return options->load != NULL || options->store != NULL || options->prefetch != NULL ||
           options->offsets != NULL || options->shared != NULL;
}

/* Reads "4,0": at least one number, at most `most`. Returns how many, or 0 with an error printed.
 */
static uint32_t read_numbers(const char *option, const char *text, uint32_t most, int64_t least,
                             int64_t greatest, int64_t numbers[TMA_MAX_RANK]) {
    uint32_t count = 0;
    const char *next = text;
    for (;;) {
        char *end;
        errno = 0;
        long long value = strtoll(next, &end, 0);
        if (end == next || errno != 0 || value < least || value > greatest || count == most ||
            (*end != ',' && *end != '\0')) {
            cli_error("%s is \"%s\"; expected up to %u numbers from %lld to %lld, with commas",
                      option, text, most, (long long)least, (long long)greatest);
            return 0;
        }
        numbers[count++] = value;
        if (*end == '\0')
            return count;
        next = end + 1;
    }
}

static bool read_direction(const struct cli_operation_options *options,
                           const struct tma_tensor_map *map, struct tma_operation *operation) {
    const struct {
        const char *option, *text;
        enum tma_direction direction;
    } choices[] = {{"--load", options->load, TMA_LOAD},
                   {"--store", options->store, TMA_STORE},
                   {"--prefetch", options->prefetch, TMA_PREFETCH}};
    int64_t numbers[TMA_MAX_RANK];
    unsigned given = 0;
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        if (choices[i].text == NULL)
            continue;
        given++;
        operation->direction = choices[i].direction;
        uint32_t count = read_numbers(choices[i].option, choices[i].text, TMA_MAX_RANK, INT32_MIN,
                                      INT32_MAX, numbers);
        if (count == 0)
            return false;
        if (count != map->rank) {
            cli_error("%s has %u coordinates; the tensor has %u dimensions", choices[i].option,
                      count, map->rank);
            return false;
        }
        for (uint32_t d = 0; d < count; d++)
            operation->coordinates[d] = (int32_t)numbers[d];
    }
    if (given != 1)
        cli_error("decode: expected one of --load, --store and --prefetch");
    return given == 1;
}

bool cli_operation_trace(const struct cli_operation_options *options,
                         const struct tma_tensor_map *map, enum tma_architecture architecture,
                         struct cli_traced_operation *traced) {
    int64_t numbers[TMA_MAX_RANK];
    *traced = (struct cli_traced_operation){.map = map};
    traced->operation.access = tma_access_of_kind(map->kind);
    if (!read_direction(options, map, &traced->operation))
        return false;
    if (options->shared != NULL) {
        if (read_numbers("--shared", options->shared, 1, 0, UINT32_MAX, numbers) == 0)
            return false;
        traced->operation.shared_address = (uint32_t)numbers[0];
    }
    if (options->offsets != NULL) {
        uint32_t count = read_numbers("--offsets", options->offsets, 3, 0, UINT16_MAX, numbers);
        if (count == 0)
            return false;
        for (uint32_t i = 0; i < count; i++)
            traced->operation.im2col_offsets[i] = (uint16_t)numbers[i];
    }
    struct tma_row_stream rows;
    traced->code = tma_rows_begin(&rows, map, &traced->operation, NULL, &traced->error);
    if (traced->code == TMA_OK)
        traced->code =
            tma_operation_architecture_check(map, &traced->operation, architecture, &traced->error);
    return true;
}

/* The bytes of an operation, and how many of them are data. */
struct totals {
    struct tma_operation_size size;
    uint64_t data_bytes;
    uint32_t rows_outside;
};

static struct totals totals_of(const struct cli_traced_operation *traced) {
    struct totals totals = {0};
    struct tma_row_stream rows;
    struct tma_row row;
    tma_rows_begin(&rows, traced->map, &traced->operation, &totals.size, NULL);
    while (tma_rows_next(&rows, &row)) {
        totals.data_bytes += row.data_bytes;
        totals.rows_outside += row.data_bytes == 0;
    }
    return totals;
}

/* Where the first data byte of a row lies in shared memory, after swizzling. */
static uint32_t shared_of(const struct cli_traced_operation *traced, const struct tma_row *row) {
    return tma_swizzle_address(traced->map->swizzle, row->shared_address + row->before_bytes);
}

static void write_row_text(const struct cli_traced_operation *traced, const struct tma_row *row,
                           FILE *out) {
    fputs("  (", out);
    for (uint32_t d = 0; d < traced->map->rank; d++)
        fprintf(out, "%s%" PRId64, d == 0 ? "" : ",", row->coordinates[d]);
    fputs(")", out);
    if (row->data_bytes == 0) {
        fprintf(out, "  out of bounds: %" PRIu32 " bytes of fill\n", row->after_bytes);
        return;
    }
    fprintf(out, "  global 0x%" PRIx64 ", %" PRIu32 " bytes", row->global_address,
            row->data_global_bytes);
    if (traced->operation.direction != TMA_PREFETCH)
        fprintf(out, "  shared 0x%" PRIx32, shared_of(traced, row));
    if (row->before_bytes + row->after_bytes > 0)
        fprintf(out, ", %" PRIu32 " bytes of fill", row->before_bytes + row->after_bytes);
    fputc('\n', out);
}

static void write_rows_text(const struct cli_traced_operation *traced, FILE *out) {
    struct tma_row_stream rows;
    struct tma_row row;
    uint32_t listed = 0, more = 0;
    tma_rows_begin(&rows, traced->map, &traced->operation, NULL, NULL);
    while (tma_rows_next(&rows, &row)) {
        if (listed == MOST_ROWS) {
            more++;
            continue;
        }
        write_row_text(traced, &row, out);
        listed++;
    }
    if (more > 0)
        fprintf(out, "  and %" PRIu32 " more rows\n", more);
}

/* What CUDA says of an operation that the hardware refuses. Other errors are refused before: by the
 * assembler, or because the architecture lacks the operation. */
static const char *reported_as(enum tma_error_code code) {
    return code == TMA_ERROR_FAULT ? "faults (CUDA: illegal instruction)" : "is not allowed";
}

void cli_operation_text(const struct cli_traced_operation *traced, FILE *out) {
    const struct tma_operation *operation = &traced->operation;
    fprintf(out, "\n%s (", tma_name_of(&tma_direction_names, (int)operation->direction));
    for (uint32_t d = 0; d < traced->map->rank; d++)
        fprintf(out, "%s%" PRId32, d == 0 ? "" : ",", operation->coordinates[d]);
    if (operation->direction == TMA_PREFETCH)
        fputs("): ", out);
    else
        fprintf(out, "), shared memory 0x%" PRIx32 ": ", operation->shared_address);
    if (traced->code != TMA_OK) {
        fprintf(out, "%s: %s\n", reported_as(traced->code), traced->error.text);
        return;
    }
    struct totals totals = totals_of(traced);
    fprintf(out,
            "does not fault\n  %" PRIu32 " rows of %" PRIu32 " bytes, %" PRIu64
            " bytes of the tensor, %" PRIu64 " bytes out of bounds",
            totals.size.rows, totals.size.row_bytes, totals.data_bytes,
            totals.size.moved_bytes - totals.data_bytes);
    if (operation->direction == TMA_LOAD)
        fprintf(out, "; completes %" PRIu32 " bytes on the mbarrier",
                totals.size.transaction_bytes);
    fputc('\n', out);
    write_rows_text(traced, out);
}

static void write_row_json(const struct cli_traced_operation *traced, const struct tma_row *row,
                           struct tma_json *json) {
    tma_json_begin_line(json, NULL);
    tma_json_begin_list(json, "coordinates");
    for (uint32_t d = 0; d < traced->map->rank; d++)
        tma_json_decimal(json, NULL, (double)row->coordinates[d], 0);
    tma_json_end_array(json);
    if (row->data_bytes > 0) {
        tma_json_unsigned(json, "global_address", row->global_address);
        tma_json_unsigned(json, "shared_address", shared_of(traced, row));
    }
    tma_json_unsigned(json, "data_bytes", row->data_bytes);
    tma_json_unsigned(json, "fill_bytes", row->before_bytes + row->after_bytes);
    tma_json_end_object(json);
}

void cli_operation_json(const struct cli_traced_operation *traced, const char *key,
                        struct tma_json *json) {
    tma_json_begin_object(json, key);
    tma_json_string(json, "direction",
                    tma_name_of(&tma_direction_names, (int)traced->operation.direction));
    tma_json_bool(json, "faults", traced->code != TMA_OK);
    if (traced->code != TMA_OK) {
        tma_json_string(json, "text", traced->error.text);
        tma_json_end_object(json);
        return;
    }
    struct totals totals = totals_of(traced);
    struct tma_row_stream rows;
    struct tma_row row;
    tma_json_unsigned(json, "data_bytes", totals.data_bytes);
    tma_json_unsigned(json, "out_of_bounds_bytes", totals.size.moved_bytes - totals.data_bytes);
    tma_json_unsigned(json, "transaction_bytes", totals.size.transaction_bytes);
    tma_json_begin_array(json, "rows");
    tma_rows_begin(&rows, traced->map, &traced->operation, NULL, NULL);
    while (tma_rows_next(&rows, &row))
        write_row_json(traced, &row, json);
    tma_json_end_array(json);
    tma_json_end_object(json);
}
