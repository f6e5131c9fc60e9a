/* tma_trace_diff: the complete output for small traces, errors, and large random traces. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"
#include "trace/trace.h"

enum { TEXT_BYTES = 8192 };

static char directory[] = "/tmp/test_trace_diff.XXXXXX";

/* Each test runs in a temporary directory, so that the outputs have short paths. */
static void enter_directory(void) {
    strcpy(directory + strlen(directory) - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    ck_assert_int_eq(chdir(directory), 0);
}

static void leave_directory(void) {
    unlink("a");
    unlink("b");
    ck_assert_int_eq(rmdir(directory), 0);
}

static void write_file(const char *path, const char *text, size_t length) {
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text, 1, length, file), length);
    ck_assert_int_eq(fclose(file), 0);
}

/* Compares the files "a" and "b". Returns the code, and the output in `text`. */
static enum tma_error_code diff(const struct tma_trace_tolerance *tolerance, char text[TEXT_BYTES],
                                enum tma_trace_verdict *verdict, struct tma_error *error) {
    FILE *out = fmemopen(text, TEXT_BYTES, "w");
    enum tma_error_code code = tma_trace_diff("a", "b", tolerance, out, verdict, error);
    fclose(out);
    return code;
}

static const struct tma_trace_tolerance exact = {0, 0};

#define HEADER "# tmasim-trace 1\n# scenario s\n# depth 4\n"
#define START  "  0 sm 3 cta 7 slot 0  cta_start\n"
#define ISSUE  " 10 sm 3 cta 7 slot 0  issue op=0 map=0\n"
#define ROWS   " 20 sm 3 cta 7 slot 0  rows op=0 rows=1 requests=1 oob_rows=0\n"
#define ARRIVE "500 sm 3 cta 7 slot 0  arrival op=0 bytes=128 latency=490\n"
#define END    "600 sm 3 cta 7 slot 0  cta_end cycles=600\n"
#define STARTS "  0 sm 0 cta 0 slot 0  cta_start\n  0 sm 1 cta 1 slot 0  cta_start\n"
#define ENDS   "900 sm 0 cta 0 slot 0  cta_end cycles=9\n900 sm 1 cta 1 slot 0  cta_end cycles=9\n"
#define TABLE  "events             same      changed   only first  only second\n"

struct comparison_case {
    const char *name, *a, *b;
    struct tma_trace_tolerance tolerance;
    enum tma_trace_verdict verdict;
    const char *text;
};

