#include "engine/roles/statement_label.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "placement/operation_words.h"

static const char *word_of_operation(const struct tma_statement *operation) {
    enum tma_direction direction = operation->operation.direction;
    switch (operation->lanes.by) {
    case TMA_BY_TMA:
        break;
    case TMA_BY_BULK:
        return "bulk";
    case TMA_BY_CP_ASYNC:
        return "cp_async";
    case TMA_BY_WARPS:
        if (direction == TMA_REDUCE)
            return "atomic";
        break;
    }
    return tma_name_of(&tma_direction_names, (int)direction);
}

static const char *word_of_work(const struct tma_statement *statement) {
    switch (statement->work) {
    case TMA_WORK_CYCLES:
        return "cycles";
    case TMA_WORK_MMA:
        return "mma";
    case TMA_WORK_INSTRUCTIONS:
        return "compute";
    case TMA_WORK_SHARED:
        return "shared_wavefronts";
    case TMA_WORK_CONSUMER:
        break;
    }
    return "access";
}

const char *tma_statement_word(const struct tma_statement *statement) {
    switch (statement->kind) {
    case TMA_STATEMENT_FOR:
    case TMA_STATEMENT_TILES:
        return "for";
    case TMA_STATEMENT_IF:
        return "if";
    case TMA_STATEMENT_AHEAD:
        return "ahead";
    case TMA_STATEMENT_EXIT:
        return "exit";
    case TMA_STATEMENT_ACQUIRE:
        return "acquire";
    case TMA_STATEMENT_SIGNAL:
        return "signal";
    case TMA_STATEMENT_WAIT:
        return "wait";
    case TMA_STATEMENT_RELEASE:
        return "release";
    case TMA_STATEMENT_OPERATION:
        return word_of_operation(statement);
    case TMA_STATEMENT_COMPUTE:
        return word_of_work(statement);
    case TMA_STATEMENT_WAIT_MMA:
        return "wait_mma";
    case TMA_STATEMENT_COMMIT:
        return "commit";
    case TMA_STATEMENT_WAIT_STORES:
        return "wait_stores";
    case TMA_STATEMENT_WAIT_LOADS:
        return "wait_loads";
    case TMA_STATEMENT_EXCHANGE:
        return statement->lanes.by == TMA_BY_BULK ? "bulk" : "dsmem";
    case TMA_STATEMENT_BARRIER:
        return statement->arrive_only ? "arrive" : "sync";
    case TMA_STATEMENT_ADD_FLAG:
        return "add_flag";
    case TMA_STATEMENT_WAIT_FLAG:
        return "wait_flag";
    case TMA_STATEMENT_KIND_COUNT:
        break;
    }
    return "";
}

/* Text that grows up to the size of an array. */
struct label {
    char *text;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void add(struct label *label, const char *format,
                                                      ...) {
    va_list values;
    va_start(values, format);
    int length = vsnprintf(label->text + label->used, label->size - label->used, format, values);
    va_end(values);
    size_t left = label->size - 1 - label->used;
    label->used += length > 0 && (size_t)length < left ? (size_t)length : left;
}

static void add_ring(struct label *label, const struct tma_kernel *kernel, uint32_t ring,
                     uint32_t stage) {
    add(label, " %s", kernel->rings[ring].name);
    if (stage != TMA_NO_SPAN_STAGE)
        add(label, "[%" PRIu32 "]", stage);
}

static void add_place(struct label *label, const struct tma_kernel *kernel,
                      const struct tma_shared_place *place, uint32_t stage) {
    if (place->kind == TMA_PLACE_RING)
        add_ring(label, kernel, place->index, stage);
    else if (place->kind == TMA_PLACE_BUFFER)
        add(label, " %s", kernel->buffers[place->index].name);
}

static void add_operation(struct label *label, const struct tma_kernel *kernel,
                          const char *const *map_names, const struct tma_statement *statement,
                          uint32_t stage) {
    add(label, " %s", map_names[statement->map]);
    if (statement->ring == TMA_NO_RING && statement->buffer == TMA_NO_RING)
        return;
    add(label, statement->operation.direction == TMA_LOAD ? " into" : " from");
    if (statement->ring != TMA_NO_RING)
        add_ring(label, kernel, statement->ring, stage);
    else
        add(label, " %s", kernel->buffers[statement->buffer].name);
}

void tma_statement_label(const struct tma_kernel *kernel, const char *const *map_names,
                         const struct tma_span_place *place, char *text, size_t size) {
    const struct tma_statement *statement = &kernel->statements[place->statement - 1];
    struct label label = {text, size, 0};
    add(&label, "%s", tma_statement_word(statement));
    if (statement->kind == TMA_STATEMENT_OPERATION)
        add_operation(&label, kernel, map_names, statement, place->stage);
    else if (statement->kind == TMA_STATEMENT_EXCHANGE)
        add_place(&label, kernel, &statement->touched, place->stage);
    else if (statement->kind == TMA_STATEMENT_COMPUTE)
        add_place(&label, kernel,
                  statement->work == TMA_WORK_MMA ? &statement->operands[TMA_MMA_B].place
                                                  : &statement->touched,
                  place->stage);
    else if (statement->kind == TMA_STATEMENT_BARRIER)
        add(&label, " %s", kernel->barriers[statement->barrier].name);
    else if (statement->kind == TMA_STATEMENT_ADD_FLAG ||
             statement->kind == TMA_STATEMENT_WAIT_FLAG)
        add(&label, " %s", kernel->flags[statement->flag].name);
    else if (statement->ring != TMA_NO_RING)
        add_ring(&label, kernel, statement->ring, place->stage);
    for (uint32_t i = place->loops.count; i-- > 0;)
        add(&label, ", %s = %" PRId64, kernel->variables[place->loops.variables[i]],
            place->loops.values[i]);
}
