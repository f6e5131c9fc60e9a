#include "cli/files/temporary.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MOST_FILES = 4, STACK_BYTES = 1 << 16, SAME_INTERRUPT_S = 2 };

/* The names of the files, or NULL, and which signals are held: what the thread that waits for
 * signals looks at. */
static const char *names[MOST_FILES];
static bool holds_interrupts, holds_terminations;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static atomic_bool is_interrupted;

void cli_interrupts_hold(bool hold) {
    pthread_mutex_lock(&mutex);
    holds_interrupts = hold;
    pthread_mutex_unlock(&mutex);
}

void cli_terminations_hold(bool hold) {
    pthread_mutex_lock(&mutex);
    holds_terminations = hold;
    pthread_mutex_unlock(&mutex);
}

bool cli_interrupted(void) {
    return is_interrupted;
}

static void replace_name(const char *from, const char *to) {
    for (int i = 0; i < MOST_FILES; i++)
        if (names[i] == from) {
            names[i] = to;
            return;
        }
}

int cli_temporary_create(char *template) {
    pthread_mutex_lock(&mutex);
    int descriptor = mkstemp(template);
    if (descriptor >= 0)
        replace_name(NULL, template);
    pthread_mutex_unlock(&mutex);
    return descriptor;
}

bool cli_temporary_keep(const char *name, const char *target) {
    pthread_mutex_lock(&mutex);
    bool kept = rename(name, target) == 0;
    int error = errno;
    if (!kept)
        unlink(name);
    replace_name(name, NULL);
    pthread_mutex_unlock(&mutex);
    errno = error;
    return kept;
}

void cli_temporary_remove(const char *name) {
    pthread_mutex_lock(&mutex);
    unlink(name);
    replace_name(name, NULL);
    pthread_mutex_unlock(&mutex);
}

/* Removes all files and ends the process by the signal. Async-signal-safe. */
static void end_by(int number) {
    for (int i = 0; i < MOST_FILES; i++)
        if (names[i] != NULL)
            unlink(names[i]);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    signal(number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
}

/* Whether a signal is an interrupt that the verb looks for. One interrupt may come twice:
 * timeout(1) sends it to the command and to the command's group. */
static bool is_held(int number) {
    static struct timespec first;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!(number == SIGINT && holds_interrupts) && !(number == SIGTERM && holds_terminations))
        return false;
    if (is_interrupted)
        return now.tv_sec - first.tv_sec < SAME_INTERRUPT_S;
    first = now;
    is_interrupted = true;
    return true;
}

/* The thread that waits for signals has begun. While a thread begins, it may hold the allocator's
 * lock (that of the address sanitizer), which a worker that is forked then would wait for. */
static sem_t watching;

/* Waits for a signal that ends the command. The mutex stays locked, so that no file takes its place
 * after that. */
static void *watch(void *set) {
    int number;
    sem_post(&watching);
    for (;;) {
        if (sigwait(set, &number) != 0)
            return NULL;
        pthread_mutex_lock(&mutex);
        if (!is_held(number))
            break;
        pthread_mutex_unlock(&mutex);
    }
    end_by(number);
    return NULL;
}

static bool is_ignored(int number) {
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* A write that exceeds the limit of file sizes raises SIGXFSZ in the thread that writes, one to a
 * pipe that nothing reads SIGPIPE, and a failed assert raises SIGABRT in its thread. Neither
 * happens while that thread changes the names, so they are whole. The handler has a stack of its
 * own, because the stacks of simulated actors are small.
 */
static void handle_faults(void) {
    static const int numbers[] = {SIGXFSZ, SIGABRT, SIGPIPE};
    static char stack[STACK_BYTES];
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = end_by, .sa_flags = SA_ONSTACK};
    if (sigaltstack(&alternate, NULL) != 0)
        return;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (!is_ignored(numbers[i]))
            sigaction(numbers[i], &action, NULL);
}

/* The other signals are blocked everywhere but in a thread that waits for them. So no handler runs
 * on a small stack, and SimGrid's own handler of SIGINT, which exits with status 1, never runs. */
void cli_temporary_watch_signals(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    static sigset_t set;
    pthread_t thread;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (!is_ignored(numbers[i]))
            sigaddset(&set, numbers[i]);
    handle_faults();
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    sem_init(&watching, 0, 0);
    if (pthread_create(&thread, NULL, watch, &set) != 0) {
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
        return;
    }
    pthread_detach(thread);
    while (sem_wait(&watching) != 0 && errno == EINTR)
        ;
}