static const struct comparison_case comparisons[] = {
    {"no events",
     HEADER "# end 0\n",
     HEADER "# end 0\n",
     {0, 0},
     TMA_TRACE_SAME,
     "same events: 0\n"},
    {"equal",
     HEADER START ISSUE ROWS ARRIVE END "# end 5\n",
     HEADER START ISSUE ROWS ARRIVE END "# end 5\n",
     {0, 0},
     TMA_TRACE_SAME,
     "same events: 5\n"},
    {"spaces do not count",
     HEADER START END "# end 2\n",
     HEADER "0   sm   3  cta 7   slot 0 cta_start\n" END "# end 2\n",
     {0, 0},
     TMA_TRACE_SAME,
     "same events: 2\n"},
    {"header value",
     HEADER START END "# end 2\n",
     "# tmasim-trace 1\n# scenario t\n# depth 4\n" START END "# end 2\n",
     {0, 0},
     TMA_TRACE_DIFFERENT,
     "header: scenario: s | t\nsame events: 2\n"},
    {"header keys",
     HEADER "# x 1 2\n# end 0\n",
     HEADER "# y \n# end 0\n",
     {0, 0},
     TMA_TRACE_DIFFERENT,
     "header: x: 1 2 only in a\nheader: y:  only in b\nsame events: 0\n"},
    {"format version",
     HEADER START "# end 1\n",
     "# tmasim-trace 2\n# scenario t\nwhatever\n",
     {0, 0},
     TMA_TRACE_DIFFERENT,
     "header: format version: 1 | 2 (events of different formats are not compared)\n"
     "header: scenario: s | t\nheader: depth: 4 only in a\n"},
    {"a figure and the cycle changed",
     HEADER START ISSUE ROWS ARRIVE END "# end 5\n",
     HEADER START ISSUE ROWS "507 sm 3 cta 7 slot 0  arrival op=0 bytes=128 latency=497\n" END
                             "# end 5\n",
     {0, 0},
     TMA_TRACE_DIFFERENT,
     "first divergence: cycle 500, sm 3 cta 7 slot 0, arrival, cycle 500 | 507, latency 490 | 497\n"
     "  a:7:        500 sm   3 cta     7 slot  0  arrival   op=0 bytes=128 latency=490\n"
     "  b:7:        507 sm   3 cta     7 slot  0  arrival   op=0 bytes=128 latency=497\n" TABLE
     "arrival               0            1            0            0\n"
     "all                   4            1            0            0\n"},
    {"the tolerance does not apply to the SM",
     HEADER START END "# end 2\n",
     HEADER "0 sm 4 cta 7 slot 0 cta_start\n" END "# end 2\n",
     {1e9, 1},
     TMA_TRACE_DIFFERENT,
     "first divergence: cycle 0, sm 3 cta 7 slot 0, cta_start, sm 3 | 4\n"
     "  a:4:          0 sm   3 cta     7 slot  0  cta_start\n"
     "  b:4:          0 sm   4 cta     7 slot  0  cta_start\n" TABLE
     "cta_start             0            1            0            0\n"
     "all                   1            1            0            0\n"},
    {"one more in the second",
     HEADER START ISSUE ROWS ARRIVE END "# end 5\n",
     HEADER START ISSUE ROWS
     " 30 sm 3 cta 7 slot 0  l2_fill op=0 fills=1 sectors=2 misses=1\n" ARRIVE END "# end 6\n",
     {0, 0},
     TMA_TRACE_DIFFERENT,
     "first divergence: cycle 30, sm 3 cta 7 slot 0, l2_fill\n"
     "  a: no such event\n"
     "  b:7:         30 sm   3 cta     7 slot  0  l2_fill   op=0 fills=1 sectors=2 misses=1\n" TABLE
     "l2_fill               0            0            0            1\n"
     "all                   5            0            0            1\n"},
    {"an operation fewer in the second",
     HEADER START ISSUE ROWS ARRIVE END "# end 5\n",
     HEADER START END "# end 2\n",
     {0, 0},
     TMA_TRACE_DIFFERENT,
     "first divergence: cycle 10, sm 3 cta 7 slot 0, issue\n"
     "  a:5:         10 sm   3 cta     7 slot  0  issue     op=0 map=0\n"
     "  b: no such event\n" TABLE "issue                 0            0            1            0\n"
     "rows                  0            0            1            0\n"
     "arrival               0            0            1            0\n"
     "all                   2            0            3            0\n"},
    {"reordered within the tolerance",
     HEADER STARTS "100 sm 0 cta 0 slot 0 mbarrier phase=0 bytes=0\n"
                   "101 sm 1 cta 1 slot 0 mbarrier phase=0 bytes=0\n" ENDS "# end 6\n",
     HEADER STARTS "100 sm 1 cta 1 slot 0 mbarrier phase=0 bytes=0\n"
                   "101 sm 0 cta 0 slot 0 mbarrier phase=0 bytes=0\n" ENDS "# end 6\n",
     {1, 0},
     TMA_TRACE_SAME,
     "same events: 6\n"},
    {"the consumer's second pass is missing",
     HEADER "0 sm 0 cta 0 slot 0 cta_start\n"
            "10 sm 0 cta 0 slot 0 consume consumer=0 instructions=1 wavefronts=1 excess=0\n"
            "20 sm 0 cta 0 slot 0 consume consumer=0 instructions=1 wavefronts=1 excess=0\n"
            "30 sm 0 cta 0 slot 0 consume consumer=0 instructions=1 wavefronts=1 excess=0\n"
            "40 sm 0 cta 0 slot 0 cta_end cycles=40\n# end 5\n",
     HEADER "0 sm 0 cta 0 slot 0 cta_start\n"
            "10 sm 0 cta 0 slot 0 consume consumer=0 instructions=1 wavefronts=1 excess=0\n"
            "30 sm 0 cta 0 slot 0 consume consumer=0 instructions=1 wavefronts=1 excess=0\n"
            "40 sm 0 cta 0 slot 0 cta_end cycles=40\n# end 4\n",
     {0, 0},
     TMA_TRACE_DIFFERENT,
     "first divergence: cycle 20, sm 0 cta 0 slot 0, consume\n"
     "  a:6:         20 sm   0 cta     0 slot  0  consume   consumer=0 instructions=1 wavefronts=1 "
     "excess=0\n"
     "  b: no such event\n" TABLE "consume               2            0            1            0\n"
     "all                   4            0            1            0\n"},
};

