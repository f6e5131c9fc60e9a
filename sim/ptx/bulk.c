/* cp.async.bulk, cp.async.bulk.tensor, cp.async and their relatives, and changes of tensor maps
 * (PTX ISA 9.7.9.25 to 9.7.9.29). */
#include <stdio.h>

#include "base/allocation.h"
#include "base/array.h"
#include "placement/execute.h"
#include "placement/operation_architecture.h"
#include "ptx/check_calls.h"
#include "ptx/execution_state.h"
#include "tensormap/descriptor_bits.h"

static bool list_known(struct tma_warp *warp, const struct tma_op *op, uint32_t list,
                       uint32_t count, uint32_t lanes, const char *what) {
    for (uint32_t i = 0; i < count; ++i)
        if (!tma_known(warp, op, &warp->launch->places[list + i], lanes, what))
            return false;
    return true;
}

/* ---- tensor maps ---- */

/* The decoded map whose bytes lie at an address. */
static const struct tma_map_entry *find_map(struct tma_warp *warp, const struct tma_op *op,
                                            uint64_t address, uint32_t lane) {
    struct tma_executor *launch = warp->launch;
    uint64_t offset;
    struct tma_region *region = tma_locate(warp, op, TMA_PTX_GENERIC, address, TMA_DESCRIPTOR_BYTES,
                                           TMA_DESCRIPTOR_ALIGNMENT_BYTES, lane, &offset);
    if (region == NULL)
        return NULL;
    if (tma_region_opaque(region, offset, TMA_DESCRIPTOR_BYTES)) {
        tma_stop_opaque_from(warp, op, tma_region_origin(region, offset), "a tensor map");
        return NULL;
    }
    const uint8_t *bytes = region->bytes + offset;
    for (uint32_t i = 0; i < launch->map_count; ++i)
        if (memcmp(launch->maps[i].bytes, bytes, TMA_DESCRIPTOR_BYTES) == 0)
            return &launch->maps[i];
    uint32_t place = launch->next_map;
    launch->next_map = (place + 1) % TMA_MAP_ENTRIES;
    if (launch->map_count < TMA_MAP_ENTRIES)
        ++launch->map_count;
    struct tma_map_entry *entry = &launch->maps[place];
    memcpy(entry->bytes, bytes, TMA_DESCRIPTOR_BYTES);
    struct tma_descriptor descriptor;
    tma_descriptor_from_bytes(&descriptor, bytes);
    tma_descriptor_decode(&descriptor, &entry->map, NULL, 0);
    return entry;
}

/* Marks the bytes of a footprint in shared memory. */
static void mark_shared(struct tma_region *shared, uint32_t address, uint32_t bytes, bool opaque,
                        uint16_t origin) {
    uint64_t offset = address - (uint32_t)TMA_SHARED_BASE;
    tma_region_mark(shared, offset, bytes, opaque, origin);
}

/* Checks that the rows of an operation lie in a buffer, whose bytes are not needed. */
static bool rows_inside(const struct tma_region *region, struct tma_row_stream *rows) {
    const struct tma_row_run *run;
    while ((run = tma_rows_next_run(rows)) != NULL) {
        if (run->first.data_global_bytes == 0)
            continue;
        uint64_t first = run->first.global_address,
                 last = first + (run->rows - 1) * run->global_step_bytes;
        uint64_t low = first < last ? first : last, high = first < last ? last : first;
        if (low < region->address || high - region->address >= region->size ||
            region->size - (high - region->address) < run->first.data_global_bytes)
            return false;
    }
    return true;
}

/* Moves the flags of opaque bytes as the operation moves bytes: one byte stands for each. */
struct flags {
    struct tma_region *region;
    bool only_set;
};

static void read_flags(void *context, uint64_t address, uint8_t *bytes, uint32_t count) {
    const struct flags *flags = context;
    uint64_t offset = address - flags->region->address;
    for (uint32_t i = 0; i < count; ++i)
        bytes[i] = tma_region_opaque(flags->region, offset + i, 1) ? 255 : 0;
}

