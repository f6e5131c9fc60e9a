/* Allocations of a run of each verb fail, one a run: those of the library and the command, those of
 * libyaml and libc on their behalf, those of a worker process, and SimGrid's. A run then either
 * does all its work, or says what is wrong on standard error, exits with status 2 and leaves no
 * file; or a record or a row fails, with status 1. It frees everything that it allocated.
 *
 * In the first row of each verb (but `kernels`), which has small inputs, every allocation fails, in
 * turn, and in the other rows those that ALLOCATIONS chooses: the run forks at each of them, and
 * only the child goes on without that memory (forked_run.h). Verbs read scenarios in the same way,
 * in thousands of allocations: once the same inner calls of the stack have failed MOST_REPEATS
 * times, they fail no more. A run that has worker processes cannot be forked: its later
 * allocations, and those of its workers, fail in runs of their own. So do all with the address
 * sanitizer, which looks for leaks in each process that ends.
 *
 * ALLOCATIONS in the environment says which of these fail:
 *   few    each way within the library once for all verbs, and no other: builds with coverage, in
 * which each process takes long to end
 *   some   the default: each way to an allocation within a verb (the outer calls of the stack)
 * fails once for each verb, and each way within the library (the inner calls) once for all verbs;
 *   ways   each stack of calls that leads to an allocation fails the first and the last time;
 *   all    every allocation fails, each time, which takes long.
 * VERB in the environment names the only row of the table to run. */
#define _GNU_SOURCE /* dl_iterate_phdr, memfd_create */
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/suite.h"
#include "base/allocation.h"
#include "cli/command.h"
#include "cli/files/output.h"
#include "engine/module.h"
#include "forked_run.h"

/* The sanitizers bring allocation functions of their own, which cannot be replaced. There, only
 * allocations of the library and the command fail (base/allocation.h), and the sanitizer finds what
 * is not freed. */
#if defined(__SANITIZE_ADDRESS__)
#define REPLACES_ALLOCATION 0
#else
#define REPLACES_ALLOCATION 1
#endif

/* Whose allocations fail: ours in the process of the verb, ours in a worker process, or those of
 * SimGrid in either. */
enum owner { OURS, WORKERS, SIMGRID, OWNERS };

static const char *const owner_names[OWNERS] = {"ours", "a worker's", "SimGrid's"};

struct verb_case;
struct outcome;

static struct {
    bool armed;
    bool records; /* notes the way to each allocation */
    bool in_worker;
    enum owner owner;
    int base_depth; /* of the stack of the test, below the command */
    uint64_t fail_at;
    bool forks;           /* at allocations, and a child goes on without that memory */
    const bool *forks_at; /* by number: whether to fork. NULL: as MOST_REPEATS says */
    const struct verb_case *verb;
    const struct outcome *good; /* what the run gives when nothing fails */
} plan;

/* The stack of an allocation, as digests. */
struct way {
    uint64_t whole, outer, inner;
};

/* What one run did. */
struct outcome {
    int status;
    bool signalled;
    uint64_t allocations;
    size_t leaked;
    size_t file_count; /* in the folder of outputs */
    size_t bytes;      /* of standard output and of all files */
    uint64_t digest;   /* of these bytes */
    char message[1 << 14];
    char text[1 << 14]; /* the first of these bytes */
};

/* What a child and its workers say to the test. */
enum { MOST_ALLOCATIONS = 1 << 18, MOST_SEEN = 1 << 13, OUTER_CALLS = 6, INNER_CALLS = 6 };

/* Times that the same inner calls fail in forks, over all verbs. */
enum { MOST_REPEATS = 10 };

static struct shared {
    atomic_uint_fast64_t allocations;
    size_t leaked;
    struct way ways[MOST_ALLOCATIONS];
    struct seen_way {
        uint64_t inner;
        uint32_t times; /* in forks */
    } seen[MOST_SEEN];  /* the inner ways that failed, over all verbs */
    size_t seen_count;
    uint64_t forked;      /* allocations at which the run has forked */
    struct outcome wrong; /* what the last child did, if that was wrong */
} * shared;

static uint64_t digest(uint64_t state, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        state = (state ^ ((const uint8_t *)bytes)[i]) * 1099511628211U;
    return state;
}

