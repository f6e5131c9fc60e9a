/* tma_operation_check: arguments that the map's mode lacks, values out of range, and faults that
 * stop a kernel, each with its error code and text. */
#include "placement/operation_check.h"
#include "suite.h"

/* The valid operations to start from. */
enum base { TILE, IM2COL, WIDE };

/* A change to a valid operation, and the check's verdict. */
struct change {
    const char *name;
    enum base base;
    void (*apply)(struct tma_tensor_map *map, struct tma_operation *operation);
    enum tma_error_code code;
    const char *text; /* empty if the operation stays valid */
};

/* Fills in a valid operation on a float16 tensor with C = 64, W = 9, H = 14, N = 4. */
static void set_base(enum base base, struct tma_tensor_map *map, struct tma_operation *operation) {
    static const enum tma_map_kind kinds[] = {TMA_MAP_TILED, TMA_MAP_IM2COL, TMA_MAP_IM2COL_W};
    static const enum tma_access_mode modes[] = {TMA_ACCESS_TILE, TMA_ACCESS_IM2COL,
                                                 TMA_ACCESS_IM2COL_W};
    *map = (struct tma_tensor_map){.kind = kinds[base],
                                   .data_type = TMA_FLOAT16,
                                   .rank = 4,
                                   .global_dim = {64, 9, 14, 4, 1},
                                   .global_strides = {128, 1152, 16128},
                                   .box_dim = {64, 3, 3, 1},
                                   .element_strides = {1, 1, 1, 1, 1},
                                   .swizzle = TMA_SWIZZLE_128B,
                                   .lower_corner = {0, 0},
                                   .upper_corner = {-1, -2},
                                   .channels_per_pixel = 64,
                                   .pixels_per_column = 32};
    *operation = (struct tma_operation){.access = modes[base], .coordinates = {0, 2, 3, 1}};
}

/* Defines a function that changes the map or the operation. */
#define CHANGE(name, statement)                                                                    \
    static void name(struct tma_tensor_map *map, struct tma_operation *operation) {                \
        (void)map;                                                                                 \
        (void)operation;                                                                           \
        statement;                                                                                 \
    }

CHANGE(nothing, )
CHANGE(other_mode, operation->access = TMA_ACCESS_IM2COL)
CHANGE(bad_mode, operation->access = (enum tma_access_mode)9)
CHANGE(bad_direction, operation->direction = (enum tma_direction)4)
CHANGE(rank_2, map->rank = 2)
CHANGE(gather_rank_4, operation->access = TMA_ACCESS_GATHER4)
CHANGE(gather_box, (operation->access = TMA_ACCESS_GATHER4, map->rank = 2))
CHANGE(gather_right, (operation->access = TMA_ACCESS_GATHER4, map->rank = 2, map->box_dim[1] = 1))
CHANGE(wide_interleave, map->interleave = TMA_INTERLEAVE_16B)
CHANGE(wide_unswizzled, map->swizzle = TMA_SWIZZLE_NONE)
CHANGE(wide_flip, map->swizzle = TMA_SWIZZLE_128B_ATOM_32B_FLIP_8B)
CHANGE(store, operation->direction = TMA_STORE)
CHANGE(reduce_gather, (gather_right(map, operation), operation->direction = TMA_REDUCE))
CHANGE(halo_511, operation->w_halo = 511)
CHANGE(halo_512, operation->w_halo = 512)
CHANGE(w_offset_31, operation->w_offset = 31)
CHANGE(w_offset_32, operation->w_offset = 32)
CHANGE(w_offset_minus_1, operation->w_offset = -1)
CHANGE(to_w128, (map->kind = TMA_MAP_IM2COL_W128, operation->access = TMA_ACCESS_IM2COL_W128))
CHANGE(w128_halo_31, (to_w128(map, operation), operation->w_halo = 31))
CHANGE(w128_halo_32, (to_w128(map, operation), operation->w_halo = 32))
CHANGE(w128_no_pixels, (to_w128(map, operation), map->pixels_per_column = 0))
CHANGE(w128_1025_pixels, (to_w128(map, operation), map->pixels_per_column = 1025))
CHANGE(six_bits,
       (map->data_type = TMA_16U6_ALIGN16B, map->box_dim[0] = 128, map->global_dim[0] = 256))
