/* Replays h100/pingpong.tsv: warp groups of an SM that alternate products and the instructions of a
 * softmax, free or in turns. The words of h100/pingpong_code.tsv, which say what ptxas made of each
 * kernel, become statements. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../unit/yaml_text.h"
#include "engine/roles/kernel_run.h"
#include "gpus.h"
#include "scenario/kernel_program.h"
#include "scenario/scenario.h"

enum { ROUNDS = 100, ROWS = 91, GROUP_THREADS = 128 };

/* The largest mean error, and the largest 95th percentile: today's, rounded up. */
static const double mean_ceiling = 0.037, tail_ceiling = 0.115;

static struct tma_tsv records, code;
static double predicted[ROWS];

/* The code of a record: the row with the same arguments. */
static size_t code_of(size_t row) {
    static const char *const columns[] = {"qk", "pv", "reps", "order", "exp"};
    for (size_t i = 0; i < code.rows; i++) {
        bool same = true;
        for (int c = 0; c < TABLE_ROWS(columns); c++)
            same = same &&
                   record_number(&code, i, columns[c]) == record_number(&records, row, columns[c]);
        if (same)
            return i;
    }
    ck_abort_msg("no code for row %zu", row);
}

/* The statement that a word of the code stands for. */
static void add_word(struct yaml_text *yaml, const char *word, unsigned group, bool turns) {
    static const char indent[] = "            ";
    unsigned n[5];
    if (sscanf(word, "%u,%u,%u,%u,%u", &n[0], &n[1], &n[2], &n[3], &n[4]) == 5)
        add(yaml, "%s- compute: {fma: %u, alu: %u, sfu: %u, other: %u, chain: %u}\n", indent,
            n[0] * GROUP_THREADS, n[1] * GROUP_THREADS, n[2] * GROUP_THREADS, n[3] * GROUP_THREADS,
            n[4]);
    else if (sscanf(word, "m%u", &n[0]) == 1)
        add(yaml, "%s- mma: {shape: [64, 128, %u], a: a, b: b, in_flight: 7}\n", indent, 16 * n[0]);
    else if (strcmp(word, "e") == 0)
        add(yaml, "%s- mma: {shape: [64, 8, 16], a: a, b: b, in_flight: 7}\n", indent);
    else if (strcmp(word, "w") == 0)
        add(yaml, "%s- wait_mma: 0\n", indent);
    else if (strcmp(word, "s") == 0 && turns)
        add(yaml, "%s- sync: turn_%u\n", indent, group);
    else if (strcmp(word, "a") == 0 && turns)
        add(yaml, "%s- arrive: turn_%u\n", indent, 1 - group);
    else
        ck_assert_msg(word[0] == 's' || word[0] == 'a', "word %s", word);
}

/* A wgmma takes three instructions of its warps, one of which is its own. */
static void write_kernel(struct yaml_text *yaml, size_t row) {
    unsigned groups = record_number(&records, row, "groups");
    bool turns = groups == 2 && record_number(&records, row, "order") > 0;
    size_t at = code_of(row);
    yaml->used = 0;
    add(yaml, "name: pingpong\ngpu: configs/gpus/h200.yaml\n"
              "tensor_maps: {X: {data_type: float16, global_dim: [64, 64], box_dim: [64, 64]}}\n"
              "kernel:\n  ctas: 1\n  costs: {mma_issue: 4 cycles}\n"
              "  buffers: {a: 32768, b: 65536}\n");
    if (turns)
        add(yaml, "  barriers: [turn_0, turn_1]\n");
    add(yaml, "  roles:\n");
    for (unsigned group = 0; group < groups; group++) {
        char words[2048];
        add(yaml, "    group_%u:\n      warps: 4\n      program:\n", group);
        if (turns && group == 1)
            add(yaml, "        - arrive: turn_0\n");
        add(yaml, "        - for: {round: %u}\n          do:\n",
            ROUNDS / record_number(&code, at, "rounds"));
        snprintf(words, sizeof words, "%s", tma_tsv_cell(&code, at, "code"));
        for (const char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " "))
            add_word(yaml, word, group, turns);
        add(yaml, "        - wait_mma: 0\n");
        if (turns && group == 0)
            add(yaml, "        - sync: turn_0\n"); /* the other group hands over once more */
    }
}

static void set_up(void) {
    static struct yaml_text yaml;
    static struct tma_result result;
    read_records("tests/hardware/h100/pingpong.tsv", &records);
    read_records("tests/hardware/h100/pingpong_code.tsv", &code);
    ck_assert_uint_eq(records.rows, ROWS);
    for (size_t row = 0; row < ROWS; row++) {
        struct tma_diagnostics list = {0};
        struct tma_scenario scenario;
        struct tma_error error;
        write_kernel(&yaml, row);
        bool good = tma_scenario_read_text(yaml.bytes, "pingpong", NULL, 0, &scenario, &list);
        ck_assert_msg(good, "%s\n%s", list.count > 0 ? list.items[0].text : "", yaml.bytes);
        scenario.machine.warp.fetch_cycles = 0; /* the records are those of a later launch */
        ck_assert_msg(tma_kernel_run(&scenario.machine, &scenario.program->kernel, NULL, &result,
                                     NULL, &error) == TMA_OK,
                      "%s", error.text);
        predicted[row] = (double)result.cycles / ROUNDS;
        tma_scenario_free(&scenario);
        tma_diagnostics_free(&list);
    }
}

static void tear_down(void) {
    tma_tsv_free(&records);
    tma_tsv_free(&code);
}

static double measured(size_t row) {
    return strtod(tma_tsv_cell(&records, row, "cycles_a_round"), NULL);
}

TEST(test_rounds) {
    double errors[ROWS], sum = 0;
    for (size_t row = 0; row < ROWS; row++) {
        errors[row] = fabs(predicted[row] / measured(row) - 1);
        sum += errors[row];
        if (getenv("VERBOSE") != NULL)
            printf("%s\t%.1f\t%.1f\n", tma_tsv_cell(&records, row, "name"), measured(row),
                   predicted[row]);
    }
    double tail = percentile_95(errors, ROWS);
    ck_assert_msg(sum / ROWS <= mean_ceiling, "mean error %.4f", sum / ROWS);
    ck_assert_msg(tail <= tail_ceiling, "95th percentile %.4f", tail);
}

static double round_of(const char *name) {
    for (size_t row = 0; row < ROWS; row++)
        if (strcmp(tma_tsv_cell(&records, row, "name"), name) == 0)
            return predicted[row];
    ck_abort_msg("no row %s", name);
}

/* FlashAttention-3's hand-over, when the first products are issued, costs nothing; later ones cost
 * half a round. */
TEST(test_hand_over) {
    double free_round = round_of("free_2_8_8_1_1_0");
    ck_assert_double_le(round_of("turns_2_8_8_1_1_1"), 1.05 * free_round);
    ck_assert_double_le(round_of("turns_2_8_8_1_1_2"), 1.05 * free_round);
    ck_assert_double_ge(round_of("turns_2_8_8_1_1_3"), 1.3 * free_round);
    ck_assert_double_ge(round_of("turns_2_8_8_1_1_4"), 1.3 * free_round);
}

TEST_SUITE("warp groups that share an SM", .set_up_once = set_up, .tear_down_once = tear_down,
           .timeout = 120);
