#include "scenario/reference.h"

#include "memory/machine_parameter.h"

void tma_section_reference(void *context, const struct tma_section *section) {
    FILE *out = context;
    fprintf(out, "\n## %s\n\n| key | takes | default | meaning |\n| --- | --- | --- | --- |\n",
            section->heading);
    for (size_t i = 0; i < section->schema.count; i++) {
        const struct tma_key *key = &section->schema.keys[i];
        fprintf(out, "| `%s` | ", key->path);
        tma_key_write_expected(key, out);
        fprintf(out, " | %s | %s |\n", key->fallback == TMA_REQUIRED ? "required" : key->fallback,
                key->meaning);
    }
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

void tma_scenario_reference(FILE *out) {
    tma_scenario_sections(tma_section_reference, out);
}

void tma_kernel_reference(FILE *out) {
    tma_kernel_sections(tma_section_reference, out);
    print_statements(out);
    tma_statement_sections(tma_section_reference, out);
}

/* Each key has the clock that it keeps its pace with. */
static void print_parameters(void *context, const struct tma_section *section) {
    FILE *out = context;
    fprintf(out,
            "\n## %s\n\n| key | takes | default | clock | meaning |\n"
            "| --- | --- | --- | --- | --- |\n",
            section->heading);
    for (size_t i = 0; i < section->schema.count; i++) {
        const struct tma_key *key = &section->schema.keys[i];
        const struct tma_machine_parameter *parameter = tma_machine_parameter_find(key->path);
        fprintf(out, "| `%s` | ", key->path);
        tma_key_write_expected(key, out);
        fprintf(out, " | %s | %s | %s |\n",
                key->fallback == TMA_REQUIRED ? "required" : key->fallback,
                parameter == NULL ? "" : tma_clock_names[parameter->clock], key->meaning);
    }
}

void tma_machine_reference(FILE *out) {
    tma_machine_sections(print_parameters, out);
}
