#include "ptx/checks.h"

#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "ptx/execution.h"

enum {
    CELL_BYTES = 4,
    CELL_READS = 12,      /* sides that read a cell since its last write */
    MOST_BARRIERS = 1024, /* mbarriers of a cluster */
    KEPT_GROUPS = 32,     /* groups of cp.async of which a wait knows when they were committed */
    WARPGROUP = 4,        /* warps */
    NAMED_BARRIERS = 17   /* of a CTA; the last one is the cluster's, of its first CTA */
};

/* What is known of one side: all that it did up to `whole`, and up to `part` what `lanes` did. */
struct known {
    uint32_t whole, part, lanes;
};

/* An access to a cell. */
struct mark {
    uint16_t side;
    uint8_t layout; /* of a write by TMA */
    bool reduces;   /* a reduction by TMA or red.async: they do not race with each other */
    bool generic;   /* by the generic proxy: TMA and wgmma need a fence */
    bool init;      /* mbarrier.init, which fence.mbarrier_init orders alone */
    uint8_t bytes;  /* of the cell: the lowest bit stands for its first byte */
    uint32_t clock, lanes;
    uint32_t instruction;
};

struct cell {
    struct mark writes[CELL_BYTES]; /* the last ones, of different bytes */
    struct mark reads[CELL_READS];
    uint8_t write_count, read_count;
};

struct warp {
    uint32_t converged;                /* clock at the last convergence */
    uint32_t issued[TMA_CHECK_GROUPS]; /* groups that were committed */
    uint32_t clocks[TMA_CHECK_GROUPS]; /* of the open group: later ones have later clocks */
    uint32_t committed[TMA_CHECK_GROUPS][KEPT_GROUPS]; /* clocks of the last groups, by number */
    uint32_t joined[KEPT_GROUPS];     /* the warp's own clock when it committed a wgmma group */
    uint32_t awaited;                 /* wgmma groups that are complete */
    uint32_t lanes[TMA_CHECK_GROUPS]; /* that have operations in them */
    uint32_t store;                   /* instruction of its last bulk store */
    uint32_t open;                    /* bulk stores that are in no group yet */
};

/* What a barrier carries: by side, then what the warps' fences order, in `whole`. */
struct carried {
    struct known *pending;  /* from the arrivals of the current phase */
    struct known *complete; /* from those of the last one */
};

/* A wait of a warp that has succeeded. */
struct wait {
    uint32_t phase, clock, instruction; /* phase: 1 + those that were complete; 0: none */
};

struct mbarrier {
    uint32_t cta, address;
    uint32_t phase; /* phases that are complete */
    bool unordered; /* the current phase has arrivals that do not say what came before them */
    struct carried carried;
    struct wait *waits; /* by warp */
    struct {
        uint32_t phase, warp, instruction; /* phase: 1 + those complete when it was issued */
    } remote; /* the last operation of another CTA whose bytes complete here */
};

struct tma_checks {
    uint32_t ctas, warps, shared_bytes, cells; /* warps, bytes and cells: of a CTA */
    uint32_t all;                              /* warps of all CTAs */
    uint32_t sides;                            /* warps and their groups, then mbarriers */
    bool strict, out_of_memory, many_barriers;
    const struct tma_ptx_launch *launch;
    tma_check_report *report;
    void *context;
    struct cell *memory;  /* by CTA */
    struct warp *states;  /* by CTA, then warp */
    struct known *clocks; /* by warp, then side */
    uint32_t *fenced;     /* by warp, then warp: whose generic writes up to that clock are fenced;
                           * then warp: whose mbarrier.init up to that clock are known */
    struct carried *released; /* by warp: `pending` is what its last memory fence releases */
    struct mbarrier *barriers;
    uint32_t barrier_count;
    struct carried *syncs; /* by CTA, then number */
    struct known *left;    /* by CTA, then side: what its warps knew when they exited */
    struct {
        uint32_t clock, instruction;
    } * remotes; /* by warp, then CTA */
};

/* ---- sides ---- */

static uint32_t warp_of(const struct tma_checks *checks, const struct tma_check_side *side) {
    return side->cta * checks->warps + side->warp;
}

/* The first warp of a warp's warpgroup. */
static uint32_t leader_of(const struct tma_checks *checks, uint32_t warp) {
    return warp - warp % checks->warps % WARPGROUP;
}

/* A product is one operation of four warps: it is over for all when it is over for one. */
static uint32_t group_side(const struct tma_checks *checks, uint32_t warp,
                           enum tma_check_group group) {
    return checks->all * (1 + (uint32_t)group) +
           (group == TMA_CHECK_PRODUCT ? leader_of(checks, warp) : warp);
}

static uint32_t barrier_side(const struct tma_checks *checks, uint32_t barrier) {
    return checks->all * (1 + TMA_CHECK_GROUPS) + barrier;
}

static struct known *clock_of(const struct tma_checks *checks, uint32_t warp) {
    return &checks->clocks[(size_t)warp * checks->sides];
}

static void learn(struct known *into, const struct known *from, uint32_t sides) {
    for (uint32_t i = 0; i < sides; i++) {
        if (from[i].whole > into[i].whole)
            into[i].whole = from[i].whole;
        into[i].lanes |= from[i].lanes;
        if (from[i].part > into[i].part)
            into[i].part = from[i].part;
    }
}