TEST_ROWS(test_output_is_exact, TABLE_ROWS(comparisons)) {
    const struct comparison_case *test = &comparisons[_i];
    write_file("a", test->a, strlen(test->a));
    write_file("b", test->b, strlen(test->b));
    char text[TEXT_BYTES];
    enum tma_trace_verdict verdict;
    struct tma_error error = {0};
    ck_assert_msg(diff(&test->tolerance, text, &verdict, &error) == TMA_OK, "%s: %s", test->name,
                  error.text);
    ck_assert_msg(strcmp(text, test->text) == 0, "%s:\n%s", test->name, text);
    ck_assert_msg(verdict == test->verdict, "%s", test->name);
}

/* 1000 and 1010 wavefronts differ by 10, or by 0.99 % of the larger. */
static const struct {
    struct tma_trace_tolerance tolerance;
    enum tma_trace_verdict verdict;
} tolerances[] = {
    {{0, 0}, TMA_TRACE_DIFFERENT},      {{9, 0}, TMA_TRACE_DIFFERENT}, {{10, 0}, TMA_TRACE_SAME},
    {{0, 0.0099}, TMA_TRACE_DIFFERENT}, {{0, 0.01}, TMA_TRACE_SAME},   {{9, 0.01}, TMA_TRACE_SAME},
    {{9, 0.0099}, TMA_TRACE_DIFFERENT},
};

TEST_ROWS(test_tolerance_decides_verdict, TABLE_ROWS(tolerances)) {
    static const char a[] =
        HEADER STARTS "500 sm 0 cta 0 slot 0 consume consumer=0 "
                      "instructions=1 wavefronts=1000 excess=0\n" ENDS "# end 5\n";
    static const char b[] =
        HEADER STARTS "500 sm 0 cta 0 slot 0 consume consumer=0 "
                      "instructions=1 wavefronts=1010 excess=0\n" ENDS "# end 5\n";
    write_file("a", a, strlen(a));
    write_file("b", b, strlen(b));
    char text[TEXT_BYTES];
    enum tma_trace_verdict verdict;
    ck_assert_int_eq(diff(&tolerances[_i].tolerance, text, &verdict, NULL), TMA_OK);
    ck_assert_int_eq(verdict, tolerances[_i].verdict);
}

#define LENGTH_OF(text) sizeof text - 1
#define FILE_TEXT(text) text, LENGTH_OF(text)

