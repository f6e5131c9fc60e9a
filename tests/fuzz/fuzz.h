/* What the targets share. A target is a function that libFuzzer calls with bytes (make fuzz), or
 * replay.c with the files of tests/fuzz/corpus (make test). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Stops the fuzzer, which keeps the input. */
#ifndef FUZZ_FAIL
#define FUZZ_FAIL(text) (fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, text), abort())
#endif
#define FUZZ_ASSERT(condition)                                                                     \
    do {                                                                                           \
        if (!(condition))                                                                          \
            FUZZ_FAIL(#condition);                                                                 \
    } while (0)

/* Bytes of the input that become numbers; zero after its end. */
struct fuzz_input {
    const uint8_t *data;
    size_t size;
};

static inline uint64_t fuzz_bits(struct fuzz_input *input, size_t bytes) {
    uint64_t bits = 0;
    for (size_t i = 0; i < bytes && input->size > 0; i++, input->data++, input->size--)
        bits |= (uint64_t)*input->data << 8 * i;
    return bits;
}

/* From low to high, both included. */
static inline int64_t fuzz_between(struct fuzz_input *input, int64_t low, int64_t high) {
    return low + (int64_t)(fuzz_bits(input, 2) % (uint64_t)(high - low + 1));
}

/* Copies a part of the input, up to the separator 0x1e, as a text that the caller frees. */
static inline char *fuzz_text(struct fuzz_input *input, size_t *length) {
    const uint8_t *end = input->size == 0 ? NULL : memchr(input->data, 0x1e, input->size);
    *length = end == NULL ? input->size : (size_t)(end - input->data);
    char *text = malloc(*length + 1);
    FUZZ_ASSERT(text != NULL);
    if (*length > 0)
        memcpy(text, input->data, *length);
    text[*length] = '\0';
    input->data += *length + (end != NULL);
    input->size -= *length + (end != NULL);
    return text;
}