/* Products that are complete were issued by all four warps: each knows what the others did before.
 */
static void join_products(struct tma_checks *checks, uint32_t warp) {
    uint32_t first = leader_of(checks, warp), number = checks->states[warp].awaited;
    uint32_t end = first + WARPGROUP, last = (warp / checks->warps + 1) * checks->warps;
    for (uint32_t i = first; number != 0 && i < (end < last ? end : last); i++) {
        const struct warp *other = &checks->states[i];
        uint32_t issued = other->issued[TMA_CHECK_PRODUCT];
        if (i == warp || issued < number || issued - number >= KEPT_GROUPS)
            continue;
        uint32_t clock = other->joined[(number - 1) % KEPT_GROUPS];
        struct known *known = &clock_of(checks, warp)[i];
        if (clock > known->whole)
            *known = (struct known){clock, clock, UINT32_MAX};
    }
}

/* Of a warp: first fenced writes, then mbarrier.init. */
static uint32_t *fenced_by(const struct tma_checks *checks, uint32_t warp) {
    return &checks->fenced[(size_t)warp * 2 * checks->all];
}

/* Gives the barrier a part of what the warp's fences order, which travels behind the sides of its
 * clock. */
static void give_fenced(const struct tma_checks *checks, uint32_t warp, uint32_t begin,
                        uint32_t end, struct known *barrier) {
    const uint32_t *fenced = fenced_by(checks, warp);
    for (uint32_t i = begin; i < end; i++)
        if (fenced[i] > barrier[checks->sides + i].whole)
            barrier[checks->sides + i].whole = fenced[i];
}

static void give(struct tma_checks *checks, uint32_t warp, uint32_t lanes, struct known *barrier) {
    struct known *own = clock_of(checks, warp);
    join_products(checks, warp);
    uint32_t now = own[warp].whole;
    bool all = lanes == UINT32_MAX;
    own[warp] = (struct known){all ? now : checks->states[warp].converged, now, lanes};
    learn(barrier, own, checks->sides);
    own[warp] = (struct known){now + 1, now + 1, UINT32_MAX};
    if (all)
        checks->states[warp].converged = now;
    give_fenced(checks, warp, 0, 2 * checks->all, barrier);
}

/* A relaxed arrival: what fences before it release. */
static void give_released(struct tma_checks *checks, uint32_t warp, struct known *barrier) {
    const struct known *released = checks->released[warp].pending;
    if (released != NULL)
        learn(barrier, released, checks->sides + 2 * checks->all);
    give_fenced(checks, warp, checks->all, 2 * checks->all, barrier);
}

static void take(struct tma_checks *checks, uint32_t warp, const struct known *barrier) {
    struct known *own = clock_of(checks, warp), self = own[warp];
    learn(own, barrier, checks->sides);
    own[warp] = self;
    uint32_t *fenced = fenced_by(checks, warp);
    for (uint32_t i = 0; i < 2 * checks->all; i++)
        if (barrier[checks->sides + i].whole > fenced[i])
            fenced[i] = barrier[checks->sides + i].whole;
}

static size_t carried_length(const struct tma_checks *checks) {
    return checks->sides + 2 * checks->all;
}

/* Gives a barrier its clocks, once. */
static bool allocate_carried(struct tma_checks *checks, struct carried *carried) {
    if (carried->pending == NULL)
        carried->pending = tma_allocate(carried_length(checks), sizeof *carried->pending);
    if (carried->complete == NULL)
        carried->complete = tma_allocate(carried_length(checks), sizeof *carried->complete);
    if (carried->pending != NULL && carried->complete != NULL)
        return true;
    checks->out_of_memory = true;
    return false;
}

static void forget(const struct tma_checks *checks, struct known *clock) {
    memset(clock, 0, carried_length(checks) * sizeof *clock);
}

/* A phase is over: what its arrivals carry is there to take. */
static void complete_phase(const struct tma_checks *checks, struct carried *carried) {
    struct known *complete = carried->pending;
    carried->pending = carried->complete;
    carried->complete = complete;
    forget(checks, carried->pending);
}

/* ---- cells ---- */

static bool is_ordered(const struct tma_checks *checks, uint32_t warp, const struct mark *mark) {
    const struct known *known = &clock_of(checks, warp)[mark->side];
    return mark->side == warp || mark->clock <= known->whole ||
           (mark->clock <= known->part && (mark->lanes & ~known->lanes) == 0) ||
           (mark->init && mark->clock <= fenced_by(checks, warp)[checks->all + mark->side]);
}

/* A byte of shared memory: "0x410 (tile + 0x10)". */
struct name {
    char text[TMA_PTX_SHARED_NAME_BYTES];
};

static struct name name_of(const struct tma_checks *checks, uint32_t address) {
    struct name name = {""};
    tma_ptx_shared_name(checks->launch->module, checks->launch->function, address, name.text);
    return name;
}

enum { SIDE_BYTES = 96 + TMA_PTX_SHARED_NAME_BYTES };

