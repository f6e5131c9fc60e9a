#include "scenario/extend.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocation.h"
#include "base/utf8.h"
#include "scenario/config_path.h"
#include "scenario/document.h"

static const char key[] = "extends";

void tma_bases_free(struct tma_bases *bases) {
    for (size_t i = 0; i < bases->count; i++)
        tma_release(bases->paths[i]);
    bases->count = 0;
}

char *tma_path_beside(const char *base, const char *path) {
    const char *slash = strrchr(base, '/');
    bool has_folder =
        slash != NULL && strncmp(base, "/dev/", 5) != 0 && strncmp(base, "/proc/self/fd/", 14) != 0;
    if (path[0] == '/' || !has_folder)
        return tma_copy_text(path);
    size_t folder = (size_t)(slash - base) + 1;
    char *joined = tma_allocate(folder + strlen(path) + 1, 1);
    if (joined != NULL) {
        memcpy(joined, base, folder);
        strcpy(joined + folder, path);
    }
    return joined;
}

static const struct {
    const char *one, *many;
    const char *folders[3]; /* where one is found by its name; NULL ends the list */
} kinds[] = {
    [TMA_BASE_SCENARIO] = {"scenario", "scenarios", {"kernels", "scenarios"}},
    [TMA_BASE_MACHINE] = {"machine", "machines", {"gpus"}},
};

/* Whether a file lies in a folder, or in one below. */
static bool is_inside(const char *folder, const char *path) {
    char outer[PATH_MAX], inner[PATH_MAX];
    if (realpath(folder, outer) == NULL || realpath(path, inner) == NULL)
        return false;
    size_t length = strcmp(outer, "/") == 0 ? 0 : strlen(outer);
    return strncmp(outer, inner, length) == 0 && inner[length] == '/';
}

/* A file whose keys are others is something else. */
static bool has_keys(const struct tma_yaml_node *document, const struct tma_schema *schema) {
    for (const struct tma_yaml_node *node = document->first; node != NULL; node = node->next)
        if (strcmp(node->key, key) != 0 && !tma_schema_has(schema, node->key))
            return false;
    return true;
}

/* Adds an error about the file, without its text. */
static void refuse(const struct tma_diagnostics *own, const char *path, enum tma_base_kind kind,
                   struct tma_diagnostics *list) {
    const struct tma_diagnostic *first = own->count > 0 ? &own->items[0] : NULL;
    struct tma_location at = {path, 0, 0};
    if (first != NULL && first->at.line > 0)
        at = (struct tma_location){path, first->at.line, first->at.column};
    if (tma_diagnostics_lack_memory(own))
        tma_diagnose(list, TMA_ERROR_MEMORY, at, "out of memory");
    else if (first != NULL && first->at.line == 0)
        tma_diagnose(list, first->code, at, "%s", first->text);
    else
        tma_diagnose(list, TMA_ERROR_SYNTAX, at, "this is not a %s", kinds[kind].one);
}

struct tma_yaml_node *tma_base_read(const char *path, enum tma_base_kind kind, bool own,
                                    const struct tma_bases *bases, struct tma_location at,
                                    struct tma_diagnostics *list) {
    struct tma_diagnostics errors = {0};
    if (bases->folder != NULL && !own && !is_inside(bases->folder, path)) {
        if (bases->folder[0] == '\0')
            tma_diagnose(list, TMA_ERROR_FILE, at, "no folder is given in which files may be read");
        else
            tma_diagnose(list, TMA_ERROR_FILE, at, "this is no file in the folder %s",
                         bases->folder);
        return NULL;
    }
    struct tma_yaml_node *document = tma_yaml_read(path, &errors);
    if (document == NULL || !has_keys(document, bases->schemas[kind])) {
        refuse(&errors, path, kind, list);
        tma_yaml_free(document);
        document = NULL;
    }
    tma_diagnostics_free(&errors);
    return document;
}

/* The path of the file that a document extends: one that is found by its name, or one beside it. */
static char *find_base(struct tma_location at, enum tma_base_kind kind, const char *text,
                       bool *own) {
    char found[TMA_PATH_TEXT_BYTES];
    *own = tma_config_find_word(text, kinds[kind].folders, found);
    return *own ? tma_copy_text(found) : tma_path_beside(at.file, text);
}

