#include "serve/service.h"

#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "serve/answers.h"

/* A request is copied: parsing changes it. */
enum { MOST_REQUEST_BYTES = 1 << 20 };

struct tma_service {
    struct tma_request request;
    struct tma_reply_line reply;
    struct tma_request_error error;
    char line[MOST_REQUEST_BYTES + 1];
};

static const struct {
    const char *name;
    tma_answer answer;
} answers[] = {
#define ROW(name, meaning) {#name, tma_answer_##name},
    TMA_ANSWERS(ROW)
#undef ROW
};

enum { ANSWER_COUNT = sizeof answers / sizeof answers[0] };

struct tma_service *tma_service_create(void) {
    return tma_allocate(1, sizeof(struct tma_service));
}

void tma_service_allow_folder(struct tma_service *service, const char *folder) {
    service->request.folder = folder;
}

void tma_service_free(struct tma_service *service) {
    tma_release(service);
}

static const char *code_name(enum tma_error_code code) {
    static const struct {
        enum tma_error_code code;
        const char *name;
    } names[] = {
#define CODE_NAME(name, number, text) {name, #name},
        TMA_ERRORS(CODE_NAME)
#undef CODE_NAME
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].code == code)
            return names[i].name;
    return "";
}

/* '{' and the id of the request: every reply begins like this. */
static void begin_reply(struct tma_service *service, bool ok) {
    struct tma_reply_line *reply = &service->reply;
    const struct tma_request *request = &service->request;
    reply->used = 0;
    reply->overflowed = reply->filled = false;
    tma_reply_open(reply, NULL, '{');
    if (request->id != NULL)
        tma_reply_json(reply, "id", request->id, request->id_length);
    tma_reply_bool(reply, "ok", ok);
}

static void reply_error(struct tma_service *service, const struct tma_request_error *error) {
    struct tma_reply_line *reply = &service->reply;
    begin_reply(service, false);
    tma_reply_open(reply, "error", '{');
    tma_reply_text(reply, "code", code_name(error->code));
    if (error->field[0] != '\0')
        tma_reply_text(reply, "field", error->field);
    if (error->position != 0)
        tma_reply_unsigned(reply, "position", error->position);
    tma_reply_text(reply, "text", error->text);
    tma_reply_close(reply, '}');
    tma_reply_close(reply, '}');
}

static bool find_answer(const struct tma_request *request, tma_answer *answer,
                        struct tma_request_error *error) {
    const char *op = request->words[TMA_REQUEST_OP].text;
    if (!tma_request_has(request, TMA_REQUEST_OP))
        return tma_request_fail(error, request, TMA_REQUEST_OP, "op is missing");
    for (size_t i = 0; i < ANSWER_COUNT; i++)
        if (strcmp(answers[i].name, op) == 0) {
            *answer = answers[i].answer;
            return true;
        }
#define NAME(name, meaning) " " #name
    return tma_request_fail(error, request, TMA_REQUEST_OP, "op is \"%.40s\"; allowed:%s", op,
                            TMA_ANSWERS(NAME) "");
#undef NAME
}

static bool answer_line(struct tma_service *service, size_t length,
                        struct tma_request_error *error) {
    tma_answer answer = NULL;
    if (!tma_request_parse(&service->request, service->line, length, error) ||
        !find_answer(&service->request, &answer, error))
        return false;
    begin_reply(service, true);
    if (!answer(&service->request, &service->reply, error))
        return false;
    tma_reply_close(&service->reply, '}');
    /* Room for the NUL. */
    if (service->reply.overflowed || service->reply.used == TMA_REPLY_BYTES)
        return tma_request_fail_whole(error, TMA_ERROR_BUFFER, "the reply is longer than 64 KiB");
    return true;
}

const char *tma_service_answer(struct tma_service *service, const char *line, size_t length,
                               size_t *reply_length) {
    struct tma_request_error *error = &service->error;
    bool good;
    service->request.id = NULL;
    if (length > MOST_REQUEST_BYTES) {
        good = tma_request_fail_whole(error, TMA_ERROR_BUFFER, "the request is longer than 1 MiB");
    } else {
        memcpy(service->line, line, length);
        good = answer_line(service, length, error);
    }
    if (!good)
        reply_error(service, error);
    service->reply.text[service->reply.used] = '\0';
    *reply_length = service->reply.used;
    return service->reply.text;
}