static struct way way_here(void) {
    void *stack[64];
    plan.armed = false; /* backtrace allocates, too */
    int depth = backtrace(stack, sizeof stack / sizeof *stack);
    int below = depth - plan.base_depth > OUTER_CALLS ? depth - plan.base_depth - OUTER_CALLS : 0;
    int inner = depth < INNER_CALLS + 2 ? depth : INNER_CALLS + 2; /* two are of this test */
    plan.armed = true;
    return (struct way){
        .whole = digest(0, stack, (size_t)depth * sizeof *stack),
        .outer = digest(0, stack + below, (size_t)(depth - below) * sizeof *stack),
        .inner = digest(0, stack, (size_t)inner * sizeof *stack),
    };
}

static bool is_owner(bool simgrid) {
    enum owner owner = simgrid ? SIMGRID : plan.in_worker ? WORKERS : OURS;
    return plan.armed && owner == plan.owner;
}

static bool fork_and_fail(uint64_t number, uint64_t inner);

/* Counts an allocation of the plan's owner. Returns true if it is to fail. */
static bool count_allocation(void) {
    struct way way = {0};
    if (plan.forks || plan.records)
        way = way_here();
    if (plan.forks)
        return fork_and_fail(++shared->forked, way.inner);
    uint64_t number = atomic_fetch_add(&shared->allocations, 1);
    if (plan.records)
        shared->ways[number % MOST_ALLOCATIONS] = way;
    return number + 1 == plan.fail_at;
}

static void enter_worker(void) {
    plan.in_worker = true;
}

/* A run that has workers shares their pipes with its children. */
static void stop_forking(void) {
    plan.forks = false;
}

/* The libraries call these functions, too. */
#pragma GCC visibility push(default)

/* The verbs run in this process, and look for their files near the command: BUILD/tmasim for
 * BUILD/tests/faults/test_allocation_sites. */
ssize_t readlink(const char *path, char *target, size_t bytes) {
    static const char own[] = "tests/faults/test_allocation_sites";
    ssize_t length = syscall(SYS_readlink, path, target, bytes);
    ssize_t folder = length - (ssize_t)sizeof own + 1;
    if (folder <= 0 || memcmp(target + folder, own, sizeof own - 1) != 0)
        return length;
    memcpy(target + folder, "tmasim", 6);
    return folder + 6;
}

#if REPLACES_ALLOCATION

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *block);

/* Where the code of the C++ libraries lies: allocations from there, and from what they call, are
 * SimGrid's. */
enum { MOST_RANGES = 64, MOST_BLOCKS = 1 << 17 };

static struct range { uintptr_t begin, end; } simgrid_ranges[MOST_RANGES], our_ranges[MOST_RANGES];
static size_t simgrid_range_count, our_range_count;

static int add_range(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size, (void)context;
    bool simgrid = strstr(info->dlpi_name, "simgrid") != NULL ||
                   strstr(info->dlpi_name, "stdc++") != NULL ||
                   strstr(info->dlpi_name, "boost") != NULL;
    bool ours = info->dlpi_name[0] == '\0' || strstr(info->dlpi_name, "yaml") != NULL;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD || (header->p_flags & PF_X) == 0)
            continue;
        struct range range = {info->dlpi_addr + header->p_vaddr,
                              info->dlpi_addr + header->p_vaddr + header->p_memsz};
        if (simgrid && simgrid_range_count < MOST_RANGES)
            simgrid_ranges[simgrid_range_count++] = range;
        if (ours && our_range_count < MOST_RANGES)
            our_ranges[our_range_count++] = range;
    }
    return 0;
}

static bool is_in(const struct range *ranges, size_t count, const void *address) {
    for (size_t i = 0; i < count; i++)
        if ((uintptr_t)address >= ranges[i].begin && (uintptr_t)address < ranges[i].end)
            return true;
    return false;
}

static bool fails_now(const void *caller) {
    if (!plan.armed)
        return false;
    if (!is_owner(is_in(simgrid_ranges, simgrid_range_count, caller)) || !count_allocation())
        return false;
    errno = ENOMEM;
    return true;
}

/* The blocks that our code or libyaml allocated since the plan was armed, and did not free: a hash
 * table with linear probing. Neighbours in memory are neighbours in the table, so that a child that
 * frees them copies few pages of it. */
static void *blocks[MOST_BLOCKS];
static size_t block_count;

