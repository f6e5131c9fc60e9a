/* What is wrong with a launch, for machines that build and test: annotations of GitHub's workflows,
 * at the source line where the PTX names one, and JUnit's XML. */
#include <inttypes.h>
#include <string.h>

#include "report/annotations.h"
#include "report/decimal.h"
#include "report/escape.h"
#include "report/launch_report.h"

const struct tma_names tma_launch_format_names =
    TMA_NAMES("format", {"text", TMA_LAUNCH_TEXT}, {"json", TMA_LAUNCH_JSON},
              {"github", TMA_LAUNCH_GITHUB}, {"junit", TMA_LAUNCH_JUNIT});

/* The path without the folder in front, if it lies there: workflows know files by their place in a
 * repository, and compilers name them by their place on the machine. */
static const char *path_below(const char *folder, const char *path) {
    size_t length = folder == NULL ? 0 : strlen(folder);
    return length > 1 && strncmp(path, folder, length) == 0 && path[length] == '/'
               ? path + length + 1
               : path;
}

static struct tma_annotated_place place_of(const struct tma_launch_report *report,
                                           uint32_t instruction) {
    const struct tma_ptx_module *module = report->prepared->module;
    if (instruction >= module->instruction_count)
        return (struct tma_annotated_place){report->ptx_name, 0, 0};
    const struct tma_ptx_instruction *own = &module->instructions[instruction];
    const struct tma_ptx_place *source = &module->places[own->source];
    if (source->line > 0 && source->file < module->file_count &&
        module->files[source->file] != NULL)
        return (struct tma_annotated_place){path_below(report->folder, module->files[source->file]),
                                            source->line, source->column};
    return (struct tma_annotated_place){report->ptx_name, own->line, own->column};
}

static void annotate(const char *level, const struct tma_launch_report *report,
                     const struct tma_annotated_place *place, const char *title, FILE *out) {
    tma_annotation_begin(level, place, title, out);
    tma_annotation_text(tma_launch_report_name(report), out);
    fputs(": ", out);
}

static void write_other_side(const struct tma_launch_report *report, uint32_t other,
                             void (*write)(const char *text, FILE *out), FILE *out) {
    if (other >= report->prepared->module->instruction_count)
        return;
    struct tma_annotated_place place = place_of(report, other);
    fputs("; the other side: ", out);
    write(place.file, out);
    fprintf(out, ":%" PRIu32, place.line);
}

/* "completed in 6734 cycles", with what was measured. */
static void write_end(const struct tma_launch_report *report, FILE *out) {
    const struct tma_core_result *timing = report->timing;
    fputs(tma_name_of(&tma_launch_failure_names, (int)report->result->failure), out);
    if (timing == NULL)
        return;
    fprintf(out, " in %" PRIu64 " cycles on %s", timing->cycles, report->machine->name);
    if (report->measured == NULL)
        return;
    if (report->measured->cycles > 0) {
        fprintf(out, "; with the launch %" PRIu64 ", measured %" PRIu64,
                timing->cycles + timing->launch_cycles, report->measured->cycles);
        return;
    }
    struct tma_launch_comparison compared = tma_launch_compare(report);
    fprintf(out, "; with the launch %s us, measured %s us",
            tma_decimal(compared.predicted_ns / 1000, 2).text,
            tma_decimal(compared.measured_ns / 1000, 2).text);
}

/* What is costly, and not wrong. */
static void annotate_accesses(const struct tma_launch_report *report, FILE *out) {
    char text[TMA_ACCESS_FINDING_BYTES];
    for (uint32_t i = 0; i < report->prepared->module->instruction_count; i++) {
        struct tma_access_figures figures = tma_launch_accesses_of(report, i);
        struct tma_annotated_place place = place_of(report, i);
        for (int f = 0; f < TMA_ACCESS_FINDINGS; f++) {
            enum tma_access_finding finding = (enum tma_access_finding)f;
            if (!tma_access_finding_text(finding, &figures, text))
                continue;
            annotate("notice", report, &place, tma_access_finding_name(finding), out);
            tma_annotation_text(text, out);
            fputc('\n', out);
        }
    }
}

