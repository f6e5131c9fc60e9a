#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/help/help_topics.h"
#include "memory/machine_parameter.h"
#include "report/json_writer.h"
#include "scenario/key.h"
#include "scenario/machine_file.h"
#include "scenario/sections.h"

/* The JSON Schema of the value of one key: words, numbers with units, expressions, lists of them.
 */

/* Writes the meaning of a key. */
static void schema_meaning(struct tma_json *json, const struct tma_key *key) {
    if (key->meaning != NULL)
        tma_json_string(json, "description", key->meaning);
}

static void write_types(struct tma_json *json, const char *first, const char *second) {
    tma_json_begin_list(json, "type");
    tma_json_string(json, NULL, first);
    tma_json_string(json, NULL, second);
    tma_json_end_array(json);
}

/* Writes what an expression in the program of a kernel may be. */
static void schema_expression(struct tma_json *json) {
    write_types(json, "integer", "string");
}

/* Returns true if the text is a whole number, as which YAML then takes it. */
static bool is_whole(const char *text, int64_t *value) {
    char *end;
    *value = strtoll(text, &end, 10);
    return end != text && *end == '\0';
}

static void write_word(struct tma_json *json, const char *key, const char *word) {
    int64_t whole;
    if (is_whole(word, &whole))
        tma_json_decimal(json, key, (double)whole, 0);
    else if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
        tma_json_bool(json, key, word[0] == 't');
    else
        tma_json_string(json, key, word);
}

static void write_words(struct tma_json *json, const struct tma_names *names) {
    const struct tma_names *cuda = tma_cuda_names(names);
    tma_json_begin_list(json, "enum");
    for (size_t i = 0; i < names->count; i++)
        write_word(json, NULL, names->items[i].name);
    for (size_t i = 0; cuda != NULL && i < cuda->count; i++)
        tma_json_string(json, NULL, cuda->items[i].name);
    tma_json_end_array(json);
}

/* A bound beyond 10^15 is that of the type, which the file need not know. */
static void write_bound(struct tma_json *json, const char *name, double bound) {
    if (fabs(bound) < 1e15)
        tma_json_decimal(json, name, bound, bound == floor(bound) ? 0 : 6);
}

/* One of the forms that a value may have. */
static void write_plain_number(struct tma_json *json, const struct tma_key *key) {
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "type", key->kind == TMA_KEY_F64 ? "number" : "integer");
    if (key->unit->optional) {
        write_bound(json, "minimum", key->min);
        write_bound(json, "maximum", key->max);
    } else {
        tma_json_unsigned(json, "const", 0); /* which alone needs no unit */
    }
    tma_json_end_object(json);
}

static void write_number_with_unit(struct tma_json *json, const struct tma_key *key) {
    char pattern[160];
    size_t used = (size_t)snprintf(pattern, sizeof pattern, "^-?[0-9]+([.][0-9]+)? ?(");
    for (size_t i = 0; i < key->unit->count && used < sizeof pattern; i++)
        used += (size_t)snprintf(pattern + used, sizeof pattern - used, "%s%s", i == 0 ? "" : "|",
                                 key->unit->suffixes[i].name);
    if (used < sizeof pattern)
        snprintf(pattern + used, sizeof pattern - used, ")$");
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "type", "string");
    tma_json_string(json, "pattern", pattern);
    tma_json_end_object(json);
}

/* The name of a parameter, or a text with an operator: which names there are, only tmasim knows. */
static void write_expression(struct tma_json *json) {
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "type", "string");
    tma_json_string(json, "pattern", "^[A-Za-z_][A-Za-z0-9_]*$|[-+*/%()<>=!&|?,]");
    tma_json_end_object(json);
}

static void write_number_forms(struct tma_json *json, const struct tma_key *key, bool expressions) {
    write_plain_number(json, key);
    if (key->unit->count > 0)
        write_number_with_unit(json, key);
    if (expressions)
        write_expression(json);
}

static void write_words_form(struct tma_json *json, const struct tma_names *names) {
    tma_json_begin_object(json, NULL);
    write_words(json, names);
    tma_json_end_object(json);
}

