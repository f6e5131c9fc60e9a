/* Reports: derived figures, what limits a run, and the text and JSON of one run in full. */
#include <math.h>
#include <string.h>

#include "report/decimal.h"
#include "report/escape.h"
#include "report/figures.h"
#include "report/json_writer.h"
#include "report/verdict.h"
#include "suite.h"

enum { TEXT_BYTES = 16384 };

static const struct {
    double value;
    unsigned digits;
    const char *text;
} decimals[] = {
    {0, 0, "0"},
    {0, 3, "0.000"},
    {-0.0, 1, "0.0"},
    {1.25, 1, "1.3"},
    {-1.25, 1, "-1.3"},
    {-0.04, 1, "0.0"},
    {0.95, 1, "1.0"},
    {9.996, 2, "10.00"},
    {1234567.5, 0, "1234568"},
    {33.049, 1, "33.0"},
    {0.000001, 6, "0.000001"},
    {999999999999999.0, 6, "999999999999999.000000"},
    {1e15, 0, ""},
    {-1e15, 0, ""},
    {(double)NAN, 1, ""},
    {(double)INFINITY, 1, ""},
};

TEST_ROWS(test_decimal, TABLE_ROWS(decimals)) {
    ck_assert_str_eq(tma_decimal(decimals[_i].value, decimals[_i].digits).text, decimals[_i].text);
}

static const struct {
    uint64_t parts[4];
    uint32_t tenths[4];
} shares[] = {
    {{0, 0, 0, 0}, {0, 0, 0, 0}},
    {{1, 0, 0, 0}, {1000, 0, 0, 0}},
    {{1, 1, 1, 0}, {334, 333, 333, 0}},   /* 333.3 each: the first gets the one that is left */
    {{2, 2, 2, 1}, {286, 286, 285, 143}}, /* 285.714 x 3, 142.857: largest remainder last */
    {{9999, 1, 0, 0}, {1000, 0, 0, 0}},   /* 999.9 and 0.1 */
    {{1, 999, 1, 999}, {1, 500, 0, 499}}, /* 0.5, 499.5, 0.5, 499.5: ties go to the earlier */
    {{(uint64_t)1 << 52, 1, 1, 1}, {1000, 0, 0, 0}},
};

TEST_ROWS(test_shares_sum_to_1000, TABLE_ROWS(shares)) {
    uint32_t tenths[4], sum = 0;
    tma_share_out_tenths(shares[_i].parts, 4, tenths);
    for (int i = 0; i < 4; i++) {
        ck_assert_uint_eq(tenths[i], shares[_i].tenths[i]);
        sum += tenths[i];
    }
    ck_assert(sum == 1000 || shares[_i].parts[0] == 0);
}

TEST(test_random_shares_sum_to_1000) {
    uint32_t seed = 1;
    for (int round = 0; round < 1000; round++) {
        uint64_t parts[TMA_CAUSE_COUNT];
        uint32_t tenths[TMA_CAUSE_COUNT], sum = 0;
        for (int i = 0; i < TMA_CAUSE_COUNT; i++) {
            seed = seed * 1664525 + 1013904223;
            parts[i] = 1 + (seed >> 8 >> (seed >> 28));
        }
        tma_share_out_tenths(parts, TMA_CAUSE_COUNT, tenths);
        for (int i = 0; i < TMA_CAUSE_COUNT; i++)
            sum += tenths[i];
        ck_assert_uint_eq(sum, 1000);
    }
}

static const struct {
    const char *value, *json;
} strings[] = {
    {"", "\"\"\n"},
    {"a \"b\" \\ /", "\"a \\\"b\\\" \\\\ /\"\n"},
    {"tab\there\n\x01", "\"tab\\u0009here\\u000a\\u0001\"\n"},
    {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"\n"},
    {"\x7f\xc2\x9b", "\"\\u007f\\u009b\"\n"},
    {"\xff|\xc3|\xc0\xaf|\xed\xa0\x80", /* no byte, cut off, overlong, surrogate */
     "\"\\ufffd|\\ufffd|\\ufffd\\ufffd|\\ufffd\\ufffd\\ufffd\"\n"},
};

