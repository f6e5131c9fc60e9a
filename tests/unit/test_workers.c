/* Worker processes: outcomes in order, deaths, output of tasks, and what stays behind. */
#define _GNU_SOURCE /* setitimer, RLIMIT_NPROC */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "suite.h"
#include "workers/pool.h"

enum { MOST_TASKS = 20000, PRINTED_LINES = 40000, BIG_BYTES = 3 << 20 };

/* What the tasks of a test do: the first byte of the input says it. */
enum {
    ECHO = 'e',    /* replies with the number and the input */
    ABORT = 'a',   /* dies by SIGABRT, after a line */
    KILL = 'k',    /* dies by SIGKILL */
    EXIT = 'x',    /* exits with status 7, with text in stdout's buffer */
    PRINT = 'p',   /* prints many lines on both streams */
    BIG = 'b',     /* replies with many bytes */
    EXHAUST = 'm', /* asks for more memory than there is */
    NOTE = 'n',    /* sends two notes */
    SLEEP = 's',   /* takes a while */
    COUNT = 'c',   /* replies with how many tasks this worker has done */
    PARENT = 'i',  /* waits for a signal that the terminal sends to all */
    HANG = 'h',    /* never ends */
    CLOSE = 'd',   /* closes all descriptors and sleeps */
};

static unsigned done_here; /* by this process */

static void sleep_ms(long ms) {
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&left, &left) != 0)
        ;
}

static void work(void *context, size_t number, const void *bytes, size_t size,
                 struct tma_reply *reply) {
    static char big[BIG_BYTES];
    volatile size_t endless = SIZE_MAX / 2; /* the compiler would warn of a constant */
    const char *what = bytes;
    (void)context;
    done_here++;
    switch (size == 0 ? ECHO : what[0]) {
    case ABORT:
        fprintf(stderr, "first line\nthe last line of %zu\n", number);
        abort();
    case KILL:
        kill(getpid(), SIGKILL);
        break;
    case EXIT:
        printf("seven");
        exit(7);
    case PRINT:
        for (int i = 0; i < PRINTED_LINES; i++) {
            printf("line %d\n", i);
            if (i % 100 == 0)
                fprintf(stderr, "error %d\n", i);
        }
        printf("end of %zu\n", number);
        break;
    case BIG:
        memset(big, (int)('A' + number % 26), sizeof big);
        tma_reply_append(reply, big, sizeof big);
        break;
    case EXHAUST:
        tma_reply_append(reply, big, endless);
        break;
    case NOTE:
        tma_reply_note(reply, "one", 3);
        tma_reply_note(reply, "two", 3);
        break;
    case SLEEP:
        sleep_ms(20);
        break;
    case COUNT:
        tma_reply_append(reply, &done_here, sizeof done_here);
        return;
    case PARENT:
        raise(SIGINT);
        break;
    case HANG:
        sleep_ms(600000);
        break;
    case CLOSE:
        for (int descriptor = 3; descriptor < 100; descriptor++)
            close(descriptor);
        sleep_ms(60000);
        break;
    default:
        break;
    }
    tma_reply_append(reply, &number, sizeof number);
    tma_reply_append(reply, bytes, size);
}

static const struct tma_worker_code code = {.work = work};

/* What the parent has seen. */
static struct seen {
    size_t count;
    char *texts[MOST_TASKS]; /* the failure of each outcome, or its echo */
    char *messages[MOST_TASKS];
    size_t sizes[MOST_TASKS];
    char notes[100];
    size_t done, stop_after; /* 0: never */
} seen;

static bool take(void *context, size_t number, const struct tma_task_outcome *outcome) {
    (void)context;
    ck_assert_uint_eq(number, seen.count); /* in order */
    seen.sizes[number] = outcome->size;
    seen.messages[number] = strdup(outcome->messages);
    size_t echoed;
    if (outcome->failure != NULL) {
        ck_assert_uint_eq(outcome->size, 0);
        seen.texts[number] = strdup(outcome->failure);
    } else if (outcome->size == BIG_BYTES + sizeof echoed + 1) {
        seen.texts[number] = strndup(outcome->bytes, 2);
    } else if (outcome->size >= sizeof echoed) {
        memcpy(&echoed, outcome->bytes, sizeof echoed);
        ck_assert_uint_eq(echoed, number);
        seen.texts[number] =
            strndup((const char *)outcome->bytes + sizeof echoed, outcome->size - sizeof echoed);
    }
    seen.count++;
    return seen.stop_after == 0 || seen.count < seen.stop_after;
}

