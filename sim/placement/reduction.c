#include "placement/reduction.h"

#include <assert.h>
#include <string.h>

#include "placement/float.h"

#define BIT(type)    (1u << (type))
#define INTEGERS     (BIT(TMA_UINT32) | BIT(TMA_INT32) | BIT(TMA_UINT64))
#define HALVES       (BIT(TMA_FLOAT16) | BIT(TMA_BFLOAT16))
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* On an H200, and, or and xor of INT64 stop the kernel; min and max do not (reduce.tsv). */
static const struct {
    const char *name;
    uint32_t types;
} reductions[] = {
    [TMA_REDUCE_ADD] = {"add", INTEGERS | HALVES | BIT(TMA_FLOAT32)},
    [TMA_REDUCE_MIN] = {"min", INTEGERS | HALVES | BIT(TMA_INT64)},
    [TMA_REDUCE_MAX] = {"max", INTEGERS | HALVES | BIT(TMA_INT64)},
    [TMA_REDUCE_INC] = {"inc", BIT(TMA_UINT32)},
    [TMA_REDUCE_DEC] = {"dec", BIT(TMA_UINT32)},
    [TMA_REDUCE_AND] = {"and", INTEGERS},
    [TMA_REDUCE_OR] = {"or", INTEGERS},
    [TMA_REDUCE_XOR] = {"xor", INTEGERS},
};

const struct tma_names tma_reduction_names =
    TMA_NAMES("reduction", {"add", TMA_REDUCE_ADD}, {"min", TMA_REDUCE_MIN},
              {"max", TMA_REDUCE_MAX}, {"inc", TMA_REDUCE_INC}, {"dec", TMA_REDUCE_DEC},
              {"and", TMA_REDUCE_AND}, {"or", TMA_REDUCE_OR}, {"xor", TMA_REDUCE_XOR});

bool tma_reduction_exists(enum tma_reduction reduction, enum tma_data_type type) {
    return (size_t)reduction < COUNT(reductions) && (reductions[reduction].types >> type & 1) != 0;
}

static uint64_t reduce_unsigned(enum tma_reduction reduction, uint64_t old, uint64_t operand) {
    switch (reduction) {
    case TMA_REDUCE_ADD:
        break;
    case TMA_REDUCE_MIN:
        return old < operand ? old : operand;
    case TMA_REDUCE_MAX:
        return old > operand ? old : operand;
    case TMA_REDUCE_INC: /* up to the operand, then from 0 again */
        return old >= operand ? 0 : old + 1;
    case TMA_REDUCE_DEC: /* down to 0, then from the operand again */
        return old == 0 || old > operand ? operand : old - 1;
    case TMA_REDUCE_AND:
        return old & operand;
    case TMA_REDUCE_OR:
        return old | operand;
    case TMA_REDUCE_XOR:
        return old ^ operand;
    }
    return old + operand;
}

/* A signed minimum or maximum is the unsigned one with inverted sign bits. All other reductions are
 * the same for both. */
static uint64_t reduce_signed(enum tma_reduction reduction, uint64_t old, uint64_t operand,
                              uint64_t sign_bit) {
    uint64_t flip = reduction == TMA_REDUCE_MIN || reduction == TMA_REDUCE_MAX ? sign_bit : 0;
    return reduce_unsigned(reduction, old ^ flip, operand ^ flip) ^ flip;
}

static void reduce_32(enum tma_reduction reduction, bool is_signed, uint8_t *into,
                      const uint8_t *from, uint32_t elements) {
    uint32_t old, operand;
    for (uint32_t i = 0; i < elements; i++) {
        memcpy(&old, into + 4 * i, 4);
        memcpy(&operand, from + 4 * i, 4);
        old = (uint32_t)reduce_signed(reduction, old, operand, is_signed ? 0x80000000 : 0);
        memcpy(into + 4 * i, &old, 4);
    }
}

static void reduce_64(enum tma_reduction reduction, bool is_signed, uint8_t *into,
                      const uint8_t *from, uint32_t elements) {
    uint64_t old, operand;
    for (uint32_t i = 0; i < elements; i++) {
        memcpy(&old, into + 8 * i, 8);
        memcpy(&operand, from + 8 * i, 8);
        old = reduce_signed(reduction, old, operand, is_signed ? UINT64_C(1) << 63 : 0);
        memcpy(into + 8 * i, &old, 8);
    }
}

static void add_float(uint8_t *into, const uint8_t *from, uint32_t elements) {
    float old, operand;
    for (uint32_t i = 0; i < elements; i++) {
        memcpy(&old, into + 4 * i, 4);
        memcpy(&operand, from + 4 * i, 4);
        old = tma_add_float(old, operand);
        memcpy(into + 4 * i, &old, 4);
    }
}

static void reduce_halves(enum tma_reduction reduction, const struct tma_half_format *format,
                          uint8_t *into, const uint8_t *from, uint32_t elements) {
    uint16_t old, operand;
    for (uint32_t i = 0; i < elements; i++) {
        memcpy(&old, into + 2 * i, 2);
        memcpy(&operand, from + 2 * i, 2);
        old = reduction == TMA_REDUCE_ADD   ? format->add(old, operand)
              : reduction == TMA_REDUCE_MIN ? format->min(old, operand)
                                            : format->max(old, operand);
        memcpy(into + 2 * i, &old, 2);
    }
}

void tma_reduce(enum tma_reduction reduction, enum tma_data_type type, uint8_t *into,
                const uint8_t *from, uint32_t elements) {
    assert(tma_reduction_exists(reduction, type));
    switch ((int)type) {
    case TMA_FLOAT32:
        add_float(into, from, elements);
        break;
    case TMA_FLOAT16:
        reduce_halves(reduction, &tma_half, into, from, elements);
        break;
    case TMA_BFLOAT16:
        reduce_halves(reduction, &tma_bfloat, into, from, elements);
        break;
    case TMA_UINT32:
    case TMA_INT32:
        reduce_32(reduction, type == TMA_INT32, into, from, elements);
        break;
    default:
        reduce_64(reduction, type == TMA_INT64, into, from, elements);
    }
}
