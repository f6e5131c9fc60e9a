#define _GNU_SOURCE
#include "image.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- containers ---- */

enum {
    WRAPPER_MAGIC = 0x466243b1, /* __fatBinC_Wrapper_t of fatbinary_section.h */
    FATBIN_MAGIC = (int)0xba55ed50,
    ELF_MAGIC = 0x464c457f,
    ZSTD_MAGIC = (int)0xfd2fb528,
    ENTRY_PTX = 1,
    ENTRY_COMPRESSED_LZ4 = 0x2000,
    DEPTH = 6, /* of folders that are searched */
    MOST_PTX_BYTES = 256 << 20
};

struct wrapper {
    int32_t magic, version;
    const void *data;
    void *unused;
};

struct fatbin_header {
    int32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes; /* behind this header */
};

struct fatbin_entry {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t bytes; /* behind this header, up to the next one */
    uint32_t compressed_bytes, unknown;
    uint16_t minor, major;
    uint32_t capability;
    uint32_t name_offset, name_bytes;
    uint64_t flags, zero, decompressed_bytes;
};

static int32_t magic_of(const uint8_t *bytes) {
    int32_t magic;
    memcpy(&magic, bytes, sizeof magic);
    return magic;
}

static size_t elf_bytes(const uint8_t *bytes) {
    uint64_t sections, programs;
    uint16_t section_bytes, section_count, program_bytes, program_count;
    memcpy(&programs, bytes + 32, 8);
    memcpy(&sections, bytes + 40, 8);
    memcpy(&program_bytes, bytes + 54, 2);
    memcpy(&program_count, bytes + 56, 2);
    memcpy(&section_bytes, bytes + 58, 2);
    memcpy(&section_count, bytes + 60, 2);
    uint64_t end = sections + (uint64_t)section_bytes * section_count;
    uint64_t other = programs + (uint64_t)program_bytes * program_count;
    return (size_t)(end > other ? end : other);
}

static bool is_text(const uint8_t *bytes) {
    for (int i = 0; i < 4; i++)
        if (bytes[i] == '\0' || bytes[i] >= 0x80)
            return false;
    return true;
}

/* Bytes of what begins here. */
static size_t size_of(const uint8_t *bytes) {
    struct fatbin_header header;
    switch (magic_of(bytes)) {
    case FATBIN_MAGIC:
        memcpy(&header, bytes, sizeof header);
        return header.header_bytes + header.bytes;
    case ELF_MAGIC:
        return elf_bytes(bytes);
    default:
        return is_text(bytes) ? strlen((const char *)bytes) + 1 : 0;
    }
}

struct image image_of(void *owner, const void *code, size_t size) {
    struct image image = {.owner = owner, .bytes = code, .size = size};
    Dl_info place;
    if (code == NULL)
        return (struct image){0};
    if (magic_of(code) == WRAPPER_MAGIC) {
        const struct wrapper *wrapper = code;
        image.bytes = wrapper->data;
        size = 0;
    }
    if (image.bytes == NULL || (size == 0 && (size = size_of(image.bytes)) == 0))
        return (struct image){0};
    image.size = size;
    /* What a program or library has stays as long as it is loaded. */
    if (dladdr(image.bytes, &place) != 0)
        return image;
    image.copy = malloc(size + 1);
    if (image.copy == NULL)
        return (struct image){0};
    memcpy(image.copy, image.bytes, size);
    ((char *)image.copy)[size] = '\0';
    image.bytes = image.copy;
    return image;
}

char *read_file(const char *path, size_t most, size_t *size) {
    FILE *file = fopen(path, "rb");
    struct stat status;
    char *bytes = NULL;
    if (file == NULL)
        return NULL;
    if (fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode) &&
        (uint64_t)status.st_size <= most && (bytes = malloc((size_t)status.st_size + 1)) != NULL) {
        *size = fread(bytes, 1, (size_t)status.st_size, file);
        bytes[*size] = '\0';
    }
    fclose(file);
    return bytes;
}

struct image image_of_file(void *owner, const char *path) {
    size_t size = 0;
    char *bytes = path == NULL ? NULL : read_file(path, MOST_PTX_BYTES, &size);
    if (bytes == NULL || size < 16) {
        free(bytes);
        return (struct image){0};
    }
    return (struct image){owner, (const uint8_t *)bytes, size, bytes};
}

void image_free(struct image *image) {
    free(image->copy);
    *image = (struct image){0};
}

/* ---- compression ---- */

/* A length goes on in further bytes where it is 15. False at the end of the input. */
static bool read_length(const uint8_t **at, const uint8_t *end, size_t *length) {
    uint8_t byte = 255;
    for (size_t first = *length; first == 15 && byte == 255; *length += byte) {
        if (*at == end)
            return false;
        byte = *(*at)++;
    }
    return true;
}

