/* Compares the speed of tmasim with that of a floor program: the least work that any exact
 * simulation of the same kernel needs. Both simulate the full chip that reads tiles which L2 holds,
 * or lacks. The ratio of their times is a figure that does not depend on the host.
 *
 * The floor program does this for each L2 request, and nothing else:
 *   - it makes the request in its turn: a row of a tile, one each tma.row, in each SM
 *   - it finds the line's home, set, tag and slice, with the address map of the model
 *   - it prefetches the set four rows ahead
 *   - it looks the tag up in a table with as many sets as L2 has, and updates the order of use
 *   - it passes three FIFO servers: the slice, the port of the GPC, the port of the SM
 *   - it puts one event into a timing wheel, and takes it out: the data leave the slice
 *   - it counts down the rows of the operation; the last one starts the next operation
 * A line that its set lacks adds
 *   - a victim: the least recently used way
 *   - a look-up and a victim in the home, where that is the other partition
 *   - one FIFO server more, the bus of the DRAM channel
 * It has no coalescer, no promotion, no DRAM banks, no writes, no tensor maps, no mbarriers, no
 * accounting and no traces.
 *
 * Usage: floor [ROUNDS]. Programs run by turns, ROUNDS times; the ratio is the median of the
 * rounds. Start-up and warm start do not count: the time of a short run is taken off that of a long
 * one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "bench.h"
#include "engine/slots/run.h"
#include "memory/core/address_map.h"
#include "memory/core/port.h"
#include "memory/core/sectors.h"
#include "memory/l2/replacement.h"
#include "memory/topology.h"
#include "scenario/machine_file.h"

enum {
    PITCH_LINES = ROW_TILES,
    AHEAD = 4, /* rows for which the host's caches are prefetched */
    MAX_ROUNDS = 99
};

struct kernel {
    const char *name;
    uint32_t tiles_down; /* of the matrix; ROW_TILES tiles lie side by side */
    bool cold;
    uint32_t short_iterations, long_iterations; /* of each CTA, one for each SM */
    double goal;
};

/* Warm start takes as long for all runs of more than 117 iterations: ten passes over the matrix.
 * The matrix that L2 lacks is read once. */
static const struct kernel kernels[] = {
    {"full_l2_d4_64x128", 24, false, 128, 256, 2.2},
    {"full_dram_d4_64x128", 266, true, 4, 132, 2.5},
};

/* What a run took. */
struct sample {
    double seconds, cycles, requests;
};

/* The floor program. */

struct floor_set {
    _Alignas(TMA_HOST_LINE_BYTES) uint16_t tags[TMA_L2_MAX_WAYS]; /* 0: empty */
    uint64_t order;                                               /* replacement.h */
};

/* Where a row's line is looked up: in the partition of the SM. */
struct floor_place {
    uint32_t set;
    uint16_t tag, slice;
};

/* An operation in flight in a slot of an SM. */
struct floor_operation {
    uint64_t line;                    /* of the row AHEAD rows after the next one */
    struct floor_place places[AHEAD]; /* ring: of the next rows */
    uint32_t rows_to_make, rows_to_arrive;
    uint32_t iteration;
};

enum { WHEEL_CYCLES = 1 << 13, WHEEL_EVENTS = 256 };

struct floor_wheel_cycle {
    uint32_t count;
    uint32_t slots[WHEEL_EVENTS]; /* whose row leaves its slice; or STARTS plus the slot */
};

/* The event that starts the next operation of a slot. */
#define STARTS (UINT32_C(1) << 31)

struct floor_chip {
    const struct tma_machine *machine;
    struct tma_address_map map;
    uint32_t gpcs[TMA_MAX_SMS]; /* by SM */
    struct floor_set *sets;
    struct floor_wheel_cycle *wheel;
    struct tma_port slices[512], channels[512];
    struct tma_port gpc_ports[TMA_MAX_GPCS], sm_ports[TMA_MAX_SMS];
    uint64_t unit_ticks[TMA_MAX_SMS]; /* the TMA unit can make its next row */
    struct floor_operation operations[TMA_MAX_SMS][PIPELINE_SLOTS];
    uint32_t turn[TMA_MAX_SMS];      /* the slot whose rows the TMA unit makes */
    uint64_t busy[TMA_MAX_SMS / 64]; /* bit for each SM: it has rows to make */
    uint32_t slice_channels;         /* DRAM channels of a slice */
    uint64_t row_ticks, slice_ticks, gpc_ticks, sm_ticks, channel_ticks;
    uint32_t tiles, iterations, running; /* SMs and slots that still have work */
    uint64_t requests, cycle;
};

