#include "report/limiter.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "report/decimal.h"

/* A resource that is busy for more of the run than this is saturated: starting up and draining take
 * the rest. */
static const double SATURATED = 0.80;
/* Of the slots' time: one cause that takes more than this rules the run. */
static const double DOMINANT = 0.40;
/* Of the consumers' wavefronts: conflicts below this are not what limits. */
static const double CONFLICTS = 0.10;

struct context {
    const struct tma_report_input *input;
    const struct tma_figures *figures;
};

/* A rule says, where it applies, what limits the run. The first one that applies wins. */
typedef bool rule(const struct context *context, struct tma_limiter *limiter);

static struct tma_decimal percent(double fraction) {
    return tma_decimal(100 * fraction, 0);
}

__attribute__((format(printf, 3, 4))) static bool say(struct tma_limiter *limiter, const char *key,
                                                      const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(limiter->text, sizeof limiter->text, format, arguments);
    va_end(arguments);
    limiter->key = key;
    return true;
}

static double consumers_share(const struct tma_figures *figures) {
    return figures->cause_fraction[TMA_CAUSE_CONSUME] +
           figures->cause_fraction[TMA_CAUSE_CONSUME_QUEUE];
}

static bool nothing_moved(const struct context *context, struct tma_limiter *limiter) {
    return context->input->result->counters.operations == 0 &&
           say(limiter, "nothing", "nothing: no operation was issued");
}

static bool bank_conflicts(const struct context *context, struct tma_limiter *limiter) {
    const struct tma_figures *figures = context->figures;
    bool shared_is_full =
        figures->busiest == TMA_RESOURCE_SHARED && figures->busy[TMA_RESOURCE_SHARED] >= SATURATED;
    if (figures->excess_fraction < CONFLICTS ||
        (!shared_is_full && consumers_share(figures) < DOMINANT))
        return false;
    return say(
        limiter, "bank_conflicts",
        "bank conflicts of the consumers: %s %% of their wavefronts are excess, and they take "
        "%s %% of the slots' time; another swizzle mode or access pattern would help",
        percent(figures->excess_fraction).text, percent(consumers_share(figures)).text);
}

static bool is_multicast(const struct tma_workload *workload) {
    bool multicast = false;
    for (uint32_t i = 0; i < workload->operation_count; i++)
        multicast |= workload->operations[i].operation.cta_mask != 0;
    return multicast;
}

/* What would help where a resource is the limit. */
static const char *advice(const struct context *context, enum tma_resource resource) {
    switch (resource) {
    case TMA_RESOURCE_TMA:
        return context->figures->row_bytes < 128
                   ? "rows of 128 bytes would move more with each request"
                   : "fewer rows, or more SMs, would help";
    case TMA_RESOURCE_SM_PORT:
        return "more SMs would bring more ports";
    case TMA_RESOURCE_CROSSBAR:
        return is_multicast(context->input->workload)
                   ? "fewer bytes, or larger clusters, would help"
                   : "fewer bytes, or an operand that is multicast to a cluster, would help";
    case TMA_RESOURCE_L2:
        return is_multicast(context->input->workload)
                   ? "fewer requests, or larger clusters, would help"
                   : "fewer requests, or an operand that is multicast to a cluster, would help";
    case TMA_RESOURCE_DRAM:
        return context->figures->l2_over_fetch_fraction >= 0.10
                   ? "a smaller L2 promotion would fetch less that is not used"
                   : "only more reuse in L2 or in shared memory would help";
    case TMA_RESOURCE_SHARED:
    case TMA_RESOURCE_COUNT:
        break;
    }
    return "fewer or wider shared-memory accesses would help";
}

static bool saturated(const struct context *context, struct tma_limiter *limiter) {
    enum tma_resource busiest = context->figures->busiest;
    double busy = context->figures->busy[busiest];
    return busy >= SATURATED &&
           say(limiter, tma_resource_key(busiest), "%s: busy %s %% of the run; %s",
               tma_resource_text(busiest), percent(busy).text, advice(context, busiest));
}