size_t lz4_decompress(const uint8_t *input, size_t size, uint8_t *output, size_t capacity) {
    const uint8_t *at = input, *end = input + size;
    size_t done = 0;
    while (at < end) {
        uint8_t token = *at++;
        size_t literals = token >> 4, match = token & 15;
        if (!read_length(&at, end, &literals) || literals > (size_t)(end - at) ||
            literals > capacity - done)
            return 0;
        memcpy(output + done, at, literals);
        done += literals;
        at += literals;
        if (at == end)
            return done;
        if (end - at < 2)
            return 0;
        size_t back = at[0] | (size_t)at[1] << 8;
        at += 2;
        if (!read_length(&at, end, &match) || back == 0 || back > done ||
            (match += 4) > capacity - done)
            return 0;
        for (; match > 0; match--, done++)
            output[done] = output[done - back];
    }
    return done;
}

static bool zstd_decompress(const uint8_t *input, size_t size, char *output, size_t capacity,
                            bool *missing) {
    void *library = dlopen("libzstd.so.1", RTLD_NOW);
    size_t (*decompress)(void *, size_t, const void *, size_t);
    void *symbol = library == NULL ? NULL : dlsym(library, "ZSTD_decompress");
    memcpy(&decompress, &symbol, sizeof decompress);
    *missing = symbol == NULL;
    return symbol != NULL && decompress(output, capacity, input, size) == capacity;
}

