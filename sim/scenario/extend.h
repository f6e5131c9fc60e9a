/* Scenarios, and machines within them, that extend others: `extends: FILE`. */
#pragma once

#include "base/diagnostics.h"
#include "scenario/schema.h"
#include "scenario/tree.h"

enum { TMA_MOST_BASES = 8 };

/* What a document can extend: files of its own kind. */
enum tma_base_kind { TMA_BASE_SCENARIO, TMA_BASE_MACHINE };

/* The paths of the files that a document extends. Locations in the document borrow them. */
struct tma_bases {
    const struct tma_schema *schemas[2]; /* by enum tma_base_kind: the keys of such a file */
    char *paths[TMA_MOST_BASES];         /* owned */
    size_t count;
    const char *folder; /* borrowed: where files may lie that are read, but for those of the
                           project; NULL: anywhere; "": nowhere */
};

void tma_bases_free(struct tma_bases *bases);

/* Reads a file that a document, or a request of another program, names. `at` is the place of its
 * name. Returns NULL with the error in the list if it lies outside of the folder, unless it is one
 * of the project's `own`, or is none of its kind: then no word of it is in the error, as its
 * content is not for whoever named it. */
struct tma_yaml_node *tma_base_read(const char *path, enum tma_base_kind kind, bool own,
                                    const struct tma_bases *bases, struct tma_location at,
                                    struct tma_diagnostics *list);

/* Puts what the document's `extends` names below the document: its own values replace those of the
 * same key, and mappings are joined key by key. Takes the document, and returns the joined one.
 * NULL if it is NULL; where a file cannot be read, the error is in the list, and the document comes
 * back as it is. */
struct tma_yaml_node *tma_document_extend(struct tma_yaml_node *document, enum tma_base_kind kind,
                                          struct tma_bases *bases, struct tma_diagnostics *list);

/* `text` is the value of a key that names a document, and `path` where it should be. Returns false
 * if it is a word that names no file of the project and no file there; then the error, with the
 * name that may have been meant, is in the list. */
bool tma_base_exists(struct tma_location at, const char *name, enum tma_base_kind kind,
                     const char *text, const char *path, struct tma_diagnostics *list);

/* Returns `path`, made relative to the folder of the file `base` unless it is absolute. Files that
 * have no folder, such as /dev/stdin, leave it as it is. The caller frees it. NULL when out of
 * memory. */
char *tma_path_beside(const char *base, const char *path);
