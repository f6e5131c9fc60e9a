/* What CTAs do is a program: pipeline slots that refill themselves, roles, compiled code. This is
 * all that the runtime knows of it. The runtime owns what the hardware owns: places for CTAs,
 * clusters, the operations of the TMA units from their issue to their completion, time, and those
 * that observe a run.
 *
 * A CTA of a program has state machines, its actors, as many in each CTA. Actor number i of a run
 * is actor i % cta_actors of the place i / cta_actors. */
#pragma once

#include "engine/engine_module.h"
#include "engine/simulation.h"

struct tma_program {
    size_t cta_bytes; /* of its struct of a CTA, which begins with a struct tma_cta */
    size_t
        operation_bytes; /* of its struct of an operation, which begins with a struct tma_issued */
    unsigned stack_kib;  /* that the step of an actor needs */

    /* Starts a CTA at cta->start_cycle: sets running_actors, and signals the actors that are to
     * step. The other CTAs of the cluster have their numbers. */
    void (*start)(struct tma_cta *cta);

    /* Takes the transitions of an actor that are due at cycle `now`, and says what it waits for. */
    struct tma_wait (*step)(struct tma_simulation *simulation, uint32_t actor, uint64_t now);

    /* An operation has completed, or its copy has arrived in another CTA, `cta`. Warps see that at
     * `cycle`, which lies ahead only in a simulation that completes_ahead. */
    void (*complete)(struct tma_simulation *simulation, struct tma_issued *operation,
                     struct tma_cta *cta, const struct tma_completion *completion, uint64_t cycle);

    /* At the end of a cycle in which the scheduler was signalled, before it starts CTAs. May be
     * NULL. */
    void (*end_cycle)(struct tma_simulation *simulation, uint64_t now);

    /* Where it is. */
    void (*name)(const struct tma_simulation *simulation, uint32_t actor,
                 char name[TMA_ACTOR_NAME_BYTES]);
    /* Writes who issued an operation that faults: "CTA 2, role producer". */
    void (*describe)(struct tma_simulation *simulation, const struct tma_issued *operation,
                     char *text, size_t size);
    /* Writes what an actor waits for, where the run has a deadlock: "CTA 2 role producer waits for
     * ..."; false where it does not wait. */
    bool (*describe_wait)(struct tma_simulation *simulation, uint32_t actor, char *text,
                          size_t size);
    /* Why a deadlock of mbarriers happens; NULL: it can't say. */
    const char *(*explain_deadlock)(const struct tma_simulation *simulation);
    /* The cycle at which an actor did something last. */
    uint64_t (*last_cycle)(const struct tma_simulation *simulation, uint32_t actor);

    /* Brings into L2 what the same program, run just before, would have left there: see warm_l2.h.
     */
    void (*warm_up)(struct tma_simulation *simulation);

    /* Adds up the busy ticks of the units of all SMs. May be NULL. */
    void (*count_units)(const struct tma_simulation *simulation,
                        uint64_t units[TMA_TALLY_UNIT_COUNT]);
    /* The statements of the actors that have not ended. May be NULL. */
    uint64_t (*count_statements)(const struct tma_simulation *simulation);
    /* After a run that was interrupted: the cycle of what was done last. May be NULL. */
    uint64_t (*end_of_part)(const struct tma_simulation *simulation);
    /* Adds figures of its own to the result of a run that has ended. May be NULL. */
    void (*summarise)(struct tma_simulation *simulation,
                      const uint64_t units[TMA_TALLY_UNIT_COUNT]);

    const struct tma_sampled_program *sampled;
};
