/* The address map: where a 128-byte line lives. It gives the line's home partition, its L2 slice,
 * set and tag, and the group from which its DRAM channel, bank and row follow.
 *
 * Home partition. Of each 8 KiB, 4 KiB have their home in each partition, as the latency of single
 * rows shows. The parity of some physical address bits selects the partition (slice_hash.c).
 *
 * Sets. The lines of a home are divided into groups of as many lines as a partition has slices. A
 * group has one line in the sets of each slice, so contiguous data spreads evenly; the order within
 * a group rotates by a hash of the group's number, so that no pitch keeps to few slices.
 *
 * Slice. A hash (slice_hash.h) says which slice serves the line; the DRAM channel follows from it.
 */
#pragma once

#include "memory/core/divisor.h"
#include "memory/core/random.h"
#include "memory/core/slice_hash.h"
#include "memory/machine.h"

/* Scenarios place tensors below this byte address. Tags have 32 bits: where a partition has more
 * than 8192 sets, all lines below it have distinct tags. In a smaller L2, a tag stands for lines
 * that lie far apart: 32 TiB and more with 64 sets in a partition. */
#define TMA_L2_ADDRESS_LIMIT (UINT64_C(1) << 52)

/* The tag of an empty way, which no line has. */
#define TMA_L2_EMPTY UINT32_MAX

struct tma_line_location {
    uint64_t group; /* number of the line's group among those of its home */
    uint32_t slice; /* within a partition: the slice whose sets hold the line and its copy */
    struct tma_line_server server; /* its home, and what serves it there: its DRAM channel, too */
};

/* Rows of MSHRs in a partition's coalescer: a direct-mapped table. The SMs of a GPC can wait for
 * more than a thousand lines at once, and an H200 merges their loads all the same. */
enum { TMA_MSHR_ROWS = 4096 };

/* The row of a line's MSHRs in a partition. */
static inline uint32_t tma_mshr_row(uint64_t line) {
    return (uint32_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 32) % TMA_MSHR_ROWS;
}

/* The set that holds a line in a partition, and the line's tag there. */
struct tma_set_index {
    uint32_t set;
    uint32_t tag;
};

/* Rows that lie completely out of bounds read one of eight lines. These lie past all tensors, each
 * at a multiple of 256 bytes. Under the hash of an H200 the eight lines have eight slices, and
 * their home is the partition of the SM that has a grid's first CTA: an H200 counts no misses of
 * copies of them there (oob_all_sm1 of counters.tsv). */
enum { TMA_FILL_LINES = 8 };

static inline uint64_t tma_fill_line(uint32_t number) {
    uint64_t past = TMA_L2_ADDRESS_LIMIT / TMA_LINE_BYTES;
    number %= TMA_FILL_LINES;
    return past - 8 * TMA_FILL_LINES + number / 2 * 8 + number % 2 * 2;
}

/* Number of tensor maps that a kernel may have. By default their lines lie just below the fill
 * lines. */
enum { TMA_MAX_DESCRIPTORS = 1 << 20 };

static inline uint64_t tma_default_descriptor_line(void) {
    return tma_fill_line(0) - TMA_MAX_DESCRIPTORS;
}

struct tma_address_map {
    uint32_t partitions;
    uint32_t slices;     /* of one partition */
    uint32_t slice_sets; /* of one slice */
    struct tma_divisor by_slices, by_sets;
    struct tma_line_server (*server)(uint64_t line); /* slice_hash.h */
    uint64_t (*block)(uint64_t line);                /* of DRAM: slice_hash.h; or NULL */
};

static inline struct tma_address_map tma_address_map_of(const struct tma_machine *machine) {
    uint32_t slices = machine->l2.slices / machine->l2.partitions;
    uint64_t slice_bytes = machine->l2.capacity_bytes / machine->l2.slices;
    uint32_t sets = (uint32_t)(slice_bytes / TMA_LINE_BYTES / machine->l2.ways);
    return (struct tma_address_map){.partitions = machine->l2.partitions,
                                    .slices = slices,
                                    .slice_sets = sets,
                                    .by_slices = tma_divisor_of(slices),
                                    .by_sets = tma_divisor_of(sets),
                                    .server = tma_slice_hash_policy(machine->l2.hash)->server,
                                    .block = tma_slice_hash_policy(machine->l2.hash)->block};
}

/* The slice that holds the first line of a group. */
static inline uint32_t tma_group_rotation(const struct tma_address_map *map, uint64_t group,
                                          uint32_t home) {
    return (uint32_t)(((tma_mix64(group * 2 + home) >> 32) * map->slices) >> 32);
}

/* The number of a line among the lines of its home. */
static inline uint64_t tma_number_at_home(const struct tma_address_map *map, uint64_t line) {
    if (map->partitions == 1)
        return line;
    return line >> (TMA_HOME_BITS + 1) << TMA_HOME_BITS | line % (1 << TMA_HOME_BITS);
}

