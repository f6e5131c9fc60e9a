/* What the Python package does in C: loops over elements, and a run with its report. Everything
 * else calls libtmasim through cffi. cffi compiles this file together with its own code. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tmasim.h>

struct py_run_options {
    bool why;       /* run experiments */
    unsigned draws; /* launches with the seeds 1, 2, ...; 0: none */
    bool unbounded; /* run a kernel even if it has more operations than anyone waits for */
    int sampling;   /* enum tma_sampling */
};

struct py_run_outcome {
    enum tma_error_code code;
    struct tma_error error;
    unsigned line, column;                 /* in the scenario, of an error in a kernel; 0: none */
    char *report;                          /* JSON; owned: py_free */
    uint64_t wavefronts, ideal_wavefronts; /* of all consumers */
};

static const char *py_version(void) {
    return TMA_VERSION;
}

/* The path of the shared library; "" where it is not known. */
static const char *py_library_path(void) {
    Dl_info info;
    return dladdr((const void *)&tma_map_kind_names, &info) != 0 ? info.dli_fname : "";
}

/* Returns the number of rules that the map breaks. Writes the bytes of a legal map only. */
static size_t py_encode(const struct tma_tensor_map *map, int architecture, unsigned char *bytes) {
    size_t violations = tma_tensor_map_check(map, (enum tma_architecture)architecture, NULL, 0);
    if (violations == 0) {
        struct tma_descriptor descriptor;
        tma_descriptor_encode(map, &descriptor);
        tma_descriptor_encode_oob_base(map, (enum tma_architecture)architecture, &descriptor);
        tma_descriptor_to_bytes(&descriptor, bytes);
    }
    return violations;
}

/* For the benchmark: nanoseconds of `calls` calls of the C functions. */
static double py_time_calls(const struct tma_tensor_map *map, bool encodes, unsigned calls) {
    struct timespec begin, end;
    unsigned char bytes[TMA_DESCRIPTOR_BYTES] = {0};
    volatile size_t sum = 0; /* so that no call is left out */
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (unsigned i = 0; i < calls; i++) {
        size_t violations = encodes ? py_encode(map, TMA_SM_90, bytes)
                                    : tma_tensor_map_check(map, TMA_SM_90, NULL, 0);
        sum = sum + violations + bytes[i % TMA_DESCRIPTOR_BYTES];
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec);
}

static size_t py_decode(const unsigned char *bytes, struct tma_tensor_map *map,
                        struct tma_finding *findings, size_t capacity) {
    struct tma_descriptor descriptor;
    tma_descriptor_from_bytes(&descriptor, bytes);
    return tma_descriptor_decode(&descriptor, map, findings, capacity);
}

/* Elements of a row. Those of an interleaved layout are pixels of 16 or 32 bytes. */
static uint32_t columns_of(const struct tma_tensor_map *map,
                           const struct tma_operation_size *size) {
    if (map->interleave != TMA_INTERLEAVE_NONE)
        return size->row_bytes / (map->interleave == TMA_INTERLEAVE_16B ? 16 : 32);
    return map->kind == TMA_MAP_TILED ? map->box_dim[0] : map->channels_per_pixel;
}

/* Rows of the operation, and the elements of each. */
static enum tma_error_code py_box_shape(const struct tma_tensor_map *map,
                                        const struct tma_operation *operation, uint32_t *rows,
                                        uint32_t *columns, struct tma_error *error) {
    struct tma_row_stream stream;
    struct tma_operation_size size;
    enum tma_error_code code = tma_rows_begin(&stream, map, operation, &size, error);
    if (code == TMA_OK) {
        *rows = size.rows;
        *columns = columns_of(map, &size);
    }
    return code;
}

/* The bit address in shared memory of an element in row `row`. */
static uint64_t place_of(const struct tma_layout *layout, const int64_t *coordinates,
                         uint32_t row) {
    struct tma_element_place places[TMA_MAX_PLACES];
    unsigned count = tma_layout_element(layout, coordinates, places);
    for (unsigned i = 0; i < count; i++)
        if (places[i].row == row)
            return UINT64_C(8) * places[i].shared_address + places[i].bit;
    return UINT64_MAX;
}

/* Writes the bit address of each element, row by row. */
static enum tma_error_code py_place(const struct tma_tensor_map *map,
                                    const struct tma_operation *operation, uint64_t *bits,
                                    struct tma_error *error) {
    struct tma_layout layout;
    struct tma_row_stream stream;
    struct tma_row row;
    struct tma_operation_size size;
    enum tma_error_code code = tma_layout_begin(&layout, map, operation, error);
    if (code == TMA_OK)
        code = tma_rows_begin(&stream, map, operation, &size, error);
    for (uint32_t number = 0; code == TMA_OK && tma_rows_next(&stream, &row); number++)
        for (uint32_t column = 0; column < columns_of(map, &size); column++) {
            int64_t coordinates[TMA_MAX_RANK];
            memcpy(coordinates, row.coordinates, sizeof coordinates);
            coordinates[0] += column;
            *bits++ = place_of(&layout, coordinates, number);
        }
    return code;
}