static void note(void *context, size_t number, const void *bytes, size_t size) {
    (void)context;
    size_t length = strlen(seen.notes);
    snprintf(seen.notes + length, sizeof seen.notes - length, "%zu:%.*s ", number, (int)size,
             (const char *)bytes);
}

static bool idle(void *context, size_t done, uint64_t done_cost) {
    (void)context;
    ck_assert_uint_eq(done_cost, 2 * done); /* each task of run_letters costs 2 */
    ck_assert_uint_ge(done, seen.done);
    seen.done = done;
    return true;
}

static size_t open_descriptors(void) {
    size_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    ck_assert_ptr_nonnull(folder);
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

static void forget(void) {
    for (size_t i = 0; i < seen.count; i++) {
        free(seen.texts[i]);
        free(seen.messages[i]);
    }
    seen = (struct seen){0};
}

/* Runs a task for each letter of `letters`, `repeats` times. */
static enum tma_error_code run_letters(struct tma_workers *workers, const char *letters,
                                       size_t repeats, struct tma_error *error) {
    static struct tma_task tasks[MOST_TASKS];
    size_t length = strlen(letters), count = length * repeats;
    ck_assert_uint_le(count, MOST_TASKS);
    for (size_t i = 0; i < count; i++)
        tasks[i] = (struct tma_task){.bytes = letters + i % length, .size = 1, .cost = 2};
    struct tma_batch batch = {
        .tasks = tasks, .count = count, .take = take, .note = note, .idle = idle};
    return tma_workers_run(workers, &batch, error);
}

/* The same with a pool of its own. Nothing stays behind: no descriptor, no child. */
static void run_alone(unsigned jobs, const char *letters, size_t repeats) {
    size_t descriptors = open_descriptors();
    struct tma_workers *workers = tma_workers_create(jobs, &code);
    ck_assert_ptr_nonnull(workers);
    ck_assert_int_eq(run_letters(workers, letters, repeats, NULL), TMA_OK);
    tma_workers_free(workers);
    ck_assert_uint_eq(open_descriptors(), descriptors);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
}

TEST(outcomes_come_in_order) {
    static const unsigned jobs[] = {0, 1, 2, 3, 16};
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
        run_alone(jobs[i], "esee", 5);
        ck_assert_uint_eq(seen.count, 20);
        for (size_t t = 0; t < seen.count; t++) {
            ck_assert_str_eq(seen.texts[t], t % 4 == 1 ? "s" : "e");
            ck_assert_str_eq(seen.messages[t], "");
        }
        forget();
    }
}

TEST(many_short_tasks) {
    run_alone(4, "eeee", MOST_TASKS / 4);
    ck_assert_uint_eq(seen.count, MOST_TASKS);
    forget();
}

TEST(no_task_starts_no_worker) {
    run_alone(4, "", 1);
    ck_assert_uint_eq(seen.count, 0);
}

static const struct {
    char letter;
    const char *failure;
} deaths[] = {
    {ABORT, "the worker process ended by signal 6 (Aborted): the last line of 1"},
    {KILL, "the worker process ended by signal 9 (Killed)"},
    {EXIT, "the worker process ended with exit status 7: seven"},
#if !defined(__SANITIZE_ADDRESS__) /* which ends the process */
    {EXHAUST, "the worker process ran out of memory"},
#endif
    {CLOSE, "the worker process ended by signal 9 (Killed)"},
};

TEST_ROWS(a_death_is_the_outcome_of_one_task, TABLE_ROWS(deaths)) {
    char letters[] = "e?eee";
    letters[1] = deaths[_i].letter;
    for (unsigned jobs = 1; jobs <= 3; jobs++) {
        run_alone(jobs, letters, 1);
        ck_assert_uint_eq(seen.count, 5);
        for (size_t t = 0; t < seen.count; t++)
            ck_assert_str_eq(seen.texts[t], t == 1 ? deaths[_i].failure : "e");
        forget();
    }
}

