#include <inttypes.h>
#include <string.h>

#include "base/allocation.h"
#include "report/decimal.h"
#include "report/escape.h"
#include "report/launch_report.h"
#include "report/page.h"

/* What the instructions of a line did, in sum. */
struct counts {
    uint64_t executions, wavefronts, ideal_wavefronts, sectors, ideal_sectors, bytes;
    uint64_t cycles[TMA_STALL_COUNT]; /* of warps, by what they went to */
    bool found;                       /* a finding names it */
};

static void add(struct counts *sum, const struct tma_ptx_line *line) {
    sum->executions += line->executions;
    sum->wavefronts += line->wavefronts;
    sum->ideal_wavefronts += line->ideal_wavefronts;
    sum->sectors += line->sectors;
    sum->ideal_sectors += line->ideal_sectors;
    sum->bytes += line->bytes;
}

static void add_cycles(uint64_t sums[TMA_STALL_COUNT], const uint64_t cycles[TMA_STALL_COUNT]) {
    for (int i = 0; i < TMA_STALL_COUNT; i++)
        sums[i] += cycles[i];
}

/* The line of an instruction in the PTX, or in a source file; 0: it has none there. */
static uint32_t line_of(const struct tma_ptx_module *module, uint32_t instruction, int64_t file) {
    const struct tma_ptx_instruction *one = &module->instructions[instruction];
    const struct tma_ptx_place *place = &module->places[one->source];
    if (file < 0)
        return one->line;
    return place->line > 0 && place->file == file ? place->line : 0;
}

static void mark_finding(const struct tma_ptx_module *module, uint32_t instruction, int64_t file,
                         struct counts *lines, uint32_t count) {
    uint32_t line =
        instruction < module->instruction_count ? line_of(module, instruction, file) : 0;
    if (line > 0 && line <= count)
        lines[line - 1].found = true;
}

/* The sums of each line of a text; NULL when out of memory. */
static struct counts *sum_lines(const struct tma_launch_report *report, int64_t file,
                                uint32_t count) {
    const struct tma_ptx_module *module = report->prepared->module;
    struct counts *lines = tma_allocate(count + 1, sizeof *lines);
    for (uint32_t i = 0; lines != NULL && i < module->instruction_count; i++) {
        uint32_t line = line_of(module, i, file);
        if (line == 0 || line > count)
            continue;
        add(&lines[line - 1], &report->result->lines[i]);
        if (report->timing != NULL)
            add_cycles(lines[line - 1].cycles, report->timing->line_stalls[i]);
    }
    for (uint32_t i = 0; lines != NULL && i < report->result->finding_count; i++) {
        mark_finding(module, report->result->findings[i].instruction, file, lines, count);
        mark_finding(module, report->result->findings[i].other, file, lines, count);
    }
    return lines;
}

static uint32_t count_lines(const char *text) {
    uint32_t count = 0;
    for (; *text != '\0'; count++)
        text += strcspn(text, "\n") + (strchr(text, '\n') != NULL);
    return count;
}

/* A cell with a number, or with an actual and an ideal one; empty where nothing was counted. */
static void write_cell(uint64_t value, uint64_t ideal, FILE *out) {
    fputs("<td class=\"number\">", out);
    if (value > 0 && ideal > 0 && value > ideal)
        fprintf(out, "<b>%" PRIu64 "</b> / %" PRIu64, value, ideal);
    else if (value > 0)
        fprintf(out, "%" PRIu64, value);
    fputs("</td>", out);
}

/* A cell with the share of all cycles of warps that a line takes; what they went to is its title.
 */
static void write_time(const struct tma_launch_report *report, const uint64_t *cycles, FILE *out) {
    if (report->timing == NULL)
        return;
    double all = (double)tma_core_stall_sum(report->timing->stalls),
           own = (double)tma_core_stall_sum(cycles);
    fputs("<td class=\"number\"", out);
    if (own == 0) {
        fputs("></td>", out);
        return;
    }
    fputs(" title=\"", out);
    for (int i = 0, written = 0; i < TMA_STALL_COUNT; i++)
        if (cycles[i] > 0)
            fprintf(out, "%s%s %s %%", written++ > 0 ? ", " : "",
                    tma_core_stall_text((enum tma_core_stall)i),
                    tma_decimal(tma_percentage((double)cycles[i], all), 1).text);
    fprintf(out, "\">%s %%</td>", tma_decimal(tma_percentage(own, all), 1).text);
}

/* Lines from the first to the last one that executes, and a few around them. */
static void find_range(const struct counts *lines, uint32_t count, uint32_t *first, uint32_t *end) {
    enum { AROUND = 3 };
    *first = count;
    *end = 0;
    for (uint32_t i = 0; i < count; i++)
        if (lines[i].executions > 0 || lines[i].found) {
            *first = i < *first ? i : *first;
            *end = i + 1;
        }
    if (*end == 0) { /* nothing of it executes */
        *first = 0;
        return;
    }
    *first = *first > AROUND ? *first - AROUND : 0;
    *end = *end + AROUND < count ? *end + AROUND : count;
}

