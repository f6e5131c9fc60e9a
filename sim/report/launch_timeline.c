#include <inttypes.h>
#include <string.h>

#include "base/path.h"
#include "base/version.h"
#include "report/launch_report.h"
#include "report/timeline.h"

enum { NAME_BYTES = 200 };

/* The source line of an instruction, or that of the PTX. */
static void place_of(const struct tma_launch_report *report, uint32_t instruction,
                     char place[NAME_BYTES]) {
    const struct tma_ptx_module *module = report->prepared->module;
    const struct tma_ptx_instruction *at = &module->instructions[instruction];
    const struct tma_ptx_place *source = &module->places[at->source];
    const char *file = at->source == 0 ? NULL : module->files[source->file];
    if (file == NULL)
        snprintf(place, NAME_BYTES, "%.120s:%" PRIu32, report->ptx_name, at->line);
    else
        snprintf(place, NAME_BYTES, "%.120s:%" PRIu32, tma_path_name(file), source->line);
}

static void write_span(const struct tma_launch_report *report, const struct tma_core_span *span,
                       struct tma_unit_lines *lines, struct tma_timeline_events *events) {
    char process[NAME_BYTES], track[NAME_BYTES], place[NAME_BYTES], name[2 * NAME_BYTES];
    const char *what = "";
    place_of(report, span->instruction, place);
    snprintf(process, sizeof process, "%.100s Core%" PRIu32 " CTA%" PRIu32, events->category,
             span->sm, span->cta);
    switch (span->track) {
    case TMA_TRACK_WARPS:
        snprintf(track, sizeof track, "warp %" PRIu32 " (line 0)", 4 * span->group);
        what = tma_core_stall_text((enum tma_core_stall)span->stall);
        break;
    case TMA_TRACK_TENSOR:
        snprintf(track, sizeof track, "tensor cores for warp %" PRIu32 " (line 0)",
                 4 * span->group);
        what = "product";
        break;
    case TMA_TRACK_TMA:
        snprintf(
            track, sizeof track, "TMA unit (line %u)",
            tma_unit_lines_take(lines, span->sm, span->cta, span->start_cycle, span->end_cycle));
        what = span->store ? "store" : "load";
        break;
    }
    snprintf(name, sizeof name, "%s: %s", place, what);
    tma_timeline_begin_slice(events, name, process, track, span->start_cycle, span->end_cycle);
    tma_json_unsigned(&events->json, "ptx_line",
                      report->prepared->module->instructions[span->instruction].line);
    tma_json_unsigned(&events->json, "start_cycle", span->start_cycle);
    tma_json_unsigned(&events->json, "cycles", span->end_cycle - span->start_cycle);
    tma_timeline_end_event(events);
}

void tma_launch_timeline_write(const struct tma_launch_report *report,
                               const struct tma_core_timeline *timeline, FILE *out) {
    struct tma_timeline_events events = {
        .json = {.out = out},
        .category = report->prepared->module->functions[report->prepared->execution.function].name,
        .clock_mhz = report->machine->sm_clock_mhz};
    struct tma_json *json = &events.json;
    struct tma_unit_lines lines = {.sm = UINT32_MAX};
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "displayTimeUnit", "ns");
    tma_json_begin_line(json, "otherData");
    tma_json_string(json, "tmasim", TMA_VERSION);
    tma_json_string(json, "launch", tma_launch_report_name(report));
    tma_json_string(json, "machine", report->machine->name);
    tma_json_unsigned(json, "clock_mhz", report->machine->sm_clock_mhz);
    tma_json_unsigned(json, "cycles", report->timing->cycles);
    tma_json_unsigned(json, "sm_step", timeline->sm_step);
    tma_json_end_object(json);
    tma_json_begin_array(json, "traceEvents");
    for (size_t i = 0; i < timeline->count; i++)
        write_span(report, &timeline->spans[i], &lines, &events);
    tma_json_end_array(json);
    tma_json_end_object(json);
}