static size_t place_of(const void *block) {
    return (uintptr_t)block / 16 % MOST_BLOCKS;
}

static void *note(void *block, const void *caller) {
    if (!plan.armed || block == NULL || !is_in(our_ranges, our_range_count, caller))
        return block;
    size_t i = place_of(block);
    while (blocks[i] != NULL)
        i = (i + 1) % MOST_BLOCKS;
    blocks[i] = block;
    block_count++;
    return block;
}

/* Empties a place, and moves blocks there that would no longer be found behind it. */
static void empty_place(size_t empty) {
    blocks[empty] = NULL;
    for (size_t i = (empty + 1) % MOST_BLOCKS; blocks[i] != NULL; i = (i + 1) % MOST_BLOCKS) {
        size_t distance = (i + MOST_BLOCKS - place_of(blocks[i])) % MOST_BLOCKS;
        if (distance < (i + MOST_BLOCKS - empty) % MOST_BLOCKS)
            continue;
        blocks[empty] = blocks[i];
        blocks[i] = NULL;
        empty = i;
    }
}

static void forget(const void *block) {
    if (block == NULL || block_count == 0)
        return;
    for (size_t i = place_of(block); blocks[i] != NULL; i = (i + 1) % MOST_BLOCKS)
        if (blocks[i] == block) {
            empty_place(i);
            block_count--;
            return;
        }
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t bytes) {
    return fails_now(CALLER) ? NULL : note(__libc_malloc(bytes), CALLER);
}

void *calloc(size_t count, size_t bytes) {
    return fails_now(CALLER) ? NULL : note(__libc_calloc(count, bytes), CALLER);
}

void *realloc(void *block, size_t bytes) {
    if (fails_now(CALLER))
        return NULL;
    forget(block);
    return note(__libc_realloc(block, bytes), CALLER);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    return fails_now(CALLER) ? NULL : note(__libc_memalign(alignment, bytes), CALLER);
}

void *memalign(size_t alignment, size_t bytes) {
    return fails_now(CALLER) ? NULL : note(__libc_memalign(alignment, bytes), CALLER);
}

int posix_memalign(void **block, size_t alignment, size_t bytes) {
    if (fails_now(CALLER))
        return ENOMEM;
    void *allocated = note(__libc_memalign(alignment, bytes), CALLER);
    if (allocated == NULL)
        return ENOMEM;
    *block = allocated;
    return 0;
}

void free(void *block) {
    forget(block);
    __libc_free(block);
}

static void start_watching(void) {
    simgrid_range_count = our_range_count = 0;
    dl_iterate_phdr(add_range, NULL);
}

static size_t leaked_blocks(void) {
    return block_count;
}
#else
int __lsan_do_recoverable_leak_check(void);

static bool fails_now(void) {
    return is_owner(false) && count_allocation();
}

static void start_watching(void) {
    tma_allocation_fails = fails_now;
}

static size_t leaked_blocks(void) {
    return __lsan_do_recoverable_leak_check() != 0;
}
#endif
#pragma GCC visibility pop

enum { MOST_ARGUMENTS = 16, MOST_BYTES = 1 << 18 };

