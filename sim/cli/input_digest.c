#include "cli/input_digest.h"

#include "base/allocation.h"
#include "base/digest.h"
#include "scenario/extend.h"
#include "scenario/text_file.h"

static bool digest_file(uint64_t *digest, const char *path) {
    char *text = NULL;
    size_t length;
    enum tma_error_code code =
        path == NULL ? TMA_ERROR_FILE : tma_text_read(path, &text, &length, NULL);
    if (code == TMA_OK)
        *digest = tma_digest_add(*digest, text, length + 1);
    tma_release(text);
    return code != TMA_ERROR_MEMORY;
}

bool cli_digest_scenario(uint64_t *digest, const char *path, const struct tma_scenario *scenario) {
    bool good = digest_file(digest, path);
    for (size_t i = 0; good && scenario->bases != NULL && i < scenario->bases->count; i++)
        good = digest_file(digest, scenario->bases->paths[i]);
    return good && digest_file(digest, scenario->gpu_path);
}

uint64_t cli_digest_variants(uint64_t digest, const struct cli_variants *variants) {
    for (size_t i = 0; i < variants->column_count; i++)
        digest = tma_digest_add_text(digest, variants->columns[i]);
    for (size_t i = 0; i < variants->row_count * variants->column_count; i++)
        digest =
            tma_digest_add_text(digest, variants->values[i] == NULL ? "" : variants->values[i]);
    return digest;
}
