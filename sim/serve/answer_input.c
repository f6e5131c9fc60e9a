#include "serve/answer_input.h"

#include <stdio.h>

#include "tensormap/architectures.h"
#include "tensormap/rules.h"

enum { TEXT_BYTES = 1200 };

bool tma_answer_fail(struct tma_request_error *error, enum tma_error_code code, const char *text) {
    error->code = code;
    error->field = "";
    error->position = 0;
    snprintf(error->text, sizeof error->text, "%s", text);
    return false;
}

bool tma_answer_architecture(const struct tma_request *request, int *architecture,
                             struct tma_request_error *error) {
    *architecture = TMA_SM_90;
    return tma_request_choice(request, TMA_REQUEST_ARCH, &tma_architecture_names, architecture,
                              error);
}

bool tma_answer_legal_map(const struct tma_request *request, struct tma_tensor_map *map,
                          struct tma_request_error *error) {
    struct tma_violation violation;
    char text[TEXT_BYTES];
    int architecture;
    if (!tma_answer_architecture(request, &architecture, error) ||
        !tma_request_map(request, map, error))
        return false;
    if (tma_tensor_map_check(map, (enum tma_architecture)architecture, &violation, 1) == 0)
        return true;
    tma_violation_text(&violation, text, sizeof text);
    tma_request_fail(error, request, violation.field, "%.400s", text);
    error->code = TMA_ERROR_TENSOR_MAP;
    return false;
}
