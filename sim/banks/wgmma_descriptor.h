/* 64-bit matrix descriptors of wgmma (PTX ISA, matrix descriptor format): their fields, where one
 * reads each part of its matrix, and those with which instructions read a tile. */
#pragma once

#include "banks/wgmma.h"

struct tma_wgmma_descriptor {
    uint32_t start_bytes, leading_bytes, stride_bytes, base_offset;
    enum tma_swizzle swizzle; /* none, 32b, 64b or 128b */
};

struct tma_wgmma_descriptor tma_wgmma_decode(uint64_t value);
uint64_t tma_wgmma_encode(const struct tma_wgmma_descriptor *descriptor);

/* The address, below 256 KiB, of 16 bytes of the matrix. K-major: line `line` of M or N, and chunk
 * `chunk` of its bytes along K; MN-major: line along K, and chunk along M or N. */
uint32_t tma_wgmma_descriptor_address(uint64_t value, bool mn_major, uint32_t line, uint32_t chunk);

/* How instructions read a tile, with the descriptor that fits it. mn is the extent along M or N of
 * one instruction; 0: 64, or that of the tile if it is smaller or no multiple. Fails as
 * tma_wgmma_check. */
enum tma_error_code tma_wgmma_walk_of(const struct tma_tile *tile, uint32_t mn, bool mn_major,
                                      struct tma_wgmma_walk *walk, struct tma_error *error);

/* An instruction of a walk: its descriptor, and the element with which it begins. */
struct tma_wgmma_step {
    uint64_t descriptor;
    uint32_t mn, k;
};

uint32_t tma_wgmma_step_count(const struct tma_wgmma_walk *walk);
struct tma_wgmma_step tma_wgmma_step(const struct tma_wgmma_walk *walk, const struct tma_tile *tile,
                                     uint32_t index);

/* A descriptor against the tile. */
struct tma_wgmma_comparison {
    uint32_t step;        /* the instruction that begins at its start address, or the first one */
    bool named;           /* there is one that does */
    uint32_t rows, wrong; /* rows of 16 bytes of the instruction; those read from elsewhere */
    uint32_t mn, k, has, reads; /* of the first wrong one: element, its address, that it reads */
};

struct tma_wgmma_comparison tma_wgmma_compare(const struct tma_wgmma_walk *walk,
                                              const struct tma_tile *tile, uint64_t value);
