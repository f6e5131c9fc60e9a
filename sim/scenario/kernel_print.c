#include "scenario/kernel_print.h"

#include <inttypes.h>
#include <string.h>

#include "engine/roles/statement_label.h"
#include "scenario/clock_keys.h"
#include "scenario/kernel_reader.h"
#include "tensormap/l2_policy.h"

struct printer {
    const struct tma_kernel *kernel;
    const char *const *map_names;
    FILE *out;
};

/* True for a text that YAML would not read as one plain word in a flow mapping. */
static bool needs_quotes(const char *text) {
    bool first = (text[0] >= '0' && text[0] <= '9') || (text[0] >= 'a' && text[0] <= 'z') ||
                 (text[0] >= 'A' && text[0] <= 'Z') || text[0] == '(' || text[0] == '_';
    return !first || strpbrk(text, ",:?{}[]#") != NULL;
}

static void print_text(const struct printer *printer, const char *text) {
    fprintf(printer->out, needs_quotes(text) ? "\"%s\"" : "%s", text);
}

static void print_value(const struct printer *printer, const struct tma_value *value) {
    if (value->expression != NULL)
        print_text(printer, tma_expression_text(value->expression));
    else
        fprintf(printer->out, "%" PRId64, value->constant);
}

static bool is_zero(const struct tma_value *value) {
    return value->expression == NULL && value->constant == 0;
}

static void print_values(const struct printer *printer, const struct tma_value *values,
                         uint32_t count) {
    fputc('[', printer->out);
    for (uint32_t i = 0; i < count; i++) {
        fputs(i == 0 ? "" : ", ", printer->out);
        print_value(printer, &values[i]);
    }
    fputc(']', printer->out);
}

/* Prints the ranks of a mask that varies. Its text is the sum that the reader has made of them:
 * "pow2(rank) + pow2(0)". */
static void print_varying_ranks(const struct printer *printer, const char *sum) {
    static const char power[] = "pow2(";
    const char *joint = "[";
    for (const char *at = strstr(sum, power); at != NULL; at = strstr(at, power)) {
        unsigned depth = 1;
        const char *first = at + strlen(power), *end = first;
        for (; *end != '\0' && depth > 0; end++)
            depth = *end == '(' ? depth + 1 : *end == ')' ? depth - 1 : depth;
        fprintf(printer->out, "%s", joint);
        bool quoted = strpbrk(first, ",:?") != NULL && strpbrk(first, ",:?") < end;
        fprintf(printer->out, quoted ? "\"%.*s\"" : "%.*s", (int)(end - first) - 1, first);
        joint = ", ";
        at = end;
    }
    fputc(']', printer->out);
}

static void print_ranks(const struct printer *printer, const struct tma_value *mask) {
    uint32_t ctas = tma_kernel_cluster_ctas(printer->kernel);
    const char *joint = "";
    if (mask->expression != NULL) {
        print_varying_ranks(printer, tma_expression_text(mask->expression));
        return;
    }
    if (mask->constant == (INT64_C(1) << ctas) - 1) {
        fputs("all", printer->out);
        return;
    }
    fputc('[', printer->out);
    for (uint32_t rank = 0; rank < ctas; rank++)
        if ((mask->constant >> rank & 1) != 0) {
            fprintf(printer->out, "%s%u", joint, rank);
            joint = ", ";
        }
    fputc(']', printer->out);
}

/* True for what a map has without the key. */
static bool is_default(const char *name, const char *value) {
    if (strcmp(name, "element_strides") == 0)
        return strspn(value, "[1, ]") == strlen(value);
    if (strcmp(name, "count") == 0)
        return strcmp(value, "0") == 0 || strcmp(value, "1") == 0;
    for (size_t i = 0; i < tma_map_schema.count; i++) {
        const struct tma_key *key = &tma_map_schema.keys[i];
        if (strcmp(key->path, name) == 0)
            return key->fallback != TMA_REQUIRED && strcmp(key->fallback, value) == 0;
    }
    return false;
}

