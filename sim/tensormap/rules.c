/* Applies the rules of the table, and formats violations. */
#include "tensormap/rules.h"

#include <string.h>

#include "base/digits.h"
#include "tensormap/rule_context.h"

const struct tma_names tma_basis_names =
    TMA_NAMES("basis", {"records", TMA_BASIS_RECORDS}, {"documents", TMA_BASIS_DOCUMENTS},
              {"measured", TMA_BASIS_MEASURED}, {"reading", TMA_BASIS_READING});

const struct tma_rule *tma_rule_by_id(const char *id) {
    for (size_t i = 0; i < tma_rule_count; i++)
        if (strcmp(tma_rules[i].id, id) == 0)
            return &tma_rules[i];
    return NULL;
}

size_t tma_tensor_map_check(const struct tma_tensor_map *map, enum tma_architecture architecture,
                            struct tma_violation *violations, size_t capacity) {
    struct tma_rule_context context = {.map = map,
                                       .architecture = architecture,
                                       .type = tma_type_info(map->data_type),
                                       .violations = violations,
                                       .capacity = capacity};
    /* Bit 31 selects the one rule that also applies to unknown kinds. */
    unsigned kind = 1u << ((unsigned)map->kind <= TMA_MAP_IM2COL_W128 ? (unsigned)map->kind : 31);
    for (const struct tma_rule *rule = tma_rules; rule < tma_rules + tma_rule_count; rule++) {
        if ((rule->kinds & kind) == 0 || (rule->architectures & (unsigned)architecture) == 0)
            continue;
        context.rule = rule;
        rule->check(&context);
    }
    return context.count;
}

bool tma_map_kind_is_usable(enum tma_map_kind kind, enum tma_architecture architecture) {
    switch (kind) {
    case TMA_MAP_IM2COL_W:
        return tma_has_feature(architecture, TMA_FEATURE_IM2COL_W_LOAD);
    case TMA_MAP_IM2COL_W128:
        return tma_has_feature(architecture, TMA_FEATURE_IM2COL_W128);
    default:
        return true;
    }
}

/* Where a text goes on, and its last byte, which a zero needs. A service writes a million of these
 * texts a second: printf() would take most of that time. */
struct text_end {
    char *next, *last;
};

static void put(struct text_end *end, const char *text) {
    size_t length = strlen(text), room = (size_t)(end->last - end->next);
    length = length < room ? length : room;
    memcpy(end->next, text, length);
    end->next += length;
}

/* The names of a bit set's members: "none, 32b, 64b". */
static void put_set(enum tma_field field, enum tma_name_style style, int64_t set,
                    struct text_end *end) {
    const struct tma_names *names = tma_field_info(field)->names;
    const char *joint = "";
    for (size_t i = 0; i < names->count; i++) {
        if (!tma_is_member(set, names->items[i].value))
            continue;
        put(end, joint);
        put(end, tma_name_in(names, style, names->items[i].value));
        joint = ", ";
    }
}

static void put_bound(const struct tma_violation *violation, enum tma_name_style style,
                      struct text_end *end) {
    static const char *const relations[] = {[TMA_AT_LEAST] = "at least ",
                                            [TMA_AT_MOST] = "at most ",
                                            [TMA_MULTIPLE_OF] = "a multiple of ",
                                            [TMA_EXACTLY] = "exactly "};
    char number[TMA_DIGITS_BYTES];
    if (violation->relation == TMA_ONE_OF) {
        put(end, "one of ");
        put_set(violation->field, style, violation->bound, end);
    } else {
        put(end, relations[violation->relation]);
        put(end, tma_signed_digits(violation->bound, number));
    }
}

void tma_violation_text(const struct tma_violation *violation, char *text, size_t size) {
    tma_violation_text_in(violation, TMA_NAMES_SHORT, text, size);
}

void tma_violation_text_in(const struct tma_violation *violation, enum tma_name_style style,
                           char *text, size_t size) {
    const struct tma_field_info *field = tma_field_info(violation->field);
    char index[TMA_DIGITS_BYTES], value[64], nearest[64];
    struct text_end end = {text, text + size - 1};
    tma_field_text_in(violation->field, style, violation->value, value, sizeof value);
    tma_field_text_in(violation->field, style, violation->nearest, nearest, sizeof nearest);
    put(&end, field->name);
    if (violation->index >= 0) {
        put(&end, "[");
        put(&end, tma_signed_digits(violation->index, index));
        put(&end, "]");
    }
    put(&end, " is ");
    put(&end, value);
    put(&end, field->unit[0] == '\0' ? "" : " ");
    put(&end, field->unit);
    put(&end, " and must be ");
    put_bound(violation, style, &end);
    put(&end, " (");
    put(&end, violation->rule->id);
    put(&end, ": ");
    put(&end, violation->rule->condition);
    put(&end, "); nearest legal value: ");
    put(&end, nearest);
    *end.next = '\0';
}

int tma_tensor_map_repair(struct tma_tensor_map *map, enum tma_architecture architecture) {
    enum { MAX_ROUNDS = 8 };
    for (int round = 0;; round++) {
        struct tma_violation violations[TMA_MAX_VIOLATIONS];
        size_t count = tma_tensor_map_check(map, architecture, violations, TMA_MAX_VIOLATIONS);
        if (count == 0 || round == MAX_ROUNDS)
            return count == 0 ? round : -1;
        for (size_t i = 0; i < count && i < TMA_MAX_VIOLATIONS; i++)
            tma_field_set(map, violations[i].field,
                          violations[i].index < 0 ? 0 : (size_t)violations[i].index,
                          violations[i].nearest);
    }
}
