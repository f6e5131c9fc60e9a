/* Finds out how long a step of a loop takes, where a run leaves most steps of each loop out.
 *
 * A loop is the steps of one output tile in one place for a CTA: those along K of a GEMM. Some of
 * its first steps are timed. CTAs of an SM share its units: while one of them begins or ends a
 * tile, the others are faster. A shortened loop has more of such times than a whole one. So a step
 * counts when all CTAs of its SM are within their timed steps for all of its time, by how many
 * they are.
 *
 * A round is one loop in each place. It ends in a place when its CTA ends or, where CTAs stay, when
 * the timed steps of its next tile begin. Rounds are timed apart: the first ones wait for lines
 * that later ones find in L2, and CTAs come out of step. */
#ifndef TMA_ENGINE_STEP_CLOCK_H
#define TMA_ENGINE_STEP_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Rounds that are told apart; all behind them count as the last one. */
enum { TMA_CLOCK_ROUNDS = 64 };

/* The steps of each loop that are timed: those that end with number first + 1 to last. */
struct tma_timed_steps {
    uint64_t first, last;
};

/* Steps that were timed. */
struct tma_step_times {
    uint64_t cycles, count;
};

/* With so many CTAs on an SM. */
struct tma_step_rate {
    struct tma_step_times halves[2]; /* while all were within timed steps: early and late steps */
    struct tma_step_times any;       /* the same or not */
};

/* A place for a CTA, and its SM. */
struct tma_step_place {
    bool running, inside; /* a CTA runs; it is within its timed steps */
    uint64_t cycle;       /* of its last step */
    uint32_t begun;       /* loops */
    uint32_t rounds;      /* that have ended, */
    uint64_t round_cycle; /* the last one then */
};

struct tma_step_sm {
    uint32_t running, inside; /* CTAs */
    uint64_t since;           /* the cycle from which on all that run have been inside */
};

struct tma_step_clock {
    struct tma_timed_steps timed;
    uint32_t place_count, sm_count, ctas_per_sm;
    bool stays;                                     /* CTAs stay, and take further tiles */
    struct tma_step_place *places;                  /* owned */
    struct tma_step_sm *sms;                        /* owned */
    struct tma_step_rate *rates;                    /* owned: by round and CTAs of an SM, from 0 */
    uint32_t *loops;                                /* owned: of each place, likewise */
    struct tma_step_times rounds[TMA_CLOCK_ROUNDS]; /* how long they took in all places */
};

/* False when out of memory. */
bool tma_step_clock_create(struct tma_step_clock *clock, struct tma_timed_steps timed,
                           uint32_t place_count, uint32_t sm_count, uint32_t ctas_per_sm);
void tma_step_clock_free(struct tma_step_clock *clock);

/* A CTA has started in a place, or has ended there. */
void tma_step_clock_start(struct tma_step_clock *clock, uint32_t place, uint32_t sm);
void tma_step_clock_end(struct tma_step_clock *clock, uint32_t place, uint32_t sm, uint64_t cycle);

/* The loop of a place begins step number `step`, from 0, at `cycle`. */
void tma_step_clock_pass(struct tma_step_clock *clock, uint32_t place, uint32_t sm, uint64_t step,
                         uint64_t cycle);

/* How long so many further steps of each loop would have taken in a place, as late steps do, and by
 * how much early ones differ over these. */
struct tma_step_stretch {
    uint64_t cycles, error_cycles;
};

struct tma_step_stretch tma_step_clock_stretch(const struct tma_step_clock *clock, uint32_t place,
                                               uint64_t steps);

/* The same for one loop of a round, on average. */
struct tma_step_stretch tma_step_clock_loop(const struct tma_step_clock *clock, uint32_t round,
                                            uint64_t steps);

/* How long a round like this one would have taken, with so many further steps. */
struct tma_step_stretch tma_step_clock_round(const struct tma_step_clock *clock, uint32_t round,
                                             uint64_t steps);

/* Whether the steps of a round, which is not the first one, and those of the round before it take
 * the same time. */
bool tma_step_clock_agrees(const struct tma_step_clock *clock, uint32_t round);

#endif
