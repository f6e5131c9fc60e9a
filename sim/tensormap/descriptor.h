/* The 128-byte descriptor of a tensor map: the content of a CUtensorMap (PTX ISA 5.5.8).
 *
 * The layout was derived from 15982 descriptors that an H200's driver (580) wrote; encoding
 * reproduces each of them byte for byte. 32 little-endian words:
 *
 *   0-1    global address
 *   2      bit 0 im2col; 4-6 rank - 1; 7-10 type code; 11-12 interleave; 13-14 swizzle; 15 NaN
 *          fill; 16 rounds to TF32 (with the codes of float32, float32_ftz); 17-18 L2 promotion;
 *          21 (bit 85 of the map) from sm_100 on: the mode of out-of-bounds bases
 *   3-6    strides of dimensions 1 to 4 in units of 16 bytes, low 32 bits
 *   7      4 bits each: bits 32-35 of the strides
 *   8-12   sizes of dimensions 0 to 4, less one
 *   13     3 bits each: element strides less one; 24-31: box_dim[0] or channels_per_pixel, less one
 *   14     tiled: 8 bits each, box_dim[1] to [4] less one; im2col: lower corner in the low half,
 *          upper in the high one, 16, 8 or 5 bits for each spatial dimension, W first
 *   15     im2col: pixels_per_column - 1
 *   16     derived: bytes of the box, with box_dim / element_strides rounded down
 *   18     derived: bytes after which the swizzle's pattern repeats (16 without one)
 *
 * Bits of dimensions past the rank are 0, and so are all other bits. */
#pragma once

#include "base/api.h"
#include "base/error.h"
#include "tensormap/architectures.h"
#include "tensormap/fields.h"

TMA_API_BEGIN

enum { TMA_DESCRIPTOR_BYTES = 128, TMA_DESCRIPTOR_WORDS = 32, TMA_DESCRIPTOR_ALIGNMENT_BYTES = 64 };

struct tma_descriptor {
    /* Word i holds bytes 4i to 4i + 3, little-endian. A CUtensorMap is aligned to 64 bytes. */
    TMA_ALIGN(64) uint32_t words[TMA_DESCRIPTOR_WORDS];
};

/* Conversion to and from bytes in the order of memory, on a host of any byte order. */
void tma_descriptor_to_bytes(const struct tma_descriptor *descriptor,
                             uint8_t bytes[TMA_DESCRIPTOR_BYTES]);
void tma_descriptor_from_bytes(struct tma_descriptor *descriptor,
                               const uint8_t bytes[TMA_DESCRIPTOR_BYTES]);

/* Encodes a map that tma_tensor_map_check accepts. Values of another map are cut to their bits.
 * Returns the fields whose bits could not be compared with real descriptors, as bits 1 << enum
 * tma_field: sub-byte types; swizzle atoms of more than 16 bytes and swizzle 96b, whose bits are
 * not known and which are encoded as 128b; and the kind of im2col wide maps, which an H200's driver
 * encodes like im2col. */
unsigned tma_descriptor_encode(const struct tma_tensor_map *map, struct tma_descriptor *descriptor);

/* Sets bit 85, the mode of out-of-bounds bases, if drivers for the architecture do: from sm_100 on,
 * for tensors of 128 KiB and more. Returns true if the architecture has the bit: nothing but
 * release notes (driver 595) and CUTLASS tells of it, so it is unverified. */
bool tma_descriptor_encode_oob_base(const struct tma_tensor_map *map,
                                    enum tma_architecture architecture,
                                    struct tma_descriptor *descriptor);

bool tma_descriptor_has_oob_base(const struct tma_descriptor *descriptor);

/* Kinds of irregularities that decoding finds. */
enum tma_finding_kind {
    TMA_UNKNOWN_BITS,   /* bits that no known map sets */
    TMA_UNKNOWN_CODE,   /* a field's bits with a value that has no known meaning */
    TMA_PAST_RANK,      /* a value of a dimension that the rank does not have */
    TMA_WRONG_DERIVED,  /* a derived word that does not follow from the other fields */
    TMA_ABSENT_DERIVED, /* both derived words are 0, as after tensormap.replace on zeros */
    TMA_UNVERIFIED,     /* a field whose layout is known from documents only */
    TMA_OOB_BASE        /* bit 85, which no map of sm_90 has */
};

