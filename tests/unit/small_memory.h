/* The memory system of the small machine, for tests that change the machine and make it anew. */
#ifndef TMA_TESTS_SMALL_MEMORY_H
#define TMA_TESTS_SMALL_MEMORY_H

#include "machine.h"
#include "memory/system.h"
#include "suite.h"
#include "traffic.h"

static struct tma_machine machine;
static struct tma_memory *memory;

static inline void create(void) {
    ck_assert_int_eq(tma_memory_create(&memory, &machine, NULL), TMA_OK);
}

static inline void set_up(void) {
    machine = small_machine();
    create();
}

static inline void tear_down(void) {
    tma_memory_free(memory);
}

static inline void recreate(void) {
    tma_memory_free(memory);
    create();
}

#endif
