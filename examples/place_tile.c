/* Loads a tile into shared memory, byte for byte as the hardware does, and asks where an element of
 * the tensor lies.
 *
 *     cc place_tile.c $(pkg-config --cflags --libs tmasim) -o place_tile && ./place_tile
 */
#include <stdio.h>
#include <string.h>
#include <tmasim.h>

enum { COLUMNS = 256, ROWS = 128, TILE_COLUMNS = 64, TILE_ROWS = 32, SHARED_ADDRESS = 1024 };

static const uint64_t tensor_address = 0x7f0000000000;
static uint16_t tensor[ROWS][COLUMNS];
static uint8_t shared_bytes[TILE_ROWS * TILE_COLUMNS * 2];

/* Tiles of 32 rows of 64 elements. A row is 128 bytes, the width of the swizzle. */
static struct tma_tensor_map describe_tensor(void) {
    struct tma_tensor_map map;
    memset(&map, 0, sizeof map);
    map.kind = TMA_MAP_TILED;
    map.data_type = TMA_UINT16;
    map.rank = 2;
    map.global_address = tensor_address;
    map.global_dim[0] = COLUMNS;
    map.global_dim[1] = ROWS;
    map.global_strides[0] = COLUMNS * sizeof tensor[0][0];
    map.box_dim[0] = TILE_COLUMNS;
    map.box_dim[1] = TILE_ROWS;
    map.element_strides[0] = 1;
    map.element_strides[1] = 1;
    map.swizzle = TMA_SWIZZLE_128B;
    return map;
}

/* The load of the tile that begins at this column and row. */
static struct tma_operation load_at(int32_t column, int32_t row) {
    struct tma_operation operation;
    memset(&operation, 0, sizeof operation);
    operation.direction = TMA_LOAD;
    operation.access = TMA_ACCESS_TILE;
    operation.coordinates[0] = column;
    operation.coordinates[1] = row;
    operation.shared_address = SHARED_ADDRESS;
    return operation;
}

static bool load(const struct tma_tensor_map *map, const struct tma_operation *operation) {
    struct tma_global_memory global;
    struct tma_shared_memory shared;
    struct tma_operation_size size;
    struct tma_error error;
    memset(&global, 0, sizeof global);
    memset(&shared, 0, sizeof shared);
    global.bytes = (uint8_t *)tensor;
    global.address = tensor_address;
    global.size = sizeof tensor;
    shared.bytes = shared_bytes;
    shared.address = SHARED_ADDRESS;
    shared.size = sizeof shared_bytes;
    if (tma_execute(map, operation, &global, &shared, 1, &size, &error) != TMA_OK) {
        fprintf(stderr, "place_tile: %s\n", error.text);
        return false;
    }
    printf("loaded %u rows, %u bytes complete on the mbarrier\n", size.rows,
           size.transaction_bytes);
    return true;
}

/* Asks where the element lies, and reads it from there. */
static void find_element(const struct tma_layout *layout, int64_t column, int64_t row) {
    const int64_t coordinates[TMA_MAX_RANK] = {column, row, 0, 0, 0};
    struct tma_element_place places[TMA_MAX_PLACES];
    if (tma_layout_element(layout, coordinates, places) == 0) {
        printf("element (%d, %d) is not in the tile\n", (int)column, (int)row);
        return;
    }
    uint16_t value;
    memcpy(&value, &shared_bytes[places[0].shared_address - SHARED_ADDRESS], sizeof value);
    printf("element (%d, %d) lies at shared address %u, bank %u, and has the value %u\n",
           (int)column, (int)row, places[0].shared_address, places[0].shared_address / 4 % 32,
           value);
}

/* Asks the reverse: what lies at an address of shared memory. */
static void find_address(const struct tma_layout *layout, uint32_t address) {
    struct tma_byte_place place = tma_layout_byte(layout, address);
    printf("shared address %u holds ", address);
    if (place.kind == TMA_BYTE_ELEMENT)
        printf("bit %u of element (%d, %d)\n", place.element_bit, (int)place.coordinates[0],
               (int)place.coordinates[1]);
    else
        printf("no element: %s\n", tma_name_of(&tma_byte_kind_names, place.kind));
}

int main(void) {
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned column = 0; column < COLUMNS; column++)
            tensor[row][column] = (uint16_t)(row * COLUMNS + column);

    /* The last 16 rows of this tile are past the end of the tensor: the load fills them. */
    struct tma_tensor_map map = describe_tensor();
    struct tma_operation operation = load_at(64, 112);
    if (!load(&map, &operation))
        return 1;

    struct tma_layout layout;
    struct tma_error error;
    if (tma_layout_begin(&layout, &map, &operation, &error) != TMA_OK) {
        fprintf(stderr, "place_tile: %s\n", error.text);
        return 1;
    }
    for (int64_t row = 112; row < 116; row++)
        find_element(&layout, 64, row);
    find_element(&layout, 0, 0);
    find_address(&layout, SHARED_ADDRESS + 16);
    find_address(&layout, SHARED_ADDRESS + 16 * 128);
    return 0;
}
