/* The state of DRAM: channels, each with a request queue and a data bus, and banks, each with a row
 * buffer. Times are in ticks of the SM clock (core/port.h). */
#pragma once

#include <stdbool.h>

#include "base/array.h"
#include "memory/core/divisor.h"
#include "memory/core/event_queue.h"
#include "memory/core/packet_queue.h"
#include "memory/core/port.h"
#include "memory/core/sectors.h"
#include "memory/machine.h"

struct tma_dram_scheduler_policy;
struct tma_refresh_policy;

/* Where DRAM has a line. */
struct tma_dram_place {
    uint64_t row;
    uint32_t channel;
    uint16_t bank; /* of the channel: banks of a bank group differ by a multiple of the groups */
    uint8_t group; /* of the bank: among those of all ranks */
    uint16_t line; /* of the row: the two lines of a block differ in bit 0 */
};

/* A request of a channel. */
struct tma_dram_request {
    _Alignas(TMA_HOST_LINE_BYTES / 2) uint64_t row;
    uint64_t ticks;  /* its arrival; once its row is open or opening, the bus may move its data from
                      * here on */
    uint32_t packet; /* TMA_NONE: a write-back that no one waits for */
    uint32_t next;   /* in its list, or TMA_NONE */
    uint16_t bank;   /* of the channel */
    uint8_t group;   /* of the bank */
    uint8_t sectors;
    bool write;
    uint8_t served_before; /* reads that the channel had served at its arrival: the low bits */
    uint16_t line;         /* of the row */
};

/* A list of requests. */
struct tma_dram_list {
    uint32_t first, last; /* TMA_NONE: it has none */
};

/* Requests that wait for room in a queue. */
struct tma_dram_fifo {
    struct tma_dram_request *requests; /* owned: a ring */
    uint32_t capacity;                 /* a power of two, or 0 */
    uint32_t first, count;
};

/* When a bank that no command has opened yet was activated. */
#define TMA_NEVER_ACTIVATED (UINT64_MAX / 2)

struct tma_dram_bank {
    _Alignas(TMA_HOST_LINE_BYTES)
        uint64_t row;             /* that it opened last: open as long as `active` is not 0 */
    uint64_t opened_ticks;        /* the row takes column commands */
    uint64_t closes_ticks;        /* a refresh closes the row */
    uint64_t precharge_ticks;     /* from here on the row can be closed after its last access */
    uint32_t active;              /* requests for the open row */
    uint32_t bypassed;            /* of these, requests that came after the first of `waiting` */
    struct tma_dram_list waiting; /* requests for other rows, in order of arrival */
};

/* Reads, or writes, of a channel. */
struct tma_dram_queue {
    /* `ticks` of the first request of each run, UINT64_MAX: of none; apart from the runs, so that
     * the host finds them in one cache line */
    uint64_t first_ready_ticks[TMA_DRAM_MAX_GROUPS];
    /* requests for each bank group whose rows are open or opening, sorted by `ticks`; those that
     * are ready at the same time are in order of arrival */
    struct tma_dram_list runs[TMA_DRAM_MAX_GROUPS];
    uint32_t ready;               /* requests in the runs */
    uint32_t admitted;            /* these, and the requests that wait in banks */
    uint32_t size;                /* requests in all, those of `outside` included */
    struct tma_dram_fifo outside; /* requests that wait for room */
};

enum { TMA_DRAM_READS, TMA_DRAM_WRITES, TMA_DRAM_QUEUES };

