/* State spaces, and the instructions that load and store (PTX ISA 5.1, 9.7.9). */
#include <stdio.h>

#include "ptx/check_calls.h"
#include "ptx/execution_state.h"
#include "ptx/lane_arithmetic.h"

/* ---- regions ---- */

bool tma_region_opaque(const struct tma_region *region, uint64_t offset, uint64_t bytes) {
    if (region->bytes == NULL)
        return true;
    if (region->opaque == NULL || !region->tainted)
        return false;
    if (bytes <= 8 && (offset & 7) + bytes <= 8)
        return ((uint32_t)region->opaque[offset >> 3] >> (offset & 7) &
                ((UINT32_C(1) << bytes) - 1)) != 0;
    while (bytes > 0) {
        if ((offset & 7) == 0 && bytes >= 8) {
            if (region->opaque[offset >> 3] != 0)
                return true;
            offset += 8;
            bytes -= 8;
        } else {
            if (region->opaque[offset >> 3] >> (offset & 7) & 1)
                return true;
            ++offset;
            --bytes;
        }
    }
    return false;
}

void tma_region_mark(struct tma_region *region, uint64_t offset, uint64_t bytes, bool opaque,
                     uint16_t origin) {
    if (region->opaque == NULL || bytes == 0)
        return;
    if (opaque) {
        region->tainted = true;
        if (region->origins != NULL)
            for (uint64_t part = offset >> 7; part <= (offset + bytes - 1) >> 7; ++part)
                region->origins[part] = origin;
        else
            region->origin = origin;
    } else if (!region->tainted) {
        return;
    }
    while (bytes > 0) {
        uint32_t at = offset & 7, count = 8 - at < bytes ? 8 - at : (uint32_t)bytes;
        if (at == 0 && bytes >= 8) {
            uint64_t whole = bytes >> 3;
            memset(region->opaque + (offset >> 3), opaque ? 255 : 0, whole);
            offset += whole * 8;
            bytes -= whole * 8;
            continue;
        }
        uint8_t mask = (uint8_t)(((1u << count) - 1) << at);
        uint8_t *byte = &region->opaque[offset >> 3];
        *byte = (uint8_t)(opaque ? *byte | mask : *byte & ~mask);
        offset += count;
        bytes -= count;
    }
}

uint16_t tma_region_origin(const struct tma_region *region, uint64_t offset) {
    return region->origins != NULL ? region->origins[offset >> 7] : region->origin;
}

bool tma_region_accepts(struct tma_warp *warp, const struct tma_op *op, struct tma_region *region,
                        uint16_t origin) {
    if (region->bytes == NULL || region->opaque != NULL)
        return true;
    char what[160];
    snprintf(what, sizeof what, "%s, whose contents must stay known", region->name);
    tma_stop_opaque_from(warp, op, origin, what);
    return false;
}

/* A message's words for an address: "0x7f0010 (buffer a + 16)". */
static void address_text(struct tma_executor *launch, uint64_t address, char *text, size_t size) {
    const struct tma_region *nearest = NULL;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < launch->global_count; ++i) {
        const struct tma_region *region = &launch->globals[i];
        uint64_t distance = address < region->address ? region->address - address
                            : address - region->address < region->size
                                ? 0
                                : address - region->address - region->size + 1;
        if (distance < least) {
            least = distance;
            nearest = region;
        }
    }
    if (nearest == NULL)
        snprintf(text, size, "0x%llx", (unsigned long long)address);
    else if (address >= nearest->address)
        snprintf(text, size, "0x%llx, which is %s + %llu (it has %llu bytes)",
                 (unsigned long long)address, nearest->name,
                 (unsigned long long)(address - nearest->address),
                 (unsigned long long)nearest->size);
    else
        snprintf(text, size, "0x%llx, which lies %llu bytes before %s", (unsigned long long)address,
                 (unsigned long long)(nearest->address - address), nearest->name);
}

