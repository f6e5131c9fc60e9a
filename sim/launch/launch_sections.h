/* The sections of launch files, for references and the JSON Schema. */
#pragma once

#include "scenario/sections.h"

/* The file itself, buffers, their contents and what they are expected to have. */
void tma_launch_sections(tma_section_visitor visit, void *context);

/* The forms of a parameter, as a table of Markdown. */
void tma_launch_parameter_reference(FILE *out);