static const struct {
    const char *text;
    size_t length;
    enum tma_error_code code;
    const char *message;
} bad_files[] = {
    {FILE_TEXT(""), TMA_ERROR_SYNTAX, "b: the file is empty; expected a trace"},
    {FILE_TEXT("\x7f"
               "ELF\0\0\0\n\n"),
     TMA_ERROR_SYNTAX, "b: not a trace: the first line is not \"# tmasim-trace VERSION\""},
    {FILE_TEXT("hello"), TMA_ERROR_SYNTAX,
     "b: not a trace: the first line is not \"# tmasim-trace VERSION\""},
    {FILE_TEXT("# tmasim-trace one\n"), TMA_ERROR_SYNTAX,
     "b: not a trace: the first line is not \"# tmasim-trace VERSION\""},
    {FILE_TEXT("# tmasim-trace 1\n"), TMA_ERROR_SYNTAX,
     "b:1: the trace is cut off: its end line is missing"},
    {FILE_TEXT("# tmasim-trace 1\n#\n"), TMA_ERROR_SYNTAX,
     "b:2: expected a header line: \"# key value\""},
    {FILE_TEXT("# tmasim-trace 1\n# a\0b c\n"), TMA_ERROR_SYNTAX,
     "b:2: expected a header line: \"# key value\""},
    {FILE_TEXT(HEADER START ISSUE), TMA_ERROR_SYNTAX,
     "b:5: the trace is cut off: its end line is missing"},
    {FILE_TEXT(HEADER START "10 sm 3 ct"), TMA_ERROR_SYNTAX,
     "b:5: the trace is cut off in the middle of this line"},
    {FILE_TEXT(HEADER START ISSUE "# end 1\n"), TMA_ERROR_SYNTAX,
     "b:6: the number in the end line is not the number of events above it"},
    {FILE_TEXT(HEADER START END "# end 2\n" ISSUE), TMA_ERROR_SYNTAX,
     "b:7: unexpected text after the end line"},
    {FILE_TEXT(HEADER START "# depth 5\n# end 1\n"), TMA_ERROR_SYNTAX,
     "b:5: expected an event, or the end line \"# end EVENTS\""},
    {FILE_TEXT(HEADER START "\n# end 1\n"), TMA_ERROR_SYNTAX,
     "b:5: expected a cycle number at the start of the line"},
    {FILE_TEXT(HEADER START "10 sm 3 cta 7 slot 0 issue op=\0 map=0\n# end 2\n"), TMA_ERROR_SYNTAX,
     "b:5: the figures do not match this kind of event"},
    /* Promises. */
    {FILE_TEXT(HEADER ISSUE), TMA_ERROR_SYNTAX, "b:4: CTA 7 does not run"},
    {FILE_TEXT(HEADER START START), TMA_ERROR_SYNTAX, "b:5: CTA 7 runs already"},
    {FILE_TEXT(HEADER START ISSUE START), TMA_ERROR_SYNTAX,
     "b:6: the event belongs before the one above it"},
    {FILE_TEXT(HEADER START ISSUE ISSUE), TMA_ERROR_SYNTAX,
     "b:6: the operation is in flight already"},
    {FILE_TEXT(HEADER START ROWS), TMA_ERROR_SYNTAX,
     "b:5: the operation is not in flight, or had its rows before"},
    {FILE_TEXT(HEADER START ISSUE ROWS ROWS), TMA_ERROR_SYNTAX,
     "b:7: the operation is not in flight, or had its rows before"},
    {FILE_TEXT(HEADER START ARRIVE), TMA_ERROR_SYNTAX,
     "b:5: the operation that arrives is not in flight"},
    {FILE_TEXT(HEADER START ISSUE ARRIVE ARRIVE), TMA_ERROR_SYNTAX,
     "b:7: the operation arrives twice"},
    {FILE_TEXT(HEADER START ISSUE "501 sm 3 cta 7 slot 0  arrival op=0 bytes=128 latency=490\n"),
     TMA_ERROR_SYNTAX, "b:6: the operation was issued in cycle 10, which is not its latency ago"},
    {FILE_TEXT(HEADER START "500 sm 3 cta 7 slot 0  mbarrier phase=1 bytes=0\n"), TMA_ERROR_SYNTAX,
     "b:5: phase 1 of an mbarrier follows behind 0 of its phases"},
    {FILE_TEXT(HEADER START "500 sm 3 cta 7 slot 0  mbarrier phase=0 bytes=4\n" END "# end 3\n"),
     TMA_ERROR_SYNTAX, "b:7: the phases of mbarriers of CTA 7 have 4 bytes, and 0 arrived"},
    {FILE_TEXT(HEADER START END END), TMA_ERROR_SYNTAX, "b:6: CTA 7 ends twice"},
    {FILE_TEXT(HEADER START "600 sm 3 cta 7 slot 0  cta_end cycles=601\n"), TMA_ERROR_SYNTAX,
     "b:5: CTA 7 takes more cycles than it ran for"},
    {FILE_TEXT(HEADER START END "601 sm 3 cta 7 slot 0  issue op=0 map=0\n"), TMA_ERROR_SYNTAX,
     "b:6: CTA 7 does not run"},
    {FILE_TEXT(HEADER START "# end 1\n"), TMA_ERROR_SYNTAX, "b:5: CTA 7 has no end"},
    {FILE_TEXT(HEADER START ISSUE ARRIVE END "# end 4\n"), TMA_ERROR_SYNTAX,
     "b:8: operation 0 of CTA 7, slot 0 has no rows"},
    {FILE_TEXT(HEADER START ISSUE ROWS END "# end 4\n"), TMA_ERROR_SYNTAX,
     "b:8: operation 0 of CTA 7, slot 0 has no arrival"},
};

