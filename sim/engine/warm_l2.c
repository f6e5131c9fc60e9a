#include "engine/warm_l2.h"

#include "engine/program.h"
#include "memory/core/address_map.h"

enum { LAUNCHES = 3 };

void tma_warm_launches(struct tma_simulation *simulation, void (*replay)(void *context),
                       void *context) {
    replay(context);
    for (int launch = 1; launch < LAUNCHES && tma_memory_is_full(simulation->memory); launch++)
        replay(context);
}

void tma_warm_operation(struct tma_simulation *simulation, uint32_t sm, uint32_t map_number,
                        uint32_t map_index, const struct tma_operation *operation, bool one_row,
                        uint8_t *visitors) {
    struct tma_tensor_map map = simulation->maps.maps[map_number];
    struct tma_row_stream rows;
    bool again = false;
    if (visitors != NULL && !tma_memory_is_full(simulation->memory)) {
        uint32_t partition = 1u << tma_memory_partition(simulation->memory, sm);
        if ((*visitors & partition) != 0)
            return;
        again = *visitors != 0;
        *visitors = (uint8_t)(*visitors | partition);
    }
    if (one_row)
        map.box_dim[1] = 1;
    map.global_address += simulation->maps.arrays[map_number].pitch_bytes * map_index;
    if (tma_rows_begin(&rows, &map, operation, NULL, NULL) == TMA_OK)
        tma_memory_warm(simulation->memory, sm, operation->direction, map.l2_promotion, &rows,
                        again);
}

/* Maps that are parameters come with the launch: they are in the caches of the GPCs, if those hold
 * all maps, else in L2. Maps in global memory are in L2 where the program before used them. */
static void leave_descriptors(struct tma_simulation *simulation) {
    const struct tma_program_maps *maps = &simulation->maps;
    uint32_t all = tma_program_descriptor(simulation, maps->count, 0) - 1;
    tma_memory_place_descriptors(simulation->memory,
                                 tma_descriptor_address(maps->maps, maps->count, all));
    bool stay = !maps->profiled && all <= simulation->machine->tma.gpc_descriptors;
    for (uint32_t array = 0; array < maps->count; array++) {
        bool global = maps->arrays[array].global;
        uint32_t count = tma_array_maps(&maps->arrays[array]);
        uint32_t first = tma_program_descriptor(simulation, array, 0);
        for (uint32_t number = first; number < first + count; number++)
            if (!global && stay)
                tma_memory_leave_descriptor_in_gpcs(simulation->memory, number);
            else if (!global || !maps->cold)
                tma_memory_leave_descriptor_in_l2(simulation->memory, number);
    }
}

void tma_warm_start(struct tma_simulation *simulation) {
    if (!simulation->maps.cold)
        simulation->program->warm_up(simulation);
    else if (!simulation->maps.profiled)
        tma_memory_follow_load(simulation->memory);
    leave_descriptors(simulation);
}
