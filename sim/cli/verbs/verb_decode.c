/* tmasim decode: the fields of a 128-byte tensor map, or the differences of two. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "cli/files/dump_files.h"
#include "cli/files/map_input.h"
#include "cli/files/output.h"
#include "cli/map_check.h"
#include "cli/map_text.h"
#include "cli/messages.h"
#include "cli/verbs/verbs.h"
#include "placement/operation_architecture.h"
#include "placement/operation_words.h"
#include "placement/reduction.h"
#include "placement/rows.h"
#include "report/json_writer.h"
#include "tensormap/architectures.h"

/* One operation on a tensor map: whether it faults, and where its bytes go. */

/* The options that name an operation: texts, NULL where they are not given. */
struct cli_operation_options {
    const char *load, *store, *reduce, *prefetch; /* coordinates: "4,0" */
    const char *gather4, *scatter4;               /* a column and four rows: "0,3,1,4,1" */
    const char *reduction;                        /* of a reduce: "add" */
    const char *offsets;                          /* of im2col, in pixels */
    const char *shared;                           /* address of the tile in shared memory */
};

/* An operation and what is known of it. */
struct cli_traced_operation {
    struct tma_operation operation;
    const struct tma_tensor_map *map;
    enum tma_error_code code; /* TMA_OK: it does not fault */
    struct tma_error error;
};

/* More rows than this are counted, not listed. */
enum { MOST_ROWS = 16 };

/* Returns true if one of the options is given. */
static bool operation_given(const struct cli_operation_options *options) {
    return options->load != NULL || options->store != NULL || options->reduce != NULL ||
           options->prefetch != NULL || options->gather4 != NULL || options->scatter4 != NULL ||
           options->reduction != NULL || options->offsets != NULL || options->shared != NULL;
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

/* gather4 and scatter4 take a column and four rows. */
enum { GATHER4_COORDINATES = 5 };

static uint32_t coordinate_count(const struct tma_operation *operation,
                                 const struct tma_tensor_map *map) {
    return operation->access == TMA_ACCESS_GATHER4 ? GATHER4_COORDINATES : map->rank;
}

/* A prefetch with five coordinates of a map with two dimensions is one of gather4. */
static bool check_count(const char *option, uint32_t count, const struct tma_tensor_map *map,
                        struct tma_operation *operation) {
    if (operation->direction == TMA_PREFETCH && map->rank == 2 && count == GATHER4_COORDINATES)
        operation->access = TMA_ACCESS_GATHER4;
    if (count == coordinate_count(operation, map))
        return true;
    if (operation->access == TMA_ACCESS_GATHER4)
        cli_error("%s has %u coordinates; expected %d: a column and four rows", option, count,
                  GATHER4_COORDINATES);
    else
        cli_error("%s has %u coordinates; the tensor has %u dimensions%s", option, count, map->rank,
                  map->rank == 2 && count == GATHER4_COORDINATES
                      ? "; --gather4 and --scatter4 take a column and four rows"
                      : "");
    return false;
}

static bool read_direction(const struct cli_operation_options *options,
                           const struct tma_tensor_map *map, struct tma_operation *operation) {
    const struct {
        const char *option, *text;
        enum tma_direction direction;
        bool gather;
    } choices[] = {{"--load", options->load, TMA_LOAD, false},
                   {"--store", options->store, TMA_STORE, false},
                   {"--reduce", options->reduce, TMA_REDUCE, false},
                   {"--prefetch", options->prefetch, TMA_PREFETCH, false},
                   {"--gather4", options->gather4, TMA_LOAD, true},
                   {"--scatter4", options->scatter4, TMA_STORE, true}};
    int64_t numbers[TMA_MAX_RANK];
    unsigned given = 0;
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        if (choices[i].text == NULL)
            continue;
        given++;
        operation->direction = choices[i].direction;
        if (choices[i].gather)
            operation->access = TMA_ACCESS_GATHER4;
        uint32_t count = read_numbers(choices[i].option, choices[i].text, TMA_MAX_RANK, INT32_MIN,
                                      INT32_MAX, numbers);
        if (count == 0 || !check_count(choices[i].option, count, map, operation))
            return false;
        for (uint32_t d = 0; d < count; d++)
            operation->coordinates[d] = (int32_t)numbers[d];
    }
    if (given != 1)
        cli_error("decode: expected one of --load, --store, --reduce, --prefetch, --gather4 and "
                  "--scatter4");
    return given == 1;
}