static void print_pair(void *context, const char *key, const char *value) {
    struct printer *printer = context;
    const char *name = strrchr(key, '.');
    if (value != NULL && is_default(name + 1, value))
        return;
    fprintf(printer->out, "%s%s: %s", printer->kernel == NULL ? ", " : "", name + 1,
            value == NULL ? "" : value);
    printer->kernel = NULL; /* from the second pair on */
}

static void print_maps(const struct printer *printer) {
    fputs("tensor_maps:\n", printer->out);
    for (uint32_t i = 0; i < printer->kernel->map_count; i++) {
        struct printer pairs = *printer;
        struct tma_describer describer = {print_pair, &pairs, "map"};
        fprintf(printer->out, "  %s: {", printer->map_names[i]);
        tma_map_describe(&printer->kernel->maps[i], &printer->kernel->arrays[i], &describer);
        fputs("}\n", printer->out);
    }
}

/* The operands of a ring are the places in a stage at which loads begin, and those that compute
 * statements name. They have the names of the tensor maps, if these have one place each. */
enum { MOST_OPERANDS = 64 };

struct operand {
    uint32_t offset, map; /* map: UINT32_MAX if no load begins there */
};

/* Adds a place, or the map of one that has none. */
static void add_operand(struct operand operands[MOST_OPERANDS], uint32_t *count, uint32_t offset,
                        uint32_t map) {
    uint32_t at = 0;
    while (at < *count && operands[at].offset < offset)
        at++;
    if (at < *count && operands[at].offset == offset) {
        operands[at].map = operands[at].map == UINT32_MAX ? map : operands[at].map;
        return;
    }
    if (*count == MOST_OPERANDS)
        return;
    memmove(&operands[at + 1], &operands[at], (*count - at) * sizeof *operands);
    operands[at] = (struct operand){offset, map};
    ++*count;
}

/* Returns their number. */
static uint32_t find_operands(const struct tma_kernel *kernel, uint32_t ring,
                              struct operand operands[MOST_OPERANDS]) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < kernel->statement_count; i++) {
        const struct tma_statement *statement = &kernel->statements[i];
        if (statement->kind == TMA_STATEMENT_OPERATION && statement->ring == ring &&
            statement->operation.direction == TMA_LOAD)
            add_operand(operands, &count, statement->operation.shared_address, statement->map);
        const struct tma_shared_place *places[] = {&statement->touched, &statement->source,
                                                   &statement->operands[TMA_MMA_A].place,
                                                   &statement->operands[TMA_MMA_B].place};
        for (size_t p = 0; p < sizeof places / sizeof places[0]; p++)
            if (places[p]->kind == TMA_PLACE_RING && places[p]->index == ring)
                add_operand(operands, &count, places[p]->offset_bytes, UINT32_MAX);
    }
    return count;
}

static void print_operand_name(const struct printer *printer, const struct operand *operands,
                               uint32_t number) {
    uint32_t map = operands[number].map, before = 0;
    for (uint32_t i = 0; i < number; i++)
        before += operands[i].map == map;
    fputs(map == UINT32_MAX ? "part" : printer->map_names[map], printer->out);
    if (before > 0 || map == UINT32_MAX)
        fprintf(printer->out, "_%u", number);
}

/* Prints RING.OPERAND of an offset in a stage. Returns the offset in the operand. */
static uint32_t print_operand(const struct printer *printer, uint32_t ring, uint32_t offset) {
    struct operand operands[MOST_OPERANDS];
    uint32_t count = find_operands(printer->kernel, ring, operands), at = 0;
    while (at + 1 < count && operands[at + 1].offset <= offset)
        at++;
    fputs(printer->kernel->rings[ring].name, printer->out);
    if (count == 0)
        return offset;
    fputc('.', printer->out);
    print_operand_name(printer, operands, at);
    return offset - operands[at].offset;
}

