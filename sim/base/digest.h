/* A 64-bit digest (FNV-1a) of texts: whether two inputs are the same. It is not made to withstand
 * someone who looks for two inputs with one digest. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/api.h"

TMA_API_BEGIN

enum { TMA_DIGEST_TEXT_BYTES = 17 };

#define TMA_DIGEST_EMPTY UINT64_C(0xcbf29ce484222325)

/* Returns the digest of what `digest` is of, followed by `size` bytes. */
uint64_t tma_digest_add(uint64_t digest, const void *bytes, size_t size);

/* The same for a text with its end, so that "ab", "c" is not "a", "bc". */
uint64_t tma_digest_add_text(uint64_t digest, const char *text);

/* Writes 16 hexadecimal digits. */
void tma_digest_text(uint64_t digest, char text[TMA_DIGEST_TEXT_BYTES]);

/* What a run was of. */
struct tma_digests {
    uint64_t machine;  /* of every parameter of the machine */
    uint64_t scenario; /* of everything else: tensor maps, and workload or kernel */
};

TMA_API_END
