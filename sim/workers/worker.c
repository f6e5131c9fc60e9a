#define _GNU_SOURCE /* NSIG */
#include "workers/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allocation.h"
#include "workers/frames.h"

struct tma_reply {
    int channel;
    size_t number; /* of the task */
    char *bytes;   /* owned */
    size_t size, capacity;
    bool out_of_memory;
};

void tma_reply_append(struct tma_reply *reply, const void *bytes, size_t size) {
    if (reply->capacity - reply->size < size) {
        size_t capacity = 2 * reply->capacity + size;
        char *grown = tma_resize(reply->bytes, capacity, 1);
        if (grown == NULL) {
            reply->out_of_memory = true;
            return;
        }
        reply->bytes = grown;
        reply->capacity = capacity;
    }
    if (size > 0)
        memcpy(reply->bytes + reply->size, bytes, size);
    reply->size += size;
}

/* Without the process of the pool there is nothing left to do. */
static void write_or_end(int channel, const void *bytes, size_t size) {
    if (!tma_frame_write(channel, bytes, size))
        _exit(EXIT_SUCCESS);
}

void tma_reply_note(struct tma_reply *reply, const void *bytes, size_t size) {
    struct tma_frame frame = {.kind = TMA_FRAME_NOTE, .number = reply->number, .bytes = size};
    write_or_end(reply->channel, &frame, sizeof frame);
    write_or_end(reply->channel, bytes, size);
}

size_t tma_read_messages(int messages, char text[TMA_MESSAGE_BYTES]) {
    struct stat status;
    size_t done = 0, most = TMA_MESSAGE_BYTES - 1;
    if (fstat(messages, &status) != 0)
        status.st_size = 0;
    off_t from = status.st_size > (off_t)most ? status.st_size - (off_t)most : 0;
    while (done < most) {
        ssize_t got = pread(messages, text + done, most - done, from + (off_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    text[done] = '\0';
    return done;
}

static void send_reply(const struct tma_reply *reply, int messages) {
    static const char out_of_memory[] = "the worker process ran out of memory";
    char text[TMA_MESSAGE_BYTES];
    fflush(stdout);
    fflush(stderr);
    size_t length = tma_read_messages(messages, text);
    struct tma_frame frame = {
        .kind = reply->out_of_memory ? TMA_FRAME_FAILED : TMA_FRAME_DONE,
        .number = reply->number,
        .bytes = reply->out_of_memory ? sizeof out_of_memory : reply->size,
        .message_bytes = length,
    };
    if (length > 0 && ftruncate(messages, 0) != 0)
        _exit(EXIT_FAILURE);
    write_or_end(reply->channel, &frame, sizeof frame);
    write_or_end(reply->channel, reply->out_of_memory ? out_of_memory : reply->bytes, frame.bytes);
    write_or_end(reply->channel, text, length);
}

/* Does one task. False if this worker can do no more. */
static bool do_task(const struct tma_worker_code *code, int channel, int messages,
                    struct tma_reply *reply) {
    struct tma_frame task;
    if (!tma_frame_read(channel, &task, sizeof task))
        return false;
    void *input = tma_allocate(1, task.bytes + 1);
    reply->number = task.number;
    reply->size = 0;
    reply->out_of_memory = input == NULL;
    if (input == NULL) {
        send_reply(reply, messages);
        return false; /* the bytes stay unread, so this worker can take no other task */
    }
    bool whole = tma_frame_read(channel, input, task.bytes);
    if (whole) {
        code->work(code->context, task.number, input, task.bytes, reply);
        send_reply(reply, messages);
    }
    tma_release(input);
    return whole;
}

/* Signals act on a worker as on a program that has just started. Only SIGINT and SIGTERM are
 * blocked: a terminal or a batch system sends them to all processes, and the process of the pool
 * decides what becomes of the workers. */
static void reset_signals(void) {
    sigset_t blocked;
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action;
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            signal(number, SIG_DFL);
    }
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_SETMASK, &blocked, NULL);
}

/* What the worker prints goes to the file of messages. It has nothing to read. */
static void redirect(int messages) {
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    if (nothing > STDERR_FILENO)
        close(nothing);
    dup2(messages, STDOUT_FILENO);
    dup2(messages, STDERR_FILENO);
}

_Noreturn void tma_worker_live(const struct tma_worker_code *code, int channel, int messages,
                               pid_t parent) {
    struct tma_reply reply = {.channel = channel};
    reset_signals();
    /* A worker never outlives its parent, which may have died before this call. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_SUCCESS);
    redirect(messages);
    while (do_task(code, channel, messages, &reply))
        ;
    _exit(EXIT_SUCCESS);
}
