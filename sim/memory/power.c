#include "memory/power.h"

#include <math.h>

enum { STEPS = 40 /* of bisection: a clock to a thousandth of a MHz */ };

uint32_t tma_mma_rate(const struct tma_machine *machine, enum tma_mma_type type) {
    const uint32_t rates[TMA_MMA_TYPE_COUNT] = {[TMA_MMA_HALF] = machine->sm.mma_half,
                                                [TMA_MMA_TF32] = machine->sm.mma_tf32,
                                                [TMA_MMA_BYTE] = machine->sm.mma_byte,
                                                [TMA_MMA_NIBBLE] = machine->sm.mma_nibble,
                                                [TMA_MMA_FP64] = machine->sm.mma_fp64};
    return rates[type];
}

static double part(uint32_t permille) {
    return permille / 1000.0;
}

/* Voltage over that at boost. It falls with the clock, down to a least one. */
static double voltage(const struct tma_machine *machine, double clock) {
    return fmax(part(machine->power.voltage_least_permille),
                1 - part(machine->power.voltage_slope_permille) * (1 - clock));
}

static uint32_t mma_fj(const struct tma_machine *machine, enum tma_mma_type type,
                       enum tma_operand_data data) {
#define BY_DATA(name)                                                                              \
    data == TMA_DATA_RANDOM  ? machine->power.name##_fj                                            \
    : data == TMA_DATA_SMALL ? machine->power.name##_small_fj                                      \
                             : machine->power.name##_zeros_fj
    switch (type) {
    case TMA_MMA_HALF:
        return BY_DATA(mma_half);
    case TMA_MMA_TF32:
        return BY_DATA(mma_tf32);
    case TMA_MMA_BYTE:
        return BY_DATA(mma_byte);
    case TMA_MMA_NIBBLE:
        return machine->power.mma_nibble_fj;
    case TMA_MMA_FP64:
        return machine->power.mma_fp64_fj;
    case TMA_MMA_TYPE_COUNT:
        break;
    }
    return 0;
#undef BY_DATA
}

/* Energies of bytes, in those of random ones. */
static double byte_part(const struct tma_machine *machine, enum tma_operand_data data) {
    return data == TMA_DATA_RANDOM  ? 1
           : data == TMA_DATA_SMALL ? part(machine->power.bytes_small_permille)
                                    : part(machine->power.bytes_zeros_permille);
}

/* Joules of the run in the SMs at the boost voltage. */
static double sm_joules(const struct tma_machine *machine, const struct tma_activity *run) {
    double femtojoules =
        run->instructions * machine->power.instruction_fj +
        run->shared_bytes * machine->power.shared_fj * byte_part(machine, run->data);
    for (int i = 0; i < TMA_MMA_TYPE_COUNT; i++)
        femtojoules += run->macs[i] * mma_fj(machine, (enum tma_mma_type)i, run->data);
    return femtojoules * 1e-15;
}

static double memory_joules(const struct tma_machine *machine, const struct tma_activity *run) {
    return (run->l2_bytes * machine->power.l2_fj + run->dram_bytes * machine->power.dram_fj) *
           byte_part(machine, run->data) * 1e-15;
}

/* Nanoseconds of the run at a part of the boost clock. What L2 and DRAM limit takes as long at any
 * clock, until the tensor cores are always busy. */
static double ns_at(const struct tma_machine *machine, const struct tma_activity *run,
                    double clock) {
    double boost = run->cycles * 1000 / machine->sm_clock_mhz;
    return boost *
           fmax((1 - run->memory_share) / clock + run->memory_share, run->tensor_busy / clock);
}

/* Power at a part of the boost clock. */
struct watts {
    double sms, memory, all;
};

static struct watts watts_at(const struct tma_machine *machine, const struct tma_activity *run,
                             double clock) {
    double seconds = ns_at(machine, run, clock) * 1e-9, volts = voltage(machine, clock);
    double active = machine->power.active_watts * clock * run->sms / machine->sm_count;
    struct watts watts = {.sms = volts * volts * (active + sm_joules(machine, run) / seconds),
                          .memory = memory_joules(machine, run) / seconds};
    watts.all = machine->power.rest_watts + watts.sms + watts.memory;
    return watts;
}

/* What one launch is limited by: the SMs, and a part of L2 and DRAM, which have other supplies. */
static double peak_of(const struct tma_machine *machine, const struct tma_activity *run,
                      double clock) {
    struct watts watts = watts_at(machine, run, clock);
    return watts.sms + part(machine->power.peak_memory_permille) * watts.memory;
}

static double all_of(const struct tma_machine *machine, const struct tma_activity *run,
                     double clock) {
    return watts_at(machine, run, clock).all;
}

