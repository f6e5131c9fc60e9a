#include "ptx/read.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "base/text_distance.h"
#include "ptx/read_state.h"

/* ---- functions */

/* Reads a list of parameters, from its ( on. Adds each to the function's. */
static uint32_t read_parameters(struct tma_ptx_reader *reader, bool is_entry,
                                struct tma_ptx_operand **parameters, size_t *count,
                                size_t *capacity) {
    uint32_t added = 0;
    tma_ptx_advance(reader);
    while (!tma_ptx_at(reader, ')')) {
        struct tma_ptx_declaration declaration = {.in_frame = !is_entry};
        if (!tma_ptx_at_space(reader)) {
            if (tma_ptx_at_directive(reader, ".unified") || !tma_ptx_at(reader, ','))
                tma_ptx_expected(reader, "a parameter");
            return added;
        }
        size_t errors = tma_diagnostics_total(reader->diagnostics);
        if (!tma_ptx_read_declaration(reader, &declaration))
            return added;
        struct tma_ptx_operand operand = tma_ptx_read_declarator(reader, &declaration);
        if (operand.kind == TMA_PTX_NO_OPERAND) {
            if (tma_diagnostics_total(reader->diagnostics) == errors)
                tma_ptx_expected(reader, "one parameter a name");
            return added;
        }
        /* A vector of registers is as many parameters. */
        uint32_t lanes = declaration.is_register ? declaration.lanes : 1;
        for (uint32_t i = 0; i < lanes; ++i, ++operand.number, ++added) {
            if (!tma_ptx_grow(reader, parameters, *count, capacity, sizeof **parameters))
                return added;
            (*parameters)[(*count)++] = operand;
        }
        if (!tma_ptx_accept(reader, ','))
            break;
    }
    tma_ptx_expect(reader, ')');
    return added;
}

/* Reads up to three numbers with commas. */
static void read_extent(struct tma_ptx_reader *reader, uint32_t extent[3]) {
    extent[0] = extent[1] = extent[2] = 1;
    for (int i = 0; i < 3; ++i) {
        uint64_t value;
        if (!tma_ptx_read_count(reader, UINT32_MAX, "the number of threads or CTAs", &value))
            return;
        extent[i] = (uint32_t)value;
        if (i == 2 || !tma_ptx_accept(reader, ','))
            return;
    }
}

static void read_number(struct tma_ptx_reader *reader, uint32_t *number) {
    uint64_t value;
    if (tma_ptx_read_count(reader, UINT32_MAX, "it", &value))
        *number = (uint32_t)value;
}

/* Reads what stands between a function's parameters and its body. */
static void read_function_directives(struct tma_ptx_reader *reader,
                                     struct tma_ptx_function *function) {
    uint32_t ignored;
    while (reader->token.kind == TMA_PTX_TOKEN_DIRECTIVE) {
        if (tma_ptx_accept_directive(reader, ".reqntid"))
            read_extent(reader, function->required_threads);
        else if (tma_ptx_accept_directive(reader, ".maxntid"))
            read_extent(reader, function->maximum_threads);
        else if (tma_ptx_accept_directive(reader, ".reqnctapercluster"))
            read_extent(reader, function->required_cluster);
        else if (tma_ptx_accept_directive(reader, ".explicitcluster"))
            function->explicit_cluster = true;
        else if (tma_ptx_accept_directive(reader, ".minnctapersm") ||
                 tma_ptx_accept_directive(reader, ".maxnctapersm"))
            read_number(reader, &function->minimum_ctas);
        else if (tma_ptx_accept_directive(reader, ".maxnreg"))
            read_number(reader, &function->maximum_registers);
        else if (tma_ptx_accept_directive(reader, ".maxclusterrank") ||
                 tma_ptx_accept_directive(reader, ".abi_preserve") ||
                 tma_ptx_accept_directive(reader, ".abi_preserve_control"))
            read_number(reader, &ignored);
        else if (tma_ptx_accept_directive(reader, ".noreturn") ||
                 tma_ptx_accept_directive(reader, ".unified") ||
                 tma_ptx_accept_directive(reader, ".blocksareclusters"))
            continue;
        else if (tma_ptx_accept_directive(reader, ".pragma")) {
            while (reader->token.kind == TMA_PTX_TOKEN_STRING) {
                tma_ptx_advance(reader);
                tma_ptx_accept(reader, ',');
            }
            tma_ptx_accept(reader, ';');
        } else if (tma_ptx_accept_directive(reader, ".attribute")) {
            if (tma_ptx_at(reader, '('))
                tma_ptx_skip_group(reader);
        } else {
            tma_ptx_error(reader, &reader->token, "a function has no directive '%.*s'",
                          tma_ptx_shown_length(&reader->token), reader->token.start);
            tma_ptx_advance(reader);
        }
    }
}

