/* What pipelines and kernels with roles read by a tensor map, from their loops. */
#include <stdio.h>
#include <string.h>

#include "bound/map_use.h"
#include "scenario/kernel_program.h"
#include "scenario/scenario.h"
#include "suite.h"
#include "yaml_text.h"

/* Reads a scenario whose map 0 is A: rows of 1024 elements of 2 bytes, boxes of 64 of them. */
static struct tma_map_use use_of(const char *rest, uint32_t map) {
    static struct tma_scenario scenario;
    struct tma_diagnostics list = {0};
    struct yaml_text text = {.used = 0};
    add(&text,
        "name: test\n"
        "gpu: h200\n"
        "tensor_maps:\n"
        "  A: {data_type: float16, global_dim: [1024, 4096], box_dim: [64, 8]}\n"
        "  I: {data_type: float16, global_dim: [1024, 4096, 8], box_dim: [8, 2, 2], "
        "interleave: 16b}\n"
        "%s",
        rest);
    bool read = tma_scenario_read_text(text.bytes, "test.yaml", NULL, 0, &scenario, &list);
    ck_assert_msg(read, "%s", list.count > 0 ? list.items[0].text : "");
    struct tma_map_use use =
        scenario.program != NULL
            ? tma_kernel_map_use(&scenario.machine, &scenario.program->kernel, map)
            : tma_workload_map_use(&scenario.workload, map);
    tma_diagnostics_free(&list);
    tma_scenario_free(&scenario);
    return use;
}

/* Two CTAs, 4 iterations. */
static const struct {
    const char *walk, *further; /* a further operation */
    uint64_t bytes;             /* 0: not known */
} walks[] = {
    {"tiles: [16, 8], step: [64, 8]", "", 8 * 128},
    {"tiles: [2, 8], step: [64, 8]", "", 2 * 128},
    {"tiles: [16, 8], step: [32, 8]", "", 7 * 64 + 128},
    {"tiles: [16, 8], step: [128, 8]", "", 0},
    {"tiles: [1, 8], step: [128, 8]", "", 128},
    {"tiles: [16, 8], step: [-64, 8], start: [448, 0]", "", 8 * 128},
    /* What lies outside the tensor is not read. */
    {"tiles: [16, 8], step: [64, 8], start: [-64, 0]", "", 7 * 128},
    {"tiles: [2, 8], step: [64, 8], start: [992, 0]", "", 64},
    {"order: same, tiles: [16, 8], step: [64, 8]", "", 4 * 128},
    {"order: fixed, tiles: [16, 8], step: [64, 8]", "", 2 * 128},
    {"order: blocked, tiles: [16, 8], step: [64, 8]", "", 8 * 128},
    {"tiles: [1, 8], step: [64, 8]",
     "    - {load: A, shared_offset: 1 KiB, walk: {start: [64, 0], "
     "tiles: [1, 8], step: [64, 8]}}\n",
     2 * 128},
    {"tiles: [1, 8], step: [64, 8]",
     "    - {load: A, shared_offset: 1 KiB, walk: {start: [128, "
     "0], tiles: [1, 8], step: [64, 8]}}\n",
     0},
};

TEST_ROWS(test_pipeline, TABLE_ROWS(walks)) {
    char text[600];
    snprintf(text, sizeof text,
             "workload:\n"
             "  ctas: 2\n"
             "  iterations: 4\n"
             "  pipeline: {depth: 1, stage_bytes: 2 KiB}\n"
             "  operations:\n"
             "    - {load: A, walk: {%s}}\n%s",
             walks[_i].walk, walks[_i].further);
    struct tma_map_use use = use_of(text, 0);
    ck_assert(use.loads);
    ck_assert_msg(use.row_bytes == walks[_i].bytes, "%s: %llu", walks[_i].walk,
                  (unsigned long long)use.row_bytes);
    ck_assert(!use_of(text, 1).loads);
}

TEST(test_stores_and_interleaved_maps) {
    static const char text[] = "workload:\n"
                               "  ctas: 2\n"
                               "  iterations: 4\n"
                               "  pipeline: {depth: 1, stage_bytes: 2 KiB}\n"
                               "  operations:\n"
                               "    - {load: I}\n"
                               "    - {store: A, shared_offset: 1 KiB}\n";
    struct tma_map_use use = use_of(text, 0);
    ck_assert(!use.loads);
    use = use_of(text, 1);
    ck_assert(use.loads);
    ck_assert_uint_eq(use.row_bytes, 0);
}

/* 4 CTAs. */
static const struct {
    const char *at, *loop;
    uint64_t bytes;
} loops[] = {
    {"[k * 64, cta * 8]", "{k: 16}", 2048},
    {"[k * 64, cta * 8]", "{k: 4}", 4 * 128},
    {"[k * 128, cta * 8]", "{k: 4}", 0},
    {"[64, k * 8]", "{k: 4}", 128},
    {"[k * 64 - 32, 0]", "{k: 4}", 3 * 128 + 64},
    {"[k * 64, k * 8]", "{k: 4}", 0}, /* a diagonal */
    {"[k % 4 * 64, 0]", "{k: 4}", 0}, /* not linear */
    {"[k * 64, 0]", "{k: [cta, 16, ctas]}", 2048},
};

TEST_ROWS(test_kernel, TABLE_ROWS(loops)) {
    char text[600];
    snprintf(text, sizeof text,
             "kernel:\n"
             "  ctas: 4\n"
             "  rings:\n"
             "    r: {stages: 2, operands: [a]}\n"
             "  roles:\n"
             "    producer:\n"
             "      warps: 1\n"
             "      program:\n"
             "        - for: %s\n"
             "          do:\n"
             "            - acquire: r\n"
             "            - load: {map: A, into: r.a, at: %s}\n"
             "    consumer:\n"
             "      warps: 4\n"
             "      program:\n"
             "        - for: %s\n"
             "          do: [{wait: r}, {release: r}]\n",
             loops[_i].loop, loops[_i].at, loops[_i].loop);
    struct tma_map_use use = use_of(text, 0);
    ck_assert(use.loads);
    ck_assert_msg(use.row_bytes == loops[_i].bytes, "%s: %llu", loops[_i].at,
                  (unsigned long long)use.row_bytes);
}

TEST_SUITE("map_use");