static bool read_reduction(const char *text, struct tma_operation *operation) {
    int value = TMA_REDUCE_ADD;
    if (text != NULL && operation->direction != TMA_REDUCE)
        return cli_error("--reduction is only for --reduce");
    if (text != NULL && !tma_value_of(&tma_reduction_names, text, &value)) {
        char names[128] = "";
        for (size_t i = 0, used = 0; i < tma_reduction_names.count; i++)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i == 0 ? "" : ", ",
                                     tma_reduction_names.items[i].name);
        return cli_error("--reduction is \"%s\"; allowed: %s", text, names);
    }
    operation->reduction = (enum tma_reduction)value;
    return true;
}

/* Reads the operation and judges it. The map is legal. Prints an error and returns false if the
 * options are wrong. */
static bool operation_trace(const struct cli_operation_options *options,
                            const struct tma_tensor_map *map, enum tma_architecture architecture,
                            struct cli_traced_operation *traced) {
    int64_t numbers[TMA_MAX_RANK];
    *traced = (struct cli_traced_operation){.map = map};
    traced->operation.access = tma_access_of_kind(map->kind);
    if (!read_direction(options, map, &traced->operation) ||
        !read_reduction(options->reduction, &traced->operation))
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

/* What becomes of the bytes of an operation, or of one row. */
struct parts {
    uint64_t tensor_bytes;      /* of the tensor */
    uint64_t overwritten_bytes; /* stores: behind the row's end, and written all the same */
    uint64_t outside_bytes;     /* out of bounds: loads fill them, others leave them out */
};

static struct parts parts_of(const struct cli_traced_operation *traced,
                             const struct tma_operation_size *size, const struct tma_row *row) {
    struct parts parts = {.overwritten_bytes =
                              tma_row_overwritten_bytes(traced->map, &traced->operation, row)};
    parts.tensor_bytes = row->data_global_bytes - parts.overwritten_bytes;
    parts.outside_bytes = size->row_moved_bytes - row->data_global_bytes;
    return parts;
}

static struct parts totals_of(const struct cli_traced_operation *traced,
                              struct tma_operation_size *size) {
    struct parts totals = {0};
    struct tma_row_stream rows;
    struct tma_row row;
    tma_rows_begin(&rows, traced->map, &traced->operation, size, NULL);
    while (tma_rows_next(&rows, &row)) {
        struct parts parts = parts_of(traced, size, &row);
        totals.tensor_bytes += parts.tensor_bytes;
        totals.overwritten_bytes += parts.overwritten_bytes;
        totals.outside_bytes += parts.outside_bytes;
    }
    return totals;
}

/* Where the first data byte of a row lies in shared memory, after swizzling. */
static uint32_t shared_of(const struct cli_traced_operation *traced, const struct tma_row *row) {
    return tma_swizzle_address(traced->map->swizzle, row->shared_address + row->before_bytes);
}

static bool fills(const struct cli_traced_operation *traced) {
    return traced->operation.direction == TMA_LOAD;
}

static const char *outside_word(const struct cli_traced_operation *traced) {
    switch (traced->operation.direction) {
    case TMA_LOAD:
        return "of fill";
    case TMA_STORE:
    case TMA_REDUCE:
        return "not written";
    case TMA_PREFETCH:
        break;
    }
    return "not fetched";
}

static void write_row_text(const struct cli_traced_operation *traced,
                           const struct tma_operation_size *size, const struct tma_row *row,
                           FILE *out) {
    struct parts parts = parts_of(traced, size, row);
    fputs("  (", out);
    for (uint32_t d = 0; d < traced->map->rank; d++)
        fprintf(out, "%s%" PRId64, d == 0 ? "" : ",", row->coordinates[d]);
    fputs(")", out);
    if (row->data_bytes == 0) {
        fprintf(out, "  out of bounds: %" PRIu64 " bytes %s\n", parts.outside_bytes,
                outside_word(traced));
        return;
    }
    fprintf(out, "  global 0x%" PRIx64 ", %" PRIu32 " bytes", row->global_address,
            row->data_global_bytes);
    if (parts.overwritten_bytes > 0)
        fprintf(out, " (the last %" PRIu64 " behind the row)", parts.overwritten_bytes);
    if (traced->operation.direction != TMA_PREFETCH)
        fprintf(out, "  shared 0x%" PRIx32, shared_of(traced, row));
    if (parts.outside_bytes > 0)
        fprintf(out, ", %" PRIu64 " bytes %s", parts.outside_bytes, outside_word(traced));
    fputc('\n', out);
}

static void write_rows_text(const struct cli_traced_operation *traced, FILE *out) {
    struct tma_row_stream rows;
    struct tma_row row;
    uint32_t listed = 0, more = 0;
    struct tma_operation_size size;
    tma_rows_begin(&rows, traced->map, &traced->operation, &size, NULL);
    while (tma_rows_next(&rows, &row)) {
        if (listed == MOST_ROWS) {
            more++;
            continue;
        }
        write_row_text(traced, &size, &row, out);
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

/* "load", "gather4", "reduce add". */
static void write_operation_name(const struct tma_operation *operation, FILE *out) {
    bool gather = operation->access == TMA_ACCESS_GATHER4;
    fputs(gather && operation->direction == TMA_LOAD ? "gather4"
          : gather && operation->direction == TMA_STORE
              ? "scatter4"
              : tma_name_of(&tma_direction_names, (int)operation->direction),
          out);
    if (operation->direction == TMA_REDUCE)
        fprintf(out, " %s", tma_name_of(&tma_reduction_names, (int)operation->reduction));
    if (gather && operation->direction == TMA_PREFETCH)
        fputs(" gather4", out);
}

static void operation_text(const struct cli_traced_operation *traced, FILE *out) {
    const struct tma_operation *operation = &traced->operation;
    fputc('\n', out);
    write_operation_name(operation, out);
    for (uint32_t d = 0; d < coordinate_count(operation, traced->map); d++)
        fprintf(out, "%s%" PRId32, d == 0 ? " (" : ",", operation->coordinates[d]);
    if (operation->direction == TMA_PREFETCH)
        fputs("): ", out);
    else
        fprintf(out, "), shared memory 0x%" PRIx32 ": ", operation->shared_address);
    if (traced->code != TMA_OK) {
        fprintf(out, "%s: %s\n", reported_as(traced->code), traced->error.text);
        return;
    }
    struct tma_operation_size size;
    struct parts totals = totals_of(traced, &size);
    fprintf(out,
            "does not fault\n  %" PRIu32 " rows of %" PRIu32 " bytes, %" PRIu64
            " bytes of the tensor",
            size.rows, size.row_moved_bytes, totals.tensor_bytes);
    if (totals.overwritten_bytes > 0)
        fprintf(out, ", %" PRIu64 " bytes behind its rows, which are overwritten",
                totals.overwritten_bytes);
    fprintf(out, ", %" PRIu64 " bytes out of bounds", totals.outside_bytes);
    if (!fills(traced) && totals.outside_bytes > 0)
        fprintf(out, ", which are %s", outside_word(traced));
    if (fills(traced))
        fprintf(out, "; completes %" PRIu32 " bytes on the mbarrier", size.transaction_bytes);
    fputc('\n', out);
    write_rows_text(traced, out);
}

static void write_row_json(const struct cli_traced_operation *traced,
                           const struct tma_operation_size *size, const struct tma_row *row,
                           struct tma_json *json) {
    struct parts parts = parts_of(traced, size, row);
    tma_json_begin_line(json, NULL);
    tma_json_begin_list(json, "coordinates");
    for (uint32_t d = 0; d < traced->map->rank; d++)
        tma_json_decimal(json, NULL, (double)row->coordinates[d], 0);
    tma_json_end_array(json);
    if (row->data_bytes > 0) {
        tma_json_unsigned(json, "global_address", row->global_address);
        tma_json_unsigned(json, "shared_address", shared_of(traced, row));
    }
    tma_json_unsigned(json, "data_bytes", parts.tensor_bytes);
    if (parts.overwritten_bytes > 0)
        tma_json_unsigned(json, "overwritten_bytes", parts.overwritten_bytes);
    tma_json_unsigned(json, fills(traced) ? "fill_bytes" : "skipped_bytes", parts.outside_bytes);
    tma_json_end_object(json);
}

static void operation_json(const struct cli_traced_operation *traced, const char *key,
                           struct tma_json *json) {
    const struct tma_operation *operation = &traced->operation;
    tma_json_begin_object(json, key);
    tma_json_string(json, "direction",
                    tma_name_of(&tma_direction_names, (int)operation->direction));
    if (operation->direction == TMA_REDUCE)
        tma_json_string(json, "reduction",
                        tma_name_of(&tma_reduction_names, (int)operation->reduction));
    if (operation->access == TMA_ACCESS_GATHER4)
        tma_json_string(json, "access", "gather4");
    tma_json_bool(json, "faults", traced->code != TMA_OK);
    if (traced->code != TMA_OK) {
        tma_json_string(json, "text", traced->error.text);
        tma_json_end_object(json);
        return;
    }
    struct tma_operation_size size;
    struct parts totals = totals_of(traced, &size);
    struct tma_row_stream rows;
    struct tma_row row;
    tma_json_unsigned(json, "data_bytes", totals.tensor_bytes);
    if (tma_writes_tensor(operation->direction))
        tma_json_unsigned(json, "overwritten_bytes", totals.overwritten_bytes);
    tma_json_unsigned(json, "out_of_bounds_bytes", totals.outside_bytes);
    tma_json_unsigned(json, "transaction_bytes", size.transaction_bytes);
    tma_json_begin_array(json, "rows");
    tma_rows_begin(&rows, traced->map, operation, NULL, NULL);
    while (tma_rows_next(&rows, &row))
        write_row_json(traced, &size, &row, json);
    tma_json_end_array(json);
    tma_json_end_object(json);
}

enum { FINDING_BYTES = 600 };

struct decode_options {
    struct cli_options common;
    struct cli_operation_options operation;
    const char *map; /* the name of one of several maps; NULL: all */
};

struct decoded {
    const struct cli_dump *dump;
    struct tma_tensor_map map;
    struct tma_finding findings[TMA_MAX_FINDINGS];
    size_t finding_count;
    struct cli_map_check check;
    const struct cli_traced_operation *traced; /* of a map that is alone; or NULL */
};

/* All maps that are decoded. */
struct decoding {
    struct cli_dump dumps[CLI_MOST_DUMPS];
    struct decoded maps[CLI_MOST_DUMPS];
    struct cli_traced_operation traced;
    size_t count;
    bool compares; /* two operands */
};

static void decode(const struct cli_dump *dump, enum tma_architecture architecture,
                   enum tma_name_style names, struct decoded *decoded) {
    decoded->dump = dump;
    decoded->finding_count = tma_descriptor_decode(&dump->descriptor, &decoded->map,
                                                   decoded->findings, TMA_MAX_FINDINGS);
    cli_map_check_rules(&decoded->map, architecture, names, NULL, &decoded->check);
}

static void write_findings(const struct decoded *decoded, FILE *out) {
    for (size_t i = 0; i < decoded->finding_count; i++) {
        char text[FINDING_BYTES];
        tma_finding_text(&decoded->findings[i], text, sizeof text);
        fprintf(out, "%s: %s\n", tma_finding_is_note(&decoded->findings[i]) ? "note" : "unexpected",
                text);
    }
    cli_map_check_text(&decoded->check, NULL, 0, out);
}

static bool same_bytes(const struct decoded *a, const struct decoded *b) {
    return memcmp(&a->dump->descriptor, &b->dump->descriptor, sizeof a->dump->descriptor) == 0;
}

static void write_one(const struct decoded *decoded, FILE *out) {
    cli_map_text(&decoded->map, decoded->check.names, out);
    write_findings(decoded, out);
    if (decoded->traced != NULL)
        operation_text(decoded->traced, out);
}

static void write_text(const struct decoding *decoding, FILE *out) {
    const struct decoded *all = decoding->maps;
    size_t count = decoding->count;
    for (size_t i = 0; i < count && !decoding->compares; i++) {
        if (count > 1)
            fprintf(out, "%s%s:\n", i == 0 ? "" : "\n", all[i].dump->name);
        write_one(&all[i], out);
    }
    if (!decoding->compares)
        return;
    size_t different = cli_maps_text(&all[0].map, &all[1].map, all[0].check.names, out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "\n%s: ", i == 0 ? "left" : "right");
        write_findings(&all[i], out);
    }
    if (different > 0)
        fprintf(out, "\n%zu field%s differ%s\n", different, different == 1 ? "" : "s",
                different == 1 ? "s" : "");
    else
        fprintf(out, "\n%s\n",
                same_bytes(&all[0], &all[1]) ? "same bytes" : "same fields, different bytes");
}

static void write_json_map(const struct decoded *decoded, struct tma_json *json) {
    tma_json_string(json, "format",
                    tma_name_of(&tma_dump_format_names, (int)decoded->dump->format));
    cli_map_json(&decoded->map, decoded->check.names, "tensor_map", json);
    tma_json_begin_array(json, "findings");
    for (size_t i = 0; i < decoded->finding_count; i++) {
        char text[FINDING_BYTES];
        tma_finding_text(&decoded->findings[i], text, sizeof text);
        tma_json_string(json, NULL, text);
    }
    tma_json_end_array(json);
    cli_map_check_json(&decoded->check, NULL, 0, json);
}

static void write_json(const struct decoding *decoding, FILE *out) {
    const struct decoded *all = decoding->maps;
    size_t count = decoding->count;
    struct tma_json json = {.out = out};
    tma_json_begin_object(&json, NULL);
    if (count == 1)
        write_json_map(&all[0], &json);
    if (count == 1 && all[0].traced != NULL)
        operation_json(all[0].traced, "operation", &json);
    if (count > 1 && !decoding->compares) {
        tma_json_begin_array(&json, "tensor_maps");
        for (size_t i = 0; i < count; i++) {
            tma_json_begin_object(&json, NULL);
            tma_json_string(&json, "name", all[i].dump->name);
            write_json_map(&all[i], &json);
            tma_json_end_object(&json);
        }
        tma_json_end_array(&json);
    }
    for (size_t i = 0; decoding->compares && i < count; i++) {
        tma_json_begin_object(&json, i == 0 ? "a" : "b");
        write_json_map(&all[i], &json);
        tma_json_end_object(&json);
    }
    if (decoding->compares) {
        cli_differences_json(&all[0].map, &all[1].map, all[0].check.names, "differences", &json);
        tma_json_bool(&json, "same_bytes", same_bytes(&all[0], &all[1]));
    }
    tma_json_end_object(&json);
}

/* Judges the operation of the options, if they name one. */
static bool trace(const struct decode_options *own, struct decoded *decoded, size_t count,
                  struct cli_traced_operation *traced) {
    decoded->traced = NULL;
    if (!operation_given(&own->operation))
        return true;
    if (count != 1 || decoded->check.violation_count > 0)
        return cli_error(count != 1 ? "decode: an operation is judged on one map; --map chooses it"
                                    : "the map is illegal: decode without an operation says why");
    if (!operation_trace(&own->operation, &decoded->map, cli_architecture(&own->common, NULL),
                         traced))
        return false;
    decoded->traced = traced;
    return true;
}

static int status_of(const struct decoding *decoding) {
    const struct decoded *all = decoding->maps;
    if (decoding->compares)
        return same_bytes(&all[0], &all[1]) ? CLI_OK : CLI_DIFFERENT;
    return all[0].traced != NULL && all[0].traced->code != TMA_OK ? CLI_DIFFERENT : CLI_OK;
}

/* Of two operands, each must have one map. */
static bool read_operands(const struct decode_options *own, struct decoding *decoding) {
    static const char *const standard[] = {"-"};
    const struct cli_options *options = &own->common;
    size_t operands = options->operands.count == 0 ? 1 : options->operands.count;
    const char *const *items = options->operands.count == 0 ? standard : options->operands.items;
    decoding->compares = operands == 2;
    for (size_t i = 0; i < operands; i++) {
        struct cli_dump *dumps = decoding->dumps;
        struct cli_dump first = dumps[0];
        size_t count = cli_dumps_read(items[i], own->map, dumps);
        if (count > 1 && decoding->compares)
            cli_error("%s has %zu tensor maps; choose one with --map, \"%s\" for example", items[i],
                      count, dumps[0].name);
        if (count == 0 || (count > 1 && decoding->compares))
            return false;
        if (i == 1) {
            dumps[1] = dumps[0];
            dumps[0] = first;
        }
        decoding->count += count;
    }
    for (size_t i = 0; i < decoding->count; i++)
        decode(&decoding->dumps[i], cli_architecture(options, NULL),
               (enum tma_name_style)options->names, &decoding->maps[i]);
    return true;
}

static int decode_all(const struct decode_options *own, struct decoding *decoding) {
    const struct cli_options *options = &own->common;
    struct cli_output output;
    if (!read_operands(own, decoding) ||
        !trace(own, &decoding->maps[0], decoding->count, &decoding->traced) ||
        !cli_output_open(&output, options->output))
        return CLI_ERROR;
    bool as_json = options->json || options->format == CLI_FORMAT_JSON;
    (as_json ? write_json : write_text)(decoding, output.file);
    if (!cli_output_close(&output, true))
        return CLI_ERROR;
    return status_of(decoding);
}

static int run(const struct cli_options *options) {
    if (!cli_check_descriptor_address(options->descriptor_address))
        return CLI_ERROR;
    struct decoding *decoding = tma_allocate(1, sizeof *decoding);
    if (decoding == NULL)
        return cli_fail("out of memory");
    int status = decode_all((const struct decode_options *)options, decoding);
    tma_release(decoding);
    return status;
}

#define OPERATION_OPTION(option, meta, member, text)                                               \
    {                                                                                              \
        .name = option, .value = meta, .kind = CLI_TEXT,                                           \
        .offset = offsetof(struct decode_options, operation) +                                     \
                  offsetof(struct cli_operation_options, member),                                  \
        .help = text                                                                               \
    }

static const struct cli_option options[] = {
    CLI_OPTION_ARCHITECTURE,
    CLI_OPTION_NAMES,
    CLI_OPTION_DESCRIPTOR_ADDRESS,
    CLI_VALUE_OPTION(
        "--map", "NAME", TEXT, offsetof(struct decode_options, map),
        "decode this one of several tensor maps that encode has written; default: all"),
    OPERATION_OPTION("--load", "COORDINATES", load,
                     "say whether a load at these coordinates faults, and where its bytes go;\n"
                     "for example --load 64,8 (innermost dimension first)"),
    OPERATION_OPTION("--store", "COORDINATES", store, "the same for a store"),
    OPERATION_OPTION("--reduce", "COORDINATES", reduce, "the same for a reduction"),
    OPERATION_OPTION("--reduction", "NAME", reduction,
                     "operator of the reduction: add (default), min, max, inc, dec, and, or, xor"),
    OPERATION_OPTION("--prefetch", "COORDINATES", prefetch,
                     "the same for a prefetch into L2; of gather4 with five coordinates"),
    OPERATION_OPTION("--gather4", "COLUMN,ROWS", gather4,
                     "the same for a load of four rows; for example --gather4 0,3,17,5,9"),
    OPERATION_OPTION("--scatter4", "COLUMN,ROWS", scatter4, "the same for a store of four rows"),
    OPERATION_OPTION("--shared", "ADDRESS", shared,
                     "where the operation's tile lies in shared memory (default: 0)"),
    OPERATION_OPTION("--offsets", "W,H,D", offsets, "im2col offsets of the load, in pixels"),
    CLI_OPTION_FORMAT(&cli_format_names),
    CLI_OPTION_JSON,
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_decode = {
    .name = "decode",
    .operands = "[DUMP [DUMP]]",
    .takes_files = true,
    .summary = "Show the fields of a 128-byte tensor map, or the differences of two.",
    .details =
        "A dump is a file with the 128 bytes, as binary, as hex digits, or as the output of a "
        "debugger: 16 words\nof 64 bits or 32 words of 32 bits, with 0x; as 128 numbers of 8 bits; "
        "as xxd or hexdump -C show it; or\nwhat encode writes of several maps. Hex digits may also "
        "be the operand itself. Without an operand, or\nwith -, decode reads standard input.",
    .example = "dump.txt --load 64,8 --shared 0x400",
    .statuses = "0 decoded (two maps: same bytes), 1 the two maps differ, or the\noperation "
                "faults, 2 error or no tensor map",
    .max_operands = 2,
    CLI_RUNS_WITH(decode_options),
};