/* The highest clock, up to `most`, with which a power stays below a limit. */
static double clock_below(const struct tma_machine *machine, const struct tma_activity *run,
                          double (*power)(const struct tma_machine *, const struct tma_activity *,
                                          double),
                          double watts, double most) {
    double low = 0.1 * most, high = most;
    if (power(machine, run, most) <= watts)
        return most;
    for (int i = 0; i < STEPS; i++) {
        double middle = (low + high) / 2;
        if (power(machine, run, middle) > watts)
            high = middle;
        else
            low = middle;
    }
    return low;
}

static double all_macs(const struct tma_activity *run) {
    double macs = 0;
    for (int i = 0; i < TMA_MMA_TYPE_COUNT; i++)
        macs += run->macs[i];
    return macs;
}

/* The clock that tensor cores at work have, whatever the power is. */
static double tensor_clock(const struct tma_machine *machine, const struct tma_activity *run) {
    bool slow = machine->power.tensor_clock_mhz > 0 && all_macs(run) > 0;
    return slow ? fmin(1, (double)machine->power.tensor_clock_mhz / machine->sm_clock_mhz) : 1;
}

/* What is left of it after some milliseconds, where products of 16 bits keep tensor cores busy. */
static double sustained_part(const struct tma_machine *machine, const struct tma_activity *run) {
    double from = part(machine->power.tensor_drop_from_permille), macs = all_macs(run);
    double busy = run->tensor_busy * run->sms / machine->sm_count;
    if (busy <= from || !(macs > 0))
        return 1;
    return 1 - part(machine->power.tensor_drop_permille) * run->macs[TMA_MMA_HALF] / macs *
                   fmin(1, (busy - from) / (1 - from));
}

/* What the start of a launch costs where tensor cores work, the more the more power it takes. */
static double settled_part(const struct tma_machine *machine, const struct tma_activity *run,
                           double clock) {
    double ns = ns_at(machine, run, clock), settle_ns = machine->power.settle_us * 1000.0,
           load = peak_of(machine, run, clock) / machine->power.peak_watts;
    return 1 - part(machine->power.settle_drop_permille) * fmin(1, load) * fmin(1, settle_ns / ns);
}

static struct tma_clock_time at_clock(const struct tma_machine *machine,
                                      const struct tma_activity *run, double clock) {
    return (struct tma_clock_time){.mhz = clock * machine->sm_clock_mhz,
                                   .ns = ns_at(machine, run, clock),
                                   .watts = watts_at(machine, run, clock).all};
}

struct tma_clocks tma_clocks_of(const struct tma_machine *machine, const struct tma_activity *run) {
    struct tma_clocks clocks = {.modelled = machine->power.cap_watts > 0 && run->cycles > 0};
    if (!clocks.modelled) {
        for (int i = 0; i < TMA_SM_CLOCK_COUNT; i++)
            clocks.at[i] = (struct tma_clock_time){
                .mhz = machine->sm_clock_mhz, .ns = run->cycles * 1000 / machine->sm_clock_mhz};
        return clocks;
    }
    double most = tensor_clock(machine, run), cap = machine->power.cap_watts;
    double single = clock_below(machine, run, peak_of, machine->power.peak_watts, most),
           settled = most * sustained_part(machine, run);
    if (all_macs(run) > 0)
        single *= settled_part(machine, run, single);
    double sustained = clock_below(machine, run, all_of, cap, settled);
    clocks.at[TMA_SM_BOOST] = at_clock(machine, run, 1);
    clocks.at[TMA_SM_SINGLE] = at_clock(machine, run, single);
    clocks.at[TMA_SM_SUSTAINED] = at_clock(machine, run, sustained);
    clocks.at[TMA_SM_SUSTAINED].capped = sustained < settled;
    clocks.profiler_mhz =
        run->sms < machine->power.tensor_sms ? machine->sm_clock_mhz : clocks.at[TMA_SM_SINGLE].mhz;
    return clocks;
}

uint32_t tma_second_clock_mhz(const struct tma_machine *machine,
                              const struct tma_activity *activity, enum tma_sm_clock chosen) {
    struct tma_clocks clocks = tma_clocks_of(machine, activity);
    double boost = machine->sm_clock_mhz,
           mhz = clocks.at[chosen == TMA_SM_SUSTAINED ? chosen : TMA_SM_SINGLE].mhz;
    if (clocks.modelled && mhz > 0.99 * boost)
        mhz = clocks.at[TMA_SM_SUSTAINED].mhz;
    return clocks.modelled && mhz <= 0.99 * boost ? (uint32_t)(mhz + 0.5) : 0;
}

double tma_memory_share_of(const struct tma_machine *machine, double cycles, uint32_t lower_mhz,
                           double lower_cycles) {
    const double least = -0.2;
    double longer = (double)machine->sm_clock_mhz / lower_mhz,
           slower = lower_cycles * longer / cycles, share = (longer - slower) / (longer - 1);
    return fmax(least, fmin(1, share));
}
