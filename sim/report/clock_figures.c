#include "report/clock_figures.h"

#include <math.h>

#include "report/decimal.h"
#include "report/text_line.h"

const char *const tma_sm_clock_keys[TMA_SM_CLOCK_COUNT] = {
    [TMA_SM_SINGLE] = "single", [TMA_SM_BOOST] = "boost", [TMA_SM_SUSTAINED] = "sustained"};

struct tma_activity tma_launch_activity(const struct tma_core_result *timing,
                                        enum tma_operand_data data) {
    const struct tma_memory_counters *memory = &timing->memory;
    double cycles = (double)timing->cycles, sm_cycles = cycles * timing->sms;
    struct tma_activity activity = {
        .cycles = cycles,
        .sms = timing->sms,
        .tensor_busy = tma_ratio((double)timing->tensor_cycles, sm_cycles),
        .data = data,
        .instructions = (double)timing->issue_slots,
        .shared_bytes = (double)memory->shared_write_wavefronts * TMA_LINE_BYTES,
        .l2_bytes = (double)(memory->response_sectors + memory->write_sectors) * TMA_SECTOR_BYTES,
        .dram_bytes =
            (double)(memory->dram_read_sectors + memory->dram_write_sectors) * TMA_SECTOR_BYTES,
        .memory_share = timing->memory_share};
    for (int i = 0; i < TMA_MMA_TYPE_COUNT; i++)
        activity.macs[i] = (double)timing->macs[i];
    return activity;
}

struct tma_clock_figures tma_clock_figures_of(const struct tma_machine *machine,
                                              const struct tma_activity *activity,
                                              uint32_t clock_mhz) {
    struct tma_clock_figures figures = {.clocks = tma_clocks_of(machine, activity),
                                        .fixed = clock_mhz >= TMA_LEAST_SM_MHZ,
                                        .cap_watts = machine->power.cap_watts};
    double macs = 0;
    for (int i = 0; i < TMA_MMA_TYPE_COUNT; i++)
        macs += activity->macs[i];
    if (figures.fixed) {
        figures.mhz = clock_mhz;
        figures.ns = tma_ratio(activity->cycles * 1000, clock_mhz);
    } else {
        figures.chosen = (enum tma_sm_clock)clock_mhz;
        figures.mhz = figures.clocks.at[figures.chosen].mhz;
        figures.ns = figures.clocks.at[figures.chosen].ns;
    }
    double simulated_mhz = figures.fixed ? clock_mhz : machine->sm_clock_mhz;
    figures.slowdown =
        activity->cycles > 0 ? figures.ns / (activity->cycles * 1000 / simulated_mhz) : 1;
    figures.teraflops = tma_ratio(2e-3 * macs, figures.ns);
    return figures;
}

struct tma_clock_figures tma_kernel_clock_figures(const struct tma_machine *machine,
                                                  const struct tma_kernel *kernel,
                                                  const struct tma_result *result) {
    struct tma_activity activity = tma_kernel_activity(kernel, result);
    return tma_clock_figures_of(machine, &activity, kernel->sm_clock_mhz);
}

uint32_t tma_counted_mhz(const struct tma_clock_figures *figures, uint64_t cycles) {
    double mhz = figures->ns > 0 ? (double)cycles * 1000 / figures->ns : figures->mhz;
    return mhz >= 1.5 ? (uint32_t)(mhz + 0.5) : 1;
}

uint32_t tma_kernel_clock_mhz(const struct tma_machine *machine, const struct tma_kernel *kernel,
                              const struct tma_result *result) {
    struct tma_clock_figures figures = tma_kernel_clock_figures(machine, kernel, result);
    return tma_counted_mhz(&figures, result->cycles);
}

static const char *const phrases[TMA_SM_CLOCK_COUNT] = {[TMA_SM_SINGLE] = "as a single launch",
                                                        [TMA_SM_BOOST] = "at boost",
                                                        [TMA_SM_SUSTAINED] = "sustained"};

static bool differs(const struct tma_clocks *clocks) {
    for (int i = 1; i < TMA_SM_CLOCK_COUNT; i++)
        if (fabs(clocks->at[i].mhz - clocks->at[0].mhz) >= 1)
            return true;
    return false;
}

static void write_time(const struct tma_clock_figures *figures, enum tma_sm_clock which,
                       FILE *out) {
    const struct tma_clock_time *time = &figures->clocks.at[which];
    fprintf(out, "%s us", tma_decimal(time->ns / 1000, 2).text);
    if (which == figures->chosen)
        fprintf(out, " at %s GHz, ", tma_decimal(time->mhz / 1000, 2).text);
    fprintf(out, "%s%s", which == figures->chosen ? "" : " ", phrases[which]);
    if (which != figures->chosen)
        fprintf(out, " (%s GHz", tma_decimal(time->mhz / 1000, 2).text);
    if (time->capped)
        fprintf(out, "%sat the %s W cap", which == figures->chosen ? " (" : ", ",
                tma_decimal(figures->cap_watts, 0).text);
    if (which != figures->chosen || time->capped)
        fputc(')', out);
}

void tma_clock_write_text(const struct tma_clock_figures *figures, FILE *out) {
    static const enum tma_sm_clock order[] = {TMA_SM_SINGLE, TMA_SM_SUSTAINED, TMA_SM_BOOST};
    if (figures->fixed || !figures->clocks.modelled || !differs(&figures->clocks))
        return;
    fprintf(out, "%-20s", "clock");
    write_time(figures, figures->chosen, out);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (order[i] != figures->chosen) {
            fputs("; ", out);
            write_time(figures, order[i], out);
        }
    fputc('\n', out);
}

struct tma_clock_name tma_clock_name_of(const struct tma_clock_figures *figures) {
    struct tma_clock_name name;
    snprintf(name.text, sizeof name.text, "at %s GHz%s%s", tma_decimal(figures->mhz / 1000, 2).text,
             figures->fixed ? "" : ", ", figures->fixed ? "" : phrases[figures->chosen]);
    return name;
}

void tma_clock_write_json(const struct tma_clock_figures *figures, struct tma_json *json) {
    tma_json_begin_object(json, "clock");
    tma_json_string(json, "chosen", figures->fixed ? "fixed" : tma_sm_clock_keys[figures->chosen]);
    tma_json_decimal(json, "mhz", figures->mhz, 1);
    for (int i = 0; !figures->fixed && i < TMA_SM_CLOCK_COUNT; i++) {
        const struct tma_clock_time *time = &figures->clocks.at[i];
        tma_json_begin_line(json, tma_sm_clock_keys[i]);
        tma_json_decimal(json, "mhz", time->mhz, 1);
        tma_json_decimal(json, "time_ns", time->ns, 1);
        if (figures->clocks.modelled)
            tma_json_decimal(json, "watts", time->watts, 1);
        tma_json_bool(json, "capped", time->capped);
        tma_json_end_object(json);
    }
    tma_json_end_object(json);
}
