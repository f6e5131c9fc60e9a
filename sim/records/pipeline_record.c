/* The kernel of a record is that of the program which took it: one producer warp fills a ring, and
 * consumer warps empty it. Each part of it is beside the function that writes it. */
#include "records/pipeline_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "engine/roles/mma.h"

/* Where the tensors lie; the program gives each 3 GiB. */
static const uint64_t tensor_address = UINT64_C(0x7f0000000000);
#define TENSOR_BYTES (UINT64_C(3) << 30)

enum { ELEMENT_BYTES = 2, STORE_COLUMNS = 64, ALIGNMENT = 1024 };

/* The words of the scenario column. */
struct words {
    uint32_t loads, store, depth, ktiles, tm, tn, order, compute, epi, bm, bn, bk, cluster, mc,
        warps, mma, per_sm, l2, cold, grid;
};

struct pipeline_writer {
    struct words words;
    const struct tma_machine *machine;
    const char *text;
    FILE *out;
    struct tma_error *error;
    enum tma_error_code code;
};

static uint32_t read_word(struct pipeline_writer *writer, const char *key, uint32_t least,
                          uint32_t most, uint32_t fallback) {
    char text[64];
    int64_t value = fallback;
    if (tma_find_key_value(writer->text, key, text, sizeof text) &&
        (tma_parse_list(text, &value, 1) != 1 || value < least || value > most)) {
        if (writer->code == TMA_OK)
            writer->code =
                tma_fail(writer->error, TMA_ERROR_SYNTAX,
                         "%s=%s in the scenario column; expected an integer from %u to %u", key,
                         text, least, most);
        return least;
    }
    return (uint32_t)value;
}

static void read_words(struct pipeline_writer *writer) {
    struct words *words = &writer->words;
    words->loads = read_word(writer, "loads", 1, 2, 2);
    words->store = read_word(writer, "store", 0, 2, 0);
    words->depth = read_word(writer, "depth", 1, TMA_MAX_RING_DEPTH, 4);
    words->ktiles = read_word(writer, "ktiles", 1, 1 << 20, 16);
    words->tm = read_word(writer, "tm", 1, 1 << 16, 8);
    words->tn = read_word(writer, "tn", 1, 1 << 16, 8);
    words->order = read_word(writer, "order", 0, 1 << 16, 0);
    words->compute = read_word(writer, "compute", 0, 1 << 24, 0);
    words->epi = read_word(writer, "epi", 0, 1 << 24, 0);
    words->bm = read_word(writer, "bm", 1, 256, 128);
    words->bn = read_word(writer, "bn", 1, 256, 128);
    words->bk = read_word(writer, "bk", 8, 64, 64);
    words->cluster = read_word(writer, "cluster", 1, TMA_MAX_CLUSTER, 1);
    words->mc = read_word(writer, "mc", 0, 1, 0);
    words->mma = read_word(writer, "mma", 0, 256, 0);
    words->warps = words->mma > 0 ? words->bm / TMA_MMA_ROWS * TMA_WARP_GROUP_WARPS
                                  : read_word(writer, "warps", 1, 31, TMA_WARP_GROUP_WARPS);
    words->per_sm = read_word(writer, "per_sm", 1, 32, 1);
    words->l2 = read_word(writer, "l2", 0, 3, 3);
    words->cold = read_word(writer, "cold", 0, 1, 0);
    words->grid = read_word(writer, "grid", 1, TMA_LIMIT_RECORD_CTAS, 132);
    uint64_t stages = (uint64_t)words->tm * words->tn * words->ktiles;
    if (writer->code == TMA_OK && stages > TMA_LIMIT_RECORD_OPERATIONS)
        writer->code = tma_fail(writer->error, TMA_ERROR_SYNTAX,
                                "%" PRIu64 " stages in the scenario column; allowed: %d", stages,
                                TMA_LIMIT_RECORD_OPERATIONS);
}