static void print_shared_place(const struct printer *printer,
                               const struct tma_shared_place *place) {
    if (place->kind == TMA_PLACE_RING)
        print_operand(printer, place->index, place->offset_bytes);
    else
        fputs(printer->kernel->buffers[place->index].name, printer->out);
}

static void print_rings(const struct printer *printer) {
    const struct tma_kernel *kernel = printer->kernel;
    if (kernel->ring_count > 0)
        fputs("  rings:\n", printer->out);
    for (uint32_t r = 0; r < kernel->ring_count; r++) {
        const struct tma_ring *ring = &kernel->rings[r];
        struct operand operands[MOST_OPERANDS];
        uint32_t count = find_operands(kernel, r, operands);
        fprintf(printer->out, "    %s: {stages: %u", ring->name, ring->depth);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t end = i + 1 < count ? operands[i + 1].offset : ring->stage_bytes;
            fputs(i == 0 ? ", operands: {" : ", ", printer->out);
            print_operand_name(printer, operands, i);
            fprintf(printer->out, ": %u%s", end - operands[i].offset, i + 1 == count ? "}" : "");
        }
        if (!is_zero(&ring->release_mask)) {
            fputs(", release_to: ", printer->out);
            print_ranks(printer, &ring->release_mask);
        }
        fprintf(printer->out, "%s}\n", ring->release_cluster ? ", release_scope: cluster" : "");
    }
}

static void print_costs(const struct tma_kernel_costs *costs, FILE *out) {
    const struct {
        const char *name;
        uint32_t cycles;
    } items[] = {
#define COST(name, compared, meaning) {#name, costs->name##_cycles},
        TMA_KERNEL_COSTS(COST)
#undef COST
    };
    const char *joint = "  costs: {";
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
        if (items[i].cycles == 0)
            continue;
        fprintf(out, "%s%s: %u cycles", joint, items[i].name, items[i].cycles);
        joint = ", ";
    }
    if (joint[0] == ',')
        fputs("}\n", out);
}

static void print_kernel(const struct printer *printer) {
    const struct tma_kernel *kernel = printer->kernel;
    FILE *out = printer->out;
    fprintf(out, "kernel:\n  ctas: %u\n", kernel->cta_count);
    if (kernel->cluster_ctas > 0)
        fprintf(out, "  cluster: %u\n", kernel->cluster_ctas);
    if (kernel->ctas_per_sm > 0)
        fprintf(out, "  ctas_per_sm: %u\n", kernel->ctas_per_sm);
    if (kernel->registers > 0)
        fprintf(out, "  registers: %u\n", kernel->registers);
    fprintf(out, "  shared_memory: %u\n", kernel->shared_bytes);
    if (kernel->sm_count > 0)
        fprintf(out, "  sms: %u\n", kernel->sm_count);
    if (kernel->sm_clock_mhz >= TMA_LEAST_SM_MHZ)
        fprintf(out, "  sm_clock: %u MHz\n", kernel->sm_clock_mhz);
    else if (kernel->sm_clock_mhz != TMA_SM_SINGLE)
        fprintf(out, "  sm_clock: %s\n",
                tma_name_of(&tma_sm_clock_names, (int)kernel->sm_clock_mhz));
    if (kernel->data != TMA_DATA_RANDOM)
        fprintf(out, "  data: %s\n", tma_name_of(&tma_operand_data_names, (int)kernel->data));
    print_costs(&kernel->costs, out);
    fprintf(out, "  initial_cache: %s\n", kernel->cold ? "cold" : "warm");
    if (kernel->table_count > 0)
        fputs("  tables:\n", out);
    for (uint32_t i = 0; i < kernel->table_count; i++) {
        const struct tma_expression_table *numbers = &kernel->tables[i].numbers;
        fprintf(out, "    %s: [", kernel->tables[i].name);
        for (uint32_t e = 0; e < numbers->count; e++)
            fprintf(out, "%s%" PRId64, e > 0 ? ", " : "", numbers->values[e]);
        fputs("]\n", out);
    }
    print_rings(printer);
    if (kernel->buffer_count > 0)
        fputs("  buffers:\n", out);
    for (uint32_t i = 0; i < kernel->buffer_count; i++)
        if (kernel->buffers[i].over > 0)
            fprintf(out, "    %s: {bytes: %u, over: %s}\n", kernel->buffers[i].name,
                    kernel->buffers[i].bytes, kernel->rings[kernel->buffers[i].over - 1].name);
        else
            fprintf(out, "    %s: %u\n", kernel->buffers[i].name, kernel->buffers[i].bytes);
    for (uint32_t i = 0; i < kernel->flag_count; i++)
        fprintf(out, "%s%s: %u%s", i == 0 ? "  flags: {" : ", ", kernel->flags[i].name,
                kernel->flags[i].count, i + 1 == kernel->flag_count ? "}\n" : "");
    for (uint32_t i = 0; i < kernel->barrier_count; i++) {
        const struct tma_named_barrier *barrier = &kernel->barriers[i];
        bool counted = kernel->barriers[0].arrivals > 0;
        fprintf(out, "%s%s",
                i > 0     ? ", "
                : counted ? "  barriers: {"
                          : "  barriers: [",
                barrier->name);
        if (counted)
            fprintf(out, ": %u", barrier->arrivals);
        fputs(i + 1 < kernel->barrier_count ? "" : counted ? "}\n" : "]\n", out);
    }
}