static const struct verb_case {
    const char *name;
    const char *arguments[MOST_ARGUMENTS];
    enum { NOTHING, RUNS, WORKS } simulates; /* in this process, or in a worker */
} cases[] = {
    {"help", {"help", "scenario"}, NOTHING},
    {"help on a verb", {"help", "run"}, NOTHING},
    {"serve", {"serve", "--stdio"}, NOTHING},
    {"JSON Schema", {"help", "scenario-schema"}, NOTHING},
    {"kernels", {"kernels", "--format", "json", "-o", "out"}, NOTHING},
    {"man page", {"help", "--man", "scenario"}, NOTHING},
    {"completion of names", {"completion", "query", "--", "run", ""}, NOTHING},
    {"completion",
     {"completion", "query", "--", "run", "tests/faults/small.yaml", "--set", ""},
     NOTHING},
    {"check of a map", {"check", "tests/faults/map.json", "--json", "-o", "out"}, NOTHING},
    {"check of several files",
     {"check", "tests/faults/small.yaml", "tests/faults/map.json", "-o", "out"},
     NOTHING},
    {"check", {"check", "tests/faults/small.yaml", "-o", "out"}, NOTHING},
    {"encode of a map", {"encode", "tests/faults/map.json", "-o", "out"}, NOTHING},
    {"encode", {"encode", "tests/faults/small.yaml", "-o", "out"}, NOTHING},
    {"decode", {"decode", "tests/faults/map.txt", "tests/faults/map.txt", "-o", "out"}, NOTHING},
    {"replace", {"replace", "tests/faults/map.txt", "box_dim.0=8", "-o", "out"}, NOTHING},
    {"layout", {"layout", "tests/faults/small.yaml", "-o", "out"}, NOTHING},
    {"drawing of a layout",
     {"layout", "tests/faults/small.yaml", "--format", "svg", "--at", "0", "-o", "out"},
     NOTHING},
    {"fragment", {"fragment", "wgmma_d", "--size", "16", "-o", "out"}, NOTHING},
    {"descriptor", {"descriptor", "configs/scenarios/gemm_tile.yaml", "-o", "out"}, NOTHING},
    {"cute", {"cute", "configs/scenarios/gemm_tile.yaml", "-o", "out"}, NOTHING},
    {"pattern",
     {"pattern", "warp_raked", "--block-size", "64", "--y-per-tile", "16", "--x-per-tile", "32",
      "--vec-size", "4", "-o", "out"},
     NOTHING},
    {"explain", {"explain", "tests/faults/small.yaml", "-o", "out"}, NOTHING},
    {"diff", {"diff", "tests/faults/a.trace", "tests/faults/b.trace", "-o", "out"}, NOTHING},
    {"diff of sweeps",
     {"diff", "tests/faults/sweep.csv", "tests/faults/sweep.jsonl", "--fail-if", "cycles > +50%",
      "-o", "out"},
     NOTHING},
    {"diff of reports",
     {"diff", "tests/faults/before.json", "tests/faults/after.json", "-o", "out"},
     NOTHING},
    {"diff of three reports",
     {"diff", "tests/faults/before.json", "tests/faults/after.json", "tests/faults/before.json",
      "--format", "markdown", "-o", "out"},
     NOTHING},
    {"completion of a setting",
     {"completion", "query", "--", "run", "tests/faults/small.yaml", "--set", "w"},
     NOTHING},
    {"validate",
     {"validate", "tests/unit/records/store.tsv", "--gpu", "configs/gpus/h200.yaml", "-j", "1",
      "-o", "out"},
     WORKS},
    {"validate a timing",
     {"validate", "tests/faults/timing.tsv", "--gpu", "configs/gpus/h200.yaml", "-j", "1", "-o",
      "out"},
     WORKS},
    {"compare",
     {"compare", "tests/faults/small.yaml", "--format", "svg", "-j", "1", "-o", "out"},
     WORKS},
    {"compare of a kernel", {"compare", "tests/faults/kernel.yaml", "-j", "1", "-o", "out"}, WORKS},
    {"sweep",
     {"sweep", "tests/faults/small.yaml", "--try", "workload.ctas=1,2", "--resume", "rows", "-j",
      "1", "-o", "out"},
     WORKS},
    {"sweep of a kernel",
     {"sweep", "tests/faults/kernel.yaml", "--try", "STEPS=1,2", "--format", "jsonl", "-j", "1",
      "-o", "out"},
     WORKS},
    {"sweep of a list",
     {"sweep", "tests/faults/small.yaml", "--list", "tests/faults/list.txt", "-j", "1", "-o",
      "out"},
     WORKS},
    {"tune",
     {"tune", "tests/faults/kernel.yaml", "--try", "STEPS=1,2", "--draws", "1", "-j", "1", "-o",
      "out"},
     WORKS},
    {"golden", {"golden", "check", "tests/faults/golden", "-j", "1", "-o", "out"}, WORKS},
    {"report", {"report", "tests/faults/small.yaml", "--no-why", "-o", "out"}, RUNS},
    {"report of a kernel", {"report", "tests/faults/kernel.yaml", "-o", "out"}, RUNS},
    {"run",
     {"run", "tests/faults/small.yaml", "--no-why", "--format", "json", "-o", "out", "--trace",
      "trace"},
     RUNS},
    {"run of several",
     {"run", "tests/faults/small.yaml", "tests/faults/kernel.yaml", "--format", "csv", "-j", "1",
      "-o", "out"},
     WORKS},
    {"sampled run",
     {"run", "gemm_persistent", "--set", "M=1024", "--set", "N=128", "--set", "K=64", "--set",
      "CTAS=1", "--sample", "-o", "out"},
     RUNS},
    {"run with experiments",
     {"run", "tests/faults/small.yaml", "--set", "workload.ctas=3", "-o", "out"},
     RUNS},
    {"run of a kernel", {"run", "tests/faults/kernel.yaml", "-o", "out", "--trace", "trace"}, RUNS},
    {"run of tiles", {"run", "tests/faults/tiles.yaml", "--no-why", "-o", "out"}, RUNS},
    {"run with a warm L2",
     {"run", "tests/faults/small.yaml", "--no-why", "--set", "workload.initial_cache=warm", "-o",
      "out"},
     RUNS},
    {"several launches",
     {"run", "tests/faults/small.yaml", "--no-why", "--draws", "2", "-o", "out"},
     RUNS},
    {"statistics",
     {"run", "tests/faults/small.yaml", "--no-why", "--stats", "trace", "-o", "out"},
     RUNS},
    {"resolved scenario",
     {"run", "tests/faults/tiles.yaml", "--no-why", "--resolved", "trace", "-o", "out"},
     RUNS},
    {"run of a kernel of the library",
     {"run", "gemm", "--set", "M=128", "--set", "N=128", "--set", "K=64", "--format", "json", "-o",
      "out"},
     RUNS},
    {"timeline",
     {"run", "tests/faults/small.yaml", "--no-why", "--timeline", "trace", "-o", "out"},
     RUNS},
    {"deadlock", {"run", "tests/cli/kernels/deadlock.yaml", "-o", "out"}, RUNS},
    {"wrong scenario", {"run", "tests/faults/wrong.yaml", "-o", "out"}, NOTHING},
    {"wrong kernel", {"run", "tests/cli/kernels/names.yaml", "-o", "out"}, NOTHING},
    {"wrong option", {"run", "--otput", "out"}, NOTHING},
};