static void write_flags(void *context, uint64_t address, const uint8_t *bytes, uint32_t count) {
    const struct flags *flags = context;
    for (uint32_t i = 0; i < count; ++i)
        if (bytes[i] != 0 || !flags->only_set)
            tma_region_mark(flags->region, address - flags->region->address + i, 1, bytes[i] != 0,
                            flags->region->origin);
}

static bool out_of_memory(struct tma_warp *warp, const struct tma_op *op) {
    warp->launch->out_of_memory = true;
    tma_stop(warp, op, TMA_PTX_FAULT, "out of memory");
    return false;
}

static bool move_flags(struct tma_warp *warp, const struct tma_op *op,
                       const struct tma_tensor_map *map, struct tma_operation operation,
                       const struct tma_operation_size *size, struct tma_region *global,
                       struct tma_region *shared) {
    uint32_t bytes = size->shared_footprint_bytes;
    uint64_t offset = operation.shared_address - TMA_SHARED_BASE;
    uint8_t *copy = tma_allocate(bytes, 1);
    if (copy == NULL)
        return out_of_memory(warp, op);
    struct flags flags = {global, operation.direction == TMA_REDUCE};
    bool load = operation.direction == TMA_LOAD;
    struct tma_global_memory memory = {.read = read_flags, .write = write_flags, .context = &flags};
    struct tma_shared_memory window = {copy, operation.shared_address, bytes, NULL};
    if (!load) {
        operation.direction = TMA_STORE;
        for (uint32_t i = 0; i < bytes; ++i) {
            copy[i] = tma_region_opaque(shared, offset + i, 1) ? 255 : 0;
            if (copy[i])
                global->origin = tma_region_origin(shared, offset + i);
        }
    }
    tma_execute(map, &operation, &memory, &window, 1, NULL, NULL);
    /* Conversions make other bits of the flags of an element; they don't make zero of them. */
    if (load)
        for (uint32_t i = 0; i < bytes; i += 4) {
            bool opaque = false;
            for (uint32_t j = i; j < bytes && j < i + 4; ++j)
                opaque |= copy[j] != 0;
            tma_region_mark(shared, offset + i, bytes - i < 4 ? bytes - i : 4, opaque,
                            global->origin);
        }
    tma_release(copy);
    return true;
}

/* Executes one operation for one CTA's shared memory. */
static bool run_operation(struct tma_warp *warp, const struct tma_op *op, uint32_t lane,
                          const struct tma_tensor_map *map, const struct tma_operation *operation,
                          struct tma_ptx_cta *cta, struct tma_operation_size *size) {
    struct tma_error error = {.code = TMA_OK};
    enum tma_error_code code = tma_operation_architecture_check(map, operation, TMA_SM_90, &error);
    struct tma_row_stream rows;
    if (code == TMA_OK)
        code = tma_rows_begin(&rows, map, operation, size, &error);
    struct tma_region *global = NULL, *shared = &cta->shared;
    if (code == TMA_OK) {
        uint64_t offset;
        global = tma_locate(warp, op, TMA_PTX_GLOBAL, map->global_address, 1, 1, lane, &offset);
        if (global == NULL)
            return false;
    }
    if (code == TMA_OK && operation->direction == TMA_PREFETCH)
        return true;
    if (code == TMA_OK) {
        uint64_t offset = (uint64_t)operation->shared_address - TMA_SHARED_BASE;
        if (offset >= shared->size || shared->size - offset < size->shared_footprint_bytes) {
            tma_stop(warp, op, TMA_PTX_FAULT,
                     "the box of %u bytes at 0x%x does not fit into the shared memory of its CTA, "
                     "which has the addresses 0x%x to 0x%llx, of which %u bytes are dynamic_shared",
                     size->shared_footprint_bytes, operation->shared_address, TMA_SHARED_BASE,
                     (unsigned long long)(TMA_SHARED_BASE + shared->size - 1),
                     warp->launch->launch->dynamic_shared);
            return false;
        }
        uint32_t bytes = size->shared_footprint_bytes;
        bool load = operation->direction == TMA_LOAD;
        if (global->bytes == NULL) {
            if (!rows_inside(global, &rows)) {
                tma_stop(warp, op, TMA_PTX_FAULT,
                         "the tensor map's tensor does not lie in %s, which has %llu bytes",
                         global->name, (unsigned long long)global->size);
                return false;
            }
            if (load)
                mark_shared(shared, operation->shared_address, bytes, true, global->origin);
            return true;
        }
        bool tainted = load ? global->tainted : tma_region_opaque(shared, offset, bytes);
        if (!load && tainted &&
            !tma_region_accepts(warp, op, global, tma_region_origin(shared, offset)))
            return false;
        struct tma_global_memory memory = {
            .bytes = global->bytes, .address = global->address, .size = global->size};
        struct tma_shared_memory window = {shared->bytes, TMA_SHARED_BASE, (uint32_t)shared->size,
                                           NULL};
        code = tma_execute(map, operation, &memory, &window, 1, size, &error);
        if (code == TMA_OK) {
            if (load && !tainted)
                mark_shared(shared, operation->shared_address, bytes, false, 0);
            else if (tainted || global->tainted)
                return move_flags(warp, op, map, *operation, size, global, shared);
            return true;
        }
    }
    tma_stop(warp, op, TMA_PTX_FAULT, "lane %u: %s", lane, error.text);
    return false;
}

