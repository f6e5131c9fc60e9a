#include "launch/launch.h"

#include <string.h>
#include <unistd.h>

#include "base/allocation.h"
#include "launch/launch_reader.h"
#include "scenario/tree.h"

void tma_launch_free(struct tma_launch *launch) {
    tma_yaml_free(launch->document);
    tma_release(launch->buffers);
    tma_release(launch->parameters);
    tma_release(launch->parts);
    tma_release(launch->folder);
    *launch = (struct tma_launch){0};
}

/* Looks for the key alone: the file may be a large scenario. */
bool tma_launch_recognize(const char *text, size_t length) {
    size_t blank = strspn(text, " \t\r\n");
    if (blank < length && text[blank] == '{')
        return strstr(text, "\"ptx\"") != NULL;
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += line[0] == '\n';
        if (strncmp(line, "ptx:", 4) == 0)
            return true;
    }
    return false;
}

char *tma_launch_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    return tma_copy_bytes(path, slash == NULL ? 0 : (size_t)(slash - path) + 1);
}

static char *join(const char *folder, const char *subfolder, const char *name) {
    size_t lengths[] = {strlen(folder), strlen(subfolder), strlen(name)};
    char *path = tma_allocate(lengths[0] + lengths[1] + lengths[2] + 2, 1);
    if (path == NULL)
        return NULL;
    char *end = memcpy(path, folder, lengths[0]);
    end = (char *)memcpy(end + lengths[0], subfolder, lengths[1]) + lengths[1];
    if (lengths[1] > 0)
        *end++ = '/';
    memcpy(end, name, lengths[2]);
    return path;
}

char *tma_launch_find(const struct tma_launch *launch, const char *name, const char *subfolder) {
    if (name[0] == '/')
        return tma_copy_text(name);
    char *beside = join(launch->folder, "", name);
    if (beside == NULL || access(beside, F_OK) == 0)
        return beside;
    char *below = join(launch->folder, subfolder, name);
    if (below == NULL || access(below, F_OK) == 0) {
        tma_release(beside);
        return below;
    }
    tma_release(below);
    return beside;
}
