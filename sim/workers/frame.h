/* Messages between a pool and those who do its tasks: a header, then bytes. Internal to
 * sim/workers. */
#ifndef TMA_WORKERS_FRAME_H
#define TMA_WORKERS_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
