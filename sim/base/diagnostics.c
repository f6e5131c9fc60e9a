#include "base/diagnostics.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "base/limits.h"
#include "base/utf8.h"

struct tma_diagnostics tma_diagnostics_empty(void) {
    return (struct tma_diagnostics){0};
}

size_t tma_diagnostics_total(const struct tma_diagnostics *list) {
    return list->count + list->dropped;
}

static char *format_text(const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0)
        return NULL;
    char *text = tma_allocate((size_t)length + 1, 1);
    if (text != NULL)
        vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

static bool grow(struct tma_diagnostics *list) {
    size_t capacity = list->capacity == 0 ? 8 : 2 * list->capacity;
    struct tma_diagnostic *items = tma_resize(list->items, capacity, sizeof *items);
    if (items == NULL)
        return false;
    list->items = items;
    list->capacity = capacity;
    return true;
}

bool tma_diagnose(struct tma_diagnostics *list, enum tma_error_code code, struct tma_location at,
                  const char *format, ...) {
    struct tma_diagnostic_reserve *reserve = &list->reserve;
    bool full = list->count >= TMA_LIMIT_ERRORS;
    bool room = !full && (list->count < list->capacity || grow(list));
    va_list arguments;
    va_start(arguments, format);
    char *text = room ? format_text(format, arguments) : NULL;
    va_end(arguments);
    if (text != NULL) {
        list->items[list->count++] = (struct tma_diagnostic){.code = code, .at = at, .text = text};
        return false;
    }
    list->dropped++;
    if (reserve->code != TMA_OK || (full && code != TMA_ERROR_MEMORY))
        return false;
    reserve->code = code;
    reserve->at = at;
    va_start(arguments, format);
    int length = vsnprintf(reserve->text, sizeof reserve->text, format, arguments);
    va_end(arguments);
    if (length >= TMA_ERROR_TEXT_BYTES)
        tma_text_trim(reserve->text);
    return false;
}

bool tma_diagnostics_lack_memory(const struct tma_diagnostics *list) {
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].code == TMA_ERROR_MEMORY)
            return true;
    return list->reserve.code != TMA_OK;
}

static int comes_before(const struct tma_diagnostic *a, const struct tma_diagnostic *b) {
    int files = strcmp(a->at.file == NULL ? "" : a->at.file, b->at.file == NULL ? "" : b->at.file);
    if (files != 0)
        return files < 0;
    if (a->at.line != b->at.line)
        return a->at.line < b->at.line;
    return a->at.column < b->at.column;
}

void tma_diagnostics_sort(struct tma_diagnostics *list) {
    /* Insertion sort, because it is stable and lists are short. */
    for (size_t i = 1; i < list->count; i++) {
        struct tma_diagnostic item = list->items[i];
        size_t at = i;
        for (; at > 0 && comes_before(&item, &list->items[at - 1]); at--)
            list->items[at] = list->items[at - 1];
        list->items[at] = item;
    }
}

void tma_diagnostics_free(struct tma_diagnostics *list) {
    for (size_t i = 0; i < list->count; i++)
        tma_release(list->items[i].text);
    tma_release(list->items);
    *list = (struct tma_diagnostics){0};
}
