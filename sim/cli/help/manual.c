#include "cli/help/manual.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/version.h"
#include "scenario/sections.h"
#include "scenario/suggestion.h"

/* Writes the text of man pages: the macros of man(7). */

static void write_character(char c, FILE *out) {
    static const struct {
        char c;
        const char *escaped;
    } special[] = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"},
                   {'^', "\\(ha"}, {'~', "\\(ti"}, {'"', "\\(dq"}};
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
        if (special[i].c == c) {
            fputs(special[i].escaped, out);
            return;
        }
    fputc(c, out);
}

/* Writes a text as it stands, with what is special to roff escaped. */
static void roff_literal(const char *text, FILE *out) {
    if (text[0] == '.')
        fputs("\\&", out); /* else the line would be a macro */
    for (; *text != '\0'; text++)
        write_character(*text, out);
}

/* Writes the part of a line with its bold words. */
static void write_words(const char *text, size_t length, FILE *out) {
    bool bold = false;
    if (length > 0 && text[0] == '.')
        fputs("\\&", out);
    for (size_t i = 0; i < length; i++) {
        bool in_word = i > 0 && i + 1 < length && isalnum((unsigned char)text[i - 1]) &&
                       isalnum((unsigned char)text[i + 1]);
        if (text[i] == '`') {
            bold = !bold;
            fputs(bold ? "\\fB" : "\\fR", out);
        } else if (text[i] == '-' && in_word && !bold) {
            fputc('-', out); /* a hyphen, where a line may be broken */
        } else {
            write_character(text[i], out);
        }
    }
    fputs(bold ? "\\fR\n" : "\n", out);
}

static size_t line_length(const char *text) {
    return strcspn(text, "\n");
}

/* Writes prose: what stands between backquotes is bold, an empty line ends a paragraph, and lines
 * that begin with two blanks keep their form. */
static void roff_prose(const char *text, FILE *out) {
    bool kept = false; /* in lines that keep their form */
    while (*text != '\0') {
        size_t length = line_length(text);
        bool keep = strncmp(text, "  ", 2) == 0;
        if (keep != kept)
            fputs(keep ? ".PP\n.nf\n" : ".fi\n", out);
        if (length == 0)
            fputs(".PP\n", out);
        else
            write_words(text, length, out);
        kept = keep;
        text += length;
        text += *text == '\n';
    }
    if (kept)
        fputs(".fi\n", out);
}

static void write_upper(const char *text, FILE *out) {
    for (; *text != '\0'; text++)
        write_character((char)toupper((unsigned char)*text), out);
}

/* What a page begins with: "tmasim-run", "1", and one sentence. */
static void roff_begin(const char *name, const char *section, const char *summary, FILE *out) {
    size_t length = strlen(summary);
    fputs(".\\\" `tmasim help --man` writes this page.\n.TH ", out);
    write_upper(name, out);
    fprintf(out, " %s %s \"tmasim %s\" \"tmasim manual\"\n.nh\n.ad l\n.SH NAME\n", section,
            TMA_VERSION_DATE, TMA_VERSION);
    roff_literal(name, out);
    fputs(" \\- ", out);
    /* By custom, the line begins with a small letter and has no full stop. */
    bool acronym = isupper((unsigned char)summary[0]) && isupper((unsigned char)summary[1]);
    for (size_t i = 0; i < length - (summary[length - 1] == '.'); i++)
        write_character(i == 0 && !acronym ? (char)tolower((unsigned char)summary[i]) : summary[i],
                        out);
    fputc('\n', out);
}

/* Begins a section (".SH") or a part of one (".SS"). The heading may have backquotes. */
static void roff_section(const char *macro, const char *heading, FILE *out) {
    fprintf(out, "%s ", macro);
    for (; *heading != '\0'; heading++) {
        if (*heading == '`')
            continue;
        if (strcmp(macro, ".SH") == 0)
            write_character((char)toupper((unsigned char)*heading), out);
        else
            write_character(*heading, out);
    }
    fputc('\n', out);
}

static void begin_item(const char *term, FILE *out) {
    fputs(".TP\n\\fB", out);
    roff_literal(term, out);
    fputs("\\fR", out);
}

static void write_option(const struct cli_option *option, FILE *out) {
    fputs(".TP\n\\fB", out);
    if (option->short_name != NULL) {
        roff_literal(option->short_name, out);
        fputs("\\fR, \\fB", out);
    }
    roff_literal(option->name, out);
    fputs("\\fR", out);
    if (option->value != NULL) {
        fputs(option->optional ? "[=\\fI" : " \\fI", out);
        roff_literal(option->value, out);
        fputs(option->optional ? "\\fR]" : "\\fR", out);
    }
    fputc('\n', out);
    roff_prose(option->help, out);
    if (option->names != NULL) {
        fputs(".br\nValues: ", out);
        tma_names_write(option->names, out);
        fputc('\n', out);
    }
}