/* Finds the place of the row AHEAD rows after the next one, and prefetches its set. */
static void look_ahead(struct floor_chip *chip, uint32_t sm, struct floor_operation *operation) {
    uint32_t partition = chip->machine->topology.gpc_partition[chip->gpcs[sm]];
    uint64_t line = operation->line;
    struct tma_line_location location = tma_locate(&chip->map, line);
    struct tma_set_index index = tma_set_index(&chip->map, partition, &location);
    __builtin_prefetch(&chip->sets[index.set], 1);
    operation->places[line / PITCH_LINES % AHEAD] = (struct floor_place){
        .set = index.set,
        .tag = (uint16_t)(index.tag + 1),
        .slice = (uint16_t)(partition * chip->map.slices + location.server.slice),
    };
    operation->line = line + PITCH_LINES;
}

static void start_operation(struct floor_chip *chip, uint32_t sm, uint32_t slot,
                            uint32_t iteration) {
    struct floor_operation *operation = &chip->operations[sm][slot];
    uint32_t tile = (iteration * chip->machine->sm_count + sm) % chip->tiles;
    uint64_t row = (uint64_t)(tile / ROW_TILES) * TILE_ROWS;
    operation->line = matrix_address / TMA_LINE_BYTES + row * PITCH_LINES + tile % ROW_TILES;
    operation->rows_to_make = operation->rows_to_arrive = TILE_ROWS;
    operation->iteration = iteration;
    for (int i = 0; i < AHEAD; i++)
        look_ahead(chip, sm, operation);
    if (chip->unit_ticks[sm] < chip->cycle * TMA_TICKS)
        chip->unit_ticks[sm] = chip->cycle * TMA_TICKS;
    chip->busy[sm / 64] |= UINT64_C(1) << sm % 64;
}

/* Eight tags in one vector register of the host. */
typedef uint16_t eight __attribute__((vector_size(16)));

/* The ways (bit mask) that have a tag. */
static uint32_t ways_with(const struct floor_set *set, uint16_t tag) {
    static const eight bits[] = {{1, 2, 4, 8, 16, 32, 64, 128},
                                 {256, 512, 1024, 2048, 4096, 8192, 16384, 32768}};
    eight equal = {0};
    for (int i = 0; i < 2; i++) {
        eight tags;
        memcpy(&tags, &set->tags[8 * i], sizeof tags);
        equal |= (eight)(tags == tag) & bits[i];
    }
    uint64_t words[2];
    memcpy(words, &equal, sizeof words);
    return (uint32_t)((words[0] | words[1]) * UINT64_C(0x0001000100010001) >> 48);
}

/* Whether a set holds a tag; afterwards it does, and the tag is the most recently used one. */
static bool look_up(struct floor_set *set, uint16_t tag) {
    uint32_t ways = ways_with(set, tag);
    uint32_t victim = (uint32_t)(set->order >> 60);
    uint32_t way = ways != 0 ? (uint32_t)__builtin_ctz(ways) : victim;
    set->tags[way] = tag;
    set->order = tma_recency_touch(set->order, (int)way);
    return ways != 0;
}

static void push_event(struct floor_chip *chip, uint32_t event, uint64_t cycle) {
    struct floor_wheel_cycle *at = &chip->wheel[cycle % WHEEL_CYCLES];
    if (cycle - chip->cycle >= WHEEL_CYCLES || at->count == WHEEL_EVENTS)
        abort();
    at->slots[at->count++] = event;
}

/* The cycle at which L2 lacks nothing of a line that the SM's partition lacked at `known`. */
static uint64_t fetch(struct floor_chip *chip, uint32_t partition, uint64_t line, uint64_t known) {
    struct tma_line_location location = tma_locate(&chip->map, line);
    if (location.server.home != partition) {
        struct tma_set_index index = tma_set_index(&chip->map, location.server.home, &location);
        if (look_up(&chip->sets[index.set], (uint16_t)(index.tag + 1)))
            return known;
    }
    uint32_t slice = tma_home_slice_number(&chip->map, location.server);
    uint64_t block = tma_block_of(&chip->map, line);
    uint32_t channel = slice * chip->slice_channels + (uint32_t)(block % chip->slice_channels);
    return tma_port_serve(&chip->channels[channel], known, chip->channel_ticks) +
           tma_machine_dram_cycles(chip->machine);
}