TEST_ROWS(test_json_string, TABLE_ROWS(strings)) {
    char text[256];
    FILE *out = fmemopen(text, sizeof text, "w");
    struct tma_json json = {.out = out};
    tma_json_string(&json, NULL, strings[_i].value);
    fputc('\n', out);
    fclose(out);
    ck_assert_str_eq(text, strings[_i].json);
}

/* Text from outside: no control character passes, and no markup. */
static const struct {
    void (*write)(const char *text, FILE *out);
    const char *text, *written;
} escapes[] = {
    {tma_write_printable, "", ""},
    {tma_write_printable, "a \\ <b> \xc3\xa9", "a \\ <b> \xc3\xa9"},
    {tma_write_printable, "\x1b[31m\n\t\x7f", "\\x1b[31m\\x0a\\x09\\x7f"},
    /* CSI as a C1 control in UTF-8, CSI as a byte, and a sequence that is cut off. */
    {tma_write_printable, "\xc2\x9b|\x9b|\xc3", "\\xc2\\x9b|\\x9b|\\xc3"},
    {tma_write_printable, "\xc2\xa0", "\xc2\xa0"},
    {tma_write_xml, "<a> & \"b\"\x1b", "&lt;a&gt; &amp; &quot;b&quot;\\x1b"},
    {tma_write_markdown, "a_b[0] | *c* <d>", "a_b[0] \\| \\*c\\* \\<d\\>"},
    {tma_write_markdown, "[x](y) `\\`\n", "[x\\](y) \\`\\\\\\`\\x0a"},
};

TEST_ROWS(test_escapes, TABLE_ROWS(escapes)) {
    char text[256] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    escapes[_i].write(escapes[_i].text, out);
    fclose(out);
    ck_assert_str_eq(text, escapes[_i].written);
}

TEST(test_json_nesting) {
    char text[256];
    FILE *out = fmemopen(text, sizeof text, "w");
    struct tma_json json = {.out = out};
    tma_json_begin_object(&json, NULL);
    tma_json_begin_array(&json, "empty");
    tma_json_end_array(&json);
    tma_json_begin_list(&json, "flat");
    tma_json_unsigned(&json, NULL, 1);
    tma_json_null(&json, NULL);
    tma_json_end_array(&json);
    tma_json_begin_array(&json, "numbers");
    tma_json_unsigned(&json, NULL, UINT64_MAX);
    tma_json_decimal(&json, NULL, 0.5, 3);
    tma_json_decimal(&json, NULL, (double)NAN, 3);
    tma_json_end_array(&json);
    tma_json_bool(&json, "yes", true);
    tma_json_end_object(&json);
    fclose(out);
    ck_assert_str_eq(text, "{\n"
                           "  \"empty\": [],\n"
                           "  \"flat\": [1, null],\n"
                           "  \"numbers\": [\n"
                           "    18446744073709551615,\n"
                           "    0.500,\n"
                           "    null\n"
                           "  ],\n"
                           "  \"yes\": true\n"
                           "}\n");
}

/* A run of 4 CTAs on 2 SMs at 2000 MHz: 8 stages of two 4 KiB operations each, 64 KiB in 1000
 * cycles or 500 ns: 131.1 GB/s, 65.5 bytes/cycle, 32.8 for each SM. */
static const char *const map_names[] = {"a \"tile\""};
static struct tma_machine machine;
static struct tma_workload workload;
static struct tma_result result;
static struct tma_report_input input;

