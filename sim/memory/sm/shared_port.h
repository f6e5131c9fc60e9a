/* The shared-memory port of an SM: one wavefront of 128 bytes after the other, for the accesses of
 * warps and for the operands of matrix products.
 *
 * The tensor cores come first: a product reads its operands evenly from its begin to its end, and
 * accesses have the cycles between. Those get at least one of ACCESS_SHARE cycles, for which the
 * next product waits. A wavefront keeps its place at the port until its cycle comes, and a profiler
 * counts it once for each cycle there (h100/shared_wavefronts.tsv). */
#pragma once

#include <stdbool.h>

#include "memory/core/port.h"

enum {
    TMA_PRODUCTS_READ = 64, /* products whose reading the port remembers, the last ones */
    TMA_ACCESS_SHARE = 16,
};

/* Shared memory lies in two halves, each with a port to write. What TMA writes comes first, and
 * conflicts with what warps store to the same half in the same cycle. (Stores of TMA conflict so
 * with loads of warps, which the model leaves out.) */
enum {
    TMA_SHARED_HALF_BYTES = 128 << 10,
    TMA_SHARED_HALVES = 2,
    TMA_WRITE_WORDS = 16, /* of 64 cycles each: how far data may be on their way */
};

/* The cycles in which TMA writes to a half. */
struct tma_half_writes {
    uint64_t numbers[TMA_WRITE_WORDS]; /* cycle / 64 of the word, */
    uint64_t words[TMA_WRITE_WORDS];   /* a bit for each cycle */
};

struct tma_operands_read {
    uint64_t begin_ticks, end_ticks;
    uint64_t ticks; /* of the port, between them */
};

struct tma_shared_port {
    struct tma_port accesses; /* of warps */
    uint64_t operand_ticks;   /* of all products */
    uint64_t taken_ticks;     /* that accesses have taken from products, and nobody made up for */
    uint64_t waited_ticks;    /* that accesses have waited at the port for products */
    uint64_t operands_end_cycle; /* of the product that ends last */
    uint32_t next;               /* place of the next product, below: a ring */
    struct tma_operands_read reads[TMA_PRODUCTS_READ]; /* in order of time, without overlap */
    struct tma_half_writes writes[TMA_SHARED_HALVES];
};

/* The half in which an address of an SM's shared memory lies. */
static inline uint32_t tma_shared_half(uint32_t address) {
    return address >= TMA_SHARED_HALF_BYTES;
}

/* TMA writes sectors of a line to a half of shared memory, two of them in a cycle. */
static inline void tma_shared_port_write(struct tma_shared_port *port, uint32_t half,
                                         uint64_t cycle, uint32_t sectors) {
    struct tma_half_writes *writes = &port->writes[half];
    for (uint64_t end = cycle + (sectors + 1) / 2; cycle < end; ++cycle) {
        uint64_t number = cycle / 64, at = number % TMA_WRITE_WORDS;
        if (writes->numbers[at] != number)
            writes->words[at] = 0;
        writes->numbers[at] = number;
        writes->words[at] |= UINT64_C(1) << cycle % 64;
    }
}

/* In how many cycles a store of a warp that asks at `cycle`, for so many wavefronts, finds TMA
 * writing. A profiler counts each as a conflict and a wavefront; here they take no time. */
static inline uint64_t tma_shared_port_conflicts(const struct tma_shared_port *port, uint32_t half,
                                                 uint64_t cycle, uint64_t wavefronts) {
    const struct tma_half_writes *writes = &port->writes[half];
    uint64_t at = tma_later(cycle, tma_ticks_to_cycle(port->accesses.free_ticks)), conflicts = 0;
    for (; wavefronts > 0; ++at) {
        uint64_t word = at / 64 % TMA_WRITE_WORDS;
        bool taken = writes->numbers[word] == at / 64 && writes->words[word] >> at % 64 & 1;
        conflicts += taken;
        wavefronts -= !taken;
    }
    return conflicts;
}

/* What accesses can have of some time in which a product reads. */
static inline uint64_t tma_access_ticks(const struct tma_operands_read *read, uint64_t time) {
    uint64_t all = read->end_ticks - read->begin_ticks, left = all - read->ticks;
    return tma_later(time * left / all, time / TMA_ACCESS_SHARE);
}

/* A warp asks at `cycle` for `ticks` of the port. Returns the cycle at which its access ends. */
static inline uint64_t tma_shared_port_access(struct tma_shared_port *port, uint64_t cycle,
                                              uint64_t ticks) {
    uint64_t start = tma_later(cycle * TMA_TICKS, port->accesses.free_ticks), at = start,
             left = ticks;
    for (uint32_t i = 0; i < TMA_PRODUCTS_READ && at < port->operands_end_cycle * TMA_TICKS; ++i) {
        const struct tma_operands_read *read = &port->reads[(port->next + i) % TMA_PRODUCTS_READ];
        if (read->end_ticks <= at)
            continue;
        if (at + left <= read->begin_ticks)
            break;
        if (at < read->begin_ticks) {
            left -= read->begin_ticks - at;
            at = read->begin_ticks;
        }
        uint64_t time = read->end_ticks - at, most = tma_access_ticks(read, time),
                 used = tma_earlier(left, most);
        if (used < most || most == 0)
            time = most == 0 ? time : (used * time + most - 1) / most;
        uint64_t all = read->end_ticks - read->begin_ticks, idle = time * (all - read->ticks) / all;
        port->taken_ticks += used > idle ? used - idle : 0;
        left -= used;
        at += time;
        if (left == 0)
            break;
    }
    at += left;
    port->accesses.free_ticks = at;
    port->accesses.busy_ticks += ticks;
    port->waited_ticks += at - start - ticks;
    return tma_ticks_to_cycle(at);
}

/* A product asks at `cycle` for operands that take `ticks` of the port, and would else end at
 * `end`. Returns the cycle at which it ends. It waits for accesses that the port has promised. */
static inline uint64_t tma_shared_port_read_operands(struct tma_shared_port *port, uint64_t cycle,
                                                     uint64_t ticks, uint64_t end) {
    uint64_t begin = tma_later(tma_later(cycle, port->operands_end_cycle) * TMA_TICKS,
                               port->accesses.free_ticks);
    port->operand_ticks += ticks;
    end = tma_later(end, tma_ticks_to_cycle(begin + ticks + port->taken_ticks));
    port->taken_ticks = 0;
    if (end <= port->operands_end_cycle)
        return end;
    if (end * TMA_TICKS > begin)
        port->reads[port->next++ % TMA_PRODUCTS_READ] =
            (struct tma_operands_read){begin, end * TMA_TICKS, ticks};
    port->operands_end_cycle = end;
    return end;
}

/* For how long products have read up to a time, in ticks. */
static inline uint64_t tma_operand_ticks_until(const struct tma_shared_port *port, uint64_t now) {
    uint64_t ticks = port->operand_ticks;
    for (uint32_t i = 0; i < TMA_PRODUCTS_READ && now < port->operands_end_cycle * TMA_TICKS; ++i) {
        const struct tma_operands_read *read = &port->reads[i];
        if (read->end_ticks > now)
            ticks -= read->ticks * (read->end_ticks - tma_later(now, read->begin_ticks)) /
                     (read->end_ticks - read->begin_ticks);
    }
    return ticks;
}
