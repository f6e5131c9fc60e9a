#include "engine/step_clock.h"

#include "base/allocation.h"

enum { AGREES_MILLE = 20 /* steps of two rounds agree within so much */ };

/* Where the rates of a round are. */
static size_t first_rate(const struct tma_step_clock *clock, uint32_t round) {
    uint32_t known = round < TMA_CLOCK_ROUNDS ? round : TMA_CLOCK_ROUNDS - 1;
    return (size_t)known * (clock->ctas_per_sm + 1);
}

static size_t rate_count(const struct tma_step_clock *clock) {
    return (size_t)TMA_CLOCK_ROUNDS * (clock->ctas_per_sm + 1);
}

bool tma_step_clock_create(struct tma_step_clock *clock, struct tma_timed_steps timed,
                           uint32_t place_count, uint32_t sm_count, uint32_t ctas_per_sm) {
    *clock = (struct tma_step_clock){
        .timed = timed,
        .place_count = place_count,
        .sm_count = sm_count,
        .ctas_per_sm = ctas_per_sm,
        .places = tma_allocate(place_count, sizeof *clock->places),
        .sms = tma_allocate(sm_count, sizeof *clock->sms),
    };
    clock->rates = tma_allocate(rate_count(clock), sizeof *clock->rates);
    clock->loops = tma_allocate(place_count * rate_count(clock), sizeof *clock->loops);
    return clock->places != NULL && clock->sms != NULL && clock->rates != NULL &&
           clock->loops != NULL;
}

void tma_step_clock_free(struct tma_step_clock *clock) {
    tma_release(clock->places);
    tma_release(clock->sms);
    tma_release(clock->rates);
    tma_release(clock->loops);
    *clock = (struct tma_step_clock){0};
}

static void look_at(struct tma_step_sm *sm, uint64_t cycle) {
    if (sm->inside == sm->running && cycle > sm->since)
        sm->since = cycle;
}

static void leave(struct tma_step_clock *clock, uint32_t place, uint32_t sm) {
    clock->sms[sm].inside -= clock->places[place].inside;
    clock->places[place].inside = false;
}

static void add(struct tma_step_times *times, uint64_t cycles) {
    times->cycles += cycles;
    times->count++;
}

/* Nothing came before the first round of a place: it is not timed. */
static void end_round(struct tma_step_clock *clock, uint32_t place, uint64_t cycle) {
    struct tma_step_place *own = &clock->places[place];
    if (own->round_cycle > 0 && own->rounds < TMA_CLOCK_ROUNDS && cycle > own->round_cycle)
        add(&clock->rounds[own->rounds], cycle - own->round_cycle);
    own->rounds++;
    own->round_cycle = cycle;
}

void tma_step_clock_start(struct tma_step_clock *clock, uint32_t place, uint32_t sm) {
    clock->places[place].running = true;
    clock->sms[sm].running++;
}

void tma_step_clock_end(struct tma_step_clock *clock, uint32_t place, uint32_t sm, uint64_t cycle) {
    leave(clock, place, sm);
    clock->places[place].running = false;
    clock->sms[sm].running--;
    look_at(&clock->sms[sm], cycle);
    if (!clock->stays)
        end_round(clock, place, cycle);
}

static void begin_loop(struct tma_step_clock *clock, uint32_t place, uint32_t sm, uint64_t cycle) {
    struct tma_step_place *own = &clock->places[place];
    clock->sms[sm].inside += !own->inside;
    own->inside = true;
    own->cycle = cycle;
    look_at(&clock->sms[sm], cycle);
    if (clock->stays && own->begun > 0)
        end_round(clock, place, cycle);
    else if (clock->stays)
        own->round_cycle = cycle;
    own->begun++;
}