TEST(every_worker_may_die) {
    run_alone(2, "ka", 20);
    ck_assert_uint_eq(seen.count, 40);
    for (size_t t = 0; t < seen.count; t++)
        ck_assert_ptr_nonnull(strstr(seen.texts[t], t % 2 == 0 ? "signal 9" : "signal 6"));
    forget();
}

TEST(messages_belong_to_their_task) {
    run_alone(2, "epa", 3);
    ck_assert_uint_eq(seen.count, 9);
    for (size_t t = 0; t < seen.count; t++) {
        char end[32];
        snprintf(end, sizeof end, "end of %zu\n", t);
        const char *messages = seen.messages[t];
        size_t length = strlen(messages);
        if (t % 3 == 0) {
            ck_assert_str_eq(messages, "");
        } else if (t % 3 == 1) {
            ck_assert_uint_eq(length, 16383); /* the end of what it printed */
            ck_assert_str_eq(messages + length - strlen(end), end);
        } else {
            ck_assert_ptr_nonnull(strstr(messages, "first line\n"));
        }
    }
    forget();
}

TEST(replies_may_be_large) {
    run_alone(3, "b", 12);
    ck_assert_uint_eq(seen.count, 12);
    for (size_t t = 0; t < seen.count; t++) {
        ck_assert_uint_eq(seen.sizes[t], BIG_BYTES + sizeof(size_t) + 1);
        ck_assert_int_eq(seen.texts[t][0], (int)('A' + t));
    }
    forget();
}

/* The input exceeds what a socket holds. */
TEST(inputs_may_be_large) {
    static char input[BIG_BYTES];
    memset(input, 'e', sizeof input);
    struct tma_task tasks[6];
    for (size_t i = 0; i < 6; i++)
        tasks[i] = (struct tma_task){.bytes = input, .size = sizeof input - i};
    struct tma_workers *workers = tma_workers_create(2, &code);
    struct tma_batch batch = {.tasks = tasks, .count = 6, .take = take};
    ck_assert_int_eq(tma_workers_run(workers, &batch, NULL), TMA_OK);
    tma_workers_free(workers);
    ck_assert_uint_eq(seen.count, 6);
    for (size_t i = 0; i < 6; i++)
        ck_assert_uint_eq(seen.sizes[i], sizeof(size_t) + sizeof input - i);
    forget();
}

TEST(notes_come_before_the_outcome) {
    run_alone(1, "ene", 1);
    ck_assert_str_eq(seen.notes, "1:one 1:two ");
    forget();
}

/* One worker does all tasks: the costly ones first, equal ones in their order. */
TEST(costly_tasks_start_first) {
    static const uint64_t costs[] = {1, 5, 3, 5, 0, 3};
    static const unsigned ranks[] = {5, 1, 3, 2, 6, 4};
    static unsigned got[6];
    struct tma_task tasks[6];
    for (size_t i = 0; i < 6; i++)
        tasks[i] = (struct tma_task){.bytes = "n", .size = 1, .cost = costs[i]};
    struct tma_workers *workers = tma_workers_create(1, &code);
    struct tma_batch batch = {.tasks = tasks, .count = 6, .take = take, .note = note};
    ck_assert_int_eq(tma_workers_run(workers, &batch, NULL), TMA_OK);
    tma_workers_free(workers);
    char *next = seen.notes;
    for (unsigned rank = 1; rank <= 6; rank++) {
        got[strtoul(next, &next, 10)] = rank;
        next += strlen(":one ");
        next = strchr(next, ' ') + 1; /* its second note */
    }
    for (size_t i = 0; i < 6; i++)
        ck_assert_uint_eq(got[i], ranks[i]);
    forget();
}

TEST(workers_stay_between_batches) {
    struct tma_workers *workers = tma_workers_create(1, &code);
    struct tma_task task = {.bytes = "c", .size = 1};
    struct tma_batch batch = {.tasks = &task, .count = 1, .take = take};
    for (unsigned i = 1; i <= 3; i++) {
        ck_assert_int_eq(tma_workers_run(workers, &batch, NULL), TMA_OK);
        ck_assert_uint_eq(seen.sizes[0], sizeof done_here);
        forget();
    }
    ck_assert_uint_eq(done_here, 0); /* this process did none */
    tma_workers_free(workers);
}