static void write_item(struct tma_json *json, const struct tma_key *key, bool expressions) {
    tma_json_begin_object(json, "items");
    if (key->kind == TMA_KEY_EXPRESSION) {
        schema_expression(json);
    } else {
        tma_json_begin_array(json, "anyOf");
        write_number_forms(json, key, expressions);
        tma_json_end_array(json);
    }
    tma_json_end_object(json);
}

static void write_list_form(struct tma_json *json, const struct tma_key *key, bool expressions) {
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "type", "array");
    write_item(json, key, expressions);
    tma_json_unsigned(json, "minItems", key->fallback == tma_optional_list ? 0 : 1);
    tma_json_unsigned(json, "maxItems", key->limit);
    tma_json_end_object(json);
}

/* Lists, and numbers, which words and expressions may stand for. */
static void write_forms(struct tma_json *json, const struct tma_key *key, bool expressions) {
    tma_json_begin_array(json, "anyOf");
    if (key->names != NULL)
        write_words_form(json, key->names);
    if (key->limit > 0)
        write_list_form(json, key, expressions);
    else
        write_number_forms(json, key, expressions);
    if (key->limit > 0 && key->kind == TMA_KEY_EXPRESSION) {
        tma_json_begin_object(json, NULL);
        schema_expression(json);
        tma_json_end_object(json);
    }
    tma_json_end_array(json);
}

/* Words that are numbers, such as the CTAs of a cluster, may be computed. */
static void write_computed_words(struct tma_json *json, const struct tma_names *names) {
    tma_json_begin_array(json, "anyOf");
    write_words_form(json, names);
    write_expression(json);
    tma_json_end_array(json);
}

/* Writes what a key takes into the open object, with its meaning and default. Not for a key whose
 * value is a mapping or a list of them. `expressions`: numbers may be expressions of parameters. */
static void schema_value(struct tma_json *json, const struct tma_key *key, bool expressions) {
    const struct tma_names *words = tma_key_words(key);
    int64_t whole;
    schema_meaning(json, key);
    if (key->fallback != TMA_REQUIRED && key->fallback[0] != '\0' && key->limit == 0)
        write_word(json, "default", key->fallback);
    if (key->kind == TMA_KEY_CHARS) {
        write_types(json, "string", "number");
        tma_json_unsigned(json, "maxLength", (uint64_t)key->max);
    } else if (key->limit > 0 || tma_key_is_number(key)) {
        write_forms(json, key, expressions);
    } else if (key->kind == TMA_KEY_EXPRESSION) {
        schema_expression(json);
    } else if (expressions && is_whole(words->items[0].name, &whole)) {
        write_computed_words(json, words);
    } else {
        write_words(json, words);
    }
}

/* What the value of a key is, where it is no number, text or word. */
enum shape {
    SHAPE_ONE,              /* a mapping with the keys of a section */
    SHAPE_LIST,             /* a list of them */
    SHAPE_NAMED,            /* NAME: {...} for each */
    SHAPE_NUMBERS,          /* NAME: NUMBER */
    SHAPE_SIZES_OR_NAMED,   /* NAME: BYTES, or NAME: {...} */
    SHAPE_LISTS_OR_NAMED,   /* NAME: [NUMBER, ...], or NAME: {...} */
    SHAPE_NAMES_OR_NUMBERS, /* [NAME, ...] or NAME: NUMBER; or NAME: {...}, where it has a section
                             */
    SHAPE_COPIES,           /* NUMBER, NAME: NUMBER or NAME: [NUMBER, NUMBER] */
    SHAPE_NAME_OR_ONE,      /* a text, or a mapping that may extend what a text names */
    SHAPE_TEXT_OR_ONE       /* a text, or a mapping that is complete */
};

