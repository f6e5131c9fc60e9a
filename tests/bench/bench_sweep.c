/* Measures a sweep of 1,000 runs of one SM with one job and with two, by turns, and checks that
 * both write the same. Two jobs can take half of the time only if two cores are free. So the
 * processor time is measured, too, which a busy host changes little: that of the process that gives
 * out the rows, and that of its workers. Only the workers run at the same time; with the rows in
 * two equal parts, the time on two free cores is that of the first plus half of the second.
 *
 * Usage: bench_sweep [COMMAND]: build/tmasim by default. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

enum { REPEATS = 5, MOST_BYTES = 1 << 20 };

/* What a sweep took: the fastest of several. */
struct sample {
    double seconds, own_seconds, worker_seconds;
    char *output;
    size_t size;
};

static _Noreturn void fail(const char *what) {
    perror(what);
    exit(EXIT_FAILURE);
}

/* The processor time of a process that has ended and was not waited for yet, and of the children
 * that it waited for (proc(5): utime, stime, cutime, cstime). */
static void read_processor_time(pid_t child, double *own, double *workers) {
    char path[32], text[1024];
    unsigned long user, system;
    long user_of_children, system_of_children;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)child);
    FILE *file = fopen(path, "r");
    if (file == NULL || fgets(text, sizeof text, file) == NULL)
        fail(path);
    fclose(file);
    /* From the state on, which follows the name in parentheses. */
    if (sscanf(strrchr(text, ')') + 1,
               " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld", &user, &system,
               &user_of_children, &system_of_children) != 4)
        fail(path);
    double ticks = (double)sysconf(_SC_CLK_TCK);
    *own = (double)(user + system) / ticks;
    *workers = (double)(user_of_children + system_of_children) / ticks;
}

static void keep_least(double *least, double value) {
    if (*least == 0 || value < *least)
        *least = value;
}

/* Runs the sweep once, and reads what it writes. */
static void sweep(const char *command, const char *jobs, struct sample *sample) {
    int ends[2];
    double start = wall_seconds(), own, workers;
    if (pipe(ends) != 0)
        fail("pipe");
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl(command, command, "sweep", "configs/scenarios/narrow_rows.yaml", "--try",
              "workload.pipeline.depth=1:8", "--try", "workload.iterations=1:125", "--jobs", jobs,
              "--format", "jsonl", "--quiet", (char *)NULL);
        fail(command);
    }
    close(ends[1]);
    sample->size = 0;
    for (ssize_t got;
         (got = read(ends[0], sample->output + sample->size, MOST_BYTES - sample->size)) > 0;)
        sample->size += (size_t)got;
    close(ends[0]);
    siginfo_t ended;
    if (waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT) != 0)
        fail("waitid");
    double seconds = wall_seconds() - start;
    read_processor_time(child, &own, &workers);
    int status;
    if (waitpid(child, &status, 0) != child || status != 0) {
        fprintf(stderr, "%s: the sweep failed\n", command);
        exit(EXIT_FAILURE);
    }
    keep_least(&sample->seconds, seconds);
    keep_least(&sample->own_seconds, own);
    keep_least(&sample->worker_seconds, workers);
}

int main(int count, char **arguments) {
    const char *command = count > 1 ? arguments[1] : "build/tmasim";
    static const char *const jobs[] = {"1", "2"};
    struct sample samples[2] = {{.output = malloc(MOST_BYTES)}, {.output = malloc(MOST_BYTES)}};
    if (samples[0].output == NULL || samples[1].output == NULL)
        fail("malloc");
    for (int repeat = 0; repeat < REPEATS; repeat++)
        for (int i = 0; i < 2; i++)
            sweep(command, jobs[i], &samples[i]);
    for (int i = 0; i < 2; i++)
        printf("1000 runs, %s job%s: %6.3f s; processor time %5.3f s, and %6.3f s of workers\n",
               jobs[i], i == 0 ? " " : "s", samples[i].seconds, samples[i].own_seconds,
               samples[i].worker_seconds);
    printf("two jobs are %.2f times as fast; by their processor time, %.2f times on free cores\n",
           samples[0].seconds / samples[1].seconds,
           (samples[0].own_seconds + samples[0].worker_seconds) /
               (samples[1].own_seconds + samples[1].worker_seconds / 2));
    if (samples[0].size != samples[1].size || samples[0].size == 0 ||
        memcmp(samples[0].output, samples[1].output, samples[0].size) != 0) {
        fprintf(stderr, "the outputs differ\n");
        return EXIT_FAILURE;
    }
    free(samples[0].output);
    free(samples[1].output);
    return EXIT_SUCCESS;
}
