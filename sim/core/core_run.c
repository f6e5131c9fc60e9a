#include "core/core_run.h"

#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "core/core_sample.h"
#include "core/core_sm.h"
#include "engine/sampling/sample_plan.h"
#include "memory/topology.h"

enum { GIVE_UPS = 4 };

/* Cycles for which warps may poll, and nothing else happens, before it is a deadlock. */
#define MOST_POLLING UINT64_C(20000000)

uint64_t tma_core_stall_sum(const uint64_t stalls[TMA_STALL_COUNT]) {
    uint64_t sum = 0;
    for (int i = 0; i < TMA_STALL_COUNT; ++i)
        sum += stalls[i];
    return sum;
}

const char *tma_core_stall_key(enum tma_core_stall stall) {
    static const char *const keys[] = {
#define KEY(name, key, text) [name] = key,
        TMA_CORE_STALLS(KEY)
#undef KEY
    };
    return keys[stall];
}

const char *tma_core_stall_text(enum tma_core_stall stall) {
    static const char *const texts[] = {
#define TEXT(name, key, text) [name] = text,
        TMA_CORE_STALLS(TEXT)
#undef TEXT
    };
    return texts[stall];
}

/* ---- ablation ---- */

void tma_core_pipe_part(enum tma_pipe pipe, char name[TMA_CORE_PART_BYTES]) {
    snprintf(name, TMA_CORE_PART_BYTES, "pipe.%s", tma_pipe_name(pipe));
    for (char *letter = name; *letter != '\0'; ++letter)
        *letter = *letter == ' ' ? '_' : *letter;
}

const char *tma_core_part(uint32_t number, char name[TMA_CORE_PART_BYTES]) {
    if (number < TMA_LOWERING_RULE_COUNT) {
        snprintf(name, TMA_CORE_PART_BYTES, "%s", tma_lowering_key((enum tma_lowering_rule)number));
        return tma_lowering_text((enum tma_lowering_rule)number);
    }
    number -= TMA_LOWERING_RULE_COUNT;
    if (number == TMA_PIPE_COUNT) {
        snprintf(name, TMA_CORE_PART_BYTES, "order");
        return "instructions go before others that wait for operands, inside a block";
    }
    if (number > TMA_PIPE_COUNT)
        return NULL;
    tma_core_pipe_part((enum tma_pipe)number, name);
    return "the cycles for which this pipe takes no other instruction of its scheduler";
}

bool tma_core_ablate(struct tma_core_ablation *ablation, const char *part) {
    char name[TMA_CORE_PART_BYTES];
    for (uint32_t number = 0; tma_core_part(number, name) != NULL; ++number) {
        if (strcmp(name, part) != 0)
            continue;
        if (number < TMA_LOWERING_RULE_COUNT)
            ablation->rules.off[number] = true;
        else if (number < TMA_LOWERING_RULE_COUNT + TMA_PIPE_COUNT)
            ablation->pipes[number - TMA_LOWERING_RULE_COUNT] = true;
        else
            ablation->order = true;
        return true;
    }
    return false;
}

/* ---- the grid ---- */

static struct tma_core_sm *sm_of(struct tma_core_run *run, uint32_t number) {
    for (uint32_t i = 0; i < run->sm_count; ++i)
        if (run->sms[i].number == number)
            return &run->sms[i];
    struct tma_core_sm *sm = &run->sms[run->sm_count++];
    sm->run = run;
    sm->number = number;
    sm->next_cycle = TMA_NEVER;
    return sm;
}

