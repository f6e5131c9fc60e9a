/* tmasim serve: answers requests, lines of JSON, until the input ends. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/allocation.h"
#include "cli/messages.h"
#include "cli/verbs/verbs.h"
#include "serve/service.h"

/* A request has at most 1 MiB; a longer one is answered with an error, and its rest is skipped. */
enum { INPUT_BYTES = 1 << 21, OUTPUT_BYTES = 1 << 18 };

struct serving {
    struct tma_service *service; /* owned */
    char *input, *output;        /* owned */
    size_t begin, end;           /* of the input that is not answered yet */
    size_t written;              /* bytes of the output */
    bool skipping;               /* up to the end of a line that was too long */
    bool failed;                 /* the output cannot be written */
};

static void flush(struct serving *serving) {
    for (size_t done = 0; done < serving->written && !serving->failed;) {
        ssize_t count = write(STDOUT_FILENO, serving->output + done, serving->written - done);
        if (count > 0)
            done += (size_t)count;
        else if (errno != EINTR) {
            cli_error("cannot write standard output: %s", strerror(errno));
            serving->failed = true;
        }
    }
    serving->written = 0;
}

static void answer(struct serving *serving, const char *line, size_t length) {
    size_t size;
    const char *reply = tma_service_answer(serving->service, line, length, &size);
    if (serving->written + size + 1 > OUTPUT_BYTES)
        flush(serving);
    memcpy(serving->output + serving->written, reply, size);
    serving->written += size;
    serving->output[serving->written++] = '\n';
}

/* Answers all whole lines of the input. Lines without a request get no reply. */
static void answer_lines(struct serving *serving) {
    char *newline;
    while (!serving->failed && (newline = memchr(serving->input + serving->begin, '\n',
                                                 serving->end - serving->begin)) != NULL) {
        const char *line = serving->input + serving->begin;
        size_t length = (size_t)(newline - line);
        if (!serving->skipping && length > 0)
            answer(serving, line, length);
        serving->skipping = false;
        serving->begin += length + 1;
    }
}

/* Moves the begin of a line to the begin of the input. One that fills all of it is too long. */
static void make_room(struct serving *serving) {
    size_t length = serving->end - serving->begin;
    memmove(serving->input, serving->input + serving->begin, length);
    serving->begin = 0;
    serving->end = length;
    if (length < INPUT_BYTES)
        return;
    if (!serving->skipping)
        answer(serving, serving->input, length);
    serving->skipping = true;
    serving->end = 0;
}

/* Replies go out before the input is waited for. */
static int serve(struct serving *serving) {
    for (;;) {
        flush(serving);
        if (serving->failed)
            return CLI_ERROR;
        ssize_t count =
            read(STDIN_FILENO, serving->input + serving->end, INPUT_BYTES - serving->end);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return cli_fail("cannot read standard input: %s", strerror(errno));
        if (count == 0)
            break;
        serving->end += (size_t)count;
        answer_lines(serving);
        make_room(serving);
    }
    if (serving->end > serving->begin && !serving->skipping)
        answer(serving, serving->input + serving->begin, serving->end - serving->begin);
    flush(serving);
    return serving->failed ? CLI_ERROR : CLI_OK;
}

struct serve_options {
    struct cli_options common;
    bool stdio;
    const char *files;
};

static int run(const struct cli_options *options) {
    struct serving serving = {
        .service = tma_service_create(),
        .input = tma_allocate(INPUT_BYTES, 1),
        .output = tma_allocate(OUTPUT_BYTES, 1),
    };
    int status = CLI_ERROR;
    const struct serve_options *own = (const struct serve_options *)options;
    if (!own->stdio)
        cli_error("serve: expected --stdio: there is no other way to talk to it");
    else if (serving.service == NULL || serving.input == NULL || serving.output == NULL)
        cli_error("out of memory");
    else {
        tma_service_allow_folder(serving.service, own->files);
        status = serve(&serving);
    }
    tma_service_free(serving.service);
    TMA_RELEASE(serving.input, serving.output);
    return status;
}

static const struct cli_option options[] = {
    CLI_FLAG_OPTION("--stdio", offsetof(struct serve_options, stdio),
                    "read requests from standard input, and write replies to standard output"),
    CLI_VALUE_OPTION(
        "--files", "FOLDER", TEXT, offsetof(struct serve_options, files),
        "the folder in which, or below which, requests to run may name scenarios and machines.\n"
        "Without it they name only those of the project"),
};

const struct cli_verb cli_serve = {
    .name = "serve",
    .operands = "",
    .summary = "Answer requests of a program, a line of JSON each: check, encode, place, run, ...",
    .details =
        "A request is one line: an object with \"op\" (check, encode, decode, place, compare or "
        "run), with the fields of a\ntensor map, and with an \"id\" that the reply repeats. Each "
        "request gets one line as its reply, in their order;\n\"ok\" says whether it has an answer "
        "or an error, and an error has its field and position. serve ends when\nits input ends.",
    .example = "--stdio <requests.jsonl",
    .statuses = "0 the input has ended, 2 error",
    CLI_RUNS_WITH(serve_options),
};