TEST(a_batch_can_be_stopped) {
    struct tma_workers *workers = tma_workers_create(2, &code);
    seen.stop_after = 3;
    ck_assert_int_eq(run_letters(workers, "s", 50, NULL), TMA_OK);
    ck_assert_uint_eq(seen.count, 3);
    forget();
    ck_assert_int_eq(run_letters(workers, "e", 5, NULL), TMA_OK); /* the pool goes on */
    ck_assert_uint_eq(seen.count, 5);
    forget();
    tma_workers_free(workers);
}

static bool stop_after_two(void *context, size_t done, uint64_t done_cost) {
    (void)context;
    (void)done_cost;
    return done < 2;
}

static bool take_some(void *context, size_t number, const struct tma_task_outcome *outcome) {
    size_t *mask = context;
    ck_assert_ptr_null(outcome->failure);
    *mask |= (size_t)1 << number;
    return true;
}

/* The first task hangs; the outcomes of two others are there when the batch ends. */
TEST(idle_ends_a_batch) {
    struct tma_workers *workers = tma_workers_create(2, &code);
    struct tma_task tasks[4] = {{.bytes = "h", .size = 1},
                                {.bytes = "s", .size = 1},
                                {.bytes = "s", .size = 1},
                                {.bytes = "h", .size = 1}};
    size_t mask = 0;
    struct tma_batch batch = {
        .tasks = tasks, .count = 4, .context = &mask, .take = take_some, .idle = stop_after_two};
    ck_assert_int_eq(tma_workers_run(workers, &batch, NULL), TMA_OK);
    ck_assert_uint_eq(mask, 6);
    tma_workers_free(workers);
}

static void ignore_alarm(int number) {
    (void)number;
}

/* A timer interrupts every call of the parent. */
TEST(interrupted_calls_go_on) {
    struct sigaction action = {.sa_handler = ignore_alarm};
    struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    ck_assert_int_eq(sigaction(SIGALRM, &action, NULL), 0);
    ck_assert_int_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
    run_alone(3, "epbeks", 4);
    ck_assert_int_eq(setitimer(ITIMER_REAL, &never, NULL), 0);
    ck_assert_uint_eq(seen.count, 24);
    for (size_t t = 0; t < seen.count; t++)
        ck_assert_int_eq(seen.texts[t][0], t % 6 == 2 ? (int)('A' + t) : "ep?ets"[t % 6]);
    forget();
}

/* A terminal sends SIGINT to all processes; workers leave the decision to their parent. */
TEST(workers_survive_an_interrupt) {
    run_alone(2, "i", 4);
    ck_assert_uint_eq(seen.count, 4);
    for (size_t t = 0; t < seen.count; t++)
        ck_assert_str_eq(seen.texts[t], "i");
    forget();
}

TEST(two_pools_end_in_any_order) {
    struct tma_workers *first = tma_workers_create(2, &code);
    struct tma_workers *second = tma_workers_create(2, &code);
    ck_assert_int_eq(run_letters(first, "ee", 1, NULL), TMA_OK);
    forget();
    ck_assert_int_eq(run_letters(second, "ee", 1, NULL), TMA_OK);
    forget();
    tma_workers_free(first); /* the workers of the second have its descriptors */
    tma_workers_free(second);
}

TEST(without_descriptors_no_worker_starts) {
    struct tma_workers *workers = tma_workers_create(2, &code);
    struct rlimit old, none = {3, 3};
    struct tma_error error;
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &old), 0);
    none.rlim_max = old.rlim_max;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
    enum tma_error_code result = run_letters(workers, "e", 3, &error);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &old), 0);
    ck_assert_int_eq(result, TMA_ERROR_UNSUPPORTED);
    ck_assert_str_eq(error.text, "cannot start a worker process: Too many open files");
    tma_workers_free(workers);
}

TEST(cores_are_counted) {
    ck_assert_uint_ge(tma_workers_cores(), 1);
}

TEST_SUITE("workers", .timeout = 60);
