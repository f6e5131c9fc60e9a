#include <inttypes.h>

#include "engine/roles/mma.h"
#include "engine/roles/program_cursor.h"

/* An operand while it is checked. */
struct operand_check {
    const struct tma_kernel *kernel;
    const struct tma_statement *product;
    const struct tma_mma_operand *operand;
    const char *name;                 /* "a" */
    uint32_t element_bits;            /* of the product's type */
    uint32_t most_mn;                 /* elements of M or N that one wgmma takes */
    int64_t mn, k;                    /* of the product; -1: varies */
    int64_t first[2];                 /* element of the tile with which it begins; -1: varies */
    const struct tma_statement *load; /* the first one into the place; NULL: none */
    uint32_t end;        /* of the loads in the place, whose offsets do not vary; else its size */
    struct tma_tile box; /* of that load, in stage 0 */
    uint32_t boxes;      /* of that size, for which the place has room */
    struct tma_error *error;
};

/* Whether the elements of a map are what a product of this type reads. *expected says what is. */
static bool takes_type(enum tma_mma_type type, enum tma_data_type element, const char **expected) {
    switch (type) {
    case TMA_MMA_HALF:
        *expected = "float16 or bfloat16";
        return element == TMA_FLOAT16 || element == TMA_BFLOAT16;
    case TMA_MMA_TF32:
        *expected = "float32 or tfloat32";
        return element == TMA_FLOAT32 || element == TMA_FLOAT32_FTZ || element == TMA_TFLOAT32 ||
               element == TMA_TFLOAT32_FTZ;
    case TMA_MMA_BYTE:
        *expected = "uint8, which stands for all types of 8 bits, or a padded type of 4 or 6 bits";
        return element == TMA_UINT8 || element == TMA_16U4_ALIGN16B || element == TMA_16U6_ALIGN16B;
    case TMA_MMA_NIBBLE:
        *expected = "16u4_align8b";
        return element == TMA_16U4_ALIGN8B;
    case TMA_MMA_FP64:
        *expected = "float64";
        return element == TMA_FLOAT64;
    case TMA_MMA_TYPE_COUNT:
        break;
    }
    return false;
}

static const char *place_name(const struct operand_check *check) {
    const struct tma_shared_place *place = &check->operand->place;
    return place->kind == TMA_PLACE_RING ? check->kernel->rings[place->index].name
                                         : check->kernel->buffers[place->index].name;
}

/* Whether a role fills the ring itself: then nothing is known of its tiles. */
static bool is_signalled(const struct tma_kernel *kernel, uint32_t ring) {
    for (uint32_t i = 0; i < kernel->statement_count; i++)
        if (kernel->statements[i].kind == TMA_STATEMENT_SIGNAL &&
            kernel->statements[i].ring == ring)
            return true;
    return false;
}

/* Finds the loads into the place, which have one type and one kind of rows. */
static enum tma_error_code find_boxes(struct operand_check *check) {
    const struct tma_kernel *kernel = check->kernel;
    const struct tma_shared_place *place = &check->operand->place;
    const char *expected = "";
    for (uint32_t i = 0; i < kernel->statement_count; i++) {
        const struct tma_statement *load = &kernel->statements[i];
        struct tma_tile box;
        if (load->kind != TMA_STATEMENT_OPERATION || load->operation.direction != TMA_LOAD ||
            load->ring != place->index || load->map >= kernel->map_count ||
            load->operation.shared_address < place->offset_bytes ||
            load->operation.shared_address - place->offset_bytes >= place->bytes)
            continue;
        enum tma_data_type type = kernel->maps[load->map].data_type;
        if (!takes_type(check->product->type, type, &expected))
            return tma_fail(check->error, TMA_ERROR_ARGUMENT,
                            "%s of the mma is loaded into ring %s with elements of type %s; a "
                            "product of its type takes %s",
                            check->name, place_name(check),
                            tma_name_of(&tma_data_type_names, (int)type), expected);
        enum tma_error_code code = tma_statement_tile(kernel, load, 0, &box, check->error);
        if (code != TMA_OK)
            return code;
        int64_t offset;
        uint64_t end = load->operation.shared_address - place->offset_bytes +
                       (uint64_t)box.rows * box.pitch_bytes;
        if (!tma_value_is_constant(&load->shared_offset, &offset) || offset < 0 ||
            end + (uint64_t)offset > place->bytes)
            check->end = place->bytes;
        else if (end + (uint64_t)offset > check->end)
            check->end = (uint32_t)(end + (uint64_t)offset);
        if (check->load == NULL) {
            check->load = load;
            check->box = box;
        } else if (box.swizzle != check->box.swizzle || box.row_bytes != check->box.row_bytes ||
                   box.pitch_bytes != check->box.pitch_bytes) {
            return tma_fail(check->error, TMA_ERROR_ARGUMENT,
                            "%s of the mma has boxes with rows of %u and of %u bytes, or of "
                            "different swizzles, in ring %s; expected boxes of one kind",
                            check->name, check->box.row_bytes, box.row_bytes, place_name(check));
        }
    }
    if (check->load == NULL && !is_signalled(kernel, place->index))
        return tma_fail(check->error, TMA_ERROR_ARGUMENT,
                        "%s of the mma is in a stage of ring %s, at offset %u, where no load puts "
                        "a tile",
                        check->name, place_name(check), place->offset_bytes);
    return TMA_OK;
}

