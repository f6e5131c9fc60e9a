/* Lines of text reports. Internal to sim/report. */
#pragma once

#include <stdio.h>

/* Writes the label of a line alone. */
void tma_text_label(const char *label, FILE *out);

/* Writes a line: a label (NULL: the line belongs to the label above) and a text. */
__attribute__((format(printf, 3, 4))) void tma_text_line(FILE *out, const char *label,
                                                         const char *format, ...);
