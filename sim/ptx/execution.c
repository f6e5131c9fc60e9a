/* A launch from its first CTA to its last: memory, clusters, waits for each other, results. */
#include "ptx/execution.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/allocation.h"
#include "ptx/check_calls.h"
#include "ptx/execution_state.h"

enum {
    QUANTUM = 4096, /* warp instructions of a warp's turn */
    MAX_SHARED_BYTES = 232448,
    IDLE_ROUNDS = 64, /* in which a cluster only polls, before others have their turns */
    SPIN_ROUNDS = 16, /* in which it runs and changes nothing that others see */
    IDLE_PASSES = 3,  /* over all clusters, before it is a deadlock */
    SPIN_PASSES = 200
};

/* ---- the launch fits the function ---- */

/* ptxas keeps setmaxnreg if the kernel says how many registers a thread has (.maxnreg), or how many
 * CTAs an SM must hold: then a thread has all registers that this leaves it. 0: not known. */
static uint32_t registers_at_entry(const struct tma_ptx_launch *given,
                                   const struct tma_ptx_function *entry) {
    enum { REGISTERS_OF_SM = 65536, MOST = 256, UNIT = 8 };
    uint64_t threads = entry->minimum_ctas;
    for (int axis = 0; axis < 3; ++axis) {
        uint32_t required = entry->required_threads[axis], most = entry->maximum_threads[axis];
        threads *= required != 0 ? required : most != 0 ? most : 1;
    }
    if (entry->maximum_registers == 0 && threads == 0)
        return 0;
    uint64_t registers = given->registers;
    if (registers == 0)
        registers = entry->maximum_registers;
    if (registers == 0)
        registers = REGISTERS_OF_SM / threads / UNIT * UNIT;
    registers = (registers + UNIT - 1) / UNIT * UNIT;
    return registers < MOST ? (uint32_t)registers : MOST;
}

static enum tma_error_code check(struct tma_executor *launch) {
    const struct tma_ptx_launch *given = launch->launch;
    const struct tma_ptx_module *module = launch->module;
    struct tma_error *error = launch->error;
    if (given->function >= module->function_count || !module->functions[given->function].is_entry)
        return tma_fail(error, TMA_ERROR_ARGUMENT, "function %u is no entry of the module",
                        given->function);
    const struct tma_ptx_function *entry = &module->functions[given->function];
    uint64_t threads = 1, ctas = 1, cluster = 1;
    for (int axis = 0; axis < 3; ++axis) {
        if (given->grid[axis] == 0 || given->block[axis] == 0 || given->cluster[axis] == 0)
            return tma_fail(error, TMA_ERROR_ARGUMENT, "grid, block and cluster are at least 1");
        if (given->grid[axis] % given->cluster[axis] != 0)
            return tma_fail(error, TMA_ERROR_ARGUMENT,
                            "the grid's size %u is no multiple of the cluster's size %u",
                            given->grid[axis], given->cluster[axis]);
        threads *= given->block[axis] > 4096 ? 4096 : given->block[axis];
        ctas *= given->grid[axis];
        cluster *= given->cluster[axis];
        if (entry->required_threads[axis] != 0 &&
            entry->required_threads[axis] != given->block[axis])
            return tma_fail(error, TMA_ERROR_ARGUMENT,
                            "%s needs %u x %u x %u threads (.reqntid); the launch has %u x %u x %u",
                            entry->name, entry->required_threads[0], entry->required_threads[1],
                            entry->required_threads[2], given->block[0], given->block[1],
                            given->block[2]);
        if (entry->required_cluster[axis] != 0 &&
            entry->required_cluster[axis] != given->cluster[axis])
            return tma_fail(error, TMA_ERROR_ARGUMENT,
                            "%s needs clusters of %u x %u x %u CTAs; the launch has %u x %u x %u",
                            entry->name, entry->required_cluster[0], entry->required_cluster[1],
                            entry->required_cluster[2], given->cluster[0], given->cluster[1],
                            given->cluster[2]);
    }
    uint64_t most = 1;
    for (int axis = 0; axis < 3; ++axis)
        most *= entry->maximum_threads[axis] == 0 ? 1 : entry->maximum_threads[axis];
    if (threads > 1024 || (entry->maximum_threads[0] != 0 && threads > most))
        return tma_fail(
            error, TMA_ERROR_ARGUMENT, "%llu threads in a CTA; %s allows %llu",
            (unsigned long long)threads, entry->name,
            (unsigned long long)(entry->maximum_threads[0] != 0 && most < 1024 ? most : 1024));
    if (cluster > TMA_PTX_MAX_CLUSTER_CTAS)
        return tma_fail(error, TMA_ERROR_ARGUMENT, "%llu CTAs in a cluster; 1 to %d are allowed",
                        (unsigned long long)cluster, TMA_PTX_MAX_CLUSTER_CTAS);
    uint64_t shared = entry->shared_bytes + given->dynamic_shared;
    if (shared > MAX_SHARED_BYTES)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "%llu bytes of shared memory (%llu static, %u dynamic); a CTA has up to "
                        "232448",
                        (unsigned long long)shared, (unsigned long long)entry->shared_bytes,
                        given->dynamic_shared);
    if (ctas > UINT32_MAX)
        return tma_fail(error, TMA_ERROR_ARGUMENT, "%llu CTAs; up to 4294967295 are allowed",
                        (unsigned long long)ctas);
    launch->registers = registers_at_entry(given, entry);
    launch->threads = (uint32_t)threads;
    launch->cluster_ctas = (uint32_t)cluster;
    launch->shared_bytes = launch->reserved_at = (uint32_t)shared;
    return TMA_OK;
}

