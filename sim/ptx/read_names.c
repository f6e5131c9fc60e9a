#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "base/text_distance.h"
#include "ptx/read_state.h"

static bool grow_name_slots(struct tma_ptx_reader *reader) {
    size_t count = reader->name_slot_count == 0 ? 1024 : 2 * reader->name_slot_count;
    uint32_t *slots = tma_allocate(count, sizeof *slots);
    if (slots == NULL)
        return tma_ptx_no_memory(reader);
    for (uint32_t i = 1; i < reader->name_count; ++i) {
        size_t slot = reader->names[i].hash & (count - 1);
        while (slots[slot] != 0)
            slot = (slot + 1) & (count - 1);
        slots[slot] = i;
    }
    tma_release(reader->name_slots);
    reader->name_slots = slots;
    reader->name_slot_count = count;
    return true;
}

/* The number of a name; 0: it was never seen. *slot: where it is, or belongs. */
static uint32_t find_name(const struct tma_ptx_reader *reader, const char *text, size_t length,
                          uint32_t hash, size_t *slot) {
    size_t mask = reader->name_slot_count - 1;
    if (reader->name_slot_count == 0)
        return 0;
    for (*slot = hash & mask; reader->name_slots[*slot] != 0; *slot = (*slot + 1) & mask) {
        uint32_t number = reader->name_slots[*slot];
        const struct tma_ptx_name *name = &reader->names[number];
        if (name->hash == hash && name->length == length && memcmp(name->text, text, length) == 0)
            return number;
    }
    return 0;
}

uint32_t tma_ptx_intern(struct tma_ptx_reader *reader, const char *text, size_t length,
                        uint32_t hash) {
    size_t slot = 0;
    uint32_t number = find_name(reader, text, length, hash, &slot);
    if (number != 0)
        return number;
    if (2 * (reader->name_count + 1) > reader->name_slot_count) {
        if (!grow_name_slots(reader))
            return 0;
        find_name(reader, text, length, hash, &slot);
    }
    if (reader->name_count == 0)
        reader->name_count = 1;
    const char *copy = tma_ptx_take_text(reader, text, length);
    if (copy == NULL ||
        !TMA_PTX_GROW(reader, reader->names, reader->name_count, reader->name_capacity))
        return 0;
    number = (uint32_t)reader->name_count++;
    reader->names[number] = (struct tma_ptx_name){.text = copy, .length = length, .hash = hash};
    reader->name_slots[slot] = number;
    return number;
}

void tma_ptx_open_scope(struct tma_ptx_reader *reader) {
    reader->scopes[++reader->depth] = (struct tma_ptx_scope){0, 0, false};
}

/* Gives labels their instructions, those of this scope; the others wait for the scope outside. */
static void resolve_labels(struct tma_ptx_reader *reader) {
    struct tma_ptx_scope *scope = &reader->scopes[reader->depth], *outside = scope - 1;
    for (uint32_t next, i = scope->fixups; i != 0; i = next) {
        struct tma_ptx_fixup *fixup = &reader->fixups[i];
        const struct tma_ptx_symbol *symbol = &reader->symbols[reader->names[fixup->name].symbol];
        next = fixup->next;
        if (symbol->kind == TMA_PTX_SYMBOL_LABEL && symbol->depth == reader->depth) {
            reader->module->operands[fixup->operand].number = symbol->number;
        } else {
            fixup->next = outside->fixups;
            outside->fixups = i;
        }
    }
}

void tma_ptx_close_scope(struct tma_ptx_reader *reader) {
    struct tma_ptx_scope *scope = &reader->scopes[reader->depth];
    resolve_labels(reader);
    for (uint32_t i = scope->symbols; i != 0; i = reader->symbols[i].next) {
        const struct tma_ptx_symbol *symbol = &reader->symbols[i];
        if (symbol->kind == TMA_PTX_SYMBOL_RANGE)
            reader->names[symbol->name].range = symbol->shadowed;
        else
            reader->names[symbol->name].symbol = symbol->shadowed;
    }
    --reader->depth;
    while (reader->range_depth > reader->depth ||
           (reader->range_depth > 0 && !reader->scopes[reader->range_depth].has_range))
        --reader->range_depth;
}

/* Adds a symbol to a scope, innermost of its name. */
static struct tma_ptx_symbol *add_symbol(struct tma_ptx_reader *reader, uint32_t name,
                                         enum tma_ptx_symbol_kind kind, uint32_t depth) {
    if (!TMA_PTX_GROW(reader, reader->symbols, reader->symbol_count, reader->symbol_capacity))
        return NULL;
    uint32_t number = (uint32_t)reader->symbol_count++;
    uint32_t *innermost =
        kind == TMA_PTX_SYMBOL_RANGE ? &reader->names[name].range : &reader->names[name].symbol;
    reader->symbols[number] = (struct tma_ptx_symbol){.kind = (uint8_t)kind,
                                                      .depth = depth,
                                                      .name = name,
                                                      .shadowed = *innermost,
                                                      .next = reader->scopes[depth].symbols};
    *innermost = number;
    reader->scopes[depth].symbols = number;
    return &reader->symbols[number];
}

