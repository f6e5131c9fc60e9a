/* A test fixture: the memory system of the small machine. A test that needs another machine changes
 * `machine` and calls recreate(). */
#pragma once

#include "machine.h"
#include "memory/system.h"
#include "suite.h"
#include "traffic.h"

static struct tma_machine machine;
static struct tma_memory *memory;

/* Creates `memory` from `machine`. */
static inline void create(void) {
    ck_assert_int_eq(tma_memory_create(&memory, &machine, NULL), TMA_OK);
}

/* The setup and teardown functions of the fixture. */
static inline void set_up(void) {
    machine = small_machine();
    create();
}

static inline void tear_down(void) {
    tma_memory_free(memory);
}

/* Replaces `memory` by a new one for the current `machine`. */
static inline void recreate(void) {
    tma_memory_free(memory);
    create();
}