/* ---- memory ---- */

static int by_address(const void *a, const void *b) {
    uint64_t x = ((const struct tma_region *)a)->address,
             y = ((const struct tma_region *)b)->address;
    return x < y ? -1 : x > y;
}

/* The generic address of a variable, for initialisers; 0 for spaces without one. */
static uint64_t generic_address(const struct tma_executor *launch, uint32_t variable) {
    uint64_t address = launch->variable_addresses[variable];
    switch (launch->module->variables[variable].space) {
    case TMA_PTX_CONST:
        return address + TMA_WINDOW_CONST;
    case TMA_PTX_SHARED:
        return address + TMA_WINDOW_SHARED;
    case TMA_PTX_LOCAL:
        return address + TMA_WINDOW_LOCAL;
    case TMA_PTX_PARAM:
        return address + TMA_WINDOW_PARAM;
    case TMA_PTX_GLOBAL:
    case TMA_PTX_GENERIC:
        break;
    }
    return address;
}

/* Gives the module's .global and .const variables memory, and lists the buffers. */
static enum tma_error_code set_up_memory(struct tma_executor *launch) {
    const struct tma_ptx_module *module = launch->module;
    const struct tma_ptx_launch *given = launch->launch;
    uint64_t global = 0, constant = 64;
    uint32_t count = given->buffer_count;
    launch->variable_addresses =
        tma_allocate(module->variable_count + 1, sizeof *launch->variable_addresses);
    if (launch->variable_addresses == NULL)
        return tma_fail(launch->error, TMA_ERROR_MEMORY, "out of memory");
    for (size_t v = 0; v < module->variable_count; ++v) {
        const struct tma_ptx_variable *variable = &module->variables[v];
        uint64_t alignment = variable->alignment > 16 ? variable->alignment : 16;
        uint64_t *end = variable->space == TMA_PTX_GLOBAL  ? &global
                        : variable->space == TMA_PTX_CONST ? &constant
                                                           : NULL;
        if (end == NULL || variable->bytes > UINT64_C(1) << 32)
            continue;
        *end = (*end + alignment - 1) & ~(alignment - 1);
        launch->variable_addresses[v] = *end + (end == &global ? TMA_VARIABLES : 0);
        *end += variable->bytes;
        count += end == &global;
        if (*end > UINT64_C(1) << 32)
            return tma_fail(launch->error, TMA_ERROR_ARGUMENT,
                            "the module's variables have more than 4 GiB");
    }
    launch->workspace = TMA_VARIABLES + (global = (global + 15) & ~UINT64_C(15));
    global += TMA_WORKSPACE_BYTES;
    launch->owned = tma_allocate(global + constant + 8, 1);
    launch->globals = tma_allocate((size_t)count + 1, sizeof *launch->globals);
    if (launch->owned == NULL || launch->globals == NULL)
        return tma_fail(launch->error, TMA_ERROR_MEMORY, "out of memory");
    launch->constant = (struct tma_region){.name = "constant memory",
                                           .size = constant,
                                           .bytes = launch->owned + global,
                                           .read_only = true};
    for (uint32_t i = 0; i < given->buffer_count; ++i) {
        const struct tma_ptx_buffer *buffer = &given->buffers[i];
        bool tainted = false;
        for (uint64_t b = 0; buffer->opaque != NULL && b < (buffer->size + 7) / 8; ++b)
            tainted |= buffer->opaque[b] != 0;
        launch->globals[launch->global_count++] =
            (struct tma_region){.name = buffer->name,
                                .address = buffer->address,
                                .size = buffer->size,
                                .bytes = buffer->contents,
                                .opaque = buffer->contents != NULL ? buffer->opaque : NULL,
                                .origin = (uint16_t)(TMA_ORIGIN_BUFFER + (i < 60000 ? i : 60000)),
                                .tainted = tainted};
    }
    for (size_t v = 0; v < module->variable_count; ++v) {
        const struct tma_ptx_variable *variable = &module->variables[v];
        bool is_global = variable->space == TMA_PTX_GLOBAL;
        if ((!is_global && variable->space != TMA_PTX_CONST) || variable->bytes == 0)
            continue;
        uint64_t address = launch->variable_addresses[v];
        uint8_t *bytes = launch->owned + (is_global ? address - TMA_VARIABLES : global + address);
        if (variable->contents != NULL)
            memcpy(bytes, variable->contents, variable->bytes);
        if (is_global && !variable->is_extern)
            launch->globals[launch->global_count++] = (struct tma_region){.name = variable->name,
                                                                          .address = address,
                                                                          .size = variable->bytes,
                                                                          .bytes = bytes};
    }
    launch->globals[launch->global_count++] =
        (struct tma_region){.name = "the grid's workspace",
                            .address = launch->workspace,
                            .size = TMA_WORKSPACE_BYTES,
                            .bytes = launch->owned + (launch->workspace - TMA_VARIABLES)};
    qsort(launch->globals, launch->global_count, sizeof *launch->globals, by_address);
    for (uint32_t i = 1; i < launch->global_count; ++i)
        if (launch->globals[i].address - launch->globals[i - 1].address <
            launch->globals[i - 1].size)
            return tma_fail(launch->error, TMA_ERROR_ARGUMENT, "the buffers %s and %s overlap",
                            launch->globals[i - 1].name, launch->globals[i].name);
    const struct tma_ptx_function *entry = &module->functions[given->function];
    launch->parameters = (struct tma_region){
        .name = "the parameters", .size = entry->parameter_bytes, .read_only = true};
    /* Parameters are read alone: nothing writes through this pointer. */
    const uint8_t *parameters = given->parameters;
    memcpy(&launch->parameters.bytes, &parameters, sizeof parameters);
    if (entry->parameter_bytes != 0 && parameters == NULL)
        return tma_fail(launch->error, TMA_ERROR_ARGUMENT, "%s has %llu bytes of parameters",
                        entry->name, (unsigned long long)entry->parameter_bytes);
    launch->maps = tma_allocate(TMA_MAP_ENTRIES, sizeof *launch->maps);
    if (launch->maps == NULL)
        return tma_fail(launch->error, TMA_ERROR_MEMORY, "out of memory");
    return TMA_OK;
}