static const struct part {
    const char *section, *key;
    enum shape shape;
    const char *of; /* the section of its parts, or NULL */
} parts[] = {
    {"scenario", "gpu", SHAPE_NAME_OR_ONE, "machine"},
    {"scenario", "parameters", SHAPE_NUMBERS, NULL},
    {"scenario", "requires", SHAPE_LIST, "requirement"},
    {"scenario", "tensor_maps", SHAPE_NAMED, "tensor_map"},
    {"scenario", "workload", SHAPE_ONE, "workload"},
    {"scenario", "kernel", SHAPE_ONE, "kernel"},
    {"workload", "operations", SHAPE_LIST, "operation"},
    {"workload", "consumers", SHAPE_LIST, "consumer"},
    {"kernel", "tables", SHAPE_LISTS_OR_NAMED, "table"},
    {"kernel", "rings", SHAPE_NAMED, "ring"},
    {"kernel", "buffers", SHAPE_SIZES_OR_NAMED, "buffer"},
    {"kernel", "barriers", SHAPE_NAMES_OR_NUMBERS, "barrier"},
    {"kernel", "roles", SHAPE_NAMED, "role"},
    {"ring", "operands", SHAPE_NAMES_OR_NUMBERS, NULL},
    {"kernel", "flags", SHAPE_NUMBERS, NULL},
    {"ring", "copies", SHAPE_COPIES, NULL},
    {"buffer", "copies", SHAPE_COPIES, NULL},
    {"barrier", "copies", SHAPE_COPIES, NULL},
    {"role", "copies", SHAPE_COPIES, NULL},
    {"role", "program", SHAPE_LIST, "statement"},
    {"mma", "a", SHAPE_TEXT_OR_ONE, "mma_operand"},
    {"mma", "b", SHAPE_TEXT_OR_ONE, "mma_operand"},
};

static const struct part *find_part(const char *section, const char *key) {
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strcmp(parts[i].section, section) == 0 && strcmp(parts[i].key, key) == 0)
            return &parts[i];
    return NULL;
}

/* A scenario that extends another one gets what it lacks from that one, mapping by mapping. So each
 * section that is a mapping there has two definitions: with the keys that it must have, and
 * without.
 */
enum completeness { COMPLETE, OVER_BASE };

/* Whether values of the section are joined with those of a base. Lists are replaced as a whole:
 * what is in them has to be complete. */
static bool is_joined(const char *section) {
    bool joined = strcmp(section, "scenario") == 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        joined = joined || (parts[i].shape != SHAPE_LIST && parts[i].shape != SHAPE_TEXT_OR_ONE &&
                            parts[i].of != NULL && strcmp(parts[i].of, section) == 0);
    return joined;
}

enum { DEFINITION_BYTES = 64 };

static const char *definition_name(const char *section, enum completeness completeness,
                                   char name[DEFINITION_BYTES]) {
    snprintf(name, DEFINITION_BYTES, "%s%s", section,
             completeness == OVER_BASE && is_joined(section) ? "_over_base" : "");
    return name;
}

/* A reference to the definition of a section. */
static void write_reference(struct tma_json *json, const char *key, const char *section,
                            enum completeness completeness) {
    char name[DEFINITION_BYTES], text[DEFINITION_BYTES + 16];
    snprintf(text, sizeof text, "#/definitions/%s", definition_name(section, completeness, name));
    tma_json_begin_object(json, key);
    tma_json_string(json, "$ref", text);
    tma_json_end_object(json);
}

static void write_expression_form(struct tma_json *json, const char *key) {
    tma_json_begin_object(json, key);
    schema_expression(json);
    tma_json_end_object(json);
}

static void write_names_form(struct tma_json *json) {
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "type", "array");
    tma_json_unsigned(json, "minItems", 1);
    tma_json_begin_object(json, "items");
    tma_json_string(json, "type", "string");
    tma_json_end_object(json);
    tma_json_end_object(json);
}

static void write_numbers_form(struct tma_json *json) {
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "type", "array");
    tma_json_unsigned(json, "minItems", 1);
    write_expression_form(json, "items");
    tma_json_end_object(json);
}

/* NAME: NUMBER or NAME: [NUMBER, NUMBER]. */
static void write_numbered_name(struct tma_json *json) {
    tma_json_string(json, "type", "object");
    tma_json_unsigned(json, "minProperties", 1);
    tma_json_begin_object(json, "additionalProperties");
    tma_json_begin_array(json, "anyOf");
    write_expression_form(json, NULL);
    write_numbers_form(json);
    tma_json_end_array(json);
    tma_json_end_object(json);
}

/* NAME: VALUE, for any name. */
static void write_mapping(struct tma_json *json, const struct part *part,
                          enum completeness completeness) {
    tma_json_string(json, "type", "object");
    tma_json_unsigned(json, "minProperties", 1);
    if (part->shape == SHAPE_NAMED) {
        write_reference(json, "additionalProperties", part->of, completeness);
    } else if (part->of != NULL) {
        tma_json_begin_object(json, "additionalProperties");
        tma_json_begin_array(json, "anyOf");
        write_reference(json, NULL, part->of, completeness);
        if (part->shape != SHAPE_LISTS_OR_NAMED)
            write_expression_form(json, NULL);
        else
            write_numbers_form(json);
        tma_json_end_array(json);
        tma_json_end_object(json);
    } else {
        write_expression_form(json, "additionalProperties");
    }
}

