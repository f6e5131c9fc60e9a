/* The reference of kernels: their keys and statements, from the tables that read them. */
#include <string.h>

#include "scenario/kernel_reader.h"
#include "scenario/reference.h"

static void print_keys(const struct tma_schema *schema, const char *heading, FILE *out) {
    fprintf(out, "\n## %s\n\n| key | takes | default | meaning |\n| --- | --- | --- | --- |\n",
            heading);
    for (size_t i = 0; i < schema->count; i++)
        tma_reference_key(&schema->keys[i], out);
}

static void print_statements(FILE *out) {
    fprintf(out, "\n## Statements\n\n| statement | takes | beside it | what the role does | stands "
                 "for | costs |\n| --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < tma_statement_form_count; i++) {
        const struct tma_statement_form *form = &tma_statement_forms[i];
        fprintf(out, "| `%s` | %s | %s | %s | %s | %s |\n", form->word, form->takes, form->beside,
                form->meaning, form->instruction, form->cost);
    }
}

void tma_kernel_reference(FILE *out) {
    struct tma_key access_keys[TMA_MAX_ACCESS_KEYS];
    struct tma_schema access = {access_keys, tma_access_keys(access_keys)};
    print_keys(&tma_kernel_schema, "`kernel`: the kernel", out);
    print_keys(&tma_ring_schema, "`kernel.rings.NAME`: a ring", out);
    print_keys(&tma_buffer_schema, "`kernel.buffers.NAME`: a buffer in the memory of a ring", out);
    print_keys(&tma_role_schema, "`kernel.roles.NAME`: a role", out);
    print_statements(out);
    print_keys(&tma_tiles_schema, "`for: {VARIABLE: {...}}`: output tiles", out);
    print_keys(&tma_tile_operation_schema, "`load`, `store`, `reduce`, `prefetch`", out);
    print_keys(&tma_mma_schema, "`mma`", out);
    print_keys(&tma_release_schema, "`release`", out);
    print_keys(&tma_wait_stores_schema, "`wait_stores`", out);
    print_keys(&access, "`access`", out);
}
