#include "workers/frame.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/types.h>

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
