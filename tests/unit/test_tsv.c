/* The reader of record files: cells, lists, key=value words, and errors. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "records/crc32.h"
#include "records/tsv.h"
#include "suite.h"

static char path[] = "/tmp/tmasim_tsv_XXXXXX";

/* Writes the bytes to a temporary file and reads them as records. */
static enum tma_error_code read_bytes(const char *bytes, size_t count, struct tma_tsv *tsv,
                                      struct tma_error *error) {
    strcpy(path + strlen(path) - 6, "XXXXXX");
    int descriptor = mkstemp(path);
    ck_assert_int_ge(descriptor, 0);
    ck_assert_int_eq(write(descriptor, bytes, count), (ssize_t)count);
    close(descriptor);
    enum tma_error_code code = tma_tsv_read(path, tsv, error);
    unlink(path);
    return code;
}

TEST(cells_are_found_by_column) {
    static const char text[] = "id\tname\tlist\n7\tx=1 yy=2\t1,-2,3\n8\t\t\r\n9\tz\t5";
    struct tma_tsv tsv;
    ck_assert(read_bytes(text, strlen(text), &tsv, NULL) == TMA_OK);
    ck_assert_uint_eq(tsv.rows, 3);
    ck_assert_uint_eq(tsv.columns, 3);
    ck_assert_int_eq(tma_tsv_column(&tsv, "list"), 2);
    ck_assert_int_eq(tma_tsv_column(&tsv, "lis"), -1);
    ck_assert_str_eq(tma_tsv_cell(&tsv, 0, "name"), "x=1 yy=2");
    ck_assert_str_eq(tma_tsv_cell(&tsv, 1, "list"), "");
    ck_assert_str_eq(tma_tsv_cell(&tsv, 2, "list"), "5");
    ck_assert_str_eq(tma_tsv_cell(&tsv, 2, "none"), "");
    tma_tsv_free(&tsv);
}

TEST(words_and_lists_are_parsed) {
    char value[4];
    int64_t list[3];
    ck_assert(tma_find_key_value("a=12 bb=345678 b=9", "b", value, sizeof value));
    ck_assert_str_eq(value, "9");
    ck_assert(tma_find_key_value("a=12 bb=345678 b=9", "bb", value, sizeof value));
    ck_assert_str_eq(value, "345");
    ck_assert(!tma_find_key_value("a=12 bb=3", "c", value, sizeof value));
    ck_assert_uint_eq(tma_parse_list("1,-2,3,4", list, 3), 3);
    ck_assert_int_eq(list[1], -2);
    ck_assert_uint_eq(tma_parse_list("1,x", list, 3), 1);
    ck_assert_uint_eq(tma_parse_list("", list, 3), 0);
}

static const struct {
    const char *bytes;
    size_t count;
    const char *text; /* behind the path */
} refusals[] = {
    {"", 0, ": the file is empty; expected a header line"},
    {"a\tb\n1\0\t2\n", 9, ": the file is binary; expected tab-separated text"},
    {"hello\nworld\n", 12, ":1: no tab in the header line; expected tab-separated column names"},
    {"a\tb\n1\t2\n3\n", 10, ":3: wrong number of cells; expected 2, as in the header"},
    {"a\tb\n1\t2\t3\n", 10, ":2: wrong number of cells; expected 2, as in the header"},
};

TEST_ROWS(bad_file_is_rejected, TABLE_ROWS(refusals)) {
    struct tma_tsv tsv;
    struct tma_error error;
    ck_assert(read_bytes(refusals[_i].bytes, refusals[_i].count, &tsv, &error) == TMA_ERROR_SYNTAX);
    ck_assert_str_eq(error.text + strlen(path), refusals[_i].text);
}

TEST(unreadable_file_is_reported) {
    struct tma_tsv tsv;
    struct tma_error error;
    ck_assert(tma_tsv_read("/nonexistent/x.tsv", &tsv, &error) == TMA_ERROR_FILE);
    ck_assert_str_eq(error.text, "/nonexistent/x.tsv: No such file or directory");
    ck_assert(tma_tsv_read("/tmp", &tsv, &error) == TMA_ERROR_FILE);
    ck_assert_str_eq(error.text, "/tmp: cannot be read: Is a directory");
}

/* CRC-32's published check value, computed in one call and in two. */
TEST(crc32_has_its_check_value) {
    const uint8_t *digits = (const uint8_t *)"123456789";
    ck_assert_uint_eq(tma_crc32(0, digits, 9), 0xcbf43926);
    ck_assert_uint_eq(tma_crc32(tma_crc32(0, digits, 4), digits + 4, 5), 0xcbf43926);
}

TEST_SUITE("records");
