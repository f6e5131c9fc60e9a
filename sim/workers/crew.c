#include "workers/crew.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/allocation.h"
#include "workers/frames.h"
#include "workers/member.h"

enum { SHORT_TASK_US = 10000 };

struct tma_crew {
    struct tma_worker_code code;
    struct tma_member *members; /* owned; the workers first, then the servers */
    struct pollfd *polls;       /* owned; one for each member, and a further one */
    unsigned jobs;              /* workers at most */
    unsigned count;             /* of `members` */
};

/* A crew and its owner while a call lasts. */
struct hearing {
    struct tma_crew *crew;
    const struct tma_crew_owner *owner;
    bool good; /* memory has not run out */
};

static uint64_t now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void tell(struct hearing *hearing, const struct tma_crew_result *result) {
    hearing->good = hearing->owner->result(hearing->owner->context, result) && hearing->good;
}

/* The tasks of a member from `first` on are pending again. */
static void give_back(struct hearing *hearing, const size_t *tasks, size_t first, size_t count) {
    for (size_t i = first; i < count; i++)
        hearing->good = hearing->owner->again(hearing->owner->context, tasks[i]) && hearing->good;
}

/* A worker has died: its first task has that as its result, and others get the rest. */
static void lose_worker(struct hearing *hearing, struct tma_member *member) {
    struct tma_last_words words;
    give_back(hearing, member->tasks, 1, member->task_count);
    size_t first = member->tasks[0], count = member->task_count;
    tma_member_bury(member, &words);
    struct tma_crew_result result = {.number = first,
                                     .messages = words.messages,
                                     .message_bytes = words.length,
                                     .failure = words.reason};
    if (count > 0)
        tell(hearing, &result);
}

/* A server has gone, for a reason that has nothing to do with its tasks: others get them. */
static void lose_server(struct hearing *hearing, struct tma_member *member, const char *reason) {
    give_back(hearing, member->tasks, 0, member->task_count);
    tma_member_remove(member);
    if (hearing->owner->lost != NULL)
        hearing->owner->lost(hearing->owner->context, member->server, reason);
}

static void lose(struct hearing *hearing, struct tma_member *member) {
    if (member->server == 0)
        lose_worker(hearing, member);
    else
        lose_server(hearing, member, "it has gone");
}

/* Takes the first frame of a server: it tells how much it does at once, if it has the same inputs.
 */
static void greet(struct hearing *hearing, struct tma_member *member, const struct tma_frame *frame,
                  const char *key) {
    if (strncmp(key, member->key, sizeof member->key) != 0)
        lose_server(hearing, member, "it has another version or other files");
    else
        hearing->good = tma_member_set_jobs(member, frame->number) && hearing->good;
}

/* Forgets a task of a member. */
static void forget(struct tma_member *member, size_t number) {
    size_t at = 0;
    while (member->tasks[at] != number)
        at++;
    member->task_count--;
    memmove(member->tasks + at, member->tasks + at + 1,
            (member->task_count - at) * sizeof member->tasks[0]);
    uint64_t now = now_us();
    member->quick = now - member->started_us < SHORT_TASK_US;
    member->started_us = now;
}

/* Takes a complete frame with a task's note, reply or failure. */
static void take_result(struct hearing *hearing, struct tma_member *member,
                        const struct tma_frame *frame, const char *bytes) {
    const struct tma_crew_owner *owner = hearing->owner;
    if (frame->kind == TMA_FRAME_NOTE) {
        hearing->good =
            owner->note(owner->context, frame->number, bytes, frame->bytes) && hearing->good;
        return;
    }
    struct tma_crew_result result = {.number = frame->number,
                                     .bytes = bytes,
                                     .size = frame->bytes,
                                     .messages = bytes + frame->bytes,
                                     .message_bytes = frame->message_bytes};
    if (frame->kind == TMA_FRAME_FAILED) {
        result.failure = bytes;
        result.size = 0;
    }
    forget(member, frame->number);
    tell(hearing, &result);
}

