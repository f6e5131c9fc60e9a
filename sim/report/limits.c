/* The peak rates of the machine for the SMs that a workload uses. */
#include "memory/topology.h"
#include "report/report.h"

static uint32_t gpcs_in_use(const struct tma_machine *machine,
                            const struct tma_workload *workload) {
    uint32_t sms[TMA_MAX_SMS], gpcs[TMA_MAX_SMS], used = 0;
    uint32_t count = tma_workload_place(machine, workload, sms);
    tma_machine_gpcs(machine, gpcs);
    for (uint32_t i = 0; i < count; i++)
        used |= 1u << gpcs[sms[i]];
    return (uint32_t)__builtin_popcount(used);
}

struct tma_report_limits tma_report_limits_of(const struct tma_machine *machine,
                                              const struct tma_workload *workload) {
    return (struct tma_report_limits){
        .sm_bytes_per_cycle = machine->crossbar.sm_port_bytes_per_kcycle / 1000.0,
        .gpc_bytes_per_cycle =
            gpcs_in_use(machine, workload) * (machine->crossbar.gpc_port_bytes_per_kcycle / 1000.0),
        .dram_bytes_per_cycle = (double)tma_machine_dram_bytes_per_kcycle(machine) / 1000.0,
    };
}