/* "warp 2 of CTA 0", "a bulk load that completes on mbarrier 0x410 (full) of CTA 0", ... */
static void name_side(const struct tma_checks *checks, uint32_t side, char text[SIDE_BYTES]) {
    static const char *const groups[] = {
        "a bulk store of warp", "a matrix product of the warpgroup of warp", "cp.async of warp"};
    uint32_t warps = checks->all, kind = side / warps;
    if (kind > TMA_CHECK_GROUPS) {
        const struct mbarrier *barrier = &checks->barriers[side - barrier_side(checks, 0)];
        snprintf(text, SIDE_BYTES, "a bulk load that completes on mbarrier %s of CTA %u",
                 name_of(checks, barrier->address).text, barrier->cta);
    } else if (kind == 0) {
        snprintf(text, SIDE_BYTES, "warp %u of CTA %u", side % checks->warps, side / checks->warps);
    } else {
        uint32_t warp = side - kind * warps;
        snprintf(text, SIDE_BYTES, "%s %u of CTA %u", groups[kind - 1], warp % checks->warps,
                 warp / checks->warps);
    }
}

static void race(struct tma_checks *checks, const struct tma_check_side *side, const char *does,
                 uint32_t own, const struct mark *mark, const char *did, uint32_t address) {
    char who[SIDE_BYTES], other[SIDE_BYTES], text[3 * SIDE_BYTES];
    name_side(checks, own, who);
    name_side(checks, mark->side, other);
    snprintf(text, sizeof text,
             "%s %s shared memory %s, which %s %s; no wait, arrival or group orders them", who,
             does, name_of(checks, address).text, other, did);
    checks->report(checks->context, "race", side, mark->instruction, text);
}

static void need_fence(struct tma_checks *checks, const struct tma_check_side *side,
                       const char *does, const struct mark *mark, uint32_t address) {
    char other[SIDE_BYTES], text[3 * SIDE_BYTES];
    name_side(checks, mark->side, other);
    snprintf(text, sizeof text,
             "%s shared memory %s, which %s wrote by ordinary stores; fence.proxy.async is "
             "missing between them",
             does, name_of(checks, address).text, other);
    checks->report(checks->context, "fence", side, mark->instruction, text);
}

/* Forgets reads that the warp knows of: what is ordered behind the warp is ordered behind them. */
static void add_read(struct tma_checks *checks, struct cell *cell, uint32_t warp,
                     const struct mark *mark) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cell->read_count; i++) {
        const struct mark *old = &cell->reads[i];
        bool same = old->side == mark->side && old->clock == mark->clock;
        if (same && (mark->lanes & ~old->lanes) == 0 && (mark->bytes & ~old->bytes) == 0)
            return;
        if ((old->bytes & ~mark->bytes) == 0 &&
            (old->side == mark->side || (mark->side == warp && is_ordered(checks, warp, old))))
            continue;
        cell->reads[kept++] = *old;
    }
    if (kept == CELL_READS) /* the oldest one goes: a race with it alone is not found */
        memmove(cell->reads, cell->reads + 1, (size_t)--kept * sizeof *cell->reads);
    cell->reads[kept++] = *mark;
    cell->read_count = (uint8_t)kept;
}

static bool is_fenced(const struct tma_checks *checks, uint32_t warp, const struct mark *mark) {
    return !mark->generic || mark->clock <= fenced_by(checks, warp)[mark->side];
}

/* What a side does. */
struct verb {
    const char *does;
    bool async; /* by the asynchronous proxy */
};

/* The cells of a range. Returns how many; *first is the first one. */
static uint32_t cells_of(struct tma_checks *checks, uint32_t target, uint32_t address,
                         uint32_t bytes, struct cell **first) {
    if (bytes == 0 || address >= checks->shared_bytes || target >= checks->ctas)
        return 0;
    uint32_t last =
        address + bytes - 1 < checks->shared_bytes ? address + bytes - 1 : checks->shared_bytes - 1;
    *first = &checks->memory[(size_t)target * checks->cells + address / CELL_BYTES];
    return last / CELL_BYTES - address / CELL_BYTES + 1;
}

/* The bytes of a range that lie in its cell number `cell`. */
static uint8_t bytes_of(uint32_t address, uint32_t bytes, uint32_t cell) {
    uint32_t first = address % CELL_BYTES, end = first + bytes - cell * CELL_BYTES;
    uint32_t mask = end < CELL_BYTES ? (1u << end) - 1 : (1u << CELL_BYTES) - 1;
    return (uint8_t)(cell == 0 ? mask >> first << first : mask);
}

/* Takes bytes from the marks, and forgets those that have none left. */
static uint8_t take_bytes(struct mark *marks, uint8_t count, uint8_t bytes) {
    uint8_t kept = 0;
    for (uint8_t i = 0; i < count; i++) {
        marks[i].bytes &= (uint8_t)~bytes;
        if (marks[i].bytes != 0)
            marks[kept++] = marks[i];
    }
    return kept;
}

static uint32_t address_of(uint32_t address, uint32_t cell) {
    return (address & ~(uint32_t)(CELL_BYTES - 1)) + cell * CELL_BYTES;
}