/* How a tile lies, for readers of it. A tile without a swizzle is what anybody makes of it. */
static uint8_t layout_of(const struct tma_tensor_map *map) {
    return map->swizzle == TMA_SWIZZLE_NONE ? TMA_CHECK_NO_LAYOUT : (uint8_t)map->swizzle;
}

/* Where the launch is timed: room for an operation that the lane issues. False when out of memory;
 * *transfer is NULL where it is not timed. */
static bool add_transfer(struct tma_warp *warp, const struct tma_op *op,
                         struct tma_ptx_transfer **transfer) {
    struct tma_ptx_step *step = warp->launch->step;
    *transfer = NULL;
    if (step == NULL)
        return true;
    size_t capacity = step->transfer_capacity;
    if (!TMA_GROW(step->transfers, step->transfer_count, capacity))
        return out_of_memory(warp, op);
    step->transfer_capacity = (uint32_t)capacity;
    *transfer = &step->transfers[step->transfer_count++];
    **transfer = (struct tma_ptx_transfer){.barrier = UINT32_MAX};
    return true;
}

enum tma_step tma_run_bulk_tensor(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    struct tma_executor *launch = warp->launch;
    struct tma_ptx_result *result = launch->result;
    const struct tma_place *coordinates = &launch->places[op->list],
                           *offsets = &launch->places[op->list2];
    if (!tma_known(warp, op, &op->a, lanes, "the shared-memory address of a bulk operation") ||
        !tma_known(warp, op, &op->b, lanes, "the address of a tensor map") ||
        !tma_known(warp, op, &op->c, lanes, "the address of an mbarrier") ||
        !tma_known(warp, op, &op->d, lanes, "the mask of CTAs") ||
        !list_known(warp, op, op->list, op->list_count, lanes, "a coordinate") ||
        !list_known(warp, op, op->list2, op->list2_count, lanes, "an im2col offset"))
        return TMA_STEP_FAILED;
    struct tma_ptx_cluster *cluster = warp->cta->cluster;
    TMA_EACH_OF(i, lanes) {
        const struct tma_map_entry *entry =
            find_map(warp, op, tma_address(warp, &op->b, op->offset_b, i), i);
        if (entry == NULL)
            return TMA_STEP_FAILED;
        struct tma_operation operation = {.direction = (enum tma_direction)op->mode,
                                          .access = (enum tma_access_mode)op->mode2,
                                          .reduction = (enum tma_reduction)op->immediate};
        for (uint32_t d = 0; d < op->list_count && d < TMA_MAX_RANK; ++d)
            operation.coordinates[d] = (int32_t)tma_lane_value(warp, &coordinates[d], i);
        for (uint32_t d = 0; d < op->list2_count && d < 3; ++d) {
            uint16_t value = (uint16_t)tma_lane_value(warp, &offsets[d], i);
            if (operation.access == TMA_ACCESS_IM2COL_W ||
                operation.access == TMA_ACCESS_IM2COL_W128) {
                if (d == 0)
                    operation.w_halo = value;
                else
                    operation.w_offset = (int16_t)value;
            } else {
                operation.im2col_offsets[d] = value;
            }
        }
        uint32_t rank = entry->map.rank;
        if (op->elements != rank)
            return tma_stop(warp, op, TMA_PTX_FAULT,
                            "lane %u: the instruction is for tensors of rank %u, the tensor map's "
                            "rank is %u",
                            i, op->elements, rank);
        struct tma_operation_size size = {0};
        uint32_t mask = 0, address = 0;
        if (operation.direction == TMA_PREFETCH) {
            mask = 1u << warp->cta->rank;
        } else {
            address = (uint32_t)tma_address(warp, &op->a, op->offset, i);
            uint32_t owner = tma_shared_rank(address);
            mask = op->d.absent ? 1u << (owner & 31)
                                : (uint32_t)tma_lane_value(warp, &op->d, i) & 0xffff;
            if (mask == 0 || owner >= cluster->cta_count || mask >> cluster->cta_count != 0)
                return tma_stop(
                    warp, op, TMA_PTX_FAULT,
                    "lane %u: the mask of CTAs is 0x%x and the address 0x%x; the cluster "
                    "has %u CTAs",
                    i, mask, address, cluster->cta_count);
        }
        operation.shared_address = address & TMA_SHARED_OFFSET_MASK;
        struct tma_ptx_transfer *transfer;
        if (!add_transfer(warp, op, &transfer))
            return TMA_STEP_FAILED;
        if (transfer != NULL) {
            transfer->direction = operation.direction;
            transfer->has_map = true;
            transfer->map = entry->map;
            transfer->operation = operation;
            transfer->map_address = tma_address(warp, &op->b, op->offset_b, i);
            transfer->cta_mask = mask;
        }
        TMA_EACH_OF(rank_of, mask) {
            struct tma_ptx_cta *cta = &cluster->ctas[rank_of];
            if (cta->alive_warps == 0)
                return tma_stop(warp, op, TMA_PTX_FAULT,
                                "a bulk operation for CTA rank %u of the cluster, which has ended",
                                rank_of);
            if (!run_operation(warp, op, i, &entry->map, &operation, cta, &size))
                return TMA_STEP_FAILED;
            bool reads = tma_writes_tensor(operation.direction);
            if (reads && tma_watched(warp))
                tma_watch_bulk_read(warp, op, i, address, size.shared_footprint_bytes,
                                    layout_of(&entry->map));
            if (op->c.absent)
                continue;
            uint32_t barrier = (uint32_t)tma_address(warp, &op->c, op->offset_c, i);
            if (!op->d.absent)
                barrier = tma_shared_address(barrier, rank_of);
            if (tma_watched(warp))
                tma_watch_bulk_write(warp, op, i, tma_shared_address(address, rank_of),
                                     size.shared_footprint_bytes, layout_of(&entry->map), false,
                                     barrier);
            if (!tma_mbarrier_receive(warp, op, i, barrier, size.transaction_bytes, transfer))
                return TMA_STEP_FAILED;
        }
        tma_line(warp, op)->bytes += size.moved_bytes;
        switch (operation.direction) {
        case TMA_LOAD:
            ++result->tma_loads;
            result->tma_load_bytes += size.moved_bytes;
            break;
        case TMA_STORE:
            ++result->tma_stores;
            result->tma_store_bytes += size.moved_bytes;
            break;
        case TMA_REDUCE:
            ++result->tma_reductions;
            result->tma_store_bytes += size.moved_bytes;
            break;
        case TMA_PREFETCH:
            ++result->tma_prefetches;
            break;
        }
        ++launch->changes;
    }
    return TMA_STEP_NEXT;
}

