#include "report/first_screen.h"

#include <inttypes.h>

#include "report/decimal.h"
#include "report/findings_formats.h"
#include "report/sampled.h"
#include "report/text_line.h"

/* A part of the machine that is busy for less than this does not limit a run by itself. */
enum { BUSY_TENTHS = 600 };

/* A smaller part of a limit has no digit. */
#define LEAST_USED 0.0005

/* Over-fetch below this is not worth a word. */
#define NOTABLE_OVER_FETCH 0.01

void tma_time_write_text(const struct tma_result *result, double time_ns,
                         const struct tma_findings *findings, FILE *out) {
    bool sampled = result->sampled.asked && result->sampled.skipped_cycles > 0;
    tma_text_line(out, "time", "%s%s: %s cycles", sampled ? "about " : "",
                  tma_time_text(time_ns).text, tma_grouped(result->cycles).text);
    tma_sampled_write_text(result, out);
    tma_launches_write_text(findings->draws, out);
}

/* The limit that a run used most of those between L2 and SMs. */
static const struct tma_limit_figure *tighter_port(const struct tma_limit_figure *limits) {
    const struct tma_limit_figure *sm = &limits[TMA_LIMIT_SM_PORT],
                                  *gpc = &limits[TMA_LIMIT_GPC_PORTS];
    return sm->used > gpc->used ? sm : gpc;
}

static void write_dram(const struct tma_figures *figures, const char *label, FILE *out) {
    const struct tma_memory_figures *memory = &figures->memory;
    const struct tma_limit_figure *bus = &figures->limits[TMA_LIMIT_DRAM];
    double bytes = (double)(memory->dram_read_bytes + memory->dram_write_bytes);
    char wasted[96] = "", part[96] = "";
    if (bytes <= 0)
        return;
    if (bus->used >= LEAST_USED)
        snprintf(part, sizeof part, ": %s %% of what the bus can", tma_percent(bus->used).text);
    if (memory->l2_over_fetch_fraction >= NOTABLE_OVER_FETCH)
        snprintf(wasted, sizeof wasted, "; %s %% of what was read is never used",
                 tma_percent(memory->l2_over_fetch_fraction).text);
    tma_text_line(out, label, "%s of DRAM (%s)%s%s",
                  tma_rate_text(memory->dram_gigabytes_per_second).text, tma_bytes_text(bytes).text,
                  part, wasted);
}

void tma_rates_write_text(const struct tma_figures *figures, FILE *out) {
    const struct tma_limit_figure *port = tighter_port(figures->limits);
    const char *label = "rate";
    if (figures->teraflops > 0) {
        char part[96] = "";
        if (figures->tensor_of_all > 0)
            snprintf(part, sizeof part, ": %s %% of what the tensor cores can",
                     tma_percent(figures->tensor_of_all).text);
        tma_text_line(out, label, "%s TFLOP/s%s", tma_decimal(figures->teraflops, 1).text, part);
        label = NULL;
    }
    if (figures->moved_bytes > 0) {
        char part[96] = "";
        if (port->used >= LEAST_USED)
            snprintf(part, sizeof part, ": %s %% of what the %s can", tma_percent(port->used).text,
                     port == &figures->limits[TMA_LIMIT_SM_PORT] ? "ports of the SMs"
                                                                 : "ports of the GPCs");
        tma_text_line(out, label, "%s between L2 and SMs (%s)%s",
                      tma_rate_text(figures->gigabytes_per_second).text,
                      tma_bytes_text((double)figures->moved_bytes).text, part);
        label = NULL;
    }
    write_dram(figures, label, out);
}

void tma_likely_text(const struct tma_cause_share *busy, size_t count,
                     char text[TMA_LIKELY_BYTES]) {
    struct tma_cause_share busiest = {0};
    for (size_t i = 0; i < count; i++)
        busiest = busy[i].tenths > busiest.tenths ? busy[i] : busiest;
    text[0] = '\0';
    if (busiest.tenths >= BUSY_TENTHS)
        snprintf(text, TMA_LIKELY_BYTES,
                 "most likely %s: busy for %" PRIu32 ".%" PRIu32 " %% of the time", busiest.text,
                 busiest.tenths / 10, busiest.tenths % 10);
    else if (busiest.tenths > 0)
        snprintf(text, TMA_LIKELY_BYTES,
                 "most likely waits, as no part is busy for more than %" PRIu32 ".%" PRIu32
                 " %% of the time: more in flight would help",
                 busiest.tenths / 10, busiest.tenths % 10);
}

void tma_limited_write_text(const struct tma_findings *findings, bool idle,
                            const struct tma_cause_share *busy, size_t count, FILE *out) {
    char likely[TMA_LIKELY_BYTES];
    tma_findings_write_text(findings, idle, out);
    tma_likely_text(busy, count, likely);
    if (!idle && findings->experiments == NULL && likely[0] != '\0')
        tma_text_line(out, NULL, "%s", likely);
}

void tma_shares_write_text(const char *title, struct tma_cause_share *shares, size_t count,
                           FILE *out) {
    fprintf(out, "\n%s\n", title);
    for (size_t i = 0; i < count; i++) {
        struct tma_cause_share share = shares[i];
        size_t at = i;
        for (; at > 0 && shares[at - 1].tenths < share.tenths; at--)
            shares[at] = shares[at - 1];
        shares[at] = share;
    }
    for (size_t i = 0; i < count && shares[i].tenths > 0; i++)
        tma_cause_write_text(shares[i], out);
}