static void write_see_also(const char *const *pages, size_t count, FILE *out) {
    roff_section(".SH", "See also", out);
    for (size_t i = 0; i < count; i++) {
        size_t name = strcspn(pages[i], "(");
        fprintf(out, ".BR %.*s %s%s\n", (int)name, pages[i], pages[i] + name,
                i + 1 < count ? " ," : "");
    }
}

#define SEE_ALSO(out, ...)                                                                         \
    write_see_also((const char *const[]){__VA_ARGS__},                                             \
                   sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), out)

void cli_manual_verb(const struct cli_verb *verb, FILE *out) {
    char name[64];
    snprintf(name, sizeof name, "tmasim-%s", verb->name);
    roff_begin(name, "1", verb->summary, out);
    roff_section(".SH", "Synopsis", out);
    fputs("\\fBtmasim ", out);
    roff_literal(verb->name, out);
    fputs(verb->operands[0] == '\0' ? "\\fR" : "\\fR ", out);
    roff_literal(verb->operands, out);
    fputs(" [\\fIoptions\\fR]\n", out);
    roff_section(".SH", "Description", out);
    roff_prose(verb->summary, out);
    if (verb->details != NULL) {
        fputs(".PP\n", out);
        roff_prose(verb->details, out);
    }
    if (verb->example != NULL) {
        roff_section(".SH", "Example", out);
        fputs(".EX\n", out);
        fprintf(out, "tmasim %s ", verb->name);
        roff_literal(verb->example, out);
        fputs("\n.EE\n", out);
    }
    roff_section(".SH", "Options", out);
    const struct cli_option *option;
    for (size_t i = 0; (option = cli_verb_option(verb, i)) != NULL; i++)
        write_option(option, out);
    if (verb->statuses != NULL) {
        roff_section(".SH", "Exit status", out);
        roff_prose(verb->statuses, out);
    }
    SEE_ALSO(out, "tmasim(1)", "tmasim-scenario(5)", "tmasim-kernel(5)", "tmasim-machine(5)");
}

static void write_environment(FILE *out) {
    static const struct {
        const char *name, *meaning;
    } variables[] = {
        {"NO_COLOR", "Where it is set and not empty, nothing is coloured. Without it, a terminal "
                     "gets colours, and a file or a pipe never."},
        {"TERM", "Where it is `dumb`, nothing is coloured, either."},
        {"TMASIM_ENGINE", "The file of the module that simulates, where it lies elsewhere than the "
                          "command or the library expects it."},
        {"TMASIM_PATH",
         "Folders with `gpus`, `kernels` and `scenarios` in them, with colons between "
         "the folders: where names of machines, kernels and scenarios are looked "
         "for before those that belong to tmasim."},
        {"TMASIM_QUIET", "Where it is set, no progress is shown, as with `--quiet`."},
        {"TMASIM_RANK_TIMEOUT",
         "For tmasim-mpi, which runs sweeps and tuners in the ranks of an MPI "
         "job: after how many seconds without a sign of life a rank counts "
         "as dead (default: 30)."},
    };
    roff_section(".SH", "Environment", out);
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        begin_item(variables[i].name, out);
        fputc('\n', out);
        roff_prose(variables[i].meaning, out);
    }
}

void cli_manual_command(const struct cli_verb *const *verbs, FILE *out) {
    roff_begin("tmasim", "1",
               "simulator of the GPU memory subsystem around the Tensor Memory Accelerator", out);
    roff_section(".SH", "Synopsis", out);
    fputs("\\fBtmasim\\fR \\fIverb\\fR [\\fIoptions\\fR] [\\fIoperand\\fR ...]\n", out);
    roff_section(".SH", "Description", out);
    roff_prose("`tmasim` simulates what the Tensor Memory Accelerator (TMA) of NVIDIA's Hopper "
               "and Blackwell GPUs does, and the memory around it: shared memory, L2 and "
               "DRAM.\nIt checks tensor maps as the driver does, shows where each byte of a "
               "tile lies, and says how many cycles a kernel takes and what limits it.\n\nA "
               "scenario is a YAML file: tensor maps, and a kernel that uses them.\nA machine "
               "is a YAML file with every number that the timing uses.",
               out);
    roff_section(".SH", "Verbs", out);
    for (; *verbs != NULL; verbs++) {
        fprintf(out, ".TP\n.BR tmasim\\-%s (1)\n", (*verbs)->name);
        roff_prose((*verbs)->summary, out);
    }
    roff_section(".SH", "Options", out);
    fputs(".TP\n\\fB\\-\\-help\\fR\nshow the verbs\n.TP\n\\fB\\-\\-version\\fR\nshow the version\n",
          out);
    roff_section(".SH", "Exit status", out);
    roff_prose("0 if all is well; 2 for wrong usage, or a file that cannot be read or "
               "written.\nThe page of each verb has its others.",
               out);
    write_environment(out);
    roff_section(".SH", "Files", out);
    begin_item("../share/tmasim/configs", out);
    fputc('\n', out);
    roff_prose("Machines (`gpus`), the library of kernels (`kernels`) and scenarios to start "
               "from, relative to the folder of the command.",
               out);
    roff_section(".SH", "Examples", out);
    roff_prose("Simulate a kernel of the library with its own sizes:\n"
               "  tmasim run gemm_ws --set M=2048 --set STAGES=3\n\n"
               "Compare the swizzle modes of a tile:\n"
               "  tmasim compare transpose\n\n"
               "Check a tensor map against the rules of the driver:\n"
               "  tmasim check map.json",
               out);
    SEE_ALSO(out, "tmasim-scenario(5)", "tmasim-kernel(5)", "tmasim-machine(5)");
}

