#define _GNU_SOURCE /* memfd_create */
#include "workers/member.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/allocation.h"

bool tma_member_set_jobs(struct tma_member *member, size_t jobs) {
    member->tasks = tma_allocate(2 * jobs, sizeof *member->tasks);
    member->jobs = member->tasks == NULL ? 0 : jobs;
    return member->tasks != NULL;
}

/* A child has the descriptors of all members. */
static void close_others(const struct tma_member *members, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (members[i].channel != TMA_NO_CHANNEL) {
            close(members[i].channel);
            if (members[i].server == 0)
                close(members[i].messages);
        }
}

bool tma_member_start(struct tma_member *member, struct tma_member *members, size_t count,
                      const struct tma_worker_code *code) {
    struct tma_member started = {.channel = TMA_NO_CHANNEL};
    int channels[2], messages = memfd_create("tmasim-messages", MFD_CLOEXEC);
    if (messages < 0)
        return false;
    if (fcntl(messages, F_SETFL, O_APPEND) != 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channels) != 0) {
        close(messages);
        return false;
    }
    errno = ENOMEM;
    /* A worker that ends by exit() writes what it inherited in the buffers of streams. */
    fflush(NULL);
    pid_t parent = getpid(), process = tma_member_set_jobs(&started, 1) ? fork() : -1;
    if (process == 0) {
        close_others(members, count);
        close(channels[0]);
        tma_worker_live(code, channels[1], messages, parent);
    }
    int error = errno;
    close(channels[1]);
    if (process < 0) {
        tma_release(started.tasks);
        close(channels[0]);
        close(messages);
        errno = error;
        return false;
    }
    started.process = process;
    started.channel = channels[0];
    started.messages = messages;
    *member = started;
    return true;
}

/* Frees the place of a member that ends now. Returns the status of a worker, as waitpid gives it.
 */
static int finish(struct tma_member *member) {
    int status = 0;
    if (member->server == 0) {
        while (waitpid(member->process, &status, 0) < 0 && errno == EINTR)
            ;
        close(member->messages);
    }
    close(member->channel);
    tma_channel_buffer_free(&member->out);
    tma_channel_buffer_free(&member->in);
    tma_release(member->tasks);
    *member = (struct tma_member){.channel = TMA_NO_CHANNEL, .server = member->server};
    return status;
}

void tma_member_remove(struct tma_member *member) {
    if (member->server > 0 || member->task_count == 0)
        shutdown(member->channel, SHUT_RDWR);
    else
        kill(member->process, SIGKILL);
    finish(member);
}

/* Returns the last line of a text that has no newline behind it, cut to 200 characters. */
static const char *last_line(char *text, size_t length) {
    while (length > 0 && text[length - 1] == '\n')
        text[--length] = '\0';
    const char *newline = strrchr(text, '\n');
    const char *line = newline == NULL ? text : newline + 1;
    size_t size = strlen(line);
    return size > 200 ? line + size - 200 : line;
}

static void explain(int status, struct tma_last_words *words) {
    char whole[TMA_MESSAGE_BYTES];
    char *text = words->reason;
    size_t size = sizeof words->reason;
    int at = 0;
    if (WIFSIGNALED(status))
        at = snprintf(text, size, "the worker process ended by signal %d (%s)", WTERMSIG(status),
                      strsignal(WTERMSIG(status)));
    else
        at = snprintf(text, size, "the worker process ended with exit status %d",
                      WEXITSTATUS(status));
    memcpy(whole, words->messages, words->length + 1);
    const char *line = last_line(whole, words->length);
    if (line[0] != '\0')
        snprintf(text + at, size - (size_t)at, ": %s", line);
}

void tma_member_bury(struct tma_member *member, struct tma_last_words *words) {
    kill(member->process, SIGKILL); /* in case that it closed its channel and lives */
    words->length = tma_read_messages(member->messages, words->messages);
    explain(finish(member), words);
}