static bool has_task(const struct tma_member *member, size_t number) {
    size_t started = member->server > 0 ? member->task_count : member->task_count > 0;
    for (size_t i = 0; i < started; i++)
        if (member->tasks[i] == number)
            return true;
    return false;
}

/* A worker that has damaged its memory may send anything. Texts that end with their frame have a
 * zero there. */
static bool is_header_valid(const struct tma_member *member, const struct tma_frame *frame) {
    if (member->jobs == 0)
        return frame->kind == TMA_FRAME_HELLO && frame->number >= 1 &&
               frame->number <= TMA_MOST_JOBS && frame->bytes == TMA_DIGEST_TEXT_BYTES &&
               frame->message_bytes == 0;
    return has_task(member, frame->number) && frame->kind >= TMA_FRAME_NOTE &&
           frame->kind <= TMA_FRAME_FAILED && frame->bytes < SIZE_MAX / 4 &&
           frame->message_bytes < TMA_MESSAGE_BYTES;
}

static bool is_valid(const struct tma_frame *frame, const char *bytes) {
    return frame->kind != TMA_FRAME_FAILED || (frame->bytes > 0 && bytes[frame->bytes - 1] == '\0');
}

static void take_frames(struct hearing *hearing, struct tma_member *member) {
    struct tma_channel_buffer *in = &member->in;
    struct tma_frame frame;
    while (in->size - in->done >= sizeof frame) {
        memcpy(&frame, in->bytes + in->done, sizeof frame);
        bool valid = is_header_valid(member, &frame);
        size_t whole = sizeof frame + frame.bytes + frame.message_bytes;
        if (valid && in->size - in->done < whole)
            break;
        const char *bytes = in->bytes + in->done + sizeof frame;
        if (!valid || !is_valid(&frame, bytes)) {
            lose(hearing, member);
            return;
        }
        in->done += whole;
        if (frame.kind == TMA_FRAME_HELLO)
            greet(hearing, member, &frame, bytes);
        else
            take_result(hearing, member, &frame, bytes);
        if (member->channel == TMA_NO_CHANNEL)
            return;
    }
    tma_channel_buffer_compact(in);
}

/* Reads what a member has sent. */
static void receive(struct hearing *hearing, struct tma_member *member) {
    switch (tma_channel_buffer_receive(&member->in, member->channel)) {
    case TMA_RECEIVED_SOME:
        take_frames(hearing, member);
        break;
    case TMA_RECEIVED_END:
        lose(hearing, member);
        break;
    case TMA_RECEIVED_NO_MEMORY:
        hearing->good = false;
    }
}

static bool send_frame(struct tma_member *member, const struct tma_frame *frame,
                       const void *bytes) {
    bool good = tma_channel_buffer_append(&member->out, frame, sizeof *frame) &&
                tma_channel_buffer_append(&member->out, bytes, frame->bytes);
    tma_channel_buffer_send(&member->out, member->channel);
    return good;
}

static bool give(struct tma_member *member, const struct tma_crew_owner *owner) {
    struct tma_crew_task task;
    owner->next(owner->context, &task);
    struct tma_frame frame = {.kind = TMA_FRAME_TASK, .number = task.number, .bytes = task.size};
    if (member->task_count == 0)
        member->started_us = now_us();
    member->tasks[member->task_count++] = task.number;
    return send_frame(member, &frame, task.bytes);
}

/* Each member gets as many tasks as it does at once, and the next ones, too, if they are short. */
enum tma_error_code tma_crew_fill(struct tma_crew *crew, const struct tma_crew_owner *owner,
                                  struct tma_error *error) {
    unsigned alive = 0;
    int reason = 0;
    for (unsigned i = 0; i < crew->count && owner->is_pending(owner->context); i++) {
        struct tma_member *member = &crew->members[i];
        if (member->channel == TMA_NO_CHANNEL &&
            (i >= crew->jobs ||
             !tma_member_start(member, crew->members, crew->count, &crew->code))) {
            reason = i >= crew->jobs ? reason : errno;
            continue;
        }
        alive++;
        size_t most = member->quick ? 2 * member->jobs : member->jobs;
        while (member->task_count < most && owner->is_pending(owner->context))
            if (!give(member, owner))
                return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    }
    if (alive == 0 && reason != 0)
        return tma_fail(error, TMA_ERROR_UNSUPPORTED, "cannot start a worker process: %s",
                        strerror(reason));
    return TMA_OK;
}