static uint32_t align(uint32_t bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static uint32_t a_bytes(const struct words *words) {
    return align(words->bm * words->bk * ELEMENT_BYTES);
}

static uint32_t b_bytes(const struct words *words) {
    return align(words->bn * words->bk * ELEMENT_BYTES);
}

static uint32_t b_rows(const struct words *words) {
    return words->mc ? words->bn / words->cluster : words->bn;
}

static void write_map(const struct pipeline_writer *writer, uint32_t tensor, uint64_t columns,
                      uint64_t rows, uint32_t box_columns, uint32_t box_rows) {
    uint32_t promotion = writer->words.l2;
    fprintf(writer->out,
            "  %c: {data_type: float16, global_dim: [%" PRIu64 ", %" PRIu64
            "], global_strides: [%" PRIu64 "], global_address: 0x%" PRIx64 ", box_dim: [%" PRIu32
            ", %" PRIu32 "], swizzle: %s",
            'A' + (char)tensor, columns, rows, columns * ELEMENT_BYTES,
            tensor_address + tensor * TENSOR_BYTES, box_columns, box_rows,
            box_columns == 64   ? "128b"
            : box_columns == 32 ? "64b"
                                : "32b");
    if (promotion > 0)
        fprintf(writer->out, ", l2_promotion: %s",
                tma_name_of(&tma_l2_promotion_names, (int)promotion));
    fputs("}\n", writer->out);
}

static void write_maps(const struct pipeline_writer *writer) {
    const struct words *words = &writer->words;
    uint64_t k = (uint64_t)words->ktiles * words->bk, m = (uint64_t)words->tm * words->bm,
             n = (uint64_t)words->tn * words->bn;
    fputs("tensor_maps:\n", writer->out);
    write_map(writer, 0, k, m, words->bk, words->bm);
    write_map(writer, 1, k, n, words->bk, b_rows(words));
    if (words->store == 1)
        write_map(writer, 2, n, m, STORE_COLUMNS, words->bm);
    else if (words->store == 2)
        write_map(writer, 2, k, m, words->bk, words->bm);
}

static void write_kernel(const struct pipeline_writer *writer) {
    const struct words *words = &writer->words;
    FILE *out = writer->out;
    uint32_t stage = a_bytes(words) + (words->loads > 1 ? b_bytes(words) : 0),
             output = words->store == 1 ? words->bm * words->bn * ELEMENT_BYTES : 0;
    fprintf(out,
            "\nkernel:\n  ctas: %" PRIu32 "\n  cluster: %" PRIu32 "\n  ctas_per_sm: %" PRIu32
            "\n  shared_memory: %" PRIu32 "\n  initial_cache: %s\n",
            words->grid, words->cluster, words->per_sm, words->depth * stage + output,
            words->cold ? "cold" : "warm");
    fprintf(out, "  rings:\n    stages: {stages: %" PRIu32 ", operands: {A: %" PRIu32, words->depth,
            a_bytes(words));
    if (words->loads > 1)
        fprintf(out, ", B: %" PRIu32, b_bytes(words));
    fputs(words->mc ? "}, release_to: all}\n" : "}}\n", out);
    if (output > 0)
        fprintf(out, "  buffers:\n    output: %" PRIu32 "\n  barriers: [epilogue]\n", output);
}

/* A role that takes tile by tile, and each in steps along K. */
static void begin_role(const struct pipeline_writer *writer, const char *name, uint32_t warps) {
    const struct words *words = &writer->words;
    char group[16] = "all";
    if (words->order > 0)
        snprintf(group, sizeof group, "%" PRIu32, words->order);
    fprintf(writer->out,
            "    %s:\n      warps: %" PRIu32 "\n      program:\n"
            "        - for: {tile: {m: %" PRIu32 ", n: %" PRIu32
            ", group_m: %s, schedule: persistent}}\n          do:\n",
            name, warps, words->tm, words->tn, group);
}

static void begin_steps(const struct pipeline_writer *writer) {
    fprintf(writer->out, "            - for: {k: %" PRIu32 "}\n              do:\n",
            writer->words.ktiles);
}

static void write_cycles(const struct pipeline_writer *writer, int indent, uint64_t cycles) {
    if (cycles > 0)
        fprintf(writer->out, "%*s- cycles: %" PRIu64 "\n", indent, "", cycles);
}

/* The warps read the clock in a loop until so many cycles have passed. */
static void write_loop(const struct pipeline_writer *writer, int indent, uint64_t cycles) {
    uint64_t step = writer->machine->warp.spin_step_cycles;
    write_cycles(writer, indent, (cycles + step - 1) / step * step);
}

/* A division for tiles in the order of one dimension; groups of tiles take two. */
static void write_place(const struct pipeline_writer *writer) {
    uint64_t divisions = writer->words.order == 0 ? 1 : 2;
    write_cycles(writer, 12, divisions * writer->machine->warp.place_cycles);
}

/* The producer loads a box of A and, with two loads, one of B: in a cluster, its part of B for all.
 */
static void write_producer(const struct pipeline_writer *writer) {
    const struct words *words = &writer->words;
    FILE *out = writer->out;
    begin_role(writer, "producer", 1);
    write_place(writer);
    begin_steps(writer);
    fprintf(out,
            "                - acquire: stages\n"
            "                - load: {map: A, into: stages.A, at: [k * %" PRIu32 ", m * %" PRIu32
            "]}\n",
            words->bk, words->bm);
    if (words->loads == 1)
        return;
    fputs("                - load: {map: B, into: stages.B, ", out);
    if (words->mc)
        fprintf(out,
                "offset: rank * %" PRIu32 ", at: [k * %" PRIu32 ", n * %" PRIu32
                " + rank * %" PRIu32 "], multicast: all}\n",
                b_rows(words) * words->bk * ELEMENT_BYTES, words->bk, words->bn, b_rows(words));
    else
        fprintf(out, "at: [k * %" PRIu32 ", n * %" PRIu32 "]}\n", words->bk, words->bn);
}

/* A consumer with wgmma leaves one group in flight, and releases the stage before. */
static void write_products(const struct pipeline_writer *writer) {
    const struct words *words = &writer->words;
    fprintf(writer->out,
            "                - mma: {shape: [%" PRIu32 ", %" PRIu32 ", %" PRIu32
            "], a: stages.A%s, type: float16, in_flight: 1}\n"
            "                - if: k > 0\n                  then:\n"
            "                    - release: {ring: stages, behind: 1}\n",
            words->bm, words->mma, words->bk, words->loads > 1 ? ", b: stages.B" : "");
}

/* Another one spins; a copy then stores the stage, and waits until it has been read. */
static void write_spin(const struct pipeline_writer *writer) {
    const struct words *words = &writer->words;
    write_loop(writer, 16, words->compute);
    if (words->store == 2)
        fprintf(writer->out,
                "                - store: {map: C, from: stages.A, at: [k * %" PRIu32
                ", m * %" PRIu32 "]}\n                - commit\n"
                "                - wait_stores: {until: read, in_flight: 0}\n",
                words->bk, words->bm);
    fputs("                - release: stages\n", writer->out);
}

/* The epilogue: the warps meet, and one thread stores the tile of C, in boxes of 64 columns, after
 * the one before has been read. */
static void write_epilogue(const struct pipeline_writer *writer) {
    const struct words *words = &writer->words;
    FILE *out = writer->out;
    if (words->mma > 0)
        fputs("            - wait_mma: 0\n            - release: stages\n", out);
    write_loop(writer, 12, words->epi);
    if (words->store != 1)
        return;
    fputs("            - sync: epilogue\n            - wait_stores: {until: read, in_flight: 0}\n",
          out);
    for (uint32_t j = 0; j < words->bn / STORE_COLUMNS; j++) {
        fputs("            - store: {map: C, from: output, ", out);
        if (j > 0)
            fprintf(out, "offset: %" PRIu32 ", ", j * words->bm * STORE_COLUMNS * ELEMENT_BYTES);
        fprintf(out, "at: [n * %" PRIu32 " + %d, m * %" PRIu32 "]}\n", words->bn,
                (int)j * STORE_COLUMNS, words->bm);
    }
    fputs("            - commit\n", out);
}

static void write_consumer(const struct pipeline_writer *writer) {
    const struct words *words = &writer->words;
    begin_role(writer, "consumer", words->warps);
    if (words->store > 0)
        write_place(writer);
    begin_steps(writer);
    fputs("                - wait: stages\n", writer->out);
    (words->mma > 0 ? write_products : write_spin)(writer);
    write_epilogue(writer);
    if (words->store > 0)
        fputs("        - wait_stores: {until: complete, in_flight: 0}\n", writer->out);
}

enum tma_error_code tma_pipeline_record_write(const struct tma_tsv *records, size_t row,
                                              const struct tma_machine *machine, const char *name,
                                              const char *gpu, FILE *out, struct tma_error *error) {
    struct pipeline_writer writer = {.text = tma_tsv_cell(records, row, "scenario"),
                                     .machine = machine,
                                     .out = out,
                                     .error = error};
    read_words(&writer);
    if (writer.code != TMA_OK)
        return writer.code;
    fprintf(out, "name: %.39s\ngpu: %s\n\n", name, gpu);
    write_maps(&writer);
    write_kernel(&writer);
    fputs("  roles:\n", out);
    write_producer(&writer);
    write_consumer(&writer);
    return TMA_OK;
}

enum tma_error_code tma_pipeline_record_read(const struct tma_tsv *records, size_t row,
                                             const struct tma_machine *machine,
                                             struct tma_scenario *scenario,
                                             struct tma_error *error) {
    enum { MOST_BYTES = 4096 };
    char text[MOST_BYTES];
    struct tma_diagnostics list = {0};
    FILE *out = fmemopen(text, sizeof text, "w");
    memset(scenario, 0, sizeof *scenario);
    if (out == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    enum tma_error_code code =
        tma_pipeline_record_write(records, row, machine, "record", "h200", out, error);
    if (fclose(out) != 0 || code != TMA_OK)
        return code != TMA_OK ? code : tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    if (!tma_scenario_read_text(text, "record", NULL, 0, scenario, &list))
        code = tma_diagnostics_lack_memory(&list)
                   ? tma_fail(error, TMA_ERROR_MEMORY, "out of memory")
                   : tma_fail(error, TMA_ERROR_SYNTAX, "%.180s",
                              list.count > 0 ? list.items[0].text : "not a scenario");
    tma_diagnostics_free(&list);
    return code;
}