struct tma_dram_channel {
    _Alignas(TMA_HOST_LINE_BYTES) struct tma_port bus; /* data */
    struct tma_dram_bank *banks;                       /* owned by the channels together */
    struct tma_dram_queue queues[TMA_DRAM_QUEUES];
    uint64_t group_ticks[TMA_DRAM_MAX_GROUPS]; /* a bank group takes its next column command */
    uint64_t *activated_ticks;                 /* by bank: the command that opened its row */
    uint64_t last_activation_ticks;            /* the latest of these */
    uint64_t refresh_phase_ticks; /* a refresh, of bank 0 at least, begins at this time */
    uint64_t moved_phase_ticks;   /* the same before the halt that ends what a load has moved */
    uint64_t drain_ticks;         /* from here on the channel may drain its writes again */
    uint64_t late_ticks;   /* the bus was busy before dram.observed_ticks, known since then */
    uint64_t wake_cycle;   /* the channel's wake-up in the event queue; UINT64_MAX: none */
    uint32_t free_request; /* list of free elements of the channel's requests */
    uint32_t rank;         /* of the last transfer on the bus */
    bool writing;          /* direction of the last transfer on the bus */
    bool draining;         /* the channel writes until the low watermark */
    uint8_t served;        /* reads so far: the low bits */
    struct tma_packet_queue credits; /* packets that wait for room for writes */
};

/* Bits of a block's number, in parts that address.c looks up. */
enum {
    TMA_DRAM_PLACE_PARTS = 3,
    TMA_DRAM_PLACE_BITS = 7,
    TMA_DRAM_PLACE_SUMS = 1 << TMA_DRAM_PLACE_BITS,
    TMA_DRAM_PLACES = 32 /* values of such a sum */
};

/* A bank among those of the channels of a slice. */
struct tma_dram_slice_place {
    uint16_t channel; /* of the slice */
    uint16_t bank;    /* of the channel */
    uint8_t group;    /* of the bank */
};

struct tma_dram {
    const struct tma_machine *machine; /* borrowed */
    const struct tma_dram_scheduler_policy *scheduler;
    const struct tma_refresh_policy *refresh;
    struct tma_dram_channel *channels; /* owned */
    struct tma_dram_bank *banks;       /* owned: by channel and bank */
    uint64_t *activated_ticks;         /* owned: likewise */
    struct tma_dram_request *requests; /* owned: for all that queues admit, channel by channel */
    uint32_t
        *slice_channels; /* owned: the first channel of each L2 slice, by partition and slice */
    uint32_t partition_slices; /* L2 slices of one partition */
    uint32_t window;           /* requests of a queue that the scheduler chooses from */
    uint32_t groups;           /* bank groups of a channel, in all ranks */
    uint32_t rank_groups;      /* bank groups of a rank */
    uint32_t group_banks;      /* banks of a bank group */

    uint8_t place_sums[TMA_DRAM_PLACE_PARTS][TMA_DRAM_PLACE_SUMS];
    struct tma_dram_slice_place places[TMA_DRAM_PLACES]; /* by sum, if a slice has no more */
    struct tma_divisor by_row_blocks;                    /* blocks of a row */
    struct tma_divisor by_slice_channels;                /* channels of a slice */
    struct tma_divisor by_banks;                         /* banks of a channel */
    struct tma_divisor by_refresh;                       /* refresh interval, in ticks */
    uint64_t wake_cycles;  /* from when the bus can move data to the wake-up of the channel */
    uint64_t sector_ticks; /* of the bus */
    /* of requests, by their sectors: */
    uint64_t data_ticks[TMA_SECTORS + 1];    /* from the first data to the last */
    uint64_t columns_ticks[TMA_SECTORS + 1]; /* until their bank group takes another command */
    uint64_t access_spread_ticks;            /* an access takes up to so much longer */
    uint64_t access_ticks, trcd_ticks, trp_ticks, tras_ticks, trrd_ticks, tccd_long_ticks;
    uint64_t trtp_ticks, twr_ticks, trtw_ticks, twtr_ticks, trfc_ticks, trefi_ticks, trrefd_ticks;
    uint64_t refresh_seed;
    uint64_t halt_ticks; /* when channels halt first after a load; 0: there was none */
    uint64_t read_sectors, written_sectors;
    uint64_t observed_ticks; /* tma_dram_observe */
    uint64_t
        late_sectors[TMA_DRAM_QUEUES]; /* which the buses moved before that, known since then */
};
