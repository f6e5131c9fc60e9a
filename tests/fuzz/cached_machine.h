/* Scenarios of the fuzzers name a machine file, and most inputs leave it as it is. It is read and
 * checked once: a scenario without a setting "gpu..." then gets a short document and the machine,
 * which is not described again either.
 * Fuzzers of machine files call tma_machine_from themselves, with documents of their own.
 *
 * The linker puts these functions in the place of the library's (--wrap, in the Makefile). */
#pragma once

#include "fuzz.h"
#include "scenario/document.h"
#include "scenario/machine_file.h"

/* Set while an input is read whose settings change the machine. */
static bool machine_is_set;

static struct {
    struct tma_machine machine;
    bool known;
    const struct tma_yaml_node *document; /* the short one that stands for the machine's */
} cached_machine;

static const char cached_path[] = "configs/gpus/h200.yaml";

struct tma_yaml_node *__real_tma_yaml_read(const char *path, struct tma_diagnostics *list);
bool __real_tma_machine_from(const struct tma_yaml_node *root, struct tma_machine *machine,
                             struct tma_diagnostics *list);
void __real_tma_machine_describe(const struct tma_machine *machine,
                                 const struct tma_describer *describer);

static inline void read_cached_machine(void) {
    struct tma_diagnostics list = {0};
    struct tma_yaml_node *root = __real_tma_yaml_read(cached_path, &list);
    FUZZ_ASSERT(root != NULL && __real_tma_machine_from(root, &cached_machine.machine, &list));
    tma_yaml_free(root);
    cached_machine.known = true;
}

static inline bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

struct tma_yaml_node *__wrap_tma_yaml_read(const char *path, struct tma_diagnostics *list);
struct tma_yaml_node *__wrap_tma_yaml_read(const char *path, struct tma_diagnostics *list) {
    if (machine_is_set || !ends_with(path, cached_path))
        return __real_tma_yaml_read(path, list);
    if (!cached_machine.known)
        read_cached_machine();
    static const char text[] = "name: cached";
    struct tma_yaml_node *document = tma_yaml_parse_mapping(text, sizeof text - 1, path, list);
    cached_machine.document = document;
    return document;
}

bool __wrap_tma_machine_from(const struct tma_yaml_node *root, struct tma_machine *machine,
                             struct tma_diagnostics *list);
bool __wrap_tma_machine_from(const struct tma_yaml_node *root, struct tma_machine *machine,
                             struct tma_diagnostics *list) {
    if (root != cached_machine.document)
        return __real_tma_machine_from(root, machine, list);
    *machine = cached_machine.machine;
    cached_machine.document = NULL;
    return true;
}

void __wrap_tma_machine_describe(const struct tma_machine *machine,
                                 const struct tma_describer *describer);
void __wrap_tma_machine_describe(const struct tma_machine *machine,
                                 const struct tma_describer *describer) {
    if (strcmp(machine->name, cached_machine.machine.name) != 0 || machine_is_set)
        __real_tma_machine_describe(machine, describer);
    else
        describer->visit(describer->context, "gpu.name", machine->name);
}
