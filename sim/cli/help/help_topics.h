/* What `tmasim help` has besides the verbs: the keys of files, and rules. */
#ifndef TMA_CLI_HELP_TOPICS_H
#define TMA_CLI_HELP_TOPICS_H

#include <stdio.h>

struct cli_help_topic {
    const char *name;
    const char *summary;
    void (*write)(FILE *out);
    void (*write_manual)(FILE *out); /* its man page, or NULL */
};

/* Ends with a topic without a name. */
extern const struct cli_help_topic cli_help_topics[];

#endif
