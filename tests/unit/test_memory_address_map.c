/* The address map: the home, the set and the tag of a line, and the slice that serves it under each
 * slice hash. */
#include "memory/core/address_map.h"
#include "small_memory.h"
#include "suite.h"

/* The hash of an H200 is for 47 slices in each partition. */
enum { PAGES = 16, PAGE_LINES = (2 << 20) / TMA_LINE_BYTES, SLICES = 47 };

static struct tma_address_map map_with(enum tma_slice_hash hash) {
    struct tma_machine h200 = small_machine();
    h200.l2.slices = 2 * SLICES;
    h200.l2.hash = hash;
    return tma_address_map_of(&h200);
}

static uint32_t h200_slice(uint64_t line) {
    return tma_slice_hash_policy(TMA_SLICE_HASH_h200)->server(line).slice;
}

TEST(test_h200_hash_is_for_47_slices) {
    ck_assert_uint_eq(tma_slice_hash_policy(TMA_SLICE_HASH_h200)->slices, SLICES);
    ck_assert_uint_eq(tma_slice_hash_policy(TMA_SLICE_HASH_even)->slices, 0);
}

/* In each 1 KiB, two slices have four lines each. In each 4 KiB, eight slices have lines. */
TEST(test_h200_hash_of_neighbours) {
    for (uint64_t line = 0; line < (uint64_t)PAGES * PAGE_LINES; line += 32) {
        uint64_t seen = 0;
        for (uint64_t at = line; at < line + 32; at += 8) {
            uint32_t first = h200_slice(at), second = h200_slice(at + 2);
            ck_assert_uint_ne(first, second);
            for (uint64_t i = 0; i < 8; i++)
                ck_assert_uint_eq(h200_slice(at + i), (i & 2) != 0 ? second : first);
            seen |= UINT64_C(1) << first | UINT64_C(1) << second;
        }
        ck_assert_int_eq(__builtin_popcountll(seen), 8);
    }
}

/* Of the lines of each 128 KiB that have one home, every slice has 8 or 16. So all slices have
 * their share of contiguous memory. */
TEST(test_h200_hash_shares) {
    enum { BLOCK_LINES = (128 << 10) / TMA_LINE_BYTES };
    struct tma_address_map map = map_with(TMA_SLICE_HASH_h200);
    for (uint64_t first = 0; first < (uint64_t)PAGES * PAGE_LINES; first += BLOCK_LINES) {
        uint32_t counts[2][SLICES] = {{0}};
        for (uint64_t line = first; line < first + BLOCK_LINES; line++) {
            struct tma_line_location location = tma_locate(&map, line);
            ck_assert_uint_lt(location.server.slice, SLICES);
            counts[location.server.home][location.server.slice]++;
        }
        for (uint32_t i = 0; i < SLICES; i++)
            for (uint32_t home = 0; home < 2; home++)
                ck_assert(counts[home][i] == 8 || counts[home][i] == 16);
    }
}

/* Memory begins anew behind 256 GiB, as virtual addresses are far above it. */
TEST(test_virtual_addresses_lie_in_memory) {
    const uint64_t far = UINT64_C(0x7f0000000000) / TMA_LINE_BYTES;
    for (uint64_t line = 0; line < PAGE_LINES; line++)
        ck_assert_uint_eq(h200_slice(far + line), h200_slice(line));
}

/* Under `even`, the slice that holds a line also serves it. */
TEST(test_even_hash_keeps_the_interleaved_slice) {
    struct tma_address_map map = map_with(TMA_SLICE_HASH_even);
    for (uint64_t line = 0; line < PAGE_LINES; line++) {
        struct tma_line_location location = tma_locate(&map, line);
        ck_assert_uint_eq(location.server.slice, location.slice);
    }
}

/* The hash selects the server of a line and nothing else: what L2 holds does not depend on it. */
TEST(test_hash_selects_the_server_alone) {
    struct tma_address_map map = map_with(TMA_SLICE_HASH_h200);
    struct tma_address_map even = map_with(TMA_SLICE_HASH_even);
    for (uint64_t line = 0; line < PAGE_LINES; line++) {
        struct tma_line_location location = tma_locate(&map, line);
        struct tma_line_location other = tma_locate(&even, line);
        ck_assert_uint_eq(location.server.slice, h200_slice(line));
        ck_assert_uint_eq(location.group, other.group);
        ck_assert_uint_eq(location.slice, other.slice);
        ck_assert_uint_eq(location.server.home, other.server.home);
    }
}