static const struct verb_case warm = {
    "warm-up", {"run", "tests/faults/small.yaml", "--no-why", "-o", "out"}, RUNS};

static char folder[] = "/tmp/tmasim-allocation-XXXXXX";
static char paths[MOST_ARGUMENTS][64];

static void add_file(struct outcome *outcome, int file) {
    char bytes[4096];
    ssize_t count;
    while ((count = read(file, bytes, sizeof bytes)) > 0) {
        size_t room = sizeof outcome->text - 1;
        if (outcome->bytes < room)
            snprintf(outcome->text + outcome->bytes, room - outcome->bytes, "%.*s", (int)count,
                     bytes);
        outcome->digest = digest(outcome->digest, bytes, (size_t)count);
        outcome->bytes += (size_t)count;
    }
}

/* The files in the folder of outputs, in the order of `names`; they are removed. */
static void collect_files(struct outcome *outcome) {
    static const char *const names[] = {"out", "trace", "rows"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        int file = open(path, O_RDONLY);
        if (file < 0)
            continue;
        /* The rows that a sweep has done stay, whatever ends it. */
        outcome->file_count += strcmp(names[i], "rows") != 0;
        add_file(outcome, file);
        close(file);
        unlink(path);
    }
    DIR *left = opendir(folder);
    for (struct dirent *entry; (entry = readdir(left)) != NULL;)
        if (entry->d_name[0] != '.') {
            char path[512];
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            unlink(path);
            outcome->file_count += 100; /* a file that no option names */
        }
    closedir(left);
}

static int prepare_arguments(const struct verb_case *verb, const char **arguments) {
    int count = 0;
    arguments[count++] = "tmasim";
    for (const char *const *argument = verb->arguments; *argument != NULL; argument++) {
        bool output = strcmp(*argument, "out") == 0 || strcmp(*argument, "trace") == 0 ||
                      strcmp(*argument, "rows") == 0;
        snprintf(paths[count], sizeof paths[count], "%s/%s", folder, *argument);
        arguments[count] = output ? paths[count] : *argument;
        count++;
    }
    arguments[count] = NULL;
    return count;
}