static void write_key(const struct tma_key *key, FILE *out) {
    begin_item(key->path, out);
    fputc('\n', out);
    roff_prose(key->meaning, out);
    fputs(".br\nTakes ", out);
    tma_key_write_expected(key, out);
    fputc('\n', out);
    if (key->fallback == TMA_REQUIRED) {
        fputs(".br\nRequired.\n", out);
    } else if (key->fallback[0] != '\0') {
        fputs(".br\nDefault: ", out);
        roff_prose(key->fallback, out);
    }
}

static void write_section(void *context, const struct tma_section *section) {
    FILE *out = context;
    roff_section(".SS", section->heading, out);
    for (size_t i = 0; i < section->schema.count; i++)
        write_key(&section->schema.keys[i], out);
}

static void begin_file(const char *name, const char *summary, const char *description, FILE *out) {
    roff_begin(name, "5", summary, out);
    roff_section(".SH", "Description", out);
    roff_prose(description, out);
    roff_section(".SH", "Keys", out);
}

/* What numbers of all files have in common. */
#define UNITS                                                                                      \
    "\n\nA unit is part of the number: `4 KiB`, `1980 MHz`, `50 cycles`.\nUnknown keys, missing "  \
    "keys and values out of range are errors, each with its line and column."

void cli_manual_scenario(FILE *out) {
    begin_file("tmasim-scenario", "scenario files of tmasim",
               "A scenario is a YAML file that says what is simulated: tensor maps, and what the "
               "CTAs of a kernel do with them, either in the short form of `workload` or as the "
               "programs of `kernel`.\nWith `parameters`, each number may be an expression of "
               "them." UNITS,
               out);
    tma_scenario_sections(write_section, out);
    SEE_ALSO(out, "tmasim(1)", "tmasim-kernel(5)", "tmasim-machine(5)");
}

static void write_statement(const struct tma_statement_form *form, FILE *out) {
    const struct {
        const char *title, *text;
    } parts[] = {{"Takes ", form->takes},
                 {"Beside it: ", form->beside},
                 {"Stands for ", form->instruction},
                 {"Costs: ", form->cost}};
    begin_item(form->word, out);
    fputc('\n', out);
    roff_prose(form->meaning, out);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].text[0] != '\0') {
            fprintf(out, ".br\n%s", parts[i].title);
            roff_prose(parts[i].text, out);
        }
}

void cli_manual_kernel(FILE *out) {
    begin_file("tmasim-kernel", "kernels in scenario files of tmasim",
               "The key `kernel` of a scenario says what the CTAs do as programs of roles: warps "
               "that load, multiply and store, and hand stages of shared memory to each "
               "other.\nNumbers of a program are expressions of the parameters, of the variables "
               "of loops, and of `cta`, `ctas`, `rank` and `cluster`." UNITS,
               out);
    tma_kernel_sections(write_section, out);
    roff_section(".SH", "Statements", out);
    for (size_t i = 0; i < tma_statement_form_count; i++)
        write_statement(&tma_statement_forms[i], out);
    roff_section(".SH", "Keys of statements", out);
    tma_statement_sections(write_section, out);
    SEE_ALSO(out, "tmasim(1)", "tmasim-scenario(5)", "tmasim-machine(5)");
}

void cli_manual_machine(FILE *out) {
    begin_file("tmasim-machine", "machine files of tmasim",
               "A machine is a YAML file with every number that the timing of a GPU "
               "uses.\nScenarios name it with `gpu`; `--set gpu.KEY=VALUE` changes one value for a "
               "run." UNITS,
               out);
    tma_machine_sections(write_section, out);
    SEE_ALSO(out, "tmasim(1)", "tmasim-scenario(5)", "tmasim-kernel(5)");
}
