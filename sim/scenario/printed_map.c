#include "scenario/printed_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "tensormap/types.h"

/* A line "boxDim         (64,128,1,1,1)". Enumerations are numbers of cuda.h, lists have five
 * numbers, and the strides begin with that of dimension 0. */
enum line_kind { VALUE, NAME, LIST, STRIDES };

static const struct printed_line {
    const char *key, *yaml;
    enum line_kind kind;
    const struct tma_names *names;
} lines[] = {{"format", "data_type", NAME, &tma_data_type_names},
             {"gmem_address", "global_address", VALUE, NULL},
             {"globalDim", "global_dim", LIST, NULL},
             {"globalStrides", "global_strides", STRIDES, NULL},
             {"boxDim", "box_dim", LIST, NULL},
             {"elementStrides", "element_strides", LIST, NULL},
             {"interleave", "interleave", NAME, &tma_interleave_names},
             {"swizzle", "swizzle", NAME, &tma_swizzle_names},
             {"l2Promotion", "l2_promotion", NAME, &tma_l2_promotion_names},
             {"oobFill", "oob_fill", NAME, &tma_oob_fill_names}};

/* A line becomes at most so many bytes longer. */
enum { ROOM_OF_LINE = 40 };

/* Returns what stands behind the key at the start of a line; NULL: the line has another key. */
static const char *after_key(const char *line, const char *key) {
    size_t length = strlen(key);
    line += strspn(line, " \t");
    if (strncmp(line, key, length) != 0 || (line[length] != ' ' && line[length] != '\t'))
        return NULL;
    return line + length + strspn(line + length, " \t");
}

/* Finds the line with a key, and returns what stands behind it; NULL: there is none. */
static const char *find_key(const char *text, const char *key) {
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *value = after_key(line, key);
        if (value != NULL)
            return value;
    }
    return NULL;
}

bool tma_is_printed_map(const char *text) {
    return find_key(text, "format") != NULL && find_key(text, "dim") != NULL &&
           find_key(text, "globalDim") != NULL && find_key(text, "boxDim") != NULL;
}

/* Writes numbers `first` to `end` of "(2,2048,0,0,0)" as "[2048]". Returns the bytes written. */
static int write_list(char *out, const char *value, int length, long first, long end) {
    int used = sprintf(out, "[");
    long index = 0;
    for (int i = 0; i < length; i++) {
        if (value[i] == '(' || value[i] == ')')
            continue;
        index += value[i] == ',';
        if (index >= first && index < end && !(value[i] == ',' && index == first))
            out[used++] = value[i];
    }
    return used + sprintf(out + used, "]");
}

static int write_line(char *out, const struct printed_line *line, const char *value, int length,
                      long rank) {
    int used = sprintf(out, "%s: ", line->yaml);
    char *end;
    long number = strtol(value, &end, 10);
    const char *name = line->kind == NAME && end == value + length && number >= 0 && number < 64
                           ? tma_name_of(line->names, (int)number)
                           : "?";
    switch (line->kind) {
    case NAME:
        if (strcmp(name, "?") != 0)
            return used + sprintf(out + used, "%s", name);
        break; /* the reader says what is allowed */
    case LIST:
        return used + write_list(out + used, value, length, 0, rank);
    case STRIDES:
        return used + write_list(out + used, value, length, 1, rank);
    case VALUE:
        break;
    }
    return used + sprintf(out + used, "%.*s", length, value);
}

char *tma_printed_map_to_yaml(const char *text) {
    size_t bytes = strlen(text) + ROOM_OF_LINE, used = 0;
    for (const char *c = text; *c != '\0'; c++)
        bytes += *c == '\n' ? ROOM_OF_LINE : 0;
    char *yaml = tma_allocate(bytes, 1);
    const char *dimensions = find_key(text, "dim");
    long rank = dimensions == NULL ? 0 : strtol(dimensions, NULL, 10);
    for (const char *line = text; yaml != NULL && *line != '\0';) {
        size_t length = strcspn(line, "\r\n");
        for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
            const char *value = after_key(line, lines[i].key);
            if (value != NULL && value <= line + length)
                used += (size_t)write_line(yaml + used, &lines[i], value,
                                           (int)(length - (size_t)(value - line)), rank);
        }
        line += length;
        line += *line == '\r';
        if (*line != '\n')
            continue;
        yaml[used++] = '\n';
        line++;
    }
    return yaml;
}
