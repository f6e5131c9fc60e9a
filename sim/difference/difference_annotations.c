/* Comparisons for machines that build and test. As annotations: an error for each figure that
 * fails, a notice for each other one that differs, and a notice with the totals. As JUnit's XML: a
 * suite for each variant, and in it a case for each run. */
#include <string.h>

#include "difference/difference_formats.h"
#include "report/annotations.h"
#include "report/escape.h"

void tma_difference_write_github(const struct tma_difference *difference, FILE *out) {
    for (size_t i = 0; i < difference->row_count; i++) {
        const struct tma_difference_row *row = &difference->rows[i];
        for (size_t v = 0; v < difference->variant_count; v++) {
            const struct tma_difference_value *value = &row->values[v];
            if (!value->failed && !value->differs)
                continue;
            tma_annotation_begin(
                value->failed ? "error" : "notice",
                &(struct tma_annotated_place){.file = difference->cases_are_files
                                                          ? row->case_name
                                                          : difference->variants[v].name},
                difference->title, out);
            if (row->case_name[0] != '\0' && !difference->cases_are_files) {
                tma_annotation_text(row->case_name, out);
                fputs(": ", out);
            }
            tma_annotation_text(tma_difference_sentence_of(row, value).text, out);
            fputc('\n', out);
        }
    }
    tma_annotation_begin("notice", &(struct tma_annotated_place){0}, difference->title, out);
    tma_annotation_text(tma_difference_total(difference).text, out);
    fputc('\n', out);
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
    size_t failures = write_failures(difference, variant, case_name, NULL);
    tma_junit_begin_case(difference->variants[variant].name,
                         case_name[0] == '\0' ? "report" : case_name, out);
    if (failures == 0) {
        fputs("/>\n", out);
        return;
    }
    fprintf(out, ">\n      <failure message=\"%zu figure%s\">", failures, failures == 1 ? "" : "s");
    write_failures(difference, variant, case_name, out);
    fputs("</failure>\n    </testcase>\n", out);
}

/* The runs of the base, then those that it lacks. */
static const char *run_of(const struct tma_difference *difference, size_t variant, size_t index) {
    const struct tma_variant *base = difference->base, *own = &difference->variants[variant];
    if (index < base->count)
        return base->cases[index].name;
    const char *name = own->cases[index - base->count].name;
    return tma_variant_find_case(base, name, index - base->count) == NULL ? name : NULL;
}

static void write_suite(const struct tma_difference *difference, size_t variant, FILE *out) {
    const struct tma_variant *own = &difference->variants[variant];
    size_t most = difference->base->count + own->count, tests = 0, failures = 0;
    for (size_t i = 0; i < most; i++) {
        const char *name = run_of(difference, variant, i);
        tests += name != NULL;
        failures += name != NULL && write_failures(difference, variant, name, NULL) > 0;
    }
    tma_junit_begin_suite(own->name, tests, failures, 0, out);
    for (size_t i = 0; i < most; i++)
        if (run_of(difference, variant, i) != NULL)
            write_case(difference, variant, run_of(difference, variant, i), out);
    tma_junit_end_suite(out);
}

void tma_difference_write_junit(const struct tma_difference *difference, FILE *out) {
    tma_junit_begin(difference->title, out);
    for (size_t v = 0; v < difference->variant_count; v++)
        write_suite(difference, v, out);
    tma_junit_end(out);
}