/* A side that a warp has started reads a range. Reports the first race alone. */
static void read_range(struct tma_checks *checks, const struct tma_check_side *side,
                       uint32_t target, uint32_t address, uint32_t bytes, struct mark mark,
                       const struct verb *verb) {
    struct cell *cells;
    uint32_t count = cells_of(checks, target, address, bytes, &cells);
    uint32_t warp = warp_of(checks, side);
    bool reported = false;
    for (uint32_t i = 0; i < count; i++) {
        mark.bytes = bytes_of(address, bytes, i);
        for (uint8_t j = 0; j < cells[i].write_count && !reported; j++) {
            const struct mark *write = &cells[i].writes[j];
            if ((write->bytes & mark.bytes) == 0)
                continue;
            if (!is_ordered(checks, warp, write)) {
                race(checks, side, verb->does, mark.side, write, "writes", address_of(address, i));
                reported = true;
            } else if (verb->async && !is_fenced(checks, warp, write)) {
                need_fence(checks, side, "the asynchronous proxy reads", write,
                           address_of(address, i));
                reported = true;
            }
        }
        add_read(checks, &cells[i], warp, &mark);
    }
}

/* An older access to bytes that are written now. Reports it if nothing orders the two. */
static bool is_reported(struct tma_checks *checks, const struct tma_check_side *side,
                        uint32_t address, const struct mark *mark, const struct verb *verb,
                        const struct mark *old, const char *did) {
    uint32_t warp = warp_of(checks, side);
    if ((old->bytes & mark->bytes) == 0 || (old->reduces && mark->reduces))
        return false;
    if (!is_ordered(checks, warp, old)) {
        race(checks, side, verb->does, mark->side, old, did, address);
        return true;
    }
    if (!checks->strict || !verb->async || is_fenced(checks, warp, old))
        return false;
    need_fence(checks, side, "the asynchronous proxy overwrites", old, address);
    return true;
}

static void write_range(struct tma_checks *checks, const struct tma_check_side *side,
                        uint32_t target, uint32_t address, uint32_t bytes, struct mark mark,
                        const struct verb *verb) {
    struct cell *cells;
    uint32_t count = cells_of(checks, target, address, bytes, &cells);
    bool reported = false;
    for (uint32_t i = 0; i < count; i++) {
        struct cell *cell = &cells[i];
        uint32_t place = address_of(address, i);
        mark.bytes = bytes_of(address, bytes, i);
        for (uint8_t j = 0; j < cell->write_count && !reported; j++)
            reported = is_reported(checks, side, place, &mark, verb, &cell->writes[j], "writes");
        for (uint8_t j = 0; j < cell->read_count && !reported; j++)
            reported = is_reported(checks, side, place, &mark, verb, &cell->reads[j], "reads");
        cell->write_count = take_bytes(cell->writes, cell->write_count, mark.bytes);
        cell->read_count = take_bytes(cell->reads, cell->read_count, mark.bytes);
        cell->writes[cell->write_count++] = mark;
    }
}

static struct mark warp_mark(const struct tma_checks *checks, const struct tma_check_side *side) {
    uint32_t warp = warp_of(checks, side);
    return (struct mark){.side = (uint16_t)warp,
                         .layout = TMA_CHECK_NO_LAYOUT,
                         .generic = true,
                         .clock = clock_of(checks, warp)[warp].whole,
                         .lanes = side->lanes,
                         .instruction = side->instruction};
}

/* Operations of the group that is not committed yet. */
static struct mark group_mark(const struct tma_checks *checks, const struct tma_check_side *side,
                              enum tma_check_group group) {
    uint32_t warp = warp_of(checks, side);
    return (struct mark){.side = (uint16_t)group_side(checks, warp, group),
                         .layout = TMA_CHECK_NO_LAYOUT,
                         .clock = checks->states[warp].clocks[group] + 1,
                         .lanes = side->lanes,
                         .instruction = side->instruction};
}

static void use_remote(struct tma_checks *checks, const struct tma_check_side *side,
                       uint32_t target) {
    uint32_t warp = warp_of(checks, side);
    if (target == side->cta || target >= checks->ctas)
        return;
    checks->remotes[warp * checks->ctas + target].clock = clock_of(checks, warp)[warp].whole;
    checks->remotes[warp * checks->ctas + target].instruction = side->instruction;
}

static struct mbarrier *find_barrier(struct tma_checks *checks, uint32_t cta, uint32_t address) {
    for (uint32_t i = checks->barrier_count; i-- > 0;)
        if (checks->barriers[i].cta == cta && checks->barriers[i].address == address)
            return &checks->barriers[i];
    if (checks->barrier_count == MOST_BARRIERS) {
        checks->many_barriers = true;
        return NULL;
    }
    struct mbarrier *barrier = &checks->barriers[checks->barrier_count];
    if (barrier->waits == NULL)
        barrier->waits = tma_allocate(checks->all, sizeof *barrier->waits);
    checks->out_of_memory |= barrier->waits == NULL;
    if (!allocate_carried(checks, &barrier->carried) || barrier->waits == NULL)
        return NULL;
    barrier->cta = cta;
    barrier->address = address;
    checks->barrier_count++;
    return barrier;
}

