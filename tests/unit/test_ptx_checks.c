/* Races by happens-before: each row is what two or three warps do, in the order in which they
 * happened to run, and the kinds of findings that this gives in any order. */
#include <stdio.h>
#include <string.h>

#include "ptx/checks.h"
#include "ptx/execution.h"
#include "suite.h"

enum { WARPS = 4, CTAS = 2, SHARED_BYTES = 4096 };

/* Steps: "WARP WORD NUMBERS;", WORD@LANE of one lane, WORD@r without release. Warps 4 to 7 are
 * those of CTA 1. Tiles have 128 bytes. Mbarrier b is at 2048 + 8 b of CTA 0. */
static const struct {
    const char *name, *steps, *findings;
    bool strict;
} rows[] = {
    {"write, then read, without order", "0 write 0; 1 read 0;", "race", false},
    {"the same warp", "0 write 0; 0 read 0; 0 write 0;", "", false},
    {"reads race with none", "0 read 0; 1 read 0; 2 read 0;", "", false},
    {"read, then write", "0 read 0; 1 write 0;", "race", false},
    {"apart", "0 write 0; 1 write 128;", "", false},
    {"bytes of one word", "0 put 0 1; 1 put 1 1; 2 put 2 2; 3 get 3 1;", "race", false},
    {"bytes of one word, apart", "0 put 0 1; 1 put 1 1; 2 put 2 1; 3 get 3 1; 3 put 3 1;", "",
     false},
    {"one of two bytes", "0 put 0 2; 1 put 1 1;", "race", false},
    {"a byte that another read", "0 get 1 2; 1 put 0 1; 1 put 2 1;", "race", false},
    {"the older one of two bytes of a word",
     "0 put 5 1; 1 put 6 1; 1 arrive 0; 2 wait 0; 2 get 4 4;", "race", false},
    {"a barrier orders", "0 write 0; 0 arrive 0; 1 wait 0; 1 read 0;", "", false},
    {"a barrier before the write does not", "0 arrive 0; 1 wait 0; 0 write 0; 1 read 0;", "race",
     false},
    {"an arrival that does not release", "0 write 0; 0 relaxed 0; 1 wait 0; 1 read 0;", "race",
     false},
    {"order passes on", "0 write 0; 0 arrive 0; 1 wait 0; 1 arrive 1; 2 wait 1; 2 read 0;", "",
     false},
    {"bar.sync", "0 write 0; 0 sync 1; 1 sync 1; 0 synced 1; 1 synced 1; 1 read 0;", "", false},
    {"bar.arrive and bar.sync", "0 write 0; 0 sync 1; 1 sync 1; 1 synced 1; 1 read 0; 0 read 0;",
     "", false},
    {"only who waits knows", "0 write 0; 0 sync 1; 1 sync 1; 0 synced 1; 1 read 0;", "race", false},
    {"a load, waited for", "0 load 0 0; 1 wait 0; 1 read 0;", "", false},
    {"a load, not waited for", "0 load 0 0; 1 read 0;", "race", false},
    {"a load, its own warp does not wait", "0 load 0 0; 0 read 0;", "race", false},
    {"a load, waited for on another barrier", "0 load 0 0; 1 wait 1; 1 read 0;", "race", false},
    {"the next load into a stage that is read", "0 load 0 0; 1 wait 0; 1 read 0; 0 load 0 0;",
     "race barrier", false},
    {"released before", "0 load 0 0; 1 wait 0; 1 read 0; 1 arrive 1; 0 wait 1; 0 load 0 0;", "",
     false},
    {"released too early", "0 load 0 0; 1 wait 0; 1 arrive 1; 1 read 0; 0 wait 1; 0 load 0 0;",
     "race", false},
    {"a phase late", "0 load 0 0; 1 wait 0; 0 load 0 0; 1 read 0;", "race barrier race", false},
    {"wgmma, released while it reads",
     "0 load 0 0; 1 wait 0; 1 product 0; 1 commit 1; 1 arrive 1; 0 wait 1; 0 load 0 0;", "race",
     false},
    {"wgmma, waited for",
     "0 load 0 0; 1 wait 0; 1 product 0; 1 commit 1; 1 group 1 0; 1 arrive 1; 0 wait 1; "
     "0 load 0 0;",
     "", false},
    {"wgmma, waited for by another warp of the warpgroup",
     "0 load 0 0; 1 wait 0; 1 converge; 1 product 0; 1 commit 1; 0 wait 0; 0 product 0; 0 commit "
     "1; "
     "0 group 1 0; 0 arrive 1; 3 wait 1; 3 load 0 0;",
     "", false},
    {"which knows what that warp did before, not what it does after",
     "1 read 0; 1 converge; 1 commit 1; 1 read 128; 0 commit 1; 0 group 1 0; 0 write 0; 0 write "
     "128;",
     "race", false},
    {"wgmma, one left in flight",
     "0 load 0 0; 1 wait 0; 1 product 0; 1 commit 1; 1 group 1 1; 1 arrive 1; 0 wait 1; "
     "0 load 0 0;",
     "race", false},
    {"wgmma, the one before waited for",
     "0 load 0 0; 1 wait 0; 1 product 0; 1 commit 1; 1 product 128; 1 commit 1; 1 group 1 1; "
     "1 arrive 1; 0 wait 1; 0 load 0 0;",
     "", false},
    {"a store of what was written, without a fence", "0 write 0; 0 store 0;", "fence", false},
    {"with a fence", "0 write 0; 0 fence; 0 store 0;", "", false},
    {"the fence of the reader, who knows of the write",
     "0 write 0; 0 sync 1; 1 sync 1; 1 synced 1; 1 fence; 1 store 0; 1 commit 0; 1 group 0 0;", "",
     false},
    {"a fence of one who does not know of it",
     "1 fence; 0 write 0; 0 sync 1; 1 sync 1; 1 synced 1; 1 store 0;", "fence", false},
    {"the fence of the writer", "0 write 0; 0 fence; 0 sync 1; 1 sync 1; 1 synced 1; 1 store 0;",
     "", false},
    {"a fence before the write", "0 fence; 0 arrive 0; 0 write 0; 0 store 0;", "fence", false},
    {"wgmma needs a fence, too", "0 write 0; 0 product 0;", "fence", false},
    {"written while a store reads", "0 write 0; 0 fence; 0 store 0; 0 commit 0; 0 write 0;", "race",
     false},
    {"after wait_group.read", "0 write 0; 0 fence; 0 store 0; 0 commit 0; 0 group 0 0; 0 write 0;",
     "", false},
    {"another warp writes after wait_group.read",
     "0 write 0; 0 fence; 0 store 0; 0 commit 0; 0 group 0 0; 0 sync 1; 1 sync 1; 1 synced 1; "
     "1 write 0;",
     "", false},
    {"wait_group of a thread that has no store",
     "0 write 0; 0 fence; 0 store@1 0; 0 commit 0; 0 group@2 0 0; 0 write 0;", "race", false},
    {"one lane arrives for others", "0 write 0; 0 arrive@1 0; 1 wait 0; 1 read 0;", "race", false},
    {"after the warp converged", "0 write 0; 0 converge; 0 arrive@1 0; 1 wait 0; 1 read 0;", "",
     false},
    {"for its own write", "0 write@1 0; 0 arrive@1 0; 1 wait 0; 1 read 0;", "", false},
    {"one lane reads, and releases", "1 read@1 0; 1 arrive@1 0; 0 wait 0; 0 write 0;", "", false},
    {"cp.async, waited for by its thread alone", "0 copy 0; 0 commit 2; 0 group 2 0; 1 read 0;",
     "race", false},
    {"cp.async and a barrier",
     "0 copy 0; 0 commit 2; 0 group 2 0; 0 sync 1; 1 sync 1; 1 synced 1; 1 read 0;", "", false},
    {"cp.async that arrives", "0 copy 0; 0 copied 0; 1 wait 0; 1 read 0;", "", false},
    {"cp.async that follows an arrival", "0 copied 0; 0 copy 0; 1 wait 0; 1 read 0;", "race",
     false},
    {"groups of cp.async with arrivals between",
     "0 copy 0; 0 copied 0; 0 copy 128; 0 commit 2; 0 group 2 0; 0 sync 1; 1 sync 1; 1 synced 1; "
     "1 read 128;",
     "", false},
    {"one of two groups with an arrival between",
     "0 copy 0; 0 commit 2; 0 copied 0; 0 copy 128; 0 commit 2; 0 group 2 1; 0 sync 1; 1 sync 1; "
     "1 synced 1; 1 read 0; 1 read 128;",
     "race", false},
    {"a phase that can be lapped", "0 arrive 0; 1 wait 0; 0 arrive 0; 1 wait 0;", "barrier", false},
    {"an arrival after the wait",
     "0 arrive 0; 1 wait 0; 1 arrive 1; 0 wait 1; 0 arrive 0; 1 wait 0;", "", false},
    {"whose bytes anyone sends", "0 arrive 0; 1 wait 0; 0 begin 0; 2 bytes 0 0; 1 wait 0;",
     "barrier", false},
    {"whose bytes one sends who knows of the wait",
     "0 arrive 0; 1 wait 0; 0 begin 0; 1 sync 1; 2 sync 1; 2 synced 1; 2 bytes 0 0; 1 wait 0;", "",
     false},
    {"cp.async, no wait", "0 copy 0; 0 sync 1; 1 sync 1; 1 synced 1; 1 read 0;", "race", false},
    {"an mbarrier before its initialisation", "0 init 3; 1 arrive 3;", "race", false},
    {"after it", "0 init 3; 0 sync 1; 1 sync 1; 1 synced 1; 1 arrive 3;", "", false},
    {"initialisation, fenced, and an arrival that does not release",
     "0 init 3; 0 initfence; 0 sync@r 16; 1 sync@r 16; 1 synced 16; 1 arrive 3; 0 write 0; "
     "1 read 0;",
     "race", false},
    {"without the fence", "0 init 3; 0 sync@r 16; 1 sync@r 16; 1 synced 16; 1 arrive 3;", "race",
     false},
    {"the fence before it", "0 initfence; 0 init 3; 0 sync@r 16; 1 synced 16; 1 arrive 3;", "race",
     false},
    {"which carries nothing else", "0 write 0; 0 initfence; 0 sync@r 16; 1 synced 16; 1 read 0;",
     "race", false},
    {"it passes on",
     "0 init 3; 0 initfence; 0 relaxed 1; 1 wait 1; 1 arrive 2; 2 wait 2; 2 arrive 3;", "", false},
    {"a fence of memory, and an arrival that does not release",
     "0 write 0; 0 memory; 0 relaxed 0; 1 wait 0; 1 read 0;", "", false},
    {"a write behind that fence", "0 memory; 0 write 0; 0 relaxed 0; 1 wait 0; 1 read 0;", "race",
     false},
    {"invalidated while in use", "1 wait 3; 0 init 3;", "race", false},
    {"flags order", "0 write 0; 0 atomic 512; 1 atomic 512; 1 read 0;", "", false},
    {"bytes from another CTA, and its exit", "4 load 0 0; 0 exit; 4 exit;", "exit", false},
    {"it has waited for them", "4 load 0 0; 0 wait 0; 0 exit; 4 exit;", "", false},
    {"a write of another CTA, and its exit", "4 remote 0; 0 exit; 4 exit;", "exit", false},
    {"with a barrier of the cluster",
     "4 remote 0; 4 sync 16; 0 sync 16; 0 synced 16; 4 synced 16; 0 exit; 4 exit;", "", false},
    {"a warp exits while its store reads", "0 write 0; 0 fence; 0 store 0; 0 commit 0; 0 exit;",
     "exit", false},
    {"a store that is in no group", "0 write 0; 0 fence; 0 store 0; 0 exit;", "exit", false},
    {"it has waited", "0 write 0; 0 fence; 0 store 0; 0 commit 0; 0 group 0 0; 0 exit;", "", false},
    {"a copy to another CTA, not waited for", "0 send 0 0; 0 write 0;", "race", false},
    {"reductions of two warps", "0 reduce 0 0; 1 reduce 0 0; 1 reduce 0 1;", "", false},
    {"a reduction over a write", "0 write 0; 1 reduce 0 0;", "race", false},
    {"a read of a reduction", "0 reduce 0 0; 0 read 0;", "race", false},
    {"a copy to another CTA, and its exit", "0 send 0 0; 0 arrive 0; 0 wait 0; 0 write 0; 0 exit;",
     "", false},
    {"a swizzle that does not fit", "0 load 0 0 3; 1 wait 0; 1 product 0 1;", "layout", false},
    {"one that does", "0 load 0 0 3; 1 wait 0; 1 product 0 3;", "", false},
    {"a generic read before a load, strictly", "1 read 0; 1 arrive 1; 0 wait 1; 0 load 0 0;",
     "fence", true},
    {"a load over a write", "0 write 0; 0 load 0 0;", "", false},
    {"a load over a write, strictly", "0 write 0; 0 load 0 0;", "fence", true},
    {"with a fence, strictly", "1 read 0; 1 fence; 1 arrive 1; 0 wait 1; 0 load 0 0;", "", true},
};