static struct tma_region *find_global(struct tma_executor *launch, uint64_t address) {
    struct tma_region *last = &launch->globals[launch->last_global];
    if (launch->global_count != 0 && address - last->address < last->size)
        return last;
    uint32_t low = 0, high = launch->global_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (launch->globals[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    struct tma_region *region = &launch->globals[low - 1];
    if (address - region->address >= region->size)
        return NULL;
    launch->last_global = low - 1;
    return region;
}

static struct tma_region *outside(struct tma_warp *warp, const struct tma_op *op,
                                  enum tma_ptx_space space, uint64_t address, uint64_t bytes,
                                  uint32_t lane, const struct tma_region *region) {
    const char *what = space == TMA_PTX_SHARED  ? "shared"
                       : space == TMA_PTX_LOCAL ? "local"
                       : space == TMA_PTX_CONST ? "constant"
                                                : "parameter";
    char part[60] = "";
    if (space == TMA_PTX_SHARED)
        snprintf(part, sizeof part, ", of which %u bytes are dynamic_shared",
                 warp->launch->launch->dynamic_shared);
    if (region == NULL || region->size == 0)
        tma_stop(warp, op, TMA_PTX_FAULT,
                 "lane %u accesses %llu bytes at the %s address 0x%llx, where there is no memory%s",
                 lane, (unsigned long long)bytes, what, (unsigned long long)address,
                 region != NULL && space == TMA_PTX_SHARED ? ": dynamic_shared is 0 bytes" : "");
    else
        tma_stop(warp, op, TMA_PTX_FAULT,
                 "lane %u accesses %llu bytes at the %s address 0x%llx; %s has the addresses "
                 "0x%llx to 0x%llx%s",
                 lane, (unsigned long long)bytes, what, (unsigned long long)address, region->name,
                 (unsigned long long)region->address,
                 (unsigned long long)(region->address + region->size - 1), part);
    return NULL;
}

struct tma_region *tma_locate(struct tma_warp *warp, const struct tma_op *op,
                              enum tma_ptx_space space, uint64_t address, uint64_t bytes,
                              uint64_t alignment, uint32_t lane, uint64_t *offset) {
    struct tma_executor *launch = warp->launch;
    struct tma_region *region = NULL;
    if (alignment > 1 && (address & (alignment - 1)) != 0) {
        char text[200];
        if (space == TMA_PTX_GLOBAL || space == TMA_PTX_GENERIC)
            address_text(launch, address, text, sizeof text);
        else
            snprintf(text, sizeof text, "0x%llx", (unsigned long long)address);
        tma_stop(warp, op, TMA_PTX_FAULT,
                 "lane %u has the address %s, which is not a multiple of %llu", lane, text,
                 (unsigned long long)alignment);
        return NULL;
    }
    if (space == TMA_PTX_GENERIC) {
        space = TMA_PTX_GLOBAL;
        if (address >= TMA_WINDOW_CONST) {
            uint64_t low = address & (TMA_WINDOW_BYTES - 1), window = address - low;
            space = window == TMA_WINDOW_SHARED  ? TMA_PTX_SHARED
                    : window == TMA_WINDOW_LOCAL ? TMA_PTX_LOCAL
                    : window == TMA_WINDOW_PARAM ? TMA_PTX_PARAM
                    : window == TMA_WINDOW_CONST ? TMA_PTX_CONST
                                                 : TMA_PTX_GLOBAL;
            if (space != TMA_PTX_GLOBAL)
                address = low;
        }
    }
    switch (space) {
    case TMA_PTX_GENERIC:
    case TMA_PTX_GLOBAL:
        region = find_global(launch, address);
        if (region == NULL || region->address + region->size - address < bytes) {
            char text[200];
            address_text(launch, address, text, sizeof text);
            tma_stop(warp, op, TMA_PTX_FAULT,
                     "lane %u accesses %llu bytes at %s: no buffer has them", lane,
                     (unsigned long long)bytes, text);
            return NULL;
        }
        *offset = address - region->address;
        return region;
    case TMA_PTX_SHARED: {
        uint64_t rank = address >> TMA_SHARED_RANK_BIT;
        if (rank >= warp->cta->cluster->cta_count)
            return outside(warp, op, space, address, bytes, lane, &warp->cta->shared);
        struct tma_ptx_cta *cta = &warp->cta->cluster->ctas[rank];
        region = &cta->shared;
        if (cta->alive_warps == 0) {
            tma_stop(
                warp, op, TMA_PTX_FAULT,
                "lane %u accesses the shared memory of CTA rank %llu of its cluster, which has "
                "ended",
                lane, (unsigned long long)rank);
            return NULL;
        }
        *offset = address - region->address;
        if (*offset >= region->size || region->size - *offset < bytes)
            return outside(warp, op, space, address, bytes, lane, region);
        return region;
    }
    case TMA_PTX_LOCAL: {
        region = &warp->local_region;
        uint64_t at = address - TMA_LOCAL_BASE;
        if (at >= launch->local_bytes || launch->local_bytes - at < bytes)
            return outside(warp, op, space, address, bytes, lane, NULL);
        *offset = (uint64_t)lane * launch->local_bytes + at;
        return region;
    }
    case TMA_PTX_CONST:
        region = &launch->constant;
        break;
    case TMA_PTX_PARAM:
        region = &launch->parameters;
        break;
    }
    *offset = address - region->address;
    if (*offset >= region->size || region->size - *offset < bytes)
        return outside(warp, op, space, address, bytes, lane, region);
    return region;
}

/* ---- what accesses cost ---- */

/* Was the last access of this instruction of the same pattern? If not, remembers it. */
static bool same_pattern(struct tma_access_cost *cost, uint32_t lanes, const uint32_t address[32]) {
    uint32_t first = address[__builtin_ctz(lanes)];
    uint32_t distance[32], differ = 0;
    TMA_EACH_LANE(i)
    distance[i] = lanes >> i & 1 ? address[i] - first : 0;
    TMA_EACH_LANE(i)
    differ |= distance[i] ^ cost->distance[i];
    if (cost->known && differ == 0 && cost->lanes == lanes && cost->phase == (first & 127))
        return true;
    memcpy(cost->distance, distance, sizeof distance);
    cost->lanes = lanes;
    cost->phase = first & 127;
    cost->known = true;
    return false;
}

void tma_count_shared(struct tma_warp *warp, const struct tma_op *op, int kind, uint32_t lanes,
                      const uint32_t address[32], bool store) {
    struct tma_ptx_result *result = warp->launch->result;
    if (store)
        ++result->shared_stores;
    else
        ++result->shared_loads;
    if (lanes == 0)
        return;
    struct tma_access_cost *cost = op->cost;
    if (!same_pattern(cost, lanes, address)) {
        struct tma_warp_access access = {.instruction = (enum tma_shared_instruction)kind,
                                         .lane_mask = lanes};
        memcpy(access.address, address, sizeof access.address);
        struct tma_bank_report report = tma_bank_conflicts(&access);
        cost->cost = report.wavefronts;
        cost->ideal = report.ideal_wavefronts;
    }
    if (warp->launch->step != NULL) {
        warp->launch->step->shared_wavefronts += cost->cost;
        warp->launch->step->shared_offset = tma_shared_offset(address[__builtin_ctz(lanes)]);
        warp->launch->step->shared_conflicts += cost->cost - cost->ideal;
    }
    struct tma_ptx_line *line = tma_line(warp, op);
    line->wavefronts += cost->cost;
    line->ideal_wavefronts += cost->ideal;
    *(store ? &result->shared_store_wavefronts : &result->shared_load_wavefronts) += cost->cost;
    *(store ? &result->shared_store_conflicts : &result->shared_load_conflicts) +=
        cost->cost - cost->ideal;
}

void tma_count_shared_words(struct tma_warp *warp, const struct tma_op *op, uint32_t loads,
                            uint32_t stores) {
    struct tma_ptx_result *result = warp->launch->result;
    struct tma_ptx_line *line = tma_line(warp, op);
    result->shared_loads += loads;
    result->shared_stores += stores;
    result->shared_load_wavefronts += loads;
    result->shared_store_wavefronts += stores;
    line->wavefronts += loads + stores;
    line->ideal_wavefronts += loads + stores;
}

/* Where the launch is timed: the lines that the lanes of an access share. */
static void report_lines(struct tma_ptx_step *step, const struct tma_op *op, uint32_t lanes,
                         const uint64_t address[32], uint32_t bytes) {
    uint32_t count = step->line_count;
    TMA_EACH_OF(i, lanes) {
        uint64_t line = address[i] >> 7;
        uint32_t first = (uint32_t)(address[i] >> 5 & 3),
                 last = (uint32_t)((address[i] + bytes - 1) >> 5 & 3), at = count, rounds = 0;
        while (at > 0 && step->lines[at - 1].line != line)
            --at;
        if (at == 0) {
            if (count == TMA_STEP_LINES)
                continue;
            step->lines[count].line = line;
            step->lines[count].sectors = step->lines[count].rounds = 0;
            step->lines[count].units = 0;
            step->lines[count].used[0] = step->lines[count].used[1] = 0;
            step->lines[count].bytes = 0;
            at = ++count;
        }
        step->lines[at - 1].sectors |= (uint8_t)((2u << last) - (1u << first));
        step->lines[at - 1].units |=
            (uint8_t)((2u << ((address[i] + bytes - 1) >> 4 & 7)) - (1u << (address[i] >> 4 & 7)));
        step->lines[at - 1].bytes = (uint16_t)(step->lines[at - 1].bytes + bytes);
        step->lines[at - 1].used[address[i] >> 6 & 1] |= ((UINT64_C(1) << bytes) - 1)
                                                         << (address[i] & 63);
        if (op->run != tma_run_atom)
            continue;
        TMA_EACH_OF(j, lanes) {
            rounds += address[j] == address[i];
        }
        if (rounds > step->lines[at - 1].rounds)
            step->lines[at - 1].rounds = (uint8_t)rounds;
    }
    step->line_count = count;
}

/* The most lanes that have one address. */
static uint32_t most_alike(uint32_t lanes, const uint64_t address[32]) {
    uint32_t most = 0;
    TMA_EACH_OF(i, lanes) {
        uint32_t alike = 0;
        TMA_EACH_OF(j, lanes) {
            alike += address[j] == address[i];
        }
        most = alike > most ? alike : most;
    }
    return most;
}

void tma_count_global(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes,
                      const uint64_t address[32], uint32_t bytes) {
    if (lanes == 0)
        return;
    if (warp->launch->step != NULL)
        report_lines(warp->launch->step, op, lanes, address, bytes);
    struct tma_access_cost *cost = op->cost;
    uint32_t low[32];
    uint64_t spread = 0, first = address[__builtin_ctz(lanes)];
    TMA_EACH_LANE(i)
    low[i] = (uint32_t)address[i];
    TMA_EACH_OF(i, lanes) {
        spread |= (address[i] - first + (UINT64_C(1) << 31)) >> 32;
    }
    if (spread != 0 || !same_pattern(cost, lanes, low)) {
        uint64_t sectors[128];
        uint32_t count = 0, all = 0;
        TMA_EACH_OF(i, lanes) {
            for (uint64_t sector = address[i] >> 5; sector <= (address[i] + bytes - 1) >> 5;
                 ++sector) {
                uint32_t known = count;
                while (known > 0 && sectors[known - 1] != sector)
                    --known;
                if (known == 0 && count < 128)
                    sectors[count++] = sector;
            }
            ++all;
        }
        cost->cost = count;
        cost->ideal = (all * bytes + 31) / 32;
        if (cost->ideal > count)
            cost->ideal = count;
        if (spread != 0)
            cost->known = false;
    }
    struct tma_ptx_line *line = tma_line(warp, op);
    line->sectors += cost->cost;
    line->ideal_sectors += cost->ideal;
    if (op->run == tma_run_atom)
        line->repeats += most_alike(lanes, address) - 1;
}

static int shared_kind(uint32_t bytes, bool store) {
    int size = bytes >= 16 ? 4 : bytes == 8 ? 3 : bytes == 4 ? 2 : bytes == 2 ? 1 : 0;
    return (store ? TMA_ST_SHARED_B8 : TMA_LD_SHARED_B8) + size;
}

/* Counts an access by the region that its first lane met; `kind` is that of shared memory. */
static void count_access(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes,
                         const uint64_t address[32], const struct tma_region *region, int kind,
                         bool store) {
    if (region->origins != NULL) {
        uint32_t low[32];
        TMA_EACH_LANE(i)
        low[i] = (uint32_t)address[i] & TMA_SHARED_OFFSET_MASK;
        tma_count_shared(warp, op, kind, lanes, low, store);
        struct tma_ptx_step *step = warp->launch->step;
        if (step != NULL && region != &warp->cta->shared && lanes != 0) {
            step->distant = true;
            step->peer = tma_shared_rank(address[__builtin_ctz(lanes)]);
            report_lines(step, op, lanes, address, (uint32_t)op->elements * op->element_bytes);
        }
    } else if (!region->read_only && region != &warp->local_region) {
        uint32_t bytes = (uint32_t)op->elements * op->element_bytes;
        tma_count_global(warp, op, lanes, address, bytes);
        tma_line(warp, op)->bytes += (uint64_t)bytes * (uint32_t)__builtin_popcount(lanes);
    }
}

/* ---- ld and st ---- */

static uint64_t read_bytes(const uint8_t *bytes, uint32_t count) {
    uint64_t value = 0;
    switch (count) {
    case 1:
        return *bytes;
    case 2: {
        uint16_t half;
        memcpy(&half, bytes, 2);
        return half;
    }
    case 4: {
        uint32_t word;
        memcpy(&word, bytes, 4);
        return word;
    }
    default:
        memcpy(&value, bytes, 8);
        return value;
    }
}

/* The addresses of all lanes; false after tma_stop if one is opaque. */
static bool take_addresses(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes,
                           uint64_t address[32]) {
    if (!tma_known(warp, op, &op->a, lanes, "an address"))
        return false;
    if (tma_is_uniform(warp, &op->a)) {
        uint64_t all = tma_uniform_value(warp, &op->a) + (uint64_t)op->offset;
        TMA_EACH_LANE(i)
        address[i] = op->a.width == TMA_PTX_WORD ? (uint32_t)all : all;
    } else if (op->a.width == TMA_PTX_WORD) {
        const uint32_t *base = tma_read(warp, &op->a);
        uint32_t offset = (uint32_t)op->offset;
        TMA_EACH_LANE(i)
        address[i] = (uint32_t)(base[i] + offset);
    } else {
        const uint64_t *base = tma_read(warp, &op->a);
        uint64_t offset = (uint64_t)op->offset;
        TMA_EACH_LANE(i)
        address[i] = base[i] + offset;
    }
    return true;
}

/* The memory that the lanes of an access meet: mostly the same, which is then found once. */
struct meeting {
    struct tma_region *region, *first; /* of the lane before, of the first lane */
    uint64_t base, size;               /* of `region` */
};

/* Finds the memory of a lane: meeting->region. False after tma_stop. */
static inline bool meet(struct tma_warp *warp, const struct tma_op *op, struct meeting *meeting,
                        uint64_t address, uint32_t bytes, uint32_t lane, uint64_t *offset) {
    *offset = address - meeting->base;
    if (meeting->region != NULL && meeting->region != &warp->local_region &&
        *offset < meeting->size && meeting->size - *offset >= bytes && (address & (bytes - 1)) == 0)
        return true;
    struct tma_region *region =
        tma_locate(warp, op, (enum tma_ptx_space)op->space, address, bytes, bytes, lane, offset);
    if (region == NULL)
        return false;
    meeting->region = region;
    meeting->base = address - *offset;
    meeting->size = region->size;
    if (meeting->first == NULL)
        meeting->first = region;
    return true;
}

/* The opaque bits of an aligned access of up to 32 bytes. */
static uint32_t opaque_bits(const struct tma_region *region, uint64_t offset, uint32_t bytes) {
    const uint8_t *at = region->opaque + (offset >> 3);
    if (bytes <= 8)
        return *at >> (offset & 7) & ((1u << bytes) - 1);
    uint32_t bits = at[0] | (uint32_t)at[1] << 8;
    return bytes == 16 ? bits : bits | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

enum tma_step tma_run_ld(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    uint64_t address[32];
    if (lanes == 0)
        return TMA_STEP_NEXT;
    if (!take_addresses(warp, op, lanes, address))
        return TMA_STEP_FAILED;
    const struct tma_place *places = &warp->launch->places[op->list];
    uint32_t bytes = op->element_bytes, total = bytes * op->elements;
    struct meeting meeting = {.region = NULL};
    uint32_t opaque[8] = {0}, element = (UINT32_C(1) << bytes) - 1, loads = lanes;
    uint16_t origin = 0;
    bool once = lanes == TMA_ALL_LANES && bytes < 16 && tma_is_uniform(warp, &op->a);
    if (once) { /* local memory has bytes of each lane at one address */
        uint64_t offset;
        if (!meet(warp, op, &meeting, address[0], total, 0, &offset))
            return TMA_STEP_FAILED;
        once = meeting.region != &warp->local_region;
        loads = once ? 1 : lanes;
    }
    TMA_EACH_OF(i, loads) {
        uint64_t offset;
        if (!meet(warp, op, &meeting, address[i], total, i, &offset))
            return TMA_STEP_FAILED;
        const struct tma_region *region = meeting.region;
        if (region->bytes == NULL) {
            for (uint32_t e = 0; e < op->elements; ++e)
                opaque[e] |= once ? TMA_ALL_LANES : UINT32_C(1) << i;
            origin = region->origin;
            continue;
        }
        const uint8_t *from = region->bytes + offset;
        uint32_t bits =
            region->tainted && region->opaque != NULL ? opaque_bits(region, offset, total) : 0;
        if (bits != 0)
            origin = tma_region_origin(region, offset);
        for (uint32_t e = 0; e < op->elements; ++e, from += bytes, bits >>= bytes) {
            if ((bits & element) != 0) {
                opaque[e] |= once ? TMA_ALL_LANES : UINT32_C(1) << i;
                continue;
            }
            if (places[e].absent)
                continue;
            if (bytes == 16) {
                memcpy((uint8_t *)tma_write(warp, &places[e]) + 16 * i, from, 16);
                continue;
            }
            uint64_t value = read_bytes(from, bytes);
            if (op->signed_value)
                value = (uint64_t)tma_signed(value, bytes * 8);
            if (places[e].width == TMA_PTX_WORD)
                value &= (uint32_t)op->immediate;
            if (once)
                tma_set_lanes(warp, &places[e], lanes, value);
            else if (places[e].width == TMA_PTX_WORD)
                ((uint32_t *)tma_write(warp, &places[e]))[i] = (uint32_t)value;
            else
                tma_set_lane(warp, &places[e], i, value);
        }
    }
    for (uint32_t e = 0; e < op->elements; ++e)
        if (opaque[e] | tma_opaque(warp, &places[e]))
            tma_mark(warp, &places[e], lanes, opaque[e], origin);
    count_access(warp, op, lanes, address, meeting.first, shared_kind(total, false), false);
    if (tma_watched(warp))
        tma_watch_access(warp, op, lanes, address, total,
                         op->orders ? TMA_CHECK_ATOMIC : TMA_CHECK_READ);
    return TMA_STEP_NEXT;
}

enum tma_step tma_run_st(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    uint64_t address[32];
    if (lanes == 0)
        return TMA_STEP_NEXT;
    if (!take_addresses(warp, op, lanes, address))
        return TMA_STEP_FAILED;
    const struct tma_place *places = &warp->launch->places[op->list];
    uint32_t bytes = op->element_bytes, total = bytes * op->elements;
    struct meeting meeting = {.region = NULL};
    /* Lanes that store what stands there already: warps may store one value together. */
    uint32_t silent = 0;
    uint32_t any = 0, all = TMA_ALL_LANES;
    for (uint32_t e = 0; e < op->elements; ++e) {
        any |= tma_opaque(warp, &places[e]);
        all &= tma_opaque(warp, &places[e]);
    }
    /* From the highest lane: of lanes that write to one place, the lowest one wins (as on an H100).
     */
    for (uint32_t left = lanes, i; left != 0; left &= ~(UINT32_C(1) << i)) {
        i = 31 - (uint32_t)__builtin_clz(left);
        uint64_t offset;
        if (!meet(warp, op, &meeting, address[i], total, i, &offset))
            return TMA_STEP_FAILED;
        struct tma_region *region = meeting.region;
        if (region->read_only)
            return tma_stop(warp, op, TMA_PTX_FAULT, "lane %u writes %s, which is read-only", i,
                            region->name);
        if (region->bytes == NULL)
            continue;
        if (all >> i & 1) {
            uint16_t origin = warp->origin[places[0].number];
            if (!tma_region_accepts(warp, op, region, origin))
                return TMA_STEP_FAILED;
            tma_region_mark(region, offset, total, true, origin);
            continue;
        }
        bool same = tma_watched(warp) && any == 0 && !tma_region_opaque(region, offset, total);
        if (region->tainted && region->opaque != NULL)
            tma_region_mark(region, offset, total, false, 0);
        uint8_t *to = region->bytes + offset;
        for (uint32_t e = 0; e < op->elements; ++e, to += bytes, offset += bytes) {
            if (any != 0 && tma_opaque(warp, &places[e]) >> i & 1) {
                uint16_t origin = warp->origin[places[e].number];
                if (!tma_region_accepts(warp, op, region, origin))
                    return TMA_STEP_FAILED;
                tma_region_mark(region, offset, bytes, true, origin);
                continue;
            }
            if (bytes == 16) {
                memcpy(to, (const uint8_t *)tma_read(warp, &places[e]) + 16 * i, 16);
            } else {
                uint64_t value = tma_lane_value(warp, &places[e], i);
                same = same && memcmp(to, &value, bytes) == 0;
                memcpy(to, &value, bytes);
            }
        }
        silent |= same && bytes < 16 ? UINT32_C(1) << i : 0;
    }
    if (meeting.first != &warp->local_region)
        ++warp->launch->changes;
    count_access(warp, op, lanes, address, meeting.first, shared_kind(total, true), true);
    if (tma_watched(warp))
        tma_watch_access(warp, op, lanes & ~silent, address, total,
                         op->orders ? TMA_CHECK_ATOMIC : TMA_CHECK_WRITE);
    return TMA_STEP_NEXT;
}

/* ---- atomic operations ---- */

uint64_t tma_atomic_value(enum tma_ptx_word operation, enum tma_ptx_type type, uint64_t old,
                          uint64_t operand, uint64_t other) {
    const struct tma_ptx_type_facts *facts = &tma_ptx_types[type];
    uint32_t bits = facts->bits;
    bool is_signed = facts->kind == TMA_PTX_SIGNED, is_float = facts->kind == TMA_PTX_FLOAT;
    if (facts->elements == 2) {
        enum tma_ptx_type half = type == TMA_PTX_F16X2    ? TMA_PTX_F16
                                 : type == TMA_PTX_BF16X2 ? TMA_PTX_BF16
                                 : is_signed              ? TMA_PTX_S16
                                                          : TMA_PTX_U16;
        return tma_atomic_value(operation, half, old & 0xffff, operand & 0xffff, other) |
               tma_atomic_value(operation, half, old >> 16, operand >> 16, other) << 16;
    }
    uint64_t x = tma_extended(old, type), y = tma_extended(operand, type);
    bool less = is_signed ? (int64_t)x < (int64_t)y : x < y;
    switch ((uint32_t)operation) {
    case TMA_PTX_DOT_ADD:
        return is_float ? tma_float_sum(type, old, operand, false) : tma_low_bits(x + y, bits);
    case TMA_PTX_DOT_MIN:
        return is_float ? tma_float_extreme(type, old, operand, false) : less ? old : operand;
    case TMA_PTX_DOT_MAX:
        return is_float ? tma_float_extreme(type, old, operand, true) : less ? operand : old;
    case TMA_PTX_DOT_INC:
        return x >= y ? 0 : x + 1;
    case TMA_PTX_DOT_DEC:
        return x == 0 || x > y ? y : x - 1;
    case TMA_PTX_DOT_AND:
        return old & operand;
    case TMA_PTX_DOT_OR:
        return old | operand;
    case TMA_PTX_DOT_XOR:
        return old ^ operand;
    case TMA_PTX_DOT_CAS:
        return old == operand ? other : old;
    default: /* exch */
        return operand;
    }
}

enum tma_step tma_run_atom(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    uint32_t bytes = op->element_bytes, total = bytes * op->elements;
    uint64_t address[32];
    if (lanes == 0)
        return TMA_STEP_NEXT;
    if (!take_addresses(warp, op, lanes, address))
        return TMA_STEP_FAILED;
    if (tma_watched(warp))
        tma_watch_access(warp, op, lanes, address, total, TMA_CHECK_ATOMIC);
    const struct tma_place *olds = &warp->launch->places[op->list],
                           *operands = &warp->launch->places[op->list2];
    struct meeting meeting = {.region = NULL};
    TMA_EACH_OF(i, lanes) {
        uint64_t offset;
        if (!meet(warp, op, &meeting, address[i], total, i, &offset))
            return TMA_STEP_FAILED;
        struct tma_region *region = meeting.region;
        if (region->read_only || region == &warp->local_region)
            return tma_stop(warp, op, TMA_PTX_FAULT,
                            "lane %u has an atomic operation on %s; global and shared memory have "
                            "them",
                            i, region->name);
        for (uint32_t e = 0; e < op->elements; ++e, offset += bytes) {
            bool memory_opaque = region->bytes == NULL || tma_region_opaque(region, offset, bytes);
            bool operand_opaque = tma_opaque(warp, &operands[e]) >> i & 1;
            uint16_t origin = memory_opaque ? tma_region_origin(region, offset)
                                            : warp->origin[operands[e].number];
            if (op->mode == 1 && !op->c.absent && (tma_opaque(warp, &op->c) >> i & 1) &&
                !operand_opaque) { /* cas: the value that it stores */
                operand_opaque = true;
                origin = memory_opaque ? origin : warp->origin[op->c.number];
            }
            bool replaces = op->immediate == TMA_PTX_DOT_EXCH;
            uint64_t old = 0;
            if (!memory_opaque)
                old = read_bytes(region->bytes + offset, bytes == 16 ? 8 : bytes);
            uint8_t old16[16];
            if (bytes == 16 && region->bytes != NULL)
                memcpy(old16, region->bytes + offset, 16);
            if (operand_opaque || (memory_opaque && !replaces)) {
                if (region->bytes != NULL) {
                    if (!tma_region_accepts(warp, op, region, origin))
                        return TMA_STEP_FAILED;
                    tma_region_mark(region, offset, bytes, true, origin);
                }
            } else if (region->bytes != NULL && bytes == 16) {
                const uint8_t *operand = (const uint8_t *)tma_read(warp, &operands[e]) + 16 * i;
                const uint8_t *value = operand;
                if (!replaces)
                    value = memcmp(old16, operand, 16) == 0
                                ? (const uint8_t *)tma_read(warp, &op->c) + 16 * i
                                : old16;
                memcpy(region->bytes + offset, value, 16);
                tma_region_mark(region, offset, bytes, false, 0);
            } else if (region->bytes != NULL) {
                uint64_t operand = tma_lane_value(warp, &operands[e], i),
                         other = op->c.absent ? 0 : tma_lane_value(warp, &op->c, i);
                enum tma_ptx_word operation = (enum tma_ptx_word)op->immediate;
                enum tma_ptx_type type = (enum tma_ptx_type)op->type;
                /* Global memory sums .f32 without subnormal numbers; shared memory keeps them. */
                bool flush =
                    type == TMA_PTX_F32 && operation == TMA_PTX_DOT_ADD && region->origins == NULL;
                uint64_t value = flush ? tma_float_sum(type, old, operand, true)
                                       : tma_atomic_value(operation, type, old, operand, other);
                memcpy(region->bytes + offset, &value, bytes);
                if (memory_opaque)
                    tma_region_mark(region, offset, bytes, false, 0);
            }
            if (op->list_count != 0 && !olds[e].absent) {
                if (bytes == 16 && !memory_opaque)
                    memcpy((uint8_t *)tma_write(warp, &olds[e]) + 16 * i, old16, 16);
                else
                    tma_set_lane(warp, &olds[e], i, old);
                tma_mark(warp, &olds[e], UINT32_C(1) << i, memory_opaque ? TMA_ALL_LANES : 0,
                         origin);
            }
        }
    }
    ++warp->launch->changes;
    count_access(warp, op, lanes, address, meeting.first, TMA_RED_SHARED_B32, true);
    return TMA_STEP_NEXT;
}

enum tma_step tma_run_touch(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    return tma_known(warp, op, &op->a, lanes, "an address") ? TMA_STEP_NEXT : TMA_STEP_FAILED;
}
