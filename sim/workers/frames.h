/* Channels between a pool and those who do its tasks: bytes on their way through one, which takes
 * or gives some of them at a time, and messages: a header, then bytes. Internal to sim/workers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

enum tma_frame_kind {
    TMA_FRAME_TASK,   /* to a worker: the input of a task */
    TMA_FRAME_NOTE,   /* to the pool: a note of the running task */
    TMA_FRAME_DONE,   /* to the pool: the reply of a task, then what it printed */
    TMA_FRAME_FAILED, /* to the pool: why a task has no reply, then what it printed */
    TMA_FRAME_HELLO,  /* to a server: the key of the pool's inputs. To the pool: the server's; its
                         number is how many tasks the server does at once */
};

/* Both sides are processes of one program, on machines of one kind, so that the struct has one
 * layout. */
struct tma_frame {
    uint64_t kind;
    uint64_t number;        /* of the task */
    uint64_t bytes;         /* that follow */
    uint64_t message_bytes; /* that follow after those */
};

/* Writes or reads all bytes, however many calls that takes. False if the other side has gone. */
bool tma_frame_write(int descriptor, const void *bytes, size_t size);
bool tma_frame_read(int descriptor, void *bytes, size_t size);
