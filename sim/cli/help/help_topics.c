#include "cli/help/help_topics.h"

#include "cli/help/manual.h"
#include "launch/launch_sections.h"
#include "scenario/sections.h"

static void launch_reference(FILE *out) {
    tma_launch_sections(tma_section_reference, out);
    tma_launch_parameter_reference(out);
}

const struct cli_help_topic cli_help_topics[] = {
    {"scenario", "every key of scenario files", tma_scenario_reference, cli_manual_scenario},
    {"kernel", "every key and statement of kernels", tma_kernel_reference, cli_manual_kernel},
    {"machine", "every key of machine files", tma_machine_reference, cli_manual_machine},
    {"launch-file", "every key of launch files of compiled kernels", launch_reference, NULL},
    {"rules", "every rule of tensor maps", cli_rules_reference, NULL},
    {"faults", "from what CUDA says to its causes", cli_faults_reference, NULL},
    {"scenario-schema", "scenario files, as a JSON Schema", cli_scenario_schema, NULL},
    {"machine-schema", "machine files, as a JSON Schema", cli_machine_schema, NULL},
    {0},
};