/* Fills in the addresses in initialisers, which are known when the launch is prepared. */
static void relocate(struct tma_executor *launch) {
    const struct tma_ptx_module *module = launch->module;
    uint8_t *constants = launch->constant.bytes;
    for (size_t v = 0; v < module->variable_count; ++v) {
        const struct tma_ptx_variable *variable = &module->variables[v];
        uint64_t address = launch->variable_addresses[v];
        uint8_t *bytes = variable->space == TMA_PTX_GLOBAL
                             ? launch->owned + (address - TMA_VARIABLES)
                         : variable->space == TMA_PTX_CONST ? constants + address
                                                            : NULL;
        for (uint32_t r = 0; bytes != NULL && r < variable->relocation_count; ++r) {
            const struct tma_ptx_relocation *relocation =
                &module->relocations[variable->first_relocation + r];
            uint64_t value = relocation->is_function ? relocation->number + 1
                             : relocation->generic   ? generic_address(launch, relocation->number)
                                                   : launch->variable_addresses[relocation->number];
            value = (value + (uint64_t)relocation->addend) >> relocation->shift;
            if (relocation->bytes <= 8 && relocation->at + relocation->bytes <= variable->bytes)
                memcpy(bytes + relocation->at, &value, relocation->bytes);
        }
    }
}

