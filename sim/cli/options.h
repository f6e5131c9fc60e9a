/* Command-line options: each verb has a constant table, from which arguments are parsed, error
 * texts and help are made. */
#ifndef TMA_CLI_OPTIONS_H
#define TMA_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensormap/rules.h"

/* A whole number that may be left out. */
struct cli_count {
    bool given;
    uint32_t value;
};

/* What any verb's options are read into. */
struct cli_options {
    const char *output;                   /* NULL: standard output */
    const char *trace;                    /* NULL: none */
    const char *gpu;                      /* NULL: the machine that comes with the command */
    const char *map;                      /* NULL: all of them */
    const char *operation, *at, *element; /* layout; NULL: not given */
    int architecture;                     /* 0: the default */
    int format;                           /* by the verb's own names */
    int names;                            /* enum tma_name_style */
    bool json;
    const char **settings; /* owned array of borrowed texts */
    size_t setting_count;
    double absolute, relative;              /* tolerances */
    struct cli_count consumer, instruction; /* explain */
    struct cli_count block_size, y_per_tile, x_per_tile, vec_size, warp_size,
        wave_groups; /* pattern */
    bool pad;        /* compare: padded rows, too */
    bool help;
    const char **operands; /* owned array of borrowed texts */
    size_t operand_count;
};

enum cli_option_kind {
    CLI_FLAG,   /* bool */
    CLI_TEXT,   /* const char * */
    CLI_CHOICE, /* int: a value of `names` */
    CLI_NUMBER, /* double, at least 0 */
    CLI_COUNT,  /* struct cli_count */
    CLI_LIST,   /* each use appends: const char **, followed by a size_t */
};

struct cli_option {
    const char *name;       /* "--format" */
    const char *short_name; /* "-o", or NULL */
    const char *value;      /* "FILE"; NULL for a flag */
    enum cli_option_kind kind;
    size_t offset; /* in struct cli_options */
    const struct tma_names *names;
    const char *meaning;
};

/* A verb of the command: `tmasim NAME OPERANDS [options]`. */
struct cli_verb {
    const char *name;
    const char *operands; /* "SCENARIO.yaml" */
    const char *summary;
    const char *details; /* further lines of its help, or NULL */
    size_t least_operands, most_operands;
    const struct cli_option *options;
    size_t option_count;
    int (*run)(const struct cli_options *options); /* gives the exit status */
};

/* Parses the arguments behind the verb. False, with the reason on standard error, where one is
 * wrong. The options are to be freed in any case. */
bool cli_options_parse(const struct cli_verb *verb, int count, char *const *arguments,
                       struct cli_options *options);
void cli_options_free(struct cli_options *options);

/* Writes the verb's help to standard output; gives CLI_OK. */
int cli_verb_help(const struct cli_verb *verb);

/* The formats of the verbs that have no others. */
enum cli_format { CLI_FORMAT_TEXT, CLI_FORMAT_JSON };

extern const struct tma_names cli_format_names;

/* Options that several verbs have. */
#define CLI_OPTION_OUTPUT                                                                          \
    {                                                                                              \
        "--output", "-o", "FILE", CLI_TEXT, offsetof(struct cli_options, output), NULL,            \
            "write there instead of standard output; nothing is left of it after an error"         \
    }
#define CLI_OPTION_FORMAT(names)                                                                   \
    {                                                                                              \
        "--format", NULL, "FORMAT", CLI_CHOICE, offsetof(struct cli_options, format), names,       \
            "how to write it; the first is the default"                                            \
    }
#define CLI_OPTION_DESCRIPTOR_ADDRESS                                                              \
    {                                                                                              \
        "--at", NULL, "ADDRESS", CLI_TEXT, offsetof(struct cli_options, at), NULL,                 \
            "where the 128 bytes lie in memory; refused unless a multiple of 64"                   \
    }
#define CLI_OPTION_NAMES                                                                           \
    {                                                                                              \
        "--names", NULL, "STYLE", CLI_CHOICE, offsetof(struct cli_options, names),                 \
            &tma_name_style_names,                                                                 \
            "names of types and modes, this tool's or CUDA's (CU_TENSOR_MAP_...); both are read"   \
    }
#define CLI_OPTION_ARCHITECTURE                                                                    \
    {                                                                                              \
        "--arch", NULL, "ARCHITECTURE", CLI_CHOICE, offsetof(struct cli_options, architecture),    \
            &tma_architecture_names,                                                               \
            "whose rules hold; default: the scenario's machine's, else sm_90"                      \
    }
#define CLI_OPTION_MACHINE_ARCHITECTURE                                                            \
    {                                                                                              \
        "--arch", NULL, "ARCHITECTURE", CLI_CHOICE, offsetof(struct cli_options, architecture),    \
            &tma_architecture_names,                                                               \
            "try another architecture than the machine's: the same as\n"                           \
            "--set gpu.architecture=ARCHITECTURE"                                                  \
    }
#define CLI_OPTION_SET                                                                             \
    {                                                                                              \
        "--set", NULL, "PATH=VALUE", CLI_LIST, offsetof(struct cli_options, settings), NULL,       \
            "set any field of the scenario, as in workload.pipeline.depth=8,\n"                    \
            "tensor_maps.A.box_dim=[64,32] or gpu.tma.issue='50 cycles'"                           \
    }

#endif