/* What finds the slice that serves a line finds the same home as what finds its set alone. */
TEST(test_both_find_the_same_home) {
    struct tma_address_map map = map_with(TMA_SLICE_HASH_h200);
    uint64_t random = 1, homes = 0;
    for (uint32_t i = 0; i < 10000; i++) {
        random = tma_mix64(random + i);
        uint64_t line = random % (TMA_L2_ADDRESS_LIMIT / TMA_LINE_BYTES);
        ck_assert_uint_eq(tma_locate(&map, line).server.home, tma_locate(&map, line).server.home);
        homes += tma_locate(&map, line).server.home;
    }
    ck_assert(homes > 4500 && homes < 5500);
}

/* tma_line_at is the inverse of tma_locate, so a write-back goes to the channel from which the
 * line was read. */
TEST_ROWS(test_line_at_a_location, 4) {
    const uint64_t starts[] = {0, 123456789, UINT64_C(0xfe0000000), TMA_L2_ADDRESS_LIMIT / 256};
    struct tma_address_map map = map_with(_i < 2 ? TMA_SLICE_HASH_h200 : TMA_SLICE_HASH_even);
    map.partitions = (uint32_t)_i % 2 + 1;
    for (uint32_t i = 0; i < 4; i++)
        for (uint64_t line = starts[i]; line < starts[i] + 10000; line++) {
            struct tma_line_location location = tma_locate(&map, line);
            ck_assert_uint_eq(
                tma_line_at(&map, location.server.home, location.slice, location.group), line);
        }
}

/* tma_line_in_set is the inverse of tma_set_index at the home. */
TEST(test_line_in_a_set) {
    struct tma_address_map map = tma_address_map_of(&machine);
    for (uint64_t line = 0; line < 10000; line++) {
        struct tma_line_location location = tma_locate(&map, line);
        struct tma_set_index index = tma_set_index(&map, location.server.home, &location);
        ck_assert_uint_eq(tma_line_in_set(&map, index), line);
    }
}

/* Each group has one line in each slice of its home; the lines of a home belong to groups in
 * order. */
TEST(test_groups_spread_over_slices) {
    enum { GROUPS = 1024 };
    static uint32_t seen[GROUPS], home_lines[2];
    struct tma_address_map map = tma_address_map_of(&machine);
    for (uint64_t line = 0; line < (uint64_t)GROUPS * machine.l2.slices; line++) {
        struct tma_line_location location = tma_locate(&map, line);
        ck_assert_uint_lt(location.server.home, machine.l2.partitions);
        ck_assert_uint_eq(location.group, home_lines[location.server.home]++ / map.slices);
        uint32_t bit = 1u << (location.server.home * map.slices + location.slice);
        ck_assert_uint_eq(seen[location.group] & bit, 0);
        seen[location.group] |= bit;
    }
    for (int group = 0; group < GROUPS; group++)
        ck_assert_uint_eq(seen[group], (1u << machine.l2.slices) - 1);
}

/* 4 KiB have one home. The parity of bits of the physical address selects it, among them bits 12,
 * 13 and 15 but not 14. Address 0 stands for byte 528 MiB of memory: bits 29 and 24, of which both
 * count. */
static const struct {
    uint64_t address;
    uint32_t home;
} homes[] = {
    {0x0000, 0},     {0x0fff, 0},     {0x1000, 1},     {0x1fff, 1},
    {0x2000, 1},     {0x2fff, 1},     {0x3000, 0},     {0x4000, 0},
    {0x5000, 1},     {0x7000, 0},     {0x8000, 1},     {0xf000, 1},
    {0x10000000, 1}, {0x10001000, 0}, {0x30000fff, 0}, {UINT64_C(0x8000000000000), 0},
};

TEST_ROWS(test_home, TABLE_ROWS(homes)) {
    struct tma_address_map map = tma_address_map_of(&machine);
    ck_assert_uint_eq(tma_locate(&map, homes[_i].address / TMA_LINE_BYTES).server.home,
                      homes[_i].home);
}

/* Rows that are out of bounds share 8 lines beyond all others, each the first of its 256 bytes.
 * Under the hash of an H200 the 8 lines have 8 slices. */
TEST(test_fill_lines) {
    const uint64_t first = TMA_L2_ADDRESS_LIMIT / TMA_LINE_BYTES - 64;
    const uint64_t offsets[TMA_FILL_LINES] = {0, 2, 8, 10, 16, 18, 24, 26};
    uint64_t seen = 0;
    for (uint32_t k = 0; k < 100; k++) {
        ck_assert_uint_eq(tma_fill_line(k), first + offsets[k % TMA_FILL_LINES]);
        seen |= UINT64_C(1) << h200_slice(tma_fill_line(k));
    }
    ck_assert_int_eq(__builtin_popcountll(seen), TMA_FILL_LINES);
}

/* No two lines of a partition, copies included, have both set and tag in common. The set belongs to
 * the line's slice. */
