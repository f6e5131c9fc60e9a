/* Measures the pages of the shipped kernels that take longest to simulate: as `tmasim report` makes
 * them by itself, sampled where the run is long, and with --exact, by turns. The processor time is
 * measured, which a busy host changes less than seconds.
 *
 * Usage: bench_page [COMMAND]: build/tmasim by default. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REPEATS = 3, WAYS = 2 };

static const char *const kernels[] = {"gemm", "gemm_persistent", "gemm_ws", "copy", "layer_norm"};

static double seconds_of(struct timeval time) {
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

/* The processor time of all children that have ended. */
static double spent_by_children(void) {
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

/* The processor time of one page. */
static double measure(const char *command, const char *kernel, const char *option) {
    double before = spent_by_children();
    pid_t child = fork();
    if (child == 0) {
        execl(command, command, "report", kernel, "--quiet", "-o", "/dev/null", option,
              (char *)NULL);
        perror(command);
        _exit(EXIT_FAILURE);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        fprintf(stderr, "%s: no page of %s\n", command, kernel);
        exit(EXIT_FAILURE);
    }
    return spent_by_children() - before;
}

int main(int count, char **arguments) {
    const char *command = count > 1 ? arguments[1] : "build/tmasim";
    static const char *const options[WAYS] = {NULL, "--exact"};
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
        double least[WAYS] = {0};
        for (int repeat = 0; repeat < REPEATS; repeat++)
            for (int way = 0; way < WAYS; way++) {
                double seconds = measure(command, kernels[k], options[way]);
                least[way] = repeat == 0 || seconds < least[way] ? seconds : least[way];
            }
        printf("page of %-16s %6.3f s, all of it simulated %6.3f s; ratio %.2f\n", kernels[k],
               least[0], least[1], least[0] / least[1]);
    }
    return EXIT_SUCCESS;
}
