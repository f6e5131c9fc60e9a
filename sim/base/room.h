/* Arrays that grow by doubling. */
#ifndef TMA_BASE_ROOM_H
#define TMA_BASE_ROOM_H

#include <stddef.h>

/* Gives the array, moved where it had to be, with room for one more than `count` elements of `size`
 * bytes, and raises *capacity to what it has. NULL when out of memory: `items` is as it was then.
 */
void *tma_make_room(void *items, size_t count, size_t *capacity, size_t size);

#endif