/* What a trace with multicasts, or one that dropped its last events, may have. */
static const char *const kept_promises[] = {
    "# tmasim-trace 1\n# load.multicast all\n" STARTS "100 sm 0 cta 0 slot 0  issue op=0 map=0\n"
    "110 sm 0 cta 0 slot 0  rows op=0 rows=1 requests=1 oob_rows=0\n"
    "500 sm 0 cta 0 slot 0  arrival op=0 bytes=128 latency=400\n"
    "500 sm 1 cta 1 slot 0  arrival op=0 bytes=128 latency=400\n" ENDS "# end 8\n",
    HEADER START ISSUE "# dropped 9 events, from cycle 20 on\n# end 2\n",
    /* The rest of an operation may come behind its CTA's end. */
    HEADER START
    "  5 sm 3 cta 7 slot 1  issue op=0 map=0\n  6 sm 3 cta 7 slot 0  cta_end cycles=6\n"
    "  6 sm 3 cta 7 slot 2  mbarrier phase=0 bytes=0\n"
    "  9 sm 3 cta 7 slot 1  tensormap op=0 number=1 cycles=2\n"
    " 20 sm 3 cta 7 slot 1  rows op=0 rows=1 requests=1 oob_rows=0\n"
    " 30 sm 3 cta 7 slot 1  arrival op=0 bytes=0 latency=25\n"
    " 40 sm 3 cta 7 slot 1  l2_fill op=0 fills=1 sectors=2 misses=1\n# end 8\n",
};

TEST_ROWS(test_kept_promises_pass, TABLE_ROWS(kept_promises)) {
    char text[TEXT_BYTES];
    enum tma_trace_verdict verdict;
    struct tma_error error = {0};
    write_file("a", kept_promises[_i], strlen(kept_promises[_i]));
    write_file("b", kept_promises[_i], strlen(kept_promises[_i]));
    ck_assert_msg(diff(&exact, text, &verdict, &error) == TMA_OK, "%s", error.text);
    ck_assert_int_eq(verdict, TMA_TRACE_SAME);
}

TEST_ROWS(test_bad_file_is_rejected, TABLE_ROWS(bad_files)) {
    write_file("a", FILE_TEXT(HEADER START ISSUE ROWS ARRIVE END "# end 5\n"));
    write_file("b", bad_files[_i].text, bad_files[_i].length);
    char text[TEXT_BYTES] = "untouched";
    enum tma_trace_verdict verdict;
    struct tma_error error = {0};
    ck_assert_int_eq(diff(&exact, text, &verdict, &error), bad_files[_i].code);
    ck_assert_str_eq(error.text, bad_files[_i].message);
    ck_assert_str_eq(text, "untouched");
}

TEST(test_unknown_version_is_rejected) {
    write_file("a", FILE_TEXT("# tmasim-trace 2\n# end 0\n"));
    write_file("b", FILE_TEXT("# tmasim-trace 2\n# end 0\n"));
    char text[TEXT_BYTES];
    enum tma_trace_verdict verdict;
    struct tma_error error = {0};
    ck_assert_int_eq(diff(&exact, text, &verdict, &error), TMA_ERROR_UNSUPPORTED);
    ck_assert_str_eq(error.text, "a: format version 2; this program reads version 1");
}

TEST(test_endless_line_is_rejected) {
    char *line = malloc(1 << 20);
    memset(line, 'x', 1 << 20);
    memcpy(line, "# tmasim-trace 1\n", 17);
    write_file("a", FILE_TEXT(HEADER "# end 0\n"));
    write_file("b", line, 1 << 20);
    free(line);
    char text[TEXT_BYTES];
    enum tma_trace_verdict verdict;
    struct tma_error error = {0};
    ck_assert_int_eq(diff(&exact, text, &verdict, &error), TMA_ERROR_SYNTAX);
    ck_assert_str_eq(error.text, "b:2: the line is longer than a trace's lines can be");
}

static const struct {
    const char *path, *message;
} unreadable[] = {
    {"missing", "missing: No such file or directory"},
    {"/", "/: Is a directory"},
};