/* Finds the function of a name, or adds one. UINT32_MAX: an error. */
static uint32_t declare_function(struct tma_ptx_reader *reader, const struct tma_ptx_token *name) {
    struct tma_ptx_module *module = reader->module;
    uint32_t text = tma_ptx_intern(reader, name->start, name->length, name->hash);
    if (text == 0)
        return UINT32_MAX;
    const struct tma_ptx_symbol *old = &reader->symbols[reader->names[text].symbol];
    if (old->kind == TMA_PTX_SYMBOL_FUNCTION)
        return old->number;
    if (!TMA_PTX_GROW(reader, module->functions, module->function_count, reader->function_capacity))
        return UINT32_MAX;
    struct tma_ptx_symbol *symbol = tma_ptx_define(reader, name, TMA_PTX_SYMBOL_FUNCTION);
    if (symbol == NULL)
        return UINT32_MAX;
    symbol->number = (uint32_t)module->function_count;
    module->functions[symbol->number] =
        (struct tma_ptx_function){.name = reader->names[text].text, .is_extern = true};
    return (uint32_t)module->function_count++;
}

/* Starts a declaration of a function anew: parameters of an earlier one do not count. */
static void begin_function(struct tma_ptx_reader *reader, uint32_t number, bool is_entry) {
    struct tma_ptx_module *module = reader->module;
    struct tma_ptx_function *function = &module->functions[number];
    *function = (struct tma_ptx_function){
        .name = function->name,
        .is_entry = is_entry,
        .is_extern = true,
        .line = reader->token.line,
        .column = reader->token.column,
        .first_instruction = (uint32_t)module->instruction_count,
        .first_register = (uint32_t)module->register_count,
        .first_variable = (uint32_t)module->variable_count,
    };
    reader->function = number;
    reader->source = 0;
    reader->last_label = UINT32_MAX;
}

/* The results of a .func stand before its name: they are skipped, and read again from there. */
struct bookmark {
    struct tma_ptx_lexer lexer;
    struct tma_ptx_token token;
};

static struct bookmark mark(const struct tma_ptx_reader *reader) {
    return (struct bookmark){reader->lexer, reader->token};
}

static void go_to(struct tma_ptx_reader *reader, const struct bookmark *to) {
    reader->lexer = to->lexer;
    reader->token = to->token;
}

/* Reads the parameters of a function, and its results, which stand at `results`, if it has any. */
static void read_signature(struct tma_ptx_reader *reader, bool is_entry,
                           const struct bookmark *results) {
    struct tma_ptx_operand *parameters = NULL;
    size_t count = 0, capacity = 0;
    uint32_t result_count = 0, parameter_count = 0;
    if (results != NULL) {
        struct bookmark here = mark(reader);
        go_to(reader, results);
        result_count = read_parameters(reader, is_entry, &parameters, &count, &capacity);
        if (!reader->stop)
            go_to(reader, &here);
    }
    if (tma_ptx_at(reader, '('))
        parameter_count = read_parameters(reader, is_entry, &parameters, &count, &capacity);
    struct tma_ptx_function *function = &reader->module->functions[reader->function];
    function->result_count = result_count;
    function->parameter_count = parameter_count;
    function->parameters = tma_ptx_add_operands(reader, parameters, count, 0, 0);
    tma_release(parameters);
}

