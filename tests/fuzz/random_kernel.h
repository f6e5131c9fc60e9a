/* Random kernels with roles, drawn from the bytes of a fuzzer: rings, roles and loops that mostly
 * fit together. */
#pragma once

#include "fuzz.h"

#define YAML_TEXT_ASSERT FUZZ_ASSERT
#include "../unit/yaml_text.h"

/* How large a kernel is at most: iterations of its loops, and pairs of CTAs. */
struct kernel_bounds {
    unsigned steps, cta_pairs;
};
static const struct kernel_bounds usual_kernel = {5, 3}, small_kernel = {2, 2};

static inline bool one_in(struct fuzz_input *input, int64_t n) {
    return fuzz_between(input, 0, n - 1) == 1;
}

static inline void draw_work(struct fuzz_input *input, const char *indent, const char *ring,
                             struct yaml_text *yaml) {
    int amount = (int)fuzz_between(input, 1, 8);
    switch (fuzz_between(input, 0, 7)) {
    case 0:
        add(yaml, "%s- mma: {shape: [64, %d, 64], a: x, b: x, in_flight: %d}\n", indent, 8 * amount,
            amount % 3);
        break;
    case 1:
        add(yaml, "%s- compute: {fma: %d, alu: %d*(k + 1), other: %d, chain: %d}\n", indent,
            amount % 3 * 500, 32 * amount, amount % 2 * 64, amount % 5 * 10);
        break;
    case 2:
        add(yaml, "%s- sfu: %d\n", indent, 16 * amount);
        break;
    case 3:
        add(yaml, "%s- access: {tile: %s, instruction: ld.shared.b32, lanes: %s}\n", indent, ring,
            amount % 2 == 0 ? "row" : "column");
        break;
    case 4:
        add(yaml, "%s- %s: {map: C, from: c, at: [0, 16*(k + cta)]%s}\n%s- commit\n", indent,
            amount % 2 == 0 ? "store" : "reduce", amount % 2 == 0 ? "" : ", reduction: add",
            indent);
        break;
    case 5:
        add(yaml, "%s- wait_stores: {until: %s, in_flight: %d}\n", indent,
            amount > 4 ? "read" : "complete", amount % 2);
        break;
    case 6:
        add(yaml, "%s- %s: meet\n", indent, amount % 4 == 0 ? "arrive" : "sync");
        break;
    default:
        add(yaml, "%s- cycles: %d\n", indent, 10 * amount);
        break;
    }
}

/* Writes a statement, which is left out or written twice now and then: a fault of the model. */
static inline void draw_statement(struct fuzz_input *input, const char *indent,
                                  const char *statement, struct yaml_text *yaml) {
    int64_t times = fuzz_between(input, 0, 40);
    for (int64_t i = times == 7 ? 1 : times == 9 ? -1 : 0; i < 1; i++)
        add(yaml, "%s- %s\n", indent, statement);
}

static inline void draw_producer_role(struct fuzz_input *input, unsigned rings, bool cluster,
                                      struct yaml_text *yaml) {
    static const char indent[] = "            ";
    char text[96];
    add(yaml, "    producer:\n      program:\n        - for: {k: STEPS}\n          do:\n");
    for (unsigned ring = 0; ring < rings; ring++) {
        if (one_in(input, 4))
            draw_work(input, indent, "r0", yaml);
        snprintf(text, sizeof text, "acquire: r%u", ring);
        draw_statement(input, indent, text, yaml);
        snprintf(text, sizeof text, "load: {map: A, into: r%u, at: [0, 16*(k*ctas + cta)]%s}", ring,
                 cluster && one_in(input, 3) ? ", multicast: all" : "");
        if (one_in(input, 6))
            add(yaml, "%s- if: (k + cta) %% 2 == 0\n%s  then:\n%s    - %s\n", indent, indent,
                indent, text);
        else
            draw_statement(input, indent, text, yaml);
    }
}

static inline void draw_consumer_role(struct fuzz_input *input, unsigned number, unsigned rings,
                                      struct yaml_text *yaml) {
    static const char indent[] = "            ";
    char text[64], name[16];
    int64_t more = fuzz_between(input, 0, 20);
    add(yaml, "    consumer%u:\n      warps: %d\n      program:\n", number,
        one_in(input, 2) ? 4 : 8);
    add(yaml, "        - for: {k: STEPS%s}\n          do:\n",
        more == 3   ? " + 1"
        : more == 5 ? " - 1"
                    : "");
    for (unsigned ring = 0; ring < rings; ring++) {
        snprintf(name, sizeof name, "r%u", ring);
        snprintf(text, sizeof text, "wait: r%u", ring);
        draw_statement(input, indent, text, yaml);
        for (int64_t parts = fuzz_between(input, 0, 2); parts > 0; parts--)
            draw_work(input, indent, name, yaml);
        snprintf(text, sizeof text, "release: r%u", ring);
        draw_statement(input, indent, text, yaml);
    }
}

