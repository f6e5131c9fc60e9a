#include "cli/rules_reference.h"

#include "tensormap/advice.h"

/* Writes the names whose values are in a bit set. A value is a bit of the set itself, or the number
 * of a bit. */
static void write_names(const struct tma_names *names, unsigned set, bool values_are_bits,
                        FILE *out) {
    bool first = true;
    for (size_t i = 0; i < names->count; i++) {
        unsigned bit = (unsigned)names->items[i].value;
        if ((set & (values_are_bits ? bit : 1u << bit)) == 0)
            continue;
        fprintf(out, "%s%s", first ? "" : ", ", names->items[i].name);
        first = false;
    }
}

static void write_rule(const struct tma_rule *rule, FILE *out) {
    fprintf(out, "\n### %s\n\n%s.\n\n- why: %s\n- fix: %s\n- source: %s\n- applies to: ", rule->id,
            rule->condition, rule->why, rule->fix, rule->source);
    write_names(&tma_map_kind_names, rule->kinds, false, out);
    fputs(" maps on ", out);
    write_names(&tma_architecture_names, rule->architectures, true, out);
    fputc('\n', out);
}

void cli_rules_reference(FILE *out) {
    fputs("## Rules: a tensor map that breaks one is illegal\n", out);
    for (size_t i = 0; i < tma_rule_count; i++)
        write_rule(&tma_rules[i], out);
    fputs("\n## Advice: legal settings that are costly or easy to misread\n", out);
    for (size_t i = 0; i < tma_advice_rule_count; i++)
        fprintf(out, "\n### %s\n\n%s.\n\n- fix: %s\n", tma_advice_rules[i].id,
                tma_advice_rules[i].what, tma_advice_rules[i].fix);
}