/* Reads a function, from .entry or .func on. */
static void read_function(struct tma_ptx_reader *reader) {
    bool is_entry = tma_ptx_at_directive(reader, ".entry");
    tma_ptx_advance(reader);
    while (tma_ptx_accept_directive(reader, ".attribute") ||
           tma_ptx_accept_directive(reader, ".noreturn"))
        if (tma_ptx_at(reader, '('))
            tma_ptx_skip_group(reader);
    struct bookmark results;
    bool has_results = !is_entry && tma_ptx_at(reader, '(');
    if (has_results) {
        results = mark(reader);
        tma_ptx_skip_group(reader);
    }
    struct tma_ptx_token name = reader->token;
    if (name.kind != TMA_PTX_TOKEN_NAME) {
        tma_ptx_expected(reader, "the name of a function");
        tma_ptx_skip_statement(reader);
        if (tma_ptx_at(reader, '}'))
            tma_ptx_advance(reader);
        return;
    }
    uint32_t number = declare_function(reader, &name);
    size_t errors = tma_diagnostics_total(reader->diagnostics);
    if (number == UINT32_MAX) {
        while (reader->token.kind != TMA_PTX_TOKEN_END && !tma_ptx_at(reader, '{') &&
               !tma_ptx_at(reader, ';'))
            tma_ptx_advance(reader);
        if (tma_ptx_at(reader, '{'))
            tma_ptx_skip_group(reader);
        return;
    }
    struct tma_ptx_function *function = &reader->module->functions[number];
    bool again = !function->is_extern;
    struct tma_ptx_function kept = *function;
    begin_function(reader, number, is_entry);
    tma_ptx_advance(reader);
    size_t symbols = reader->symbol_count, fixups = reader->fixup_count;
    tma_ptx_open_scope(reader);
    read_signature(reader, is_entry, has_results ? &results : NULL);
    if (tma_diagnostics_total(reader->diagnostics) != errors)
        while (reader->token.kind != TMA_PTX_TOKEN_END && !tma_ptx_at(reader, '{') &&
               !tma_ptx_at(reader, ';') && !tma_ptx_at(reader, '}'))
            tma_ptx_advance(reader);
    read_function_directives(reader, &reader->module->functions[number]);
    if (tma_ptx_at(reader, '{')) {
        if (again)
            tma_ptx_error(reader, &name, "'%s' has two bodies", kept.name);
        reader->module->functions[number].is_extern = false;
        tma_ptx_advance(reader);
        tma_ptx_read_body(reader);
    } else {
        tma_ptx_expect(reader, ';');
        if (again)
            reader->module->functions[number] = kept;
    }
    tma_ptx_close_scope(reader);
    reader->symbol_count = symbols;
    reader->fixup_count = fixups;
}

/* ---- the module */

/* `8.7` */
static void read_version(struct tma_ptx_reader *reader) {
    const struct tma_ptx_token *token = &reader->token;
    const char *text = token->start, *dot = memchr(text, '.', token->length);
    size_t major = dot == NULL ? 0 : (size_t)(dot - text);
    if (token->kind == TMA_PTX_TOKEN_FLOAT && (major == 1 || major == 2) &&
        token->length == major + 2) {
        for (size_t i = 0; i < token->length; ++i)
            if (i != major)
                reader->module->version = 10 * reader->module->version + (uint32_t)(text[i] - '0');
    } else {
        tma_ptx_expected(reader, "a version such as 8.7");
    }
    tma_ptx_advance(reader);
}

static void read_target(struct tma_ptx_reader *reader) {
    do {
        const struct tma_ptx_token *token = &reader->token;
        if (token->kind != TMA_PTX_TOKEN_NAME) {
            tma_ptx_expected(reader, "a target such as sm_90a");
            return;
        }
        if (token->length > 3 && memcmp(token->start, "sm_", 3) == 0)
            reader->module->target = tma_ptx_take_text(reader, token->start, token->length);
        tma_ptx_advance(reader);
    } while (tma_ptx_accept(reader, ','));
}

/* .file 1 "name", time, size */
static void read_file(struct tma_ptx_reader *reader) {
    struct tma_ptx_module *module = reader->module;
    struct tma_ptx_token number = reader->token;
    if (number.kind != TMA_PTX_TOKEN_INTEGER || number.value > 1 << 20) {
        tma_ptx_expected(reader, "the number of a file, up to 1048576");
        return;
    }
    tma_ptx_advance(reader);
    if (reader->token.kind != TMA_PTX_TOKEN_STRING) {
        tma_ptx_expected(reader, "the name of a file");
        return;
    }
    while (module->file_count <= number.value) {
        if (!TMA_PTX_GROW(reader, module->files, module->file_count, reader->file_capacity))
            return;
        module->files[module->file_count++] = NULL;
    }
    if (number.value != 0)
        module->files[number.value] =
            tma_ptx_take_text(reader, reader->token.start, reader->token.length);
    tma_ptx_advance(reader);
    while (tma_ptx_accept(reader, ','))
        if (reader->token.kind == TMA_PTX_TOKEN_INTEGER)
            tma_ptx_advance(reader);
}

