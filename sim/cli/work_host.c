#include "cli/work_host.h"

#include "cli/messages.h"

static struct tma_workers *create_workers(void *context, const struct tma_worker_code *code) {
    const struct cli_host *host = context;
    return cli_workers_create(host->options, code, host->key);
}

static bool look(void *context, const struct tma_progress *progress) {
    struct cli_host *host = context;
    host->progress.total = progress->total;
    host->progress.total_work = progress->total_work;
    host->progress.cycles = progress->cycles;
    return cli_progress_look(&host->progress, progress->done, progress->done_work);
}

static void note(void *context, const char *text) {
    struct cli_host *host = context;
    cli_progress_clear(&host->progress);
    cli_note("%s", text);
}

void cli_host_begin(struct cli_host *host, const struct cli_options *options, const char *unit,
                    const char *key) {
    *host = (struct cli_host){
        .host = {.context = host, .workers = create_workers, .look = look, .note = note},
        .options = options,
        .key = key,
        .progress = {.unit = unit},
    };
    cli_progress_begin(&host->progress, options->quiet);
}

void cli_host_end(struct cli_host *host) {
    cli_progress_clear(&host->progress);
}
