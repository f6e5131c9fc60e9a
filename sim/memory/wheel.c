#include "memory/wheel.h"

#include <assert.h>
#include <stdlib.h>

bool tma_wheel_create(struct tma_wheel *wheel) {
    *wheel = (struct tma_wheel){.heads = malloc(TMA_WHEEL_CYCLES * sizeof *wheel->heads),
                                .tails = malloc(TMA_WHEEL_CYCLES * sizeof *wheel->tails)};
    if (wheel->heads == NULL || wheel->tails == NULL) {
        tma_wheel_free(wheel);
        return false;
    }
    for (uint32_t i = 0; i < TMA_WHEEL_CYCLES; i++)
        wheel->heads[i] = TMA_NONE;
    return true;
}

void tma_wheel_free(struct tma_wheel *wheel) {
    free(wheel->heads);
    free(wheel->tails);
    free(wheel->due);
    free(wheel->next);
    *wheel = (struct tma_wheel){0};
}

bool tma_wheel_reserve(struct tma_wheel *wheel, uint32_t capacity) {
    if (capacity <= wheel->capacity)
        return true;
    uint64_t *due = realloc(wheel->due, capacity * sizeof *due);
    if (due != NULL)
        wheel->due = due;
    uint32_t *next = realloc(wheel->next, capacity * sizeof *next);
    if (next != NULL)
        wheel->next = next;
    if (due == NULL || next == NULL)
        return false;
    wheel->capacity = capacity;
    return true;
}

uint32_t tma_wheel_take(struct tma_wheel *wheel, uint64_t cycle) {
    uint32_t bucket = (uint32_t)cycle & (TMA_WHEEL_CYCLES - 1);
    uint32_t entry = wheel->heads[bucket];
    if (entry == TMA_NONE)
        return TMA_NONE;
    wheel->heads[bucket] = TMA_NONE;
    uint32_t first = TMA_NONE, last = TMA_NONE;
    while (entry != TMA_NONE) {
        uint32_t next = wheel->next[entry];
        wheel->count--;
        if (wheel->due[entry] != cycle) {
            assert(wheel->due[entry] > cycle);
            tma_wheel_put(wheel, entry, wheel->due[entry]);
        } else {
            if (first == TMA_NONE)
                first = entry;
            else
                wheel->next[last] = entry;
            wheel->next[entry] = TMA_NONE;
            last = entry;
        }
        entry = next;
    }
    return first;
}
