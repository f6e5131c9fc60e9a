#include "report/page_data.h"

#include "report/clock_figures.h"
#include "report/figures.h"
#include "report/findings_formats.h"
#include "report/first_screen.h"
#include "report/labels.h"
#include "report/sampled.h"
#include "report/verdict.h"

enum { MOST_CAUSES = TMA_ROLE_CAUSE_COUNT };
_Static_assert((int)MOST_CAUSES >= (int)TMA_CAUSE_COUNT, "causes of slots fit, too");

/* A rate in GB/s. */
static void write_rate(const char *key, double bytes_per_cycle, uint32_t clock_mhz,
                       struct tma_json *json) {
    tma_json_decimal(json, key, bytes_per_cycle * clock_mhz / 1000, 1);
}

/* `clock_mhz` makes the time of the run of its cycles, which are those of the clock that was
 * simulated; `clock` is the one that the time is of. */
static void write_clock(const struct tma_page_input *input, struct tma_json *json) {
    if (input->kernel == NULL) {
        tma_json_unsigned(json, "clock_mhz", input->machine->sm_clock_mhz);
        return;
    }
    struct tma_clock_figures figures =
        tma_kernel_clock_figures(input->machine, input->kernel, input->result);
    tma_json_unsigned(json, "clock_mhz", tma_counted_mhz(&figures, input->result->cycles));
    tma_json_string(json, "clock", tma_clock_name_of(&figures).text);
}

void tma_page_write_overview(const struct tma_page_input *input, struct tma_json *json) {
    const struct tma_machine *machine = input->machine;
    const struct tma_result *result = input->result;
    const struct tma_counters *counters = &result->counters;
    struct tma_report_limits limits = tma_report_limits_of(machine, result);
    tma_json_string(json, "scenario", input->scenario);
    tma_json_string(json, "description", input->description);
    tma_json_string(json, "machine", machine->name);
    tma_json_string(json, "timing_note", tma_timing_note(&machine->trust));
    tma_json_bool(json, "kernel", input->kernel != NULL);
    write_clock(input, json);
    TMA_JSON_COUNTS(json, result, cycles, memory_cycles);
    if (result->sampled.skipped_cycles > 0)
        tma_sampled_write_json(result, json);
    if (result->sampled.whole == TMA_WHOLE_ROUGH) {
        tma_json_begin_object(json, "refused");
        tma_refused_write_json(result->sampled.refused_error_cycles, result->sampled.refused_cycles,
                               json);
        tma_json_end_object(json);
    }
    tma_json_unsigned(json, "operations", counters->operations);
    tma_json_unsigned(json, "moved_bytes",
                      counters->bytes + counters->stored_bytes + counters->reduced_bytes);
    TMA_JSON_COUNTS(json, counters, l2_sectors, l2_sector_hits);
    tma_json_unsigned(json, "gpcs", result->gpcs);
    tma_json_unsigned(json, "sms", machine->sm_count);
    tma_json_unsigned(json, "partitions", machine->l2.partitions);
    tma_json_unsigned(json, "stacks", machine->dram.stacks);
    write_rate("dram_peak", limits.dram_bytes_per_cycle, machine->sm_clock_mhz, json);
    write_rate("crossbar_peak", limits.gpc_bytes_per_cycle, machine->sm_clock_mhz, json);
}

/* A way of bytes: its peak, what the run used of it, both in GB/s, and the bytes that it moved.
 * `clock_mhz` is that of the cycles of the limit. */
static void write_way(const char *name, const struct tma_limit_figure *limit, uint32_t sms,
                      uint64_t bytes, uint32_t clock_mhz, struct tma_json *json) {
    tma_json_begin_line(json, NULL);
    tma_json_string(json, "name", name);
    write_rate("peak", limit->bytes_per_cycle_per_sm * sms, clock_mhz, json);
    write_rate("used", limit->used_bytes_per_cycle_per_sm * sms, clock_mhz, json);
    tma_json_unsigned(json, "bytes", bytes);
    tma_json_end_object(json);
}

