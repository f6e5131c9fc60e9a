/* YAML in block style: what it looks like, and that reading it gives the same values. */
#include "base/allocation.h"
#include "scenario/block_yaml.h"
#include "scenario/document.h"
#include "suite.h"

static const struct {
    const char *path;
    enum tma_block_value kind;
    const char *value, *comment, *lines;
} values[] = {
    {"name", TMA_BLOCK_SCALAR, "x", NULL, "name: x\n"},
    {"gpu.l2.ways", TMA_BLOCK_SCALAR, "16", "h200.yaml:7",
     "gpu:\n  l2:\n    ways: 16  # h200.yaml:7\n"},
    {"gpu.l2.hash", TMA_BLOCK_SCALAR, "even", NULL, "    hash: even\n"},
    {"gpu.l3.ways", TMA_BLOCK_SCALAR, "2", NULL, "  l3:\n    ways: 2\n"},
    {"maps.A.box_dim", TMA_BLOCK_FLOW, "[64, 32]", NULL, "maps:\n  A:\n    box_dim: [64, 32]\n"},
    {"kernel.list.0", TMA_BLOCK_SCALAR, "a", NULL, "kernel:\n  list:\n    - a\n"},
    {"kernel.list.1", TMA_BLOCK_SCALAR, "b", "here", "    - b  # here\n"},
    {"kernel.do.0.for.k", TMA_BLOCK_SCALAR, "K", NULL, "  do:\n    - for:\n        k: K\n"},
    {"kernel.do.0.ahead", TMA_BLOCK_SCALAR, "2", NULL, "      ahead: 2\n"},
    {"kernel.do.0.do.0.load", TMA_BLOCK_SCALAR, "A", NULL, "      do:\n        - load: A\n"},
    {"kernel.do.0.do.0.at.0", TMA_BLOCK_SCALAR, "0", NULL, "          at:\n            - 0\n"},
    {"kernel.do.0.do.1.wait", TMA_BLOCK_SCALAR, "", "nothing", "        - wait:  # nothing\n"},
    {"kernel.do.1.0", TMA_BLOCK_SCALAR, "list in a list", NULL, "    - - list in a list\n"},
    {"text.point", TMA_BLOCK_SCALAR, "-1.5", NULL, "text:\n  point: -1.5\n"},
    {"text.negated", TMA_BLOCK_SCALAR, "!x", NULL, "  negated: \"!x\"\n"},
    {"text.list", TMA_BLOCK_SCALAR, "[a]", NULL, "  list: \"[a]\"\n"},
    {"text.key", TMA_BLOCK_SCALAR, "a: b", NULL, "  key: \"a: b\"\n"},
    {"text.comment", TMA_BLOCK_SCALAR, "a #b", NULL, "  comment: \"a #b\"\n"},
    {"text.colon", TMA_BLOCK_SCALAR, "a:", NULL, "  colon: \"a:\"\n"},
    {"text.dash", TMA_BLOCK_SCALAR, "- a", NULL, "  dash: \"- a\"\n"},
    {"text.document", TMA_BLOCK_SCALAR, "---", NULL, "  document: \"---\"\n"},
    {"text.space", TMA_BLOCK_SCALAR, " a ", NULL, "  space: \" a \"\n"},
    {"text.quotes", TMA_BLOCK_SCALAR, "\"a\\", NULL, "  quotes: \"\\\"a\\\\\"\n"},
    {"text.line", TMA_BLOCK_SCALAR, "a\nb", "c\nd", "  line: \"a\\u000ab\"  # c\\x0ad\n"},
    {"text.turned", TMA_BLOCK_SCALAR, "\xc3\xa4\xc2\x85\u202e", NULL,
     "  turned: \"\xc3\xa4\\u0085\\u202e\"\n"},
};

static char *write_all(void) {
    char *text = NULL;
    size_t length;
    struct tma_block_yaml yaml = {.out = open_memstream(&text, &length)};
    ck_assert_ptr_nonnull(yaml.out);
    for (int i = 0; i < TABLE_ROWS(values); i++)
        tma_block_yaml_write(&yaml, values[i].path, values[i].kind, values[i].value,
                             values[i].comment);
    ck_assert_int_eq(fclose(yaml.out), 0);
    return text;
}

TEST(test_lines) {
    char *text = write_all();
    const char *at = text;
    for (int i = 0; i < TABLE_ROWS(values); i++) {
        size_t length = strlen(values[i].lines);
        ck_assert_msg(strncmp(at, values[i].lines, length) == 0, "%s: %.80s", values[i].path, at);
        at += length;
    }
    ck_assert_str_eq(at, "");
    free(text);
}

TEST(test_reading_gives_the_same) {
    struct tma_diagnostics list = {0};
    char *text = write_all();
    struct tma_yaml_node *root = tma_yaml_parse(text, strlen(text), "text", &list);
    ck_assert_ptr_nonnull(root);
    ck_assert_uint_eq(list.count, 0);
    for (int i = 0; i < TABLE_ROWS(values); i++) {
        const struct tma_yaml_node *node = tma_yaml_find(root, values[i].path);
        ck_assert_msg(node != NULL, "%s", values[i].path);
        if (values[i].kind == TMA_BLOCK_SCALAR)
            ck_assert_str_eq(node->text, values[i].value);
        else
            ck_assert_uint_eq(tma_yaml_count(node), 2);
    }
    tma_yaml_free(root);
    tma_diagnostics_free(&list);
    free(text);
}

TEST_SUITE("block YAML");