static void write_text_form(struct tma_json *json, const char *key) {
    tma_json_begin_object(json, key);
    tma_json_string(json, "type", "string");
    tma_json_unsigned(json, "minLength", 1);
    tma_json_end_object(json);
}

static void write_part(struct tma_json *json, const struct part *part,
                       enum completeness completeness) {
    if (part->shape == SHAPE_ONE) {
        tma_json_begin_array(json, "allOf"); /* draft 7 ignores what stands beside a $ref */
        write_reference(json, NULL, part->of, completeness);
        tma_json_end_array(json);
    } else if (part->shape == SHAPE_LIST) {
        tma_json_string(json, "type", "array");
        tma_json_unsigned(json, "minItems", 1);
        write_reference(json, "items", part->of, COMPLETE);
    } else if (part->shape == SHAPE_NAME_OR_ONE || part->shape == SHAPE_TEXT_OR_ONE) {
        tma_json_begin_array(json, "anyOf");
        write_text_form(json, NULL);
        write_reference(json, NULL, part->of,
                        part->shape == SHAPE_TEXT_OR_ONE ? COMPLETE : OVER_BASE);
        tma_json_end_array(json);
    } else if (part->shape == SHAPE_COPIES) {
        tma_json_begin_array(json, "anyOf");
        write_expression_form(json, NULL);
        tma_json_begin_object(json, NULL);
        write_numbered_name(json);
        tma_json_end_object(json);
        tma_json_end_array(json);
    } else if (part->shape == SHAPE_NAMES_OR_NUMBERS) {
        tma_json_begin_array(json, "anyOf");
        write_names_form(json);
        tma_json_begin_object(json, NULL);
        write_mapping(json, part, completeness);
        tma_json_end_object(json);
        tma_json_end_array(json);
    } else {
        write_mapping(json, part, completeness);
    }
}

/* The keys of a mapping: those of a schema whose paths begin with `prefix`. */
struct level {
    const char *section;
    const struct tma_schema *schema;
    size_t first, end;    /* keys of the schema, which are next to each other */
    size_t prefix_length; /* characters of their paths that lead here */
    bool expressions;     /* numbers may be expressions */
    enum completeness completeness;
    bool extends; /* has the key `extends`, which its schema has not */
};

/* Returns the end of the group that key `first` begins at this level, and the length of its word;
 * first + 1 for a key that stands alone. */
static size_t group_end(const struct level *level, size_t first, size_t *length) {
    const struct tma_key *keys = level->schema->keys;
    const char *path = keys[first].path + level->prefix_length;
    *length = strcspn(path, ".");
    size_t end = first + 1;
    while (path[*length] == '.' && end < level->end &&
           strncmp(keys[end].path, keys[first].path, level->prefix_length + *length + 1) == 0)
        end++;
    return end;
}

static bool is_required(const struct level *level, size_t first, size_t end) {
    for (size_t i = first; i < end; i++)
        if (level->schema->keys[i].fallback == TMA_REQUIRED)
            return true;
    return false;
}

static void write_level(struct tma_json *json, const struct level *level);

/* What scripts want to know of a machine's parameter. Validators ignore keywords like these. */
static void write_parameter(struct tma_json *json, const struct tma_key *key) {
    const struct tma_machine_parameter *parameter = tma_machine_parameter_find(key->path);
    char off[48];
    if (parameter != NULL && parameter->clock != TMA_CLOCK_NONE)
        tma_json_string(json, "x-clock", tma_clock_names[parameter->clock]);
    if (tma_machine_value_off(key, off, sizeof off))
        tma_json_string(json, "x-off", off);
}

