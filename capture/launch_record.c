#define _GNU_SOURCE
#include "launch_record.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "image.h"
#include "tensormap/descriptor.h"
#include "tensormap/rules.h"

enum { SHORT_NAME = 60, PATH_BYTES = 4096, MOST_SOURCE_BYTES = 1 << 20 };

/* ---- parameters and memory ---- */

/* The buffer that an address lies in, which is the driver's allocation; -1: none. */
static int buffer_at(struct recorded_launch *launch, uint64_t address) {
    cu_pointer base = 0;
    size_t bytes = 0;
    for (size_t i = 0; i < launch->buffer_count; i++)
        if (address >= launch->buffers[i].base &&
            address - launch->buffers[i].base < launch->buffers[i].bytes)
            return (int)i;
    if (address < 65536 || launch->buffer_count == MOST_BUFFERS ||
        driver.cuMemGetAddressRange_v2(&base, &bytes, address) != 0 || bytes == 0 ||
        address < base || address - base >= bytes)
        return -1;
    launch->buffers[launch->buffer_count] = (struct recorded_buffer){.base = base, .bytes = bytes};
    return (int)launch->buffer_count++;
}

/* Reads a tensor map at a place of the parameters that a map can have. */
static bool map_at(struct recorded_launch *launch, const uint8_t *bytes, struct tma_tensor_map *map,
                   int *buffer) {
    struct tma_descriptor descriptor;
    struct tma_finding findings[TMA_MAX_FINDINGS];
    struct tma_violation violation;
    tma_descriptor_from_bytes(&descriptor, bytes);
    size_t count = tma_descriptor_decode(&descriptor, map, findings, TMA_MAX_FINDINGS);
    for (size_t i = 0; i < count; i++)
        if (!tma_finding_is_note(&findings[i]) && findings[i].kind != TMA_ABSENT_DERIVED)
            return false;
    if (tma_tensor_map_check(map, TMA_SM_90, &violation, 1) > 0)
        return false;
    *buffer = buffer_at(launch, map->global_address);
    return *buffer >= 0;
}

/* A part of a parameter: a map, a pointer, or a number. */
struct recorded_part {
    size_t parameter, at, bytes;
    int buffer; /* -1: a number */
    bool is_map;
    uint64_t value; /* of a map its address */
    struct tma_tensor_map map;
};

/* The part of a parameter of `size` bytes that begins at a byte. */
static struct recorded_part part_at(struct recorded_launch *launch, const uint8_t *bytes,
                                    size_t size, size_t at) {
    size_t left = size - at;
    struct recorded_part part = {.at = at, .buffer = -1};
    if (at % TMA_DESCRIPTOR_ALIGNMENT_BYTES == 0 && left >= TMA_DESCRIPTOR_BYTES &&
        map_at(launch, bytes + at, &part.map, &part.buffer)) {
        part.is_map = true;
        part.bytes = TMA_DESCRIPTOR_BYTES;
        part.value = part.map.global_address;
        return part;
    }
    part.buffer = -1;
    if (at % 8 == 0 && left >= 8) {
        part.bytes = 8;
        memcpy(&part.value, bytes + at, 8);
        part.buffer = buffer_at(launch, part.value);
        if (part.buffer >= 0 || size == 8)
            return part;
    }
    /* Numbers of structs are written by words of 4 bytes. */
    part.bytes = at % 4 == 0 && left >= 4 ? 4 : at % 2 == 0 && left >= 2 ? 2 : 1;
    part.value = 0;
    memcpy(&part.value, bytes + at, part.bytes);
    return part;
}

static bool add_parameter(struct recorded_launch *launch, const uint8_t *bytes, size_t size) {
    size_t index = launch->parameter_count++;
    launch->sizes[index] = size;
    for (size_t at = 0; at < size;) {
        struct recorded_part *grown =
            realloc(launch->parts, (launch->part_count + 1) * sizeof *grown);
        if (grown == NULL)
            return false;
        launch->parts = grown;
        grown[launch->part_count] = part_at(launch, bytes, size, at);
        grown[launch->part_count].parameter = index;
        at += grown[launch->part_count++].bytes;
    }
    return true;
}

bool record_parameters(struct recorded_launch *launch, void **values, void **extra) {
    const uint8_t *packed = NULL;
    size_t offset, bytes;
    if (driver.cuFuncGetParamInfo == NULL)
        return false;
    for (void **at = extra; values == NULL && at != NULL && *at != CU_EXTRA_END; at += 2)
        if (*at == CU_EXTRA_BUFFER)
            packed = at[1];
    for (size_t i = 0; i < MOST_PARAMETERS &&
                       driver.cuFuncGetParamInfo(launch->function, i, &offset, &bytes) == 0;
         i++)
        if (offset > MOST_PARAMETER_BYTES || bytes > MOST_PARAMETER_BYTES - offset ||
            (values == NULL && packed == NULL) ||
            !add_parameter(launch, values != NULL ? values[i] : packed + offset, bytes))
            return false;
    return true;
}

