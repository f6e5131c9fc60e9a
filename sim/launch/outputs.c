/* The bytes after a launch against those expected. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/allocation.h"
#include "launch/launch_reader.h"
#include "launch/prepared.h"

/* What the approximate instructions of a kernel may add up to, in units of the last place of its
 * results. */
static const double approximate_ulp = 2;

/* With a tolerance of so many units an element is right within an absolute error or a relative one:
 * sines, cosines and logarithms have no relative one near their zeros (PTX ISA 9.7.3), and a large
 * logarithm has units above the absolute one. */
static const double absolute_ulp = 1e9;
static const double absolute_error = 1e-6;
static const double relative_error = 0x1p-22;

static bool is_close(const struct tma_launch_buffer *buffer, double tolerance, const uint8_t *got,
                     const uint8_t *want) {
    double ulp = tma_element_distance(buffer->compared, got, want);
    if (ulp == 0 || tolerance < absolute_ulp)
        return ulp <= tolerance;
    double expected = tma_element_number(buffer->compared, want);
    double difference = fabs(tma_element_number(buffer->compared, got) - expected);
    return difference <= fmax(absolute_error, relative_error * fabs(expected));
}

static void compare(const struct tma_launch_buffer *buffer, double tolerance, const uint8_t *got,
                    const uint8_t *want, struct tma_output_difference *difference) {
    uint64_t found = 0, pitch = buffer->compared_pitch;
    uint32_t bytes = tma_element_bytes(buffer->compared);
    for (uint64_t at = 0; at + bytes <= buffer->bytes; at += pitch) {
        if (is_close(buffer, tolerance, got + at, want + at))
            continue;
        if (difference->elements + found++ == 0) {
            char is[TMA_ELEMENT_TEXT_BYTES], expected[TMA_ELEMENT_TEXT_BYTES];
            tma_element_text(buffer->compared, got + at, is);
            tma_element_text(buffer->compared, want + at, expected);
            snprintf(difference->first, sizeof difference->first,
                     "buffer %.100s, element %" PRIu64 ": %s, expected %s", buffer->name,
                     at / pitch, is, expected);
        }
    }
    difference->buffers++;
    difference->different += found > 0;
    difference->elements += found;
}

/* An element that the launch left opaque is not known, so that it does not agree. */
static bool all_known(const struct tma_launch_buffer *buffer, const struct tma_ptx_buffer *memory,
                      struct tma_diagnostics *list) {
    bool known = memory->contents != NULL;
    for (uint64_t i = 0; memory->opaque != NULL && i < (memory->size + 7) / 8; i++)
        known = known && memory->opaque[i] == 0;
    return known ||
           tma_diagnose(
               list, TMA_ERROR_ARGUMENT, buffer->expect_at,
               "buffer %s cannot be compared: it has opaque data; give the contents of the "
               "buffers that it is computed from",
               buffer->name);
}

bool tma_compare_outputs(const struct tma_prepared *prepared,
                         struct tma_output_difference *difference, struct tma_diagnostics *list) {
    size_t before = tma_diagnostics_total(list);
    *difference = (struct tma_output_difference){0};
    for (size_t i = 0; i < prepared->launch->buffer_count; i++) {
        const struct tma_launch_buffer *buffer = &prepared->launch->buffers[i];
        const struct tma_ptx_buffer *memory = &prepared->execution.buffers[i];
        if (buffer->expect == NULL || !all_known(buffer, memory, list))
            continue;
        uint8_t *want = tma_launch_bytes(prepared->launch, buffer->expect, "outputs", buffer->bytes,
                                         true, buffer->expect_at, list);
        double tolerance = buffer->tolerance_ulp >= 0 ? buffer->tolerance_ulp
                           : prepared->approximate    ? approximate_ulp
                                                      : 0;
        if (want != NULL)
            compare(buffer, tolerance, memory->contents, want, difference);
        tma_release(want);
    }
    return tma_diagnostics_total(list) == before;
}