static void set_up(void) {
    machine = (struct tma_machine){
        .name = "toy",
        .sm_count = 8,
        .sm_clock_mhz = 2000,
        .shared_memory_cta_bytes = 65536,
        .crossbar = {.sm_port_bytes_per_kcycle = 64000, .gpc_port_bytes_per_kcycle = 256000},
        .topology = {.gpc_count = 1,
                     .gpc_size = {8},
                     .sms = {0, 1, 2, 3, 4, 5, 6, 7},
                     .placement = {0, 1, 2, 3, 4, 5, 6, 7}}};
    workload = (struct tma_workload){
        .maps = {{.data_type = TMA_FLOAT16,
                  .swizzle = TMA_SWIZZLE_128B,
                  .l2_promotion = TMA_L2_256B}},
        .map_count = 1,
        .cta_count = 4,
        .sm_count = 2,
        .iterations = 8,
        .depth = 2,
        .stage_bytes = 8192,
        .operation_count = 2,
        .consumers = {{.instruction = TMA_LD_SHARED_B32, .lanes = TMA_LANES_COLUMN}},
        .consumer_count = 1,
        .cold = true};
    result = (struct tma_result){
        .sms = 2,
        .gpcs = 1,
        .cycles = 1000,
        .waves = {.count = 2, .ctas = 2, .idle_place_cycles = 200},
        .cta_cycles = {4, 400, 450, 500, 500},
        .latency_cycles = {16, 300, 320, 350, 360},
        .counters = {.operations = 16,
                     .rows = 512,
                     .rows_out_of_bounds = 32,
                     .bytes = 65536,
                     .tensor_bytes = 61440,
                     .l2_requests = 512,
                     .l2_sectors = 1920,
                     .l2_sector_hits = 480,
                     .l2_sector_misses = 1440,
                     .l2_fills = 240,
                     .l2_fill_sectors = 1920,
                     .l2_fill_unused_sectors = 192,
                     .l2_evictions = 3,
                     .dram_read_sectors = 1920,
                     .dram_write_sectors = 5,
                     .descriptor_fetches = 9,
                     .descriptor_l2_fetches = 6,
                     .descriptor_dram_fetches = 2,
                     .descriptor_cycles = 700,
                     .shared_write_wavefronts = 512},
        .consumers = {{.instructions = 100,
                       .wavefronts = 800,
                       .ideal_wavefronts = 100,
                       .tile = {.banks_used = 0x11,
                                .worst_access = {.instruction = TMA_LD_SHARED_B32,
                                                 .lane_mask = 0x10f,
                                                 .address = {0, 128, 256, 384, [8] = 16}},
                                .worst = {.wavefronts = 8,
                                          .ideal_wavefronts = 1,
                                          .ways = 8,
                                          .worst_bank = 4,
                                          .worst_lanes = 0x10f}}}},
        .slot_cycles = 7000,
        .busy_tma = 0.25,
        .busy_sm_port = 0.5,
        .busy_dram = 0.9,
        .busy_shared = 0.125};
    result.cause_cycles[TMA_CAUSE_ISSUE] = 1000;
    result.cause_cycles[TMA_CAUSE_DRAM] = 2000;
    result.cause_cycles[TMA_CAUSE_DRAM_QUEUE] = 4000;
    input = (struct tma_report_input){.scenario = "toy \"run\"",
                                      .machine = &machine,
                                      .workload = &workload,
                                      .result = &result,
                                      .map_names = map_names,
                                      .details = true};
}

static void write_report(const char *format, char text[TEXT_BYTES]) {
    FILE *out = fmemopen(text, TEXT_BYTES, "w");
    int value;
    ck_assert(tma_value_of(&tma_report_format_names, format, &value));
    tma_report_write(&input, value, out);
    fclose(out);
}

/* Reliefs and what they save; the first two are limits. */
static const struct tma_relief relief_rate = {.key = "rate", .name = "rate of the toy"};
static const struct tma_relief relief_time = {.key = "time", .name = "time of the toy"};
static const struct tma_relief relief_way = {.key = "way", .name = "way to play", .advice = true};
static struct tma_experiments experiments;

