/* Dumps of descriptors: hex, a binary file, a debugger's output. */
#pragma once

#include "base/api.h"
#include "tensormap/descriptor.h"

TMA_API_BEGIN

enum tma_dump_format {
    TMA_DUMP_HEX,      /* 256 digits in the order of memory; may have blanks and a leading 0x */
    TMA_DUMP_BINARY,   /* 128 bytes */
    TMA_DUMP_BYTES,    /* 128 numbers of 8 bits, each with 0x: a C array */
    TMA_DUMP_WORDS_32, /* 32 numbers of 32 bits, each with 0x: a debugger's x/32xw */
    TMA_DUMP_WORDS_64  /* 16 numbers of 64 bits: x/16xg, or CUtensorMap::opaque printed */
};

extern const struct tma_names tma_dump_format_names; /* hex, binary, bytes, words32, words64 */

/* Reads a dump of any format. The characters tell text from bytes, and the count of numbers tells
 * the width of words. Understands addresses ("0x7ffe10 <map+16>:"), names ("opaque ="), braces,
 * commas and "<repeats 13 times>" in a debugger's text. Fails with TMA_ERROR_SYNTAX, and describes
 * the input in the error. format may be NULL. */
enum tma_error_code tma_dump_read(const char *data, size_t size, struct tma_descriptor *descriptor,
                                  enum tma_dump_format *format, struct tma_error *error);

/* Writes the descriptor as text, cut to size - 1 characters: hex in one line, the other formats as
 * the lines of a C array's initialiser. For TMA_DUMP_BINARY use tma_descriptor_to_bytes. */
void tma_dump_write(const struct tma_descriptor *descriptor, enum tma_dump_format format,
                    char *text, size_t size);

enum { TMA_DUMP_TEXT_BYTES = 1024 }; /* sufficient for every format */

/* Fails with TMA_ERROR_SYNTAX if the bytes cannot be a tensor map: all zeros, many bits that no map
 * sets, or words in the wrong byte order. The error describes the bytes. */
enum tma_error_code tma_descriptor_recognise(const struct tma_descriptor *descriptor,
                                             struct tma_error *error);

TMA_API_END
