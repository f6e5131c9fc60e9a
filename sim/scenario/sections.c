#include "scenario/sections.h"

#include <assert.h>
#include <string.h>

#include "memory/machine_parameter.h"
#include "scenario/kernel_reader.h"
#include "scenario/machine_file.h"
#include "scenario/scenario_reader.h"

static void visit_section(tma_section_visitor visit, void *context, const char *name,
                          const char *heading, const struct tma_schema *schema) {
    struct tma_section section = {name, heading, *schema};
    visit(context, &section);
}

void tma_scenario_sections(tma_section_visitor visit, void *context) {
    visit_section(visit, context, "scenario", "The scenario", &tma_scenario_schema);
    visit_section(visit, context, "requirement", "`requires`: each requirement",
                  &tma_requirement_schema);
    visit_section(visit, context, "tensor_map", "`tensor_maps.NAME`: a tensor map",
                  &tma_map_schema);
    visit_section(visit, context, "workload", "`workload`: the kernel", &tma_workload_schema);
    visit_section(visit, context, "operation", "`workload.operations`: each operation",
                  &tma_operation_schema);
    visit_section(visit, context, "consumer", "`workload.consumers`: each consumer",
                  &tma_consumer_schema);
}

void tma_kernel_sections(tma_section_visitor visit, void *context) {
    visit_section(visit, context, "kernel", "`kernel`: the kernel", &tma_kernel_schema);
    visit_section(visit, context, "table", "`kernel.tables.NAME`: a table of random numbers",
                  &tma_table_schema);
    visit_section(visit, context, "ring", "`kernel.rings.NAME`: a ring", &tma_ring_schema);
    visit_section(visit, context, "buffer", "`kernel.buffers.NAME`: a buffer with keys",
                  &tma_buffer_schema);
    visit_section(visit, context, "barrier", "`kernel.barriers.NAME`: a named barrier",
                  &tma_barrier_schema);
    visit_section(visit, context, "role", "`kernel.roles.NAME`: a role", &tma_role_schema);
}

void tma_statement_sections(tma_section_visitor visit, void *context) {
    struct tma_key access_keys[TMA_MAX_ACCESS_KEYS];
    struct tma_schema access = {access_keys, tma_access_keys(access_keys)};
    visit_section(visit, context, "tiles", "`for: {VARIABLE: {...}}`: output tiles",
                  &tma_tiles_schema);
    visit_section(visit, context, "transfer",
                  "`load`, `store`, `reduce`, `prefetch`, `cp_async`, `bulk`, `atomic`",
                  &tma_tile_operation_schema);
    visit_section(visit, context, "dsmem", "`dsmem`, and `bulk` with `rank`", &tma_dsmem_schema);
    visit_section(visit, context, "acquire", "`acquire`", &tma_acquire_schema);
    visit_section(visit, context, "mma", "`mma`", &tma_mma_schema);
    visit_section(visit, context, "mma_operand", "`a` and `b` of `mma`", &tma_mma_operand_schema);
    visit_section(visit, context, "compute", "`compute`", &tma_instructions_schema);
    visit_section(visit, context, "shared_wavefronts", "`shared_wavefronts`",
                  &tma_wavefronts_schema);
    visit_section(visit, context, "release", "`release`", &tma_release_schema);
    visit_section(visit, context, "wait_stores", "`wait_stores`", &tma_wait_stores_schema);
    visit_section(visit, context, "add_flag", "`add_flag`", &tma_add_flag_schema);
    visit_section(visit, context, "wait_flag", "`wait_flag`", &tma_wait_flag_schema);
    visit_section(visit, context, "access", "`access`", &access);
}

/* Returns the length of the group in a key's path, with its point: 3 of "l2.ways"; 0: none. */
static size_t group_length(const struct tma_key *key) {
    const char *point = strchr(key->path, '.');
    return point == NULL ? 0 : (size_t)(point - key->path) + 1;
}

static const char *group_heading(const char *path, size_t length) {
    static const struct {
        const char *group, *heading;
    } headings[] = {
        {"", "The machine"},
        {"topology.", "`topology`: where SMs are, and which CTAs they run"},
        {"tma.", "`tma`: the TMA unit of an SM, and the warps that use it"},
        {"l1.", "`l1`: the load/store unit of an SM, and its L1 cache"},
        {"dsmem.", "`dsmem`: the network between SMs of a cluster"},
        {"tlb.", "`tlb`: translation of addresses"},
        {"crossbar.", "`crossbar`: between SMs, GPCs and L2"},
        {"l2.", "`l2`: the L2 cache"},
        {"dram.", "`dram`: device memory"},
        {"shared.", "`shared`: shared memory of an SM"},
        {"warp.", "`warp`: what instructions of the warps of a kernel's roles take"},
        {"sm.", "`sm`: what an SM has for CTAs, and the rates of its units"},
        {"core.", "`core`: what instructions of compiled kernels take"},
        {"power.", "`power`: the power of the GPU, and the clock of the SMs that follows from it"},
    };
    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++)
        if (strlen(headings[i].group) == length && strncmp(headings[i].group, path, length) == 0)
            return headings[i].heading;
    return NULL;
}

void tma_machine_sections(tma_section_visitor visit, void *context) {
    for (size_t first = 0, end; first < tma_machine_schema.count; first = end) {
        const struct tma_key *key = &tma_machine_schema.keys[first];
        size_t length = group_length(key);
        end = first + 1;
        while (end < tma_machine_schema.count && group_length(key + (end - first)) == length &&
               strncmp(key->path, key[end - first].path, length) == 0)
            end++;
        const char *heading = group_heading(key->path, length);
        assert(heading != NULL); /* else a group of the table lacks its heading above */
        struct tma_schema schema = {key, end - first};
        visit_section(visit, context, "machine", heading, &schema);
    }
}

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