static bool create_place(struct tma_core_run *run, struct tma_core_cluster *place,
                         const uint32_t *sms) {
    uint32_t warps = run->cluster_ctas * run->cta_warps;
    place->warps = tma_arena_take(&run->arena, warps, sizeof *place->warps);
    place->groups =
        tma_allocate((size_t)run->cluster_ctas * tma_core_warpgroups(run), sizeof *place->groups);
    if (place->warps == NULL || place->groups == NULL)
        return false;
    for (uint32_t i = 0; i < run->cluster_ctas; ++i) {
        uint32_t reserved = run->machine->sm.reserved_bytes;
        place->sms[i] = sm_of(run, sms[i]);
        place->bases[i] =
            reserved +
            place->sms[i]->ctas * ((uint32_t)tma_stepper_shared_bytes(run->stepper) + reserved);
        ++place->sms[i]->ctas;
    }
    for (uint32_t i = 0; i < warps; ++i) {
        struct tma_core_warp *warp = &place->warps[i];
        warp->registers = tma_arena_take(&run->arena, run->registers, sizeof *warp->registers);
        if (warp->registers == NULL)
            return false;
    }
    return true;
}

static enum tma_error_code create(struct tma_core_run *run, struct tma_error *error) {
    const struct tma_ptx_launch *launch = run->launch;
    struct tma_core_result *result = run->result;
    run->cluster_ctas = tma_stepper_cluster_ctas(run->stepper);
    run->cta_warps = tma_stepper_cta_warps(run->stepper);
    run->registers = tma_stepper_registers(run->stepper);
    uint64_t ctas = tma_ptx_count(launch->grid);
    run->grid_clusters = ctas / run->cluster_ctas;
    uint32_t *sms = tma_allocate(TMA_MAX_PLACES, sizeof *sms);
    uint64_t *cycles = tma_allocate(TMA_MAX_PLACES, sizeof *cycles);
    run->sms = tma_allocate(run->machine->sm_count, sizeof *run->sms);
    enum tma_error_code code = TMA_OK;
    if (sms == NULL || cycles == NULL || run->sms == NULL) {
        code = tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    } else {
        result->ctas_per_sm = launch->ctas_per_sm;
        if (result->ctas_per_sm == 0)
            result->ctas_per_sm = tma_machine_ctas_per_sm(
                run->machine, run->cta_warps * 32, launch->registers == 0 ? 32 : launch->registers,
                tma_stepper_shared_bytes(run->stepper));
        struct tma_grid grid = {.ctas = ctas,
                                .cluster_ctas = run->cluster_ctas > 1 ? run->cluster_ctas : 0,
                                .ctas_per_sm = result->ctas_per_sm};
        uint32_t places = tma_machine_place_wave(run->machine, &grid, sms);
        if (places == 0)
            code = tma_fail(error, TMA_ERROR_ARGUMENT,
                            "no SM, or no GPC, has room for the kernel's CTAs");
        tma_machine_launch(run->machine, sms, places, run->cluster_ctas, run->cta_warps, cycles);
        run->cluster_count = places / run->cluster_ctas;
        run->clusters = tma_allocate(run->cluster_count + 1, sizeof *run->clusters);
        if (run->clusters == NULL)
            code = tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
        for (uint32_t i = 0; code == TMA_OK && i < run->cluster_count; ++i) {
            /* Only the first CTAs of SMs start at the pace of their GPC. */
            uint32_t place = i * run->cluster_ctas;
            run->clusters[i].free_cycle = place < places / result->ctas_per_sm ? cycles[place] : 0;
            if (!create_place(run, &run->clusters[i], &sms[i * run->cluster_ctas]))
                code = tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
        }
        for (uint32_t i = 0; code == TMA_OK && i < run->sm_count; ++i)
            for (uint32_t s = 0; s < TMA_SCHEDULERS; ++s) {
                run->sms[i].schedulers[s].warps =
                    tma_allocate((size_t)run->sms[i].ctas * run->cta_warps,
                                 sizeof *run->sms[i].schedulers[s].warps);
                if (run->sms[i].schedulers[s].warps == NULL)
                    code = tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
            }
        result->sms = run->sm_count;
        result->waves = places == 0 ? 0 : (uint32_t)((ctas + places - 1) / places);
    }
    TMA_RELEASE(sms, cycles);
    return code;
}