/* ---- bytes ---- */

/* Copies bytes with their opaque bits. `zeros`: so many bytes of zeros follow. */
static bool copy_bytes(struct tma_warp *warp, const struct tma_op *op, struct tma_region *to,
                       uint64_t to_offset, struct tma_region *from, uint64_t from_offset,
                       uint64_t bytes, uint64_t zeros) {
    if (to->read_only) {
        tma_stop(warp, op, TMA_PTX_FAULT, "%s is read-only", to->name);
        return false;
    }
    if (to->bytes == NULL)
        return true;
    if (from == NULL || bytes == 0) {
        bytes = 0; /* zeros alone */
    } else if (tma_region_opaque(from, from_offset, bytes)) {
        uint16_t origin = tma_region_origin(from, from_offset);
        if (!tma_region_accepts(warp, op, to, origin))
            return false;
        if (from->bytes == NULL) {
            tma_region_mark(to, to_offset, bytes, true, origin);
        } else {
            memmove(to->bytes + to_offset, from->bytes + from_offset, bytes);
            for (uint64_t i = 0; i < bytes; ++i)
                tma_region_mark(to, to_offset + i, 1, tma_region_opaque(from, from_offset + i, 1),
                                origin);
        }
    } else {
        memmove(to->bytes + to_offset, from->bytes + from_offset, bytes);
        tma_region_mark(to, to_offset, bytes, false, 0);
    }
    if (zeros != 0) {
        memset(to->bytes + to_offset + bytes, 0, zeros);
        tma_region_mark(to, to_offset + bytes, zeros, false, 0);
    }
    return true;
}