CHANGE(four_bits, (six_bits(map, operation), map->data_type = TMA_16U4_ALIGN16B))
CHANGE(six_bits_64, (six_bits(map, operation), operation->coordinates[0] = 64))
CHANGE(six_bits_128, (six_bits(map, operation), operation->coordinates[0] = 128))
CHANGE(six_bits_store_64, (six_bits_64(map, operation), operation->direction = TMA_STORE))
CHANGE(six_bits_store_32, (six_bits_store_64(map, operation), operation->coordinates[0] = 32))
CHANGE(four_bits_32, (four_bits(map, operation), operation->coordinates[0] = 32))
CHANGE(four_bits_128, (four_bits(map, operation), operation->coordinates[0] = 128))
CHANGE(six_bits_atom, (six_bits(map, operation), map->swizzle = TMA_SWIZZLE_128B_ATOM_64B))
CHANGE(six_bits_atom_store, (six_bits_atom(map, operation), operation->direction = TMA_STORE))
CHANGE(six_bits_half, (six_bits(map, operation), map->box_dim[0] = 64))
CHANGE(six_bits_half_store, (six_bits_half(map, operation), operation->direction = TMA_STORE))
CHANGE(six_bits_rank_5, (six_bits(map, operation), map->rank = 5, map->box_dim[4] = 1,
                         map->global_strides[3] = 1 << 20))
CHANGE(six_bits_unused, (six_bits(map, operation), map->global_strides[3] = 16))
CHANGE(six_bits_last, (six_bits_rank_5(map, operation), map->global_strides[3] += 16))
CHANGE(six_bits_stride, (six_bits(map, operation), map->global_strides[0] = 112))
CHANGE(store_multicast, (operation->direction = TMA_STORE, operation->cta_mask = 1))
CHANGE(load_flip, map->swizzle = TMA_SWIZZLE_128B_ATOM_32B_FLIP_8B)
CHANGE(store_flip, (load_flip(map, operation), operation->direction = TMA_STORE))
CHANGE(shared_64, operation->shared_address = 64)
CHANGE(prefetch_64, (shared_64(map, operation), operation->direction = TMA_PREFETCH))
CHANGE(offset_255, operation->im2col_offsets[1] = 255)
CHANGE(offset_256, operation->im2col_offsets[1] = 256)
CHANGE(offset_rank_5, (map->rank = 5, operation->im2col_offsets[0] = 32))
CHANGE(column_7, operation->coordinates[0] = 7)
CHANGE(column_minus_8, operation->coordinates[0] = -8)
CHANGE(base_right, operation->coordinates[1] = 8)
CHANGE(base_last, operation->coordinates[1] = 7)
CHANGE(base_left, operation->coordinates[1] = -1)
CHANGE(base_below, operation->coordinates[2] = 12)
CHANGE(no_box, map->lower_corner[0] = 8)
CHANGE(store_left, (operation->direction = TMA_STORE, operation->coordinates[3] = -1))
CHANGE(store_lower, (operation->direction = TMA_STORE, map->lower_corner[1] = -1))
CHANGE(store_upper, (operation->direction = TMA_STORE, map->upper_corner[0] = 1))
CHANGE(add_f64,
       (operation->direction = TMA_REDUCE, map->box_dim[0] = 8, map->data_type = TMA_FLOAT64))
CHANGE(and_s64, (operation->direction = TMA_REDUCE, map->box_dim[0] = 8,
                 operation->reduction = TMA_REDUCE_AND, map->data_type = TMA_INT64))