/* ---- the grid ---- */

enum outcome { ENDED, WAITS, SPINS, FAILED, INTERRUPTED };

static bool interrupted(struct tma_executor *launch) {
    const struct tma_ptx_options *options = launch->options;
    const struct tma_ptx_launch *given = launch->launch;
    return options->progress != NULL &&
           !options->progress(options->context, launch->result->ended_ctas,
                              tma_ptx_count(given->grid));
}

/* Runs a cluster until it has ended, or waits for others. */
static enum outcome run_cluster(struct tma_executor *launch, struct tma_ptx_cluster *cluster) {
    uint32_t idle = 0, spins = 0;
    for (uint32_t round = 1;; ++round) {
        uint64_t before = launch->changes;
        bool quantum = false;
        for (uint32_t i = 0; i < cluster->cta_count; ++i) {
            struct tma_ptx_cta *cta = &cluster->ctas[i];
            for (uint32_t w = 0; w < cta->warp_count; ++w) {
                if (cta->warps[w].exited)
                    continue;
                enum tma_turn turn = tma_run_warp(&cta->warps[w], QUANTUM);
                if (turn == TMA_TURN_FAILED)
                    return FAILED;
                quantum |= turn == TMA_TURN_QUANTUM;
            }
        }
        if (tma_cluster_ended(cluster))
            return ENDED;
        if (round % 256 == 0 && interrupted(launch))
            return INTERRUPTED;
        if (launch->changes != before) {
            idle = spins = 0;
        } else if (quantum) {
            if (++spins == SPIN_ROUNDS)
                return SPINS;
        } else {
            if (++idle == IDLE_ROUNDS)
                return WAITS;
            for (uint32_t i = 0; i < cluster->cta_count; ++i)
                for (uint32_t w = 0; w < cluster->ctas[i].warp_count; ++w)
                    tma_give_up(&cluster->ctas[i].warps[w]);
        }
    }
}