/* The place of a tile: RING.OPERAND or a buffer, and the offset in it. */
static void print_place(const struct printer *printer, const struct tma_statement *statement) {
    const struct tma_kernel *kernel = printer->kernel;
    uint32_t offset = statement->operation.shared_address;
    FILE *out = printer->out;
    if (statement->operation.direction == TMA_PREFETCH || statement->lanes.by == TMA_BY_WARPS)
        return;
    fputs(statement->operation.direction == TMA_LOAD ? ", into: " : ", from: ", out);
    if (statement->ring == TMA_NO_RING) {
        fputs(kernel->buffers[statement->buffer].name, out);
    } else {
        offset = print_operand(printer, statement->ring, offset);
    }
    if (offset > 0 && statement->shared_offset.expression == NULL)
        fprintf(out, ", offset: %" PRId64, offset + statement->shared_offset.constant);
    else if (offset > 0)
        fprintf(out, ", offset: \"%u + %s\"", offset,
                tma_expression_text(statement->shared_offset.expression));
    else if (!is_zero(&statement->shared_offset)) {
        fputs(", offset: ", out);
        print_value(printer, &statement->shared_offset);
    }
}

/* What lanes do, and which rows a gather takes. */
static void print_lanes(const struct printer *printer, const struct tma_statement *statement) {
    const struct tma_lanes *lanes = &statement->lanes;
    const struct tma_kernel *kernel = printer->kernel;
    FILE *out = printer->out;
    if (lanes->by == TMA_BY_WARPS && statement->operation.direction != TMA_REDUCE)
        fputs(", by: warps", out);
    if (tma_lanes_carry(lanes->by)) {
        fprintf(out, ", lane_bytes: %u", lanes->lane_bytes);
        if (lanes->order != TMA_PIECES_CONTIGUOUS)
            fprintf(out, ", lanes: %s", tma_name_of(tma_piece_order_words, (int)lanes->order));
        if (lanes->active != 0)
            fprintf(out, ", active: %u", lanes->active);
        if (lanes->caching != TMA_CACHING_ALL)
            fprintf(out, ", cache: %s", tma_name_of(tma_lane_caching_words, (int)lanes->caching));
        if (lanes->returns)
            fputs(", returns: value", out);
    }
    if (lanes->policy != TMA_L2_POLICY_NONE) {
        uint32_t part = (lanes->policy & TMA_L2_POLICY_PART) + 1;
        fprintf(out, ", l2: %s",
                tma_name_of(tma_l2_priority_words, lanes->policy & TMA_L2_POLICY_PRIMARY));
        if (part < 16)
            fprintf(out, ", l2_percent: %u", part * 100 / 16);
        if ((lanes->policy & TMA_L2_POLICY_OTHERS_FIRST) != 0)
            fputs(", l2_others: evict_first", out);
    }
    for (uint32_t i = 0; i < kernel->table_count && lanes->rows != NULL; i++)
        if (lanes->rows->values == kernel->tables[i].numbers.values)
            fprintf(out, ", table: %s", kernel->tables[i].name);
    if (!is_zero(&statement->entry)) {
        fputs(", entry: ", out);
        print_value(printer, &statement->entry);
    }
}

