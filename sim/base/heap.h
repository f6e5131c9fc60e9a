/* Binary heaps in arrays of any type: the first item is at index 0. Macros, so that the comparison
 * is compiled into the loop.
 *
 * `before` is a function or a macro that takes two pointers to items, and says whether the first
 * one comes before the second. */
#pragma once

#include <stddef.h>

/* Puts *item into a heap that had `count` items and has room for one more. */
#define TMA_HEAP_PUSH(heap, count, item, before)                                                   \
    do {                                                                                           \
        size_t at_ = (count);                                                                      \
        for (; at_ > 0 && before((item), &(heap)[(at_ - 1) / 2]); at_ = (at_ - 1) / 2)             \
            (heap)[at_] = (heap)[(at_ - 1) / 2];                                                   \
        (heap)[at_] = *(item);                                                                     \
    } while (0)

/* Removes the first item of a heap, which then has `left` items; `type` is theirs. */
#define TMA_HEAP_DROP_FIRST(type, heap, left, before)                                              \
    do {                                                                                           \
        size_t at_ = 0, left_ = (left);                                                            \
        type moved_ = (heap)[left_];                                                               \
        for (size_t child_; (child_ = 2 * at_ + 1) < left_; at_ = child_) {                        \
            if (child_ + 1 < left_ && before(&(heap)[child_ + 1], &(heap)[child_]))                \
                child_++;                                                                          \
            if (!before(&(heap)[child_], &moved_))                                                 \
                break;                                                                             \
            (heap)[at_] = (heap)[child_];                                                          \
        }                                                                                          \
        (heap)[at_] = moved_;                                                                      \
    } while (0)
