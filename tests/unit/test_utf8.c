/* UTF-8: characters are found, cut and shown as wholes. */
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "report/escape.h"
#include "report/json_writer.h"
#include "suite.h"

static const struct {
    const char *text;
    size_t length;
    bool printable;
} characters[] = {
    {"a", 1, true},
    {"\xc3\xa9", 2, true},
    {"\xe2\x82\xac", 3, true},
    {"\xf0\x9f\x98\x80", 4, true},
    {"\x1b", 1, false},
    {"\x7f", 1, false},
    {"\xc2\x85", 2, false},     /* C1 */
    {"\xe2\x80\xae", 3, false}, /* right-to-left override */
    {"\xe2\x80\xa8", 3, false}, /* line separator */
    {"\xef\xbb\xbf", 3, false}, /* byte order mark */
    {"\xc3", 0, false},
    {"\xc0\xaf", 0, false},     /* too long a form of / */
    {"\xed\xa0\x80", 0, false}, /* a surrogate */
    {"\xf4\x90\x80\x80", 0, false},
    {"\xff", 0, false},
};

TEST_ROWS(test_characters, TABLE_ROWS(characters)) {
    const char *text = characters[_i].text;
    ck_assert_uint_eq(tma_utf8_length(text), characters[_i].length);
    ck_assert_uint_eq(tma_printable_length(text), characters[_i].printable ? strlen(text) : 0);
}

TEST(test_cuts) {
    static const char text[] = "a\xc3\xa9\xe2\x82\xac\xffz";
    static const int ends[] = {0, 1, 1, 3, 3, 3, 6, 7, 8, 8};
    for (int i = 0; i < TABLE_ROWS(ends); i++)
        ck_assert_int_eq(tma_text_cut(text, i), ends[i]);
}

TEST(test_errors_are_cut_between_characters) {
    char text[TMA_ERROR_TEXT_BYTES * 2];
    for (size_t lead = 0; lead < 4; lead++) {
        struct tma_error error;
        size_t length = lead;
        memset(text, 'x', lead);
        for (; length + 3 < sizeof text; length += 3)
            memcpy(text + length, "\xe2\x82\xac", 3);
        text[length] = '\0';
        tma_fail(&error, TMA_ERROR_SYNTAX, "%s", text);
        size_t kept = strlen(error.text);
        ck_assert_uint_eq(kept, lead + (TMA_ERROR_TEXT_BYTES - 1 - lead) / 3 * 3);
    }
}

/* What each writer makes of a name that means harm. */
static const char harm[] = "\x1b[31m\"'<script>&\n,\xff\xe2\x80\xae\xc2\x85`|*";

static const struct {
    void (*write)(const char *text, FILE *out);
    const char *expected;
} writers[] = {
    {tma_write_printable, "\\x1b[31m\"'<script>&\\x0a,\\xff\\xe2\\x80\\xae\\xc2\\x85`|*"},
    {tma_write_xml, "\\x1b[31m&quot;'&lt;script&gt;&amp;\\x0a,\\xff\\xe2\\x80\\xae\\xc2\\x85`|*"},
    {tma_write_markdown,
     "\\x1b[31m\"'\\<script\\>\\&\\x0a,\\xff\\xe2\\x80\\xae\\xc2\\x85\\`\\|\\*"},
};

TEST_ROWS(test_writers, TABLE_ROWS(writers)) {
    char text[256] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    writers[_i].write(harm, out);
    fclose(out);
    ck_assert_str_eq(text, writers[_i].expected);
}

TEST(test_json) {
    char text[256] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    struct tma_json json = {.out = out};
    tma_json_string(&json, NULL, harm);
    fclose(out);
    ck_assert_str_eq(text, "\"\\u001b[31m\\\"'<script>&\\u000a,\\ufffd\\u202e\\u0085`|*\"");
}

TEST_SUITE("UTF-8");