/* Runs the verb in this process, which ends. */
static void run_and_exit(const struct verb_case *verb, int out, int err) {
    const char *arguments[MOST_ARGUMENTS + 2];
    int count = prepare_arguments(verb, arguments);
    void *stack[64];
    signal(SIGALRM, SIG_DFL);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    if (strcmp(verb->arguments[0], "serve") == 0)
        dup2(open("tests/faults/requests.jsonl", O_RDONLY), STDIN_FILENO);
    start_watching();
    plan.base_depth = backtrace(stack, sizeof stack / sizeof *stack);
    pthread_atfork(stop_forking, NULL, enter_worker);
    plan.armed = true;
    cli_output_prepare();
    int status = cli_run_command(count, (char **)arguments);
    plan.armed = false;
    shared->leaked = leaked_blocks();
    /* SimGrid has to end well after an abort, too. */
    (plan.owner == SIMGRID ? exit : _exit)(status);
}

/* Waits for a run, and collects what it did. Closes its outputs. */
static void collect(pid_t child, int out, int err, struct outcome *outcome) {
    int status;
    *outcome = (struct outcome){0};
    if (waitpid(child, &status, 0) != child)
        perror("waitpid");
    outcome->status = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
    outcome->signalled = !WIFEXITED(status);
    outcome->allocations = atomic_load(&shared->allocations);
    outcome->leaked = shared->leaked;
    lseek(out, 0, SEEK_SET);
    add_file(outcome, out);
    collect_files(outcome);
    ssize_t length = pread(err, outcome->message, sizeof outcome->message - 1, 0);
    outcome->message[length < 0 ? 0 : length] = '\0';
    close(out);
    close(err);
}

static struct outcome run_once(const struct verb_case *verb, enum owner owner, uint64_t fail_at) {
    static struct outcome outcome;
    int out = memfd_create("stdout", 0), err = memfd_create("stderr", 0);
    atomic_store(&shared->allocations, 0);
    shared->leaked = 0;
    fflush(NULL);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        alarm(20);
        plan.owner = owner;
        plan.fail_at = fail_at;
        plan.records = fail_at == 0;
        run_and_exit(verb, out, err);
    }
    collect(child, out, err, &outcome);
    return outcome;
}

/* What is wrong with a run that lacked an allocation, or NULL. */
static const char *what_is_wrong(const struct verb_case *verb, enum owner owner,
                                 const struct outcome *good, const struct outcome *got) {
    const char *wrong = NULL;
    bool same = got->digest == good->digest && got->bytes == good->bytes &&
                got->file_count == good->file_count;
    /* Where a record or a row fails, the others are replayed, and the report stays. SimGrid does
     * not always get as far as to say that it has no memory. */
    bool validates = strcmp(verb->arguments[0], "validate") == 0;
    bool sweeps =
        strcmp(verb->arguments[0], "sweep") == 0 || strcmp(verb->name, "run of several") == 0 ||
        strcmp(verb->arguments[0], "tune") == 0 || strcmp(verb->arguments[0], "golden") == 0;
    bool tunes = strcmp(verb->arguments[0], "tune") == 0; /* says why a combination has no time */
    const char *reasons = validates ? got->message : got->text;
    bool one_failed = (validates || sweeps) && (got->status == 1 || (tunes && got->status == 0)) &&
                      (strstr(reasons, "memory") != NULL ||
                       (owner == SIMGRID && strstr(reasons, "the worker process ended") != NULL));
    if (got->signalled)
        wrong = "a signal";
    else if (one_failed)
        wrong = got->file_count == good->file_count && got->leaked == 0 ? NULL : "the report";
    else if (got->status != good->status && got->status != 2)
        wrong = "the status";
    else if (got->status == good->status && good->status != 2 && !same)
        wrong = "another output";
    else if (got->status == 2 && got->message[0] == '\0')
        wrong = "no message";
    else if (got->status == 2 && good->status != 2 && strstr(got->message, "memory") == NULL &&
             strstr(got->message, "Cannot allocate") == NULL &&
             (owner != SIMGRID || strstr(got->message, "the worker process ended") == NULL))
        wrong = "the message";
    else if (got->status == 2 && got->file_count != 0)
        wrong = "a file";
    else if (got->leaked != 0)
        wrong = "a leak";
    return wrong;
}

/* Fails the test with the number of the allocation. */
static void check_outcome(const struct verb_case *verb, enum owner owner, uint64_t fail_at,
                          const struct outcome *good, const struct outcome *got) {
    const char *wrong = what_is_wrong(verb, owner, good, got);
    if (wrong != NULL)
        ck_abort_msg("%s: allocation %llu of %s: %s; status %d, %zu files, %zu bytes for %zu, %zu "
                     "leaked: %s",
                     verb->name, (unsigned long long)fail_at, owner_names[owner], wrong,
                     got->status, got->file_count, got->bytes, good->bytes, got->leaked,
                     got->message);
}

