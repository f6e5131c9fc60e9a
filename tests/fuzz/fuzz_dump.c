/* Dumps of tensor maps in every form, and any 128 bytes: decoding never fails, and encoding a legal
 * map again gives the same bytes. */
#include "fuzz.h"
#include "tensormap/advice.h"
#include "tensormap/descriptor.h"
#include "tensormap/dump.h"
#include "tensormap/rules.h"

static void decode(const struct tma_descriptor *descriptor) {
    struct tma_tensor_map map;
    struct tma_finding findings[TMA_MAX_FINDINGS];
    char text[1200];
    size_t count = tma_descriptor_decode(descriptor, &map, findings, TMA_MAX_FINDINGS);
    FUZZ_ASSERT(count <= TMA_MAX_FINDINGS);
    for (size_t i = 0; i < count; i++)
        tma_finding_text(&findings[i], text, sizeof text);
    for (int architecture = TMA_SM_90; architecture <= TMA_SM_120; architecture *= 2) {
        struct tma_violation violations[TMA_MAX_VIOLATIONS];
        size_t illegal = tma_tensor_map_check(&map, (enum tma_architecture)architecture, violations,
                                              TMA_MAX_VIOLATIONS);
        for (size_t i = 0; i < illegal; i++) {
            text[0] = '\0';
            tma_violation_text(&violations[i], text, sizeof text);
            FUZZ_ASSERT(text[0] != '\0');
        }
        if (illegal > 0)
            continue;
        struct tma_advice advice[TMA_MAX_ADVICE];
        struct tma_descriptor again;
        tma_tensor_map_advise(&map, (enum tma_architecture)architecture, NULL, advice,
                              TMA_MAX_ADVICE);
        tma_descriptor_encode(&map, &again);
        if (count == 0)
            FUZZ_ASSERT(memcmp(&again, descriptor, sizeof again) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct tma_descriptor descriptor;
    struct tma_error error = {0};
    enum tma_dump_format format;
    if (tma_dump_read((const char *)data, size, &descriptor, &format, &error) == TMA_OK) {
        if (tma_descriptor_recognise(&descriptor, &error) == TMA_OK)
            decode(&descriptor);
    } else
        FUZZ_ASSERT(error.text[0] != '\0');
    uint8_t bytes[TMA_DESCRIPTOR_BYTES] = {0};
    memcpy(bytes, data, size < sizeof bytes ? size : sizeof bytes);
    tma_descriptor_from_bytes(&descriptor, bytes);
    decode(&descriptor);
    return 0;
}