static bool write_text_line(const char *text, size_t length, FILE *out) {
    char *line = tma_copy_bytes(text, length);
    if (line == NULL)
        return false;
    for (char *c = line; *c != '\0'; c++)
        if (*c == '\t')
            *c = ' ';
    tma_write_xml(line, out);
    tma_release(line);
    return true;
}

static const char *next_line(const char *text) {
    const char *end = strchr(text, '\n');
    return end == NULL ? text + strlen(text) : end + 1;
}

/* The lines of a text with their counts. `file`: -1 for the PTX. */
static bool write_listing(const struct tma_launch_report *report, const char *title,
                          const char *text, int64_t file, FILE *out) {
    uint32_t count = count_lines(text), first, end;
    struct counts *lines = sum_lines(report, file, count);
    if (lines == NULL)
        return false;
    find_range(lines, count, &first, &end);
    bool good = true;
    if (first < end) {
        fputs("<section class=\"listing\"><h2>", out);
        tma_write_xml(title, out);
        fputs("</h2><div class=\"scroll\"><table><thead><tr><th>line</th>", out);
        if (report->timing != NULL)
            fputs("<th>time of warps</th>", out);
        fputs("<th>instructions</th>"
              "<th>wavefronts / ideal</th><th>sectors / "
              "ideal</th><th>bytes</th><th></th></tr></thead>"
              "<tbody>\n",
              out);
    }
    for (uint32_t i = 0; i < end; i++, text = next_line(text)) {
        const struct counts *line = &lines[i];
        if (i < first)
            continue;
        fprintf(out, "<tr%s", line->found ? " class=\"found\"" : "");
        if (file < 0)
            fprintf(out, " id=\"L%" PRIu32 "\"", i + 1);
        fprintf(out, "><td class=\"number\">%" PRIu32 "</td>", i + 1);
        write_time(report, line->cycles, out);
        write_cell(line->executions, 0, out);
        write_cell(line->wavefronts, line->ideal_wavefronts, out);
        write_cell(line->sectors, line->ideal_sectors, out);
        write_cell(line->bytes, 0, out);
        fputs("<td><code>", out);
        good = write_text_line(text, strcspn(text, "\r\n"), out) && good;
        fputs("</code></td></tr>\n", out);
    }
    if (first < end)
        fputs("</tbody></table></div></section>\n", out);
    tma_release(lines);
    return good;
}

static void write_figure(const char *value, const char *name, FILE *out) {
    fprintf(out, "<div><b>%s</b><span>%s</span></div>\n", value, name);
}

/* What the launch reached, as the report as text has it. */
static void write_reached(const struct tma_launch_report *report, FILE *out) {
    struct tma_launch_rates rates = tma_launch_rates_of(report);
    char name[128];
    snprintf(name, sizeof name, "%s cycles, %s", tma_grouped(report->timing->cycles).text,
             rates.clock.text);
    write_figure(tma_time_text(rates.ns).text, name, out);
    if (rates.teraflops > 0) {
        snprintf(name, sizeof name, "TFLOP/s: %s %% of what the tensor cores can",
                 tma_decimal(rates.tensor_percent, 1).text);
        write_figure(tma_decimal(rates.teraflops, 1).text, name, out);
    }
    if (rates.dram_bytes > 0) {
        snprintf(name, sizeof name, "of DRAM: %s %% of what the bus can",
                 tma_decimal(rates.bus_percent, 1).text);
        write_figure(tma_rate_text(rates.dram_bytes / rates.ns).text, name, out);
    }
    if (rates.moved_bytes > 0)
        write_figure(tma_rate_text(rates.moved_bytes / rates.ns).text, "between L2 and SMs", out);
}

static void write_figures(const struct tma_launch_report *report, FILE *out) {
    const struct tma_ptx_result *result = report->result;
    struct counts all = {0};
    for (uint32_t i = 0; i < report->prepared->module->instruction_count; i++)
        add(&all, &result->lines[i]);
    fputs("<section id=\"figures\" aria-label=\"figures\">\n", out);
    if (report->timing != NULL)
        write_reached(report, out);
    write_figure(tma_grouped(result->instructions).text, "warp instructions", out);
    write_figure(tma_grouped(all.wavefronts).text, "wavefronts of shared memory", out);
    write_figure(tma_grouped(all.wavefronts - all.ideal_wavefronts).text,
                 "of these by bank conflicts", out);
    write_figure(tma_grouped(all.sectors).text, "sectors of global memory", out);
    write_figure(tma_bytes_text((double)result->tma_load_bytes).text, "that TMA loads", out);
    write_figure(tma_bytes_text((double)result->tma_store_bytes).text, "that TMA stores", out);
    fputs("</section>\n", out);
}