/* Makes a row of an operation: the data leave the slice at a later cycle. */
static void make_row(struct floor_chip *chip, uint32_t sm, uint32_t slot) {
    struct floor_operation *operation = &chip->operations[sm][slot];
    const struct tma_machine *machine = chip->machine;
    uint64_t line = operation->line - AHEAD * PITCH_LINES;
    const struct floor_place place = operation->places[line / PITCH_LINES % AHEAD];
    look_ahead(chip, sm, operation);
    uint64_t ready =
        tma_port_serve(&chip->slices[place.slice], chip->cycle + machine->crossbar.request_cycles,
                       chip->slice_ticks) +
        machine->l2.lookup_cycles;
    if (!look_up(&chip->sets[place.set], place.tag))
        ready = fetch(chip, place.slice / chip->map.slices, line, ready);
    push_event(chip, sm * PIPELINE_SLOTS + slot, ready);
    operation->rows_to_make--;
    chip->requests++;
}

/* The data of a row have left their slice. */
static void pass_ports(struct floor_chip *chip, uint32_t sm, uint32_t slot) {
    uint64_t passed =
        tma_port_serve(&chip->gpc_ports[chip->gpcs[sm]], chip->cycle, chip->gpc_ticks);
    uint64_t arrival = tma_port_serve(
        &chip->sm_ports[sm], passed + chip->machine->crossbar.response_cycles, chip->sm_ticks);
    if (--chip->operations[sm][slot].rows_to_arrive == 0)
        push_event(chip, STARTS + sm * PIPELINE_SLOTS + slot, arrival);
}

static void start_next(struct floor_chip *chip, uint32_t sm, uint32_t slot) {
    uint32_t next = chip->operations[sm][slot].iteration + PIPELINE_SLOTS;
    if (next < chip->iterations)
        start_operation(chip, sm, slot, next);
    else
        chip->running--;
}

static void receive(struct floor_chip *chip, uint32_t event) {
    if (event >= STARTS)
        start_next(chip, (event - STARTS) / PIPELINE_SLOTS, event % PIPELINE_SLOTS);
    else
        pass_ports(chip, event / PIPELINE_SLOTS, event % PIPELINE_SLOTS);
}

/* The TMA unit of an SM makes the rows of this cycle. */
static void make_rows(struct floor_chip *chip, uint32_t sm) {
    uint32_t *turn = &chip->turn[sm];
    while (chip->unit_ticks[sm] <= chip->cycle * TMA_TICKS) {
        for (int i = 0; chip->operations[sm][*turn].rows_to_make == 0; i++) {
            if (i == PIPELINE_SLOTS) {
                chip->busy[sm / 64] &= ~(UINT64_C(1) << sm % 64);
                return;
            }
            *turn = (*turn + 1) % PIPELINE_SLOTS;
        }
        make_row(chip, sm, *turn);
        chip->unit_ticks[sm] += chip->row_ticks;
    }
}

static void run_cycle(struct floor_chip *chip) {
    struct floor_wheel_cycle *now = &chip->wheel[chip->cycle % WHEEL_CYCLES];
    for (uint32_t i = 0; i < now->count; i++)
        receive(chip, now->slots[i]);
    now->count = 0;
    for (uint32_t word = 0; word < TMA_MAX_SMS / 64; word++)
        for (uint64_t busy = chip->busy[word]; busy != 0; busy &= busy - 1)
            make_rows(chip, word * 64 + (uint32_t)__builtin_ctzll(busy));
}

