#include "records/kernel_record.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENT = 24, THREADS_OF_A_WARP = 32, WARPS_OF_A_GROUP = 4 };

/* Adds a setting; false where it does not fit. */
__attribute__((format(printf, 2, 3))) static bool add(struct tma_kernel_record *record,
                                                      const char *format, ...) {
    if (record->setting_count == TMA_KERNEL_RECORD_SETTINGS)
        return false;
    char *text = record->texts[record->setting_count];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, TMA_KERNEL_RECORD_TEXT, format, arguments);
    va_end(arguments);
    record->settings[record->setting_count++] = text;
    return length > 0 && length < TMA_KERNEL_RECORD_TEXT;
}

/* Names of arguments that parameters of the library have longer names for. */
static const char *parameter_of(const char *argument) {
    static const struct {
        const char *argument, *parameter;
    } names[] = {{"S", "STAGES"}, {"W", "WARPS"}, {"ctas", "CTAS"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].argument, argument) == 0)
            return names[i].parameter;
    return argument;
}

/* Reads the next word K=V. Returns its end, or NULL where it is something else. */
static const char *next_argument(const char *text, char name[ARGUMENT], char value[ARGUMENT]) {
    int length = 0;
    if (sscanf(text, " %23[A-Za-z_]=%23[0-9]%n", name, value, &length) != 2 || length == 0)
        return NULL;
    text += length;
    return *text == ' ' || *text == '\0' ? text : NULL;
}

/* What the name of a matrix product of cuBLAS says: `..._256x128_64x4_1x2_h_...`. Tiles follow each
 * other horizontally, along N, or vertically (`v`). */
struct cublas_name {
    unsigned tile_m, tile_n, step, stages, cluster_m, cluster_n;
    char order;
};

static bool read_name(const char *name, struct cublas_name *read) {
    for (const char *at = strchr(name, '_'); at != NULL; at = strchr(at + 1, '_'))
        if (sscanf(at, "_%9ux%9u_%9ux%9u_%9ux%9u_%c", &read->tile_m, &read->tile_n, &read->step,
                   &read->stages, &read->cluster_m, &read->cluster_n, &read->order) == 7)
            return true;
    return false;
}

/* Reads "(x,y,z)" as its product. */
static uint64_t product_of(const char *text) {
    uint64_t product = 1;
    for (char *end; *text != '\0'; text = end) {
        end = (char *)text + 1;
        if (*text >= '0' && *text <= '9')
            product *= strtoull(text, &end, 10);
    }
    return product;
}

/* cuBLAS stores columns, so that its M is the record's N. */
static bool add_cublas(const struct tma_tsv *records, size_t row, const char *arguments,
                       struct tma_kernel_record *record) {
    struct cublas_name name;
    char m[ARGUMENT], n[ARGUMENT], k[ARGUMENT];
    if (!tma_find_key_value(arguments, "M", m, sizeof m) ||
        !tma_find_key_value(arguments, "N", n, sizeof n) ||
        !tma_find_key_value(arguments, "K", k, sizeof k) ||
        !read_name(tma_tsv_cell(records, row, "kernel"), &name))
        return false;
    uint64_t warps = product_of(tma_tsv_cell(records, row, "block")) / THREADS_OF_A_WARP;
    uint64_t groups = warps > WARPS_OF_A_GROUP ? warps / WARPS_OF_A_GROUP - 1 : 1;
    return add(record, "M=%s", n) && add(record, "N=%s", m) && add(record, "K=%s", k) &&
           add(record, "BM=%u", name.tile_m) && add(record, "BN=%u", name.tile_n) &&
           add(record, "BK=%u", name.step) && add(record, "STAGES=%u", name.stages) &&
           add(record, "CLUSTER_M=%u", name.cluster_m) &&
           add(record, "CLUSTER_N=%u", name.cluster_n) &&
           add(record, "CONSUMERS=%" PRIu64, groups) &&
           add(record, "ALONG_N=%d", name.order == 'h') &&
           add(record, "CTAS=%" PRIu64, product_of(tma_tsv_cell(records, row, "grid")));
}

static bool add_arguments(const char *arguments, struct tma_kernel_record *record) {
    char name[ARGUMENT], value[ARGUMENT];
    const char *at = arguments;
    while (*at != '\0') {
        at = next_argument(at, name, value);
        if (at == NULL || !add(record, "%s=%s", parameter_of(name), value))
            return false;
    }
    return true;
}

enum tma_error_code tma_kernel_record_read(const struct tma_tsv *records, size_t row,
                                           struct tma_kernel_record *record,
                                           struct tma_error *error) {
    const char *family = tma_tsv_cell(records, row, "family");
    const char *arguments = tma_tsv_cell(records, row, "arguments");
    const char *registers = tma_tsv_cell(records, row, "regs");
    double cycles = tma_tsv_number(records, row, "cycles");
    double ns = tma_tsv_number(records, row, "ns");
    bool cublas = strcmp(family, "cublas") == 0;
    memset(record, 0, sizeof *record);
    if (family[strspn(family, "abcdefghijklmnopqrstuvwxyz0123456789_")] != '\0')
        return tma_fail(error, TMA_ERROR_SYNTAX, "\"%.40s\" is not the name of a kernel", family);
    snprintf(record->kernel, sizeof record->kernel, "%.60s", cublas ? "gemm_ws" : family);
    if (!(cublas ? add_cublas(records, row, arguments, record) : add_arguments(arguments, record)))
        return tma_fail(error, TMA_ERROR_SYNTAX, "arguments \"%.100s\"; expected words K=V",
                        arguments);
    if (!(cycles > 0) || !(ns > 0))
        return tma_fail(error, TMA_ERROR_SYNTAX, "no cycles or no ns");
    /* A clock outside the range of the key is the key's error. */
    if (!add(record, "kernel.sm_clock=%.0f MHz", cycles / ns * 1000) ||
        (registers[0] != '\0' && registers[0] != '-' &&
         !add(record, "kernel.registers=%.10s", registers)))
        return tma_fail(error, TMA_ERROR_SYNTAX, "too many arguments");
    return TMA_OK;
}