/* What limits the launch, and whether its figures are estimates. */
static void write_verdict(const struct tma_launch_report *report, FILE *out) {
    const struct tma_core_result *timing = report->timing;
    char text[TMA_LAUNCH_SENTENCE_BYTES];
    if (timing == NULL)
        return;
    if (timing->refused_cycles > 0)
        fprintf(
            out,
            "<p id=\"sampled\" class=\"refused\"><b>A sample was not trusted:</b> with parts left "
            "out, cycles may be %s %% off, which is more than 20 %%. All of the launch was "
            "simulated, and all figures are exact.</p>\n",
            tma_decimal(tma_error_percent(timing->refused_error_cycles, timing->refused_cycles), 1)
                .text);
    if (timing->sampled_cycles > 0)
        fprintf(
            out,
            "<p id=\"sampled\"><b>A sampled launch:</b> %s %% of its cycles were simulated. Its "
            "cycles are right within %s %%; all other figures are estimates from that part. "
            "With --exact, all of it is simulated.</p>\n",
            tma_decimal(tma_percentage((double)(timing->cycles - timing->sampled_cycles),
                                       (double)timing->cycles),
                        1)
                .text,
            tma_decimal(tma_error_percent(timing->error_cycles, timing->cycles), 1).text);
    fputs("<section id=\"verdict\"><h2>What limits it</h2>\n", out);
    for (uint32_t i = 0; tma_launch_limit_text(report, i, text); i++) {
        fputs("<p class=\"sentence\">", out);
        tma_write_xml(text, out);
        fputs("</p>\n", out);
    }
    fputs("</section>\n", out);
}

/* The report as text, which has what the sections above leave out. False when out of memory. */
static bool write_text(const struct tma_launch_report *report, FILE *out) {
    enum { MOST_TEXT_BYTES = 1 << 18 };
    char *text = tma_allocate(MOST_TEXT_BYTES, 1);
    FILE *stream = text == NULL ? NULL : fmemopen(text, MOST_TEXT_BYTES, "w");
    if (stream != NULL) {
        tma_launch_report_text(report, stream);
        bool failed = ferror(stream) != 0;
        if (fclose(stream) == 0 && !failed)
            tma_page_write_text("report", text, out);
    }
    tma_release(text);
    return stream != NULL;
}

static void write_place(const struct tma_launch_report *report, uint32_t instruction, FILE *out) {
    const struct tma_ptx_module *module = report->prepared->module;
    if (instruction < module->instruction_count)
        fprintf(out, "<a href=\"#L%" PRIu32 "\">line %" PRIu32 "</a>",
                module->instructions[instruction].line, module->instructions[instruction].line);
}

static void write_findings(const struct tma_launch_report *report, FILE *out) {
    const struct tma_ptx_result *result = report->result;
    fputs("<section id=\"findings\"><h2>Findings</h2>\n", out);
    if (result->finding_count == 0)
        fprintf(out, "<p>None; %" PRIu32 " CTAs were checked for races.</p>\n",
                report->checked_ctas);
    else
        fputs("<table><thead><tr><th>kind</th><th>times</th><th>at</th><th>other side</th>"
              "<th></th></tr></thead><tbody>\n",
              out);
    for (uint32_t i = 0; i < result->finding_count; i++) {
        const struct tma_ptx_finding *finding = &result->findings[i];
        fprintf(out, "<tr><td>%s</td><td class=\"number\">%" PRIu64 "</td><td>", finding->kind,
                finding->count);
        write_place(report, finding->instruction, out);
        fputs("</td><td>", out);
        write_place(report, finding->other, out);
        fputs("</td><td>", out);
        tma_write_xml(finding->text, out);
        fputs("</td></tr>\n", out);
    }
    if (result->finding_count > 0)
        fputs("</tbody></table>\n", out);
    fputs("</section>\n", out);
}

bool tma_launch_page_write(const struct tma_launch_page *page, FILE *out) {
    const struct tma_launch_report *report = &page->report;
    const struct tma_ptx_module *module = report->prepared->module;
    const struct tma_ptx_launch *launch = &report->prepared->execution;
    const char *kernel = module->functions[launch->function].name;
    const char *name = tma_launch_report_name(report);
    bool good = true;
    tma_page_write_head(name, kernel, out);
    fputs("<header><div><h1>", out);
    tma_write_xml(name, out);
    fputs("</h1><p id=\"about\">", out);
    tma_write_xml(kernel, out);
    fputs(" of ", out);
    tma_write_xml(report->ptx_name, out);
    uint64_t ctas = tma_ptx_count(launch->grid);
    fprintf(out, ", %" PRIu64 " CTA%s of %" PRIu64 " threads; %s</p></div></header>\n<main>\n",
            ctas, ctas == 1 ? "" : "s", tma_ptx_count(launch->block),
            tma_name_of(&tma_launch_failure_names, (int)report->result->failure));
    write_figures(report, out);
    write_verdict(report, out);
    write_findings(report, out);
    for (uint32_t file = 0; file < module->file_count; file++)
        if (page->sources[file] != NULL)
            good =
                write_listing(report, module->files[file], page->sources[file], file, out) && good;
    good = write_listing(report, report->ptx_name, page->ptx, -1, out) && good;
    good = write_text(report, out) && good;
    fputs("</main>\n</body>\n</html>\n", out);
    return good;
}
