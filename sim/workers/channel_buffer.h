/* Bytes on their way through a channel, which takes or gives some of them at a time. Internal to
 * sim/workers. */
#ifndef TMA_WORKERS_CHANNEL_BUFFER_H
#define TMA_WORKERS_CHANNEL_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

struct tma_channel_buffer {
    char *bytes; /* owned */
    size_t size, capacity;
    size_t done; /* of these bytes, from the start, that were sent or taken */
};

/* Makes room for `size` more bytes. False when out of memory. */
bool tma_channel_buffer_reserve(struct tma_channel_buffer *buffer, size_t size);

bool tma_channel_buffer_append(struct tma_channel_buffer *buffer, const void *bytes, size_t size);

/* Forgets the bytes that are done. */
void tma_channel_buffer_compact(struct tma_channel_buffer *buffer);

/* Sends what the channel has room for. The reader of the channel finds out if it has closed. */
void tma_channel_buffer_send(struct tma_channel_buffer *buffer, int channel);

enum tma_received { TMA_RECEIVED_SOME, TMA_RECEIVED_END, TMA_RECEIVED_NO_MEMORY };

/* Appends what the channel has; that may be nothing. */
enum tma_received tma_channel_buffer_receive(struct tma_channel_buffer *buffer, int channel);

void tma_channel_buffer_free(struct tma_channel_buffer *buffer);

#endif
