/* Tells descriptors from other data. */
#include <string.h>

#include "tensormap/dump.h"

static bool is_all_zeros(const struct tma_descriptor *descriptor) {
    static const struct tma_descriptor zeros;
    return memcmp(descriptor, &zeros, sizeof zeros) == 0;
}

/* Counts the findings that are rare in descriptors and frequent in other data. */
static size_t count_strange(const struct tma_descriptor *descriptor) {
    struct tma_tensor_map map;
    struct tma_finding findings[TMA_MAX_FINDINGS];
    size_t count = tma_descriptor_decode(descriptor, &map, findings, TMA_MAX_FINDINGS);
    size_t strange = 0;
    for (size_t i = 0; i < count; i++)
        strange += findings[i].kind != TMA_UNVERIFIED && findings[i].kind != TMA_ABSENT_DERIVED &&
                   !tma_finding_is_note(&findings[i]);
    return strange;
}

static uint32_t swap_word(uint32_t word) {
    return word >> 24 | (word >> 8 & 0xff00) | (word << 8 & 0xff0000) | word << 24;
}

/* Does reversing the bytes of each number of `words` words give a descriptor without findings? */
static bool is_swapped(const struct tma_descriptor *descriptor, size_t words) {
    struct tma_descriptor swapped;
    for (size_t i = 0; i < TMA_DESCRIPTOR_WORDS; i++)
        swapped.words[i] = swap_word(descriptor->words[i ^ (words - 1)]);
    return count_strange(&swapped) == 0;
}

enum tma_error_code tma_descriptor_recognise(const struct tma_descriptor *descriptor,
                                             struct tma_error *error) {
    enum { TOLERATED = 4, LAST_USED_WORD = 18 };
    if (is_all_zeros(descriptor))
        return tma_fail(error, TMA_ERROR_SYNTAX,
                        "all 128 bytes are zero: memory that no encoder has written, not a tensor "
                        "map");
    size_t strange = count_strange(descriptor);
    if (strange > 0 && (is_swapped(descriptor, 1) || is_swapped(descriptor, 2)))
        return tma_fail(error, TMA_ERROR_SYNTAX,
                        "this is a tensor map with the bytes of each word reversed: write words "
                        "with 0x, bytes in the order of memory");
    size_t occupied = 0;
    for (size_t i = LAST_USED_WORD + 1; i < TMA_DESCRIPTOR_WORDS; i++)
        occupied += descriptor->words[i] != 0;
    if (occupied > 0 && strange > TOLERATED)
        return tma_fail(error, TMA_ERROR_SYNTAX,
                        "these look like random bytes or other data, not a tensor map: %zu things "
                        "are odd, among them that %zu of the 13 words behind a map's last one are "
                        "not zero",
                        strange, occupied);
    return TMA_OK;
}