/* The operation's tile, as a stage with this operation alone has it. */
static enum tma_error_code py_tile(const struct tma_tensor_map *map,
                                   const struct tma_operation *operation, struct tma_tile *tile,
                                   struct tma_error *error) {
    struct tma_workload *workload = calloc(1, sizeof *workload);
    if (workload == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    workload->maps[0] = *map;
    workload->map_count = workload->cta_count = workload->iterations = workload->depth = 1;
    workload->operation_count = 1;
    workload->operations[0].operation = *operation;
    for (int d = 0; d < TMA_MAX_RANK; d++) {
        workload->operations[0].walk.start[d] = operation->coordinates[d];
        workload->operations[0].walk.tiles[d] = 1;
    }
    enum tma_error_code code = tma_workload_tile(workload, 0, 0, tile, error);
    free(workload);
    return code;
}

/* Set by another thread, to end the run. */
static atomic_bool interrupted;

static void py_interrupt(void) {
    atomic_store(&interrupted, true);
}

static bool look(void *context, const struct tma_run_state *state) {
    (void)context;
    (void)state;
    return !atomic_load(&interrupted);
}

/* The value of "json" in the table of formats. */
static int json_format(void) {
    int format = 0;
    tma_value_of(&tma_report_format_names, "json", &format);
    return format;
}

/* What a report needs beside the result. */
struct findings {
    struct tma_digests digests;
    struct tma_launches launches;
    struct tma_experiments experiments;
};

static enum tma_error_code find_out(const struct tma_scenario *scenario,
                                    const struct py_run_options *options,
                                    const struct tma_result *result, struct findings *found,
                                    struct tma_error *error) {
    const struct tma_experiment_subject subject = tma_scenario_subject(scenario);
    enum tma_error_code code = TMA_OK;
    if (!tma_scenario_digest(scenario, &found->digests))
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    if (options->why)
        code = tma_experiments_run(&subject, result, options->draws, &found->experiments, error);
    else if (options->draws > 0)
        code = tma_launch(&subject, options->draws, &found->launches, error);
    if (options->why)
        found->launches = found->experiments.before;
    return code;
}

static void write_report(const struct tma_scenario *scenario, const struct py_run_options *options,
                         const struct tma_result *result, const struct findings *found, FILE *out) {
    const struct tma_findings findings = {
        .experiments = options->why ? &found->experiments : NULL,
        .draws = options->draws > 0 ? &found->launches : NULL,
    };
    const struct tma_report_input input = {.scenario = scenario->name,
                                           .digests = &found->digests,
                                           .machine = &scenario->machine,
                                           .kernel = tma_scenario_kernel(scenario),
                                           .workload = &scenario->workload,
                                           .result = result,
                                           .map_names = scenario->map_names,
                                           .findings = findings};
    tma_report_write(&input, json_format(), out);
}

static enum tma_error_code report(const struct tma_scenario *scenario,
                                  const struct py_run_options *options,
                                  const struct tma_result *result, char **text,
                                  struct tma_error *error) {
    size_t bytes;
    struct findings *found = calloc(1, sizeof *found);
    if (found == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    enum tma_error_code code = find_out(scenario, options, result, found, error);
    FILE *out = code == TMA_OK ? open_memstream(text, &bytes) : NULL;
    if (code == TMA_OK && out == NULL)
        code = tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    if (out != NULL) {
        write_report(scenario, options, result, found, out);
        if (fclose(out) != 0)
            code = tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    }
    free(found);
    return code;
}

/* The tensor maps that a comparison of swizzle modes changes, by index: all of a workload, those
 * that access statements read of a kernel. */
static enum tma_error_code py_compared_maps(const struct tma_scenario *scenario, bool *compared,
                                            struct tma_error *error) {
    struct tma_read_maps maps;
    if (scenario->program != NULL) {
        enum tma_error_code code =
            tma_kernel_read_maps(tma_scenario_kernel(scenario), &maps, error);
        if (code != TMA_OK)
            return code;
    }
    for (uint32_t i = 0; i < scenario->workload.map_count; i++)
        compared[i] = scenario->program == NULL || maps.read[i];
    return TMA_OK;
}

static enum tma_error_code run(struct tma_scenario *scenario, const struct py_run_options *options,
                               struct tma_result *result, struct py_run_outcome *outcome) {
    const struct tma_watch watch = {.look = look, .sampling = (enum tma_sampling)options->sampling};
    atomic_store(&interrupted, false);
    tma_scenario_allow_long_kernel(scenario, options->unbounded);
    struct tma_kernel_place place = {0};
    enum tma_error_code code = TMA_OK;
    if (scenario->program != NULL)
        code = tma_kernel_check_operations(tma_scenario_kernel(scenario), "unbounded=True", &place,
                                           &outcome->error);
    if (code == TMA_OK)
        code = tma_scenario_run(scenario, NULL, &watch, result, &place, &outcome->error);
    outcome->line = place.line;
    outcome->column = place.column;
    return code == TMA_OK ? report(scenario, options, result, &outcome->report, &outcome->error)
                          : code;
}

/* Runs the scenario and writes its report. py_free frees the report also after a failure. */
static void py_run(struct tma_scenario *scenario, const struct py_run_options *options,
                   struct py_run_outcome *outcome) {
    struct tma_result *result = calloc(1, sizeof *result);
    outcome->report = NULL;
    outcome->line = outcome->column = 0;
    outcome->code = result == NULL ? tma_fail(&outcome->error, TMA_ERROR_MEMORY, "out of memory")
                                   : run(scenario, options, result, outcome);
    outcome->wavefronts = outcome->ideal_wavefronts = 0;
    for (int i = 0; i < TMA_MAX_CONSUMERS && outcome->code == TMA_OK; i++) {
        outcome->wavefronts += result->consumers[i].wavefronts;
        outcome->ideal_wavefronts += result->consumers[i].ideal_wavefronts;
    }
    free(result);
}

static void py_free(char *report) {
    free(report);
}