static void print_operation(const struct printer *printer, const struct tma_statement *statement) {
    const struct tma_operation *operation = &statement->operation;
    const struct tma_tensor_map *map = &printer->kernel->maps[statement->map];
    uint32_t rank = operation->access == TMA_ACCESS_GATHER4 ? TMA_MAX_RANK : map->rank;
    FILE *out = printer->out;
    fprintf(out, "%s: {map: %s", tma_statement_word(statement), printer->map_names[statement->map]);
    print_place(printer, statement);
    fputs(", at: ", out);
    print_values(printer, statement->coordinates, rank);
    if (operation->direction == TMA_REDUCE)
        fprintf(out, ", reduction: %s",
                tma_name_of(&tma_reduction_words, (int)operation->reduction));
    print_lanes(printer, statement);
    if (operation->access != TMA_ACCESS_TILE)
        fprintf(out, ", access: %s", tma_name_of(&tma_access_words, (int)operation->access));
    if (operation->access == TMA_ACCESS_IM2COL) {
        fputs(", im2col_offsets: ", out);
        print_values(printer, statement->im2col_offsets, map->rank - 2);
    }
    if (!is_zero(&statement->map_index)) {
        fputs(", index: ", out);
        print_value(printer, &statement->map_index);
    }
    if (!is_zero(&statement->cta_mask)) {
        fputs(", multicast: ", out);
        print_ranks(printer, &statement->cta_mask);
    }
    fputs("}\n", out);
}

static void print_mma_operands(const struct printer *printer,
                               const struct tma_statement *statement) {
    static const char *const words[TMA_MMA_OPERANDS] = {"a", "b"};
    for (int o = 0; o < TMA_MMA_OPERANDS; o++) {
        const struct tma_mma_operand *operand = &statement->operands[o];
        bool whole = !operand->mn_major && is_zero(&operand->at[0]) && is_zero(&operand->at[1]);
        if (o == TMA_MMA_A && statement->a_in_registers)
            fputs(", a: registers", printer->out);
        if (operand->place.kind == TMA_PLACE_UNNAMED)
            continue;
        fprintf(printer->out, whole ? ", %s: " : ", %s: {tile: ", words[o]);
        print_shared_place(printer, &operand->place);
        if (whole)
            continue;
        fprintf(printer->out, ", major: %s, at: ", operand->mn_major ? "mn" : "k");
        print_values(printer, operand->at, 2);
        fputc('}', printer->out);
    }
}

/* What wavefronts read or write, behind their number. */
static void print_touched(const struct printer *printer, const struct tma_statement *statement) {
    fputs(statement->writes ? ", write: " : ", read: ", printer->out);
    print_shared_place(printer, &statement->touched);
    if (!is_zero(&statement->shared_offset)) {
        fputs(", offset: ", printer->out);
        print_value(printer, &statement->shared_offset);
    }
    if (!is_zero(&statement->touched_bytes)) {
        fputs(", bytes: ", printer->out);
        print_value(printer, &statement->touched_bytes);
    }
    fputc('}', printer->out);
}

static void print_instructions(const struct printer *printer,
                               const struct tma_statement *statement) {
    const char *between = "compute: {";
    for (int i = 0; i < TMA_AMOUNTS; i++)
        if (!is_zero(&statement->amount[i])) {
            fprintf(printer->out, "%s%s: ", between, tma_instructions_schema.keys[i].path);
            print_value(printer, &statement->amount[i]);
            between = ", ";
        }
    fputs(between[0] == ',' ? "}\n" : "compute: {}\n", printer->out);
}

