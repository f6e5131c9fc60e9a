#include "base/digest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint64_t tma_digest_add(uint64_t digest, const void *bytes, size_t size) {
    const unsigned char *next = bytes;
    for (size_t i = 0; i < size; i++)
        digest = (digest ^ next[i]) * UINT64_C(0x100000001b3);
    return digest;
}

uint64_t tma_digest_add_text(uint64_t digest, const char *text) {
    return tma_digest_add(digest, text, strlen(text) + 1);
}

void tma_digest_text(uint64_t digest, char text[TMA_DIGEST_TEXT_BYTES]) {
    snprintf(text, TMA_DIGEST_TEXT_BYTES, "%016" PRIx64, digest);
}
