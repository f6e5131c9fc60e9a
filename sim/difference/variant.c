#include "difference/variant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "base/array.h"

bool tma_variant_add_case(struct tma_variant *variant, const char *name) {
    char *copy =
        TMA_GROW(variant->cases, variant->count, variant->capacity) ? tma_copy_text(name) : NULL;
    if (copy != NULL)
        variant->cases[variant->count++] = (struct tma_measured_case){.name = copy};
    return copy != NULL;
}

/* strtod reads numbers of the C locale where the program never calls setlocale. It also reads what
 * JSON does not have: "inf", "nan" and hexadecimal numbers. */
static bool is_number(const char *text, double *number) {
    char *end;
    if (strspn(text, "+-.0123456789eE") != strlen(text))
        return false;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*number);
}

bool tma_variant_add_measure(struct tma_variant *variant, const char *name, const char *text,
                             bool is_quoted) {
    struct tma_measured_case *last = &variant->cases[variant->count - 1];
    struct tma_measure measure = {.name = tma_copy_text(name), .text = tma_copy_text(text)};
    if (measure.name == NULL || measure.text == NULL ||
        !TMA_GROW(last->measures, last->count, last->capacity)) {
        TMA_RELEASE(measure.name, measure.text);
        return false;
    }
    measure.is_number = !is_quoted && is_number(text, &measure.number);
    last->measures[last->count++] = measure;
    return true;
}

bool tma_variant_move_case(struct tma_variant *variant, const char *name, struct tma_variant *other,
                           size_t index) {
    if (!tma_variant_add_case(variant, name))
        return false;
    struct tma_measured_case *to = &variant->cases[variant->count - 1],
                             *from = &other->cases[index];
    to->measures = from->measures;
    to->count = from->count;
    to->capacity = from->capacity;
    from->measures = NULL;
    from->count = from->capacity = 0;
    memcpy(variant->version, other->version, sizeof variant->version);
    variant->partial |= other->partial;
    return true;
}

const struct tma_measured_case *tma_variant_find_case(const struct tma_variant *variant,
                                                      const char *name, size_t hint) {
    if (hint < variant->count && strcmp(variant->cases[hint].name, name) == 0)
        return &variant->cases[hint];
    for (size_t i = 0; i < variant->count; i++)
        if (strcmp(variant->cases[i].name, name) == 0)
            return &variant->cases[i];
    return NULL;
}

const struct tma_measure *tma_case_find(const struct tma_measured_case *item, const char *name,
                                        size_t hint) {
    if (hint < item->count && strcmp(item->measures[hint].name, name) == 0)
        return &item->measures[hint];
    for (size_t i = 0; i < item->count; i++)
        if (strcmp(item->measures[i].name, name) == 0)
            return &item->measures[i];
    return NULL;
}

void tma_variant_free(struct tma_variant *variant) {
    for (size_t i = 0; i < variant->count; i++) {
        for (size_t j = 0; j < variant->cases[i].count; j++) {
            TMA_RELEASE(variant->cases[i].measures[j].name, variant->cases[i].measures[j].text);
        }
        TMA_RELEASE(variant->cases[i].measures, variant->cases[i].name);
    }
    TMA_RELEASE(variant->cases, variant->name);
    *variant = (struct tma_variant){0};
}