TEST_ROWS(test_unreadable_file_is_reported, TABLE_ROWS(unreadable)) {
    write_file("a", FILE_TEXT(HEADER "# end 0\n"));
    enum tma_trace_verdict verdict;
    struct tma_error error = {0};
    enum tma_error_code code =
        tma_trace_diff("a", unreadable[_i].path, &exact, stdout, &verdict, &error);
    ck_assert_int_eq(code, TMA_ERROR_FILE);
    ck_assert_str_eq(error.text, unreadable[_i].message);
}

TEST(test_failed_write_is_reported) {
    write_file("a", FILE_TEXT(HEADER "# end 0\n"));
    FILE *full = fopen("/dev/full", "w");
    enum tma_trace_verdict verdict;
    struct tma_error error = {0};
    ck_assert_int_eq(tma_trace_diff("a", "a", &exact, full, &verdict, &error), TMA_ERROR_FILE);
    ck_assert_str_eq(error.text, "cannot write the comparison: No space left on device");
    fclose(full);
}

/* Random traces, sorted by cycle: passes of the consumers of some CTAs. */
enum { EVENTS = 20000, CTAS = 8 };

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

static void fill_events(struct tma_event *events, uint32_t seed) {
    uint64_t cycle = 1;
    for (uint32_t i = 0; i < EVENTS; i++) {
        uint32_t cta = next_random(&seed) % CTAS;
        cycle += 2 + next_random(&seed) % 4;
        events[i] = (struct tma_event){cycle,
                                       cta,
                                       cta,
                                       next_random(&seed) % 4,
                                       TMA_EVENT_CONSUME,
                                       {i, 16384, 300 + next_random(&seed) % 1000}};
    }
}

static void write_bounds(const struct tma_event_sink *sink, uint32_t first, uint32_t count,
                         uint64_t cycle, enum tma_event_kind kind) {
    for (uint32_t cta = first; cta < first + count; cta++)
        sink->event(sink->context, &(struct tma_event){cycle, cta, cta, 0, kind, {0}});
}

/* Writes all events but number `skipped`; EVENTS skips none. */
static void write_trace(const char *path, const struct tma_event *events, uint32_t skipped) {
    static const struct tma_trace_header header = {.scenario = "random"};
    FILE *file = fopen(path, "w");
    struct tma_trace_writer *writer = tma_trace_writer_open(file, &header, NULL);
    struct tma_event_sink sink = tma_trace_writer_sink(writer);
    write_bounds(&sink, 0, CTAS, 0, TMA_EVENT_CTA_START);
    for (uint32_t i = 0; i < EVENTS; i++)
        if (i != skipped)
            sink.event(sink.context, &events[i]);
    write_bounds(&sink, 0, CTAS, UINT64_MAX, TMA_EVENT_CTA_END);
    ck_assert_int_eq(tma_trace_writer_close(writer, NULL), TMA_OK);
    fclose(file);
}

/* Compares the files, and returns the last line of the output. */
static const char *last_line(char text[TEXT_BYTES], enum tma_trace_verdict *verdict) {
    ck_assert_int_eq(diff(&exact, text, verdict, NULL), TMA_OK);
    text[strlen(text) - 1] = '\0';
    const char *newline = strrchr(text, '\n');
    return newline == NULL ? text : newline + 1;
}

TEST_ROWS(test_random_change_is_counted, 8) {
    struct tma_event *events = malloc(EVENTS * sizeof *events);
    uint32_t seed = (uint32_t)_i + 1;
    char text[TEXT_BYTES];
    enum tma_trace_verdict verdict;
    fill_events(events, seed);
    write_trace("a", events, EVENTS);

    write_trace("b", events, EVENTS);
    ck_assert_str_eq(last_line(text, &verdict), "same events: 20016");
    ck_assert_int_eq(verdict, TMA_TRACE_SAME);

    uint32_t changed = next_random(&seed) % EVENTS;
    write_trace("b", events, changed);
    ck_assert_str_eq(last_line(text, &verdict),
                     "all               20015            0            1            0");
    ck_assert_int_eq(verdict, TMA_TRACE_DIFFERENT);

    uint64_t *numbers[] = {&events[changed].cycle, &events[changed].figures[1],
                           &events[changed].figures[2]};
    ++*numbers[next_random(&seed) % 3];
    write_trace("b", events, EVENTS);
    ck_assert_str_eq(last_line(text, &verdict),
                     "all               20015            1            0            0");
    ck_assert_int_eq(verdict, TMA_TRACE_DIFFERENT);
    free(events);
}

