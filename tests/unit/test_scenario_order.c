/* The order in which a scenario lists its roles, maps, rings, buffers, barriers and keys decides
 * nothing: every kernel that we ship, and random ones, with the entries of all mappings shuffled,
 * have the same events, results and reports. Reports list things in the order of the scenario, so
 * their lines are compared as a set. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "engine/roles/kernel_run.h"
#include "experiment/experiment.h"
#include "machine.h"
#include "random_kernels.h"
#include "report/report.h"
#include "scenario/document.h"
#include "scenario/kernel_program.h"
#include "scenario/text_file.h"

enum { SHUFFLES = 3, RANDOM_KERNELS = 200, MOST_LINES = 4096 };

/* A run, as far as it can be compared. */
struct outcome {
    enum tma_error_code code;
    struct tma_error error;
    uint64_t events; /* the sum of their digests: their order in a cycle is that of the listing */
    struct tma_result result; /* its roles in the order of their names */
    uint64_t experiments;     /* a digest of what each saves */
    char *lines;              /* of the report, sorted */
    const struct tma_scenario *scenario;
};

/* The document as a text with the entries of all mappings shuffled, and the names of barriers. A
 * parameter has to stand behind those that it uses. */
static void write_shuffled(const struct tma_yaml_node *node, bool shuffles, uint64_t *state,
                           FILE *out) {
    const struct tma_yaml_node *children[512];
    size_t count = 0;
    if (node->kind == TMA_YAML_SCALAR) {
        fputc('"', out);
        for (const char *c = node->text; *c != '\0'; c++)
            if (*c == '\n')
                fputs("\\n", out);
            else
                fprintf(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        fputc('"', out);
        return;
    }
    for (const struct tma_yaml_node *child = node->first; child != NULL; child = child->next) {
        ck_assert_uint_lt(count, TABLE_ROWS(children));
        children[count++] = child;
    }
    bool mapping = node->kind == TMA_YAML_MAPPING;
    for (size_t i = count; shuffles && i > 1; i--) {
        size_t other = (size_t)random_between(state, 0, (int64_t)i - 1);
        const struct tma_yaml_node *swapped = children[i - 1];
        children[i - 1] = children[other];
        children[other] = swapped;
    }
    fputc(mapping ? '{' : '[', out);
    for (size_t i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", out);
        if (mapping)
            fprintf(out, "\"%s\": ", children[i]->key);
        bool any_order = children[i]->kind == TMA_YAML_MAPPING
                             ? !mapping || strcmp(children[i]->key, "parameters") != 0
                             : mapping && strcmp(children[i]->key, "barriers") == 0;
        write_shuffled(children[i], any_order, state, out);
    }
    fputc(mapping ? '}' : ']', out);
}

static char *shuffle(const char *text, const char *name, uint64_t *state) {
    struct tma_diagnostics list = {0};
    struct tma_yaml_node *root = tma_yaml_parse_mapping(text, strlen(text), name, &list);
    char *shuffled = NULL;
    size_t length;
    FILE *out = open_memstream(&shuffled, &length);
    ck_assert(root != NULL && out != NULL);
    write_shuffled(root, true, state, out);
    fclose(out);
    tma_yaml_free(root);
    tma_diagnostics_free(&list);
    return shuffled;
}

static void mix(uint64_t *digest, uint64_t word) {
    *digest = (*digest ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    *digest ^= *digest >> 29;
}

static void mix_text(uint64_t *digest, const char *text) {
    for (; *text != '\0'; text++)
        mix(digest, (unsigned char)*text);
}

/* Digests an event with names in the place of numbers that follow the listing. */
static void digest_event(void *context, const struct tma_event *event) {
    struct outcome *outcome = context;
    const struct tma_kernel *kernel = &outcome->scenario->program->kernel;
    uint64_t digest = 0, figures[TMA_EVENT_FIGURES];
    memcpy(figures, event->figures, sizeof figures);
    if (event->kind == TMA_EVENT_MBARRIER) {
        uint32_t stage = event->slot, ring = 0;
        for (; stage >= kernel->rings[ring].depth; ring++)
            stage -= kernel->rings[ring].depth;
        mix_text(&digest, kernel->rings[ring].name);
        mix(&digest, stage);
    } else if (event->kind != TMA_EVENT_CTA_START && event->kind != TMA_EVENT_CTA_END) {
        mix_text(&digest, kernel->roles[event->slot].name);
    }
    if (event->kind == TMA_EVENT_ISSUE) {
        mix_text(&digest, outcome->scenario->map_names[figures[1]]);
        figures[1] = 0;
    }
    const uint64_t words[] = {event->cycle, event->sm,  event->cta, event->kind,
                              figures[0],   figures[1], figures[2], figures[3]};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        mix(&digest, words[i]);
    outcome->events += digest;
}

static int compare_lines(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the lines of a text; without the commas at their ends. */
static char *sort_lines(char *text) {
    static char *lines[MOST_LINES];
    size_t count = 0, length = strlen(text), used = 0;
    char *sorted = calloc(length + 2, 1);
    ck_assert_ptr_nonnull(sorted);
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        size_t end = strlen(line);
        if (end > 0 && line[end - 1] == ',')
            line[end - 1] = '\0';
        ck_assert_uint_lt(count, MOST_LINES);
        lines[count++] = line;
    }
    qsort(lines, count, sizeof *lines, compare_lines);
    for (size_t i = 0; i < count; i++)
        used += (size_t)sprintf(sorted + used, "%s\n", lines[i]);
    free(text);
    return sorted;
}

static char *report_lines(const struct tma_scenario *scenario, const struct tma_machine *machine,
                          const struct tma_result *result) {
    const int json = 1;
    struct tma_report_input input = {.scenario = "order",
                                     .machine = machine,
                                     .kernel = &scenario->program->kernel,
                                     .result = result,
                                     .map_names = scenario->map_names};
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    ck_assert_ptr_nonnull(out);
    tma_report_write(&input, json, out);
    fclose(out);
    return sort_lines(text);
}

/* Where a ring comes in the order of the names. */
static uint32_t place_of_ring(const struct tma_kernel *kernel, uint32_t ring) {
    uint32_t place = 0;
    for (uint32_t i = 0; i < kernel->ring_count; i++)
        place += strcmp(kernel->rings[i].name, kernel->rings[ring].name) < 0;
    return place;
}

/* Puts the roles and the rings of a result in the order of their names. */
static void order_roles(const struct tma_kernel *kernel, struct tma_result *result) {
    struct tma_result listed = *result;
    uint32_t order[TMA_MAX_ROLES];
    tma_kernel_role_order(kernel, order);
    for (uint32_t r = 0; r < kernel->role_count; r++) {
        memcpy(result->role_cycles[r], listed.role_cycles[order[r]], sizeof listed.role_cycles[r]);
        for (uint32_t ring = 0; ring < kernel->ring_count; ring++)
            result->ring_cycles[r][place_of_ring(kernel, ring)] =
                listed.ring_cycles[order[r]][ring];
    }
    /* Consumers are numbered as they are listed; the report has their lines. */
    memset(result->consumers, 0, sizeof result->consumers);
    /* It has numbers of lines. */
    memset(result->first_race, 0, sizeof result->first_race);
}

static void try_experiments(const struct tma_machine *machine, const struct tma_kernel *kernel,
                            const struct tma_result *result, struct outcome *outcome) {
    static struct tma_experiments experiments;
    const struct tma_experiment_subject subject = {
        .machine = machine, .kind = &tma_kernel_kind, .workload = kernel};
    ck_assert_int_eq(tma_experiments_run(&subject, result, 0, &experiments, NULL), TMA_OK);
    for (size_t i = 0; i < experiments.count; i++) {
        uint64_t digest = 0;
        mix_text(&digest, experiments.items[i].relief->key);
        mix_text(&digest, experiments.items[i].change);
        mix(&digest, experiments.items[i].cycles.mean);
        outcome->experiments += digest;
    }
}

/* How a kernel is run. */
struct way {
    const struct tma_machine *machine; /* NULL: the scenario's */
    const char *const *settings;
    size_t setting_count;
    bool sampled, with_experiments;
};

static char refusal[TMA_ERROR_TEXT_BYTES]; /* why the last scenario was refused */

/* Reads and runs a kernel. False where it is refused. */
static bool run(const char *text, const char *name, const struct way *way,
                struct outcome *outcome) {
    static struct tma_scenario scenario;
    const struct tma_event_sink sink = {digest_event, outcome};
    const struct tma_watch watch = {.sampling =
                                        way->sampled ? TMA_SAMPLING_USUAL : TMA_SAMPLING_NONE};
    memset(outcome, 0, sizeof *outcome);
    if (!read_scenario_text(text, name, way->settings, way->setting_count, &scenario, refusal)) {
        tma_scenario_free(&scenario);
        return false;
    }
    const struct tma_machine *machine = way->machine == NULL ? &scenario.machine : way->machine;
    struct tma_kernel *kernel = &scenario.program->kernel;
    kernel->allow_races = true; /* many random ones have some */
    outcome->scenario = &scenario;
    outcome->code = tma_kernel_run_watched(machine, kernel, way->sampled ? NULL : &sink, &watch,
                                           &outcome->result, NULL, &outcome->error);
    if (outcome->code == TMA_OK) {
        outcome->lines = report_lines(&scenario, machine, &outcome->result);
        if (way->with_experiments)
            try_experiments(machine, kernel, &outcome->result, outcome);
        order_roles(kernel, &outcome->result);
    }
    tma_scenario_free(&scenario);
    return true;
}

/* Which of several faults comes first is left open, as roles execute ahead of time. */
static void expect_same(const char *name, const char *text, const char *shuffled,
                        const struct outcome *a, const struct outcome *b) {
    ck_assert_msg(a->code == b->code, "%s: codes %d and %d: %s%s\n%.1500s\n%.1500s", name, a->code,
                  b->code, a->error.text, b->error.text, text, shuffled);
    if (a->code != TMA_OK) {
        ck_assert_msg(a->code == TMA_ERROR_FAULT || strcmp(a->error.text, b->error.text) == 0,
                      "%s: %s / %s\n%.1500s\n%.1500s", name, a->error.text, b->error.text, text,
                      shuffled);
        return;
    }
    ck_assert_msg(
        a->result.cycles == b->result.cycles, "%s: %llu and %llu cycles\n%.1500s\n%.1500s", name,
        (unsigned long long)a->result.cycles, (unsigned long long)b->result.cycles, text, shuffled);
    ck_assert_msg(a->events == b->events, "%s: events differ\n%.1500s\n%.1500s", name, text,
                  shuffled);
    ck_assert_msg(memcmp(&a->result, &b->result, sizeof a->result) == 0,
                  "%s: results differ\n%.1500s\n%.1500s", name, text, shuffled);
    ck_assert_msg(strcmp(a->lines, b->lines) == 0, "%s: reports differ:\n%.1500s\n%.1500s", name,
                  a->lines, b->lines);
    ck_assert_msg(a->experiments == b->experiments, "%s: experiments differ", name);
}

/* Runs a kernel as it is and shuffled. */
static void try_orders(const char *text, const char *name, const struct way *way, int shuffles,
                       uint64_t *state) {
    static struct outcome listed, other;
    if (!run(text, name, way, &listed))
        return;
    for (int i = 0; i < shuffles; i++) {
        char *shuffled = shuffle(text, name, state);
        ck_assert_msg(run(shuffled, name, way, &other), "%.3000s: refused: %s", shuffled, refusal);
        expect_same(name, text, shuffled, &listed, &other);
        free(shuffled);
        free(other.lines);
    }
    ck_assert_msg(!way->sampled || listed.result.sampled.skipped_cycles > 0, "%s: nothing skipped",
                  name);
    free(listed.lines);
}

/* Runs the kernel of a file, as try_orders. */
static void try_file(const char *path, const struct way *way, int shuffles, uint64_t *state) {
    char *text;
    size_t length;
    ck_assert_int_eq(tma_text_read(path, &text, &length, NULL), TMA_OK);
    try_orders(text, path, way, shuffles, state);
    free(text);
}

/* All kernels of a folder. */
static void try_folder(const char *folder, const struct way *way, int shuffles) {
    uint64_t state = 1;
    DIR *directory = opendir(folder);
    ck_assert_ptr_nonnull(directory);
    int tried = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        char path[300];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (strstr(entry->d_name, ".yaml") == NULL || tried++ % case_step() != 0)
            continue;
        try_file(path, way, shuffles, &state);
    }
    closedir(directory);
    ck_assert_int_gt(tried, 4);
}

TEST(orders_of_scenarios) {
    try_folder("configs/scenarios/kernels", &(struct way){.with_experiments = true}, 1);
}

/* Whole runs take a minute. */
TEST(orders_of_the_library) {
    if (getenv("KERNELS") == NULL)
        return;
    try_folder("configs/kernels", &(struct way){0}, 1);
}

/* Runs that leave out CTAs, or iterations of loops. */
static const struct {
    const char *path;
    const char *settings[5];
    size_t setting_count;
} sampled_runs[] = {
    {"configs/kernels/gemm.yaml", {"kernel.sms=4", "M=1024", "N=1024", "K=2048", "WARPS=8"}, 5},
    {"configs/kernels/gemm.yaml", {"kernel.sms=4", "M=2048", "N=1024", "K=4096"}, 4},
    {"configs/scenarios/kernels/dynamic_tiles.yaml", {"TILES=6000"}, 1},
};

TEST(orders_of_sampled_runs) {
    uint64_t state = 5;
    for (int i = 0; i < TABLE_ROWS(sampled_runs); i += case_step())
        try_file(sampled_runs[i].path,
                 &(struct way){.settings = sampled_runs[i].settings,
                               .setting_count = sampled_runs[i].setting_count,
                               .sampled = true},
                 1, &state);
}

/* These have statements of several roles in one cycle. */
TEST(orders_of_inputs_that_went_wrong) {
    static const char *const paths[] = {
        "tests/cli/kernels/arrive_last.yaml", "tests/cli/kernels/arrive_first.yaml",
        "tests/cli/kernels/prefetch_at_end.yaml", "tests/cli/kernels/reduce_fills.yaml"};
    uint64_t state = 3;
    for (int i = 0; i < TABLE_ROWS(paths); i++)
        try_file(paths[i], &(struct way){0}, SHUFFLES, &state);
}

TEST(orders_of_random_kernels) {
    static struct yaml_text yaml;
    struct tma_machine machine = small_machine();
    uint64_t state = first_random_state(7);
    int count = kernels_to_try(RANDOM_KERNELS);
    for (int i = 0; i < count; i++) {
        draw_kernel_text(&state, i, &yaml);
        machine.topology.seed = (uint32_t)(i % 4);
        try_orders(yaml.bytes, "random", &(struct way){.machine = &machine}, SHUFFLES, &state);
    }
}

TEST_SUITE("order of scenarios", .timeout = 3600,
           .prepare = load_engine); /* sanitizers are slow, and a soak takes long */