/* What nothing is known of has room for the elements at least. */
static enum tma_error_code check_size(const struct operand_check *check) {
    const struct tma_shared_place *place = &check->operand->place;
    if (check->mn < 0 || check->k < 0)
        return TMA_OK;
    uint64_t bytes = ((uint64_t)check->mn * (uint64_t)check->k * check->element_bits + 7) / 8;
    if (bytes <= place->bytes)
        return TMA_OK;
    return tma_fail(check->error, TMA_ERROR_ARGUMENT,
                    "%s of the mma has %" PRId64 " x %" PRId64 " elements, %" PRIu64
                    " bytes; its place in %s has %u",
                    check->name, check->mn, check->k, bytes, place_name(check), place->bytes);
}

/* The tile that the boxes make: panels beside each other, each of all rows. */
struct panels {
    uint32_t count, rows; /* panels, and rows of each */
};

/* Panels of the tile: as many as the product is wide. */
static enum tma_error_code find_panels(const struct operand_check *check, struct panels *panels) {
    bool mn_major = check->operand->mn_major;
    uint64_t columns = check->box.row_bytes / check->box.element_bytes;
    uint64_t rows = (uint64_t)check->boxes * check->box.rows;
    uint64_t width = (uint64_t)(mn_major ? check->mn : check->k) + (uint64_t)check->first[0];
    uint64_t height = (uint64_t)(mn_major ? check->k : check->mn) + (uint64_t)check->first[1];
    uint64_t count = (width + columns - 1) / columns;
    count = count > 0 ? count : 1;
    if (count <= check->boxes && rows % count == 0 && rows / count >= height &&
        rows / count % check->box.rows == 0) {
        *panels = (struct panels){(uint32_t)count, (uint32_t)(rows / count)};
        return TMA_OK;
    }
    return tma_fail(check->error, TMA_ERROR_ARGUMENT,
                    "%s of the mma is %" PRIu64 " rows of %" PRIu64
                    " elements (%s-major, %s x %s); "
                    "its tile in ring %s is %u box%s of %u rows of %" PRIu64 " elements",
                    check->name, height, width, mn_major ? "MN" : "K", mn_major ? "k" : "mn",
                    mn_major ? "mn" : "k", place_name(check), check->boxes,
                    check->boxes == 1 ? "" : "es", check->box.rows, columns);
}

/* The most elements of M or N of one wgmma that divide an extent. */
static uint32_t step_of(uint64_t extent, uint32_t most) {
    uint32_t step = most;
    while (step > 8 && extent % step != 0)
        step -= 8;
    return step;
}

/* Whether wgmma can read the tile in each stage: addresses differ, and with them the swizzle. */
static enum tma_error_code check_layout(const struct operand_check *check,
                                        const struct panels *panels) {
    const struct tma_ring *ring = &check->kernel->rings[check->operand->place.index];
    const uint32_t period = 1024; /* of all swizzles, in bytes */
    bool mn_major = check->operand->mn_major;
    uint64_t columns = (uint64_t)panels->count * check->box.row_bytes / check->box.element_bytes;
    uint32_t stages = ring->stage_bytes % period == 0 ? 1 : ring->depth;
    const struct tma_wgmma_operand operand = {
        .mn = step_of(mn_major ? columns : panels->rows, check->most_mn),
        .panel_rows = panels->rows,
        .mn_major = mn_major};
    for (uint32_t s = 0; s < stages; s++) {
        struct tma_tile tile = check->box;
        struct tma_wgmma_walk walk;
        struct tma_error why;
        tile.shared_address += s * ring->stage_bytes;
        tile.rows = panels->count * panels->rows;
        if (tma_wgmma_check(&operand, &tile, &walk, &why) != TMA_OK)
            return tma_fail(check->error, TMA_ERROR_ARGUMENT, "%s of the mma: %s", check->name,
                            why.text);
    }
    return TMA_OK;
}

static enum tma_error_code check_operand(struct operand_check *check) {
    const struct tma_shared_place *place = &check->operand->place;
    enum tma_error_code code = TMA_OK;
    struct panels panels = {0};
    if (place->kind == TMA_PLACE_RING)
        code = find_boxes(check);
    if (code == TMA_OK)
        code = check_size(check);
    if (code != TMA_OK || check->load == NULL || check->mn < 0 || check->k < 0 ||
        check->first[0] < 0 || check->first[1] < 0 || check->box.element_bytes == 0)
        return code;
    check->boxes = check->end / (check->box.rows * check->box.pitch_bytes);
    code = find_panels(check, &panels);
    return code == TMA_OK && check->product->type != TMA_MMA_FP64 ? check_layout(check, &panels)
                                                                  : code;
}

static int64_t constant_of(const struct tma_value *value) {
    int64_t constant;
    return tma_value_is_constant(value, &constant) && constant >= 0 ? constant : -1;
}

enum tma_error_code tma_mma_check_operands(const struct tma_kernel *kernel,
                                           const struct tma_statement *statement,
                                           struct tma_error *error) {
    enum tma_error_code code = TMA_OK;
    for (int o = 0; o < TMA_MMA_OPERANDS && code == TMA_OK; o++) {
        const struct tma_mma_operand *operand = &statement->operands[o];
        struct operand_check check = {
            .kernel = kernel,
            .product = statement,
            .operand = operand,
            .name = o == TMA_MMA_A ? "a" : "b",
            .element_bits = tma_mma_element_bits(statement->type),
            .most_mn = o == TMA_MMA_A ? TMA_MMA_ROWS : TMA_MMA_COLUMNS,
            .mn = constant_of(&statement->amount[o == TMA_MMA_A ? 0 : 1]),
            .k = constant_of(&statement->amount[2]),
            .first = {constant_of(&operand->at[0]), constant_of(&operand->at[1])},
            .error = error};
        if (operand->place.kind != TMA_PLACE_UNNAMED)
            code = check_operand(&check);
    }
    return code;
}
