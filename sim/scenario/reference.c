#include "scenario/reference.h"

#include "memory/machine_parameter.h"

/* Parameters of the machine have the clock that they keep their pace with. */
static void print_section(FILE *out, const struct tma_section *section, bool clocks) {
    fprintf(out, "\n## %s\n\n| key | takes | default |%s meaning |\n| --- | --- | --- |%s --- |\n",
            section->heading, clocks ? " clock |" : "", clocks ? " --- |" : "");
    for (size_t i = 0; i < section->schema.count; i++) {
        const struct tma_key *key = &section->schema.keys[i];
        fprintf(out, "| `%s` | ", key->path);
        tma_key_write_expected(key, out);
        fprintf(out, " | %s |", key->fallback == TMA_REQUIRED ? "required" : key->fallback);
        const struct tma_machine_parameter *parameter =
            clocks ? tma_machine_parameter_find(key->path) : NULL;
        if (clocks)
            fprintf(out, " %s |", parameter == NULL ? "" : tma_clock_names[parameter->clock]);
        fprintf(out, " %s |\n", key->meaning);
    }
}

void tma_section_reference(void *context, const struct tma_section *section) {
    print_section(context, section, false);
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

static void print_parameters(void *context, const struct tma_section *section) {
    print_section(context, section, true);
}

void tma_machine_reference(FILE *out) {
    tma_machine_sections(print_parameters, out);
}