void tma_step_clock_pass(struct tma_step_clock *clock, uint32_t place, uint32_t sm, uint64_t step,
                         uint64_t cycle) {
    const struct tma_timed_steps *timed = &clock->timed;
    struct tma_step_place *own = &clock->places[place];
    struct tma_step_sm *shared = &clock->sms[sm];
    if (step < timed->first || step > timed->last)
        return;
    if (step == timed->first) {
        begin_loop(clock, place, sm, cycle);
        return;
    }
    size_t number = first_rate(clock, own->begun > 0 ? own->begun - 1 : 0) + shared->running;
    struct tma_step_rate *rate = &clock->rates[number];
    uint64_t cycles = cycle > own->cycle ? cycle - own->cycle : 0;
    bool late = step - timed->first > (timed->last - timed->first) / 2;
    if (own->inside && shared->inside == shared->running && own->cycle >= shared->since)
        add(&rate->halves[late], cycles);
    add(&rate->any, cycles);
    own->cycle = cycle;
    if (step < timed->last)
        return;
    clock->loops[place * rate_count(clock) + number]++;
    leave(clock, place, sm);
}

static uint64_t scaled(const struct tma_step_times *times, uint64_t steps) {
    return times->count == 0 ? 0
                             : (uint64_t)((unsigned __int128)times->cycles * steps / times->count);
}

static bool counted(const struct tma_step_rate *rate) {
    return rate->halves[0].count > 0 && rate->halves[1].count > 0;
}

/* Adds so many steps of the rate with a number. */
static void add_steps(const struct tma_step_clock *clock, size_t number, uint64_t steps,
                      struct tma_step_stretch *sum) {
    const struct tma_step_rate *rate = &clock->rates[number];
    uint64_t late = scaled(counted(rate) ? &rate->halves[1] : &rate->any, steps);
    uint64_t early = counted(rate) ? scaled(&rate->halves[0], steps) : late - late / 10;
    sum->cycles += late;
    sum->error_cycles += early > late ? early - late : late - early;
}

struct tma_step_stretch tma_step_clock_stretch(const struct tma_step_clock *clock, uint32_t place,
                                               uint64_t steps) {
    struct tma_step_stretch sum = {0};
    for (size_t number = 0; number < rate_count(clock); number++) {
        uint32_t loops = clock->loops[place * rate_count(clock) + number];
        if (loops > 0)
            add_steps(clock, number, loops * steps, &sum);
    }
    return sum;
}

struct tma_step_stretch tma_step_clock_loop(const struct tma_step_clock *clock, uint32_t round,
                                            uint64_t steps) {
    struct tma_step_stretch sum = {0};
    uint64_t all = 0;
    for (uint32_t ctas = 0; ctas <= clock->ctas_per_sm; ctas++) {
        size_t number = first_rate(clock, round) + ctas;
        uint64_t loops = 0;
        for (uint32_t place = 0; place < clock->place_count; place++)
            loops += clock->loops[place * rate_count(clock) + number];
        add_steps(clock, number, loops * steps, &sum);
        all += loops;
    }
    if (all == 0)
        return sum;
    return (struct tma_step_stretch){sum.cycles / all, sum.error_cycles / all};
}

struct tma_step_stretch tma_step_clock_round(const struct tma_step_clock *clock, uint32_t round,
                                             uint64_t steps) {
    struct tma_step_stretch sum = tma_step_clock_loop(clock, round, steps);
    if (round < TMA_CLOCK_ROUNDS)
        sum.cycles += scaled(&clock->rounds[round], 1);
    return sum;
}

bool tma_step_clock_agrees(const struct tma_step_clock *clock, uint32_t round) {
    enum { STEPS = 1024 };
    uint64_t a = tma_step_clock_loop(clock, round - 1, STEPS).cycles;
    uint64_t b = tma_step_clock_loop(clock, round, STEPS).cycles;
    uint64_t more = a > b ? a : b, less = a > b ? b : a;
    return less > 0 && (more - less) * 1000 <= more * AGREES_MILLE;
}
