#include <string.h>

#include "base/allocation.h"
#include "cli/messages.h"
#include "records/pipeline_record.h"
#include "records/record_kind.h"
#include "scenario/kernel_print.h"
#include "validate/replay.h"

static const char default_machine[] = "h200";

static bool show_row(const struct tma_tsv *records, size_t row, const char *gpu,
                     const struct tma_machine *machine, FILE *out) {
    static const char *const maps[TMA_MAX_TENSOR_MAPS] = {"A", "B", "C"};
    struct tma_error error = {0};
    struct tma_pipeline_record *record = tma_allocate(1, sizeof *record);
    enum tma_error_code code = TMA_ERROR_MEMORY;
    if (record != NULL)
        code = tma_pipeline_record_read(records, row, machine, record, &error);
    if (code == TMA_OK)
        tma_kernel_print(&record->kernel, maps, gpu, out);
    else
        cli_error("%s", record == NULL ? "out of memory" : error.text);
    if (record != NULL)
        tma_pipeline_record_free(record);
    tma_release(record);
    return code == TMA_OK;
}

bool cli_record_show(const struct cli_options *options, const char *name, const char *gpu,
                     const struct tma_machine *machine, FILE *out) {
    for (size_t i = 0; i < options->operands.count; i++) {
        struct tma_tsv records;
        struct tma_error error;
        if (tma_tsv_read(options->operands.items[i], &records, &error) != TMA_OK)
            return cli_error("%s", error.text);
        size_t row = tma_tsv_find_name(&records, name);
        bool is_kernel = tma_kind_pipelines.matches(&records) && row < records.rows;
        bool shown =
            is_kernel && show_row(&records, row, gpu == NULL ? default_machine : gpu, machine, out);
        tma_tsv_free(&records);
        if (is_kernel)
            return shown;
    }
    return cli_error("no file has a record of a kernel with the name %s", name);
}