/* The cycle at which the GPU starts the next cluster in a place. */
static uint64_t take_turn(struct tma_core_run *run, const struct tma_core_cluster *place) {
    uint64_t ticks = tma_later(run->launch_ticks, place->free_cycle * TMA_TICKS);
    run->launch_ticks =
        ticks +
        run->cluster_ctas * tma_millicycles_to_ticks(run->machine->core.cta_interval_millicycles);
    return ticks / TMA_TICKS;
}

static bool start_cluster(struct tma_core_run *run, struct tma_core_cluster *place) {
    uint64_t cycle = take_turn(run, place);
    place->number = run->next_cluster++;
    place->cluster = tma_stepper_start(run->stepper, place->number);
    if (place->cluster == NULL)
        return false;
    ++place->generation;
    place->running = run->cluster_ctas * run->cta_warps;
    memset(place->groups, 0,
           (size_t)run->cluster_ctas * tma_core_warpgroups(run) * sizeof *place->groups);
    for (uint32_t rank = 0; rank < run->cluster_ctas; ++rank) {
        struct tma_core_warp *warps = &place->warps[(size_t)rank * run->cta_warps];
        for (uint32_t i = 0; i < run->cta_warps; ++i) {
            uint64_t *registers = warps[i].registers;
            memset(registers, 0, run->registers * sizeof *registers);
            warps[i] = (struct tma_core_warp){.warp = tma_stepper_warp(place->cluster, rank, i),
                                              .cluster = place,
                                              .rank = rank,
                                              .index = i,
                                              .generation = place->generation,
                                              .next = UINT32_MAX,
                                              .cause = TMA_CORE_NO_CAUSE,
                                              .ready_cause = TMA_CORE_NO_CAUSE,
                                              .block_cause = TMA_CORE_NO_CAUSE,
                                              .registers = registers};
        }
        tma_core_sm_add(place->sms[rank], warps, run->cta_warps, cycle);
    }
    if (run->sampling != NULL)
        tma_core_sample_begin(run, place);
    return true;
}

static void end_cluster(struct tma_core_run *run, struct tma_core_cluster *place) {
    for (uint32_t rank = 0; rank < run->cluster_ctas; ++rank)
        tma_core_sm_remove(place->sms[rank], &place->warps[(size_t)rank * run->cta_warps],
                           run->cta_warps);
    if (run->sampling != NULL)
        tma_core_sample_end(run, place);
    tma_stepper_end(run->stepper, place->cluster);
    place->cluster = NULL;
    ++place->generation;
    place->free_cycle += run->machine->warp.launch_cycles;
    ++run->ended_clusters;
}

/* ---- time ---- */

/* Nothing will happen: ends the waits of try_wait, as hardware does after a time. False: no warp
 * has such a wait. */
static bool give_up(struct tma_core_run *run, uint64_t cycle) {
    bool any = false;
    for (uint32_t c = 0; c < run->cluster_count; ++c) {
        struct tma_core_cluster *place = &run->clusters[c];
        for (uint32_t i = 0; place->cluster != NULL && i < run->cluster_ctas * run->cta_warps; ++i)
            if (place->warps[i].state == TMA_CORE_PARKED)
                tma_stepper_give_up(place->warps[i].warp);
        for (uint32_t rank = 0; place->cluster != NULL && rank < run->cluster_ctas; ++rank) {
            tma_core_signal(run, place, rank, cycle, TMA_CORE_NO_CAUSE);
            any |= place->sms[rank]->next_cycle != TMA_NEVER;
        }
    }
    return any;
}