CHANGE(min_s64, (operation->direction = TMA_REDUCE, map->box_dim[0] = 8,
                 operation->reduction = TMA_REDUCE_MIN, map->data_type = TMA_INT64))

CHANGE(wide_rows, (map->swizzle = TMA_SWIZZLE_96B))
CHANGE(rows_of_96, (map->swizzle = TMA_SWIZZLE_96B, map->box_dim[0] = 48))
CHANGE(no_type, map->data_type = (enum tma_data_type)99)
CHANGE(no_swizzle, map->swizzle = (enum tma_swizzle)8)
CHANGE(stride_0, map->element_strides[2] = 0)
CHANGE(box_257, map->box_dim[1] = 257)
CHANGE(no_pixels, map->pixels_per_column = 0)

static const struct change changes[] = {
    {"a tile", TILE, nothing, TMA_OK, ""},
    {"an im2col column", IM2COL, nothing, TMA_OK, ""},
    {"an im2col::w row", WIDE, nothing, TMA_OK, ""},
    {"another mode", TILE, other_mode, TMA_ERROR_ARGUMENT,
     "im2col walks a tensor map of kind im2col; this one is tiled"},
    {"no mode", TILE, bad_mode, TMA_ERROR_ARGUMENT, "access mode is 9; allowed: 0 to 4"},
    {"no direction", TILE, bad_direction, TMA_ERROR_ARGUMENT, "direction is 4; allowed: 0 to 3"},
    {"rank of im2col", IM2COL, rank_2, TMA_ERROR_ARGUMENT,
     "im2col has rank 3 to 5; the tensor map's rank is 2"},
    {"rank of gather4", TILE, gather_rank_4, TMA_ERROR_ARGUMENT,
     "tile::gather4/scatter4 has rank 2 to 2; the tensor map's rank is 4"},
    {"box of gather4", TILE, gather_box, TMA_ERROR_ARGUMENT,
     "tile::gather4/scatter4: box_dim[1] is 3; must be 1"},
    {"gather4", TILE, gather_right, TMA_OK, ""},
    {"im2col::w interleaved", WIDE, wide_interleave, TMA_ERROR_ARGUMENT,
     "im2col::w: interleave is 16b; must be none"},
    {"im2col::w unswizzled", WIDE, wide_unswizzled, TMA_ERROR_ARGUMENT,
     "im2col::w: swizzle is none; must not be none nor flip 8 bytes"},
    {"im2col::w flipped", WIDE, wide_flip, TMA_ERROR_ARGUMENT,
     "im2col::w: swizzle is 128b_atom_32b_flip_8b; must not be none nor flip 8 bytes"},
    {"im2col::w stored", WIDE, store, TMA_ERROR_ARGUMENT,
     "im2col::w has loads and prefetches, no stores"},
    {"store", TILE, store, TMA_OK, ""},
    {"scatter4 reduction", TILE, reduce_gather, TMA_ERROR_ARGUMENT,
     "tile::scatter4 has no reductions: they have tile and im2col_no_offs only"},
    {"halo of 511", WIDE, halo_511, TMA_OK, ""},
    {"halo of 512", WIDE, halo_512, TMA_ERROR_ARGUMENT,
     "im2col::w: wHalo is 512; allowed: 0 to 511"},
    {"offset of 31", WIDE, w_offset_31, TMA_OK, ""},
    {"offset of 32", WIDE, w_offset_32, TMA_ERROR_ARGUMENT,
     "im2col::w: wOffset is 32; allowed: 0 to 31"},
    {"offset of -1", WIDE, w_offset_minus_1, TMA_ERROR_ARGUMENT,
     "im2col::w: wOffset is -1; allowed: 0 to 31"},
    {"halo of 31, 128 pixels", WIDE, w128_halo_31, TMA_OK, ""},
    {"halo of 32, 128 pixels", WIDE, w128_halo_32, TMA_ERROR_ARGUMENT,
     "im2col::w::128: wHalo is 32; allowed: 0 to 31"},
    {"128 pixels, not 0", WIDE, w128_no_pixels, TMA_OK, ""},
    {"128 pixels, not 1025", WIDE, w128_1025_pixels, TMA_OK, ""},
    {"6 bits", TILE, six_bits, TMA_OK, ""},
    {"6 bits at 64", TILE, six_bits_64, TMA_ERROR_ARGUMENT,
     "coordinate 0 is 64; for 16u6_align16b it must be a multiple of 128 (PTX ISA, Restriction on "
     "Tensor Copy instructions)"},
    {"6 bits at 128", TILE, six_bits_128, TMA_OK, ""},
    {"6 bits stored at 64", TILE, six_bits_store_64, TMA_OK, ""},
    {"6 bits stored at 32", TILE, six_bits_store_32, TMA_ERROR_ARGUMENT,
     "coordinate 0 is 32; for 16u6_align16b it must be a multiple of 64 (PTX ISA, Restriction on "
     "Tensor Copy instructions)"},
    {"4 bits at 32", TILE, four_bits_32, TMA_ERROR_ARGUMENT,
     "coordinate 0 is 32; for 16u4_align16b it must be a multiple of 128 (PTX ISA, Restriction on "
     "Tensor Copy instructions)"},
    {"4 bits at 128", TILE, four_bits_128, TMA_OK, ""},
    {"6 bits, atom of 64", TILE, six_bits_atom, TMA_ERROR_ARGUMENT,
     "swizzle is 128b_atom_64b; for 16u6_align16b the driver's page lists it for stores only (PTX "
     "ISA allows 128b_atom_64b for loads, too)"},
    {"6 bits stored, atom of 64", TILE, six_bits_atom_store, TMA_OK, ""},
    {"half a row of 6 bits", TILE, six_bits_half, TMA_ERROR_ARGUMENT,
     "rows of 16u6_align16b have 64 of 256 elements; loads need 128 of a multiple of 128"},
    {"half a row of 6 bits stored", TILE, six_bits_half_store, TMA_OK, ""},
    {"strides of 6 bits in rank 5", TILE, six_bits_rank_5, TMA_OK, ""},
    {"stride of 6 bits past the rank", TILE, six_bits_unused, TMA_OK, ""},
    {"last stride of 6 bits", TILE, six_bits_last, TMA_ERROR_ARGUMENT,
     "the address or a stride of 16u6_align16b is not a multiple of 32 bytes; loads need that"},
    {"stride of 6 bits", TILE, six_bits_stride, TMA_ERROR_ARGUMENT,
     "the address or a stride of 16u6_align16b is not a multiple of 32 bytes; loads need that"},
    {"multicast store", TILE, store_multicast, TMA_ERROR_ARGUMENT,
     "cta_mask is 0x1; must be 0: only loads are multicast"},
    {"flip, loaded", TILE, load_flip, TMA_OK, ""},
    {"flip, stored", TILE, store_flip, TMA_ERROR_ARGUMENT,
     "swizzle is 128b_atom_32b_flip_8b; it is legal for loads into shared memory only"},
    {"shared memory at 64", TILE, shared_64, TMA_ERROR_ARGUMENT,
     "shared address is 0x40; must be a multiple of 128 bytes"},
    {"prefetch at 64", TILE, prefetch_64, TMA_OK, ""},
    {"offset 255", IM2COL, offset_255, TMA_OK, ""},
    {"offset 256", IM2COL, offset_256, TMA_ERROR_ARGUMENT,
     "im2col offset 1 is 256; allowed: 0 to 255 for rank 4"},
    {"offset 32", IM2COL, offset_rank_5, TMA_ERROR_ARGUMENT,
     "im2col offset 0 is 32; allowed: 0 to 31 for rank 5"},
    {"14 bytes", TILE, column_7, TMA_ERROR_FAULT,
     "coordinate 0 is 7: times 16 bits of float16 it must be a multiple of 16 bytes"},
    {"-16 bytes", TILE, column_minus_8, TMA_OK, ""},
    {"right of the box", IM2COL, base_right, TMA_ERROR_FAULT,
     "coordinate 1 is 8: the im2col bounding box reaches from 0 to 7"},
    {"last of the box", IM2COL, base_last, TMA_OK, ""},
    {"left of the box", IM2COL, base_left, TMA_ERROR_FAULT,
     "coordinate 1 is -1: the im2col bounding box reaches from 0 to 7"},
    {"below the box", IM2COL, base_below, TMA_ERROR_FAULT,
     "coordinate 2 is 12: the im2col bounding box reaches from 0 to 11"},
    {"wide, right of the box", WIDE, base_right, TMA_ERROR_FAULT,
     "coordinate 1 is 8: the im2col bounding box reaches from 0 to 7"},
    {"wide, left of the box", WIDE, base_left, TMA_OK, ""},
    {"wide, H beyond the tensor", WIDE, base_below, TMA_OK, ""},
    {"empty box", IM2COL, no_box, TMA_ERROR_ARGUMENT,
     "corners 0 are 8 and -1: the im2col bounding box is empty"},
    {"store at -1", TILE, store_left, TMA_ERROR_FAULT,
     "coordinate 3 is -1; a store's must not be negative"},
    {"im2col store", IM2COL, store, TMA_OK, ""},
    {"im2col store, lower corner", IM2COL, store_lower, TMA_ERROR_FAULT,
     "corners 1 are -1 and -2; a store's lower must not be negative, its upper not positive"},
    {"im2col store, upper corner", IM2COL, store_upper, TMA_ERROR_FAULT,
     "corners 0 are 0 and 1; a store's lower must not be negative, its upper not positive"},
    {"add of float64", TILE, add_f64, TMA_ERROR_FAULT, "reduction add does not exist for float64"},
    {"and of int64", TILE, and_s64, TMA_ERROR_FAULT, "reduction and does not exist for int64"},
    {"min of int64", TILE, min_s64, TMA_OK, ""},
    {"rows of 128 bytes, swizzle 96b", TILE, wide_rows, TMA_ERROR_TENSOR_MAP,
     "rows are 128 bytes; swizzle 96b allows 96 at most"},
    {"rows of 96 bytes, swizzle 96b", TILE, rows_of_96, TMA_OK, ""},
    {"no type", TILE, no_type, TMA_ERROR_TENSOR_MAP, "data_type is 99, which is not a data type"},
    {"no swizzle", TILE, no_swizzle, TMA_ERROR_TENSOR_MAP, "swizzle is 8, which is not a swizzle"},
    {"no stride", IM2COL, stride_0, TMA_ERROR_TENSOR_MAP,
     "an element of element_strides is 0; allowed: 1 to 8"},
    {"a wide box", TILE, box_257, TMA_ERROR_TENSOR_MAP,
     "an element of box_dim is 257; allowed: 1 to 256"},
    {"no pixels", IM2COL, no_pixels, TMA_ERROR_TENSOR_MAP,
     "pixels_per_column is 0; allowed: 1 to 1024"},
};

TEST_ROWS(check_gives_code_and_text, TABLE_ROWS(changes)) {
    struct tma_tensor_map map;
    struct tma_operation operation;
    struct tma_error error = {0};
    set_base(changes[_i].base, &map, &operation);
    changes[_i].apply(&map, &operation);
    enum tma_error_code code = tma_operation_check(&map, &operation, &error);
    ck_assert_msg(code == changes[_i].code, "%s: code %d (%s)", changes[_i].name, (int)code,
                  error.text);
    ck_assert_str_eq(error.text, changes[_i].text);
    ck_assert_int_eq(tma_operation_check(&map, &operation, NULL), code);
}

TEST_SUITE("operation check");
