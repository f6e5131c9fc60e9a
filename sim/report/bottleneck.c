#include "report/bottleneck.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "report/decimal.h"

/* A resource is saturated where it is busy for this fraction of the run. Start-up and drain keep it
 * below 1. */
static const double SATURATED = 0.80;
/* A cause of waiting dominates where it takes this fraction of the time of the pipeline slots. */
static const double DOMINANT = 0.40;
/* Bank conflicts matter where this fraction of the consumers' wavefronts is excess. */
static const double CONFLICTS = 0.10;

struct context {
    const struct tma_report_input *input;
    const struct tma_figures *figures;
};

/* Returns true and fills in the bottleneck where the rule applies to the run. The rules run in
 * order; the first one that applies wins. */
typedef bool rule(const struct context *context, struct tma_bottleneck *bottleneck);

static struct tma_decimal percent(double fraction) {
    return tma_decimal(100 * fraction, 0);
}

__attribute__((format(printf, 3, 4))) static bool
conclude(struct tma_bottleneck *bottleneck, const char *key, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(bottleneck->text, sizeof bottleneck->text, format, arguments);
    va_end(arguments);
    bottleneck->key = key;
    return true;
}

static double consumers_share(const struct tma_figures *figures) {
    return figures->cause_fraction[TMA_CAUSE_CONSUME] +
           figures->cause_fraction[TMA_CAUSE_CONSUME_QUEUE];
}

static bool no_operation(const struct context *context, struct tma_bottleneck *bottleneck) {
    return context->input->result->counters.operations == 0 &&
           conclude(bottleneck, "nothing", "nothing: no operation was issued");
}

static bool bank_conflicts(const struct context *context, struct tma_bottleneck *bottleneck) {
    const struct tma_figures *figures = context->figures;
    bool shared_is_full =
        figures->busiest == TMA_RESOURCE_SHARED && figures->busy[TMA_RESOURCE_SHARED] >= SATURATED;
    if (figures->excess_fraction < CONFLICTS ||
        (!shared_is_full && consumers_share(figures) < DOMINANT))
        return false;
    return conclude(
        bottleneck, "bank_conflicts",
        "bank conflicts: %s %% of the consumers' wavefronts are excess, and the consumers take "
        "%s %% of the slots' time; another swizzle mode or access pattern would help",
        percent(figures->excess_fraction).text, percent(consumers_share(figures)).text);
}

static bool is_multicast(const struct tma_workload *workload) {
    bool multicast = false;
    for (uint32_t i = 0; i < workload->operation_count; i++)
        multicast |= workload->operations[i].operation.cta_mask != 0;
    return multicast;
}

/* The remedy where a resource is the bottleneck. */
static const char *remedy_for(const struct context *context, enum tma_resource resource) {
    switch (resource) {
    case TMA_RESOURCE_TMA:
        return context->figures->row_bytes < 128
                   ? "longer rows, of 128 bytes, would move more bytes per request"
                   : "fewer rows, or more SMs, would help";
    case TMA_RESOURCE_SM_PORT:
        return "more SMs would add ports";
    case TMA_RESOURCE_CROSSBAR:
        return is_multicast(context->input->workload)
                   ? "fewer bytes, or larger clusters, would help"
                   : "fewer bytes would help, as would multicast of an operand to a cluster";
    case TMA_RESOURCE_L2:
        return is_multicast(context->input->workload)
                   ? "fewer requests, or larger clusters, would help"
                   : "fewer requests would help, as would multicast of an operand to a cluster";
    case TMA_RESOURCE_DRAM:
        return context->figures->l2_over_fetch_fraction >= 0.10
                   ? "a smaller L2 promotion would fetch fewer unused sectors"
                   : "only more reuse in L2 or in shared memory would help";
    case TMA_RESOURCE_SHARED:
    case TMA_RESOURCE_COUNT:
        break;
    }
    return "fewer or wider shared-memory accesses would help";
}

static bool saturated(const struct context *context, struct tma_bottleneck *bottleneck) {
    enum tma_resource busiest = context->figures->busiest;
    double busy = context->figures->busy[busiest];
    return busy >= SATURATED &&
           conclude(bottleneck, tma_resource_key(busiest), "%s: busy %s %% of the run; %s",
                    tma_resource_text(busiest), percent(busy).text, remedy_for(context, busiest));
}

/* A TMA unit is idle while it waits for a tensor map. */
static bool descriptors(const struct context *context, struct tma_bottleneck *bottleneck) {
    const struct tma_result *result = context->input->result;
    const struct tma_machine *machine = context->input->machine;
    double share = (double)result->counters.descriptor_cycles /
                   ((double)result->cycles * context->figures->sms);
    return share >= DOMINANT &&
           conclude(
               bottleneck, "descriptor",
               "tensor maps: TMA units wait for them %s %% of the run; fewer maps in use at a time "
               "would help: the cache of an SM holds %u, that of a GPC %u",
               percent(share).text, machine->tma.descriptors, machine->tma.gpc_descriptors);
}