static struct sample run_floor(const struct tma_machine *machine, const struct kernel *kernel,
                               uint32_t iterations) {
    struct floor_chip *chip = calloc(1, sizeof *chip);
    uint32_t sms = machine->sm_count;
    if (chip == NULL)
        abort();
    *chip = (struct floor_chip){
        .machine = machine,
        .map = tma_address_map_of(machine),
        .wheel = calloc(WHEEL_CYCLES, sizeof *chip->wheel),
        .slice_channels = machine->dram.channels / machine->l2.slices,
        .row_ticks = tma_millicycles_to_ticks(machine->tma.row_millicycles),
        .slice_ticks = tma_millicycles_to_ticks(TMA_SECTORS * machine->l2.sector_millicycles),
        .gpc_ticks = TMA_SECTORS * tma_sector_ticks(machine->crossbar.gpc_port_bytes_per_kcycle),
        .sm_ticks = TMA_SECTORS * tma_sector_ticks(machine->crossbar.sm_port_bytes_per_kcycle),
        .channel_ticks = (uint64_t)TMA_LINE_BYTES * 1000 * TMA_TICKS * machine->dram.channels /
                         tma_machine_dram_bytes_per_kcycle(machine),
        .tiles = ROW_TILES * kernel->tiles_down,
        .iterations = iterations,
        .running = sms * PIPELINE_SLOTS,
    };
    size_t sets = (size_t)chip->map.partitions * chip->map.slices * chip->map.slice_sets;
    chip->sets = aligned_alloc(TMA_HOST_LINE_BYTES, sets * sizeof *chip->sets);
    if (chip->wheel == NULL || chip->sets == NULL)
        abort();
    for (size_t i = 0; i < sets; i++)
        chip->sets[i] = (struct floor_set){.order = TMA_RECENCY_INITIAL};
    tma_machine_gpcs(machine, chip->gpcs);
    for (uint32_t sm = 0; sm < sms; sm++)
        for (uint32_t slot = 0; slot < PIPELINE_SLOTS; slot++)
            start_operation(chip, sm, slot, slot);

    double start = cpu_seconds();
    for (; chip->running > 0; chip->cycle++)
        run_cycle(chip);
    struct sample sample = {cpu_seconds() - start, (double)chip->cycle, (double)chip->requests};
    free(chip->sets);
    free(chip->wheel);
    free(chip);
    return sample;
}

/* tmasim. */

static struct sample run_tmasim(const struct tma_machine *machine, const struct kernel *kernel,
                                uint32_t iterations) {
    const struct tma_workload workload =
        matrix_loads(machine->sm_count, iterations, kernel->tiles_down, kernel->cold);
    struct tma_result result;
    double start = cpu_seconds();
    if (tma_run(machine, &workload, NULL, &result, NULL) != TMA_OK)
        abort();
    return (struct sample){cpu_seconds() - start, (double)result.cycles,
                           (double)result.counters.tensor_bytes / TMA_LINE_BYTES};
}

typedef struct sample run_program(const struct tma_machine *machine, const struct kernel *kernel,
                                  uint32_t iterations);

/* What the long run takes beyond the short one. */
static struct sample measure(run_program *run, const struct tma_machine *machine,
                             const struct kernel *kernel) {
    struct sample less = run(machine, kernel, kernel->short_iterations);
    struct sample more = run(machine, kernel, kernel->long_iterations);
    return (struct sample){more.seconds - less.seconds, more.cycles - less.cycles,
                           more.requests - less.requests};
}

static int by_value(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, by_value);
    return values[count / 2];
}

static void compare(const struct tma_machine *machine, const struct kernel *kernel, int rounds) {
    double floor_ns[MAX_ROUNDS], tmasim_ns[MAX_ROUNDS], ratios[MAX_ROUNDS];
    struct sample floor_sample, sample;
    for (int i = 0; i < rounds; i++) {
        floor_sample = measure(run_floor, machine, kernel);
        sample = measure(run_tmasim, machine, kernel);
        floor_ns[i] = floor_sample.seconds / floor_sample.requests * 1e9;
        tmasim_ns[i] = sample.seconds / sample.requests * 1e9;
        ratios[i] = tmasim_ns[i] / floor_ns[i];
    }
    double ratio = median(ratios, rounds);
    printf("%-22s floor  %7.1f ns/request, %8.0f cycles\n", kernel->name, median(floor_ns, rounds),
           floor_sample.cycles);
    printf("%-22s tmasim %7.1f ns/request, %8.0f cycles\n", kernel->name, median(tmasim_ns, rounds),
           sample.cycles);
    printf("%-22s ratio  %7.2f (%.2f to %.2f in %d rounds) <= %.1f %s\n", kernel->name, ratio,
           ratios[0], ratios[rounds - 1], rounds, kernel->goal,
           ratio <= kernel->goal ? "ok" : "short");
    fflush(stdout);
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 7;
    struct tma_machine machine;
    struct tma_diagnostics list = {0};
    if (rounds < 1 || rounds > MAX_ROUNDS ||
        !tma_machine_read("configs/gpus/h200.yaml", &machine, &list))
        return EXIT_FAILURE;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        compare(&machine, &kernels[i], rounds);
    tma_diagnostics_free(&list);
    return EXIT_SUCCESS;
}
