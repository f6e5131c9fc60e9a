/* Servers: processes that do tasks for a pool, which a socket joins with it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "suite.h"
#include "workers/frames.h"
#include "workers/server.h"

enum { MOST_TASKS = 2000 };

/* What the tasks of a test do: the first byte of the input says it. */
enum {
    ECHO = 'e',   /* replies with the number and the server's */
    NOTE = 'n',   /* sends a note */
    ABORT = 'a',  /* its worker dies, after a line */
    SERVER = 's', /* its server dies, if a server does it */
    SLEEP = 'z',  /* takes a while */
};

struct answer {
    size_t number;
    int server; /* 0: a worker of the pool */
};

static void work(void *context, size_t number, const void *bytes, size_t size,
                 struct tma_reply *reply) {
    const int *server = context;
    struct answer answer = {number, *server};
    struct timespec while_others_work = {0, 20000000};
    ck_assert_uint_eq(size, 1);
    switch (*(const char *)bytes) {
    case NOTE:
        tma_reply_note(reply, "note", 4);
        break;
    case ABORT:
        fprintf(stderr, "a line of %zu\n", number);
        abort();
    case SERVER:
        if (*server > 0)
            kill(getppid(), SIGKILL);
        nanosleep(&while_others_work, NULL);
        break;
    case SLEEP:
        nanosleep(&while_others_work, NULL);
        break;
    default:
        break;
    }
    tma_reply_append(reply, &answer, sizeof answer);
}

static int own_number; /* of this process: 0 in the pool's */
static const struct tma_worker_code code = {.work = work, .context = &own_number};

/* What the pool's process has seen. */
static struct seen {
    size_t count, by_servers, notes, lost;
    char failures[MOST_TASKS][100];
    char reason[100]; /* of the last server that was lost */
} seen;

static bool take(void *context, size_t number, const struct tma_task_outcome *outcome) {
    struct answer answer;
    (void)context;
    ck_assert_uint_eq(number, seen.count++); /* in order */
    if (outcome->failure != NULL) {
        snprintf(seen.failures[number], sizeof seen.failures[number], "%s|%s", outcome->failure,
                 outcome->messages);
        return true;
    }
    ck_assert_uint_eq(outcome->size, sizeof answer);
    memcpy(&answer, outcome->bytes, sizeof answer);
    ck_assert_uint_eq(answer.number, number);
    seen.by_servers += answer.server > 0;
    return true;
}

static void note(void *context, size_t number, const void *bytes, size_t size) {
    (void)context;
    (void)number;
    ck_assert_uint_eq(size, 4);
    ck_assert_mem_eq(bytes, "note", 4);
    seen.notes++;
}

static void lost(void *context, unsigned server, const char *reason) {
    (void)context;
    ck_assert_uint_ge(server, 1);
    seen.lost++;
    snprintf(seen.reason, sizeof seen.reason, "%s", reason);
}

/* Starts a server in a process of its own, and lets it join the pool. */
static void join(struct tma_workers *workers, int number, unsigned jobs, const char *key) {
    int ends[2];
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    pid_t process = fork();
    if (process == 0) {
        own_number = number;
        close(ends[0]);
        _exit(tma_workers_serve(ends[1], jobs, &code, key, NULL) == TMA_OK ? 0 : 1);
    }
    close(ends[1]);
    ck_assert_int_gt(process, 0);
    ck_assert(tma_workers_join(workers, ends[0], "key"));
}

static void run_letters(struct tma_workers *workers, const char *letters, size_t count) {
    static struct tma_task tasks[MOST_TASKS];
    seen = (struct seen){0};
    for (size_t i = 0; i < count; i++)
        tasks[i] = (struct tma_task){.bytes = letters + i % strlen(letters), .size = 1, .cost = 1};
    struct tma_batch batch = {
        .tasks = tasks, .count = count, .take = take, .note = note, .lost = lost};
    ck_assert_int_eq(tma_workers_run(workers, &batch, NULL), TMA_OK);
    ck_assert_uint_eq(seen.count, count);
}