/* Every warp waits, or spins: says who waits for what. */
void tma_report_deadlock(struct tma_executor *launch, struct tma_ptx_cluster *const *active,
                         uint32_t count) {
    launch->failed = true;
    launch->result->failure = TMA_PTX_DEADLOCK;
    for (uint32_t c = 0; c < count; ++c)
        for (uint32_t i = 0; i < active[c]->cta_count; ++i)
            for (uint32_t w = 0; w < active[c]->ctas[i].warp_count; ++w) {
                struct tma_warp *warp = &active[c]->ctas[i].warps[w];
                for (uint32_t p = 0; p < warp->path_count && !warp->exited; ++p) {
                    const struct tma_path *path = &warp->paths[p];
                    struct tma_ptx_wait wait = path->wait;
                    char text[400];
                    uint32_t pc = path->pc;
                    if (!path->parked && path->poll.kind != TMA_WAIT_NOTHING) {
                        wait = path->poll; /* it polls in a loop */
                        pc = path->poll_pc;
                    }
                    if (wait.kind == TMA_WAIT_NOTHING)
                        snprintf(text, sizeof text,
                                 "something that no one changes: it polls, or runs in a loop");
                    else
                        tma_wait_text(warp, &wait, text, sizeof text);
                    tma_note(launch, warp, pc, UINT32_MAX, "deadlock",
                             "warp %u of CTA (%u, %u, %u), lanes 0x%x, waits for %s", warp->index,
                             warp->cta->id[0], warp->cta->id[1], warp->cta->id[2], path->lanes,
                             text);
                }
            }
}

/* Runs all clusters. Fails with TMA_ERROR_MEMORY or TMA_ERROR_INTERRUPTED. */
static enum tma_error_code run_grid(struct tma_executor *launch) {
    const struct tma_ptx_launch *given = launch->launch;
    uint64_t ctas = tma_ptx_count(given->grid);
    uint64_t clusters = ctas / launch->cluster_ctas, next = 0;
    uint32_t resident = given->resident_ctas / launch->cluster_ctas, count = 0, passes = 0;
    if (resident == 0)
        resident = 1;
    if (resident > clusters)
        resident = (uint32_t)clusters;
    struct tma_ptx_cluster *unused = NULL, **active = tma_allocate(resident, sizeof(void *));
    enum tma_error_code code = TMA_OK;
    if (active == NULL)
        return tma_fail(launch->error, TMA_ERROR_MEMORY, "out of memory");
    while (code == TMA_OK && !launch->failed) {
        uint64_t before = launch->changes;
        bool spins = false, grown = false;
        if (count == 0) {
            if (next == clusters)
                break;
            active[0] = tma_start_cluster(launch, &unused, next++);
            if (active[0] == NULL) {
                code = tma_fail(launch->error, TMA_ERROR_MEMORY, "out of memory");
                break;
            }
            count = 1;
        }
        for (uint32_t i = 0; i < count && code == TMA_OK && !launch->failed;) {
            enum outcome outcome = run_cluster(launch, active[i]);
            if (outcome == INTERRUPTED) {
                code = tma_fail(launch->error, TMA_ERROR_INTERRUPTED, "the caller ended it");
            } else if (outcome == ENDED) {
                launch->result->ended_ctas += launch->cluster_ctas;
                tma_watch_end(active[i], true);
                active[i]->next = unused;
                unused = active[i];
                for (uint32_t j = i + 1; j < count; ++j)
                    active[j - 1] = active[j];
                --count;
                if (interrupted(launch))
                    code = tma_fail(launch->error, TMA_ERROR_INTERRUPTED, "the caller ended it");
            } else {
                spins |= outcome == SPINS;
                ++i;
            }
        }
        if (code != TMA_OK || launch->failed || count == 0)
            continue;
        /* All that are resident wait: perhaps for one that has not begun. */
        if (count < resident && next < clusters && launch->changes == before) {
            active[count] = tma_start_cluster(launch, &unused, next++);
            if (active[count] == NULL)
                code = tma_fail(launch->error, TMA_ERROR_MEMORY, "out of memory");
            else
                ++count;
            grown = true;
        }
        if (grown || launch->changes != before)
            passes = 0;
        else if (++passes >= (spins ? SPIN_PASSES : IDLE_PASSES))
            tma_report_deadlock(launch, active, count);
    }
    for (uint32_t i = 0; i < count; ++i)
        tma_free_cluster(active[i]);
    while (unused != NULL) {
        struct tma_ptx_cluster *following = unused->next;
        tma_free_cluster(unused);
        unused = following;
    }
    tma_release(active);
    return code;
}