static bool add_string_byte(struct tma_ptx_reader *reader, uint64_t byte) {
    if (!tma_ptx_grow(reader, &reader->strings, reader->string_bytes, &reader->string_capacity, 1))
        return false;
    reader->strings[reader->string_bytes++] = (char)byte;
    return true;
}

/* Reads the labels and bytes of .debug_str, which names inlined functions. */
static void read_strings(struct tma_ptx_reader *reader) {
    tma_ptx_advance(reader);
    while (!tma_ptx_at(reader, '}') && reader->token.kind != TMA_PTX_TOKEN_END) {
        struct tma_ptx_token token = reader->token;
        if (token.kind == TMA_PTX_TOKEN_NAME) {
            uint32_t name = tma_ptx_intern(reader, token.start, token.length, token.hash);
            if (name != 0)
                reader->names[name].string = (uint32_t)reader->string_bytes + 1;
        } else if (token.kind == TMA_PTX_TOKEN_INTEGER && !add_string_byte(reader, token.value)) {
            return;
        }
        tma_ptx_advance(reader);
    }
    add_string_byte(reader, 0);
    tma_ptx_accept(reader, '}');
}

static void read_section(struct tma_ptx_reader *reader) {
    bool strings = tma_ptx_at_directive(reader, ".debug_str");
    tma_ptx_advance(reader);
    if (!tma_ptx_at(reader, '{'))
        tma_ptx_expected(reader, "the '{' of a section");
    else if (strings)
        read_strings(reader);
    else
        tma_ptx_skip_group(reader);
}

/* Reads what stands at the outermost level. */
static void read_item(struct tma_ptx_reader *reader) {
    struct tma_ptx_token start = reader->token;
    struct tma_ptx_declaration declaration = {.is_extern = false};
    bool dwarf = tma_ptx_at(reader, '@') && *reader->lexer.at == '@';
    if (tma_ptx_at(reader, ';') || dwarf) {
        if (dwarf) /* @@DWARF, a line of its own */
            while (*reader->lexer.at != '\n' && reader->lexer.at < reader->lexer.end)
                ++reader->lexer.at;
        tma_ptx_advance(reader);
        return;
    }
    if (start.kind != TMA_PTX_TOKEN_DIRECTIVE) {
        tma_ptx_expected(reader, "a directive");
        tma_ptx_advance(reader);
        /* One error for all that follows, up to what may begin anew. */
        while (reader->token.kind != TMA_PTX_TOKEN_END &&
               reader->token.kind != TMA_PTX_TOKEN_DIRECTIVE)
            tma_ptx_advance(reader);
        return;
    }
    if (tma_ptx_accept_directive(reader, ".version"))
        read_version(reader);
    else if (tma_ptx_accept_directive(reader, ".target"))
        read_target(reader);
    else if (tma_ptx_accept_directive(reader, ".address_size"))
        read_number(reader, &reader->module->address_bits);
    else if (tma_ptx_accept_directive(reader, ".file"))
        read_file(reader);
    else if (tma_ptx_accept_directive(reader, ".loc"))
        tma_ptx_read_location(reader);
    else if (tma_ptx_accept_directive(reader, ".section"))
        read_section(reader);
    else if (tma_ptx_accept_directive(reader, ".pragma") ||
             tma_ptx_accept_directive(reader, ".alias"))
        tma_ptx_skip_statement(reader);
    else {
        while (tma_ptx_at_directive(reader, ".visible") ||
               tma_ptx_at_directive(reader, ".extern") || tma_ptx_at_directive(reader, ".weak") ||
               tma_ptx_at_directive(reader, ".common")) {
            declaration.is_extern =
                declaration.is_extern || tma_ptx_at_directive(reader, ".extern");
            tma_ptx_advance(reader);
        }
        if (tma_ptx_at_directive(reader, ".entry") || tma_ptx_at_directive(reader, ".func")) {
            read_function(reader);
        } else if (tma_ptx_at_space(reader)) {
            if (tma_ptx_read_declaration(reader, &declaration))
                tma_ptx_read_declarators(reader, &declaration);
            else
                tma_ptx_skip_statement(reader);
            if (tma_ptx_at(reader, '}'))
                tma_ptx_advance(reader);
        } else {
            tma_ptx_error(reader, &reader->token, "PTX has no directive '%.*s' here",
                          tma_ptx_shown_length(&reader->token), reader->token.start);
            tma_ptx_skip_statement(reader);
            if (tma_ptx_at(reader, '}'))
                tma_ptx_advance(reader);
        }
    }
}

