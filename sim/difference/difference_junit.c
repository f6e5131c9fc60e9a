/* JUnit's XML: a test suite for each variant, and in it a test case for each run. */
#include <string.h>

#include "difference/difference_cells.h"
#include "difference/difference_formats.h"
#include "report/escape.h"

static void attribute(const char *name, const char *value, FILE *out) {
    fprintf(out, " %s=\"", name);
    tma_write_xml(value, out);
    fputc('"', out);
}

/* Writes the failures of a run, a line each, and counts them; with `out` NULL only counts. */
static size_t write_failures(const struct tma_difference *difference, size_t variant,
                             const char *case_name, FILE *out) {
    size_t failures = 0;
    for (size_t i = 0; i < difference->row_count; i++) {
        const struct tma_difference_row *row = &difference->rows[i];
        if (!row->values[variant].failed || strcmp(row->case_name, case_name) != 0)
            continue;
        failures++;
        if (out == NULL)
            continue;
        tma_write_xml(tma_difference_sentence_of(row, &row->values[variant]).text, out);
        fputc('\n', out);
    }
    return failures;
}

static void write_case(const struct tma_difference *difference, size_t variant,
                       const char *case_name, FILE *out) {
    fputs("    <testcase", out);
    attribute("classname", difference->variants[variant].name, out);
    attribute("name", case_name[0] == '\0' ? "report" : case_name, out);
    size_t failures = write_failures(difference, variant, case_name, NULL);
    if (failures == 0) {
        fputs("/>\n", out);
        return;
    }
    fprintf(out, ">\n      <failure message=\"%zu figure%s\">", failures, failures == 1 ? "" : "s");
    write_failures(difference, variant, case_name, out);
    fputs("</failure>\n    </testcase>\n", out);
}

/* Calls write_case for the runs of the base, then for those that it lacks; counts those that fail.
 */
static void write_suite(const struct tma_difference *difference, size_t variant, FILE *out) {
    const struct tma_variant *base = difference->base, *own = &difference->variants[variant];
    size_t tests = base->count, failures = 0;
    for (size_t i = 0; i < base->count; i++)
        failures += write_failures(difference, variant, base->cases[i].name, NULL) > 0;
    for (size_t i = 0; i < own->count; i++)
        if (tma_variant_find_case(base, own->cases[i].name, i) == NULL) {
            tests++;
            failures += write_failures(difference, variant, own->cases[i].name, NULL) > 0;
        }
    fputs("  <testsuite", out);
    attribute("name", own->name, out);
    fprintf(out, " tests=\"%zu\" failures=\"%zu\">\n", tests, failures);
    for (size_t i = 0; i < base->count; i++)
        write_case(difference, variant, base->cases[i].name, out);
    for (size_t i = 0; i < own->count; i++)
        if (tma_variant_find_case(base, own->cases[i].name, i) == NULL)
            write_case(difference, variant, own->cases[i].name, out);
    fputs("  </testsuite>\n", out);
}

void tma_difference_write_junit(const struct tma_difference *difference, FILE *out) {
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", out);
    attribute("name", difference->title, out);
    fputs(">\n", out);
    for (size_t v = 0; v < difference->variant_count; v++)
        write_suite(difference, v, out);
    fputs("</testsuites>\n", out);
}