static void print_compute(const struct printer *printer, const struct tma_statement *statement) {
    static const char *const words[] = {
        [TMA_WORK_CYCLES] = "cycles", [TMA_WORK_SHARED] = "shared_wavefronts"};
    static const char *const types[] = {[TMA_MMA_HALF] = "float16",
                                        [TMA_MMA_TF32] = "tfloat32",
                                        [TMA_MMA_BYTE] = "float8",
                                        [TMA_MMA_NIBBLE] = "float4",
                                        [TMA_MMA_FP64] = "float64"};
    FILE *out = printer->out;
    if (statement->work == TMA_WORK_MMA) {
        fputs("mma: {shape: ", out);
        print_values(printer, statement->amount, 3);
        print_mma_operands(printer, statement);
        fprintf(out, ", type: %s, in_flight: %u}\n", types[statement->type], statement->leaving);
        return;
    }
    if (statement->work == TMA_WORK_CONSUMER) {
        fputs("access: {tile: ", out);
        print_shared_place(printer, &statement->touched);
        fprintf(out, ", instruction: %s, lanes: %s}\n",
                tma_name_of(&tma_shared_instruction_names, (int)statement->consumer.instruction),
                tma_name_of(&tma_lane_map_names, (int)statement->consumer.lanes));
        return;
    }
    if (statement->work == TMA_WORK_INSTRUCTIONS) {
        print_instructions(printer, statement);
        return;
    }
    fprintf(out, "%s: ", words[statement->work]);
    if (statement->touched.kind != TMA_PLACE_UNNAMED)
        fputs("{count: ", out);
    print_value(printer, &statement->amount[0]);
    if (statement->touched.kind != TMA_PLACE_UNNAMED)
        print_touched(printer, statement);
    fputc('\n', out);
}

static void print_loop(const struct printer *printer, const struct tma_statement *statement) {
    static const char *const schedules[] = {[TMA_TILES_ONE] = "one",
                                            [TMA_TILES_PERSISTENT] = "persistent",
                                            [TMA_TILES_DYNAMIC] = "dynamic"};
    FILE *out = printer->out;
    fprintf(out, "for: {%s: ", printer->kernel->variables[statement->variable]);
    if (statement->kind == TMA_STATEMENT_TILES) {
        fputs("{m: ", out);
        print_value(printer, &statement->tiles_m);
        fputs(", n: ", out);
        print_value(printer, &statement->tiles_n);
        fputs(", group_m: ", out);
        if (is_zero(&statement->group))
            fputs("all", out);
        else
            print_value(printer, &statement->group);
        fprintf(out, ", schedule: %s}", schedules[statement->schedule]);
    } else if (is_zero(&statement->from) && statement->step.expression == NULL &&
               statement->step.constant == 1) {
        print_value(printer, &statement->to);
    } else {
        struct tma_value range[3] = {statement->from, statement->to, statement->step};
        print_values(printer, range, 3);
    }
    fputs("}\n", out);
}

static void print_exchange(const struct printer *printer, const struct tma_statement *statement) {
    FILE *out = printer->out;
    const struct tma_lanes *lanes = &statement->lanes;
    bool copies = lanes->by == TMA_BY_BULK;
    fputs(copies ? "bulk: {rank: " : "dsmem: {rank: ", out);
    print_value(printer, &statement->peer);
    fputs(copies                                       ? ", into: "
          : statement->operation.direction == TMA_LOAD ? ", read: "
                                                       : ", write: ",
          out);
    print_shared_place(printer, &statement->touched);
    fputs(", offset: ", out);
    print_value(printer, &statement->shared_offset);
    if (!is_zero(&statement->touched_bytes)) {
        fputs(", bytes: ", out);
        print_value(printer, &statement->touched_bytes);
    }
    if (copies) {
        fputs(", from: ", out);
        print_shared_place(printer, &statement->source);
        fputs(", from_offset: ", out);
        print_value(printer, &statement->source_offset);
    } else {
        fprintf(out, ", lane_bytes: %u", lanes->lane_bytes);
    }
    if (lanes->order == TMA_PIECES_SAME)
        fprintf(out, ", lanes: same, active: %u", lanes->active);
    if (statement->operation.direction == TMA_REDUCE)
        fprintf(out, ", reduction: %s",
                tma_name_of(&tma_reduction_words, (int)statement->operation.reduction));
    fputs(lanes->returns ? ", returns: value}\n" : "}\n", out);
}

