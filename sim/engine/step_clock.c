#include "engine/step_clock.h"

#include "base/allocation.h"

bool tma_step_clock_create(struct tma_step_clock *clock, struct tma_timed_steps timed,
                           uint32_t place_count, uint32_t sm_count, uint32_t ctas_per_sm) {
    uint32_t numbers = ctas_per_sm + 1;
    *clock = (struct tma_step_clock){
        .timed = timed,
        .place_count = place_count,
        .sm_count = sm_count,
        .ctas_per_sm = ctas_per_sm,
        .places = tma_allocate(place_count, sizeof *clock->places),
        .sms = tma_allocate(sm_count, sizeof *clock->sms),
        .rates = tma_allocate(numbers, sizeof *clock->rates),
        .loops = tma_allocate((size_t)place_count * numbers, sizeof *clock->loops),
    };
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

void tma_step_clock_start(struct tma_step_clock *clock, uint32_t place, uint32_t sm) {
    clock->places[place].running = true;
    clock->sms[sm].running++;
}

void tma_step_clock_end(struct tma_step_clock *clock, uint32_t place, uint32_t sm, uint64_t cycle) {
    leave(clock, place, sm);
    clock->places[place].running = false;
    clock->sms[sm].running--;
    look_at(&clock->sms[sm], cycle);
}

static void add(struct tma_step_times *times, uint64_t cycles) {
    times->cycles += cycles;
    times->count++;
}

void tma_step_clock_pass(struct tma_step_clock *clock, uint32_t place, uint32_t sm, uint64_t step,
                         uint64_t cycle) {
    const struct tma_timed_steps *timed = &clock->timed;
    struct tma_step_place *own = &clock->places[place];
    struct tma_step_sm *shared = &clock->sms[sm];
    if (step < timed->first || step > timed->last)
        return;
    if (step == timed->first) {
        shared->inside += !own->inside;
        own->inside = true;
        own->cycle = cycle;
        look_at(shared, cycle);
        return;
    }
    struct tma_step_rate *rate = &clock->rates[shared->running];
    uint64_t cycles = cycle > own->cycle ? cycle - own->cycle : 0;
    bool late = step - timed->first > (timed->last - timed->first) / 2;
    if (own->inside && shared->inside == shared->running && own->cycle >= shared->since)
        add(&rate->halves[late], cycles);
    add(&rate->any, cycles);
    own->cycle = cycle;
    if (step < timed->last)
        return;
    clock->loops[place * (clock->ctas_per_sm + 1) + shared->running]++;
    leave(clock, place, sm);
}

static uint64_t scaled(const struct tma_step_times *times, uint64_t steps) {
    return times->count == 0 ? 0
                             : (uint64_t)((unsigned __int128)times->cycles * steps / times->count);
}

/* So many steps with `ctas` CTAs on the SM. */
static struct tma_step_stretch stretch_of(const struct tma_step_rate *rate, uint64_t steps) {
    const struct tma_step_times *early = &rate->halves[0], *late = &rate->halves[1];
    if (early->count == 0 || late->count == 0)
        return (struct tma_step_stretch){scaled(&rate->any, steps), scaled(&rate->any, steps) / 10};
    uint64_t a = scaled(early, steps), b = scaled(late, steps);
    return (struct tma_step_stretch){b, a > b ? a - b : b - a};
}

struct tma_step_stretch tma_step_clock_stretch(const struct tma_step_clock *clock, uint32_t place,
                                               uint64_t steps) {
    struct tma_step_stretch sum = {0};
    for (uint32_t ctas = 0; ctas <= clock->ctas_per_sm; ctas++) {
        uint32_t loops = clock->loops[place * (clock->ctas_per_sm + 1) + ctas];
        struct tma_step_stretch part = stretch_of(&clock->rates[ctas], loops * steps);
        sum.cycles += part.cycles;
        sum.error_cycles += part.error_cycles;
    }
    return sum;
}
