/* Where the documents are silent, ambiguous or contradicted: what they say, how this project reads
 * them, and what decides. */
#pragma once

#include <stddef.h>

#include "base/api.h"

TMA_API_BEGIN

struct tma_document_reading {
    const char *subject;
    const char *document; /* the sentence, and where it stands */
    const char *reading;  /* what this project does */
    const char *decides;  /* the records that decided it, or the experiment that would */
};

extern const struct tma_document_reading tma_document_readings[];
extern const size_t tma_document_reading_count;

TMA_API_END