void tma_checks_access(struct tma_checks *checks, const struct tma_check_side *side,
                       enum tma_check_access access, uint32_t target, uint32_t address,
                       uint32_t bytes) {
    static const struct verb verbs[] = {{"reads", false}, {"writes", false}, {"updates", false}};
    use_remote(checks, side, target);
    if (access == TMA_CHECK_READ)
        read_range(checks, side, target, address, bytes, warp_mark(checks, side), &verbs[access]);
    else if (access == TMA_CHECK_WRITE)
        write_range(checks, side, target, address, bytes, warp_mark(checks, side), &verbs[access]);
    else {
        /* Flags: what the writer of a flag did is known to those who access it after. The cell's
         * barrier is the flag itself. */
        struct cell *cells;
        uint32_t count = cells_of(checks, target, address, bytes, &cells);
        for (uint32_t i = 0; i < count; i++)
            cells[i].write_count = cells[i].read_count = 0;
        struct mbarrier *flag = count == 0 ? NULL : find_barrier(checks, target, address);
        if (flag != NULL) {
            give(checks, warp_of(checks, side), side->lanes, flag->carried.pending);
            take(checks, warp_of(checks, side), flag->carried.pending);
        }
    }
}

/* An operation that completes in the current phase of an mbarrier. False: there is no room for it.
 */
static bool barrier_mark(struct tma_checks *checks, const struct tma_check_side *side,
                         uint32_t barrier_cta, uint32_t barrier, uint8_t layout,
                         struct mark *mark) {
    struct mbarrier *found = find_barrier(checks, barrier_cta, barrier);
    if (found == NULL)
        return false;
    /* The phase cannot be over before this is issued: by one who knows of these waits. */
    for (uint32_t warp = 0; warp < checks->all; warp++) {
        const struct known *known = &clock_of(checks, warp_of(checks, side))[warp];
        struct wait *wait = &found->waits[warp];
        if (wait->phase == found->phase + 1 &&
            (wait->clock <= known->whole || wait->clock <= known->part))
            wait->phase = 0;
    }
    if (barrier_cta != side->cta) {
        found->remote.phase = found->phase + 1;
        found->remote.warp = warp_of(checks, side);
        found->remote.instruction = side->instruction;
    }
    *mark =
        (struct mark){.side = (uint16_t)barrier_side(checks, (uint32_t)(found - checks->barriers)),
                      .layout = layout,
                      .clock = found->phase + 1,
                      .lanes = UINT32_MAX,
                      .instruction = side->instruction};
    return true;
}

void tma_checks_bulk_write(struct tma_checks *checks, const struct tma_check_side *side,
                           uint32_t target, uint32_t address, uint32_t bytes, uint8_t layout,
                           bool reduces, uint32_t barrier_cta, uint32_t barrier) {
    static const struct verb verb = {"writes", true};
    struct mark mark;
    if (!barrier_mark(checks, side, barrier_cta, barrier, layout, &mark))
        return;
    mark.reduces = reduces;
    if (target != barrier_cta)
        use_remote(checks, side, target);
    write_range(checks, side, target, address, bytes, mark, &verb);
}

void tma_checks_bulk_source(struct tma_checks *checks, const struct tma_check_side *side,
                            uint32_t address, uint32_t bytes, uint32_t barrier_cta,
                            uint32_t barrier) {
    static const struct verb verb = {"reads", true};
    struct mark mark;
    if (barrier_mark(checks, side, barrier_cta, barrier, TMA_CHECK_NO_LAYOUT, &mark))
        read_range(checks, side, side->cta, address, bytes, mark, &verb);
}

/* A tile that one map has written is read as if it lay otherwise. */
static void check_layout(struct tma_checks *checks, const struct tma_check_side *side,
                         uint32_t address, uint32_t bytes, uint8_t layout, const char *reader) {
    static const char *const names[] = {"no swizzle", "32B swizzle", "64B swizzle", "128B swizzle"};
    struct cell *cells;
    uint32_t count = cells_of(checks, side->cta, address, bytes, &cells);
    for (uint32_t i = 0; i < count && layout != TMA_CHECK_NO_LAYOUT; i++) {
        if (cells[i].write_count == 0)
            continue;
        const struct mark *write = &cells[i].writes[0]; /* TMA writes whole cells */
        uint8_t written = write->layout;
        if (written == TMA_CHECK_NO_LAYOUT || written == layout)
            continue;
        char text[2 * SIDE_BYTES];
        snprintf(text, sizeof text,
                 "%s reads shared memory %s with %s; the tensor map that wrote it has %s", reader,
                 name_of(checks, address_of(address, i)).text,
                 layout < 4 ? names[layout] : "another swizzle",
                 written < 4 ? names[written] : "another swizzle");
        checks->report(checks->context, "layout", side, write->instruction, text);
        return;
    }
}

void tma_checks_bulk_read(struct tma_checks *checks, const struct tma_check_side *side,
                          uint32_t address, uint32_t bytes, uint8_t layout) {
    static const struct verb verb = {"reads", true};
    struct warp *state = &checks->states[warp_of(checks, side)];
    state->lanes[TMA_CHECK_BULK] |= side->lanes;
    state->store = side->instruction;
    state->open++;
    check_layout(checks, side, address, bytes, layout, "a bulk store");
    read_range(checks, side, side->cta, address, bytes, group_mark(checks, side, TMA_CHECK_BULK),
               &verb);
}

void tma_checks_copy_write(struct tma_checks *checks, const struct tma_check_side *side,
                           uint32_t target, uint32_t address, uint32_t bytes) {
    static const struct verb verb = {"writes", false};
    struct mark mark = group_mark(checks, side, TMA_CHECK_COPY);
    checks->states[warp_of(checks, side)].lanes[TMA_CHECK_COPY] |= side->lanes;
    write_range(checks, side, target, address, bytes, mark, &verb);
}

