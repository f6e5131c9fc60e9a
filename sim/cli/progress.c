#include "cli/progress.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/files/temporary.h"
#include "report/decimal.h"

enum { FIRST_MS = 2000, TERMINAL_MS = 200, PLAIN_MS = 10000, NUMBER_BYTES = 64 };

static uint64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void cli_progress_begin(struct cli_progress *progress, bool quiet) {
    progress->quiet = quiet || getenv("TMASIM_QUIET") != NULL;
    progress->terminal = isatty(STDERR_FILENO) == 1;
    progress->shown = false;
    progress->started_ms = now_ms();
    progress->next_ms = progress->started_ms + FIRST_MS;
}

/* "950", "12.3 thousand", "4.56 million" and so on: three digits. */
static void write_number(double value, char text[NUMBER_BYTES]) {
    static const char *const names[] = {"", " thousand", " million", " billion", " trillion"};
    size_t name = 0;
    while (value >= 999.5 && name + 1 < sizeof names / sizeof names[0]) {
        value /= 1000;
        name++;
    }
    unsigned digits = name == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    snprintf(text, NUMBER_BYTES, "%s%s", tma_decimal(value, digits).text, names[name]);
}

static void write_time(double seconds, char text[NUMBER_BYTES]) {
    uint64_t whole = seconds < 1e9 ? (uint64_t)(seconds + 0.5) : UINT64_C(1000000000);
    if (whole < 60)
        snprintf(text, NUMBER_BYTES, "%" PRIu64 " s", whole);
    else if (whole < 3600)
        snprintf(text, NUMBER_BYTES, "%" PRIu64 " min %02" PRIu64 " s", whole / 60, whole % 60);
    else
        snprintf(text, NUMBER_BYTES, "%" PRIu64 " h %02" PRIu64 " min", whole / 3600,
                 whole / 60 % 60);
}

static void print_line(const struct cli_progress *progress, double seconds) {
    char cycles[NUMBER_BYTES], rate[NUMBER_BYTES], left[NUMBER_BYTES];
    write_number((double)progress->cycles, cycles);
    write_number((double)progress->cycles / seconds, rate);
    fprintf(stderr, "tmasim: %" PRIu64 " of %" PRIu64 " %s", progress->done, progress->total,
            progress->unit);
    if (progress->cycles > 0)
        fprintf(stderr, ", %s cycles, %s cycles/s", cycles, rate);
    if (progress->done_work > 0) {
        double work = (double)progress->done_work;
        write_time(seconds * ((double)progress->total_work - work) / work, left);
        fprintf(stderr, ", %s left", left);
    }
}

void cli_progress_show(struct cli_progress *progress) {
    uint64_t now = now_ms();
    if (progress->quiet || now < progress->next_ms)
        return;
    progress->next_ms = now + (progress->terminal ? TERMINAL_MS : PLAIN_MS);
    cli_progress_clear(progress);
    print_line(progress, (double)(now - progress->started_ms) / 1000);
    progress->shown = progress->terminal;
    if (!progress->terminal)
        fputc('\n', stderr);
    fflush(stderr);
}

/* To the start of the line, and clear to its end. */
void cli_progress_note(struct cli_progress *progress, const void *bytes, size_t size) {
    uint64_t cycles;
    assert(size == sizeof cycles);
    memcpy(&cycles, bytes, size);
    progress->cycles += cycles;
}

bool cli_progress_look(struct cli_progress *progress, size_t done, uint64_t done_work) {
    progress->done = done;
    progress->done_work = done_work;
    cli_progress_show(progress);
    return !cli_interrupted();
}

void cli_progress_clear(struct cli_progress *progress) {
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}
