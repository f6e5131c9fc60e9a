/* Finds the rings, operands, buffers and barriers that the statements of a kernel name. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "scenario/kernel_reader.h"
#include "scenario/suggestion.h"

/* The names that may stand in a place, for a message about another one. */
struct candidates {
    struct tma_suggestion suggestion;
    char text[384]; /* "a, b": those that there is room for */
};

static void add(struct candidates *candidates, const char *front, const char *name) {
    size_t length = strlen(candidates->text);
    tma_suggest(&candidates->suggestion, name);
    if (length + strlen(front) + TMA_KERNEL_NAME + 4 < sizeof candidates->text)
        snprintf(candidates->text + length, sizeof candidates->text - length, "%s%s%s",
                 length == 0 ? "" : ", ", front, name);
}

/* Says that a name is none of the candidates. Returns false. */
static bool refuse(struct tma_kernel_reader *reader, const struct tma_yaml_node *node,
                   const char *name, const char *what, const struct candidates *candidates) {
    bool none = candidates->text[0] == '\0';
    return tma_diagnose(reader->list, TMA_ERROR_SYNTAX, node->at, "\"%.60s\" is %s; %s%s%s", name,
                        what, tma_hint_of(&candidates->suggestion).text,
                        none ? "the kernel has none" : "expected one of: ", candidates->text);
}

/* Finds a name among `count` names that lie `pitch` bytes apart. Returns false, with an error. */
static bool find(struct tma_kernel_reader *reader, const struct tma_yaml_node *node,
                 const char *what, const char *name, const char *names, size_t pitch,
                 uint32_t count, uint8_t *index) {
    struct candidates candidates = {.suggestion.wanted = name};
    for (uint32_t i = 0; i < count; i++, names += pitch) {
        *index = (uint8_t)i;
        if (strcmp(names, name) == 0)
            return true;
        add(&candidates, "", names);
    }
    return refuse(reader, node, name, what, &candidates);
}

bool tma_find_ring(struct tma_kernel_reader *reader, const struct tma_yaml_node *node,
                   const char *name, uint8_t *ring) {
    return find(reader, node, "not a ring", name, reader->kernel->rings[0].name,
                sizeof(struct tma_ring), reader->kernel->ring_count, ring);
}

bool tma_find_flag(struct tma_kernel_reader *reader, const struct tma_yaml_node *node,
                   const char *name, uint8_t *flag) {
    return find(reader, node, "not a flag", name, reader->kernel->flags[0].name,
                sizeof(struct tma_flag), reader->kernel->flag_count, flag);
}

bool tma_find_barrier(struct tma_kernel_reader *reader, const struct tma_yaml_node *node,
                      const char *name, uint8_t *barrier) {
    return find(reader, node, "not a barrier", name, reader->kernel->barriers[0].name,
                sizeof(struct tma_named_barrier), reader->kernel->barrier_count, barrier);
}

/* Finds the operand of a ring. "" is its only one. */
static bool find_operand(struct tma_kernel_reader *reader, const struct tma_yaml_node *node,
                         uint8_t ring, const char *name, uint8_t *operand) {
    struct candidates candidates = {.suggestion.wanted = name};
    const char *ring_name = reader->kernel->rings[ring].name;
    char front[TMA_KERNEL_NAME + 2];
    uint32_t count = 0;
    snprintf(front, sizeof front, "%s.", ring_name);
    for (uint32_t i = 0; i < reader->operand_count; i++) {
        const struct tma_ring_operand *candidate = &reader->operands[i];
        if (candidate->ring != ring)
            continue;
        *operand = (uint8_t)i;
        count++;
        if (strcmp(candidate->name, name) == 0)
            return true;
        add(&candidates, front, candidate->name);
    }
    if (name[0] == '\0' && count == 1)
        return true;
    bool close = candidates.suggestion.best[0] != '\0';
    return tma_diagnose(
        reader->list, TMA_ERROR_SYNTAX, node->at,
        "\"%.60s\" does not name an operand of ring %s; %s%s%s%sexpected one of: %s", node->text,
        ring_name, close ? "did you mean \"" : "", close ? front : "", candidates.suggestion.best,
        close ? "\"? " : "", candidates.text);
}

bool tma_find_place(struct tma_kernel_reader *reader, const struct tma_yaml_node *node,
                    const char *name, uint8_t *ring, uint8_t *operand, uint8_t *buffer) {
    const struct tma_kernel *kernel = reader->kernel;
    char ring_name[96];
    snprintf(ring_name, sizeof ring_name, "%.*s", (int)strcspn(name, "."), name);
    const char *rest = name + strlen(ring_name) + (name[strlen(ring_name)] == '.');
    *ring = *buffer = TMA_NO_RING;
    *operand = TMA_NO_OPERAND;
    for (uint32_t i = 0; i < kernel->buffer_count; i++)
        if (strcmp(kernel->buffers[i].name, name) == 0) {
            *buffer = (uint8_t)i;
            return true;
        }
    struct candidates candidates = {.suggestion.wanted = ring_name};
    for (uint32_t i = 0; i < kernel->ring_count + kernel->buffer_count; i++) {
        const char *candidate = i < kernel->ring_count
                                    ? kernel->rings[i].name
                                    : kernel->buffers[i - kernel->ring_count].name;
        if (i < kernel->ring_count && strcmp(candidate, ring_name) == 0) {
            *ring = (uint8_t)i;
            return find_operand(reader, node, *ring, rest, operand);
        }
        add(&candidates, "", candidate);
    }
    return refuse(reader, node, name, "neither a ring nor a buffer", &candidates);
}

void tma_statement_diagnose(struct tma_kernel_reader *reader, uint32_t statement,
                            const char *format, ...) {
    char text[TMA_ERROR_TEXT_BYTES + 128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tma_diagnose(reader->list, TMA_ERROR_ARGUMENT, reader->notes[statement].node->at, "%s", text);
}
