/* Verbs and their command-line options. Each verb has a constant table of options, from which the
 * parser, its error messages and the help text are made. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensormap/rules.h"

/* An optional whole number. */
struct cli_count {
    bool given;
    uint32_t value;
};

/* Texts from the command line. */
struct cli_list {
    const char **items; /* owned array of borrowed texts */
    size_t count;
};

/* Values that several verbs have. A verb with options of its own has a struct that begins with this
 * one. Every value starts as zero. */
struct cli_options {
    const struct cli_verb *const *verbs; /* all verbs, ends with NULL */
    struct cli_list operands;
    bool help;
    const char *output; /* NULL: standard output */
    int format;         /* a value of the verb's own table of formats */
    bool json;
    int architecture;               /* 0: the default */
    const char *gpu;                /* NULL: the scenario's; else `settings` sets it, by: */
    char *gpu_setting;              /* owned */
    int machine_architecture;       /* 0: the machine's own; else `settings` sets it */
    int names;                      /* enum tma_name_style */
    const char *descriptor_address; /* NULL: not given */
    struct cli_list settings;       /* PATH=VALUE */
    struct cli_count jobs;          /* see cli/tasks.h */
    bool quiet;                     /* show no progress */
    const char **words;             /* owned: the operands as the user typed them, "-" as a name */
    char **found;                   /* owned: the files that operands name, or NULL */
};

enum cli_option_kind {
    CLI_FLAG,   /* bool */
    CLI_TEXT,   /* const char * */
    CLI_CHOICE, /* int: a value of `names` */
    CLI_NUMBER, /* double, at least 0 */
    CLI_COUNT,  /* struct cli_count */
    CLI_LIST,   /* struct cli_list: each use of the option appends a text */
};

struct cli_option {
    const char *name;       /* "--format" */
    const char *short_name; /* "-o", or NULL */
    const char *value;      /* "FILE", for the help text; NULL for a flag */
    enum cli_option_kind kind;
    size_t offset;                 /* of the value in the verb's struct of options */
    const struct tma_names *names; /* of a CLI_CHOICE */
    bool optional;                 /* a CLI_CHOICE that means its first name without a value */
    bool several; /* a CLI_LIST of settings: the words PATH=VALUE behind the first one are more */
    const char *help;
};

/* A verb of the command: `tmasim NAME OPERANDS [options]`. */
struct cli_verb {
    const char *name;
    const char *operands; /* "SCENARIO.yaml", for the help text */
    const char *summary;  /* one sentence */
    const char *details;  /* more lines of help, or NULL */
    const char *example;  /* a command line, without "tmasim" and the verb */
    const char *statuses; /* the exit statuses and their meaning, or NULL */
    size_t min_operands, max_operands;
    const char *several; /* what takes more operands than this verb; NULL: nothing does */
    bool takes_scenario; /* operands may name kernels or scenarios of the library */
    bool takes_launch;   /* operands may be launch files, or folders of them */
    /* Can the verb do something with the scenario of this file? NULL: with any. Of two of one name
     * it gets the one that suits. */
    bool (*suits)(const char *path);
    bool takes_files; /* operands are files of another kind: PTX, dumps, reports, tables */
    bool takes_input; /* the verb can reread its operands, also "-" and pipes */
    bool takes_topic; /* operands are what `tmasim help` has help on */
    const struct tma_names *operand_words; /* the operands' words; NULL: operands are files */
    const struct cli_option *options;
    size_t option_count;
    size_t options_bytes; /* size of the verb's struct of options; 0: struct cli_options */
    int (*run)(const struct cli_options *options); /* returns the exit status */
};

/* Parses the arguments after the verb, which is one of `verbs`; NULL ends them. On failure, prints
 * the error and returns NULL. */
struct cli_options *cli_options_parse(const struct cli_verb *const *verbs,
                                      const struct cli_verb *verb, int count,
                                      char *const *arguments);
void cli_options_free(const struct cli_verb *verb, struct cli_options *options);

/* Returns an option of the verb, the first being number 0 and the last --help; NULL behind it. */
const struct cli_option *cli_verb_option(const struct cli_verb *verb, size_t index);

/* Finds the option of that name, or short name, of `length` characters; NULL if there is none. */
const struct cli_option *cli_find_option(const struct cli_verb *verb, const char *name,
                                         size_t length);

/* Writes the help text of the verb to standard output. */
void cli_verb_help(const struct cli_verb *verb);

/* The formats of verbs that have only text and JSON. */
enum cli_format { CLI_FORMAT_TEXT, CLI_FORMAT_JSON };

extern const struct tma_names cli_format_names;

/* In a verb: its function `run`, its table `options`, and the struct of their values. */
#define CLI_RUNS_WITH(type)                                                                        \
    .options = options, .option_count = sizeof options / sizeof options[0],                        \
    .options_bytes = sizeof(struct type), .run = run

/* Rows of tables of options: a flag, and an option with a value. */
#define CLI_FLAG_OPTION(name, where, help)                                                         \
    { name, NULL, NULL, CLI_FLAG, where, NULL, false, false, help }
