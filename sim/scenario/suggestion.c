#include "scenario/suggestion.h"

#include <ctype.h>
#include <string.h>

#include "base/allocation.h"

/* `name` is shorter than a suggestion may be. */
static void suggest_exactly(struct tma_suggestion *suggestion, const char *name) {
    suggestion->distance = suggestion->exact = 0;
    strcpy(suggestion->best, name);
}

/* Whether a CUDA constant ends with the words of a text: "SWIZZLE_128B", "Swizzle 128B". */
static bool ends_with(const char *constant, const char *text) {
    size_t all = strlen(constant), length = strlen(text);
    if (length < 3 || length >= all || constant[all - length - 1] != '_')
        return false;
    for (const char *c = constant + all - length; *c != '\0'; c++, text++)
        if (*c != toupper((unsigned char)*text) && !(*c == '_' && (*text == ' ' || *text == '-')))
            return false;
    return true;
}

void tma_suggest_names(struct tma_suggestion *suggestion, const struct tma_names *names) {
    for (size_t i = 0; i < names->count; i++)
        tma_suggest(suggestion, names->items[i].name);
    const char *usual = tma_usual_name(names, suggestion->wanted);
    if (usual != NULL && strlen(usual) < sizeof suggestion->best)
        suggest_exactly(suggestion, usual);
    const struct tma_names *cuda = tma_cuda_names(names);
    for (size_t i = 0; cuda != NULL && i < cuda->count; i++) {
        tma_suggest(suggestion, cuda->items[i].name);
        if (suggestion->best[0] == '\0' && ends_with(cuda->items[i].name, suggestion->wanted))
            suggest_exactly(suggestion, tma_name_of(names, cuda->items[i].value));
    }
}

char *tma_names_list(const struct tma_names *names) {
    size_t bytes = 1;
    for (size_t i = 0; i < names->count; i++)
        bytes += strlen(names->items[i].name) + strlen(" or ");
    char *list = tma_allocate(bytes, 1);
    if (list == NULL)
        return NULL;
    list[0] = '\0';
    for (size_t i = 0; i < names->count; i++) {
        if (i > 0)
            strcat(list, i + 1 == names->count ? " or " : ", ");
        strcat(list, names->items[i].name);
    }
    return list;
}

void tma_names_write(const struct tma_names *names, FILE *out) {
    for (size_t i = 0; i < names->count; i++) {
        const char *joint = i == 0 ? "" : i + 1 == names->count ? " or " : ", ";
        fprintf(out, "%s%s", joint, names->items[i].name);
    }
}