static void write_roofs(const struct tma_page_input *input, const struct tma_figures *figures,
                        struct tma_json *json) {
    const struct tma_limit_figure *sm = &figures->limits[TMA_LIMIT_SM_PORT],
                                  *gpc = &figures->limits[TMA_LIMIT_GPC_PORTS],
                                  *dram = &figures->limits[TMA_LIMIT_DRAM];
    const struct tma_memory_figures *memory = &figures->memory;
    const struct tma_result *result = input->result;
    uint32_t clock_mhz = figures->sm_clock_mhz, sms = figures->sms;
    /* What the tensor cores of the whole machine can: what the run reached, by the part of it that
     * they were busy for. */
    double peak = figures->tensor_of_all > 0 ? figures->teraflops / figures->tensor_of_all : 0;
    bool ports = sm->bytes_per_cycle_per_sm < gpc->bytes_per_cycle_per_sm;
    tma_json_decimal(json, "teraflops", figures->teraflops, 2);
    tma_json_decimal(json, "tensor_of_all", figures->tensor_of_all, 4);
    tma_json_begin_object(json, "roofline");
    tma_json_decimal(json, "peak", peak, 1);
    tma_json_begin_array(json, "ways");
    write_way("DRAM", dram, sms, memory->dram_read_bytes + memory->dram_write_bytes, clock_mhz,
              json);
    if (ports)
        write_way("L2 to SMs, by the ports of the SMs", sm, sms,
                  result->counters.sm_read_sectors * TMA_SECTOR_BYTES, clock_mhz, json);
    else /* what a port passes for several SMs counts once */
        write_way("L2 to SMs, by the ports of the GPCs", gpc, sms,
                  (uint64_t)(gpc->used_bytes_per_cycle_per_sm * sms * (double)memory->cycles),
                  clock_mhz, json);
    tma_json_end_array(json);
    tma_json_end_object(json);
}

/* Writes how busy each part was, tensor cores first, and what that says of a run without
 * experiments. */
static void write_parts(const struct tma_page_input *input, const struct tma_cause_share *parts,
                        size_t count, struct tma_json *json) {
    char likely[TMA_LIKELY_BYTES] = "";
    tma_json_begin_array(json, "busy");
    for (size_t i = 0; i < count; i++) {
        tma_json_begin_line(json, NULL);
        tma_json_string(json, "key", parts[i].key);
        tma_json_string(json, "text", parts[i].text);
        tma_json_decimal(json, "fraction", parts[i].tenths / 1000.0, 3);
        tma_json_end_object(json);
    }
    tma_json_end_array(json);
    if (input->experiments == NULL)
        tma_likely_text(parts, count, likely);
    tma_json_string(json, "likely", likely);
}

void tma_page_write_busy(const struct tma_page_input *input, struct tma_json *json) {
    struct tma_cause_share parts[TMA_RESOURCE_COUNT];
    const struct tma_report_input report = {.machine = input->machine,
                                            .workload = input->workload,
                                            .kernel = input->kernel,
                                            .result = input->result};
    const struct tma_figures figures = tma_figures_of(&report);
    tma_busy_shares(&figures, parts);
    write_parts(input, parts, figures.busy_count, json);
    write_roofs(input, &figures, json);
}

void tma_page_write_experiments(const struct tma_page_input *input, struct tma_json *json) {
    tma_json_string(json, "verdict", input->verdict);
    tma_json_begin_array(json, "experiments");
    for (size_t i = 0; input->experiments != NULL && i < input->experiments->count; i++) {
        const struct tma_experiment *experiment = &input->experiments->items[i];
        tma_json_begin_line(json, NULL);
        tma_json_string(json, "name", experiment->relief->name);
        tma_json_string(json, "change", experiment->change);
        tma_json_decimal(json, "saved", experiment->saved, 4);
        tma_json_bool(json, "helps", experiment->helps);
        tma_json_bool(json, "advice", experiment->relief->advice);
        tma_json_unsigned(json, "launches", experiment->cycles.count);
        tma_json_end_object(json);
    }
    tma_json_end_array(json);
    tma_untried_write_json(input->experiments, json);
}

