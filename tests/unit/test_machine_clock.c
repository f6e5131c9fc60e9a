/* The machine with its SMs at another clock: L2 and DRAM keep their times and rates. */
#include <math.h>

#include "memory/machine_parameter.h"
#include "shipped_machine.h"
#include "small_memory.h"

static const uint32_t clocks_mhz[] = {500, 1000, 1473, 1704, 1832, 1979, 2600};

enum { CLOCKS = sizeof clocks_mhz / sizeof clocks_mhz[0] };

/* What a number stands for in a nanosecond (a rate), or in nanoseconds (a time). */
static double in_time(const struct tma_machine_parameter *parameter, double value, double mhz) {
    return parameter->quantity == TMA_QUANTITY_RATE ? value * mhz / 1000 : value * 1000 / mhz;
}

TEST_ROWS(l2_keeps_its_times_and_rates, CLOCKS) {
    struct tma_machine own = shipped_machine("h200");
    struct tma_machine other = tma_machine_at_clock(&own, clocks_mhz[_i]);
    uint32_t seen = 0;
    ck_assert_uint_eq(other.sm_clock_mhz, clocks_mhz[_i]);
    for (size_t i = 0; i < tma_machine_parameter_count; i++) {
        const struct tma_machine_parameter *parameter = &tma_machine_parameters[i];
        uint32_t before = *tma_machine_value(&own, parameter),
                 after = *tma_machine_value(&other, parameter);
        if (!parameter->sm_cycles || parameter->clock == TMA_CLOCK_SM) {
            ck_assert_msg(before == after, "%s", parameter->path);
            continue;
        }
        double half = in_time(parameter, 0.5, clocks_mhz[_i]);
        double change = in_time(parameter, after, clocks_mhz[_i]) -
                        in_time(parameter, before, own.sm_clock_mhz);
        ck_assert_msg(fabs(change) <= half * 1.001, "%s: %u becomes %u", parameter->path, before,
                      after);
        seen++;
    }
    ck_assert_uint_eq(seen, 20); /* 15 of l2, 5 of crossbar: none of DRAM counts cycles */
}

/* Every time of a section is one of its clock, but those that the crossbar has of the SMs. */
TEST(sections_have_their_clocks) {
    for (size_t i = 0; i < tma_machine_parameter_count; i++) {
        const struct tma_machine_parameter *parameter = &tma_machine_parameters[i];
        bool l2 = strncmp(parameter->path, "l2.", 3) == 0,
             dram = strncmp(parameter->path, "dram.", 5) == 0;
        if (parameter->quantity == TMA_QUANTITY_COUNT)
            ck_assert_int_eq(parameter->clock, TMA_CLOCK_NONE);
        else if (l2 || dram)
            ck_assert_int_eq(parameter->clock, l2 ? TMA_CLOCK_L2 : TMA_CLOCK_DRAM);
        else
            ck_assert(parameter->clock == TMA_CLOCK_SM ||
                      strncmp(parameter->path, "crossbar.", 9) == 0);
        if (dram)
            ck_assert_msg(!parameter->sm_cycles, "%s counts cycles of the SMs", parameter->path);
    }
}

TEST_ROWS(dram_keeps_its_times_and_rates, CLOCKS) {
    struct tma_machine own = shipped_machine("h200");
    struct tma_machine other = tma_machine_at_clock(&own, clocks_mhz[_i]);
    double mhz = clocks_mhz[_i], own_mhz = own.sm_clock_mhz;
    ck_assert_double_eq_tol((double)tma_machine_dram_bytes_per_kcycle(&other) * mhz,
                            (double)tma_machine_dram_bytes_per_kcycle(&own) * own_mhz,
                            mhz + own_mhz);
    ck_assert_double_eq_tol((double)tma_machine_dram_cycles(&other) / mhz,
                            (double)tma_machine_dram_cycles(&own) / own_mhz, 1 / mhz + 1 / own_mhz);
}

/* The SMs take nothing of the time: slices of L2, or DRAM, limit the rate. */
static struct tma_machine limited_by_memory(void) {
    struct tma_machine limited = small_machine();
    limited.tma.row_millicycles = 10;
    limited.crossbar.sm_port_bytes_per_kcycle = 4000000;
    limited.l2.request_millicycles = 4700;
    limited.l2.fill_flit_millicycles = 900;
    limited.l2.replay_millicycles = 300;
    return limited;
}

static uint64_t cycles_of_rows(const struct tma_machine *of, uint32_t rows, bool warm) {
    struct tma_tensor_map map = line_map(rows);
    struct load load = {.map = &map};
    machine = *of;
    create();
    if (warm)
        warm_load(memory, &load);
    uint64_t cycle = run_load(memory, &load).cycle;
    tear_down();
    return cycle;
}

/* What each further row takes, in nanoseconds. */
static double ns_of_rows(const struct tma_machine *of, bool warm) {
    uint64_t cycles = cycles_of_rows(of, 256, warm) - cycles_of_rows(of, 64, warm);
    return (double)cycles * 1000 / of->sm_clock_mhz;
}

TEST_ROWS(loads_take_the_same_time, CLOCKS) {
    struct tma_machine own = limited_by_memory();
    struct tma_machine other = tma_machine_at_clock(&own, clocks_mhz[_i]);
    for (int warm = 0; warm < 2; warm++) {
        double before = ns_of_rows(&own, warm), after = ns_of_rows(&other, warm);
        ck_assert_msg(fabs(after / before - 1) < 0.02, "%s: %g ns at %u MHz, %g ns at %u",
                      warm ? "L2" : "DRAM", before, own.sm_clock_mhz, after, clocks_mhz[_i]);
    }
}

TEST_SUITE("machine at another clock");
