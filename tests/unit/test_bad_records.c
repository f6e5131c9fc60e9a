/* Records that no capture writes: each is refused or skipped with a reason, and never reads or
 * writes outside a buffer. CI runs this with sanitizers. */
#include <stdio.h>
#include <string.h>

#include "records/timing_record.h"
#include "records/validate.h"
#include "suite.h"

static const struct {
    const char *path;
    uint64_t skipped;
    const char *difference; /* the first one; NULL: none */
} files[] = {
    /* The descriptor says another map than the columns, and that map is illegal. */
    {"tests/unit/bad_records/stray_descriptor.tsv", 1, NULL},
    {"tests/unit/bad_records/stray_descriptor_2.tsv", 1, NULL},
    {"tests/unit/bad_records/stray_descriptor_3.tsv", 1, NULL},
    {"tests/unit/bad_records/tensor_offset.tsv", 0,
     "18502: tensor_offset is \"9223372036854775807\"; expected an integer from 0 to "
     "9223232398878048255"},
};

TEST_ROWS(bad_operation_is_refused, TABLE_ROWS(files)) {
    struct tma_validation validation;
    ck_assert(tma_validate_file(files[_i].path, NULL, &validation, NULL) == TMA_OK);
    ck_assert_uint_eq(validation.skipped, files[_i].skipped);
    ck_assert_uint_eq(validation.agree, 0);
    ck_assert_uint_eq(validation.difference_count, files[_i].difference != NULL);
    if (files[_i].difference != NULL)
        ck_assert_str_eq(validation.differences[0], files[_i].difference);
    tma_validation_free(&validation);
}

#define WORDS                                                                                      \
    "mode=0 dtype=6 rank=2 dim=64,64 stride=128 box=64,8 swizzle=3 grid=2 iters=8 depth=2 "        \
    "stage=1024 tx=1024 nt=1,8 step=0,8"

static const struct {
    const char *from, *to; /* what replaces what in WORDS */
    const char *text;      /* NULL: a good record */
} timing[] = {
    {"mode=0", "mode=0", NULL},
    {"dtype=6", "dtype=99", "dtype=99 in the scenario column; expected integers from 0 to 15"},
    {"dtype=6", "dtype=-1", "dtype=-1 in the scenario column; expected integers from 0 to 15"},
    {"mode=0", "mode=7", "mode=7 in the scenario column; expected integers from 0 to 1"},
    {"mode=0", "order=4", "order=4 in the scenario column; expected integers from 0 to 3"},
    {"mode=0", "op=5", "op=5 in the scenario column; expected integers from 0 to 3"},
    {"mode=0", "l2=1x", "l2=1x in the scenario column; expected integers from 0 to 3"},
    {"rank=2", "rank=4294967298",
     "rank=4294967298 in the scenario column; expected integers from 1 to 5"},
    {"rank=2", "", "rank=(none) in the scenario column; expected integers from 1 to 5"},
    {"iters=8", "iters=0", "iters=0 in the scenario column; expected integers from 1 to 1000000"},
    {"depth=2", "depth=65", "depth=65 in the scenario column; expected integers from 1 to 64"},
    {"grid=2 iters=8", "grid=1001 iters=1000",
     "grid=1001 and iters=1000 in the scenario column are 1001000 operations; allowed: 1000000"},
    {"nt=1,8", "nt=1,0", "nt=1,0 in the scenario column; expected integers from 1 to 1073741824"},
    {"box=64,8", "box=64,x,8",
     "box=64,x,8 in the scenario column; expected integers from 1 to 1073741824"},
    {"stride=128", "stride=9223372036854775808",
     "stride=9223372036854775808 in the scenario column; expected integers from 0 to "
     "1099511627776"},
};

TEST_ROWS(bad_timing_is_refused, TABLE_ROWS(timing)) {
    char words[400];
    const char *at = strstr(WORDS, timing[_i].from);
    snprintf(words, sizeof words, "%.*s%s%s", (int)(at - WORDS), WORDS, timing[_i].to,
             at + strlen(timing[_i].from));
    const char *cells[] = {"scenario", "cycles_med", words, "1"};
    struct tma_tsv records = {.cells = cells, .rows = 1, .columns = 2};
    struct tma_machine machine = {.sm_count = 1};
    struct tma_workload workload;
    struct tma_error error = {0};
    enum tma_error_code code = tma_timing_record_read(&records, 0, &machine, &workload, &error);
    ck_assert_str_eq(error.text, timing[_i].text == NULL ? "" : timing[_i].text);
    ck_assert_int_eq(code, timing[_i].text == NULL ? TMA_OK : TMA_ERROR_SYNTAX);
}

/* The program column says whose instructions surround the operations: none for the program of the
 * first records, or those of scripts/capture, whose time depends on the rank. */
static const struct {
    const char *program;
    enum tma_error_code code;
    bool other_code;
} programs[] = {{"", TMA_OK, false}, {"capture", TMA_OK, true}, {"other", TMA_ERROR_SYNTAX, false}};

TEST_ROWS(program_gives_loop_code, TABLE_ROWS(programs)) {
    const char *cells[] = {"scenario",           "program", "cycles_med", WORDS " op=1",
                           programs[_i].program, "1"};
    struct tma_tsv records = {.cells = cells, .rows = 1, .columns = 3};
    struct tma_machine machine = {.sm_count = 1};
    struct tma_workload workload;
    struct tma_error error = {0};
    enum tma_error_code code = tma_timing_record_read(&records, 0, &machine, &workload, &error);
    ck_assert_int_eq(code, programs[_i].code);
    ck_assert_str_eq(error.text,
                     code == TMA_OK ? "" : "\"other\" in the program column; allowed: capture");
    ck_assert_int_eq(workload.loop_code.more_cycles != 0, programs[_i].other_code);
}

TEST_SUITE("bad records");
