#include "scenario/origin.h"

#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "base/path.h"
#include "scenario/text_file.h"
#include "scenario/tree.h"

bool tma_origins_create(struct tma_origins *origins, const struct tma_scenario *scenario) {
    enum tma_error_code code = TMA_OK;
    char *text = NULL;
    size_t length;
    if (scenario->gpu_path != NULL)
        code = tma_text_read(scenario->gpu_path, &text, &length, NULL);
    *origins = (struct tma_origins){scenario, code == TMA_OK ? text : NULL};
    return code != TMA_ERROR_MEMORY;
}

void tma_origins_free(struct tma_origins *origins) {
    tma_release(origins->machine_text);
    *origins = (struct tma_origins){0};
}

/* The first word of the comment at the end of a line: "fitted"; of length 0 where there is none. */
static int comment_word(const char *text, unsigned line, const char **word) {
    for (unsigned at = 1; text != NULL && at < line; at++) {
        text = strchr(text, '\n');
        text = text == NULL ? NULL : text + 1;
    }
    size_t length = text == NULL ? 0 : strcspn(text, "\n");
    const char *mark = text == NULL ? NULL : memchr(text, '#', length);
    if (mark == NULL)
        return 0;
    *word = mark + 1 + strspn(mark + 1, " ");
    size_t end = strspn(*word, "abcdefghijklmnopqrstuvwxyz");
    return (*word)[end] == ':' ? (int)end : 0;
}

/* A descriptor is what a command has made of standard input or of a pipe. */
static const char *base_name(const char *path) {
    static const char descriptors[] = "/proc/self/fd/";
    if (strncmp(path, descriptors, sizeof descriptors - 1) == 0)
        return "standard input";
    return tma_path_name(path);
}

struct tma_origin tma_origin_of(const struct tma_origins *origins, const char *key) {
    static const char prefix[] = "gpu.";
    const struct tma_scenario *scenario = origins->scenario;
    bool of_machine = strncmp(key, prefix, sizeof prefix - 1) == 0;
    const struct tma_yaml_node *node = of_machine ? scenario->gpu_document : scenario->document;
    struct tma_origin origin = {"default"};
    node = node == NULL ? NULL : tma_yaml_find(node, of_machine ? key + sizeof prefix - 1 : key);
    if (node == NULL || node->at.file == NULL)
        return origin;
    bool in_file = scenario->gpu_path != NULL && strcmp(node->at.file, scenario->gpu_path) == 0;
    const char *word = "";
    int length = in_file ? comment_word(origins->machine_text, node->at.line, &word) : 0;
    if (strncmp(node->at.file, "--", 2) == 0)
        snprintf(origin.text, sizeof origin.text, "%s", node->at.file);
    else if (length > 0)
        snprintf(origin.text, sizeof origin.text, "%.100s:%u (%.*s)", base_name(node->at.file),
                 node->at.line, length < 20 ? length : 20, word);
    else
        snprintf(origin.text, sizeof origin.text, "%.100s:%u", base_name(node->at.file),
                 node->at.line);
    return origin;
}
