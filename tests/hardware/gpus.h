/* The GPUs that took records: their machines, and what reads the records. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/shipped_machine.h"
#include "records/tsv.h"

#define FOLDER "tests/hardware/h200/"

/* Of a program's first allocation. */
#define FIRST_ADDRESS UINT64_C(0x7f0000000000)

/* Tests that loop over GPUs have one of these as `_i`. */
enum { H200, H100, GPUS };

static inline void read_gpu(int gpu, struct tma_machine *machine) {
    *machine = shipped_machine(gpu == H200 ? "h200" : "h100_sxm");
}

static inline void read_h200(struct tma_machine *machine) {
    read_gpu(H200, machine);
}

static inline void read_records(const char *path, struct tma_tsv *records) {
    struct tma_error error;
    ck_assert_msg(tma_tsv_read(path, records, &error) == TMA_OK, "%s", error.text);
}

/* The records of a GPU in the file of this name. */
static inline void read_gpu_records(int gpu, const char *name, struct tma_tsv *records) {
    char path[64];
    snprintf(path, sizeof path, "tests/hardware/%s/%s", gpu == H200 ? "h200" : "h100", name);
    read_records(path, records);
}

static inline uint32_t record_number(const struct tma_tsv *records, size_t row,
                                     const char *column) {
    return (uint32_t)strtoul(tma_tsv_cell(records, row, column), NULL, 10);
}

/* The number behind `key=` among the words of a record. */
static inline uint32_t record_word(const char *what, const char *key) {
    size_t length = strlen(key);
    for (const char *at = what; at != NULL; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (strncmp(at, key, length) == 0 && at[length] == '=')
            return (uint32_t)strtoul(at + length + 1, NULL, 10);
    }
    return 0;
}

static inline int compare_errors(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The error that 95 of 100 do not exceed; sorts them. */
static inline double percentile_95(double *errors, size_t count) {
    qsort(errors, count, sizeof *errors, compare_errors);
    return errors[count * 95 / 100];
}