void tma_launch_report_github(const struct tma_launch_report *report, FILE *out) {
    const struct tma_ptx_result *result = report->result;
    struct tma_annotated_place whole = {report->ptx_name, 0, 0};
    for (uint32_t i = 0; i < result->finding_count; i++) {
        const struct tma_ptx_finding *finding = &result->findings[i];
        struct tma_annotated_place place = place_of(report, finding->instruction);
        annotate(strcmp(finding->kind, "note") == 0 ? "notice" : "error", report, &place,
                 finding->kind, out);
        tma_annotation_text(finding->text, out);
        write_other_side(report, finding->other, tma_annotation_text, out);
        fputc('\n', out);
    }
    annotate_accesses(report, out);
    if (report->outputs != NULL && report->outputs->different > 0) {
        annotate("error", report, &whole, "outputs differ", out);
        tma_annotation_text(report->outputs->first, out);
        fputc('\n', out);
    }
    annotate("notice", report, &whole, "launch", out);
    write_end(report, out);
    fputc('\n', out);
}

/* A suite of one case, which is left open. */
static void begin_junit(const char *suite, const char *name, size_t failures, size_t errors,
                        FILE *out) {
    tma_junit_begin("tmasim", out);
    tma_junit_begin_suite(suite, 1, failures, errors, out);
    tma_junit_begin_case(suite, name, out);
    fputs(">\n", out);
}

static void end_junit(FILE *out) {
    fputs("    </testcase>\n", out);
    tma_junit_end_suite(out);
    tma_junit_end(out);
}

void tma_launch_report_junit(const struct tma_launch_report *report, FILE *out) {
    const struct tma_ptx_result *result = report->result;
    uint32_t errors = tma_launch_report_errors(result);
    bool differ = report->outputs != NULL && report->outputs->different > 0;
    bool failed = errors > 0 || differ || result->failure != TMA_PTX_COMPLETED;
    begin_junit(report->ptx_name, tma_launch_report_name(report), failed, 0, out);
    for (uint32_t i = 0; i < result->finding_count; i++) {
        const struct tma_ptx_finding *finding = &result->findings[i];
        struct tma_annotated_place place = place_of(report, finding->instruction);
        if (strcmp(finding->kind, "note") == 0)
            continue;
        fputs("      <failure", out);
        tma_junit_attribute("type", finding->kind, out);
        tma_junit_attribute("message", finding->text, out);
        fputc('>', out);
        tma_write_xml(place.file, out);
        fprintf(out, ":%" PRIu32, place.line);
        write_other_side(report, finding->other, tma_write_xml, out);
        fputs("</failure>\n", out);
    }
    if (differ) {
        fputs("      <failure type=\"outputs differ\"", out);
        tma_junit_attribute("message", report->outputs->first, out);
        fputs("/>\n", out);
    }
    fputs("      <system-out>", out);
    write_end(report, out);
    fputs("</system-out>\n", out);
    end_junit(out);
}

void tma_launch_errors_github(const struct tma_diagnostics *list, FILE *out) {
    for (size_t i = 0; i < list->count; i++) {
        const struct tma_diagnostic *error = &list->items[i];
        tma_annotation_begin(
            "error",
            &(struct tma_annotated_place){error->at.file, error->at.line, error->at.column},
            "launch", out);
        tma_annotation_text(error->text, out);
        fputc('\n', out);
    }
}

void tma_launch_errors_junit(const struct tma_diagnostics *list, const char *file, FILE *out) {
    begin_junit(file, file, 0, 1, out);
    for (size_t i = 0; i < list->count; i++) {
        const struct tma_diagnostic *error = &list->items[i];
        fputs("      <error", out);
        tma_junit_attribute("message", error->text, out);
        fputc('>', out);
        tma_write_xml(error->at.file, out);
        if (error->at.line > 0)
            fprintf(out, ":%u", error->at.line);
        fputs("</error>\n", out);
    }
    end_junit(out);
}