TEST_ROWS(test_set_and_tag_identify_a_line, 2) {
    enum { LINES = 2048 };
    static struct tma_set_index seen[LINES];
    struct tma_address_map map = tma_address_map_of(&machine);
    uint32_t partition = (uint32_t)_i;
    for (uint64_t line = 0; line < LINES; line++) {
        struct tma_line_location location = tma_locate(&map, line);
        seen[line] = tma_set_index(&map, partition, &location);
        ck_assert_uint_eq(seen[line].set / map.slice_sets, partition * map.slices + location.slice);
        uint64_t same = 0;
        while (seen[same].set != seen[line].set || seen[same].tag != seen[line].tag)
            same++;
        ck_assert_uint_eq(same, line);
    }
}

/* The index of a line in the other partition follows from that in one: also where tags are the last
 * ones. */
TEST_ROWS(test_opposite_index, 3) {
    const struct tma_address_map map = tma_address_map_of(&machine);
    const uint64_t turn_lines = (uint64_t)map.slices * map.slice_sets * map.partitions;
    const uint64_t first[] = {0, 1000000, turn_lines * (TMA_L2_EMPTY / 2) - 4096};
    for (uint64_t line = first[_i]; line < first[_i] + 2 * 4096; line++) {
        struct tma_line_location location = tma_locate(&map, line);
        for (uint32_t partition = 0; partition < 2; partition++) {
            struct tma_set_index index = tma_set_index(&map, partition, &location);
            struct tma_set_index other = tma_set_index(&map, !partition, &location);
            struct tma_set_index found = tma_opposite_index(&map, line, index);
            ck_assert_uint_eq(found.set, other.set);
            ck_assert_uint_eq(found.tag, other.tag);
        }
    }
}

/* Two SMs read two lines at once. If one slice serves both lines, one SM waits for the other. */
TEST(test_lines_of_one_slice_wait_for_each_other) {
    enum { LONG = 100 };
    machine.l2.slices = 2 * SLICES;
    machine.l2.capacity_bytes = (uint64_t)2 * SLICES * 64 * 1024;
    machine.l2.hash = TMA_SLICE_HASH_h200;
    machine.l2.request_millicycles = LONG * 1000;
    machine.topology.gpc_partition[1] = 0;
    const uint64_t others[] = {1, 2}; /* lines further: of the same slice, and of another one */
    uint64_t cycles[2];
    struct tma_tensor_map map = line_map(1);
    for (int i = 0; i < 2; i++) {
        recreate();
        struct load loads[2] = {{.map = &map}, {.map = &map, .sm = 2, .tag = 1}};
        struct tma_completion done[2];
        loads[0].y = row_at_home(&machine, &map, 0, 0);
        loads[1].y = loads[0].y + (int32_t)others[i];
        warm_load(memory, &loads[0]);
        warm_load(memory, &loads[1]);
        run_loads(memory, loads, 2, done);
        cycles[i] = done[1].cycle;
    }
    ck_assert_uint_gt(cycles[0], cycles[1] + LONG / 2);
}

/* Multiplication by the reciprocal gives the exact quotient, also where the reciprocal has least to
 * spare. */
TEST(test_divide) {
    static const uint64_t numbers[] = {2, 48, 12767, UINT64_C(1) << 57, UINT64_MAX};
    for (uint64_t by = 1; by < 400; by++) {
        struct tma_divisor divisor = tma_divisor_of(by);
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            for (uint64_t less = 0; less < 3; less++) {
                uint64_t number = numbers[i] - less, multiple = number / by * by;
                ck_assert_uint_eq(tma_divide(number, &divisor), number / by);
                ck_assert_uint_eq(tma_divide(multiple, &divisor), multiple / by);
                ck_assert_uint_eq(tma_modulo(number, &divisor), number % by);
            }
    }
}

/* The same for numbers of lines. */
TEST(test_divide_lines) {
    static const uint64_t divisors[] = {1,     2,      3,      47,      48,      512,       651,
                                        65535, 262143, 262144, 1 << 20, 4194303, UINT32_MAX};
    const uint64_t most = UINT64_C(1) << TMA_LINE_BITS;
    for (size_t i = 0; i < sizeof divisors / sizeof *divisors; i++) {
        struct tma_divisor divisor = tma_divisor_of(divisors[i]);
        uint64_t random = 1;
        for (uint32_t k = 0; k < 1000; k++) {
            random = tma_mix64(random + k);
            uint64_t number = k == 0 ? most - 1 : random % most, by = divisors[i];
            uint64_t multiple = number / by * by, before = multiple > 0 ? multiple - 1 : 0;
            ck_assert_uint_eq(tma_divide_line(number, &divisor), number / by);
            ck_assert_uint_eq(tma_divide_line(multiple, &divisor), multiple / by);
            ck_assert_uint_eq(tma_divide_line(before, &divisor), before / by);
        }
    }
}

TEST_SUITE("address map", .set_up = set_up, .tear_down = tear_down);