/* A resource with uneven load, in space or in time, can be the bottleneck without being saturated.
 */
static bool uneven_load(const struct context *context, struct tma_bottleneck *bottleneck) {
    const struct tma_figures *figures = context->figures;
    bool port = figures->busy[TMA_RESOURCE_SM_PORT] > figures->busy[TMA_RESOURCE_CROSSBAR];
    const struct {
        enum tma_cause cause;
        enum tma_resource resource;
    } waits[] = {
        {TMA_CAUSE_TMA_QUEUE, TMA_RESOURCE_TMA},
        {TMA_CAUSE_CROSSBAR_QUEUE, port ? TMA_RESOURCE_SM_PORT : TMA_RESOURCE_CROSSBAR},
        {TMA_CAUSE_L2, TMA_RESOURCE_L2},
        {TMA_CAUSE_DRAM_QUEUE, TMA_RESOURCE_DRAM},
    };
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        double share = figures->cause_fraction[waits[i].cause];
        enum tma_resource resource = waits[i].resource;
        if (share >= DOMINANT)
            return conclude(
                bottleneck, tma_resource_key(resource),
                "%s: slots wait for it %s %% of their time, but its load is uneven: it is busy "
                "only %s %% of the run on average; %s",
                tma_resource_text(resource), percent(share).text,
                percent(figures->busy[resource]).text, remedy_for(context, resource));
    }
    return false;
}

static bool consumers(const struct context *context, struct tma_bottleneck *bottleneck) {
    double share = consumers_share(context->figures);
    return share >= DOMINANT &&
           conclude(
               bottleneck, "consumers",
               "the consumers: their shared-memory accesses take %s %% of the slots' time, almost "
               "without conflicts; wider accesses or fewer passes over the tile would help",
               percent(share).text);
}

static bool cluster(const struct context *context, struct tma_bottleneck *bottleneck) {
    double share = context->figures->cause_fraction[TMA_CAUSE_CLUSTER];
    return share >= DOMINANT &&
           conclude(
               bottleneck, "cluster",
               "the clusters: slots wait %s %% of their time for the other CTAs to release the "
               "previous multicast tile; more slots or larger tiles would hide that",
               percent(share).text);
}

static bool start_up(const struct context *context, struct tma_bottleneck *bottleneck) {
    const struct tma_workload *workload = context->input->workload;
    return workload->iterations <= workload->depth &&
           conclude(
               bottleneck, "start_up",
               "start-up: the CTA uses each pipeline slot at most once (%u stages, depth %u), so "
               "the run takes one latency",
               workload->iterations, workload->depth);
}

/* The rate grows with the depth until a resource is saturated (Little's law). */
static bool latency(const struct context *context, struct tma_bottleneck *bottleneck) {
    const struct tma_workload *workload = context->input->workload;
    const struct tma_machine *machine = context->input->machine;
    enum tma_resource busiest = context->figures->busiest;
    double busy = context->figures->busy[busiest];
    double needed = ceil(workload->depth / fmax(busy, 1e-6));
    double available_bytes = (double)machine->shared_memory_cta_bytes - workload->shared_base_bytes;
    double possible =
        workload->stage_bytes == 0 ? needed : floor(available_bytes / workload->stage_bytes);
    char remedy[160];
    if (needed > workload->iterations && workload->iterations <= possible)
        snprintf(remedy, sizeof remedy,
                 "even a depth of %u, all stages of a CTA at once, would not saturate it",
                 workload->iterations);
    else if (needed <= possible)
        snprintf(remedy, sizeof remedy, "a depth of about %s would saturate it",
                 tma_decimal(needed, 0).text);
    else if (possible > workload->depth)
        snprintf(
            remedy, sizeof remedy,
            "shared memory has room for a depth of %s, less than the %s that would saturate it",
            tma_decimal(possible, 0).text, tma_decimal(needed, 0).text);
    else
        snprintf(
            remedy, sizeof remedy,
            "shared memory has no room for a greater depth; more and smaller stages would help");
    return conclude(
        bottleneck, "latency",
        "latency: depth %u keeps too few bytes in flight, and the busiest resource (%s) is "
        "busy only %s %% of the run; %s",
        workload->depth, tma_resource_text(busiest), percent(busy).text, remedy);
}

struct tma_bottleneck tma_bottleneck_of(const struct tma_report_input *input,
                                        const struct tma_figures *figures) {
    static rule *const rules[] = {no_operation, bank_conflicts, saturated, descriptors, uneven_load,
                                  consumers,    cluster,        start_up,  latency};
    struct context context = {input, figures};
    struct tma_bottleneck bottleneck = {0};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i](&context, &bottleneck))
            break;
    return bottleneck;
}
