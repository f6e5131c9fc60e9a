/* Measures a sweep of 1,000 runs of one SM with one job and with two, by turns, and checks that
 * both write the same. The processor time of all processes shows what the workers cost beside the
 * work; two jobs can take half of the time only if two cores are free.
 *
 * Usage: bench_sweep [COMMAND]: build/tmasim by default. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REPEATS = 5, MOST_BYTES = 1 << 20 };

/* What a sweep took: the fastest of several. */
struct sample {
    double seconds, processor_seconds;
    char *output;
    size_t size;
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double of(struct timeval time) {
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static _Noreturn void fail(const char *what) {
    perror(what);
    exit(EXIT_FAILURE);
}

static double processor_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return of(usage.ru_utime) + of(usage.ru_stime);
}

/* Runs the sweep once, and reads what it writes. */
static void sweep(const char *command, const char *jobs, struct sample *sample) {
    int ends[2];
    double processor = processor_seconds(), start = now();
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
    int status;
    if (waitpid(child, &status, 0) != child || status != 0) {
        fprintf(stderr, "%s: the sweep failed\n", command);
        exit(EXIT_FAILURE);
    }
    double seconds = now() - start;
    processor = processor_seconds() - processor;
    if (sample->seconds == 0 || seconds < sample->seconds)
        sample->seconds = seconds;
    if (sample->processor_seconds == 0 || processor < sample->processor_seconds)
        sample->processor_seconds = processor;
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
        printf("1000 runs, %s job%s: %6.3f s, %6.3f s of processor time\n", jobs[i],
               i == 0 ? " " : "s", samples[i].seconds, samples[i].processor_seconds);
    printf("two jobs are %.2f times as fast\n", samples[0].seconds / samples[1].seconds);
    if (samples[0].size != samples[1].size || samples[0].size == 0 ||
        memcmp(samples[0].output, samples[1].output, samples[0].size) != 0) {
        fprintf(stderr, "the outputs differ\n");
        return EXIT_FAILURE;
    }
    free(samples[0].output);
    free(samples[1].output);
    return EXIT_SUCCESS;
}