void record_contents(struct recorded_launch *launch) {
    for (size_t i = 0; i < launch->buffer_count; i++) {
        struct recorded_buffer *buffer = &launch->buffers[i];
        if (buffer->bytes > wishes.contents_bytes)
            continue;
        buffer->contents = malloc(buffer->bytes);
        if (buffer->contents != NULL &&
            driver.cuMemcpyDtoH_v2(buffer->contents, buffer->base, buffer->bytes) != 0) {
            free(buffer->contents);
            buffer->contents = NULL;
        }
    }
}

void record_free(struct recorded_launch *launch) {
    for (size_t i = 0; i < launch->buffer_count; i++)
        free(launch->buffers[i].contents);
    free(launch->parts);
}

/* ---- files ---- */

/* A part of a file's name: the kernel's without what names of files should not have. */
static void short_name(const char *kernel, char *name) {
    size_t length = 0;
    for (; *kernel != '\0' && length < SHORT_NAME; kernel++)
        if ((*kernel >= '0' && *kernel <= '9') || (*kernel >= 'A' && *kernel <= 'Z') ||
            (*kernel >= 'a' && *kernel <= 'z') || *kernel == '_')
            name[length++] = *kernel;
    name[length] = '\0';
}

static bool write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    bool good = file != NULL && fwrite(bytes, 1, size, file) == size;
    if (file != NULL && fclose(file) != 0)
        good = false;
    return good;
}

static void make_folder(const char *name) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", wishes.folder, name);
    mkdir(path, 0777);
}

static void copy_source(const char *from) {
    char path[2 * PATH_BYTES];
    const char *last = strrchr(from, '/');
    size_t size;
    char *bytes = read_file(from, MOST_SOURCE_BYTES, &size);
    if (bytes == NULL)
        return;
    make_folder("sources");
    snprintf(path, sizeof path, "%s/sources/%s", wishes.folder, last == NULL ? from : last + 1);
    write_file(path, bytes, size);
    free(bytes);
}

/* Lines such as: .file 1 "/home/me/kernel.py" */
static void copy_sources(const char *ptx) {
    char path[PATH_BYTES];
    unsigned number;
    for (const char *at = ptx; (at = strstr(at, ".file")) != NULL; at++)
        if (sscanf(at, ".file %u \"%4095[^\"\n]\"", &number, path) == 2)
            copy_source(path);
}

bool record_ptx(const char *kernel, const char *ptx, char *name, size_t size) {
    char path[PATH_BYTES], brief[SHORT_NAME + 1];
    short_name(kernel, brief);
    snprintf(name, size, "%s-%08" PRIx32 ".ptx", brief,
             (uint32_t)tma_digest_add(TMA_DIGEST_EMPTY, ptx, strlen(ptx)));
    snprintf(path, sizeof path, "%s/ptx/%s", wishes.folder, name);
    make_folder("ptx");
    if (wishes.sources)
        copy_sources(ptx);
    return access(path, F_OK) == 0 || write_file(path, ptx, strlen(ptx));
}

/* The end of a line, or of the text. */
static char *line_end(char *line) {
    char *end = strchr(line, '\n');
    return end == NULL ? line + strlen(line) : end + 1;
}

static bool begins(const char *line, const char *word) {
    return strncmp(line + strspn(line, " \t"), word, strlen(word)) == 0;
}

/* Sections are debug information; of their lines the last one alone begins with "}". Of a path in a
 * line with .file the last part stays. */
void remove_origins(char *ptx) {
    char *to = ptx, *next;
    bool in_section = false;
    for (char *line = ptx; *line != '\0'; line = next) {
        next = line_end(line);
        char *path = memchr(line, '"', (size_t)(next - line)), *slash = NULL;
        bool stays = !in_section && !begins(line, ".section");
        if (begins(line, ".section"))
            in_section = memchr(line, '}', (size_t)(next - line)) == NULL;
        else if (begins(line, "}"))
            in_section = false;
        if (!stays)
            continue;
        for (char *at = path; begins(line, ".file") && at != NULL && at < next; at++)
            slash = *at == '/' ? at : slash;
        if (slash != NULL) {
            memmove(to, line, (size_t)(path + 1 - line));
            to += path + 1 - line;
            line = slash + 1;
        }
        memmove(to, line, (size_t)(next - line));
        to += next - line;
    }
    *to = '\0';
}