/* Combines elements of one type. */
static bool reduce_bytes(struct tma_warp *warp, const struct tma_op *op, struct tma_region *to,
                         uint64_t to_offset, struct tma_region *from, uint64_t from_offset,
                         uint64_t bytes) {
    if (to->bytes == NULL)
        return true;
    for (uint64_t i = 0; i + op->element_bytes <= bytes; i += op->element_bytes) {
        if (tma_region_opaque(from, from_offset + i, op->element_bytes)) {
            uint16_t origin = tma_region_origin(from, from_offset + i);
            if (!tma_region_accepts(warp, op, to, origin))
                return false;
            tma_region_mark(to, to_offset + i, op->element_bytes, true, origin);
            continue;
        }
        uint64_t old = 0, operand = 0;
        memcpy(&old, to->bytes + to_offset + i, op->element_bytes);
        memcpy(&operand, from->bytes + from_offset + i, op->element_bytes);
        uint64_t value = tma_atomic_value((enum tma_ptx_word)op->immediate,
                                          (enum tma_ptx_type)op->type, old, operand, 0);
        memcpy(to->bytes + to_offset + i, &value, op->element_bytes);
    }
    return true;
}

enum tma_step tma_run_bulk(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    struct tma_executor *launch = warp->launch;
    const struct tma_place *size = &launch->places[op->list];
    if (!tma_known(warp, op, &op->a, lanes, "the address of a bulk copy") ||
        !tma_known(warp, op, &op->b, lanes, "the address of a bulk copy") ||
        !tma_known(warp, op, &op->c, lanes, "the address of an mbarrier") ||
        !tma_known(warp, op, &op->d, lanes, "the mask of CTAs") ||
        !tma_known(warp, op, size, lanes, "the size of a bulk copy") ||
        !list_known(warp, op, op->list2, op->list2_count, lanes, "a mask of bytes"))
        return TMA_STEP_FAILED;
    struct tma_ptx_cluster *cluster = warp->cta->cluster;
    TMA_EACH_OF(i, lanes) {
        uint32_t bytes = (uint32_t)tma_lane_value(warp, size, i);
        if (bytes % 16 != 0)
            return tma_stop(warp, op, TMA_PTX_FAULT,
                            "lane %u copies %u bytes; multiples of 16 are allowed", i, bytes);
        tma_line(warp, op)->bytes += bytes;
        if (op->mode == 2) {
            ++launch->result->tma_prefetches;
            continue;
        }
        uint64_t to = tma_address(warp, &op->a, op->offset, i),
                 from = tma_address(warp, &op->b, op->offset_b, i), from_offset, to_offset;
        if (bytes == 0)
            continue;
        struct tma_region *source =
            tma_locate(warp, op, (enum tma_ptx_space)op->space2, from, bytes, 16, i, &from_offset);
        if (source == NULL)
            return TMA_STEP_FAILED;
        bool multicast = !op->d.absent;
        uint32_t mask = multicast ? (uint32_t)tma_lane_value(warp, &op->d, i) & 0xffff : 1;
        if (mask == 0 || (multicast && mask >> cluster->cta_count != 0))
            return tma_stop(warp, op, TMA_PTX_FAULT,
                            "lane %u: the mask of CTAs is 0x%x; the cluster has %u CTAs", i, mask,
                            cluster->cta_count);
        struct tma_ptx_transfer *transfer;
        if (!add_transfer(warp, op, &transfer))
            return TMA_STEP_FAILED;
        if (transfer != NULL) {
            bool loads = op->space2 == TMA_PTX_GLOBAL;
            transfer->direction = op->space != TMA_PTX_GLOBAL ? TMA_LOAD
                                  : op->mode == 1             ? TMA_REDUCE
                                                              : TMA_STORE;
            transfer->global_address = loads ? from : op->space == TMA_PTX_GLOBAL ? to : 0;
            transfer->bytes = bytes;
            transfer->cta_mask = multicast ? mask : 1u << warp->cta->rank;
        }
        TMA_EACH_OF(rank, mask) {
            uint64_t address = multicast ? tma_shared_address(to, rank) : to;
            struct tma_region *region = tma_locate(warp, op, (enum tma_ptx_space)op->space, address,
                                                   bytes, 16, i, &to_offset);
            if (region == NULL)
                return TMA_STEP_FAILED;
            if (op->mode == 1) {
                if (!reduce_bytes(warp, op, region, to_offset, source, from_offset, bytes))
                    return TMA_STEP_FAILED;
            } else if (op->list2_count != 0) {
                uint32_t chosen =
                    (uint32_t)tma_lane_value(warp, &launch->places[op->list2], i) & 0xffff;
                for (uint32_t b = 0; b < bytes; ++b)
                    if (chosen >> b % 16 & 1 &&
                        !copy_bytes(warp, op, region, to_offset + b, source, from_offset + b, 1, 0))
                        return TMA_STEP_FAILED;
            } else if (!copy_bytes(warp, op, region, to_offset, source, from_offset, bytes, 0)) {
                return TMA_STEP_FAILED;
            }
            if (op->space2 == TMA_PTX_SHARED && op->c.absent && tma_watched(warp))
                tma_watch_bulk_read(warp, op, i, from, bytes, TMA_CHECK_NO_LAYOUT);
            if (op->c.absent)
                continue;
            uint64_t barrier = tma_address(warp, &op->c, op->offset_c, i);
            if (multicast)
                barrier = tma_shared_address(barrier, rank);
            if (op->space2 == TMA_PTX_SHARED && tma_watched(warp))
                tma_watch_bulk_source(warp, op, i, from, bytes, barrier);
            if (tma_watched(warp))
                tma_watch_bulk_write(warp, op, i, address, bytes, TMA_CHECK_NO_LAYOUT,
                                     op->mode == 1, barrier);
            if (!tma_mbarrier_receive(warp, op, i, barrier, bytes, transfer))
                return TMA_STEP_FAILED;
        }
        ++launch->changes;
        bool load = op->space2 == TMA_PTX_GLOBAL;
        if (op->mode == 1) {
            ++launch->result->tma_reductions;
        } else if (load) {
            ++launch->result->tma_loads;
            launch->result->tma_load_bytes += bytes;
        } else if (op->space == TMA_PTX_GLOBAL) {
            ++launch->result->tma_stores;
        }
        if (op->space == TMA_PTX_GLOBAL)
            launch->result->tma_store_bytes += bytes;
    }
    return TMA_STEP_NEXT;
}