static void write_member(struct tma_json *json, const struct level *level, size_t first, size_t end,
                         size_t length) {
    const struct tma_key *key = &level->schema->keys[first];
    const char *path = key->path + level->prefix_length;
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)length, path);
    tma_json_begin_object(json, word);
    if (path[length] == '.') {
        struct level below = *level;
        below.first = first;
        below.end = end;
        below.prefix_length += length + 1;
        below.extends = false;
        write_level(json, &below);
    } else if (tma_key_is_node(key)) {
        const struct part *part = find_part(level->section, key->path);
        assert(part != NULL); /* else the table of parts lacks it */
        schema_meaning(json, key);
        write_part(json, part, level->completeness);
    } else {
        schema_value(json, key, level->expressions);
        if (level->schema == &tma_machine_schema)
            write_parameter(json, key);
    }
    tma_json_end_object(json);
}

static void write_required(struct tma_json *json, const struct level *level) {
    size_t length;
    if (!is_required(level, level->first, level->end))
        return;
    tma_json_begin_list(json, "required");
    for (size_t first = level->first, end; first < level->end; first = end) {
        char word[64];
        end = group_end(level, first, &length);
        snprintf(word, sizeof word, "%.*s", (int)length,
                 level->schema->keys[first].path + level->prefix_length);
        if (is_required(level, first, end))
            tma_json_string(json, NULL, word);
    }
    tma_json_end_array(json);
}

static void write_level(struct tma_json *json, const struct level *level) {
    size_t length;
    tma_json_string(json, "type", "object");
    tma_json_begin_object(json, "properties");
    for (size_t first = level->first, end; first < level->end; first = end) {
        end = group_end(level, first, &length);
        write_member(json, level, first, end, length);
    }
    if (level->extends)
        write_text_form(json, "extends");
    tma_json_end_object(json);
    if (level->completeness == COMPLETE)
        write_required(json, level);
    tma_json_bool(json, "additionalProperties", false);
}

static void write_definition(struct tma_json *json, const struct tma_section *section,
                             enum completeness completeness) {
    struct level level = {.section = section->name,
                          .schema = &section->schema,
                          .end = section->schema.count,
                          .expressions = true,
                          .completeness = completeness};
    char name[DEFINITION_BYTES];
    tma_json_begin_object(json, definition_name(section->name, completeness, name));
    write_level(json, &level);
    tma_json_end_object(json);
}

static void write_machine(struct tma_json *json, enum completeness completeness) {
    struct level level = {.section = "machine",
                          .schema = &tma_machine_schema,
                          .end = tma_machine_schema.count,
                          .completeness = completeness,
                          .extends = completeness == OVER_BASE};
    write_level(json, &level);
}

/* A machine within a scenario may extend another one, and lack what that one has. */
static void write_machine_definition(struct tma_json *json) {
    char name[DEFINITION_BYTES];
    tma_json_begin_object(json, definition_name("machine", OVER_BASE, name));
    write_machine(json, OVER_BASE);
    tma_json_end_object(json);
}

static void write_section(void *context, const struct tma_section *section) {
    struct tma_json *json = context;
    write_definition(json, section, COMPLETE);
    if (is_joined(section->name))
        write_definition(json, section, OVER_BASE);
}

static void write_program(struct tma_json *json, const char *key) {
    tma_json_begin_object(json, key);
    tma_json_string(json, "type", "array");
    write_reference(json, "items", "statement", COMPLETE);
    tma_json_end_object(json);
}

/* {VARIABLE: COUNT}, {VARIABLE: [FROM, TO, STEP]} or {VARIABLE: {...}} */
static void write_loop(struct tma_json *json) {
    tma_json_string(json, "type", "object");
    tma_json_unsigned(json, "minProperties", 1);
    tma_json_unsigned(json, "maxProperties", 1);
    tma_json_begin_object(json, "additionalProperties");
    tma_json_begin_array(json, "anyOf");
    write_expression_form(json, NULL);
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "type", "array");
    tma_json_unsigned(json, "minItems", 2);
    tma_json_unsigned(json, "maxItems", 3);
    write_expression_form(json, "items");
    tma_json_end_object(json);
    write_reference(json, NULL, "tiles", COMPLETE);
    tma_json_end_array(json);
    tma_json_end_object(json);
}

/* The section with the keys of a statement's value, or NULL if it has none. */
static const char *statement_section(const struct tma_statement_form *form) {
    static const char *const transfers[] = {"load",     "store", "reduce", "prefetch",
                                            "cp_async", "bulk",  "atomic"};
    if (strstr(form->takes, "keys below") == NULL)
        return NULL;
    for (size_t i = 0; i < sizeof transfers / sizeof transfers[0]; i++)
        if (strcmp(form->word, transfers[i]) == 0)
            return "transfer";
    return form->word;
}

