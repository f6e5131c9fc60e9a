/* What `tmasim help` has besides the verbs: the keys of files, and rules. */
#pragma once

#include <stdio.h>

struct cli_help_topic {
    const char *name;
    const char *summary;
    void (*write)(FILE *out);
    void (*write_manual)(FILE *out); /* its man page, or NULL */
};

/* Ends with a topic without a name. */
extern const struct cli_help_topic cli_help_topics[];

/* Writes docs/faults.md. */
void cli_faults_reference(FILE *out);

/* Writes every rule and every piece of advice as Markdown. */
void cli_rules_reference(FILE *out);

/* Both write a schema of draft 7, which editors know best. */
void cli_scenario_schema(FILE *out);
void cli_machine_schema(FILE *out);