/* The text of an entry, which the caller frees; NULL where it cannot be had. */
static char *entry_text(const struct fatbin_entry *entry, const uint8_t *payload, bool *missing) {
    bool zstd = entry->bytes >= 4 && magic_of(payload) == ZSTD_MAGIC;
    bool packed = zstd || (entry->flags & ENTRY_COMPRESSED_LZ4) != 0;
    uint64_t from = packed ? entry->compressed_bytes : entry->bytes;
    uint64_t bytes = packed ? entry->decompressed_bytes : entry->bytes;
    if (bytes > MOST_PTX_BYTES || from > entry->bytes)
        return NULL;
    char *text = malloc((size_t)bytes + 1);
    if (text == NULL)
        return NULL;
    text[bytes] = '\0';
    if (!packed)
        memcpy(text, payload, (size_t)bytes);
    else if (!(zstd ? zstd_decompress(payload, (size_t)from, text, (size_t)bytes, missing)
                    : lz4_decompress(payload, (size_t)from, (uint8_t *)text, (size_t)bytes) ==
                          bytes)) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- PTX ---- */

static bool is_name_character(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
           c == '$' || c == '%';
}

int ptx_has_entry(const char *ptx, const char *kernel) {
    size_t length = strlen(kernel);
    for (const char *at = ptx; (at = strstr(at, ".entry")) != NULL;) {
        at += strlen(".entry");
        at += strspn(at, " \t\r\n");
        if (strncmp(at, kernel, length) == 0 && !is_name_character(at[length]))
            return 1;
    }
    return 0;
}

/* The architecture that PTX is for, times two, and one more where it is for that one alone. */
static unsigned target_of(const char *ptx) {
    const char *at = strstr(ptx, ".target");
    at = at == NULL ? NULL : strstr(at, "sm_");
    if (at == NULL)
        return 0;
    char *end;
    unsigned number = (unsigned)strtoul(at + 3, &end, 10);
    return 2 * number + (*end == 'a' || *end == 'f');
}

enum image_code image_find_ptx(const struct image *image, const char *kernel, unsigned capability,
                               char **ptx) {
    enum image_code found = IMAGE_UNKNOWN;
    unsigned best = 0;
    *ptx = NULL;
    if (image->size < 16)
        return IMAGE_UNKNOWN;
    if (magic_of(image->bytes) == ELF_MAGIC)
        return memmem(image->bytes, image->size, kernel, strlen(kernel)) == NULL ? IMAGE_UNKNOWN
                                                                                 : IMAGE_SASS;
    if (magic_of(image->bytes) != FATBIN_MAGIC) {
        if (!ptx_has_entry((const char *)image->bytes, kernel))
            return IMAGE_UNKNOWN;
        *ptx = strdup((const char *)image->bytes);
        return *ptx == NULL ? IMAGE_UNKNOWN : IMAGE_PTX;
    }
    struct fatbin_header header;
    struct fatbin_entry entry;
    memcpy(&header, image->bytes, sizeof header);
    size_t at = header.header_bytes;
    while (image->size >= sizeof entry && at <= image->size - sizeof entry) {
        memcpy(&entry, image->bytes + at, sizeof entry);
        if (entry.header_bytes < sizeof entry || entry.header_bytes > image->size - at ||
            entry.bytes > image->size - at - entry.header_bytes)
            break;
        bool missing = false;
        char *text = entry.kind == ENTRY_PTX && entry.capability <= capability
                         ? entry_text(&entry, image->bytes + at + entry.header_bytes, &missing)
                         : NULL;
        if (text != NULL && ptx_has_entry(text, kernel) && target_of(text) >= best) {
            best = target_of(text);
            free(*ptx);
            *ptx = text;
            text = NULL;
            found = IMAGE_PTX;
        } else if (found != IMAGE_PTX && missing) {
            found = IMAGE_ZSTD;
        } else if (found == IMAGE_UNKNOWN && entry.kind != ENTRY_PTX) {
            found = IMAGE_SASS;
        }
        free(text);
        at += entry.header_bytes + entry.bytes;
    }
    return found;
}

/* ---- files of compilers ---- */

/* What is looked for in folders. */
struct wanted {
    const struct image *cubin; /* NULL: any PTX of the kernel */
    const char *kernel;
};

static bool ends_with(const char *name, const char *end) {
    size_t length = strlen(name), tail = strlen(end);
    return length >= tail && strcmp(name + length - tail, end) == 0;
}

static bool is_cubin(const char *path, const struct image *cubin) {
    struct stat status;
    size_t size = 0;
    if (stat(path, &status) != 0 || (uint64_t)status.st_size < cubin->size)
        return false;
    char *bytes = read_file(path, MOST_PTX_BYTES, &size);
    bool same =
        bytes != NULL && size >= cubin->size && memcmp(bytes, cubin->bytes, cubin->size) == 0;
    free(bytes);
    return same;
}

/* The PTX that a file of a folder leads to; NULL: none. */
static char *look_at(const char *path, const struct wanted *wanted) {
    size_t size, length = strlen(path);
    char *text = NULL, *beside;
    if (wanted->cubin == NULL) {
        text = ends_with(path, ".ptx") ? read_file(path, MOST_PTX_BYTES, &size) : NULL;
    } else if (ends_with(path, ".cubin") && is_cubin(path, wanted->cubin) &&
               (beside = strdup(path)) != NULL) {
        strcpy(beside + length - strlen(".cubin"), ".ptx");
        text = read_file(beside, MOST_PTX_BYTES, &size);
        free(beside);
    }
    if (text != NULL && !ptx_has_entry(text, wanted->kernel)) {
        free(text);
        text = NULL;
    }
    return text;
}

static char *search(const char *folder, const struct wanted *wanted, int depth) {
    DIR *stream = opendir(folder);
    struct dirent *entry;
    char *found = NULL;
    while (stream != NULL && found == NULL && (entry = readdir(stream)) != NULL) {
        char path[4096];
        struct stat status;
        if (entry->d_name[0] == '.' ||
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path ||
            lstat(path, &status) != 0)
            continue;
        if (S_ISDIR(status.st_mode) && depth > 0)
            found = search(path, wanted, depth - 1);
        else if (S_ISREG(status.st_mode))
            found = look_at(path, wanted);
    }
    if (stream != NULL)
        closedir(stream);
    return found;
}

static char *search_list(const char *folders, const struct wanted *wanted) {
    char *list = folders == NULL ? NULL : strdup(folders), *rest = NULL, *found = NULL;
    for (char *folder = list == NULL ? NULL : strtok_r(list, ":", &rest);
         folder != NULL && found == NULL; folder = strtok_r(NULL, ":", &rest))
        found = search(folder, wanted, DEPTH);
    free(list);
    return found;
}

char *image_find_ptx_file(const struct image *image, const char *kernel, const char *folders) {
    struct wanted wanted = {image, kernel};
    char home[4096], inductor[4096], *found = NULL;
    const char *user = getenv("USER");
    snprintf(home, sizeof home, "%s/.triton/cache", getenv("HOME") == NULL ? "" : getenv("HOME"));
    snprintf(inductor, sizeof inductor, "/tmp/torchinductor_%s", user == NULL ? "root" : user);
    if (image != NULL && image->size >= 16 && magic_of(image->bytes) == ELF_MAGIC) {
        const char *const lists[] = {getenv("TRITON_CACHE_DIR"), getenv("TORCHINDUCTOR_CACHE_DIR"),
                                     folders, home, inductor};
        for (size_t i = 0; i < sizeof lists / sizeof lists[0] && found == NULL; i++)
            found = search_list(lists[i], &wanted);
    }
    wanted.cubin = NULL;
    return found != NULL ? found : search_list(folders, &wanted);
}
