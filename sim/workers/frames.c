#include "workers/frames.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "base/allocation.h"

enum { READ_BYTES = 1 << 16 };

bool tma_channel_buffer_reserve(struct tma_channel_buffer *buffer, size_t size) {
    if (buffer->capacity - buffer->size >= size)
        return true;
    size_t capacity = 2 * buffer->capacity + size;
    char *grown = tma_resize(buffer->bytes, capacity, 1);
    if (grown == NULL)
        return false;
    buffer->bytes = grown;
    buffer->capacity = capacity;
    return true;
}

bool tma_channel_buffer_append(struct tma_channel_buffer *buffer, const void *bytes, size_t size) {
    if (!tma_channel_buffer_reserve(buffer, size))
        return false;
    if (size > 0)
        memcpy(buffer->bytes + buffer->size, bytes, size);
    buffer->size += size;
    return true;
}

void tma_channel_buffer_compact(struct tma_channel_buffer *buffer) {
    if (buffer->done > 0)
        memmove(buffer->bytes, buffer->bytes + buffer->done, buffer->size - buffer->done);
    buffer->size -= buffer->done;
    buffer->done = 0;
}

void tma_channel_buffer_send(struct tma_channel_buffer *buffer, int channel) {
    while (buffer->done < buffer->size) {
        ssize_t sent = send(channel, buffer->bytes + buffer->done, buffer->size - buffer->done,
                            MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            break;
        buffer->done += (size_t)sent;
    }
    tma_channel_buffer_compact(buffer);
}

enum tma_received tma_channel_buffer_receive(struct tma_channel_buffer *buffer, int channel) {
    if (!tma_channel_buffer_reserve(buffer, READ_BYTES))
        return TMA_RECEIVED_NO_MEMORY;
    ssize_t got =
        recv(channel, buffer->bytes + buffer->size, buffer->capacity - buffer->size, MSG_DONTWAIT);
    if (got > 0)
        buffer->size += (size_t)got;
    bool ended = got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN);
    return ended ? TMA_RECEIVED_END : TMA_RECEIVED_SOME;
}

void tma_channel_buffer_free(struct tma_channel_buffer *buffer) {
    tma_release(buffer->bytes);
    *buffer = (struct tma_channel_buffer){0};
}

bool tma_frame_write(int descriptor, const void *bytes, size_t size) {
    const char *next = bytes;
    while (size > 0) {
        ssize_t sent = send(descriptor, next, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return false;
        next += sent;
        size -= (size_t)sent;
    }
    return true;
}

bool tma_frame_read(int descriptor, void *bytes, size_t size) {
    char *next = bytes;
    while (size > 0) {
        ssize_t got = recv(descriptor, next, size, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        next += got;
        size -= (size_t)got;
    }
    return true;
}