/* The status of a run one of whose children was wrong, how many allocations a run may have that
 * fails at every one (`kernels` reads the whole library), and how many runs may follow it. */
enum { WRONG_CHILD = 99, MOST_FORKS = 10000, MOST_RUNS = 200 };

/* Whether ALLOCATIONS has this value. */
static bool is_asked(const char *value) {
    const char *given = getenv("ALLOCATIONS");
    return given != NULL && strcmp(given, value) == 0;
}

/* The inner way among those that failed. Adds it if it is new. */
static struct seen_way *seen_way_of(uint64_t inner) {
    for (size_t i = 0; i < shared->seen_count; i++)
        if (shared->seen[i].inner == inner)
            return &shared->seen[i];
    ck_assert_uint_lt(shared->seen_count, MOST_SEEN);
    shared->seen[shared->seen_count] = (struct seen_way){.inner = inner};
    return &shared->seen[shared->seen_count++];
}

/* Adds an inner way to those that failed. False if it is new. */
static bool was_seen(uint64_t inner) {
    size_t before = shared->seen_count;
    seen_way_of(inner);
    return shared->seen_count == before;
}

/* Forks, if this allocation is to fail. Returns true in the child, which goes on without the
 * allocation of this number, and false in the run when the child has ended. Static: it may be
 * called on the small stack of an actor. */
static bool fork_and_fail(uint64_t number, uint64_t inner) {
    static struct outcome got;
    plan.armed = false;
    bool fails = plan.forks_at != NULL
                     ? plan.forks_at[number - 1]
                     : is_asked("all") || seen_way_of(inner)->times++ < MOST_REPEATS;
    if (!fails) {
        plan.armed = true;
        return false;
    }
    save_files(folder);
    int out = copy_of(STDOUT_FILENO), err = copy_of(STDERR_FILENO);
    shared->leaked = 0;
    pid_t child = _Fork();
    if (child == 0) {
        alarm(20);
        dup2(out, STDOUT_FILENO);
        dup2(err, STDERR_FILENO);
        plan.forks = false;
        plan.fail_at = UINT64_MAX;
        plan.armed = true;
        return true;
    }
    collect(child, out, err, &got);
    restore_files(folder);
    if (what_is_wrong(plan.verb, plan.owner, plan.good, &got) != NULL) {
        shared->wrong = got;
        shared->forked = number;
        _exit(WRONG_CHILD);
    }
    plan.armed = true;
    return false;
}

/* A run of which allocations fail, each in a child: those of `forks_at`, or every one. Returns up
 * to which number it forked. */
static uint64_t fail_in_forks(const struct verb_case *verb, enum owner owner,
                              const struct outcome *good, const bool *forks_at) {
    static struct outcome outcome;
    int out = memfd_create("stdout", 0), err = memfd_create("stderr", 0);
    shared->forked = 0;
    fflush(NULL);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        plan.owner = owner;
        plan.forks = true;
        plan.forks_at = forks_at;
        plan.verb = verb;
        plan.good = good;
        run_and_exit(verb, out, err);
    }
    collect(child, out, err, &outcome);
    if (outcome.status == WRONG_CHILD)
        check_outcome(verb, owner, shared->forked, good, &shared->wrong);
    ck_assert_msg(outcome.status == good->status && outcome.digest == good->digest,
                  "%s: the run that forks went wrong: status %d: %s", verb->name, outcome.status,
                  outcome.message);
    return shared->forked;
}

/* Starts SimGrid in this process: its children then run with it, and only allocations of a run
 * fail. The process of a pool of workers must not run SimGrid: it loads the module. */
static void warm_up(const struct verb_case *verb) {
    const char *arguments[MOST_ARGUMENTS + 2];
    const struct tma_engine_module *module;
    if (verb->simulates == WORKS)
        ck_assert_int_eq(tma_module_load(&module, NULL), TMA_OK);
    if (verb->simulates != RUNS)
        return;
    struct outcome outcome;
    int count = prepare_arguments(&warm, arguments);
    ck_assert_int_eq(cli_run_command(count, (char **)arguments), 0);
    collect_files(&outcome);
}