void tma_checks_product_read(struct tma_checks *checks, const struct tma_check_side *side,
                             uint32_t address, uint32_t bytes, uint8_t layout) {
    static const struct verb verb = {"reads", true};
    check_layout(checks, side, address, bytes, layout, "wgmma");
    read_range(checks, side, side->cta, address, bytes, group_mark(checks, side, TMA_CHECK_PRODUCT),
               &verb);
}

void tma_checks_commit(struct tma_checks *checks, const struct tma_check_side *side,
                       enum tma_check_group group) {
    struct warp *state = &checks->states[warp_of(checks, side)];
    if (group == TMA_CHECK_PRODUCT)
        state->joined[state->issued[group] % KEPT_GROUPS] = state->converged;
    state->committed[group][state->issued[group]++ % KEPT_GROUPS] = ++state->clocks[group];
    if (group == TMA_CHECK_BULK)
        state->open = 0;
}

void tma_checks_wait_group(struct tma_checks *checks, const struct tma_check_side *side,
                           enum tma_check_group group, uint32_t left) {
    uint32_t warp = warp_of(checks, side);
    struct warp *state = &checks->states[warp];
    /* Groups are of threads: a wait of other lanes waits for none of them. */
    if ((state->lanes[group] & ~side->lanes) != 0 || state->issued[group] <= left)
        return;
    struct known *known = &clock_of(checks, warp)[group_side(checks, warp, group)];
    if (left >= KEPT_GROUPS)
        return;
    uint32_t clock = state->committed[group][(state->issued[group] - left - 1) % KEPT_GROUPS];
    if (clock > known->whole)
        *known = (struct known){clock, clock, UINT32_MAX};
    if (group == TMA_CHECK_PRODUCT && state->issued[group] - left > state->awaited) {
        state->awaited = state->issued[group] - left;
        join_products(checks, warp);
    }
    if (left == 0)
        state->lanes[group] = 0;
}

enum { BARRIER_BYTES = 8 };

/* Who arrives at an mbarrier or waits on it reads what its initialisation wrote. */
static void use_barrier(struct tma_checks *checks, const struct tma_check_side *side, uint32_t cta,
                        uint32_t address) {
    static const struct verb verb = {"uses the mbarrier in", false};
    read_range(checks, side, cta, address, BARRIER_BYTES, warp_mark(checks, side), &verb);
}

void tma_checks_barrier_init(struct tma_checks *checks, const struct tma_check_side *side,
                             uint32_t address) {
    static const struct verb verb = {"initialises or invalidates the mbarrier in", false};
    struct mbarrier *barrier = find_barrier(checks, side->cta, address);
    if (barrier == NULL)
        return;
    struct mark mark = warp_mark(checks, side);
    mark.generic = checks->strict;
    mark.init = true;
    write_range(checks, side, side->cta, address, BARRIER_BYTES, mark, &verb);
    /* Phases go on counting: what older ones carried stays older. */
    barrier->phase++;
    barrier->unordered = false;
    memset(barrier->waits, 0, checks->all * sizeof *barrier->waits);
    forget(checks, barrier->carried.pending);
    forget(checks, barrier->carried.complete);
}

void tma_checks_barrier_arrive(struct tma_checks *checks, const struct tma_check_side *side,
                               uint32_t barrier_cta, uint32_t address, bool release) {
    struct mbarrier *barrier = find_barrier(checks, barrier_cta, address);
    use_remote(checks, side, barrier_cta);
    use_barrier(checks, side, barrier_cta, address);
    if (barrier != NULL && release)
        give(checks, warp_of(checks, side), side->lanes, barrier->carried.pending);
    else if (barrier != NULL) {
        give_released(checks, warp_of(checks, side), barrier->carried.pending);
        barrier->unordered = true;
    }
}

void tma_checks_copy_arrive(struct tma_checks *checks, const struct tma_check_side *side,
                            uint32_t barrier_cta, uint32_t address) {
    struct mbarrier *barrier = find_barrier(checks, barrier_cta, address);
    uint32_t warp = warp_of(checks, side), copies = group_side(checks, warp, TMA_CHECK_COPY);
    if (barrier == NULL)
        return;
    /* Copies that follow belong to the same group, but not to this arrival. */
    uint32_t clock = ++checks->states[warp].clocks[TMA_CHECK_COPY];
    struct known *known = &barrier->carried.pending[copies];
    barrier->unordered = true;
    if (clock > known->whole)
        *known = (struct known){clock, clock, UINT32_MAX};
}

/* Does whoever arrived know of the waits for the phase before? */
static void check_waits(struct tma_checks *checks, struct mbarrier *barrier) {
    for (uint32_t warp = 0; warp < checks->all && !barrier->unordered; warp++) {
        const struct wait *wait = &barrier->waits[warp];
        const struct known *known = &barrier->carried.pending[warp];
        if (wait->phase != barrier->phase + 1 || wait->clock <= known->whole ||
            wait->clock <= known->part)
            continue;
        char text[2 * SIDE_BYTES];
        struct tma_check_side side = {.cta = warp / checks->warps,
                                      .warp = warp % checks->warps,
                                      .lanes = UINT32_MAX,
                                      .instruction = wait->instruction};
        snprintf(text, sizeof text,
                 "the next phase of mbarrier %s of CTA %u can be over before warp %u of CTA %u "
                 "looks at this one, for which it waits; no arrival follows its wait",
                 name_of(checks, barrier->address).text, barrier->cta, side.warp, side.cta);
        checks->report(checks->context, "barrier", &side, UINT32_MAX, text);
    }
    barrier->unordered = false;
}

