/* The machine and the records of an H200, for the tests that replay them. */
#ifndef TMA_TESTS_H200_H
#define TMA_TESTS_H200_H

#include "../unit/suite.h"
#include "records/tsv.h"
#include "scenario/machine_file.h"

#define FOLDER "tests/hardware/h200/"

static inline void read_h200(struct tma_machine *machine) {
    struct tma_diagnostics list = {0};
    ck_assert(tma_machine_read("configs/gpus/h200.yaml", machine, &list));
    tma_diagnostics_free(&list);
}

static inline void read_records(const char *path, struct tma_tsv *records) {
    struct tma_error error;
    ck_assert_msg(tma_tsv_read(path, records, &error) == TMA_OK, "%s", error.text);
}

#endif