/* What a kernel has besides: a quarter of the values of the last byte of an input says. */
enum { OWN_RING = 1, SIGNALLED_RING = 2, HAND_OVER = 4 };

static inline unsigned besides(const struct fuzz_input *input) {
    unsigned last = input->size == 0 ? 0 : input->data[input->size - 1];
    return last >= 192 ? last & 63 : 0;
}

/* How far the loads of the role with its own ring run ahead. */
static inline unsigned ahead_of(unsigned more) {
    return more / 8 % 4;
}

static inline void add_rings_besides(unsigned more, struct yaml_text *yaml) {
    if ((more & OWN_RING) != 0)
        add(yaml, "    own: {stages: %u}\n", ahead_of(more) + 1 + more / 32);
    if ((more & SIGNALLED_RING) != 0)
        add(yaml, "    made: {stages: %u, operands: {t: 1024}}\n", 1 + more / 16 % 3);
}

static inline void draw_roles_besides(struct fuzz_input *input, unsigned more,
                                      struct yaml_text *yaml) {
    static const char loop[] = "        - for: {k: STEPS}\n          do:\n", *const at =
                                                                                 "            ";
    if ((more & OWN_RING) != 0) {
        add(yaml,
            "    alone:\n      warps: 4\n      program:\n        - for: {k: STEPS + 2}\n"
            "          ahead: %u\n          do:\n            - ahead:\n                - acquire: "
            "own\n"
            "                - load: {map: C, into: own, at: [0, 16*(k + 8*cta)]}\n            - "
            "wait: own\n",
            ahead_of(more));
        draw_work(input, at, "own", yaml);
        add(yaml, "%s- release: own\n", at);
    }
    if ((more & SIGNALLED_RING) != 0) {
        add(yaml, "    maker:\n      warps: 4\n      program:\n%s%s- acquire: made\n", loop, at);
        add(yaml, "%s- cycles: 40\n%s- signal: made\n", at, at);
        add(yaml, "    taker:\n      warps: 4\n      program:\n%s%s- wait: made\n", loop, at);
        add(yaml, "%s- alu: 64\n%s- release: made\n", at, at);
    }
    if ((more & HAND_OVER) != 0) {
        add(yaml, "    left:\n      warps: 4\n      program:\n%s%s- arrive: ping\n", loop, at);
        draw_work(input, at, "r0", yaml);
        add(yaml, "%s- sync: pong\n", at);
        add(yaml, "    right:\n      warps: 4\n      program:\n%s%s- sync: ping\n", loop, at);
        draw_work(input, at, "r0", yaml);
        add(yaml, "%s- arrive: pong\n", at);
    }
}

static inline void draw_kernel(struct fuzz_input *input, const struct kernel_bounds *bounds,
                               struct yaml_text *yaml) {
    bool cluster = one_in(input, 3);
    unsigned ctas = 2 * (unsigned)fuzz_between(input, 1, bounds->cta_pairs);
    unsigned steps = (unsigned)fuzz_between(input, 1, bounds->steps);
    unsigned rings = (unsigned)fuzz_between(input, 1, 2);
    unsigned consumers = (unsigned)fuzz_between(input, 1, 2);
    unsigned more = besides(input);
    yaml->used = 0;
    add(yaml,
        "name: random\ngpu: configs/gpus/h200.yaml\nparameters: {STEPS: %u}\ntensor_maps:\n"
        "  A: {data_type: float16, global_dim: [64, %u], box_dim: [64, 16]%s}\n"
        "  C: {data_type: float32, global_dim: [32, 1024], box_dim: [32, 16]}\n"
        "kernel:\n  ctas: %u\n  cluster: %d\n  sms: %d\n  initial_cache: %s\n  rings:\n",
        steps, 16 * ctas * steps, one_in(input, 2) ? ", swizzle: 128b" : "", ctas, cluster ? 2 : 1,
        2 * (int)fuzz_between(input, 1, 2), one_in(input, 2) ? "warm" : "cold");
    for (unsigned ring = 0; ring < rings; ring++)
        add(yaml, "    r%u: {stages: %d%s}\n", ring, (int)fuzz_between(input, 1, 4),
            cluster && one_in(input, 2) ? ", release_to: all" : "");
    add_rings_besides(more, yaml);
    add(yaml, "  buffers: {c: 2048, x: 8192}\n  barriers: [meet%s]\n  roles:\n",
        (more & HAND_OVER) != 0 ? ", ping, pong" : "");
    draw_producer_role(input, rings, cluster, yaml);
    for (unsigned i = 0; i < consumers; i++)
        draw_consumer_role(input, i, rings, yaml);
    draw_roles_besides(input, more, yaml);
}