void tma_checks_phase_complete(struct tma_checks *checks, uint32_t barrier_cta, uint32_t address) {
    struct mbarrier *barrier = find_barrier(checks, barrier_cta, address);
    if (barrier == NULL)
        return;
    check_waits(checks, barrier);
    uint32_t side = barrier_side(checks, (uint32_t)(barrier - checks->barriers));
    complete_phase(checks, &barrier->carried);
    barrier->phase++;
    barrier->carried.complete[side] = (struct known){barrier->phase, barrier->phase, UINT32_MAX};
}

void tma_checks_barrier_wait(struct tma_checks *checks, const struct tma_check_side *side,
                             uint32_t barrier_cta, uint32_t address, bool acquire) {
    const struct mbarrier *barrier = find_barrier(checks, barrier_cta, address);
    uint32_t warp = warp_of(checks, side);
    use_barrier(checks, side, barrier_cta, address);
    if (barrier == NULL)
        return;
    if (acquire)
        take(checks, warp, barrier->carried.complete);
    barrier->waits[warp] = (struct wait){.phase = barrier->phase + 1,
                                         .clock = clock_of(checks, warp)[warp].whole,
                                         .instruction = side->instruction};
}

/* ---- barriers of the CTA and of the cluster ---- */

static struct carried *sync_of(struct tma_checks *checks, uint32_t cta, uint32_t barrier) {
    struct carried *sync =
        &checks->syncs[(barrier == TMA_CHECK_CLUSTER ? 0 : cta) * NAMED_BARRIERS + barrier];
    return allocate_carried(checks, sync) ? sync : NULL;
}

void tma_checks_sync_arrive(struct tma_checks *checks, const struct tma_check_side *side,
                            uint32_t barrier, bool release) {
    struct carried *sync = sync_of(checks, side->cta, barrier);
    if (sync != NULL && release)
        give(checks, warp_of(checks, side), side->lanes, sync->pending);
    else if (sync != NULL)
        give_released(checks, warp_of(checks, side), sync->pending);
}

void tma_checks_sync_complete(struct tma_checks *checks, uint32_t cta, uint32_t barrier) {
    struct carried *sync = sync_of(checks, cta, barrier);
    if (sync != NULL)
        complete_phase(checks, sync);
}

void tma_checks_sync_wait(struct tma_checks *checks, const struct tma_check_side *side,
                          uint32_t barrier, bool acquire) {
    const struct carried *sync = sync_of(checks, side->cta, barrier);
    if (sync != NULL && acquire)
        take(checks, warp_of(checks, side), sync->complete);
}

void tma_checks_converge(struct tma_checks *checks, const struct tma_check_side *side) {
    uint32_t warp = warp_of(checks, side);
    struct known *own = &clock_of(checks, warp)[warp];
    checks->states[warp].converged = own->whole;
    own->whole++;
    own->part = own->whole;
}

void tma_checks_fence(struct tma_checks *checks, const struct tma_check_side *side,
                      enum tma_check_fence fence) {
    uint32_t warp = warp_of(checks, side);
    struct carried *released = &checks->released[warp];
    if (fence == TMA_CHECK_FENCE_MEMORY) {
        if (allocate_carried(checks, released))
            give(checks, warp, side->lanes, released->pending);
        return;
    }
    uint32_t *fenced = fenced_by(checks, warp) + (fence == TMA_CHECK_FENCE_INIT ? checks->all : 0);
    for (uint32_t i = 0; i < checks->all; i++) {
        const struct known *known = &clock_of(checks, warp)[i];
        uint32_t clock = known->lanes == UINT32_MAX ? known->part : known->whole;
        if (clock > fenced[i])
            fenced[i] = clock;
    }
    if (fence == TMA_CHECK_FENCE_INIT) {
        struct known *own = &clock_of(checks, warp)[warp]; /* what follows is not fenced */
        *own = (struct known){own->whole + 1, own->whole + 1, UINT32_MAX};
    }
}

/* Bulk stores read the shared memory of a CTA, which must live until then. */
static void check_stores(struct tma_checks *checks, const struct tma_check_side *side,
                         uint32_t warp) {
    const struct warp *state = &checks->states[warp];
    const struct known *known = &clock_of(checks, warp)[group_side(checks, warp, TMA_CHECK_BULK)];
    if (state->lanes[TMA_CHECK_BULK] == 0 ||
        known->whole >= state->clocks[TMA_CHECK_BULK] + (state->open != 0))
        return;
    char text[192];
    struct tma_check_side at = *side;
    at.instruction = state->store;
    snprintf(text, sizeof text,
             "warp %u of CTA %u exits while its bulk stores may still read shared memory; "
             "cp.async.bulk.wait_group.read is missing",
             side->warp, side->cta);
    checks->report(checks->context, "exit", &at, UINT32_MAX, text);
}

