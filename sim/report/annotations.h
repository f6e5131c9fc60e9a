/* What is wrong, for machines that build and test: annotations of GitHub's workflows, and JUnit's
 * XML. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Where an annotation points. All texts of annotations may be from outside. */
struct tma_annotated_place {
    const char *file;      /* NULL: nowhere */
    uint32_t line, column; /* from 1; 0: not known */
};

/* Begins an annotation, whose text follows by tma_annotation_text, and then a line's end. `level`
 * is "error" or "notice". */
void tma_annotation_begin(const char *level, const struct tma_annotated_place *place,
                          const char *title, FILE *out);
void tma_annotation_text(const char *text, FILE *out);

/* JUnit: suites, in them suites of cases, in them failures. */
void tma_junit_begin(const char *name, FILE *out);
void tma_junit_begin_suite(const char *name, size_t tests, size_t failures, size_t errors,
                           FILE *out);
/* The tag of a case stays open: ">" or "/>" follows. */
void tma_junit_begin_case(const char *suite, const char *name, FILE *out);
void tma_junit_attribute(const char *name, const char *value, FILE *out);
void tma_junit_end_suite(FILE *out);
void tma_junit_end(FILE *out);