static char found[256];

static void report(void *context, const char *kind, const struct tma_check_side *side,
                   uint32_t other, const char *text) {
    (void)context, (void)side, (void)other;
    ck_assert(text[0] != '\0');
    size_t length = strlen(found);
    snprintf(found + length, sizeof found - length, "%s%s", length > 0 ? " " : "", kind);
}

static uint32_t place_of(uint32_t barrier) {
    return 2048 + 8 * barrier;
}

static void step(struct tma_checks *checks, uint32_t number, const char *word,
                 const uint32_t given[3], int count) {
    struct tma_check_side side = {number / WARPS, number % WARPS, UINT32_MAX, number};
    char name[16];
    const char *lanes = strchr(word, '@');
    uint8_t layout = count < 3 ? TMA_CHECK_NO_LAYOUT : (uint8_t)given[2];
    snprintf(name, sizeof name, "%.*s", lanes == NULL ? 15 : (int)(lanes - word), word);
    if (lanes != NULL)
        side.lanes = 1u << atoi(lanes + 1);
#define IS(text) (strcmp(name, text) == 0)
    bool release = lanes == NULL || lanes[1] != 'r';
    if (!release)
        side.lanes = UINT32_MAX;
    if (IS("write"))
        tma_checks_access(checks, &side, TMA_CHECK_WRITE, side.cta, given[0], 128);
    else if (IS("read"))
        tma_checks_access(checks, &side, TMA_CHECK_READ, side.cta, given[0], 128);
    else if (IS("remote"))
        tma_checks_access(checks, &side, TMA_CHECK_WRITE, 0, given[0], 4);
    else if (IS("put"))
        tma_checks_access(checks, &side, TMA_CHECK_WRITE, side.cta, given[0], given[1]);
    else if (IS("get"))
        tma_checks_access(checks, &side, TMA_CHECK_READ, side.cta, given[0], given[1]);
    else if (IS("atomic"))
        tma_checks_access(checks, &side, TMA_CHECK_ATOMIC, side.cta, given[0], 4);
    else if (IS("load")) {
        tma_checks_bulk_write(checks, &side, 0, given[0], 128, layout, false, 0,
                              place_of(given[1]));
        tma_checks_barrier_arrive(checks, &side, 0, place_of(given[1]), true); /* expect_tx */
        tma_checks_phase_complete(checks, 0, place_of(given[1]));
    } else if (IS("bytes")) {
        tma_checks_bulk_write(checks, &side, 0, given[0], 128, layout, false, 0,
                              place_of(given[1]));
        tma_checks_phase_complete(checks, 0, place_of(given[1]));
    } else if (IS("begin"))
        tma_checks_barrier_arrive(checks, &side, 0, place_of(given[0]), true);
    else if (IS("store"))
        tma_checks_bulk_read(checks, &side, given[0], 128, TMA_CHECK_NO_LAYOUT);
    else if (IS("reduce"))
        tma_checks_bulk_write(checks, &side, 0, given[0], 128, TMA_CHECK_NO_LAYOUT, true, 0,
                              place_of(given[1]));
    else if (IS("send"))
        tma_checks_bulk_source(checks, &side, given[0], 128, 0, place_of(given[1]));
    else if (IS("copy"))
        tma_checks_copy_write(checks, &side, side.cta, given[0], 128);
    else if (IS("product"))
        tma_checks_product_read(checks, &side, given[0], 128,
                                count < 2 ? TMA_CHECK_NO_LAYOUT : (uint8_t)given[1]);
    else if (IS("commit"))
        tma_checks_commit(checks, &side, (enum tma_check_group)given[0]);
    else if (IS("group"))
        tma_checks_wait_group(checks, &side, (enum tma_check_group)given[0], given[1]);
    else if (IS("init"))
        tma_checks_barrier_init(checks, &side, place_of(given[0]));
    else if (IS("arrive") || IS("relaxed") || IS("copied")) {
        if (IS("copied"))
            tma_checks_copy_arrive(checks, &side, 0, place_of(given[0]));
        else
            tma_checks_barrier_arrive(checks, &side, 0, place_of(given[0]), IS("arrive"));
        tma_checks_phase_complete(checks, 0, place_of(given[0]));
    } else if (IS("wait"))
        tma_checks_barrier_wait(checks, &side, 0, place_of(given[0]), true);
    else if (IS("sync"))
        tma_checks_sync_arrive(checks, &side, given[0], release);
    else if (IS("synced"))
        tma_checks_sync_wait(checks, &side, given[0], true);
    else if (IS("converge"))
        tma_checks_converge(checks, &side);
    else if (IS("fence"))
        tma_checks_fence(checks, &side, TMA_CHECK_FENCE_PROXY);
    else if (IS("initfence"))
        tma_checks_fence(checks, &side, TMA_CHECK_FENCE_INIT);
    else if (IS("memory"))
        tma_checks_fence(checks, &side, TMA_CHECK_FENCE_MEMORY);
    else if (IS("exit"))
        tma_checks_exit(checks, &side);
    else
        ck_abort_msg("no such step: %s", name);
#undef IS
}