static struct tma_experiment experiment_of(const struct tma_relief *relief, const char *change,
                                           uint64_t cycles, bool helps) {
    struct tma_experiment experiment = {.relief = relief,
                                        .before = {3, 1000, 1001, 980, 1010},
                                        .cycles = {3, cycles, cycles, cycles - 5, cycles + 5},
                                        .saved = 1 - (double)cycles / 1000,
                                        .helps = helps};
    snprintf(experiment.change, sizeof experiment.change, "%s", change);
    return experiment;
}

static void three_experiments(bool help) {
    experiments = (struct tma_experiments){
        .before = {3, 1000, 1001, 980, 1010},
        .items = {experiment_of(&relief_rate, "10 % more of it", 950, help),
                  experiment_of(&relief_time, "none of it", 912, help),
                  experiment_of(&relief_way, "another one", 1100, false)},
        .count = 3};
    if (help) {
        experiments.limits[0] = 1;
        experiments.limits[1] = 0;
        experiments.limit_count = 2;
    }
    input.findings.experiments = &experiments;
}

static void two_limits(void) {
    three_experiments(true);
}

static void limits_within_chance(void) {
    three_experiments(false);
}

static void small_savings(void) {
    three_experiments(false);
    experiments.items[0] = experiment_of(&relief_rate, "10 % more of it", 985, false);
    experiments.items[1] = experiment_of(&relief_time, "none of it", 990, false);
}

static void only_losses(void) {
    three_experiments(false);
    experiments.items[0] = experiment_of(&relief_rate, "10 % more of it", 1001, false);
    experiments.items[1] = experiment_of(&relief_time, "none of it", 1050, false);
}

static void no_operation(void) {
    result = (struct tma_result){0};
}

static void long_run(void) {
    input.findings.too_long = true;
}

static void untouched(void) {}

static const struct {
    void (*change)(void);
    const char *key, *text;
} verdicts[] = {
    {two_limits, "time", "time of the toy: none of it would save 8.8 % of the time"},
    {limits_within_chance, "nothing",
     "nothing by itself: of 2 single changes the best saves 8.8 %, no more than launches differ "
     "(time of the toy: none of it)"},
    {small_savings, "nothing",
     "nothing by itself: of 2 single changes the best saves 1.5 % (rate of the toy: 10 % more of "
     "it)"},
    {only_losses, "nothing", "nothing by itself: none of 2 single changes saves time"},
    {no_operation, "nothing", "nothing: no operation was issued"},
    {long_run, "not_tried",
     "not tried, because this run is long; --why runs it again with one thing relieved at a time"},
    {untouched, "not_tried", "not tried; --why runs it again with one thing relieved at a time"},
};

TEST_ROWS(test_verdict, TABLE_ROWS(verdicts)) {
    verdicts[_i].change();
    struct tma_verdict verdict = tma_verdict_of(&input.findings, result.counters.operations == 0);
    ck_assert_str_eq(verdict.text, verdicts[_i].text);
    ck_assert_str_eq(verdict.key, verdicts[_i].key);
}

/* Advice is what its own experiment showed: here, nothing. */
TEST(test_no_advice_without_saving) {
    char text[TEXT_BYTES];
    two_limits();
    write_report("text", text);
    ck_assert_ptr_nonnull(strstr(text, "limited by          time of the toy"));
    ck_assert_ptr_nonnull(strstr(text, "\n                    rate of the toy"));
    ck_assert_ptr_null(strstr(text, "advice"));
    experiments.items[2] = experiment_of(&relief_way, "another one", 500, true);
    experiments.advice[experiments.advice_count++] = 2;
    write_report("text", text);
    ck_assert_ptr_nonnull(
        strstr(text, "advice              way to play: another one would save 50.0 % of the time"));
}

