/* A run that forks, and whose children go on from where it stands: what a child writes must not be
 * seen by the run and by its other children. Parent and child share the place in each open file, so
 * the parent notes places and sizes before the child goes on, and restores them when it has ended.
 * Files in the folder of outputs get a second name meanwhile. */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_DESCRIPTORS = 48, MOST_NAMES = 8, NAME_BYTES = 64, PATH_BYTES = 192 };

static struct {
    off_t places[MOST_DESCRIPTORS], sizes[MOST_DESCRIPTORS]; /* place -1: no regular file */
    char names[MOST_NAMES][NAME_BYTES];
    size_t name_count;
} saved;

static void name_in(const char *folder, const char *end, const char *name, char path[PATH_BYTES]) {
    snprintf(path, PATH_BYTES, "%s%s%s%s", folder, end, name == NULL ? "" : "/",
             name == NULL ? "" : name);
}

/* Notes the state of all open files, and of those in the folder. */
static void save_files(const char *folder) {
    char path[PATH_BYTES], kept[PATH_BYTES];
    struct stat status;
    for (int i = 0; i < MOST_DESCRIPTORS; i++) {
        bool regular = fstat(i, &status) == 0 && S_ISREG(status.st_mode);
        saved.places[i] = regular ? lseek(i, 0, SEEK_CUR) : -1;
        saved.sizes[i] = status.st_size;
    }
    name_in(folder, ".kept", NULL, path);
    mkdir(path, 0700);
    saved.name_count = 0;
    DIR *names = opendir(folder);
    for (struct dirent *entry; (entry = readdir(names)) != NULL;) {
        if (entry->d_name[0] == '.' || saved.name_count == MOST_NAMES)
            continue;
        char *name = saved.names[saved.name_count++];
        snprintf(name, NAME_BYTES, "%.63s", entry->d_name);
        name_in(folder, "", name, path);
        name_in(folder, ".kept", name, kept);
        if (link(path, kept) != 0)
            perror(kept);
    }
    closedir(names);
}

/* Restores them. The folder has to be empty. */
static void restore_files(const char *folder) {
    char path[PATH_BYTES], kept[PATH_BYTES];
    struct stat status;
    for (size_t i = 0; i < saved.name_count; i++) {
        name_in(folder, "", saved.names[i], path);
        name_in(folder, ".kept", saved.names[i], kept);
        if (rename(kept, path) != 0)
            perror(path);
    }
    name_in(folder, ".kept", NULL, path);
    rmdir(path);
    for (int i = 0; i < MOST_DESCRIPTORS; i++) {
        if (saved.places[i] < 0 || fstat(i, &status) != 0)
            continue;
        if (status.st_size != saved.sizes[i] && ftruncate(i, saved.sizes[i]) != 0)
            perror("ftruncate");
        lseek(i, saved.places[i], SEEK_SET);
    }
}

/* A copy of what a file in memory has so far, at whose end the next write goes. */
static int copy_of(int descriptor) {
    char bytes[1024];
    ssize_t count;
    off_t place = 0;
    int copy = memfd_create("copy", 0);
    while ((count = pread(descriptor, bytes, sizeof bytes, place)) > 0) {
        if (write(copy, bytes, (size_t)count) != count)
            perror("write");
        place += count;
    }
    return copy;
}