static bool takes_nothing(const struct tma_statement_form *form) {
    return strcmp(form->takes, "nothing") == 0;
}

static void write_statement_value(struct tma_json *json, const struct tma_statement_form *form) {
    const char *section = statement_section(form);
    tma_json_begin_object(json, form->word);
    tma_json_string(json, "description", form->meaning);
    if (strcmp(form->word, "for") == 0) {
        write_loop(json);
    } else if (strcmp(form->word, "let") == 0 || strcmp(form->word, "each") == 0) {
        write_numbered_name(json);
    } else if (takes_nothing(form)) {
        tma_json_string(json, "type", "null");
    } else if (strcmp(form->takes, "a list of statements") == 0) {
        tma_json_string(json, "type", "array");
        write_reference(json, "items", "statement", COMPLETE);
    } else if (section != NULL) {
        tma_json_begin_array(json, "anyOf");
        write_reference(json, NULL, section, COMPLETE);
        if (strcmp(form->word, "bulk") == 0) /* with `rank` */
            write_reference(json, NULL, "dsmem", COMPLETE);
        if (strcmp(form->takes, "keys below") != 0) /* a word may stand for them */
            write_expression_form(json, NULL);
        tma_json_end_array(json);
    } else {
        schema_expression(json);
    }
    tma_json_end_object(json);
}

/* The keys beside a statement's own: lists of statements, and the number of `ahead`. */
static void write_beside(struct tma_json *json, const struct tma_statement_form *form) {
    for (const char *at = form->beside; *at != '\0';) {
        char word[32];
        size_t length = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        if (strcmp(word, "ahead") == 0)
            write_expression_form(json, word);
        else
            write_program(json, word);
        at += length;
        at += strspn(at, ", ");
    }
}

static void write_statements(struct tma_json *json) {
    tma_json_begin_object(json, "statement");
    tma_json_begin_array(json, "anyOf");
    tma_json_begin_object(json, NULL);
    tma_json_begin_list(json, "enum");
    for (size_t i = 0; i < tma_statement_form_count; i++)
        if (takes_nothing(&tma_statement_forms[i]))
            tma_json_string(json, NULL, tma_statement_forms[i].word);
    tma_json_end_array(json);
    tma_json_end_object(json);
    for (size_t i = 0; i < tma_statement_form_count; i++) {
        const struct tma_statement_form *form = &tma_statement_forms[i];
        tma_json_begin_object(json, NULL);
        tma_json_string(json, "type", "object");
        tma_json_begin_object(json, "properties");
        write_statement_value(json, form);
        write_beside(json, form);
        tma_json_end_object(json);
        tma_json_begin_list(json, "required");
        tma_json_string(json, NULL, form->word);
        tma_json_end_array(json);
        tma_json_bool(json, "additionalProperties", false);
        tma_json_end_object(json);
    }
    tma_json_end_array(json);
    tma_json_end_object(json);
}

static void begin_schema(struct tma_json *json, const char *title) {
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "$schema", "http://json-schema.org/draft-07/schema#");
    tma_json_string(json, "title", title);
}

void cli_scenario_schema(FILE *out) {
    struct tma_json json = {.out = out};
    begin_schema(&json, "tmasim scenario");
    tma_json_begin_object(&json, "if");
    tma_json_begin_list(&json, "required");
    tma_json_string(&json, NULL, "extends");
    tma_json_end_array(&json);
    tma_json_end_object(&json);
    write_reference(&json, "then", "scenario", OVER_BASE);
    write_reference(&json, "else", "scenario", COMPLETE);
    tma_json_begin_object(&json, "definitions");
    tma_scenario_sections(write_section, &json);
    tma_kernel_sections(write_section, &json);
    tma_statement_sections(write_section, &json);
    write_statements(&json);
    write_machine_definition(&json);
    tma_json_end_object(&json);
    tma_json_end_object(&json);
}

void cli_machine_schema(FILE *out) {
    struct tma_json json = {.out = out};
    begin_schema(&json, "tmasim machine");
    write_machine(&json, COMPLETE);
    tma_json_end_object(&json);
}