/* Whether an allocation is to fail, by its number in the run, from 0. */
static bool chosen[MOST_ALLOCATIONS];

/* Chooses allocations of a run that had `total` of them, behind those that have failed. Returns how
 * many. */
static size_t choose(uint64_t total, uint64_t failed, bool each) {
    static struct way ways[MOST_ALLOCATIONS];
    bool all = is_asked("all") || (each && total - failed <= MOST_RUNS);
    bool each_way = is_asked("ways"), few = is_asked("few");
    size_t count = 0;
    ck_assert_uint_le(total, MOST_ALLOCATIONS);
    memset(chosen, 0, sizeof chosen);
    memcpy(ways, shared->ways, total * sizeof *ways);
    for (uint64_t i = 0; i < total; i++) {
        unsigned before = 0, after = 0, outer_before = 0;
        for (uint64_t j = 0; j < i && before == 0; j++) {
            before += ways[j].whole == ways[i].whole;
            outer_before += ways[j].outer == ways[i].outer;
        }
        for (uint64_t j = i + 1; each_way && j < total && before == 1 && after == 0; j++)
            after += ways[j].whole == ways[i].whole;
        bool is_some = before == 0 && (!was_seen(ways[i].inner) || (outer_before == 0 && !few));
        chosen[i] = i >= failed && (all || is_some || (each_way && (before == 0 || after == 0)));
        count += chosen[i];
    }
    return count;
}

/* Whether no earlier row of the table has this verb. */
static bool is_first_row(const struct verb_case *verb) {
    for (const struct verb_case *other = cases; other < verb; other++)
        if (strcmp(other->arguments[0], verb->arguments[0]) == 0)
            return false;
    return true;
}

static void fail_each(const struct verb_case *verb, enum owner owner) {
    const char *only = getenv("VERB");
    if (only != NULL && strcmp(only, verb->name) != 0)
        return;
    warm_up(verb);
    static struct outcome good;
    good = run_once(verb, owner, 0);
    ck_assert_msg(!good.signalled && good.leaked == 0, "%s: %s", verb->name, good.message);
    uint64_t forked = 0;
    bool each = is_first_row(verb) && !is_asked("few");
    bool can_fork = REPLACES_ALLOCATION && owner != WORKERS;
    if (each && can_fork && good.allocations <= MOST_FORKS)
        forked = fail_in_forks(verb, owner, &good, NULL);
    size_t count = choose(good.allocations, forked, each);
    if (getenv("SITES") != NULL)
        printf("%-20s status %d: %llu + %zu of %llu allocations of %s: %.80s\n", verb->name,
               good.status, (unsigned long long)forked, count, (unsigned long long)good.allocations,
               owner_names[owner], good.message);
    if (forked == 0 && can_fork && count > 0)
        forked = fail_in_forks(verb, owner, &good, chosen);
    for (uint64_t n = forked + 1; n <= good.allocations; n++) {
        if (!chosen[n - 1])
            continue;
        struct outcome got = run_once(verb, owner, n);
        check_outcome(verb, owner, n, &good, &got);
    }
}

static void set_up(void) {
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void tear_down(void) {
    rmdir(folder);
}

START_TEST(each_of_ours) {
    fail_each(&cases[_i], OURS);
}
END_TEST

START_TEST(each_of_a_worker) {
    if (cases[_i].simulates == WORKS)
        fail_each(&cases[_i], WORKERS);
}
END_TEST

START_TEST(each_of_simgrid) {
    if (REPLACES_ALLOCATION && cases[_i].simulates != NOTHING)
        fail_each(&cases[_i], SIMGRID);
}
END_TEST

int main(void) {
    const TTest *tests[OWNERS] = {each_of_ours, each_of_a_worker, each_of_simgrid};
    Suite *suite = suite_create("allocation sites");
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return EXIT_FAILURE;
    for (int owner = 0; owner < OWNERS; owner++) {
        TCase *set = tcase_create(owner_names[owner]);
        tcase_set_timeout(set, 3600);
        tcase_add_checked_fixture(set, set_up, tear_down);
        tcase_add_loop_test(set, tests[owner], 0, TABLE_ROWS(cases));
        suite_add_tcase(suite, set);
    }
    return run_suite(suite);
}