enum tma_error_code tma_open_launch(struct tma_executor *executor) {
    struct tma_ptx_result *result = executor->result;
    memset(result, 0, sizeof *result);
    enum tma_error_code code = check(executor);
    if (code == TMA_OK) {
        result->lines =
            tma_allocate(executor->module->instruction_count + 1, sizeof *result->lines);
        if (result->lines == NULL)
            code = tma_fail(executor->error, TMA_ERROR_MEMORY, "out of memory");
    }
    if (code == TMA_OK)
        code = set_up_memory(executor);
    if (code == TMA_OK)
        code = tma_prepare(executor);
    if (code == TMA_OK)
        relocate(executor);
    if (code == TMA_OK && executor->specials[TMA_PTX_SREG_RESERVED_SMEM_OFFSET_1].offset != 0) {
        executor->reserved_at = (executor->shared_bytes + 15) & ~15u;
        executor->shared_bytes = executor->reserved_at + TMA_RESERVED_BYTES;
    }
    return code;
}

enum tma_error_code tma_close_launch(struct tma_executor *launch, enum tma_error_code code) {
    if (code == TMA_OK && launch->out_of_memory)
        code = tma_fail(launch->error, TMA_ERROR_MEMORY, "out of memory");
    for (size_t i = 0; launch->code != NULL && i < launch->module->instruction_count; ++i) {
        TMA_RELEASE(launch->code[i].cost, launch->code[i].extra);
    }
    tma_arena_free(&launch->arena);
    TMA_RELEASE(launch->matrices, launch->code, launch->places, launch->constants,
                launch->constant_values, launch->register_offsets, launch->forms,
                launch->register_numbers, launch->variable_addresses, launch->reachable,
                launch->shared_places, launch->stacks, launch->globals, launch->owned,
                launch->maps);
    if (code != TMA_OK)
        tma_ptx_result_free(launch->result);
    return code;
}

static const struct tma_ptx_options none = {.sanitize_ctas = 0};

enum tma_error_code tma_ptx_find_unexecuted(const struct tma_ptx_launch *launch,
                                            void (*note)(void *context, uint32_t instruction,
                                                         const char *why),
                                            void *context, struct tma_error *error) {
    enum { TEXT_BYTES = 256 };
    char text[TEXT_BYTES];
    struct tma_ptx_result result = {0};
    struct tma_executor executor = {.launch = launch,
                                    .options = &none,
                                    .module = launch->module,
                                    .result = &result,
                                    .error = error};
    enum tma_error_code code = tma_open_launch(&executor);
    for (uint32_t i = 0; code == TMA_OK && i < launch->module->instruction_count; ++i)
        if (executor.code[i].run == tma_run_unexecuted)
            note(context, i, tma_why_not(&executor, &executor.code[i], text, sizeof text));
    code = tma_close_launch(&executor, code);
    if (code == TMA_OK)
        tma_ptx_result_free(&result);
    return code;
}

enum tma_error_code tma_ptx_execute(const struct tma_ptx_launch *launch,
                                    const struct tma_ptx_options *options,
                                    struct tma_ptx_result *result, struct tma_error *error) {
    struct tma_executor executor = {.launch = launch,
                                    .options = options != NULL ? options : &none,
                                    .module = launch->module,
                                    .result = result,
                                    .error = error};
    enum tma_error_code code = tma_open_launch(&executor);
    if (code == TMA_OK)
        code = run_grid(&executor);
    return tma_close_launch(&executor, code);
}

void tma_ptx_result_free(struct tma_ptx_result *result) {
    for (uint32_t i = 0; i < result->finding_count; ++i)
        tma_release(result->findings[i].text);
    TMA_RELEASE(result->findings, result->lines);
    *result = (struct tma_ptx_result){.failure = TMA_PTX_COMPLETED};
}
