/* Speed of the service on one core: requests to check tensor maps, those that an H200's driver
 * accepted and all (tests/hardware/h200/encode.tsv), and small runs: one CTA that loads two tiles.
 * The ratio beside each figure does not depend on the host: the time of the answer over that of the
 * same call of the library, without JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "engine/slots/run.h"
#include "records/map_record.h"
#include "scenario/scenario.h"
#include "serve/service.h"
#include "tensormap/rules.h"

enum { MOST_REQUEST = 1024 };

struct pool {
    struct tma_tensor_map *maps;
    char (*requests)[MOST_REQUEST]; /* to check them */
    size_t count;
};

static size_t add_text(char *request, size_t used, const char *text) {
    size_t length = strlen(text);
    if (used + length >= MOST_REQUEST)
        exit(EXIT_FAILURE);
    memcpy(request + used, text, length + 1);
    return used + length;
}

static size_t add_value(char *request, size_t used, const struct tma_tensor_map *map,
                        enum tma_field field, size_t index) {
    const struct tma_field_info *info = tma_field_info(field);
    int64_t value = tma_field_value(map, field, index);
    char text[80];
    if (info->names != NULL)
        snprintf(text, sizeof text, "\"%s\"", tma_name_of(info->names, (int)value));
    else if (info->is_signed)
        snprintf(text, sizeof text, "%lld", (long long)value);
    else
        snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return add_text(request, used, text);
}

/* Every field that the map has. */
static void write_request(const struct tma_tensor_map *map, size_t number, char *request) {
    char text[80];
    snprintf(text, sizeof text, "{\"id\": %zu, \"op\": \"check\"", number);
    size_t used = add_text(request, 0, text);
    for (int i = 0; i < TMA_FIELD_COUNT; i++) {
        enum tma_field field = (enum tma_field)i;
        const struct tma_field_info *info = tma_field_info(field);
        size_t count = tma_field_count(map, field);
        if (count == 0)
            continue;
        snprintf(text, sizeof text, ", \"%s\": %s", info->name, info->is_list ? "[" : "");
        used = add_text(request, used, text);
        for (size_t j = 0; j < count; j++) {
            used = add_text(request, used, j > 0 ? ", " : "");
            used = add_value(request, used, map, field, j);
        }
        used = add_text(request, used, info->is_list ? "]" : "");
    }
    add_text(request, used, "}");
}

/* Reads the maps that the driver accepted, or all that have a rank and names. */
static bool read_pool(const char *path, bool accepted, struct pool *pool) {
    struct tma_tsv records;
    struct tma_error error = {0};
    if (tma_tsv_read(path, &records, &error) != TMA_OK) {
        fprintf(stderr, "%s\n", error.text);
        return false;
    }
    *pool = (struct pool){.maps = calloc(records.rows, sizeof *pool->maps),
                          .requests = calloc(records.rows, sizeof *pool->requests)};
    bool good = pool->maps != NULL && pool->requests != NULL;
    for (size_t row = 0; good && row < records.rows; row++) {
        struct tma_tensor_map *map = &pool->maps[pool->count];
        if (tma_map_record_read(&records, row, map, NULL) != TMA_OK || map->rank < 1 ||
            map->rank > TMA_MAX_RANK || (accepted && !tma_record_is_accepted(&records, row)))
            continue;
        write_request(map, pool->count, pool->requests[pool->count]);
        pool->count++;
    }
    tma_tsv_free(&records);
    return good;
}

static size_t check_all(const struct pool *pool) {
    size_t sum = 0;
    struct tma_violation violations[TMA_MAX_VIOLATIONS];
    for (size_t i = 0; i < pool->count; i++)
        sum += tma_tensor_map_check(&pool->maps[i], TMA_SM_90, violations, TMA_MAX_VIOLATIONS);
    return sum;
}

static size_t answer_all(const struct pool *pool, struct tma_service *service) {
    size_t sum = 0, length;
    for (size_t i = 0; i < pool->count; i++) {
        tma_service_answer(service, pool->requests[i], strlen(pool->requests[i]), &length);
        sum += length;
    }
    return sum;
}

enum { LEAST_SECONDS = 1 };

/* Seconds of one check, by the library alone and by the service. */
static void measure_checks(const char *name, const struct pool *pool, struct tma_service *service) {
    double each[2];
    size_t sum = 0;
    for (int served = 0; served < 2; served++) {
        size_t rounds = 0;
        double start = cpu_seconds(), elapsed;
        do {
            sum += served ? answer_all(pool, service) : check_all(pool);
            rounds++;
            elapsed = cpu_seconds() - start;
        } while (elapsed < LEAST_SECONDS);
        each[served] = elapsed / (double)(rounds * pool->count);
    }
    printf("%-16s %10.0f requests/s, %5.2f times the time of the check alone   (%zu maps, "
           "checksum %zu)\n",
           name, 1 / each[1], each[1] / each[0], pool->count, sum % 1000);
}

static const char run_request[] =
    "{\"op\": \"run\", \"file\": \"configs/scenarios/narrow_rows.yaml\", \"set\": "
    "[\"gpu=configs/gpus/h200.yaml\", \"workload.ctas=1\", \"workload.iterations=2\"]}";

/* Seconds of one run, by the library alone, of a scenario that is read once, and by the service. */
static bool measure_runs(struct tma_service *service) {
    static const char *const settings[] = {"gpu=configs/gpus/h200.yaml", "workload.ctas=1",
                                           "workload.iterations=2"};
    struct tma_diagnostics list = {0};
    struct tma_scenario scenario;
    struct tma_result *result = malloc(sizeof *result);
    bool good = result != NULL && tma_scenario_read("configs/scenarios/narrow_rows.yaml", settings,
                                                    3, &scenario, &list);
    double each[2] = {0};
    size_t length;
    for (int served = 0; served < 2 && good; served++) {
        size_t runs = 0;
        double start = cpu_seconds(), elapsed;
        do {
            if (served)
                good =
                    strstr(tma_service_answer(service, run_request, strlen(run_request), &length),
                           "\"cycles\"") != NULL;
            else
                good = tma_run(&scenario.machine, &scenario.workload, NULL, result, NULL) == TMA_OK;
            runs++;
            elapsed = cpu_seconds() - start;
        } while (good && elapsed < LEAST_SECONDS);
        each[served] = elapsed / (double)runs;
    }
    if (good)
        printf("%-16s %10.0f requests/s, %5.2f times the time of the run alone\n", "small runs",
               1 / each[1], each[1] / each[0]);
    tma_scenario_free(&scenario);
    tma_diagnostics_free(&list);
    free(result);
    return good;
}

int main(void) {
    static const char records[] = "tests/hardware/h200/encode.tsv";
    struct pool legal = {0}, all = {0};
    struct tma_service *service = tma_service_create();
    if (service != NULL)
        tma_service_allow_folder(service, "configs");
    bool good =
        service != NULL && read_pool(records, true, &legal) && read_pool(records, false, &all);
    if (good) {
        measure_checks("legal maps", &legal, service);
        measure_checks("all maps", &all, service);
        good = measure_runs(service);
    }
    tma_service_free(service);
    free(legal.maps);
    free(legal.requests);
    free(all.maps);
    free(all.requests);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