static enum tma_error_code report_deadlock(struct tma_core_run *run, struct tma_error *error) {
    struct tma_ptx_cluster **clusters = tma_allocate(run->cluster_count + 1, sizeof(void *));
    uint32_t count = 0;
    if (clusters == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    for (uint32_t i = 0; i < run->cluster_count; ++i)
        if (run->clusters[i].cluster != NULL)
            clusters[count++] = run->clusters[i].cluster;
    tma_stepper_deadlock(run->stepper, clusters, count);
    tma_release(clusters);
    run->failed = true;
    return TMA_OK;
}

static bool interrupted(const struct tma_core_run *run, const struct tma_ptx_options *options) {
    return options != NULL && options->progress != NULL &&
           !options->progress(options->context, run->ended_clusters * run->cluster_ctas,
                              run->grid_clusters * run->cluster_ctas);
}

static enum tma_error_code simulate(struct tma_core_run *run, const struct tma_ptx_options *options,
                                    struct tma_error *error) {
    uint64_t window = tma_machine_completion_cycles(run->machine), now = 0, rounds = 0;
    uint32_t give_ups = 0;
    while (run->ended_clusters < run->grid_clusters) {
        uint64_t next = TMA_NEVER;
        for (uint32_t i = 0; i < run->cluster_count; ++i) {
            struct tma_core_cluster *place = &run->clusters[i];
            if (place->cluster != NULL && place->running == 0)
                end_cluster(run, place);
            if (place->cluster == NULL && run->next_cluster < run->grid_clusters &&
                !start_cluster(run, place))
                return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
        }
        if (run->sampling != NULL)
            tma_core_sample_look(run, now);
        for (uint32_t i = 0; i < run->sm_count; ++i)
            if (run->sms[i].next_cycle < next)
                next = run->sms[i].next_cycle;
        bool idle = run->issue_count == 0 && tma_memory_in_flight(run->memory) == 0;
        if (next == TMA_NEVER && idle) {
            if (run->ended_clusters == run->grid_clusters)
                break;
            if (give_ups++ == GIVE_UPS || !give_up(run, now + 1))
                return report_deadlock(run, error);
            continue;
        }
        if (idle && next > now)
            now = next;
        if (now > run->progress_cycle + MOST_POLLING)
            return report_deadlock(run, error);
        now += window;
        for (uint32_t i = 0; i < run->sm_count; ++i) {
            for (uint32_t ahead = 1; ahead <= TMA_CORE_PREFETCHES && i + ahead < run->sm_count;
                 ++ahead)
                if (run->sms[i + ahead].next_cycle < now)
                    tma_core_sm_prefetch(&run->sms[i + ahead], ahead, now);
            if (run->sms[i].next_cycle < now)
                tma_core_sm_step(&run->sms[i], now);
        }
        tma_core_advance(run, now);
        if (run->out_of_memory)
            return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
        if (run->failed)
            return TMA_OK;
        if (++rounds % 4096 == 0 && interrupted(run, options))
            return tma_fail(error, TMA_ERROR_INTERRUPTED, "the caller ended it");
    }
    return TMA_OK;
}

static void free_instructions(struct tma_core_run *run) {
    for (size_t i = 0; i < run->launch->module->instruction_count; ++i) {
        struct tma_core_instruction *planned = &run->plan.instructions[i];
        if (!run->relief->free[i])
            continue;
        planned->is_free = true;
        planned->issues = 0;
        planned->latency = 0;
        planned->serialised = false;
        memset(planned->uses, 0, sizeof planned->uses);
    }
}

static void sum_stalls(struct tma_core_result *result, size_t instruction_count) {
    for (size_t i = 0; i < instruction_count; ++i)
        for (int s = 0; s < TMA_STALL_COUNT; ++s)
            result->stalls[s] += result->line_stalls[i][s];
}

static void release(struct tma_core_run *run) {
    for (uint32_t i = 0; run->clusters != NULL && i < run->cluster_count; ++i) {
        struct tma_core_cluster *place = &run->clusters[i];
        if (place->cluster != NULL)
            tma_stepper_end(run->stepper, place->cluster);
        tma_release(place->groups);
    }
    for (uint32_t i = 0; i < run->sm_count; ++i)
        tma_core_sm_free(&run->sms[i]);
    TMA_RELEASE(run->sms, run->clusters);
    tma_arena_free(&run->arena);
    TMA_RELEASE(run->pending, run->issues, run->map_addresses, run->step.transfers);
    tma_core_sample_free(run);
    tma_core_plan_free(&run->plan);
    tma_memory_free(run->memory);
}

enum tma_error_code tma_core_run(const struct tma_machine *machine,
                                 const struct tma_ptx_launch *launch,
                                 const struct tma_ptx_options *options,
                                 struct tma_ptx_result *executed, struct tma_core_result *result,
                                 struct tma_error *error) {
    struct tma_core_run run = {.machine = machine,
                               .launch = launch,
                               .result = result,
                               .executed = executed,
                               .free_pending = UINT32_MAX};
    run.timeline = options == NULL ? NULL : options->timeline;
    run.relief = options == NULL ? NULL : options->relief;
    run.in_order = launch->sass != NULL ||
                   (options != NULL && options->ablation != NULL && options->ablation->order);
    /* The CTAs that launch_empty was measured with store a number each: the run has this way. */
    uint32_t empty = machine->topology.launch_empty_cycles, way = tma_machine_write_cycles(machine);
    *result = (struct tma_core_result){.launch_cycles = empty > way ? empty - way : 0};
    enum tma_error_code code = tma_stepper_create(launch, options, executed, &run.stepper, error);
    if (code == TMA_OK)
        code = tma_core_plan_create(machine, launch, run.stepper,
                                    options == NULL ? NULL : options->ablation, &run.plan, result,
                                    error);
    if (code == TMA_OK && run.relief != NULL && run.relief->free != NULL)
        free_instructions(&run);
    if (code == TMA_OK)
        code = tma_memory_create(&run.memory, machine, error);
    if (code == TMA_OK) {
        result->line_stalls =
            tma_allocate(launch->module->instruction_count + 1, sizeof *result->line_stalls);
        result->waits = tma_allocate(launch->module->instruction_count + 1, sizeof *result->waits);
        if (result->line_stalls == NULL || result->waits == NULL)
            code = tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    }
    if (code == TMA_OK)
        code = create(&run, error);
    if (code == TMA_OK && options != NULL && options->sample_from != 0)
        code = tma_core_sample_create(&run, options->sample_from, error);
    if (code == TMA_OK) {
        tma_memory_follow_load(run.memory);
        tma_memory_carve_out(
            run.memory, (uint64_t)result->ctas_per_sm *
                            (tma_stepper_shared_bytes(run.stepper) + machine->sm.reserved_bytes));
        code = simulate(&run, options, error);
    }
    if (code == TMA_OK && !tma_core_drain(&run))
        code = tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    if (code == TMA_OK) {
        result->cycles = run.last_cycle;
        result->memory = tma_memory_count(run.memory);
        for (uint32_t i = 0; i < run.sm_count; ++i) {
            result->issue_slots += run.sms[i].issue_slots;
            result->tensor_cycles += run.sms[i].tensor.busy_ticks / TMA_TICKS;
        }
        if (run.sampling != NULL && !run.failed)
            tma_core_sample_finish(&run, executed);
        sum_stalls(result, launch->module->instruction_count);
    }
    release(&run);
    code = tma_stepper_free(run.stepper, code);
    if (code != TMA_OK)
        tma_core_result_free(result);
    return code;
}

bool tma_core_is_rough(const struct tma_core_result *result) {
    return result->sampled_cycles > 0 &&
           tma_estimate_is_rough(result->error_cycles, result->cycles);
}

void tma_core_result_free(struct tma_core_result *result) {
    TMA_RELEASE(result->line_stalls, result->waits);
    result->line_stalls = NULL;
    result->waits = NULL;
}
