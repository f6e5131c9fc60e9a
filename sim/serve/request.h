/* A request: one line of JSON, an object whose values are numbers, words, true, false, or lists of
 * numbers or words. Parsing allocates nothing. Internal to sim/serve. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "tensormap/fields.h"

enum { TMA_REQUEST_MOST_ITEMS = 32 };

enum tma_request_kind { TMA_REQUEST_NUMBER, TMA_REQUEST_WORD, TMA_REQUEST_FLAG };

/* Keys besides the fields of a tensor map: enumerator, name, kind, most items of a list (0: a
 * single value), whether it can be negative, meaning. */
#define TMA_REQUEST_KEYS(X)                                                                        \
    X(TMA_REQUEST_OP, "op", TMA_REQUEST_WORD, 0, false, "what to do")                              \
    X(TMA_REQUEST_ARCH, "arch", TMA_REQUEST_WORD, 0, false, "architecture; default: sm_90")        \
    X(TMA_REQUEST_DESCRIPTOR, "descriptor", TMA_REQUEST_WORD, 0, false,                            \
      "128 bytes as 256 hexadecimal digits")                                                       \
    X(TMA_REQUEST_DIRECTION, "direction", TMA_REQUEST_WORD, 0, false,                              \
      "load, store, reduce or prefetch; default: load")                                            \
    X(TMA_REQUEST_ACCESS, "access", TMA_REQUEST_WORD, 0, false,                                    \
      "tile, gather4, im2col, im2col_w or im2col_w128; default: that of the map's kind")           \
    X(TMA_REQUEST_REDUCTION, "reduction", TMA_REQUEST_WORD, 0, false, "of reduce; default: add")   \
    X(TMA_REQUEST_COORDINATES, "coordinates", TMA_REQUEST_NUMBER, 5, true,                         \
      "of the operation, innermost dimension first; default: 0")                                   \
    X(TMA_REQUEST_OFFSETS, "im2col_offsets", TMA_REQUEST_NUMBER, 3, false, "pixels: W, H, D")      \
    X(TMA_REQUEST_HALO, "w_halo", TMA_REQUEST_NUMBER, 0, false, "pixels; im2col_w modes")          \
    X(TMA_REQUEST_OFFSET, "w_offset", TMA_REQUEST_NUMBER, 0, true, "pixels; im2col_w modes")       \
    X(TMA_REQUEST_SHARED, "shared_address", TMA_REQUEST_NUMBER, 0, false,                          \
      "of the tile, in bytes; default: 0")                                                         \
    X(TMA_REQUEST_ELEMENT, "element", TMA_REQUEST_NUMBER, 5, true,                                 \
      "place: the coordinates of an element whose bytes are asked for")                            \
    X(TMA_REQUEST_BYTE, "byte", TMA_REQUEST_NUMBER, 0, false,                                      \
      "place, explain: an address in shared memory that is asked about")                           \
    X(TMA_REQUEST_LINE, "line", TMA_REQUEST_NUMBER, 0, false,                                      \
      "layout: the first 128-byte line of the tile that is told; default: 0")                      \
    X(TMA_REQUEST_INDEX, "index", TMA_REQUEST_NUMBER, 0, false,                                    \
      "explain: number of the instruction; default: the one with the worst conflict")              \
    X(TMA_REQUEST_INSTRUCTION, "instruction", TMA_REQUEST_WORD, 0, false,                          \
      "compare, explain: the instruction that reads the tile; default: ld.shared.b128")            \
    X(TMA_REQUEST_LANES, "lanes", TMA_REQUEST_WORD, 0, false,                                      \
      "compare, explain: which lane takes what; default: row")                                     \
    X(TMA_REQUEST_STRIDE, "stride", TMA_REQUEST_NUMBER, 0, false,                                  \
      "compare, explain: of lanes strided, in vectors")                                            \
    X(TMA_REQUEST_TRANSPOSED, "transposed", TMA_REQUEST_FLAG, 0, false,                            \
      "compare, explain: .trans of ldmatrix and stmatrix")                                         \
    X(TMA_REQUEST_MN, "mn", TMA_REQUEST_NUMBER, 0, false,                                          \
      "wgmma: extent along M or N of one instruction; default: 64, or that of the tile")           \
    X(TMA_REQUEST_MN_MAJOR, "mn_major", TMA_REQUEST_FLAG, 0, false,                                \
      "wgmma: the rows of the tile lie along M or N, not along K")                                 \
    X(TMA_REQUEST_VALUE, "value", TMA_REQUEST_WORD, 0, false,                                      \
      "wgmma: a matrix descriptor, 64 bits, to compare with the tile")                             \
    X(TMA_REQUEST_LAYOUT, "layout", TMA_REQUEST_WORD, 0, false,                                    \
      "cute: a layout in CuTe's notation")                                                         \
    X(TMA_REQUEST_FILE, "file", TMA_REQUEST_WORD, 0, false, "run: the path of a scenario")         \
    X(TMA_REQUEST_TEXT, "scenario", TMA_REQUEST_WORD, 0, false,                                    \
      "run: the text of a scenario, in place of a file")                                           \
    X(TMA_REQUEST_SET, "set", TMA_REQUEST_WORD, 32, false,                                         \
      "run: settings PATH=VALUE, as --set takes them")                                             \
    X(TMA_REQUEST_SAMPLE, "sample", TMA_REQUEST_WORD, 0, false,                                    \
      "run: usual or careful: simulate a long run in part")

