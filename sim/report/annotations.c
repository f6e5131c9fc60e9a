#include "report/annotations.h"

#include <inttypes.h>
#include <string.h>

#include "report/escape.h"

/* The characters of `special`, which have a meaning there, become %XX. */
static void write_workflow(const char *text, const char *special, FILE *out) {
    while (*text != '\0')
        if (strchr(special, *text) != NULL)
            fprintf(out, "%%%02X", (unsigned)(unsigned char)*text++);
        else
            text += tma_write_printable_character(text, out);
}

void tma_annotation_begin(const char *level, const struct tma_annotated_place *place,
                          const char *title, FILE *out) {
    fprintf(out, "::%s ", level);
    if (place->file != NULL) {
        fputs("file=", out);
        write_workflow(place->file, "%:,", out);
        if (place->line > 0)
            fprintf(out, ",line=%" PRIu32, place->line);
        if (place->line > 0 && place->column > 0)
            fprintf(out, ",col=%" PRIu32, place->column);
        fputc(',', out);
    }
    fputs("title=", out);
    write_workflow(title, "%:,", out);
    fputs("::", out);
}

void tma_annotation_text(const char *text, FILE *out) {
    write_workflow(text, "%", out);
}

void tma_junit_attribute(const char *name, const char *value, FILE *out) {
    fprintf(out, " %s=\"", name);
    tma_write_xml(value, out);
    fputc('"', out);
}

void tma_junit_begin(const char *name, FILE *out) {
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", out);
    tma_junit_attribute("name", name, out);
    fputs(">\n", out);
}

void tma_junit_begin_suite(const char *name, size_t tests, size_t failures, size_t errors,
                           FILE *out) {
    fputs("  <testsuite", out);
    tma_junit_attribute("name", name, out);
    fprintf(out, " tests=\"%zu\" failures=\"%zu\"", tests, failures);
    if (errors > 0)
        fprintf(out, " errors=\"%zu\"", errors);
    fputs(">\n", out);
}

void tma_junit_begin_case(const char *suite, const char *name, FILE *out) {
    fputs("    <testcase", out);
    tma_junit_attribute("classname", suite, out);
    tma_junit_attribute("name", name, out);
}

void tma_junit_end_suite(FILE *out) {
    fputs("  </testsuite>\n", out);
}

void tma_junit_end(FILE *out) {
    fputs("</testsuites>\n", out);
}
