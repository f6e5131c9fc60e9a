#include "records/record_file.h"

#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "base/utf8.h"
#include "engine/module.h"
#include "records/record_kind.h"

static const struct tma_record_kind *const kinds[] = {
    &tma_kind_load_tile, &tma_kind_load_im2col, &tma_kind_store,     &tma_kind_reduce,
    &tma_kind_convert,   &tma_kind_banks,       &tma_kind_pipelines, &tma_kind_timing,
    &tma_kind_kernels,   &tma_kind_counters,    &tma_kind_encode,
};

static const struct tma_record_kind *find_kind(const struct tma_tsv *records) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (records->rows > 0 && kinds[i]->matches(records))
            return kinds[i];
    return NULL;
}

/* Reads NAME_ranges.tsv beside NAME.tsv. Without such a file `ranges` stays empty. */
static enum tma_error_code read_ranges(const char *path, struct tma_tsv *ranges,
                                       struct tma_error *error) {
    static const char extension[] = ".tsv", suffix[] = "_ranges.tsv";
    size_t length = strlen(path), stem = length - (sizeof extension - 1);
    if (length < sizeof extension || strcmp(path + stem, extension) != 0)
        return TMA_OK;
    char *name = tma_allocate(1, stem + sizeof suffix);
    if (name == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "%s: out of memory", path);
    memcpy(name, path, stem);
    memcpy(name + stem, suffix, sizeof suffix);
    enum tma_error_code code = TMA_OK;
    FILE *file = fopen(name, "r");
    if (file != NULL) {
        struct tma_tsv found;
        fclose(file);
        code = tma_tsv_read(name, &found, error);
        if (code == TMA_OK)
            *ranges = found;
    }
    tma_release(name);
    return code;
}

enum tma_error_code tma_records_open(const char *path, struct tma_record_file *file,
                                     struct tma_error *error) {
    *file = (struct tma_record_file){0};
    enum tma_error_code code = tma_tsv_read(path, &file->records, error);
    if (code != TMA_OK)
        return code;
    file->kind = find_kind(&file->records);
    if (file->kind != NULL && file->kind->has_ranges)
        code = read_ranges(path, &file->ranges, error);
    if (file->ranges.cells != NULL)
        file->records.ranges = &file->ranges;
    if (code != TMA_OK)
        tma_records_close(file);
    return code;
}

enum tma_error_code tma_records_require(const struct tma_record_file *file,
                                        struct tma_error *error) {
    const struct tma_engine_module *engine;
    if (file->kind == NULL)
        return TMA_OK;
    if (file->kind->needs_library && file->records.kernels == NULL)
        return tma_fail(error, TMA_ERROR_FILE,
                        "cannot find configs/kernels near the command, which has the kernels of "
                        "these records");
    return file->kind->cost == NULL ? TMA_OK : tma_module_load(&engine, error);
}

void tma_records_close(struct tma_record_file *file) {
    if (file->ranges.cells != NULL)
        tma_tsv_free(&file->ranges);
    if (file->records.cells != NULL)
        tma_tsv_free(&file->records);
    *file = (struct tma_record_file){0};
}

struct tma_record_name tma_record_name(const struct tma_record_file *file, size_t row) {
    const struct tma_tsv *records = &file->records;
    struct tma_record_name name;
    if (tma_tsv_column(records, "name") >= 0)
        snprintf(name.text, sizeof name.text, "%s", tma_tsv_cell(records, row, "name"));
    else if (file->kind != NULL && file->kind->has_families)
        snprintf(name.text, sizeof name.text, "%s %s", tma_tsv_cell(records, row, "family"),
                 tma_tsv_cell(records, row, "arguments"));
    else
        snprintf(name.text, sizeof name.text, "%s", records->cells[(row + 1) * records->columns]);
    return name;
}

void tma_record_replay(const struct tma_record_file *file, const struct tma_machine *machine,
                       size_t row, struct tma_record_outcome *outcome) {
    struct tma_error error = {0};
    *outcome = (struct tma_record_outcome){0};
    if (file->kind == NULL)
        return;
    enum tma_error_code code = file->kind->replay(machine, &file->records, row, outcome, &error);
    outcome->out_of_memory = code == TMA_ERROR_MEMORY;
    if (code == TMA_OK)
        return;
    snprintf(outcome->reason, sizeof outcome->reason, "%.*s", tma_text_cut(error.text, 190),
             error.text);
}

uint64_t tma_record_cost(const struct tma_record_file *file, const struct tma_machine *machine,
                         size_t row) {
    if (file->kind == NULL || file->kind->cost == NULL)
        return 0;
    return file->kind->cost(machine, &file->records, row);
}
