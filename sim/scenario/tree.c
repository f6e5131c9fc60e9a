#include "scenario/tree.h"

#include <string.h>

#include "base/allocation.h"

void tma_yaml_free(struct tma_yaml_node *node) {
    while (node != NULL) {
        struct tma_yaml_node *next = node->next;
        tma_yaml_free(node->first);
        TMA_RELEASE(node->key, node->text, node);
        node = next;
    }
}

size_t tma_yaml_count(const struct tma_yaml_node *node) {
    size_t count = 0;
    for (const struct tma_yaml_node *child = node->first; child != NULL; child = child->next)
        count++;
    return count;
}

/* Parses a step of a path as an index. Returns false if it is not a number. */
static bool parse_index(const char *step, size_t length, size_t *index) {
    *index = 0;
    for (size_t i = 0; i < length; i++) {
        if (step[i] < '0' || step[i] > '9' || i > 6)
            return false;
        *index = 10 * *index + (size_t)(step[i] - '0');
    }
    return length > 0;
}

struct tma_yaml_node **tma_yaml_child_link(struct tma_yaml_node *node, const char *step,
                                           size_t length) {
    struct tma_yaml_node **link = &node->first;
    if (node->kind == TMA_YAML_MAPPING) {
        while (*link != NULL &&
               (strncmp((*link)->key, step, length) != 0 || (*link)->key[length] != '\0'))
            link = &(*link)->next;
        return link;
    }
    size_t index;
    if (node->kind == TMA_YAML_SCALAR || !parse_index(step, length, &index))
        return NULL;
    for (; index > 0; index--) {
        if (*link == NULL)
            return NULL;
        link = &(*link)->next;
    }
    return link;
}

/* Returns the deepest node on the path, and advances *path to the part below that node ("" if the
 * whole path exists). */
static const struct tma_yaml_node *descend(const struct tma_yaml_node *node, const char **path) {
    while (**path != '\0') {
        size_t length = strcspn(*path, ".");
        /* tma_yaml_child_link changes nothing; it is not const so that tma_yaml_set can use it. */
        struct tma_yaml_node **link =
            tma_yaml_child_link((struct tma_yaml_node *)node, *path, length);
        if (link == NULL || *link == NULL)
            break;
        node = *link;
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

struct tma_yaml_node *tma_yaml_take(struct tma_yaml_node *mapping, const char *key) {
    struct tma_yaml_node **link = tma_yaml_child_link(mapping, key, strlen(key));
    struct tma_yaml_node *child = *link;
    if (child != NULL) {
        *link = child->next;
        child->next = NULL;
    }
    return child;
}