bool tma_crew_wait(struct tma_crew *crew, const struct tma_crew_owner *owner,
                   struct pollfd *further, int timeout_ms) {
    struct hearing hearing = {.crew = crew, .owner = owner, .good = true};
    for (unsigned i = 0; i < crew->count; i++) {
        const struct tma_member *member = &crew->members[i];
        short wanted = member->out.size > 0 ? POLLIN | POLLOUT : POLLIN;
        crew->polls[i] = (struct pollfd){.fd = member->channel, .events = wanted};
    }
    unsigned count = crew->count;
    if (further != NULL)
        crew->polls[count++] = *further;
    int ready = poll(crew->polls, count, timeout_ms);
    if (further != NULL)
        further->revents = ready > 0 ? crew->polls[crew->count].revents : 0;
    for (unsigned i = 0; ready > 0 && i < crew->count && hearing.good; i++) {
        struct tma_member *member = &crew->members[i];
        if ((crew->polls[i].revents & POLLOUT) != 0)
            tma_channel_buffer_send(&member->out, member->channel);
        if ((crew->polls[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0)
            receive(&hearing, member);
    }
    return hearing.good;
}

void tma_crew_stop(struct tma_crew *crew) {
    for (unsigned i = 0; i < crew->count; i++)
        if (crew->members[i].channel != TMA_NO_CHANNEL && crew->members[i].task_count > 0)
            tma_member_remove(&crew->members[i]);
}

unsigned tma_crew_jobs(const struct tma_crew *crew) {
    return crew->jobs;
}

/* Makes room for members; new ones are free places. */
static bool grow(struct tma_crew *crew, unsigned count) {
    struct tma_member *members = tma_resize(crew->members, count, sizeof *members);
    crew->members = members == NULL ? crew->members : members;
    struct pollfd *polls = tma_resize(crew->polls, count + 1, sizeof *polls);
    crew->polls = polls == NULL ? crew->polls : polls;
    if (members == NULL || polls == NULL)
        return false;
    for (unsigned i = crew->count; i < count; i++)
        members[i] = (struct tma_member){.channel = TMA_NO_CHANNEL};
    crew->count = count;
    return true;
}

struct tma_crew *tma_crew_create(unsigned jobs, const struct tma_worker_code *code) {
    struct tma_crew *crew = tma_allocate(1, sizeof *crew);
    if (crew == NULL)
        return NULL;
    crew->code = *code;
    crew->jobs = jobs < 1 ? 1 : jobs > TMA_MOST_JOBS ? TMA_MOST_JOBS : jobs;
    if (grow(crew, crew->jobs))
        return crew;
    tma_crew_free(crew);
    return NULL;
}

bool tma_crew_join(struct tma_crew *crew, int channel, const char *key) {
    struct tma_frame hello = {.kind = TMA_FRAME_HELLO, .bytes = TMA_DIGEST_TEXT_BYTES};
    if (!grow(crew, crew->count + 1))
        return false;
    struct tma_member *member = &crew->members[crew->count - 1];
    *member = (struct tma_member){.channel = channel, .server = crew->count - crew->jobs};
    snprintf(member->key, sizeof member->key, "%s", key);
    return send_frame(member, &hello, member->key);
}

void tma_crew_free(struct tma_crew *crew) {
    if (crew == NULL)
        return;
    for (unsigned i = 0; i < crew->count; i++)
        if (crew->members[i].channel != TMA_NO_CHANNEL)
            tma_member_remove(&crew->members[i]);
    TMA_RELEASE(crew->members, crew->polls, crew);
}