/* Ends the pool; the servers end with it. */
static void end(struct tma_workers *workers, int servers, int killed) {
    int status;
    tma_workers_free(workers);
    for (int i = 0; i < servers; i++) {
        ck_assert_int_gt(waitpid(-1, &status, 0), 0);
        if (WIFSIGNALED(status))
            killed--;
        else
            ck_assert_int_eq(WEXITSTATUS(status), 0);
    }
    ck_assert_int_eq(killed, 0);
    ck_assert_int_eq(waitpid(-1, &status, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
}

TEST(servers_share_the_tasks) {
    struct tma_workers *workers = tma_workers_create(1, &code);
    join(workers, 1, 1, "key");
    join(workers, 2, 3, "key");
    run_letters(workers, "zzzn", 60);
    ck_assert_uint_ge(seen.by_servers, 20);
    ck_assert_uint_lt(seen.by_servers, 60);
    ck_assert_uint_eq(seen.notes, 15);
    run_letters(workers, "en", MOST_TASKS); /* another batch, of short tasks */
    ck_assert_uint_eq(seen.notes, MOST_TASKS / 2);
    ck_assert_uint_eq(seen.lost, 0);
    end(workers, 2, 0);
}

/* As with a worker of the pool: whoever does the task, its outcome is the same. */
TEST(a_death_in_a_server_is_the_outcome_of_its_task) {
    struct tma_workers *workers = tma_workers_create(1, &code);
    join(workers, 1, 2, "key");
    join(workers, 2, 2, "key");
    run_letters(workers, "zazzz", 50);
    for (size_t i = 0; i < 50; i++) {
        char expected[100] = "";
        if (i % 5 == 1)
            snprintf(
                expected, sizeof expected,
                "the worker process ended by signal 6 (Aborted): a line of %zu|a line of %zu\n", i,
                i);
        ck_assert_str_eq(seen.failures[i], expected);
    }
    ck_assert_uint_eq(seen.lost, 0);
    end(workers, 2, 0);
}

TEST(others_do_the_tasks_of_a_server_that_dies) {
    struct tma_workers *workers = tma_workers_create(1, &code);
    join(workers, 1, 2, "key");
    join(workers, 2, 1, "key");
    run_letters(workers, "zzszzzzszz", 100);
    for (size_t i = 0; i < 100; i++)
        ck_assert_str_eq(seen.failures[i], "");
    ck_assert_uint_eq(seen.lost, 2);
    ck_assert_str_eq(seen.reason, "it has gone");
    end(workers, 2, 2);
}

TEST(a_server_with_other_inputs_is_refused) {
    struct tma_workers *workers = tma_workers_create(1, &code);
    join(workers, 1, 1, "other");
    run_letters(workers, "z", 20);
    ck_assert_uint_eq(seen.by_servers, 0);
    ck_assert_uint_eq(seen.lost, 1);
    ck_assert_str_eq(seen.reason, "it has another version or other files");
    end(workers, 1, 0);
}

/* What a server may say that is no server. */
static const struct tma_frame lies[] = {
    {.kind = TMA_FRAME_DONE},
    {.kind = TMA_FRAME_HELLO, .number = 0, .bytes = 17},
    {.kind = TMA_FRAME_HELLO, .number = UINT64_MAX, .bytes = 17},
    {.kind = TMA_FRAME_HELLO, .number = 1, .bytes = UINT64_MAX},
    {.kind = 1000, .number = 1, .bytes = 17},
};

TEST_ROWS(a_liar_is_refused, TABLE_ROWS(lies)) {
    struct tma_workers *workers = tma_workers_create(1, &code);
    int ends[2];
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    ck_assert(tma_workers_join(workers, ends[0], "key"));
    ck_assert(tma_frame_write(ends[1], &lies[_i], sizeof lies[_i]));
    run_letters(workers, "z", 10);
    ck_assert_uint_eq(seen.lost, 1);
    close(ends[1]);
    end(workers, 0, 0);
}

/* A server that is slow to start, or never does, holds nothing up. */
TEST(a_silent_server_gets_nothing) {
    struct tma_workers *workers = tma_workers_create(2, &code);
    int ends[2];
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    ck_assert(tma_workers_join(workers, ends[0], "key"));
    run_letters(workers, "zaen", 20);
    ck_assert_uint_eq(seen.lost, 0);
    end(workers, 0, 0);
    close(ends[1]);
}

TEST_SUITE("workers server", .timeout = 60);