/* A field f of a tensor map is key number f; the keys of the table follow. */
enum tma_request_key {
    TMA_REQUEST_FIRST = TMA_FIELD_COUNT - 1,
#define TMA_REQUEST_ENUM(name, key, kind, most, is_signed, meaning) name,
    TMA_REQUEST_KEYS(TMA_REQUEST_ENUM)
#undef TMA_REQUEST_ENUM
        TMA_REQUEST_KEY_COUNT
};

/* A word in the line itself, with its escapes replaced. It ends with a NUL. */
struct tma_request_word {
    const char *text;
    uint32_t position; /* of its first character in the line, from 1 */
};

struct tma_request_value {
    uint32_t position; /* of the value in the line, from 1; 0: not given */
    uint32_t count;    /* of items; 1 for a single value */
    bool is_list;
};

struct tma_request {
    const char *folder; /* whose files may be read; NULL: none */
    const char *id;     /* of the line, as it stands there; NULL: not given */
    size_t id_length;
    struct tma_request_value values[TMA_REQUEST_KEY_COUNT];
    int64_t numbers[TMA_REQUEST_KEY_COUNT][TMA_MAX_RANK]; /* addresses: the bits of a uint64_t */
    struct tma_request_word words[TMA_REQUEST_KEY_COUNT]; /* single words, and fields' names */
    const char *settings[TMA_REQUEST_MOST_ITEMS];
    uint16_t after[TMA_REQUEST_KEY_COUNT + 1]; /* which key came after each key, and first (the last
                                                  item), when it came last: it is likely to come
                                                  after it again */
};

/* What is wrong with a request, and where. */
struct tma_request_error {
    enum tma_error_code code;
    const char *field; /* a key, or "" */
    uint32_t position; /* in the line, from 1; 0: the request as a whole */
    char text[TMA_ERROR_TEXT_BYTES];
};

/* Parses a line of `length` bytes, which it changes: words get their ends. The byte behind the line
 * is changed, too. Returns false with the error. Afterwards the id is known, if it came before the
 * error. */
bool tma_request_parse(struct tma_request *request, char *line, size_t length,
                       struct tma_request_error *error);

static inline bool tma_request_has(const struct tma_request *request, unsigned key) {
    return request->values[key].position != 0;
}

/* The name of a key. */
const char *tma_request_key_name(unsigned key);

/* Fills the error of a key, and returns false. */
bool tma_request_fail(struct tma_request_error *error, const struct tma_request *request,
                      unsigned key, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The same for an error that is about the request as a whole. */
bool tma_request_fail_whole(struct tma_request_error *error, enum tma_error_code code,
                            const char *text);

/* Gives the value of a key that is a name of an enumeration. Without the key, *value stays. Returns
 * false with the error, which lists the names. */
bool tma_request_choice(const struct tma_request *request, unsigned key,
                        const struct tma_names *names, int *value, struct tma_request_error *error);

/* Makes the tensor map of a request, with the defaults of scenario files. Returns false with the
 * error if a field is missing, or has another length. */
bool tma_request_map(const struct tma_request *request, struct tma_tensor_map *map,
                     struct tma_request_error *error);

/* The architecture of a request. */
bool tma_request_architecture(const struct tma_request *request, int *architecture,
                              struct tma_request_error *error);

/* Makes the map of a request, and checks it. */
bool tma_request_legal_map(const struct tma_request *request, struct tma_tensor_map *map,
                           struct tma_request_error *error);