struct tma_finding {
    enum tma_finding_kind kind;
    unsigned word;     /* 0 to 31 */
    uint32_t mask;     /* the bits of the word */
    uint32_t value;    /* the word's bits under the mask, not shifted */
    uint32_t expected; /* the word that follows from the other fields; TMA_WRONG_DERIVED only */
    /* TMA_OOB_BASE only: the bytes of the tensor if they are less than 128 KiB, else 0; and whether
     * it is dense. */
    uint32_t tensor_bytes;
    bool dense;
};

enum { TMA_MAX_FINDINGS = 48 };

/* Decodes any 128 bytes. Writes the first `capacity` findings and returns how many there are, at
 * most TMA_MAX_FINDINGS. Fields that the descriptor does not hold get neutral values: sizes 1,
 * strides 0. Fields with unknown codes get a value that the rules reject. */
size_t tma_descriptor_decode(const struct tma_descriptor *descriptor, struct tma_tensor_map *map,
                             struct tma_finding *findings, size_t capacity);

/* Does the finding only tell of something, of which nothing is wrong with the map? */
bool tma_finding_is_note(const struct tma_finding *finding);

/* Writes one sentence without a full stop, cut to size - 1 characters. */
void tma_finding_text(const struct tma_finding *finding, char *text, size_t size);

/* Checks the address of a descriptor in memory. Fails with TMA_ERROR_ARGUMENT if it is not a
 * multiple of 64 bytes (CUDA driver API, tensorMap). */
enum tma_error_code tma_descriptor_check_address(uint64_t address, struct tma_error *error);

/* cuTensorMapReplaceAddress (CUDA driver API). Fails with TMA_ERROR_ARGUMENT if the address does
 * not have the alignment that the map's interleave and type require. */
enum tma_error_code tma_descriptor_replace_address(struct tma_descriptor *descriptor,
                                                   uint64_t address, struct tma_error *error);

/* The fields of the tensormap.replace instruction (PTX ISA 9.7.9.28). */
enum tma_replace_field {
    TMA_REPLACE_GLOBAL_ADDRESS,
    TMA_REPLACE_RANK, /* the rank less one */
    TMA_REPLACE_BOX_DIM,
    TMA_REPLACE_GLOBAL_DIM,
    TMA_REPLACE_GLOBAL_STRIDE, /* bytes */
    TMA_REPLACE_ELEMENT_STRIDE,
    TMA_REPLACE_ELEMTYPE, /* PTX's numbers: 0x8 .f32.ftz, 0x9 .f64, 0xa .bf16, 0xb .tf32, ... */
    TMA_REPLACE_INTERLEAVE_LAYOUT,
    TMA_REPLACE_SWIZZLE_MODE,
    TMA_REPLACE_SWIZZLE_ATOMICITY,
    TMA_REPLACE_FILL_MODE
};

extern const struct tma_names tma_replace_field_names;

/* The names of a field's values (PTX ISA, tensormap.replace, table 33), or NULL if the field takes
 * a number. */
const struct tma_names *tma_replace_value_names(enum tma_replace_field field);

/* The ordinals and values that a field takes. */
struct tma_replace_limits {
    unsigned ordinals; /* ordinals are 0 to this minus 1; 1: the field is a single value */
    uint64_t least, most;
    uint64_t multiple; /* values are multiples of this */
};

/* Never NULL for a field of the enumeration. */
const struct tma_replace_limits *tma_replace_limits(enum tma_replace_field field);

/* Fails with TMA_ERROR_UNSUPPORTED if the architecture's tensormap.replace does not have the field,
 * or does not have it with this value. */
enum tma_error_code tma_replace_check_architecture(enum tma_replace_field field, uint64_t value,
                                                   enum tma_architecture architecture,
                                                   struct tma_error *error);

/* tensormap.replace.tile: changes the bits of the field and no others, but for the bit above the
 * swizzle, which it clears; the bit of the TF32 types stays. Derived words keep their values. All
 * of it as on hardware. `ordinal` is the dimension; 0 for a field that is a single value. Fails
 * with TMA_ERROR_ARGUMENT if the value or the ordinal is out of range or the map is not tiled, and
 * with TMA_ERROR_UNSUPPORTED for values whose bits are not known (swizzle 96b, atoms of more than
 * 16 bytes). */
enum tma_error_code tma_descriptor_replace(struct tma_descriptor *descriptor,
                                           enum tma_replace_field field, unsigned ordinal,
                                           uint64_t value, struct tma_error *error);

TMA_API_END