/* A text in double quotes, as YAML and JSON have them. */
static void put_quoted(const char *text, FILE *out) {
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
    fputc('"', out);
}

static void put_dimensions(const char *key, const uint32_t *dimensions, FILE *out) {
    fprintf(out, "%s: [%" PRIu32 ", %" PRIu32 ", %" PRIu32 "]\n", key, dimensions[0], dimensions[1],
            dimensions[2]);
}

static void put_map(const struct tma_tensor_map *map, FILE *out) {
    const char *separator = "";
    fputs("map: {", out);
    for (int field = 0; field < TMA_FIELD_COUNT; field++) {
        const struct tma_field_info *info = tma_field_info((enum tma_field)field);
        size_t count = tma_field_count(map, (enum tma_field)field);
        if (count == 0 || field == TMA_FIELD_GLOBAL_ADDRESS || field == TMA_FIELD_RANK)
            continue;
        fprintf(out, "%s%s: %s", separator, info->name, info->is_list ? "[" : "");
        for (size_t i = 0; i < count; i++) {
            char text[64];
            tma_field_text((enum tma_field)field, tma_field_value(map, (enum tma_field)field, i),
                           text, sizeof text);
            fprintf(out, "%s%s", i == 0 ? "" : ", ", text);
        }
        fputs(info->is_list ? "]" : "", out);
        separator = ", ";
    }
    fputc('}', out);
}

/* What a part is, without the braces around it. */
static void put_part(const struct recorded_launch *launch, const struct recorded_part *part,
                     FILE *out) {
    if (part->buffer < 0) {
        fprintf(out, "u%zu: %" PRIu64, 8 * part->bytes, part->value);
        return;
    }
    if (part->is_map) {
        put_map(&part->map, out);
        fprintf(out, ", buffer: b%d", part->buffer);
    } else {
        fprintf(out, "pointer: b%d", part->buffer);
    }
    uint64_t offset = part->value - launch->buffers[part->buffer].base;
    if (offset > 0)
        fprintf(out, ", offset: %" PRIu64, offset);
}

static void put_parameters(const struct recorded_launch *launch, FILE *out) {
    bool patched = false;
    for (size_t i = 0; i < launch->part_count; i++) {
        const struct recorded_part *part = &launch->parts[i];
        size_t bytes = launch->sizes[part->parameter];
        bool whole = part->bytes == bytes;
        if (part->at == 0 && !whole) {
            fprintf(out, "  - bytes: %zu\n", bytes);
            patched = false;
        }
        if (!whole && part->buffer < 0 && part->value == 0)
            continue;
        if (whole)
            fputs("  - {", out);
        else
            fprintf(out, "%s      - {at: %zu, ", patched ? "" : "    patches:\n", part->at);
        put_part(launch, part, out);
        fputs("}\n", out);
        patched = true;
    }
}

static void put_measured(const struct recorded_launch *launch, const char *machine, FILE *out) {
    const struct recorded_times *times = &launch->times;
    if (times->cold_ns <= 0)
        return;
    fprintf(out, "measured:\n  %s: {ns: %.0f", machine, times->cold_ns);
    if (times->warm_ns > 0)
        fprintf(out, ", warm_ns: %.0f", times->warm_ns);
    if (times->empty_ns > 0)
        fprintf(out, ", empty_ns: %.0f", times->empty_ns);
    if (times->clock_mhz > 0)
        fprintf(out, ", clock_mhz: %.0f", times->clock_mhz);
    if (times->launch_mhz > 0)
        fprintf(out, ", launch_mhz: %.0f", times->launch_mhz);
    fprintf(out, ", by: %s}\n", times->by_events ? "events" : "cupti");
}

/* The name that tmasim has for the GPU: the word of its name with a digit in it ("H100"). */
static void machine_name(const char *gpu, char *name, size_t size) {
    const char *at = gpu;
    size_t length = 0;
    while (*at != '\0') {
        size_t word = strcspn(at, " ");
        if (strcspn(at, "0123456789") < word && at[0] >= 'A' && at[0] <= 'Z' && word < size) {
            for (; length < word; length++)
                name[length] =
                    (char)(at[length] | (at[length] >= 'A' && at[length] <= 'Z' ? 32 : 0));
            break;
        }
        at += word + (at[word] == ' ');
    }
    name[length] = '\0';
}

/* Writes the least and the most of a buffer's integers of 64 or 32 bits, if all are small: numbers
 * from which a kernel takes lengths and places. */
