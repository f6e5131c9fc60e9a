/* The 128 bytes of a tensor map as people have them: hex, a binary file, a debugger's dump. */
#ifndef TMA_TENSORMAP_DUMP_H
#define TMA_TENSORMAP_DUMP_H

#include "base/api.h"
#include "tensormap/descriptor.h"

TMA_API_BEGIN

enum tma_dump_format {
    TMA_DUMP_HEX,    /* 256 digits in the order of memory; blanks and one leading 0x may be there */
    TMA_DUMP_BINARY, /* 128 bytes */
    TMA_DUMP_BYTES,  /* 128 numbers of 8 bits, each with 0x: a C array */
    TMA_DUMP_WORDS_32, /* 32 numbers of 32 bits, each with 0x: a debugger's x/32xw */
    TMA_DUMP_WORDS_64  /* 16 numbers of 64 bits: x/16xg, or CUtensorMap::opaque printed */
};

extern const struct tma_names tma_dump_format_names; /* hex, binary, bytes, words32, words64 */

/* Reads a dump, whichever format it is in: text is told from bytes by its characters, words by
 * their number. Of a debugger's text, addresses ("0x7ffe10 <map+16>:"), names ("opaque ="), braces,
 * commas and "<repeats 13 times>" are understood. Fails with TMA_ERROR_SYNTAX, and says what the
 * input looks like. format may be NULL. */
enum tma_error_code tma_dump_read(const char *data, size_t size, struct tma_descriptor *descriptor,
                                  enum tma_dump_format *format, struct tma_error *error);

/* The text of a format into `text` (cut to size - 1 characters): hex as one line, the others as the
 * initialiser of a C array, in lines. TMA_DUMP_BINARY has none: see tma_descriptor_to_bytes. */
void tma_dump_write(const struct tma_descriptor *descriptor, enum tma_dump_format format,
                    char *text, size_t size);

enum { TMA_DUMP_TEXT_BYTES = 1024 }; /* is enough for every format */

/* Fails with TMA_ERROR_SYNTAX where the bytes can't be a tensor map: all zeros, bits where no map
 * has any, words in the wrong byte order. The text says what they look like. */
enum tma_error_code tma_descriptor_recognise(const struct tma_descriptor *descriptor,
                                             struct tma_error *error);

TMA_API_END

#endif
