/* Paths into a document's tree: finding a value, saying where it is, setting it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/document.h"

void tma_yaml_free(struct tma_yaml_node *node) {
    while (node != NULL) {
        struct tma_yaml_node *next = node->next;
        tma_yaml_free(node->first);
        free(node->key);
        free(node->text);
        free(node);
        node = next;
    }
}

size_t tma_yaml_count(const struct tma_yaml_node *node) {
    size_t count = 0;
    for (const struct tma_yaml_node *child = node->first; child != NULL; child = child->next)
        count++;
    return count;
}

/* The index that a step of a path is; false where it is no number. */
static bool step_index(const char *step, size_t length, size_t *index) {
    *index = 0;
    for (size_t i = 0; i < length; i++) {
        if (step[i] < '0' || step[i] > '9' || i > 6)
            return false;
        *index = 10 * *index + (size_t)(step[i] - '0');
    }
    return length > 0;
}

/* Where the pointer to the child that a step names is, or is to be put. NULL: a scalar has none,
 * and a list has none at this step. */
static struct tma_yaml_node **step_into(struct tma_yaml_node *node, const char *step,
                                        size_t length) {
    struct tma_yaml_node **at = &node->first;
    if (node->kind == TMA_YAML_MAPPING) {
        while (*at != NULL &&
               (strncmp((*at)->key, step, length) != 0 || (*at)->key[length] != '\0'))
            at = &(*at)->next;
        return at;
    }
    size_t index;
    if (node->kind == TMA_YAML_SCALAR || !step_index(step, length, &index))
        return NULL;
    for (; index > 0; index--) {
        if (*at == NULL)
            return NULL;
        at = &(*at)->next;
    }
    return at;
}

/* The deepest node on the path, and what of the path is left below it ("" for none). */
static const struct tma_yaml_node *descend(const struct tma_yaml_node *node, const char **path) {
    while (**path != '\0') {
        size_t length = strcspn(*path, ".");
        /* step_into changes nothing; its result is not const for tma_yaml_set's sake. */
        struct tma_yaml_node **at = step_into((struct tma_yaml_node *)node, *path, length);
        if (at == NULL || *at == NULL)
            break;
        node = *at;
        *path += length + ((*path)[length] == '.');
    }
    return node;
}

const struct tma_yaml_node *tma_yaml_find(const struct tma_yaml_node *node, const char *path) {
    const struct tma_yaml_node *found = descend(node, &path);
    return *path == '\0' ? found : NULL;
}

struct tma_location tma_yaml_locate(const struct tma_yaml_node *node, const char *path) {
    return descend(node, &path)->at;
}

static void relocate(struct tma_yaml_node *node, struct tma_location at) {
    for (; node != NULL; node = node->next) {
        node->at = node->key_at = at;
        relocate(node->first, at);
    }
}

/* Puts `value` where *at is, in place of what is there. A mapping's child needs the key. */
static void put(struct tma_yaml_node **at, struct tma_yaml_node *value, const char *key,
                size_t length) {
    struct tma_yaml_node *old = *at;
    free(value->key);
    value->key = key == NULL ? NULL : strndup(key, length);
    value->next = NULL;
    if (old != NULL) {
        value->next = old->next;
        old->next = NULL;
        tma_yaml_free(old);
    }
    *at = value;
}

static void refuse_step(const struct tma_yaml_node *node, const char *path, size_t done,
                        size_t length, struct tma_location at, struct tma_diagnostics *list) {
    const char *step = path + done;
    int before = done == 0 ? 0 : (int)done - 1;
    if (node->kind == TMA_YAML_SCALAR)
        tma_diagnose(list, TMA_ERROR_SYNTAX, at, "%.*s is a single value: it has no \"%.*s\"",
                     before, path, (int)length, step);
    else
        tma_diagnose(list, TMA_ERROR_SYNTAX, at,
                     "%.*s is a list of %zu: \"%.*s\" is no index of it; allowed: 0 to %zu (which "
                     "appends)",
                     before, path, tma_yaml_count(node), (int)length, step, tma_yaml_count(node));
}

/* Walks down to the path's last step, makes the mappings that are missing, and puts the value
 * there. Frees the value where it has no place. */
static bool place_value(struct tma_yaml_node *node, const char *path, size_t path_length,
                        struct tma_yaml_node *value, struct tma_location at,
                        struct tma_diagnostics *list) {
    for (size_t done = 0;;) {
        size_t length = strcspn(path + done, ".=");
        struct tma_yaml_node **child = step_into(node, path + done, length);
        if (child == NULL) {
            refuse_step(node, path, done, length, at, list);
            tma_yaml_free(value);
            return false;
        }
        const char *key = node->kind == TMA_YAML_MAPPING ? path + done : NULL;
        bool last = done + length == path_length;
        if (!last && *child == NULL) {
            struct tma_yaml_node *made = calloc(1, sizeof *made);
            if (made == NULL)
                return false;
            made->kind = TMA_YAML_MAPPING;
            relocate(made, at);
            put(child, made, key, length);
        }
        if (last) {
            put(child, value, key, length);
            return true;
        }
        node = *child;
        done += length + 1;
    }
}

bool tma_yaml_set(struct tma_yaml_node *root, const char *setting, const char *place,
                  struct tma_diagnostics *list) {
    struct tma_location at = {place, 0, 0};
    const char *equals = strchr(setting, '=');
    if (equals == NULL || equals == setting) {
        tma_diagnose(list, TMA_ERROR_SYNTAX, at,
                     "\"%s\" is not path=value, as in workload.pipeline.depth=8", setting);
        return false;
    }
    struct tma_yaml_node *value = tma_yaml_parse(equals + 1, strlen(equals + 1), place, list);
    if (value == NULL)
        return false;
    relocate(value, at);
    return place_value(root, setting, (size_t)(equals - setting), value, at, list);
}
