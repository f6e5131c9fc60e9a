#include <inttypes.h>

#include "cli/help/help_topics.h"
#include "placement/operation_rules.h"
#include "tensormap/advice.h"
#include "tensormap/descriptor.h"
#include "tensormap/readings.h"

/* Writes a cell of a Markdown table. */
static void write_cell(const char *text, FILE *out) {
    fputs("| ", out);
    for (; *text != '\0'; text++)
        fprintf(out, *text == '|' ? "\\%c" : "%c", *text);
    fputc(' ', out);
}

static void write_row(const char *const *cells, size_t count, FILE *out) {
    for (size_t i = 0; i < count; i++)
        write_cell(cells[i], out);
    fputs("|\n", out);
}

#define WRITE_ROW(out, ...)                                                                        \
    write_row((const char *const[]){__VA_ARGS__},                                                  \
              sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), out)

static void architectures_cell(unsigned architectures, char *text, size_t size) {
    if (architectures == TMA_ALL_ARCHITECTURES)
        snprintf(text, size, "all");
    else
        tma_architectures_text(architectures, text, size);
}

static void kinds_cell(unsigned kinds, char *text, size_t size) {
    size_t used = 0;
    unsigned all = 0;
    for (size_t i = 0; i < tma_map_kind_names.count; i++)
        all |= 1u << tma_map_kind_names.items[i].value;
    if ((kinds & all) == all) {
        snprintf(text, size, "all");
        return;
    }
    for (size_t i = 0; i < tma_map_kind_names.count && used < size; i++)
        if ((kinds >> tma_map_kind_names.items[i].value & 1) != 0)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used == 0 ? "" : ", ",
                                     tma_map_kind_names.items[i].name);
}

static void write_map_rules(FILE *out) {
    fputs("\n## Tensor maps\n\nThe rules of cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col and "
          "cuTensorMapEncodeIm2colWide.\n\n"
          "| rule | condition | maps | architectures | basis | source |\n"
          "| --- | --- | --- | --- | --- | --- |\n",
          out);
    for (const struct tma_rule *rule = tma_rules; rule < tma_rules + tma_rule_count; rule++) {
        char kinds[64], architectures[64];
        kinds_cell(rule->kinds, kinds, sizeof kinds);
        architectures_cell(rule->architectures, architectures, sizeof architectures);
        WRITE_ROW(out, rule->id, rule->condition, kinds, architectures,
                  tma_name_of(&tma_basis_names, (int)rule->basis), rule->source);
    }
    fputs("\n| rule | why | fix |\n| --- | --- | --- |\n", out);
    for (size_t i = 0; i < tma_rule_count; i++)
        WRITE_ROW(out, tma_rules[i].id, tma_rules[i].why, tma_rules[i].fix);
}

static void write_operation_rules(FILE *out) {
    fputs("\n## Operations\n\nThe rules of cp.async.bulk.tensor, cp.reduce.async.bulk.tensor and "
          "cp.async.bulk.prefetch.tensor. A fault stops the kernel;\nother broken rules are "
          "refused.\n\n"
          "| rule | operations | condition | architectures | basis | if broken | source |\n"
          "| --- | --- | --- | --- | --- | --- | --- |\n",
          out);
    for (size_t i = 0; i < tma_operation_rule_count; i++) {
        const struct tma_operation_rule *rule = &tma_operation_rules[i];
        char architectures[64];
        architectures_cell(rule->architectures, architectures, sizeof architectures);
        WRITE_ROW(out, rule->id, rule->operations, rule->condition, architectures,
                  tma_name_of(&tma_basis_names, (int)rule->basis),
                  rule->code == TMA_ERROR_FAULT ? "fault" : "refused", rule->source);
    }
}