static void print_body(const struct printer *printer, uint32_t first, uint32_t end, int indent);

static void print_statement(const struct printer *printer, uint32_t index, int indent) {
    const struct tma_kernel *kernel = printer->kernel;
    const struct tma_statement *statement = &kernel->statements[index];
    const char *ring = statement->ring == TMA_NO_RING ? "" : kernel->rings[statement->ring].name;
    FILE *out = printer->out;
    uint32_t otherwise = statement->otherwise > index ? statement->otherwise : statement->end;
    fprintf(out, "%*s- ", indent, "");
    switch (statement->kind) {
    case TMA_STATEMENT_FOR:
    case TMA_STATEMENT_TILES:
        print_loop(printer, statement);
        if (statement->has_ahead)
            fprintf(out, "%*sahead: %u\n", indent + 2, "", statement->ahead);
        fprintf(out, "%*sdo:\n", indent + 2, "");
        print_body(printer, index + 1, statement->end, indent + 4);
        break;
    case TMA_STATEMENT_IF:
        fputs("if: ", out);
        print_value(printer, &statement->condition);
        fprintf(out, "\n%*sthen:\n", indent + 2, "");
        print_body(printer, index + 1, otherwise, indent + 4);
        if (otherwise < statement->end) {
            fprintf(out, "%*selse:\n", indent + 2, "");
            print_body(printer, statement->otherwise, statement->end, indent + 4);
        }
        break;
    case TMA_STATEMENT_AHEAD:
        fputs("ahead:\n", out);
        print_body(printer, index + 1, statement->end, indent + 4);
        break;
    case TMA_STATEMENT_OPERATION:
        print_operation(printer, statement);
        break;
    case TMA_STATEMENT_COMPUTE:
        print_compute(printer, statement);
        break;
    case TMA_STATEMENT_EXCHANGE:
        print_exchange(printer, statement);
        break;
    case TMA_STATEMENT_ACQUIRE:
        fprintf(out, statement->expects ? "acquire: {ring: %s, expect: " : "acquire: %s\n", ring);
        if (statement->expects) {
            print_value(printer, &statement->expect);
            fputs("}\n", out);
        }
        break;
    case TMA_STATEMENT_SIGNAL:
        fprintf(out, "signal: %s\n", ring);
        break;
    case TMA_STATEMENT_WAIT:
        fprintf(out, "wait: %s\n", ring);
        break;
    case TMA_STATEMENT_RELEASE:
        fprintf(out, statement->lag > 0 ? "release: {ring: %s, behind: %u}\n" : "release: %s\n",
                ring, statement->lag);
        break;
    case TMA_STATEMENT_WAIT_MMA:
        fprintf(out, "wait_mma: %u\n", statement->leaving);
        break;
    case TMA_STATEMENT_COMMIT:
        fputs("commit\n", out);
        break;
    case TMA_STATEMENT_WAIT_STORES:
        fprintf(out, "wait_stores: {until: %s, in_flight: %u}\n",
                statement->read_only ? "read" : "complete", statement->leaving);
        break;
    case TMA_STATEMENT_WAIT_LOADS:
        fprintf(out, "wait_loads: %u\n", statement->leaving);
        break;
    case TMA_STATEMENT_BARRIER:
        fprintf(out, "%s: %s\n", statement->arrive_only ? "arrive" : "sync",
                kernel->barriers[statement->barrier].name);
        break;
    case TMA_STATEMENT_ADD_FLAG:
    case TMA_STATEMENT_WAIT_FLAG: {
        bool adds = statement->kind == TMA_STATEMENT_ADD_FLAG;
        fprintf(out, "%s: {flag: %s, index: ", adds ? "add_flag" : "wait_flag",
                kernel->flags[statement->flag].name);
        print_value(printer, &statement->amount[0]);
        fputs(adds ? ", add: " : ", until: ", out);
        print_value(printer, &statement->amount[1]);
        fputs("}\n", out);
        break;
    }
    case TMA_STATEMENT_EXIT:
        fputs("exit\n", out);
        break;
    case TMA_STATEMENT_KIND_COUNT:
        break;
    }
}

