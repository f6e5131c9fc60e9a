#include "scenario/setting.h"

#include <string.h>

#include "base/allocation.h"
#include "scenario/clock_keys.h"
#include "scenario/document.h"

/* Gives a node, its children and its later siblings one location. */
static void relocate(struct tma_yaml_node *node, struct tma_location at) {
    for (; node != NULL; node = node->next) {
        node->at = node->key_at = at;
        node->text_column = 0;
        relocate(node->first, at);
    }
}

/* Links `value` at *link and frees the node that was there. `key` is the child's key in a mapping,
 * NULL in a list. Returns false, and changes nothing, when out of memory. */
static bool replace_child(struct tma_yaml_node **link, struct tma_yaml_node *value, const char *key,
                          size_t length) {
    struct tma_yaml_node *old = *link;
    char *copy = key == NULL ? NULL : tma_copy_bytes(key, length);
    if (key != NULL && copy == NULL)
        return false;
    tma_release(value->key);
    value->key = copy;
    value->next = NULL;
    if (old != NULL) {
        value->next = old->next;
        old->next = NULL;
        tma_yaml_free(old);
    }
    *link = value;
    return true;
}

static void diagnose_step(const struct tma_yaml_node *node, const char *path, size_t done,
                          size_t length, struct tma_location at, struct tma_diagnostics *list) {
    const char *step = path + done;
    int before = done == 0 ? 0 : (int)done - 1;
    if (node->kind == TMA_YAML_SCALAR)
        tma_diagnose(list, TMA_ERROR_SYNTAX, at, "%.*s is a single value and has no \"%.*s\"",
                     before, path, (int)length, step);
    else
        tma_diagnose(
            list, TMA_ERROR_SYNTAX, at,
            "%.*s is a list of length %zu and has no index \"%.*s\"; allowed: 0 to %zu (the "
            "last one appends)",
            before, path, tma_yaml_count(node), (int)length, step, tma_yaml_count(node));
}

/* Frees the value that there is no memory to link. Returns false. */
static bool fail_memory(struct tma_yaml_node *value, struct tma_location at,
                        struct tma_diagnostics *list) {
    tma_yaml_free(value);
    return tma_diagnose(list, TMA_ERROR_MEMORY, at, "out of memory");
}

/* Links the value at `path`, and creates the mappings that are missing on the way. Takes ownership
 * of the value: frees it on failure. */
static bool place_value(struct tma_yaml_node *node, const char *path, size_t path_length,
                        struct tma_yaml_node *value, struct tma_location at,
                        struct tma_diagnostics *list) {
    for (size_t done = 0;;) {
        size_t length = strcspn(path + done, ".=");
        struct tma_yaml_node **child = tma_yaml_child_link(node, path + done, length);
        if (child == NULL) {
            diagnose_step(node, path, done, length, at, list);
            tma_yaml_free(value);
            return false;
        }
        const char *key = node->kind == TMA_YAML_MAPPING ? path + done : NULL;
        bool last = done + length == path_length;
        if (!last && *child == NULL) {
            struct tma_yaml_node *created = tma_allocate(1, sizeof *created);
            if (created == NULL)
                return fail_memory(value, at, list);
            created->kind = TMA_YAML_MAPPING;
            relocate(created, at);
            if (!replace_child(child, created, key, length)) {
                tma_yaml_free(created);
                return fail_memory(value, at, list);
            }
        }
        if (last)
            return replace_child(child, value, key, length) || fail_memory(value, at, list);
        node = *child;
        done += length + 1;
    }
}

/* Copies a path with ".2" for "[2]", as messages about tensor maps write an index. Returns the
 * length of the copy, which is no longer than the path. */
static size_t copy_path(const char *path, size_t length, char *copy) {
    size_t copied = 0;
    for (size_t i = 0; i < length; i++) {
        size_t digits = path[i] == '[' ? strspn(path + i + 1, "0123456789") : 0;
        if (digits > 0 && copied > 0 && path[i + 1 + digits] == ']') {
            copy[copied++] = '.';
            memcpy(copy + copied, path + i + 1, digits);
            copied += digits;
            i += digits + 1;
        } else {
            copy[copied++] = path[i];
        }
    }
    copy[copied] = '\0';
    return copied;
}

bool tma_yaml_set(struct tma_yaml_node *root, const char *setting, const char *name,
                  struct tma_diagnostics *list) {
    struct tma_location at = {name, 0, 0};
    const char *equals = strchr(setting, '=');
    if (equals == NULL || equals == setting)
        return tma_diagnose(
            list, TMA_ERROR_SYNTAX, at,
            "\"%s\" is not path=value; expected, for example, workload.pipeline.depth=8", setting);
    struct tma_yaml_node *value = tma_yaml_parse(equals + 1, strlen(equals + 1), name, list);
    if (value == NULL)
        return false;
    relocate(value, at);
    char *path = tma_allocate((size_t)(equals - setting) + 1, 1);
    if (path == NULL)
        return fail_memory(value, at, list);
    size_t length = copy_path(setting, (size_t)(equals - setting), path);
    bool good = place_value(root, path, length, value, at, list);
    tma_release(path);
    return good;
}

bool tma_setting_names_clock(const char *setting, const char *key, const char *name,
                             struct tma_diagnostics *list) {
    static const char front[] = "gpu.sm_clock=";
    const char *value = setting + sizeof front - 1;
    int clock;
    if (strncmp(setting, front, sizeof front - 1) != 0 ||
        !tma_value_of(&tma_sm_clock_names, value, &clock))
        return false;
    tma_diagnose(list, TMA_ERROR_SYNTAX, (struct tma_location){name, 0, 0},
                 "gpu.sm_clock is the clock of the machine at its highest, in MHz or GHz; "
                 "did you mean %s=%s?",
                 key, value);
    return true;
}