enum tma_step tma_run_cp_async(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    const struct tma_place *amount = &warp->launch->places[op->list];
    if (!tma_known(warp, op, &op->a, lanes, "the address of cp.async") ||
        !tma_known(warp, op, &op->b, lanes, "the address of cp.async") ||
        !list_known(warp, op, op->list, op->list_count, lanes, "the source size of cp.async"))
        return TMA_STEP_FAILED;
    uint64_t sources[32] = {0};
    uint32_t reading = 0;
    TMA_EACH_OF(i, lanes) {
        uint64_t bytes = op->element_bytes, taken = bytes, to_offset, from_offset = 0;
        if (op->list_count != 0) {
            uint64_t value = tma_lane_value(warp, amount, i);
            taken = amount->width == TMA_PTX_PREDICATE ? (value ? 0 : bytes) : (uint32_t)value;
        }
        if (taken > bytes)
            return tma_stop(warp, op, TMA_PTX_FAULT, "lane %u copies %llu bytes into %llu", i,
                            (unsigned long long)taken, (unsigned long long)bytes);
        struct tma_region *to =
            tma_locate(warp, op, TMA_PTX_SHARED, tma_address(warp, &op->a, op->offset, i), bytes,
                       bytes, i, &to_offset);
        if (to == NULL)
            return TMA_STEP_FAILED;
        struct tma_region *from = NULL;
        sources[i] = tma_address(warp, &op->b, op->offset_b, i);
        if (taken != 0) {
            from = tma_locate(warp, op, TMA_PTX_GLOBAL, sources[i], taken, bytes, i, &from_offset);
            if (from == NULL)
                return TMA_STEP_FAILED;
            reading |= UINT32_C(1) << i;
        }
        if (!copy_bytes(warp, op, to, to_offset, from, from_offset, taken, bytes - taken))
            return TMA_STEP_FAILED;
        if (tma_watched(warp))
            tma_watch_copy(warp, op, i, tma_address(warp, &op->a, op->offset, i), (uint32_t)bytes);
        tma_line(warp, op)->bytes += taken;
    }
    tma_count_global(warp, op, reading, sources, op->element_bytes);
    ++warp->launch->changes;
    return TMA_STEP_NEXT;
}

