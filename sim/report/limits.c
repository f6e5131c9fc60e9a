#include "report/report.h"

struct tma_report_limits tma_report_limits_of(const struct tma_machine *machine,
                                              const struct tma_result *result) {
    return (struct tma_report_limits){
        .sm_bytes_per_cycle = machine->crossbar.sm_port_bytes_per_kcycle / 1000.0,
        .gpc_bytes_per_cycle =
            result->gpcs * (machine->crossbar.gpc_port_bytes_per_kcycle / 1000.0),
        .dram_bytes_per_cycle = (double)tma_machine_dram_bytes_per_kcycle(machine) / 1000.0,
    };
}