/* The TMA units do not work while they wait for tensor maps. */
static bool descriptors(const struct context *context, struct tma_limiter *limiter) {
    const struct tma_result *result = context->input->result;
    const struct tma_machine *machine = context->input->machine;
    double share = (double)result->counters.descriptor_cycles /
                   ((double)result->cycles * context->figures->sms);
    return share >= DOMINANT &&
           say(limiter, "descriptor",
               "tensor maps: TMA units wait for them %s %% of the run; fewer in turn would help: "
               "an SM's cache holds %u, that of a GPC %u",
               percent(share).text, machine->tma.descriptors, machine->tma.gpc_descriptors);
}

/* A resource that is the limit without being full: its load is uneven, in space or in time. */
static bool waiting(const struct context *context, struct tma_limiter *limiter) {
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
            return say(limiter, tma_resource_key(resource),
                       "%s: slots spend %s %% of their time waiting there, though it is busy only "
                       "%s %% of the run on average (uneven load); %s",
                       tma_resource_text(resource), percent(share).text,
                       percent(figures->busy[resource]).text, advice(context, resource));
    }
    return false;
}

static bool consumers(const struct context *context, struct tma_limiter *limiter) {
    double share = consumers_share(context->figures);
    return share >= DOMINANT &&
           say(limiter, "consumers",
               "the consumers: their shared-memory accesses, nearly free of conflicts, take %s %% "
               "of "
               "the slots' time; wider accesses or fewer passes over the tile would help",
               percent(share).text);
}

static bool cluster(const struct context *context, struct tma_limiter *limiter) {
    double share = context->figures->cause_fraction[TMA_CAUSE_CLUSTER];
    return share >= DOMINANT &&
           say(limiter, "cluster",
               "the clusters: slots spend %s %% of their time until all CTAs are done with the "
               "multicast tile before; more slots, or larger tiles, would hide that",
               percent(share).text);
}

static bool start_up(const struct context *context, struct tma_limiter *limiter) {
    const struct tma_workload *workload = context->input->workload;
    return workload->iterations <= workload->depth &&
           say(limiter, "start_up",
               "start-up: each pipeline slot is used at most once (%u stages, depth %u), so the "
               "run "
               "is one latency long",
               workload->iterations, workload->depth);
}

/* Until a resource is full, the rate grows with the depth (Little's law). */
static bool latency(const struct context *context, struct tma_limiter *limiter) {
    const struct tma_workload *workload = context->input->workload;
    const struct tma_machine *machine = context->input->machine;
    enum tma_resource busiest = context->figures->busiest;
    double busy = context->figures->busy[busiest];
    double wanted = ceil(workload->depth / fmax(busy, 1e-6));
    double room = (double)machine->shared_memory_cta_bytes - workload->shared_base_bytes;
    double fits = workload->stage_bytes == 0 ? wanted : floor(room / workload->stage_bytes);
    char remedy[160];
    if (wanted > workload->iterations && workload->iterations <= fits)
        snprintf(remedy, sizeof remedy,
                 "even a depth of %u, all of a CTA's stages at once, would not fill it",
                 workload->iterations);
    else if (wanted <= fits)
        snprintf(remedy, sizeof remedy, "a depth of about %s would fill it",
                 tma_decimal(wanted, 0).text);
    else if (fits > workload->depth)
        snprintf(remedy, sizeof remedy,
                 "shared memory has room for a depth of %s, short of the %s that would fill it",
                 tma_decimal(fits, 0).text, tma_decimal(wanted, 0).text);
    else
        snprintf(remedy, sizeof remedy,
                 "shared memory has no room for a greater depth: smaller stages, and more of them, "
                 "would help");
    return say(limiter, "latency",
               "latency: with depth %u too little is in flight, and the busiest resource (%s) is "
               "busy %s %% of the run; %s",
               workload->depth, tma_resource_text(busiest), percent(busy).text, remedy);
}

struct tma_limiter tma_limiter_of(const struct tma_report_input *input,
                                  const struct tma_figures *figures) {
    static rule *const rules[] = {nothing_moved, bank_conflicts, saturated, descriptors, waiting,
                                  consumers,     cluster,        start_up,  latency};
    struct context context = {input, figures};
    struct tma_limiter limiter = {0};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i](&context, &limiter))
            break;
    return limiter;
}
