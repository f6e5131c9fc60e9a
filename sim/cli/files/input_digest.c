#include "cli/files/input_digest.h"

#include "base/allocation.h"
#include "base/digest.h"
#include "base/version.h"
#include "cli/messages.h"
#include "scenario/extend.h"
#include "scenario/text_file.h"

bool cli_digest_file(uint64_t *digest, const char *path) {
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
    bool good = cli_digest_file(digest, path);
    for (size_t i = 0; good && scenario->bases != NULL && i < scenario->bases->count; i++)
        good = cli_digest_file(digest, scenario->bases->paths[i]);
    return good && cli_digest_file(digest, scenario->gpu_path);
}

uint64_t cli_digest_variants(uint64_t digest, const struct tma_variants *variants) {
    for (size_t i = 0; i < variants->column_count; i++)
        digest = tma_digest_add_text(digest, variants->columns[i]);
    for (size_t i = 0; i < variants->row_count * variants->column_count; i++)
        digest =
            tma_digest_add_text(digest, variants->values[i] == NULL ? "" : variants->values[i]);
    return digest;
}

bool cli_digest_inputs(const struct cli_options *options, const char *const *paths,
                       const struct tma_variants *variants, char key[TMA_DIGEST_TEXT_BYTES]) {
    const struct cli_list *settings = &options->settings;
    uint64_t digest = tma_digest_add_text(TMA_DIGEST_EMPTY, TMA_VERSION);
    bool good = true;
    for (size_t i = 0; i < settings->count; i++)
        digest = tma_digest_add_text(digest, settings->items[i]);
    for (size_t i = 0; good && i < options->operands.count; i++) {
        struct tma_diagnostics list = {0};
        struct tma_scenario scenario;
        tma_scenario_read(paths[i], settings->items, settings->count, &scenario, &list);
        good = !tma_diagnostics_lack_memory(&list) &&
               cli_digest_scenario(&digest, paths[i], &scenario);
        tma_diagnostics_free(&list);
        tma_scenario_free(&scenario);
    }
    if (!good)
        cli_error("out of memory");
    tma_digest_text(variants == NULL ? digest : cli_digest_variants(digest, variants), key);
    return good;
}