void tma_checks_exit(struct tma_checks *checks, const struct tma_check_side *side) {
    uint32_t warp = warp_of(checks, side);
    check_stores(checks, side, warp);
    struct known *left = &checks->left[(size_t)side->cta * checks->sides];
    learn(left, clock_of(checks, warp), checks->sides);
}

/* ---- a cluster ---- */

static void *of(size_t count, size_t size, bool *good) {
    void *block = tma_allocate(count, size);
    *good = *good && block != NULL;
    return block;
}

static void release_carried(struct carried *carried) {
    TMA_RELEASE(carried->pending, carried->complete);
}

static void release(struct tma_checks *checks) {
    for (uint32_t i = 0; checks->barriers != NULL && i < MOST_BARRIERS; i++) {
        release_carried(&checks->barriers[i].carried);
        tma_release(checks->barriers[i].waits);
    }
    for (uint32_t i = 0; checks->syncs != NULL && i < checks->ctas * NAMED_BARRIERS; i++)
        release_carried(&checks->syncs[i]);
    for (uint32_t i = 0; checks->released != NULL && i < checks->all; i++)
        release_carried(&checks->released[i]);
    TMA_RELEASE(checks->memory, checks->states, checks->clocks, checks->fenced, checks->released,
                checks->barriers, checks->syncs, checks->left, checks->remotes, checks);
}

struct tma_checks *tma_checks_begin(uint32_t ctas, uint32_t warps, uint32_t shared_bytes,
                                    bool strict, const struct tma_ptx_launch *launch,
                                    tma_check_report *report, void *context) {
    bool good = true;
    struct tma_checks *checks = tma_allocate(1, sizeof *checks);
    if (checks == NULL)
        return NULL;
    uint32_t all = ctas * warps;
    *checks = (struct tma_checks){.ctas = ctas,
                                  .warps = warps,
                                  .all = all,
                                  .shared_bytes = shared_bytes,
                                  .cells = (shared_bytes + CELL_BYTES - 1) / CELL_BYTES,
                                  .sides = all * (1 + TMA_CHECK_GROUPS) + MOST_BARRIERS,
                                  .strict = strict,
                                  .launch = launch,
                                  .report = report,
                                  .context = context};
    checks->memory = of((size_t)ctas * checks->cells, sizeof *checks->memory, &good);
    checks->states = of(all, sizeof *checks->states, &good);
    checks->clocks = of((size_t)all * checks->sides, sizeof *checks->clocks, &good);
    checks->fenced = of((size_t)2 * all * all, sizeof *checks->fenced, &good);
    checks->released = of(all, sizeof *checks->released, &good);
    checks->barriers = of(MOST_BARRIERS, sizeof *checks->barriers, &good);
    checks->syncs = of((size_t)ctas * NAMED_BARRIERS, sizeof *checks->syncs, &good);
    checks->left = of((size_t)ctas * checks->sides, sizeof *checks->left, &good);
    checks->remotes = of((size_t)all * ctas, sizeof *checks->remotes, &good);
    if (!good) {
        release(checks);
        return NULL;
    }
    for (uint32_t warp = 0; warp < all; warp++)
        clock_of(checks, warp)[warp] = (struct known){1, 1, UINT32_MAX};
    return checks;
}

static void report_remote(struct tma_checks *checks, uint32_t warp, uint32_t cta,
                          uint32_t instruction) {
    char text[256];
    struct tma_check_side side = {
        .cta = warp / checks->warps, .warp = warp % checks->warps, .instruction = instruction};
    snprintf(text, sizeof text,
             "warp %u of CTA %u uses the shared memory of CTA %u, which may have exited by then; "
             "no barrier of the cluster orders them",
             side.warp, side.cta, cta);
    checks->report(checks->context, "exit", &side, UINT32_MAX, text);
}

/* A CTA must not leave while others use its memory, nor before the bytes that they send it have
 * come: it waits for these at its own mbarrier. Reports the first that does. */
static void check_remotes(struct tma_checks *checks) {
    for (uint32_t warp = 0; warp < checks->all; warp++)
        for (uint32_t cta = 0; cta < checks->ctas; cta++) {
            uint32_t clock = checks->remotes[warp * checks->ctas + cta].clock;
            const struct known *known = &checks->left[(size_t)cta * checks->sides + warp];
            if (clock <= known->whole || clock <= known->part)
                continue;
            report_remote(checks, warp, cta,
                          checks->remotes[warp * checks->ctas + cta].instruction);
            return;
        }
    for (uint32_t i = 0; i < checks->barrier_count; i++) {
        const struct mbarrier *barrier = &checks->barriers[i];
        const struct known *left = &checks->left[(size_t)barrier->cta * checks->sides];
        if (barrier->remote.phase <= left[barrier_side(checks, i)].whole)
            continue;
        report_remote(checks, barrier->remote.warp, barrier->cta, barrier->remote.instruction);
        return;
    }
}

bool tma_checks_end(struct tma_checks *checks, bool completed) {
    if (checks == NULL)
        return true;
    if (completed)
        check_remotes(checks);
    if (checks->many_barriers)
        checks->report(checks->context, "note", &(struct tma_check_side){0}, UINT32_MAX,
                       "the cluster has more than 1024 mbarriers and flags; the others are not "
                       "checked");
    bool whole = !checks->out_of_memory;
    release(checks);
    return whole;
}