/* ---- shared memory */

static uint64_t align(uint64_t offset, uint32_t alignment) {
    return (offset + alignment - 1) & ~(uint64_t)(alignment - 1);
}

/* What the layout of one entry keeps for each function and variable. */
struct layout {
    uint32_t *function_marks, *variable_marks; /* 1 + the entry that reached it */
    uint32_t *first_use, *first_call;          /* of a function, in uses and calls */
    uint32_t *queue;
    uint32_t *found; /* variables of this entry */
    uint32_t count;
};

static int compare_numbers(const void *a, const void *b) {
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

/* Uses are in the order of the functions' bodies, one behind the other: finds where each begins. */
static void index_uses(const struct tma_ptx_use *uses, size_t count, uint32_t *first,
                       size_t functions) {
    for (size_t i = 0; i < functions; ++i)
        first[i] = (uint32_t)count;
    for (size_t i = count; i-- > 0;)
        first[uses[i].function] = (uint32_t)i;
}

/* Collects the variables that an entry and what it calls name. */
static void reach(const struct tma_ptx_reader *reader, struct layout *layout, uint32_t entry) {
    size_t tail = 1;
    layout->count = 0;
    layout->queue[0] = entry;
    layout->function_marks[entry] = entry + 1;
    for (size_t head = 0; head < tail; ++head) {
        uint32_t function = layout->queue[head];
        for (size_t i = layout->first_use[function];
             i < reader->shared_use_count && reader->shared_uses[i].function == function; ++i) {
            uint32_t variable = reader->shared_uses[i].number;
            if (layout->variable_marks[variable] != entry + 1)
                layout->found[layout->count++] = variable;
            layout->variable_marks[variable] = entry + 1;
        }
        for (size_t i = layout->first_call[function];
             i < reader->call_count && reader->calls[i].function == function; ++i) {
            uint32_t callee = reader->calls[i].number;
            if (layout->function_marks[callee] != entry + 1)
                layout->queue[tail++] = callee;
            layout->function_marks[callee] = entry + 1;
        }
    }
    qsort(layout->found, layout->count, sizeof *layout->found, compare_numbers);
}

static void place(struct tma_ptx_reader *reader, struct tma_ptx_function *entry,
                  uint32_t variable) {
    struct tma_ptx_module *module = reader->module;
    const struct tma_ptx_variable *placed = &module->variables[variable];
    if (!TMA_PTX_GROW(reader, module->shared_places, module->shared_place_count,
                      reader->shared_place_capacity))
        return;
    uint64_t offset = align(entry->shared_bytes, placed->alignment);
    module->shared_places[module->shared_place_count++] =
        (struct tma_ptx_shared_place){variable, offset};
    ++entry->shared_count;
    entry->shared_bytes = offset + placed->bytes;
}

/* Is the memory of a shared variable dynamic? */
static bool is_dynamic(const struct tma_ptx_variable *variable) {
    return variable->is_extern || variable->bytes == 0;
}

static void lay_out_entry(struct tma_ptx_reader *reader, struct layout *layout, uint32_t number) {
    struct tma_ptx_module *module = reader->module;
    struct tma_ptx_function *entry = &module->functions[number];
    uint32_t alignment = 1;
    reach(reader, layout, number);
    entry->first_shared = (uint32_t)module->shared_place_count;
    for (int own = 1; own >= 0; --own)
        for (uint32_t i = 0; i < layout->count; ++i) {
            const struct tma_ptx_variable *variable = &module->variables[layout->found[i]];
            if ((variable->function == number + 1) == own && !is_dynamic(variable))
                place(reader, entry, layout->found[i]);
        }
    for (uint32_t i = 0; i < entry->variable_count; ++i) {
        uint32_t variable = entry->first_variable + i;
        if (module->variables[variable].space == TMA_PTX_SHARED &&
            layout->variable_marks[variable] != number + 1 &&
            !is_dynamic(&module->variables[variable]))
            place(reader, entry, variable);
    }
    for (size_t i = 0; i < module->variable_count; ++i) { /* those that no entry names, too */
        const struct tma_ptx_variable *variable = &module->variables[i];
        if (variable->space == TMA_PTX_SHARED && is_dynamic(variable) &&
            variable->alignment > alignment)
            alignment = variable->alignment;
    }
    entry->shared_bytes = align(entry->shared_bytes, alignment);
    for (uint32_t i = 0; i < layout->count; ++i)
        if (is_dynamic(&module->variables[layout->found[i]])) {
            uint64_t end = entry->shared_bytes;
            place(reader, entry, layout->found[i]);
            entry->shared_bytes = end;
        }
}

static void lay_out_shared_memory(struct tma_ptx_reader *reader) {
    const struct tma_ptx_module *module = reader->module;
    size_t functions = module->function_count, variables = module->variable_count;
    uint32_t *words = tma_allocate(4 * functions + 2 * variables + 1, sizeof *words);
    if (words == NULL) {
        tma_ptx_no_memory(reader);
        return;
    }
    struct layout layout = {.function_marks = words,
                            .first_use = words + functions,
                            .first_call = words + 2 * functions,
                            .queue = words + 3 * functions,
                            .variable_marks = words + 4 * functions,
                            .found = words + 4 * functions + variables};
    index_uses(reader->shared_uses, reader->shared_use_count, layout.first_use, functions);
    index_uses(reader->calls, reader->call_count, layout.first_call, functions);
    for (uint32_t i = 0; i < functions && !reader->stop; ++i)
        if (module->functions[i].is_entry && !module->functions[i].is_extern)
            lay_out_entry(reader, &layout, i);
    tma_release(words);
}

/* ---- the whole */

/* Gives places their files and the names of their functions. */
static void finish_places(struct tma_ptx_reader *reader) {
    struct tma_ptx_module *module = reader->module;
    for (size_t i = 1; i < module->place_count; ++i) {
        const struct tma_ptx_use *its = &reader->place_names[i];
        uint64_t string = (uint64_t)reader->names[its->function].string + its->number;
        if (module->places[i].file >= module->file_count)
            module->places[i].file = 0;
        if (its->function != 0 && reader->names[its->function].string != 0 &&
            string <= reader->string_bytes)
            module->places[i].function = reader->strings + string - 1;
    }
    if (reader->string_bytes == 0)
        return;
    /* The strings live as long as the module. */
    const char *copy = tma_ptx_take_text(reader, reader->strings, reader->string_bytes);
    for (size_t i = 1; i < module->place_count && copy != NULL; ++i)
        if (module->places[i].function != NULL)
            module->places[i].function = copy + (module->places[i].function - reader->strings);
}

/* The first element of what counts from 1, or says nothing at 0. */
static bool begin(struct tma_ptx_reader *reader) {
    struct tma_ptx_module *module = reader->module;
    if (!TMA_PTX_GROW(reader, reader->symbols, 0, reader->symbol_capacity) ||
        !TMA_PTX_GROW(reader, reader->fixups, 0, reader->fixup_capacity) ||
        !TMA_PTX_GROW(reader, reader->names, 0, reader->name_capacity) ||
        !TMA_PTX_GROW(reader, module->places, 0, reader->place_capacity) ||
        !TMA_PTX_GROW(reader, reader->place_names, 0, reader->place_name_capacity) ||
        !TMA_PTX_GROW(reader, module->files, 0, reader->file_capacity) ||
        !TMA_PTX_GROW(reader, module->messages, 0, reader->message_capacity))
        return false;
    reader->symbols[0] = (struct tma_ptx_symbol){.kind = TMA_PTX_SYMBOL_NONE};
    reader->names[0] = (struct tma_ptx_name){.text = ""};
    module->places[0] = (struct tma_ptx_place){.file = 0};
    reader->place_names[0] = (struct tma_ptx_use){0, 0};
    module->files[0] = NULL;
    module->messages[0] = "";
    reader->symbol_count = reader->fixup_count = reader->name_count = 1;
    module->place_count = module->file_count = module->message_count = 1;
    module->target = "";
    module->address_bits = 64;
    return true;
}

static void free_reader(struct tma_ptx_reader *reader) {
    TMA_RELEASE(reader->cache, reader->cache_slots, reader->names, reader->name_slots,
                reader->symbols, reader->fixups, reader->shared_uses, reader->calls,
                reader->variable_marks, reader->place_slots, reader->place_names, reader->strings,
                reader->values, reader);
}

static void read_text(struct tma_ptx_reader *reader, const char *text, size_t size) {
    char *copy = tma_copy_bytes(text, size);
    if (copy == NULL || !begin(reader)) {
        tma_ptx_no_memory(reader);
        tma_release(copy);
        return;
    }
    reader->lexer = (struct tma_ptx_lexer){copy, copy + size, copy, 1};
    tma_ptx_lexicon_fill(&reader->lexicon);
    tma_ptx_advance(reader);
    while (reader->token.kind != TMA_PTX_TOKEN_END)
        read_item(reader);
    if (!reader->stop && reader->module->version == 0)
        tma_ptx_error_at(reader, 1, 1, "the text has no .version: it is not PTX");
    tma_release(copy);
}

struct tma_ptx_module *tma_ptx_read(const char *text, size_t size, const char *file,
                                    struct tma_diagnostics *diagnostics) {
    size_t errors = tma_diagnostics_total(diagnostics);
    struct tma_ptx_reader *reader = tma_allocate(1, sizeof *reader);
    struct tma_ptx_module *module = tma_allocate(1, sizeof *module);
    struct tma_ptx_memory *memory = tma_allocate(1, sizeof *memory);
    if (reader == NULL || module == NULL || memory == NULL) {
        tma_diagnose(diagnostics, TMA_ERROR_MEMORY, (struct tma_location){file, 0, 0},
                     "out of memory");
        TMA_RELEASE(reader, module, memory);
        return NULL;
    }
    module->memory = reader->memory = memory;
    reader->module = module;
    reader->file = file;
    reader->diagnostics = diagnostics;
    read_text(reader, text, size);
    if (tma_diagnostics_total(diagnostics) == errors)
        lay_out_shared_memory(reader);
    if (tma_diagnostics_total(diagnostics) == errors)
        finish_places(reader);
    free_reader(reader);
    if (tma_diagnostics_total(diagnostics) == errors)
        return module;
    tma_ptx_module_free(module);
    tma_diagnostics_sort(diagnostics);
    return NULL;
}

void tma_ptx_module_free(struct tma_ptx_module *module) {
    if (module == NULL)
        return;
    struct tma_ptx_memory *memory = module->memory;
    while (memory->blocks != NULL) {
        struct tma_ptx_block *block = memory->blocks;
        memory->blocks = block->next;
        tma_release(block);
    }
    TMA_RELEASE(memory, module->instructions, module->operands, module->registers,
                module->variables, module->shared_places, module->relocations, module->functions,
                module->places, module->files, module->messages, module);
}

uint32_t tma_ptx_find_function(const struct tma_ptx_module *module, const char *name) {
    for (uint32_t i = 0; i < module->function_count; ++i)
        if (strcmp(module->functions[i].name, name) == 0)
            return i;
    return UINT32_MAX;
}

struct tma_ptx_entry tma_ptx_find_entry(const struct tma_ptx_module *module, const char *wanted) {
    struct tma_ptx_entry entry = {.number = UINT32_MAX};
    size_t distance = SIZE_MAX;
    for (uint32_t i = 0; i < module->function_count; ++i) {
        const char *name = module->functions[i].name;
        if (!module->functions[i].is_entry)
            continue;
        size_t away = wanted == NULL ? 0 : tma_text_distance(wanted, name);
        if (away < distance) {
            distance = away;
            entry.closest = name;
        }
        if (wanted == NULL || strcmp(wanted, name) == 0)
            entry.number = i;
        entry.count++;
    }
    if (wanted == NULL && entry.count > 1)
        entry.number = UINT32_MAX;
    return entry;
}