static const struct {
    struct tma_waves waves;
    const char *text; /* NULL: no line */
} waves[] = {
    {{.count = 1, .ctas = 2}, NULL},
    {{.count = 2, .ctas = 2}, "  waves             2 of 2 CTAs each\n"},
    {{.count = 2, .ctas = 4, .last_ctas = 3, .last_cycles = 500, .last_idle_place_cycles = 200},
     "  waves             2 of 4 CTAs, the last of 3\n"},
    {{.count = 2, .ctas = 4, .last_ctas = 3, .last_cycles = 500, .last_idle_place_cycles = 204},
     "  waves             2 of 4 CTAs, the last of 3: it takes 50.0 % of the run, and leaves 1 of "
     "the SMs "
     "idle, which is 5.1 % of the SMs' time\n"},
};

TEST_ROWS(test_waves, TABLE_ROWS(waves)) {
    char text[TEXT_BYTES];
    result.waves = waves[_i].waves;
    write_report("text", text);
    if (waves[_i].text == NULL)
        ck_assert_ptr_null(strstr(text, "waves  "));
    else
        ck_assert_ptr_nonnull(strstr(text, waves[_i].text));
}

static void accept(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

/* The golden files hold the report of the run above. GOLDEN_ACCEPT=1 rewrites them: look at what
 * changes. */
TEST_ROWS(test_whole_report, 2) {
    static const struct {
        const char *format, *path;
    } reports[] = {
        {"text", "tests/unit/golden/report.txt"},
        {"json", "tests/unit/golden/report.json"},
    };
    char text[TEXT_BYTES], golden[TEXT_BYTES] = "";
    two_limits();
    write_report(reports[_i].format, text);
    if (getenv("GOLDEN_ACCEPT") != NULL)
        accept(reports[_i].path, text);
    FILE *file = fopen(reports[_i].path, "r");
    ck_assert_ptr_nonnull(file);
    size_t length = fread(golden, 1, sizeof golden - 1, file);
    fclose(file);
    ck_assert_uint_gt(length, 0);
    size_t at = 0;
    while (text[at] != '\0' && text[at] == golden[at])
        at++;
    ck_assert_msg(strcmp(text, golden) == 0, "byte %zu:\n%.200s\ninstead of\n%.200s", at, text + at,
                  golden + at);
}

/* Nothing to divide by: zeros, never a NaN. */
TEST_ROWS(test_empty_run, 2) {
    static const char *const formats[] = {"text", "json"};
    machine = (struct tma_machine){.sm_clock_mhz = 1};
    workload = (struct tma_workload){0};
    result = (struct tma_result){.busy_tma = (double)NAN, .busy_l2 = (double)INFINITY};
    char text[TEXT_BYTES];
    write_report(formats[_i], text);
    ck_assert_ptr_null(strstr(text, "nan"));
    ck_assert_ptr_null(strstr(text, "inf,"));
    ck_assert_ptr_nonnull(strstr(text, "nothing: no operation was issued"));
}

TEST(test_validated_machine_is_no_remark) {
    char text[TEXT_BYTES];
    machine.trust.validated = true;
    write_report("text", text);
    ck_assert_ptr_null(strstr(text, "not validated"));
    ck_assert_ptr_nonnull(strstr(text, "toy, 8 SMs at 2000 MHz\n"));
}

TEST_ROWS(test_run_without_consumers_and_conflicts, 2) {
    static const char *const expected[] = {"no consumer reads the tiles", "no bank conflict"};
    char text[TEXT_BYTES];
    workload.consumer_count = (uint32_t)_i;
    result.consumers[0].tile.worst.ways = 1;
    write_report("text", text);
    ck_assert_ptr_nonnull(strstr(text, expected[_i]));
    write_report("json", text);
    ck_assert_ptr_nonnull(strstr(text, "\"worst_consumer\": null"));
}

TEST(test_unknown_format) {
    int format;
    ck_assert(!tma_value_of(&tma_report_format_names, "xml", &format));
    ck_assert_uint_eq(tma_report_format_names.count, 2);
}

TEST_SUITE("report", .set_up = set_up);
