/* check, encode and decode. */
#include <stdio.h>
#include <string.h>

#include "serve/answers.h"
#include "tensormap/descriptor.h"
#include "tensormap/dump.h"
#include "tensormap/rules.h"

enum { TEXT_BYTES = 1200, MOST_TEXTS = 16 };

static void write_violation(struct tma_reply_line *reply, const struct tma_violation *violation) {
    char text[TEXT_BYTES];
    tma_violation_text(violation, text, sizeof text);
    tma_reply_open(reply, NULL, '{');
    tma_reply_text(reply, "rule", violation->rule->id);
    tma_reply_text(reply, "field", tma_field_info(violation->field)->name);
    if (violation->index >= 0)
        tma_reply_unsigned(reply, "index", (uint64_t)violation->index);
    tma_reply_text(reply, "text", text);
    tma_reply_close(reply, '}');
}

bool tma_answer_check(const struct tma_request *request, struct tma_reply_line *reply,
                      struct tma_request_error *error) {
    struct tma_violation violations[TMA_MAX_VIOLATIONS];
    struct tma_tensor_map map;
    int architecture;
    if (!tma_request_architecture(request, &architecture, error) ||
        !tma_request_map(request, &map, error))
        return false;
    size_t count = tma_tensor_map_check(&map, (enum tma_architecture)architecture, violations,
                                        TMA_MAX_VIOLATIONS);
    tma_reply_bool(reply, "legal", count == 0);
    if (count == 0) {
        tma_reply_bool(reply, "usable",
                       tma_map_kind_is_usable(map.kind, (enum tma_architecture)architecture));
        return true;
    }
    tma_reply_open(reply, "violations", '[');
    for (size_t i = 0; i < count && i < TMA_MAX_VIOLATIONS; i++)
        write_violation(reply, &violations[i]);
    tma_reply_close(reply, ']');
    return true;
}

bool tma_answer_encode(const struct tma_request *request, struct tma_reply_line *reply,
                       struct tma_request_error *error) {
    struct tma_descriptor descriptor;
    struct tma_tensor_map map;
    char text[TMA_DUMP_TEXT_BYTES];
    int architecture;
    if (!tma_request_legal_map(request, &map, error) ||
        !tma_request_architecture(request, &architecture, error))
        return false;
    tma_descriptor_encode(&map, &descriptor);
    tma_descriptor_encode_oob_base(&map, (enum tma_architecture)architecture, &descriptor);
    tma_dump_write(&descriptor, TMA_DUMP_HEX, text, sizeof text);
    text[strcspn(text, "\n")] = '\0';
    tma_reply_text(reply, "descriptor", text);
    return true;
}

static void write_value(struct tma_reply_line *reply, const char *key, enum tma_field field,
                        int64_t value) {
    const struct tma_field_info *info = tma_field_info(field);
    if (info->names != NULL)
        tma_reply_text(reply, key, tma_name_of(info->names, (int)value));
    else if (info->is_signed)
        tma_reply_signed(reply, key, value);
    else
        tma_reply_unsigned(reply, key, (uint64_t)value);
}

/* The keys of a request: so the reply to decode is the map of another request. */
static void write_map(struct tma_reply_line *reply, const struct tma_tensor_map *map) {
    for (int i = 0; i < TMA_FIELD_COUNT; i++) {
        enum tma_field field = (enum tma_field)i;
        const struct tma_field_info *info = tma_field_info(field);
        size_t count = tma_field_count(map, field);
        if (count == 0 && !(info->is_list && field == TMA_FIELD_GLOBAL_STRIDES))
            continue;
        if (!info->is_list) {
            write_value(reply, info->name, field, tma_field_value(map, field, 0));
            continue;
        }
        tma_reply_open(reply, info->name, '[');
        for (size_t j = 0; j < count; j++)
            write_value(reply, NULL, field, tma_field_value(map, field, j));
        tma_reply_close(reply, ']');
    }
}

bool tma_answer_decode(const struct tma_request *request, struct tma_reply_line *reply,
                       struct tma_request_error *error) {
    struct tma_finding findings[MOST_TEXTS];
    struct tma_descriptor descriptor;
    struct tma_tensor_map map;
    struct tma_error why = {0};
    enum tma_dump_format format;
    const char *text = request->words[TMA_REQUEST_DESCRIPTOR].text;
    if (!tma_request_has(request, TMA_REQUEST_DESCRIPTOR))
        return tma_request_fail(error, request, TMA_REQUEST_DESCRIPTOR, "descriptor is missing");
    if (tma_dump_read(text, strlen(text), &descriptor, &format, &why) != TMA_OK ||
        tma_descriptor_recognise(&descriptor, &why) != TMA_OK)
        return tma_request_fail(error, request, TMA_REQUEST_DESCRIPTOR, "%.400s", why.text);
    size_t count = tma_descriptor_decode(&descriptor, &map, findings, MOST_TEXTS);
    write_map(reply, &map);
    tma_reply_open(reply, "findings", '[');
    for (size_t i = 0; i < count && i < MOST_TEXTS; i++) {
        char finding[TEXT_BYTES];
        tma_finding_text(&findings[i], finding, sizeof finding);
        tma_reply_text(reply, NULL, finding);
    }
    tma_reply_close(reply, ']');
    return true;
}