enum tma_step tma_run_store_async(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    const struct tma_place *values = &warp->launch->places[op->list];
    if (!tma_known(warp, op, &op->a, lanes, "an address") ||
        !tma_known(warp, op, &op->c, lanes, "the address of an mbarrier"))
        return TMA_STEP_FAILED;
    uint32_t bytes = op->element_bytes, total = bytes * op->elements;
    TMA_EACH_OF(i, lanes) {
        uint64_t offset;
        struct tma_region *region =
            tma_locate(warp, op, TMA_PTX_SHARED, tma_address(warp, &op->a, op->offset, i), total,
                       total, i, &offset);
        if (region == NULL)
            return TMA_STEP_FAILED;
        if (tma_watched(warp))
            tma_watch_bulk_write(warp, op, i, tma_address(warp, &op->a, op->offset, i), total,
                                 TMA_CHECK_NO_LAYOUT, op->mode == 1,
                                 tma_address(warp, &op->c, op->offset_c, i));
        for (uint32_t e = 0; e < op->elements; ++e, offset += bytes) {
            bool opaque = tma_opaque(warp, &values[e]) >> i & 1;
            uint64_t value = tma_lane_value(warp, &values[e], i), old = 0;
            if (op->mode == 1) {
                opaque |= tma_region_opaque(region, offset, bytes);
                memcpy(&old, region->bytes + offset, bytes);
                value = tma_atomic_value((enum tma_ptx_word)op->immediate,
                                         (enum tma_ptx_type)op->type, old, value, 0);
            }
            if (!opaque)
                memcpy(region->bytes + offset, &value, bytes);
            tma_region_mark(region, offset, bytes, opaque, warp->origin[values[e].number]);
        }
        if (!tma_mbarrier_change(warp, op, i, tma_address(warp, &op->c, op->offset_c, i), false, 0,
                                 -(int64_t)total, false, NULL))
            return TMA_STEP_FAILED;
        tma_line(warp, op)->bytes += total;
    }
    ++warp->launch->changes;
    return TMA_STEP_NEXT;
}

/* ---- changes of tensor maps ---- */

/* ptxas writes whole words at once, and reads the word of a field that is narrower. The upper bits
 * of a stride lie in a word that all strides share. */
static void count_map_words(struct tma_warp *warp, const struct tma_op *op) {
    enum tma_replace_field field = (enum tma_replace_field)op->mode;
    bool whole = field == TMA_REPLACE_GLOBAL_ADDRESS || field == TMA_REPLACE_GLOBAL_DIM;
    tma_count_shared_words(warp, op, whole ? 0 : 1, field == TMA_REPLACE_GLOBAL_STRIDE ? 2 : 1);
}