#define CLI_VALUE_OPTION(name, value, kind, where, help)                                           \
    { name, NULL, value, CLI_##kind, where, NULL, false, false, help }

/* Options that several verbs have. */
#define CLI_OPTION_OUTPUT                                                                          \
    {                                                                                              \
        .name = "--output", .short_name = "-o", .value = "FILE", .kind = CLI_TEXT,                 \
        .offset = offsetof(struct cli_options, output),                                            \
        .help = "write to FILE instead of standard output; an error leaves FILE as it was"         \
    }
#define CLI_OPTION_FORMAT(table)                                                                   \
    {                                                                                              \
        .name = "--format", .value = "FORMAT", .kind = CLI_CHOICE,                                 \
        .offset = offsetof(struct cli_options, format), .names = table,                            \
        .help = "output format (the first is the default)"                                         \
    }
#define CLI_OPTION_JSON                                                                            \
    CLI_FLAG_OPTION("--json", offsetof(struct cli_options, json), "short for --format json")
#define CLI_OPTION_ARCHITECTURE                                                                    \
    {                                                                                              \
        .name = "--arch", .value = "ARCHITECTURE", .kind = CLI_CHOICE,                             \
        .offset = offsetof(struct cli_options, architecture), .names = &tma_architecture_names,    \
        .help = "apply the rules of this architecture (default: that of the scenario's\n"          \
                "machine, else sm_90)"                                                             \
    }
#define CLI_OPTION_MACHINE_ARCHITECTURE                                                            \
    {                                                                                              \
        .name = "--arch", .value = "ARCHITECTURE", .kind = CLI_CHOICE,                             \
        .offset = offsetof(struct cli_options, machine_architecture),                              \
        .names = &tma_architecture_names,                                                          \
        .help = "try another architecture than the machine's: short for\n"                         \
                "--set gpu.architecture=ARCHITECTURE"                                              \
    }
#define CLI_OPTION_NAMES                                                                           \
    {                                                                                              \
        .name = "--names", .value = "STYLE", .kind = CLI_CHOICE,                                   \
        .offset = offsetof(struct cli_options, names), .names = &tma_name_style_names,             \
        .help = "write the names of types and modes as this tool's or as CUDA's\n"                 \
                "(CU_TENSOR_MAP_...); both are read"                                               \
    }
#define CLI_OPTION_DESCRIPTOR_ADDRESS                                                              \
    CLI_VALUE_OPTION("--at", "ADDRESS", TEXT, offsetof(struct cli_options, descriptor_address),    \
                     "address of the 128 bytes in memory; it must be a multiple of 64")
#define CLI_OPTION_SET                                                                             \
    {                                                                                              \
        .name = "--set", .value = "PATH=VALUE", .kind = CLI_LIST,                                  \
        .offset = offsetof(struct cli_options, settings), .several = true,                         \
        .help = "set any field of the scenario, for example workload.pipeline.depth=8,\n"          \
                "tensor_maps.A.box_dim=[64,32] or gpu.tma.issue='50 cycles'; a parameter by its\n" \
                "name; several with spaces between them: --set M=4096 N=4096"                      \
    }
#define CLI_OPTION_GPU                                                                             \
    CLI_VALUE_OPTION("--gpu", "MACHINE", TEXT, offsetof(struct cli_options, gpu),                  \
                     "simulate this machine: a word of tmasim machines, or a file; short for\n"    \
                     "--set gpu=MACHINE")
#define CLI_OPTION_JOBS                                                                            \
    {                                                                                              \
        .name = "--jobs", .short_name = "-j", .value = "N", .kind = CLI_COUNT,                     \
        .offset = offsetof(struct cli_options, jobs),                                              \
        .help = "simulate in N processes at once (default, and 0: as many as there are cores);\n"  \
                "the output is the same"                                                           \
    }
#define CLI_OPTION_LAUNCH(where)                                                                   \
    CLI_VALUE_OPTION("--launch", "LABEL", TEXT, where,                                             \
                     "the record with this label, of a file of launch records (.jsonl)")
#define CLI_OPTION_SANITIZE(where)                                                                 \
    CLI_VALUE_OPTION("--sanitize", "CTAS", COUNT, where,                                           \
                     "of a launch: check the first CTAS CTAs for races (default 2)")
#define CLI_OPTION_SASS(where)                                                                     \
    CLI_VALUE_OPTION(                                                                              \
        "--sass", "FILE", TEXT, where,                                                             \
        "of launches: take issue slots and the order inside blocks from what nvdisasm -c "         \
        "-gp\nsays of the kernel, or from NAME.sass for NAME.ptx in the folder FILE")
#define CLI_OPTION_STRICT(where)                                                                   \
    CLI_FLAG_OPTION(                                                                               \
        "--strict", where,                                                                         \
        "of a launch: reads of shared memory that a TMA operation overwrites later need "          \
        "a\nproxy fence, too")
#define CLI_OPTION_QUIET                                                                           \
    {                                                                                              \
        .name = "--quiet", .short_name = "-q", .kind = CLI_FLAG,                                   \
        .offset = offsetof(struct cli_options, quiet),                                             \
        .help = "do not show progress on standard error, as work of more than 2 seconds does;\n"   \
                "TMASIM_QUIET in the environment says the same"                                    \
    }
