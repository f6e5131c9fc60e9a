/* The text of a trace: the line of each kind of event, the header, and write errors. */
#include <stdio.h>
#include <string.h>

#include "suite.h"
#include "trace/line.h"
#include "trace/trace.h"

struct line_case {
    struct tma_event event;
    const char *line;
};

static const struct line_case lines[] = {
    {{0, 0, 0, 0, TMA_EVENT_CTA_START, {0}}, "         0 sm   0 cta     0 slot  0  cta_start\n"},
    {{7, 1, 2, 3, TMA_EVENT_ISSUE, {4, 1}},
     "         7 sm   1 cta     2 slot  3  issue     op=4 map=1\n"},
    {{31, 131, 1055, 7, TMA_EVENT_ROWS, {12, 64, 128, 3}},
     "        31 sm 131 cta  1055 slot  7  rows      op=12 rows=64 requests=128 oob_rows=3\n"},
    {{400, 3, 7, 2, TMA_EVENT_L2_FILL, {12, 8, 64, 60}},
     "       400 sm   3 cta     7 slot  2  l2_fill   op=12 fills=8 sectors=64 misses=60\n"},
    {{1042, 3, 7, 2, TMA_EVENT_ARRIVAL, {12, 16384, 603}},
     "      1042 sm   3 cta     7 slot  2  arrival   op=12 bytes=16384 latency=603\n"},
    {{1043, 3, 7, 2, TMA_EVENT_MBARRIER, {5, 16384}},
     "      1043 sm   3 cta     7 slot  2  mbarrier  phase=5 bytes=16384\n"},
    {{1100, 3, 7, 2, TMA_EVENT_CONSUME, {0, 128, 1024, 896}},
     "      1100 sm   3 cta     7 slot  2  consume   consumer=0 instructions=128 wavefronts=1024 "
     "excess=896\n"},
    {{999999, 3, 7, 2, TMA_EVENT_CTA_END, {999999}},
     "    999999 sm   3 cta     7 slot  2  cta_end   cycles=999999\n"},
    /* Numbers wider than their columns move the rest of the line to the right. */
    {{UINT64_MAX,
      UINT32_MAX,
      UINT32_MAX,
      UINT32_MAX,
      TMA_EVENT_ROWS,
      {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}},
     "18446744073709551615 sm 4294967295 cta 4294967295 slot 4294967295  rows      "
     "op=18446744073709551615 rows=18446744073709551615 requests=18446744073709551615 "
     "oob_rows=18446744073709551615\n"},
};

TEST_ROWS(test_event_is_formatted, TABLE_ROWS(lines)) {
    char line[TMA_TRACE_LINE_BYTES + 1];
    size_t length = tma_trace_line_format(line, &lines[_i].event);
    line[length] = '\0';
    ck_assert_str_eq(line, lines[_i].line);
}

TEST_ROWS(test_line_reads_back, TABLE_ROWS(lines)) {
    const char *line = lines[_i].line;
    struct tma_event event = {.figures = {9, 9, 9, 9}};
    ck_assert_ptr_null(tma_trace_line_parse(line, strlen(line) - 1, &event));
    ck_assert_mem_eq(&event, &lines[_i].event, sizeof event);
}

static const struct {
    const char *line, *wrong;
} bad_lines[] = {
    {"", "cycle"},
    {"sm 1 cta 1 slot 1  issue op=1 map=1", "cycle"},
    {"-1 sm 1 cta 1 slot 1  issue op=1 map=1", "cycle"},
    {"18446744073709551616 sm 1 cta 1 slot 1  issue op=1 map=1", "cycle"},
    {"1 sm 4294967296 cta 1 slot 1  issue op=1 map=1", "sm, cta and slot"},
    {"1 sm 1 cta slot 1  issue op=1 map=1", "sm, cta and slot"},
    {"1 sm 1 cta 1", "sm, cta and slot"},
    {"1 sm 1 cta 1 slot 1", "kind"},
    {"1 sm 1 cta 1 slot 1  issued op=1 map=1", "kind"},
    {"1 sm 1 cta 1 slot 1  iss", "kind"},
    {"1 sm 1 cta 1 slot 1  issue op=1", "figures"},
    {"1 sm 1 cta 1 slot 1  issue op=1 map=", "figures"},
    {"1 sm 1 cta 1 slot 1  issue op=1 box=1", "figures"},
    {"1 sm 1 cta 1 slot 1  issue op=1 map=1 map=1", "unexpected text"},
    {"1 sm 1 cta 1 slot 1  issue op=1 map=1 ", "unexpected text"},
    {"1 sm 1 cta 1 slot 1  issue op=1 map=1.5", "unexpected text"},
};

TEST_ROWS(test_bad_line_is_rejected, TABLE_ROWS(bad_lines)) {
    struct tma_event event;
    const char *line = bad_lines[_i].line;
    const char *wrong = tma_trace_line_parse(line, strlen(line), &event);
    ck_assert_msg(wrong != NULL && strstr(wrong, bad_lines[_i].wrong) != NULL, "%s: %s", line,
                  wrong == NULL ? "taken" : wrong);
}

static const struct tma_trace_field fields[] = {
    {"machine.name", "h200"},
    {"workload.depth", "4"},
};
static const struct tma_trace_header header = {
    .scenario = "gemm\ttile\n# end 0", .fields = fields, .field_count = 2};