enum tma_step tma_run_map_replace(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    if (!tma_known(warp, op, &op->a, lanes, "the address of a tensor map") ||
        !tma_known(warp, op, &op->b, lanes, "a field of a tensor map"))
        return TMA_STEP_FAILED;
    if (lanes != 0 && op->space == TMA_PTX_SHARED)
        count_map_words(warp, op);
    TMA_EACH_OF(i, lanes) {
        uint64_t offset, address = tma_address(warp, &op->a, op->offset, i);
        struct tma_region *region =
            tma_locate(warp, op, (enum tma_ptx_space)op->space, address, TMA_DESCRIPTOR_BYTES,
                       TMA_DESCRIPTOR_ALIGNMENT_BYTES, i, &offset);
        if (region == NULL)
            return TMA_STEP_FAILED;
        if (tma_region_opaque(region, offset, TMA_DESCRIPTOR_BYTES))
            return tma_stop_opaque_from(warp, op, tma_region_origin(region, offset),
                                        "a tensor map");
        if (region->read_only)
            return tma_stop(warp, op, TMA_PTX_FAULT, "%s is read-only", region->name);
        struct tma_descriptor descriptor;
        struct tma_error error;
        tma_descriptor_from_bytes(&descriptor, region->bytes + offset);
        /* An H200 writes the field's bits into an im2col map too. */
        uint32_t im2col = tma_bits_get(&descriptor, TMA_BITS_IM2COL);
        tma_bits_put(&descriptor, TMA_BITS_IM2COL, 0);
        if (tma_descriptor_replace(&descriptor, (enum tma_replace_field)op->mode,
                                   (unsigned)op->immediate, tma_lane_value(warp, &op->b, i),
                                   &error) != TMA_OK)
            return tma_stop(warp, op, TMA_PTX_FAULT, "lane %u: %s", i, error.text);
        tma_bits_put(&descriptor, TMA_BITS_IM2COL, im2col);
        tma_descriptor_to_bytes(&descriptor, region->bytes + offset);
    }
    ++warp->launch->changes;
    return TMA_STEP_NEXT;
}

/* tensormap.cp_fenceproxy: all lanes have the same addresses; the warp copies once. */
enum tma_step tma_run_map_copy(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    if (!tma_known(warp, op, &op->a, lanes, "the address of a tensor map") ||
        !tma_known(warp, op, &op->b, lanes, "the address of a tensor map"))
        return TMA_STEP_FAILED;
    TMA_EACH_OF(i, lanes) {
        uint64_t to_offset, from_offset;
        struct tma_region *to =
            tma_locate(warp, op, TMA_PTX_GLOBAL, tma_address(warp, &op->a, op->offset, i),
                       TMA_DESCRIPTOR_BYTES, 128, i, &to_offset);
        if (to == NULL)
            return TMA_STEP_FAILED;
        struct tma_region *from =
            tma_locate(warp, op, TMA_PTX_SHARED, tma_address(warp, &op->b, op->offset_b, i),
                       TMA_DESCRIPTOR_BYTES, 128, i, &from_offset);
        if (from == NULL ||
            !copy_bytes(warp, op, to, to_offset, from, from_offset, TMA_DESCRIPTOR_BYTES, 0))
            return TMA_STEP_FAILED;
        tma_count_shared_words(warp, op, 1, 0);
        struct tma_ptx_step *step = warp->launch->step;
        if (step != NULL) {
            step->line_count = 1;
            step->lines[0].line = tma_address(warp, &op->a, op->offset, i) / TMA_DESCRIPTOR_BYTES;
            step->lines[0].bytes = TMA_DESCRIPTOR_BYTES;
            step->lines[0].used[0] = step->lines[0].used[1] = UINT64_MAX;
            step->lines[0].sectors = 0xf;
            step->lines[0].rounds = 0;
        }
        break;
    }
    ++warp->launch->changes;
    return TMA_STEP_NEXT;
}
