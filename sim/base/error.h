/* Errors are values: a code, and a text that says what is wrong and what is allowed.
 *
 * The library never prints and never exits. A function that can fail returns an error code and
 * takes a `struct tma_error *`, which may be NULL. On failure it fills that struct and leaves its
 * other outputs unwritten, unless its declaration says otherwise. */
#pragma once

#include "base/api.h"

TMA_API_BEGIN

/* All error codes: name, number (stable across versions), general meaning. */
#define TMA_ERRORS(X)                                                                              \
    X(TMA_OK, 0, "no error")                                                                       \
    X(TMA_ERROR_ARGUMENT, 1, "an argument is outside its range")                                   \
    X(TMA_ERROR_TENSOR_MAP, 2, "the tensor map breaks a rule")                                     \
    X(TMA_ERROR_FAULT, 3, "the operation faults on hardware")                                      \
    X(TMA_ERROR_BUFFER, 4, "a buffer is too small")                                                \
    X(TMA_ERROR_SYNTAX, 5, "the text is not well formed")                                          \
    X(TMA_ERROR_FILE, 6, "a file cannot be read or written")                                       \
    X(TMA_ERROR_MEMORY, 7, "out of memory")                                                        \
    X(TMA_ERROR_DEADLOCK, 8, "the simulated program waits forever")                                \
    X(TMA_ERROR_UNSUPPORTED, 9, "this is not modelled")                                            \
    X(TMA_ERROR_INTERRUPTED, 10, "the caller ended it")                                            \
    X(TMA_ERROR_MODEL, 11, "the model broke one of its own invariants")                            \
    X(TMA_ERROR_RACE, 12, "two accesses to shared memory are in no order")

enum tma_error_code {
#define TMA_ERROR_ENUM(name, number, text) name = number,
    TMA_ERRORS(TMA_ERROR_ENUM)
#undef TMA_ERROR_ENUM
};

enum { TMA_ERROR_TEXT_BYTES = 512 };

struct tma_error {
    enum tma_error_code code;
    char text[TMA_ERROR_TEXT_BYTES]; /* one sentence, no newline; empty when code is TMA_OK */
};

/* Returns the general meaning of a code, as a constant string. */
const char *tma_error_meaning(enum tma_error_code code);

/* Fills *error, which may be NULL, and returns `code`, so that a function can `return
 * tma_fail(...)`. The text is made as printf does, cut to TMA_ERROR_TEXT_BYTES - 1 characters. */
enum tma_error_code tma_fail(struct tma_error *error, enum tma_error_code code, const char *format,
                             ...) __attribute__((format(printf, 3, 4)));

TMA_API_END
