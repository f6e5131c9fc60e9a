#include "banks/operation_tile.h"
#include "banks/shared_instruction.h"
#include "placement/operation_architecture.h"
#include "placement/operation_words.h"
#include "placement/reduction.h"
#include "serve/answers.h"

static const struct tma_names access_names =
    TMA_NAMES("access", {"tile", TMA_ACCESS_TILE}, {"gather4", TMA_ACCESS_GATHER4},
              {"im2col", TMA_ACCESS_IM2COL}, {"im2col_w", TMA_ACCESS_IM2COL_W},
              {"im2col_w128", TMA_ACCESS_IM2COL_W128});

/* Checks that the numbers of a key lie in a range. */
static bool check_range(const struct tma_request *request, unsigned key, int64_t least,
                        int64_t most, struct tma_request_error *error) {
    for (uint32_t i = 0; i < request->values[key].count; i++)
        if (request->numbers[key][i] < least || request->numbers[key][i] > most)
            return tma_request_fail(error, request, key, "%s is %lld; allowed: %lld to %lld",
                                    tma_request_key_name(key), (long long)request->numbers[key][i],
                                    (long long)least, (long long)most);
    return true;
}

static int64_t number_of(const struct tma_request *request, unsigned key) {
    return tma_request_has(request, key) ? request->numbers[key][0] : 0;
}

static bool read_ranges(const struct tma_request *request, struct tma_request_error *error) {
    return check_range(request, TMA_REQUEST_COORDINATES, INT32_MIN, INT32_MAX, error) &&
           check_range(request, TMA_REQUEST_OFFSETS, 0, UINT16_MAX, error) &&
           check_range(request, TMA_REQUEST_HALO, 0, UINT16_MAX, error) &&
           check_range(request, TMA_REQUEST_OFFSET, INT16_MIN, INT16_MAX, error) &&
           check_range(request, TMA_REQUEST_SHARED, 0, UINT32_MAX, error) &&
           check_range(request, TMA_REQUEST_BYTE, 0, UINT32_MAX, error) &&
           check_range(request, TMA_REQUEST_STRIDE, 0, UINT32_MAX, error);
}

bool tma_answer_operation(const struct tma_request *request, const struct tma_tensor_map *map,
                          struct tma_operation *operation, struct tma_request_error *error) {
    int direction = TMA_LOAD, access = (int)tma_access_of_kind(map->kind),
        reduction = TMA_REDUCE_ADD;
    if (!tma_request_choice(request, TMA_REQUEST_DIRECTION, &tma_direction_names, &direction,
                            error) ||
        !tma_request_choice(request, TMA_REQUEST_ACCESS, &access_names, &access, error) ||
        !tma_request_choice(request, TMA_REQUEST_REDUCTION, &tma_reduction_names, &reduction,
                            error) ||
        !read_ranges(request, error))
        return false;
    *operation = (struct tma_operation){
        .direction = (enum tma_direction)direction,
        .access = (enum tma_access_mode)access,
        .reduction = (enum tma_reduction)reduction,
        .w_halo = (uint16_t)number_of(request, TMA_REQUEST_HALO),
        .w_offset = (int16_t)number_of(request, TMA_REQUEST_OFFSET),
        .shared_address = (uint32_t)number_of(request, TMA_REQUEST_SHARED),
    };
    uint32_t given = request->values[TMA_REQUEST_COORDINATES].count;
    uint32_t wanted = access == TMA_ACCESS_GATHER4 ? 5 : map->rank;
    if (given != 0 && given != wanted)
        return tma_request_fail(error, request, TMA_REQUEST_COORDINATES,
                                "coordinates has length %u; expected %u", given, wanted);
    for (uint32_t i = 0; i < given; i++)
        operation->coordinates[i] = (int32_t)request->numbers[TMA_REQUEST_COORDINATES][i];
    for (uint32_t i = 0; i < request->values[TMA_REQUEST_OFFSETS].count; i++)
        operation->im2col_offsets[i] = (uint16_t)request->numbers[TMA_REQUEST_OFFSETS][i];
    return true;
}

bool tma_answer_placement(const struct tma_request *request, struct tma_tensor_map *map,
                          struct tma_operation *operation, struct tma_operation_size *size,
                          struct tma_request_error *error) {
    struct tma_row_stream rows;
    struct tma_error why = {0};
    int architecture;
    if (!tma_request_architecture(request, &architecture, error) ||
        !tma_request_legal_map(request, map, error) ||
        !tma_answer_operation(request, map, operation, error))
        return false;
    if (tma_rows_begin(&rows, map, operation, size, &why) != TMA_OK ||
        tma_operation_architecture_check(map, operation, (enum tma_architecture)architecture,
                                         &why) != TMA_OK)
        return tma_request_fail_whole(error, why.code, why.text);
    return true;
}

bool tma_answer_consumer(const struct tma_request *request, struct tma_consumer *consumer,
                         struct tma_request_error *error) {
    int instruction = TMA_LD_SHARED_B128, lanes = TMA_LANES_ROW;
    if (!tma_request_choice(request, TMA_REQUEST_INSTRUCTION, &tma_shared_instruction_names,
                            &instruction, error) ||
        !tma_request_choice(request, TMA_REQUEST_LANES, &tma_lane_map_names, &lanes, error))
        return false;
    if (lanes == TMA_LANES_DISTRIBUTION || lanes == TMA_LANES_DESCRIPTOR)
        return tma_request_fail(error, request, TMA_REQUEST_LANES,
                                "requests do not take these lanes; use a scenario");
    *consumer = (struct tma_consumer){
        .instruction = (enum tma_shared_instruction)instruction,
        .lanes = (enum tma_lane_map)lanes,
        .stride = (uint32_t)number_of(request, TMA_REQUEST_STRIDE),
        .transposed = number_of(request, TMA_REQUEST_TRANSPOSED) != 0,
        .repeat = 1,
    };
    return true;
}

enum tma_error_code tma_answer_consumed_tile(const struct tma_tensor_map *map,
                                             const struct tma_operation *operation,
                                             const struct tma_consumer *consumer,
                                             struct tma_tile *tile, struct tma_error *error) {
    enum tma_error_code code = tma_operation_tile(map, operation, tile, error);
    return code == TMA_OK ? tma_consumer_check(consumer, tile, error) : code;
}