static void put_range(const struct recorded_buffer *buffer, FILE *out) {
    const int64_t small = 1 << 24;
    for (size_t bytes = 8; bytes >= 4; bytes /= 2) {
        int64_t least = INT64_MAX, most = INT64_MIN;
        for (size_t at = 0; at + bytes <= buffer->bytes; at += bytes) {
            int64_t value;
            int32_t word;
            memcpy(&value, buffer->contents + at, bytes);
            memcpy(&word, buffer->contents + at, sizeof word);
            value = bytes == 8 ? value : word;
            least = value < least ? value : least;
            most = value > most ? value : most;
        }
        if (least < -small || most > small || least > most)
            continue;
        if (most == 0 && least == 0)
            fputs(", contents: zero", out);
        else
            fprintf(out,
                    ", data_type: int%zu, contents: {seed: 1, low: %" PRId64 ", count: %" PRId64
                    "}",
                    8 * bytes, least, most - least + 1);
        return;
    }
}

static bool put_contents(const struct recorded_launch *launch, const char *stem, size_t index,
                         FILE *out) {
    const struct recorded_buffer *buffer = &launch->buffers[index];
    char path[PATH_BYTES];
    if (buffer->contents == NULL)
        return true;
    if (wishes.structure_only) {
        put_range(buffer, out);
        return true;
    }
    make_folder("data");
    snprintf(path, sizeof path, "%s/data/%s.b%zu", wishes.folder, stem, index);
    fprintf(out, ", contents: {file: %s.b%zu}", stem, index);
    return write_file(path, buffer->contents, buffer->bytes);
}

static bool put_launch(const struct recorded_launch *launch, const char *ptx, const char *missing,
                       const char *stem, FILE *out) {
    char machine[32];
    bool good = true;
    machine_name(launch->gpu, machine, sizeof machine);
    if (missing[0] != '\0')
        fprintf(out,
                "# There is no PTX of this kernel: %s.\n# Put it into the folder ptx, by the name "
                "below.\n",
                missing);
    fprintf(out, "name: %s\ndescription: \"launch %" PRIu32 " of it on %s\"\nptx: ", stem,
            launch->number, launch->gpu);
    put_quoted(ptx, out);
    fputs("\nkernel: ", out);
    put_quoted(launch->kernel, out);
    fputc('\n', out);
    if (strcmp(launch->gpu, "NVIDIA H100 80GB HBM3") == 0)
        fputs("gpu: h100_sxm\n", out);
    else if (strcmp(machine, "h200") == 0)
        fputs("gpu: h200\n", out);
    put_dimensions("grid", launch->grid, out);
    put_dimensions("block", launch->block, out);
    if (launch->cluster[0] > 0)
        put_dimensions("cluster", launch->cluster, out);
    fprintf(out, "dynamic_shared: %" PRIu32 "\nregisters: %" PRIu32 "\n", launch->dynamic_shared,
            launch->registers);
    fputs(launch->buffer_count > 0 ? "buffers:\n" : "", out);
    for (size_t i = 0; i < launch->buffer_count; i++) {
        fprintf(out, "  b%zu: {bytes: %zu", i, launch->buffers[i].bytes);
        good = put_contents(launch, stem, i, out) && good;
        fputs("}\n", out);
    }
    fputs(launch->parameter_count > 0 ? "parameters:\n" : "", out);
    put_parameters(launch, out);
    if (machine[0] != '\0')
        put_measured(launch, machine, out);
    return good;
}

/* Opens a file of a name that no other launch has: processes of one program share the folder. */
static FILE *open_new(const struct recorded_launch *launch, char *path, size_t size) {
    char brief[SHORT_NAME + 1];
    short_name(launch->kernel, brief);
    for (unsigned number = 1; number < 1000000; number++) {
        snprintf(path, size, "%s/%s.%u.yaml", wishes.folder, brief, number);
        int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0)
            return fdopen(descriptor, "w");
        if (access(path, F_OK) != 0)
            return NULL;
    }
    return NULL;
}

bool record_write(const struct recorded_launch *launch, const char *ptx, const char *missing,
                  char *path, size_t size) {
    FILE *out = path[0] == '\0' ? open_new(launch, path, size) : fopen(path, "w");
    char stem[SHORT_NAME + 16];
    if (out == NULL)
        return false;
    snprintf(stem, sizeof stem, "%s", strrchr(path, '/') + 1);
    stem[strlen(stem) - strlen(".yaml")] = '\0';
    bool good = put_launch(launch, ptx, missing, stem, out) && !ferror(out);
    return fclose(out) == 0 && good;
}