TEST_ROWS(test_order, TABLE_ROWS(rows)) {
    struct tma_ptx_function entry = {.name = "test"};
    const struct tma_ptx_module module = {.functions = &entry, .function_count = 1};
    const struct tma_ptx_launch launch = {.module = &module};
    struct tma_checks *checks =
        tma_checks_begin(CTAS, WARPS, SHARED_BYTES, rows[_i].strict, &launch, report, NULL);
    const char *at = rows[_i].steps, *next;
    uint32_t pending = UINT32_MAX;
    ck_assert_ptr_nonnull(checks);
    found[0] = '\0';
    for (; (next = strchr(at, ';')) != NULL; at = next + 1) {
        char word[16];
        uint32_t number, given[3] = {0};
        int count =
            sscanf(at, "%u %15[^; ] %u %u %u", &number, word, &given[0], &given[1], &given[2]);
        ck_assert_int_ge(count, 2);
        /* All have arrived at a barrier when the first one goes on. */
        if (strcmp(word, "synced") == 0 && pending != given[0])
            tma_checks_sync_complete(checks, 0, pending = given[0]);
        step(checks, number, word, given, count - 2);
    }
    ck_assert(tma_checks_end(checks, true));
    ck_assert_msg(strcmp(found, rows[_i].findings) == 0, "%s: found \"%s\", expected \"%s\"",
                  rows[_i].name, found, rows[_i].findings);
}

TEST_SUITE("ptx checks");