/* The location of a line that `server` serves. */
static inline struct tma_line_location
tma_location_of(const struct tma_address_map *map, uint64_t line, struct tma_line_server server) {
    uint32_t slices = map->slices;
    uint64_t number = tma_number_at_home(map, line);
    uint64_t group = tma_divide_line(number, &map->by_slices);
    if (map->partitions == 1)
        server.home = 0;
    uint32_t slice =
        (uint32_t)(number - group * slices) + tma_group_rotation(map, group, server.home);
    slice = slice < slices ? slice : slice - slices;
    if (server.slice == TMA_INTERLEAVED)
        server.slice = (uint16_t)slice;
    return (struct tma_line_location){.group = group, .slice = slice, .server = server};
}

/* The location of a line (byte address / 128). */
static inline struct tma_line_location tma_locate(const struct tma_address_map *map,
                                                  uint64_t line) {
    return tma_location_of(map, line, map->server(line));
}

/* The number, among the slices of both partitions, of the one that serves a line at home. */
static inline uint32_t tma_home_slice_number(const struct tma_address_map *map,
                                             struct tma_line_server server) {
    return server.home * map->slices + server.slice;
}

/* The number of a line's block among those of its slice and home, from which its DRAM bank and row
 * follow (dram/address.h). */
static inline uint64_t tma_block_of(const struct tma_address_map *map, uint64_t line) {
    if (map->block != NULL)
        return map->block(line);
    return tma_divide_line(tma_number_at_home(map, line), &map->by_slices) / TMA_BLOCK_LINES;
}

/* The line at a location: the inverse of tma_locate. */
static inline uint64_t tma_line_at(const struct tma_address_map *map, uint32_t home, uint32_t slice,
                                   uint64_t group) {
    uint64_t number = group * map->slices +
                      (slice + map->slices - tma_group_rotation(map, group, home)) % map->slices;
    if (map->partitions == 1)
        return number;
    uint64_t pages = number >> TMA_HOME_BITS << 1;
    pages |= home == map->server(pages << TMA_HOME_BITS).home ? 0 : 1;
    return pages << TMA_HOME_BITS | number % (1 << TMA_HOME_BITS);
}

/* The set at which a turn of the groups around the sets begins. The hash keeps lines at a regular
 * distance from meeting in one set more often than by chance. */
static inline uint32_t tma_first_set(const struct tma_address_map *map, uint64_t turn) {
    uint32_t hash = (uint32_t)turn * UINT32_C(0x9e3779b9);
    return (uint32_t)((uint64_t)hash * map->slice_sets >> 32);
}

/* The tag of a line: twice the number of the turn, plus 1 for a copy (one partition: the number of
 * the turn). The line that would have the tag of an empty way has that of a line two before it. */
static inline uint32_t tma_tag_of(uint32_t tag) {
    return tag - 2u * (tag == TMA_L2_EMPTY);
}

/* The set of a group within a slice, and its tag at home before tma_tag_of. */
static inline struct tma_set_index tma_group_index(const struct tma_address_map *map,
                                                   uint64_t group) {
    uint64_t turn = tma_divide_line(group, &map->by_sets);
    uint32_t set = tma_first_set(map, turn) + (uint32_t)(group - turn * map->slice_sets);
    return (struct tma_set_index){.set = set < map->slice_sets ? set : set - map->slice_sets,
                                  .tag = (uint32_t)(turn * map->partitions)};
}

/* The set and tag of a line in a partition: its home, or the other one, which may hold a copy. */
static inline struct tma_set_index tma_set_index(const struct tma_address_map *map,
                                                 uint32_t partition,
                                                 const struct tma_line_location *location) {
    struct tma_set_index index = tma_group_index(map, location->group);
    index.set += (partition * map->slices + location->slice) * map->slice_sets;
    index.tag = tma_tag_of(index.tag + (location->server.home != partition));
    return index;
}

/* The set of the other one of two partitions that has the same place there. */
static inline uint32_t tma_opposite_set(const struct tma_address_map *map, uint32_t set) {
    uint32_t sets = map->slices * map->slice_sets; /* of a partition */
    return set < sets ? set + sets : set - sets;
}

/* The set and tag of a line in the other one of two partitions, from those in one. */
static inline struct tma_set_index tma_opposite_index(const struct tma_address_map *map,
                                                      uint64_t line, struct tma_set_index index) {
    uint32_t set = tma_opposite_set(map, index.set);
    if (index.tag >= TMA_L2_EMPTY - 2) { /* tags that tma_tag_of changes */
        const struct tma_line_location location = tma_locate(map, line);
        return tma_set_index(map, set > index.set, &location);
    }
    return (struct tma_set_index){set, index.tag ^ 1u};
}

/* The line that its home holds in a set under a tag. */
static inline uint64_t tma_line_in_set(const struct tma_address_map *map,
                                       struct tma_set_index index) {
    uint64_t turn = index.tag / map->partitions;
    uint32_t set = index.set % map->slice_sets + map->slice_sets - tma_first_set(map, turn);
    uint64_t group = turn * map->slice_sets + set % map->slice_sets;
    uint32_t slice = index.set / map->slice_sets;
    return tma_line_at(map, slice / map->slices, slice % map->slices, group);
}