static void print_body(const struct printer *printer, uint32_t first, uint32_t end, int indent) {
    for (uint32_t i = first; i < end; i = printer->kernel->statements[i].end)
        print_statement(printer, i, indent);
}

/* The parameters that the kernel's expressions name, once each. */
enum { MAX_PARAMETERS = 512 };

struct parameters {
    const char *names[MAX_PARAMETERS];
    uint32_t count;
    FILE *out;
};

static void print_parameter(void *context, const char *name, int64_t value) {
    struct parameters *parameters = context;
    for (uint32_t i = 0; i < parameters->count; i++)
        if (strcmp(parameters->names[i], name) == 0)
            return;
    if (parameters->count == MAX_PARAMETERS)
        return;
    fprintf(parameters->out, "%s%s: %" PRId64, parameters->count == 0 ? "parameters: {" : ", ",
            name, value);
    parameters->names[parameters->count++] = name;
}

static void print_parameters_of(struct parameters *parameters, const struct tma_value *values,
                                uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (values[i].expression != NULL)
            tma_expression_visit_constants(values[i].expression, print_parameter, parameters);
}

static void print_parameters(const struct printer *printer) {
    const struct tma_kernel *kernel = printer->kernel;
    struct parameters parameters = {.out = printer->out};
    for (uint32_t i = 0; i < kernel->ring_count; i++)
        print_parameters_of(&parameters, &kernel->rings[i].release_mask, 1);
    for (uint32_t i = 0; i < kernel->statement_count; i++) {
        const struct tma_statement *at = &kernel->statements[i];
        const struct tma_value single[] = {at->from,          at->to,        at->step,
                                           at->tiles_m,       at->tiles_n,   at->group,
                                           at->condition,     at->map_index, at->cta_mask,
                                           at->shared_offset, at->expect,    at->touched_bytes,
                                           at->entry};
        print_parameters_of(&parameters, single, sizeof single / sizeof single[0]);
        print_parameters_of(&parameters, at->coordinates, TMA_MAX_RANK);
        print_parameters_of(&parameters, at->im2col_offsets, 3);
        print_parameters_of(&parameters, at->amount, 3);
        for (int o = 0; o < TMA_MMA_OPERANDS; o++)
            print_parameters_of(&parameters, at->operands[o].at, 2);
    }
    if (parameters.count > 0)
        fputs("}\n\n", printer->out);
}

void tma_kernel_print(const struct tma_kernel *kernel, const char *const *map_names,
                      const char *gpu, FILE *out) {
    struct printer printer = {kernel, map_names, out};
    fprintf(out, "name: %s\ngpu: %s\n\n", kernel->name, gpu);
    print_parameters(&printer);
    print_maps(&printer);
    fputc('\n', out);
    print_kernel(&printer);
    fputs("  roles:\n", out);
    for (uint32_t i = 0; i < kernel->role_count; i++) {
        const struct tma_role *role = &kernel->roles[i];
        fprintf(out, "    %s:\n      warps: %u\n      program:\n", role->name, role->warps);
        print_body(&printer, role->first, role->end, 8);
    }
}
