/* Checks a tensor map, prints why a driver would refuse it, and repairs it.
 *
 *     cc check_map.c $(pkg-config --cflags --libs tmasim) -o check_map && ./check_map
 */
#include <stdio.h>
#include <string.h>
#include <tmasim.h>

static void print_violations(const struct tma_tensor_map *map) {
    struct tma_violation violations[TMA_MAX_VIOLATIONS];
    size_t count = tma_tensor_map_check(map, TMA_SM_90, violations, TMA_MAX_VIOLATIONS);
    printf("the map breaks %zu rules\n", count);
    for (size_t i = 0; i < count; i++) {
        char text[512];
        tma_violation_text(&violations[i], text, sizeof text);
        printf("- %s\n  source: %s\n  fix: %s\n", text, violations[i].rule->source,
               violations[i].rule->fix);
    }
}

static void print_descriptor(const struct tma_tensor_map *map) {
    struct tma_descriptor descriptor;
    char text[TMA_DUMP_TEXT_BYTES];
    tma_descriptor_encode(map, &descriptor);
    tma_dump_write(&descriptor, TMA_DUMP_WORDS_64, text, sizeof text);
    printf("its 128 bytes, as a CUtensorMap holds them:\n%s", text);
}

int main(void) {
    /* A matrix of 4096 rows of 1004 halves, and tiles of 64 rows of 128 halves. */
    struct tma_tensor_map map;
    memset(&map, 0, sizeof map);
    map.kind = TMA_MAP_TILED;
    map.data_type = TMA_FLOAT16;
    map.rank = 2;
    map.global_address = 0x7f0000000000;
    map.global_dim[0] = 1004;
    map.global_dim[1] = 4096;
    map.global_strides[0] = 1004 * 2; /* bytes: not a multiple of 16 */
    map.box_dim[0] = 128;             /* 256 bytes: wider than the swizzle */
    map.box_dim[1] = 64;
    map.element_strides[0] = 1;
    map.element_strides[1] = 1;
    map.swizzle = TMA_SWIZZLE_128B;

    print_violations(&map);
    int rounds = tma_tensor_map_repair(&map, TMA_SM_90);
    printf("repaired (rounds: %d): rows are %llu bytes apart, and a tile has %u columns\n", rounds,
           (unsigned long long)map.global_strides[0], map.box_dim[0]);
    print_violations(&map);
    print_descriptor(&map);
    return 0;
}
