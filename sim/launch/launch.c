#include "launch/launch.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/allocation.h"
#include "scenario/extend.h"
#include "scenario/tree.h"

void tma_launch_free(struct tma_launch *launch) {
    for (size_t i = 0; i < launch->gpu_setting_count; i++)
        tma_release(launch->gpu_settings[i]);
    tma_release(launch->gpu_settings);
    tma_yaml_free(launch->document);
    TMA_RELEASE(launch->buffers, launch->parameters, launch->parts);
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

char *tma_launch_find(const struct tma_launch *launch, const char *name, const char *subfolder) {
    char *beside = tma_path_beside(launch->at.file, name);
    if (beside == NULL || name[0] == '/' || access(beside, F_OK) == 0)
        return beside;
    size_t size = strlen(subfolder) + strlen(name) + 2;
    char *inner = tma_allocate(size, 1);
    if (inner != NULL)
        snprintf(inner, size, "%s/%s", subfolder, name);
    char *below = inner == NULL ? NULL : tma_path_beside(launch->at.file, inner);
    tma_release(inner);
    if (below == NULL || access(below, F_OK) == 0) {
        tma_release(beside);
        return below;
    }
    tma_release(below);
    return beside;
}
