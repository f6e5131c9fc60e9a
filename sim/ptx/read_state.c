#include "ptx/read_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "base/array.h"
#include "base/limits.h"

/* ---- errors */

static void add_error(struct tma_ptx_reader *reader, uint32_t line, uint32_t column,
                      const char *format, va_list arguments) {
    char text[TMA_ERROR_TEXT_BYTES];
    vsnprintf(text, sizeof text, format, arguments);
    if (reader->stop)
        return;
    tma_diagnose(reader->diagnostics, TMA_ERROR_SYNTAX,
                 (struct tma_location){reader->file, line, column}, "%s", text);
    /* What comes behind so many errors is counted, not read. */
    if (tma_diagnostics_total(reader->diagnostics) > 10 * TMA_LIMIT_ERRORS)
        reader->stop = true;
}

bool tma_ptx_error(struct tma_ptx_reader *reader, const struct tma_ptx_token *token,
                   const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add_error(reader, token->line, token->column, format, arguments);
    va_end(arguments);
    return false;
}

void tma_ptx_error_at(struct tma_ptx_reader *reader, uint32_t line, uint32_t column,
                      const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add_error(reader, line, column, format, arguments);
    va_end(arguments);
}

bool tma_ptx_no_memory(struct tma_ptx_reader *reader) {
    if (!reader->stop)
        tma_diagnose(reader->diagnostics, TMA_ERROR_MEMORY,
                     (struct tma_location){reader->file, 0, 0}, "out of memory");
    reader->stop = true;
    return false;
}

/* ---- memory */

enum { BLOCK_BYTES = 65536 };

void *tma_ptx_take(struct tma_ptx_reader *reader, size_t bytes) {
    struct tma_ptx_block *block = reader->memory->blocks;
    size_t words = (bytes + 7) / 8;
    if (block == NULL || block->size - block->used < words) {
        size_t size = words > BLOCK_BYTES / 32 ? words : BLOCK_BYTES / 8;
        struct tma_ptx_block *added =
            size > SIZE_MAX / 16 ? NULL : tma_allocate(1, sizeof *added + 8 * size);
        if (added == NULL) {
            tma_ptx_no_memory(reader);
            return NULL;
        }
        added->size = size;
        /* A large one stands behind the block that still has room. */
        if (block != NULL && size == words) {
            added->used = words;
            added->next = block->next;
            block->next = added;
            return added->bytes;
        }
        added->next = block;
        reader->memory->blocks = block = added;
    }
    void *result = block->bytes + block->used;
    block->used += words;
    return result;
}

const char *tma_ptx_take_text(struct tma_ptx_reader *reader, const char *text, size_t length) {
    char *copy = tma_ptx_take(reader, length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

bool tma_ptx_grow(struct tma_ptx_reader *reader, void *array, size_t count, size_t *capacity,
                  size_t size) {
    bool grown = count < UINT32_MAX / 2 && tma_array_grow(array, count, capacity, size);
    if (!grown)
        tma_ptx_no_memory(reader);
    return grown;
}

uint32_t tma_ptx_add_message(struct tma_ptx_reader *reader, const char *text) {
    struct tma_ptx_module *module = reader->module;
    const char *copy = tma_ptx_take_text(reader, text, strlen(text));
    if (copy == NULL ||
        !TMA_PTX_GROW(reader, module->messages, module->message_count, reader->message_capacity))
        return 0;
    module->messages[module->message_count] = copy;
    return (uint32_t)module->message_count++;
}

/* ---- tokens */

void tma_ptx_advance(struct tma_ptx_reader *reader) {
    if (reader->stop)
        reader->lexer.at = reader->lexer.end;
    tma_ptx_next(&reader->lexer, &reader->token);
    if (reader->token.kind == TMA_PTX_TOKEN_BAD)
        tma_ptx_error(reader, &reader->token, "%s", reader->token.fault);
}

/* The text of a token for a message. */
int tma_ptx_shown_length(const struct tma_ptx_token *token) {
    return token->length > 60 ? 60 : (int)token->length;
}

bool tma_ptx_expected(struct tma_ptx_reader *reader, const char *what) {
    const struct tma_ptx_token *token = &reader->token;
    if (token->kind == TMA_PTX_TOKEN_BAD)
        return false; /* has its own error */
    if (token->kind == TMA_PTX_TOKEN_END)
        return tma_ptx_error(reader, token, "expected %s, not the end of the text", what);
    return tma_ptx_error(reader, token, "expected %s, not '%.*s'", what,
                         tma_ptx_shown_length(token), token->start);
}

bool tma_ptx_accept(struct tma_ptx_reader *reader, int symbol) {
    if (!tma_ptx_at(reader, symbol))
        return false;
    tma_ptx_advance(reader);
    return true;
}

bool tma_ptx_expect(struct tma_ptx_reader *reader, int symbol) {
    char what[] = {'\'', (char)symbol, '\'', '\0'};
    if (tma_ptx_accept(reader, symbol))
        return true;
    return tma_ptx_expected(reader, what);
}

bool tma_ptx_at_directive(const struct tma_ptx_reader *reader, const char *text) {
    return reader->token.kind == TMA_PTX_TOKEN_DIRECTIVE && strlen(text) == reader->token.length &&
           memcmp(reader->token.start, text, reader->token.length) == 0;
}

bool tma_ptx_accept_directive(struct tma_ptx_reader *reader, const char *text) {
    if (!tma_ptx_at_directive(reader, text))
        return false;
    tma_ptx_advance(reader);
    return true;
}

void tma_ptx_skip_statement(struct tma_ptx_reader *reader) {
    size_t depth = 0;
    while (reader->token.kind != TMA_PTX_TOKEN_END) {
        if (depth == 0 && tma_ptx_accept(reader, ';'))
            return;
        if (depth == 0 && tma_ptx_at(reader, '}'))
            return;
        if (tma_ptx_at(reader, '{'))
            ++depth;
        else if (tma_ptx_at(reader, '}'))
            --depth;
        tma_ptx_advance(reader);
    }
}

void tma_ptx_skip_group(struct tma_ptx_reader *reader) {
    size_t depth = 0;
    int open = reader->token.symbol, close = open == '{' ? '}' : ')';
    while (reader->token.kind != TMA_PTX_TOKEN_END) {
        if (tma_ptx_at(reader, open))
            ++depth;
        else if (tma_ptx_at(reader, close))
            --depth;
        tma_ptx_advance(reader);
        if (depth == 0)
            return;
    }
}