struct tma_ptx_symbol *tma_ptx_define(struct tma_ptx_reader *reader,
                                      const struct tma_ptx_token *token,
                                      enum tma_ptx_symbol_kind kind) {
    uint32_t name = tma_ptx_intern(reader, token->start, token->length, token->hash);
    if (name == 0)
        return NULL;
    bool range = kind == TMA_PTX_SYMBOL_RANGE;
    uint32_t old = range ? reader->names[name].range : reader->names[name].symbol;
    if (old != 0 && reader->symbols[old].depth == reader->depth) {
        tma_ptx_error(reader, token, "'%s' is declared twice in one scope",
                      reader->names[name].text);
        return NULL;
    }
    if (range) {
        reader->scopes[reader->depth].has_range = true;
        reader->range_depth = reader->depth;
    }
    return add_symbol(reader, name, kind, reader->depth);
}

static uint32_t add_register(struct tma_ptx_reader *reader, uint32_t name, uint8_t type) {
    struct tma_ptx_module *module = reader->module;
    if (!TMA_PTX_GROW(reader, module->registers, module->register_count, reader->register_capacity))
        return UINT32_MAX;
    struct tma_ptx_function *function = &module->functions[reader->function];
    uint32_t bits = tma_ptx_types[type].bits;
    module->registers[module->register_count++] =
        (struct tma_ptx_register){.name = reader->names[name].text,
                                  .type = (enum tma_ptx_type)type,
                                  .width = bits == 1    ? TMA_PTX_PREDICATE
                                           : bits <= 32 ? TMA_PTX_WORD
                                           : bits == 64 ? TMA_PTX_DOUBLE
                                                        : TMA_PTX_QUAD};
    return function->register_count++;
}

uint32_t tma_ptx_add_registers(struct tma_ptx_reader *reader, uint32_t name, uint8_t type,
                               uint32_t count) {
    uint32_t first = add_register(reader, name, type);
    for (uint32_t i = 1; i < count && first != UINT32_MAX; ++i)
        if (add_register(reader, name, type) == UINT32_MAX)
            return UINT32_MAX;
    return first;
}

/* The range that has a name like %r17, if its scope is inside `depth`; NULL: there is none. */
static const struct tma_ptx_symbol *find_range(const struct tma_ptx_reader *reader,
                                               const struct tma_ptx_name *name, uint32_t depth) {
    const struct tma_ptx_symbol *best = NULL;
    uint64_t number = 0, place = 1;
    size_t slot;
    for (size_t at = name->length - 1; at > 0 && name->length - at <= 9; --at, place *= 10) {
        char c = name->text[at];
        if (c < '0' || c > '9')
            break;
        number += place * (uint64_t)(c - '0');
        if (c == '0' && at + 1 < name->length)
            continue; /* 017 is no number of a range */
        uint32_t prefix = find_name(reader, name->text, at, tma_ptx_hash(name->text, at), &slot);
        for (uint32_t i = prefix == 0 ? 0 : reader->names[prefix].range; i != 0;
             i = reader->symbols[i].shadowed) {
            const struct tma_ptx_symbol *range = &reader->symbols[i];
            if (number < range->number && range->depth > depth &&
                (best == NULL || range->depth > best->depth))
                best = range;
        }
    }
    return best;
}

const struct tma_ptx_symbol *tma_ptx_lookup(struct tma_ptx_reader *reader, uint32_t number) {
    const struct tma_ptx_name *name = &reader->names[number];
    const struct tma_ptx_symbol *symbol = &reader->symbols[name->symbol];
    if (name->symbol != 0 && symbol->depth >= reader->range_depth)
        return symbol;
    const struct tma_ptx_symbol *range =
        find_range(reader, name, name->symbol == 0 ? 0 : symbol->depth);
    if (range == NULL)
        return name->symbol == 0 ? NULL : symbol;
    uint8_t type = range->type, lanes = range->lanes;
    uint32_t depth = range->depth, at = tma_ptx_add_registers(reader, number, type, lanes);
    struct tma_ptx_symbol *added =
        at == UINT32_MAX
            ? NULL
            : add_symbol(reader, number,
                         lanes > 1 ? TMA_PTX_SYMBOL_REGISTERS : TMA_PTX_SYMBOL_REGISTER, depth);
    if (added != NULL) {
        added->type = type;
        added->lanes = lanes;
        added->number = at;
    }
    return added;
}

void tma_ptx_undeclared(struct tma_ptx_reader *reader, const struct tma_ptx_token *token) {
    char wanted[TMA_MAX_SUGGESTION];
    struct tma_suggestion suggestion = {.wanted = wanted};
    if (token->length < sizeof wanted &&
        reader->diagnostics->count < 20) { /* each walks over all names */
        memcpy(wanted, token->start, token->length);
        wanted[token->length] = '\0';
        for (size_t i = 1; i < reader->name_count; ++i)
            if (reader->names[i].symbol != 0)
                tma_suggest(&suggestion, reader->names[i].text);
    }
    int length = token->length > 100 ? 100 : (int)token->length;
    if (suggestion.best[0] == '\0')
        tma_ptx_error(reader, token, "'%.*s' is not declared", length, token->start);
    else
        tma_ptx_error(reader, token, "'%.*s' is not declared: did you mean '%s'?", length,
                      token->start, suggestion.best);
}

void tma_ptx_add_fixup(struct tma_ptx_reader *reader, uint32_t operand, uint32_t name,
                       uint32_t line, uint32_t column) {
    if (!TMA_PTX_GROW(reader, reader->fixups, reader->fixup_count, reader->fixup_capacity))
        return;
    struct tma_ptx_scope *scope = &reader->scopes[reader->depth];
    reader->fixups[reader->fixup_count] =
        (struct tma_ptx_fixup){operand, name, line, column, scope->fixups};
    scope->fixups = (uint32_t)reader->fixup_count++;
}