bool tma_base_exists(struct tma_location at, const char *name, enum tma_base_kind kind,
                     const char *text, const char *path, struct tma_diagnostics *list) {
    struct tma_suggestion suggestion = {.wanted = text};
    if (strpbrk(text, "/.") != NULL || access(path, F_OK) == 0)
        return true;
    char folder[TMA_PATH_TEXT_BYTES];
    if (!tma_config_find(kinds[kind].folders[0], folder))
        return tma_diagnose(list, TMA_ERROR_FILE, at,
                            "%s is \"%.*s\", but configs/%s is not near the command, nor where "
                            "TMASIM_PATH says; expected the path of a file",
                            name, tma_text_cut(text, 60), text, kinds[kind].folders[0]);
    tma_config_suggest(&suggestion, kinds[kind].folders);
    return tma_diagnose(
        list, TMA_ERROR_FILE, at,
        "%s is \"%.*s\", which names no %s; %sexpected its name or the path of a file", name,
        tma_text_cut(text, 60), text, kinds[kind].one, tma_hint_of(&suggestion).text);
}

/* Moves the children of `own` into `base`, key by key. Frees what they replace. */
static void join(struct tma_yaml_node *base, struct tma_yaml_node *own) {
    while (own->first != NULL) {
        struct tma_yaml_node *child = own->first;
        own->first = child->next;
        struct tma_yaml_node **link = &base->first;
        while (*link != NULL && strcmp((*link)->key, child->key) != 0)
            link = &(*link)->next;
        struct tma_yaml_node *old = *link;
        if (old != NULL && old->kind == TMA_YAML_MAPPING && child->kind == TMA_YAML_MAPPING) {
            join(old, child);
            child->next = NULL;
            tma_yaml_free(child);
            continue;
        }
        child->next = old == NULL ? NULL : old->next;
        *link = child;
        if (old != NULL) {
            old->next = NULL;
            tma_yaml_free(old);
        }
    }
    base->at = own->at;
}

/* Reads the file that `extends` names. NULL with the error in the list. */
static struct tma_yaml_node *read_base(const struct tma_yaml_node *extends, enum tma_base_kind kind,
                                       struct tma_bases *bases, struct tma_diagnostics *list) {
    if (extends->kind != TMA_YAML_SCALAR) {
        tma_diagnose(list, TMA_ERROR_SYNTAX, extends->at,
                     "extends is not a single value; expected the path or the name of a %s",
                     kinds[kind].one);
        return NULL;
    }
    if (bases->count == TMA_MOST_BASES) {
        tma_diagnose(list, TMA_ERROR_SYNTAX, extends->at,
                     "%s extend each other too often; allowed: %d times, and not in a circle",
                     kinds[kind].many, TMA_MOST_BASES);
        return NULL;
    }
    bool own;
    char *path = find_base(extends->at, kind, extends->text, &own);
    if (path == NULL) {
        tma_diagnose(list, TMA_ERROR_MEMORY, extends->at, "out of memory");
        return NULL;
    }
    bases->paths[bases->count++] = path;
    if (bases->folder == NULL &&
        !tma_base_exists(extends->at, "extends", kind, extends->text, path, list))
        return NULL;
    struct tma_yaml_node *base = tma_base_read(path, kind, own, bases, extends->at, list);
    if (base == NULL)
        tma_diagnose(list, TMA_ERROR_FILE, extends->at,
                     "extends names a file that cannot be read or parsed");
    return base;
}

struct tma_yaml_node *tma_document_extend(struct tma_yaml_node *document, enum tma_base_kind kind,
                                          struct tma_bases *bases, struct tma_diagnostics *list) {
    if (document == NULL || document->kind != TMA_YAML_MAPPING)
        return document;
    struct tma_yaml_node *extends = tma_yaml_take(document, key);
    if (extends == NULL)
        return document;
    struct tma_yaml_node *base = read_base(extends, kind, bases, list);
    tma_yaml_free(extends);
    base = tma_document_extend(base, kind, bases, list);
    if (base == NULL)
        return document;
    join(base, document);
    tma_yaml_free(document);
    return base;
}