static void write_features(FILE *out) {
    fputs("\n## Architectures\n\nWhich architecture has what. sm_100 stands for sm_100a and "
          "sm_100f, sm_103 for sm_103a, sm_120 for sm_120a.\n\n"
          "| feature | architectures | source |\n| --- | --- | --- |\n",
          out);
    for (unsigned i = 0; i < TMA_FEATURE_COUNT; i++) {
        const struct tma_feature_info *info = tma_feature_info((enum tma_feature)i);
        char architectures[64];
        architectures_cell(info->architectures, architectures, sizeof architectures);
        WRITE_ROW(out, info->name, architectures, info->source);
    }
}

/* "0 to 4", "u8 (0), u16 (1)". */
static void values_cell(enum tma_replace_field field, char *text, size_t size) {
    const struct tma_names *names = tma_replace_value_names(field);
    const struct tma_replace_limits *limits = tma_replace_limits(field);
    size_t used = 0;
    if (names == NULL)
        snprintf(text, size, "%" PRIu64 " to %" PRIu64 "%s", limits->least, limits->most,
                 limits->multiple > 1 ? ", multiples of 16" : "");
    for (size_t i = 0; names != NULL && i < names->count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s (%d)", used == 0 ? "" : ", ",
                                 names->items[i].name, names->items[i].value);
}

static void write_replacements(FILE *out) {
    fputs("\n## Replacing fields\n\ncuTensorMapReplaceAddress takes an address with the alignment "
          "that the map's interleave and type require\n(rule address_alignment; source: CUDA "
          "driver API, cuTensorMapReplaceAddress; basis: documents). A descriptor lies at\nan "
          "address that is a multiple of 64 bytes (source: CUDA driver API, tensorMap).\n\n"
          "tensormap.replace (source: PTX ISA, tensormap.replace, table 33; basis: documents) has "
          "tiled maps only, and takes:\n\n"
          "| field | ordinals | values |\n| --- | --- | --- |\n",
          out);
    for (size_t i = 0; i < tma_replace_field_names.count; i++) {
        enum tma_replace_field field =
            (enum tma_replace_field)tma_replace_field_names.items[i].value;
        unsigned ordinals = tma_replace_limits(field)->ordinals;
        char range[32] = "none", values[300];
        if (ordinals > 1)
            snprintf(range, sizeof range, "0 to %u", ordinals - 1);
        values_cell(field, values, sizeof values);
        WRITE_ROW(out, tma_replace_field_names.items[i].name, range, values);
    }
}

static void write_readings(FILE *out) {
    fputs("\n## Readings\n\nWhere the documents are silent, ambiguous or contradicted.\n\n"
          "| subject | document | reading | what decides |\n| --- | --- | --- | --- |\n",
          out);
    for (size_t i = 0; i < tma_document_reading_count; i++) {
        const struct tma_document_reading *reading = &tma_document_readings[i];
        WRITE_ROW(out, reading->subject, reading->document, reading->reading, reading->decides);
    }
}

static void write_advice(FILE *out) {
    enum { FIX_BYTES = 200 };
    fputs("\n## Advice\n\nProperties of legal maps that are costly or surprising.\n\n"
          "| advice | property | fix |\n| --- | --- | --- |\n",
          out);
    for (size_t i = 0; i < tma_advice_rule_count; i++) {
        const struct tma_advice_rule *rule = &tma_advice_rules[i];
        char fix[FIX_BYTES];
        snprintf(fix, sizeof fix, "%s%s%s", rule->fix, rule->unless != NULL ? ", unless " : "",
                 rule->unless != NULL ? rule->unless : "");
        WRITE_ROW(out, rule->id, rule->what, fix);
    }
}

void cli_rules_reference(FILE *out) {
    fputs("# Rules of tensor maps and their operations\n\n"
          "`tmasim help rules` writes this page. What each rule rests on:\n\n"
          "- records: the documents say it, and records of an H200 confirm it\n"
          "- documents: the documents say it, and no record exists\n"
          "- measured: records of an H200 show it, and the documents do not say it\n"
          "- reading: an interpretation of the documents (see Readings)\n",
          out);
    write_map_rules(out);
    write_operation_rules(out);
    write_features(out);
    write_replacements(out);
    write_readings(out);
    write_advice(out);
}