/* Writes one bar: the causes with their shares, and the number of the first in the series. */
static void write_bar(const char *name, uint32_t warps, const uint64_t *cycles, uint32_t count,
                      uint32_t first, struct tma_json *json) {
    uint32_t tenths[MOST_CAUSES];
    tma_share_out_tenths(cycles, count, tenths);
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "name", name);
    tma_json_unsigned(json, "warps", warps);
    tma_json_unsigned(json, "first", first);
    tma_json_begin_list(json, "cycles");
    for (uint32_t i = 0; i < count; i++)
        tma_json_unsigned(json, NULL, cycles[i]);
    tma_json_end_array(json);
    tma_json_begin_list(json, "tenths");
    for (uint32_t i = 0; i < count; i++)
        tma_json_unsigned(json, NULL, tenths[i]);
    tma_json_end_array(json);
    tma_json_end_object(json);
}

static void write_cause(const char *key, const char *text, struct tma_json *json) {
    tma_json_begin_line(json, NULL);
    tma_json_string(json, "key", key);
    tma_json_string(json, "text", text);
    tma_json_end_object(json);
}

void tma_page_write_causes(const struct tma_page_input *input, struct tma_json *json) {
    const struct tma_result *result = input->result;
    tma_json_begin_array(json, "causes");
    if (input->kernel == NULL)
        for (enum tma_cause i = 0; i < TMA_CAUSE_COUNT; i++)
            write_cause(tma_cause_key(i), tma_cause_text(i), json);
    else
        for (enum tma_role_cause i = 0; i < TMA_ROLE_CAUSE_COUNT; i++)
            write_cause(tma_role_cause_key(i), tma_role_cause_text(i), json);
    tma_json_end_array(json);
    tma_json_begin_array(json, "bars");
    if (input->kernel == NULL)
        write_bar("pipeline slots", 0, result->cause_cycles, TMA_CAUSE_COUNT, 0, json);
    else
        for (uint32_t i = 0; i < input->kernel->role_count; i++)
            write_bar(input->kernel->roles[i].name, input->kernel->roles[i].warps,
                      result->role_cycles[i], TMA_ROLE_CAUSE_COUNT, i * TMA_ROLE_CAUSE_COUNT, json);
    tma_json_end_array(json);
}

void tma_page_write_ctas(const struct tma_page_input *input, struct tma_json *json) {
    const struct tma_waves *waves = &input->result->waves;
    tma_json_begin_object(json, "ctas");
    tma_json_unsigned(json, "count", input->result->cta_cycles.count);
    tma_json_unsigned(json, "waves", waves->count);
    tma_json_unsigned(json, "last_ctas", waves->last_ctas);
    tma_json_unsigned(json, "sm_step", input->ctas->sm_step);
    tma_json_bool(json, "cut", input->ctas->cut);
    /* Four numbers for each CTA. */
    tma_json_begin_list(json, "spans");
    for (size_t i = 0; i < input->ctas->count; i++) {
        const struct tma_span *span = &input->ctas->items[i];
        tma_json_unsigned(json, NULL, span->sm);
        tma_json_unsigned(json, NULL, span->cta);
        tma_json_unsigned(json, NULL, span->start_cycle);
        tma_json_unsigned(json, NULL, span->end_cycle);
    }
    tma_json_end_array(json);
    tma_json_end_object(json);
}

void tma_page_write_settings(const struct tma_page_input *input, struct tma_json *json) {
    tma_json_begin_array(json, "settings");
    for (size_t i = 0; i < input->setting_count; i++) {
        tma_json_begin_list(json, NULL);
        tma_json_string(json, NULL, input->settings[i].key);
        tma_json_string(json, NULL, input->settings[i].value);
        tma_json_string(json, NULL, input->settings[i].origin);
        tma_json_end_array(json);
    }
    tma_json_end_array(json);
}