/* If one byte of a trace changes, the comparison finds a difference, or fails with an error that
 * names the file. A zero in place of a padding space changes nothing, so the test skips that. */
TEST_ROWS(test_changed_byte_is_found, 9) {
    static const char intact[] = HEADER START ISSUE ROWS ARRIVE END "# end 5\n";
    char text[TEXT_BYTES], changed[sizeof intact];
    enum tma_trace_verdict verdict;
    struct tma_error error;
    write_file("a", FILE_TEXT(intact));
    for (size_t at = 0; at < LENGTH_OF(intact); at++) {
        static const char bytes[] = {'\0', '\n', ' ', '#', '=', '0', '9', 's', '\xff'};
        char byte = bytes[(at + (size_t)_i) % sizeof bytes];
        if (intact[at] == byte || (intact[at] == ' ' && byte == '0'))
            continue;
        memcpy(changed, intact, sizeof intact);
        changed[at] = byte;
        write_file("b", changed, LENGTH_OF(intact));
        error.text[0] = '\0';
        if (diff(&exact, text, &verdict, &error) == TMA_OK)
            ck_assert_msg(verdict == TMA_TRACE_DIFFERENT, "byte %zu: %s", at, changed);
        else
            ck_assert_msg(strncmp(error.text, "b:", 2) == 0, "byte %zu: %s", at, error.text);
    }
}

/* If every cycle changes and one event is missing, the comparison still counts one missing event.
 */
TEST(test_missing_event_is_found_in_a_shifted_trace) {
    struct tma_event *events = malloc(EVENTS * sizeof *events);
    char text[TEXT_BYTES];
    enum tma_trace_verdict verdict;
    fill_events(events, 1);
    write_trace("a", events, EVENTS);
    for (uint32_t i = 0; i < EVENTS; i++)
        events[i].cycle = 2 * events[i].cycle + 1;
    write_trace("b", events, 100);
    ck_assert_str_eq(last_line(text, &verdict),
                     "all                  16        19999            1            0");
    free(events);
}

/* More events without a counterpart than the pending events hold: memory stays bounded, and the
 * counts are right. */
TEST(test_traces_without_common_events) {
    enum { MANY = 300000 };
    static const struct tma_trace_header header = {.scenario = "many"};
    for (uint32_t cta = 0; cta < 2; cta++) {
        FILE *file = fopen(cta == 0 ? "a" : "b", "w");
        struct tma_trace_writer *writer = tma_trace_writer_open(file, &header, NULL);
        struct tma_event_sink sink = tma_trace_writer_sink(writer);
        write_bounds(&sink, 0, 2, 0, TMA_EVENT_CTA_START);
        for (uint32_t i = 0; i < MANY; i++)
            sink.event(sink.context, &(struct tma_event){i + 1, 3, cta, 0, TMA_EVENT_CONSUME, {i}});
        write_bounds(&sink, 0, 2, UINT64_MAX, TMA_EVENT_CTA_END);
        ck_assert_int_eq(tma_trace_writer_close(writer, NULL), TMA_OK);
        fclose(file);
    }
    char text[TEXT_BYTES];
    enum tma_trace_verdict verdict;
    ck_assert_int_eq(diff(&exact, text, &verdict, NULL), TMA_OK);
    ck_assert_int_eq(verdict, TMA_TRACE_DIFFERENT);
    ck_assert_str_eq(
        text,
        "first divergence: cycle 1, sm 3 cta 0 slot 0, consume\n"
        "  a:5:          1 sm   3 cta     0 slot  0  consume   consumer=0 instructions=0 "
        "wavefronts=0 excess=0\n"
        "  b: no such event\n" TABLE
        "consume               0            0       300000       300000\n"
        "all                   4            0       300000       300000\n"
        "The traces differ so much that some changed events may be counted twice: once as only "
        "first, once as only second.\n");
}

TEST_SUITE("trace diff", .set_up = enter_directory, .tear_down = leave_directory);