TEST(test_trace_has_header_events_and_end) {
    char text[1024];
    FILE *file = fmemopen(text, sizeof text, "w");
    struct tma_trace_writer *writer = tma_trace_writer_open(file, &header, NULL);
    struct tma_event_sink sink = tma_trace_writer_sink(writer);
    for (int i = 0; i < 2; i++)
        sink.event(sink.context, &lines[i].event);
    ck_assert_int_eq(tma_trace_writer_close(writer, NULL), TMA_OK);
    fclose(file);
    ck_assert_str_eq(text, "# tmasim-trace 1\n"
                           "# scenario gemm\\x09tile\\x0a# end 0\n"
                           "# machine.name h200\n"
                           "# workload.depth 4\n"
                           "         0 sm   0 cta     0 slot  0  cta_start\n"
                           "         7 sm   1 cta     2 slot  3  issue     op=4 map=1\n"
                           "# end 2\n");
}

/* The two events take 47 and 58 bytes, behind a header of 91, and leave 100 for the last lines. */
static const struct {
    uint64_t limit;
    uint64_t dropped;
} limits[] = {{0, 0}, {1 << 20, 0}, {296, 0}, {295, 1}, {238, 1}, {237, 2}, {191, 2}};

/* The trace ends before the first line that would exceed the limit, and says what is missing. */
TEST_ROWS(test_limit_drops_the_rest, TABLE_ROWS(limits)) {
    char text[1024], end[sizeof "# end 2147483647\n" + 80], drops[80] = "";
    FILE *file = fmemopen(text, sizeof text, "w");
    struct tma_trace_header limited = header;
    limited.limit_bytes = limits[_i].limit;
    struct tma_trace_writer *writer = tma_trace_writer_open(file, &limited, NULL);
    struct tma_event_sink sink = tma_trace_writer_sink(writer);
    for (int i = 0; i < 2; i++)
        sink.event(sink.context, &lines[i].event);
    ck_assert_uint_eq(tma_trace_writer_drops(writer).events, limits[_i].dropped);
    ck_assert_int_eq(tma_trace_writer_close(writer, NULL), TMA_OK);
    fclose(file);
    if (limits[_i].dropped > 0)
        snprintf(drops, sizeof drops, "# dropped %d events, from cycle %d on\n",
                 (int)limits[_i].dropped, limits[_i].dropped == 1 ? 7 : 0);
    snprintf(end, sizeof end, "%s# end %d\n", drops, 2 - (int)limits[_i].dropped);
    ck_assert_str_eq(text + strlen(text) - strlen(end), end);
    ck_assert_int_eq(strstr(text, "cta_start") != NULL, limits[_i].dropped < 2);
    ck_assert(limits[_i].limit == 0 || strlen(text) <= limits[_i].limit);
}

TEST(test_limit_below_the_header_is_refused) {
    char text[1024];
    FILE *file = fmemopen(text, sizeof text, "w");
    struct tma_trace_header limited = header;
    struct tma_error error;
    limited.limit_bytes = 190;
    ck_assert_ptr_null(tma_trace_writer_open(file, &limited, &error));
    ck_assert_ptr_nonnull(strstr(error.text, "expected 191 bytes or more"));
    fclose(file);
}

/* Closing reports a full disk, whether a write fails in the middle of the trace or at its end. */
TEST_ROWS(test_failed_write_is_reported_at_close, 3) {
    static const int events[] = {0, 1, 100000};
    FILE *file = fopen("/dev/full", "w");
    ck_assert_ptr_nonnull(file);
    struct tma_trace_writer *writer = tma_trace_writer_open(file, &header, NULL);
    struct tma_event_sink sink = tma_trace_writer_sink(writer);
    for (int i = 0; i < events[_i]; i++)
        sink.event(sink.context, &lines[2].event);
    struct tma_error error = {0};
    ck_assert_int_eq(tma_trace_writer_close(writer, &error), TMA_ERROR_FILE);
    ck_assert_str_eq(error.text, "cannot write the trace: No space left on device");
    fclose(file);
}

/* A writer that checks says which event broke a promise, or what has not ended. */
static const struct {
    int first, end; /* of the lines that are written */
    enum tma_error_code code;
    const char *message;
} checked[] = {
    {0, 0, TMA_OK, ""},
    {0, 1, TMA_ERROR_MODEL, "the trace breaks a promise: CTA 0 has no end"},
    {0, 3, TMA_ERROR_MODEL,
     "the trace breaks a promise: CTA 2 does not run: "
     "         7 sm   1 cta     2 slot  3  issue     op=4 map=1"},
};

TEST_ROWS(test_promises_are_checked, TABLE_ROWS(checked)) {
    char text[1024];
    FILE *file = fmemopen(text, sizeof text, "w");
    struct tma_trace_header checking = header;
    struct tma_error error = {0};
    checking.checks = true;
    struct tma_trace_writer *writer = tma_trace_writer_open(file, &checking, NULL);
    struct tma_event_sink sink = tma_trace_writer_sink(writer);
    for (int i = checked[_i].first; i < checked[_i].end; i++)
        sink.event(sink.context, &lines[i].event);
    ck_assert_int_eq(tma_trace_writer_close(writer, &error), checked[_i].code);
    ck_assert_str_eq(error.text, checked[_i].message);
    fclose(file);
}

TEST_SUITE("trace writer");
