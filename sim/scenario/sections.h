/* The sections of scenario and machine files: each kind of mapping, with the table of its keys. The
 * references, the man pages, the completion of --set and the JSON Schema are made from them. */
#pragma once

#include <stdio.h>

#include "scenario/schema.h"

struct tma_section {
    const char *name;    /* of the kind of mapping, one word: "tensor_map" */
    const char *heading; /* "`tensor_maps.NAME`: a tensor map" */
    struct tma_schema schema;
};

/* The section is valid only during the call. */
typedef void (*tma_section_visitor)(void *context, const struct tma_section *section);

/* The file itself, tensor maps, workload, operations and consumers. */
void tma_scenario_sections(tma_section_visitor visit, void *context);

/* The kernel, rings, buffers and roles. */
void tma_kernel_sections(tma_section_visitor visit, void *context);

/* The values of statements that have keys. */
void tma_statement_sections(tma_section_visitor visit, void *context);

/* The keys outside all groups, then a section for each group ("l2."). */
void tma_machine_sections(tma_section_visitor visit, void *context);

/* A kind of statement in the program of a role. */
struct statement_context;

struct tma_statement_form {
    void (*read)(struct statement_context *context, int with); /* private to the reader */
    int with;
    const char *word;        /* the key of the statement */
    const char *takes;       /* what its value is */
    const char *beside;      /* keys beside it, such as "do, ahead"; "": none */
    const char *meaning;     /* what the role does */
    const char *instruction; /* the instructions or calls of CUDA that it stands for */
    const char *cost;        /* the keys of the machine that say what it costs */
};

extern const struct tma_statement_form tma_statement_forms[];
extern const size_t tma_statement_form_count;

/* The references of scenario files and machine files, made from the schemas that read them. */

/* All write Markdown tables to `out`, one row per key: what it takes, its default, its meaning. */
void tma_scenario_reference(FILE *out);
void tma_machine_reference(FILE *out);
void tma_kernel_reference(FILE *out);

/* The table of one section, for files that other folders read. `context` is the FILE. */
void tma_section_reference(void *context, const struct tma_section *section);
