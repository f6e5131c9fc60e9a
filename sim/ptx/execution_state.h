/* The state of an executing launch, and the prepared form of its instructions. Internal to this
 * folder.
 *
 * Each register of each function has one place in the register file of a warp (functions don't
 * recurse): 32 words or 32 doubles. A value that all lanes share is kept once beside it, and so is
 * the mask of a predicate; the lanes of the file get it when something reads them. A mask says
 * which lanes are opaque, and a number says where the opaque value came from. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "banks/banks.h"
#include "base/allocation.h"
#include "ptx/execution.h"
#include "ptx/softfloat.h"
#include "ptx/stepping.h"
#include "tensormap/descriptor.h"

#define TMA_ALL_LANES UINT32_C(0xffffffff)

/* gcc does not know that two registers are either the same or apart: no lane depends on another. */
#if defined(__GNUC__) && !defined(__clang__)
#define TMA_EACH_LANE(i) _Pragma("GCC ivdep") for (uint32_t i = 0; i < 32; ++i)
#else
#define TMA_EACH_LANE(i) for (uint32_t i = 0; i < 32; ++i)
#endif

/* Each lane of a mask, from the lowest one. */
#define TMA_EACH_OF(lane, mask)                                                                    \
    for (uint32_t rest_##lane = (mask), lane = 0;                                                  \
         rest_##lane != 0 && (lane = (uint32_t)__builtin_ctz(rest_##lane), true);                  \
         rest_##lane &= rest_##lane - 1)

/* What a handler says of the path that it ran for. */
enum tma_step {
    TMA_STEP_NEXT,   /* go on with the next instruction */
    TMA_STEP_JUMPED, /* the handler has set pc, lanes or paths */
    TMA_STEP_PARKED, /* wait, and run the instruction again: the warp's `wait` says for what */
    TMA_STEP_YIELD,  /* go on with the next instruction, after others had their turns */
    TMA_STEP_FAILED  /* launch->result says why */
};

enum tma_place_kind {
    TMA_PLACE_REGISTER, /* in the register file of the warp */
    TMA_PLACE_CONSTANT, /* in the constants of the launch */
    TMA_PLACE_FRAME     /* of an argument or a result alone: local memory of each lane */
};

/* Where the value of an operand lies. */
struct tma_place {
    uint32_t offset; /* bytes, from the begin of where the kind says */
    uint32_t number; /* of the register, for the opaque masks; of a constant 0; in a frame: bytes */
    uint8_t kind;    /* enum tma_place_kind */
    uint8_t width;   /* enum tma_ptx_width */
    bool negated;    /* a predicate, or its opposite */
    bool absent;     /* no operand, or _ */
};

struct tma_warp;
struct tma_op;
typedef enum tma_step tma_handler(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes);
/* The value of one lane. */
typedef uint64_t tma_lane_function(const struct tma_op *op, uint64_t a, uint64_t b, uint64_t c);

/* What an access to shared or global memory cost last time: the same pattern costs the same. */
struct tma_access_cost {
    uint32_t lanes, phase; /* of the first address, in 128 bytes */
    uint32_t distance[32]; /* from the first address */
    uint32_t cost, ideal;
    bool known;
};

/* A prepared instruction. What each step needs comes first. */
struct tma_op {
    tma_handler *run;
    tma_lane_function *lane;
    struct tma_place d, a, b, c;
    struct tma_place guard;     /* absent: none */
    struct tma_place members;   /* absent, or the lanes that must take part */
    void *extra;                /* of a matrix product: struct tma_ptx_product */
    bool pure;                  /* writes registers alone: may run with an opaque guard */
    bool samples;               /* reads a clock: the registers of clocks are set before */
    uint32_t instruction;       /* index in module->instructions */
    uint32_t target;            /* bra, call: pc */
    int64_t offset;             /* of the address with base a */
    int64_t offset_b, offset_c; /* of addresses with bases b and c */
    uint64_t immediate;
    uint32_t list, list_count;   /* further places, in launch->places */
    uint32_t list2, list2_count; /* a second list */
    uint32_t function;           /* that the instruction belongs to; of a call: the callee */
    uint8_t type, type2;         /* enum tma_ptx_type */
    uint8_t format, format2;     /* enum tma_float_format */
    uint8_t rounding;            /* enum tma_rounding */
    uint8_t compare, boolean;    /* kinds of comparison and of combination: lane_arithmetic.h */
    uint8_t space, space2;       /* enum tma_ptx_space: of addresses a and b */
    uint8_t elements;            /* of a vector: 1, 2, 4 or 8 */
    uint8_t element_bytes;
    uint8_t mode, mode2; /* of the handler */
    bool flush, saturate, relu, signed_value, is_float;
    bool synchronises; /* names the lanes that must take part */
    bool orders;       /* ld, st: volatile, relaxed, acquire or release: a flag */
    struct tma_access_cost *cost;
};

/* Memory of one kind: a buffer, the shared memory of a CTA, parameters, ... */
struct tma_region {
    const char *name;
    uint64_t address, size;
    uint8_t *bytes;    /* NULL: all opaque */
    uint8_t *opaque;   /* bit i % 8 of byte i / 8; NULL: none is */
    uint16_t *origins; /* of each 128 bytes; NULL: `origin` */
    uint16_t origin;
    bool read_only;
    bool tainted; /* some byte may be opaque */
};

/* Where opaque values come from. */
enum {
    TMA_ORIGIN_REGISTER, /* not initialised */
    TMA_ORIGIN_SHARED,
    TMA_ORIGIN_LOCAL,
    TMA_ORIGIN_PRODUCT, /* a matrix product that is not computed */
    TMA_ORIGIN_BUFFER   /* and following: the buffers of the launch */
};

enum tma_ptx_wait_kind {
    TMA_WAIT_NOTHING,
    TMA_WAIT_MBARRIER, /* a phase */
    TMA_WAIT_BARRIER,  /* a named barrier of the CTA */
    TMA_WAIT_CLUSTER,
    TMA_WAIT_REGISTERS, /* of the CTA's pool */
    TMA_WAIT_PRODUCTS,  /* the other warps of a warpgroup, for their part of a product */
    TMA_WAIT_LANES      /* other lanes of the warp, at a .sync instruction */
};

struct tma_ptx_wait {
    enum tma_ptx_wait_kind kind;
    uint32_t cta;     /* rank of the CTA that the mbarrier is of */
    uint32_t address; /* of the mbarrier; number of the barrier; registers of a thread; products */
    uint32_t parity;  /* the phase that must be over */
    uint64_t generation;
    bool gave_up; /* the wait ended without success: try_wait says so */
};

enum { TMA_MAX_CALL_DEPTH = 24 };

/* Lanes that execute together. What each step needs comes first. */
struct tma_path {
    uint32_t pc, lanes;
    uint32_t depth;
    uint32_t executed; /* since another path had its turn */
    bool passed;       /* lets others go first */
    bool parked;
    bool resumed; /* the instruction has begun: it is not counted again */
    struct tma_ptx_wait wait;
    struct tma_ptx_wait poll; /* the last one that failed, and its pc */
    uint32_t poll_pc;
    uint32_t returns[TMA_MAX_CALL_DEPTH];
};

struct tma_ptx_cta;
struct tma_executor;

/* Where the value of a register is: bits. */
enum tma_form {
    TMA_FORM_LANES = 1,  /* in the register file */
    TMA_FORM_UNIFORM = 2 /* in warp->values: all lanes have it */
};

struct tma_warp {
    struct tma_executor *launch;
    struct tma_ptx_cta *cta;
    uint8_t *file;
    const uint8_t *constants;
    uint64_t *values; /* by number: that all lanes share; of a predicate, its mask */
    uint8_t *forms;   /* by number: enum tma_form. That of constants (0) has all bits */
    uint32_t *opaque;
    uint16_t *origin;
    uint32_t alive; /* lanes that have not exited */
    uint32_t path_count, current;
    bool exited;
    struct tma_path paths[32];
    uint32_t index;     /* in the CTA */
    uint32_t registers; /* of a thread: what setmaxnreg changes; 0: not known */
    uint32_t carry, carry_opaque;
    uint32_t cluster_lanes; /* that have arrived at the cluster's barrier */
    uint32_t products;      /* groups of wgmma that it has committed */
    uint8_t *local;         /* of all lanes, one behind the other */
    uint8_t *local_opaque;  /* bits */
    struct tma_region local_region;
};

/* A named barrier of a CTA. */
struct tma_barrier {
    uint32_t arrived, expected; /* threads */
    uint64_t generation;
    uint32_t count, all, any; /* barrier.red, so far */
    uint32_t last_count, last_all, last_any;
    uint32_t line; /* instruction of the last arrival */
};

struct tma_ptx_cluster;

struct tma_ptx_cta {
    struct tma_ptx_cluster *cluster;
    uint32_t rank;
    uint32_t id[3];
    uint64_t linear; /* index in the grid */
    struct tma_region shared;
    uint8_t *mbarriers; /* one bit for each 8 bytes of shared memory */
    struct tma_warp *warps;
    uint32_t warp_count, alive_warps, alive_threads;
    uint32_t free_registers; /* that setmaxnreg.dec has given up: of a thread, in sum over warps */
    struct tma_barrier barriers[16];
};

struct tma_checked;

struct tma_ptx_cluster {
    uint32_t id[3];
    uint32_t cta_count;
    struct tma_ptx_cta *ctas;
    uint32_t arrived; /* threads at the cluster's barrier */
    uint64_t generation;
    struct tma_checked *watch;    /* NULL: it is not checked */
    struct tma_ptx_cluster *next; /* unused ones */
};

/* A tensor map that was used, decoded. */
struct tma_map_entry {
    struct tma_tensor_map map;
    uint8_t bytes[TMA_DESCRIPTOR_BYTES];
};

/* Memory that cooperative groups find by special registers, zero at the start: of a CTA, for tiles
 * of several warps; of the grid, for its barrier. */
enum { TMA_RESERVED_BYTES = 288, TMA_WORKSPACE_BYTES = 16 };
enum { TMA_MAP_ENTRIES = 64, TMA_SPECIAL_PLACES = 128 };
enum { TMA_STACK_BYTES = 16384 /* of a thread, for alloca */ };

struct tma_executor {
    const struct tma_ptx_launch *launch;
    const struct tma_ptx_options *options;
    const struct tma_ptx_module *module;
    struct tma_ptx_result *result;
    struct tma_error *error;
    /* prepared */
    struct tma_op *code; /* by pc: the index of the instruction */
    struct tma_place *places;
    uint32_t place_count;
    size_t place_capacity;
    uint8_t *constants;
    uint32_t constant_bytes;
    size_t constant_capacity;
    uint64_t *constant_values;
    uint32_t constant_count;
    size_t constant_value_capacity;
    uint32_t *register_offsets; /* of module->registers, in the file */
    uint32_t *register_numbers;
    uint32_t *local_offsets; /* of module->variables */
    uint32_t file_bytes, register_count;
    uint8_t *forms;           /* of registers when a warp starts */
    uint32_t local_bytes;     /* of a thread */
    uint32_t stack_base;      /* where the part of alloca begins, which is taken from its end */
    struct tma_place *stacks; /* NULL: no alloca; else registers: where the free part ends, and for
                                 each function where it ended when that was called */
    uint64_t *variable_addresses;
    bool *reachable; /* functions */
    struct tma_place specials[TMA_SPECIAL_PLACES];
    struct tma_place *shared_places; /* variables whose address depends on the CTA's rank */
    uint32_t shared_bytes;           /* of a CTA, with what is reserved */
    uint32_t reserved_at;            /* where that begins: behind the kernel's own */
    uint64_t workspace;              /* of the grid's barrier: its address */
    uint32_t threads;                /* of a CTA */
    uint32_t cluster_ctas;           /* of a cluster */
    uint32_t registers;              /* of a thread when it starts; 0: not known */
    bool out_of_memory;
    struct tma_arena arena; /* memory of CTAs and warps */
    /* memory */
    struct tma_region parameters, constant;
    struct tma_region *globals; /* by address */
    uint32_t global_count, last_global;
    uint8_t *owned; /* bytes of the module's variables */
    struct tma_map_entry *maps;
    struct tma_ptx_matrices *matrices; /* room for a product; NULL: none was computed */
    uint32_t map_count, next_map;
    /* progress */
    uint64_t changes; /* of state that other warps see */
    uint64_t time;    /* what clocks show: warp instructions and sleeps */
    size_t finding_capacity;
    bool failed;
    struct tma_ptx_step *step; /* what the current step does; NULL: no one times the launch */
};

/* ---- registers ---- */

/* Writes the value that all lanes share to the lanes of the file (operands.c). */
void tma_fill_lanes(const struct tma_warp *warp, const struct tma_place *place);

/* The lanes of an operand that is no predicate. */
static inline const void *tma_read(const struct tma_warp *warp, const struct tma_place *place) {
    if (place->kind == TMA_PLACE_CONSTANT)
        return warp->constants + place->offset;
    if (!(warp->forms[place->number] & TMA_FORM_LANES))
        tma_fill_lanes(warp, place);
    return warp->file + place->offset;
}

/* The lanes of a register that is no predicate, to write all of them, */
static inline void *tma_write_all(struct tma_warp *warp, const struct tma_place *place) {
    warp->forms[place->number] = TMA_FORM_LANES;
    return warp->file + place->offset;
}

/* or some. */
static inline void *tma_write(struct tma_warp *warp, const struct tma_place *place) {
    if (!(warp->forms[place->number] & TMA_FORM_LANES))
        tma_fill_lanes(warp, place);
    return tma_write_all(warp, place);
}

/* Do all lanes share the value of the operand? Of a predicate: false. */
static inline bool tma_is_uniform(const struct tma_warp *warp, const struct tma_place *place) {
    return (warp->forms[place->number] & TMA_FORM_UNIFORM) != 0;
}

/* The value that all lanes share. */
static inline uint64_t tma_uniform_value(const struct tma_warp *warp,
                                         const struct tma_place *place) {
    if (place->kind != TMA_PLACE_CONSTANT)
        return warp->values[place->number];
    const uint8_t *constant = warp->constants + place->offset;
    return place->width == TMA_PTX_PREDICATE ? *constant & 1
           : place->width == TMA_PTX_WORD    ? *(const uint32_t *)(const void *)constant
                                             : *(const uint64_t *)(const void *)constant;
}

/* Sets all lanes of a register of up to 64 bits. */
static inline void tma_set_uniform(struct tma_warp *warp, const struct tma_place *place,
                                   uint64_t value) {
    warp->values[place->number] = place->width == TMA_PTX_WORD ? (uint32_t)value : value;
    warp->forms[place->number] = TMA_FORM_UNIFORM;
}

/* The lanes of a predicate that hold. */
static inline uint32_t tma_predicate(const struct tma_warp *warp, const struct tma_place *place) {
    uint32_t mask = place->kind == TMA_PLACE_CONSTANT
                        ? *(const uint32_t *)(const void *)(warp->constants + place->offset)
                        : (uint32_t)warp->values[place->number];
    return place->negated ? ~mask : mask;
}

static inline uint32_t tma_opaque(const struct tma_warp *warp, const struct tma_place *place) {
    return warp->opaque[place->number];
}

/* The value of one lane: predicates 0 or 1. */
static inline uint64_t tma_lane_value(const struct tma_warp *warp, const struct tma_place *place,
                                      uint32_t lane) {
    if (place->kind == TMA_PLACE_REGISTER && tma_is_uniform(warp, place))
        return warp->values[place->number];
    switch ((enum tma_ptx_width)place->width) {
    case TMA_PTX_PREDICATE:
        return tma_predicate(warp, place) >> lane & 1;
    case TMA_PTX_WORD:
        return ((const uint32_t *)tma_read(warp, place))[lane];
    case TMA_PTX_DOUBLE:
        return ((const uint64_t *)tma_read(warp, place))[lane];
    case TMA_PTX_QUAD:
        return ((const uint64_t *)tma_read(warp, place))[2 * lane];
    }
    return 0;
}

static inline void tma_set_lane(struct tma_warp *warp, const struct tma_place *place, uint32_t lane,
                                uint64_t value) {
    switch ((enum tma_ptx_width)place->width) {
    case TMA_PTX_PREDICATE: {
        uint64_t *mask = &warp->values[place->number];
        *mask = (*mask & ~(UINT64_C(1) << lane)) | (value & 1) << lane;
        break;
    }
    case TMA_PTX_WORD:
        ((uint32_t *)tma_write(warp, place))[lane] = (uint32_t)value;
        break;
    case TMA_PTX_DOUBLE:
        ((uint64_t *)tma_write(warp, place))[lane] = value;
        break;
    case TMA_PTX_QUAD:
        ((uint64_t *)tma_write(warp, place))[2 * lane] = value;
        ((uint64_t *)tma_write(warp, place))[2 * lane + 1] = 0;
        break;
    }
}

/* Sets `lanes` to one value. */
static inline void tma_set_lanes(struct tma_warp *warp, const struct tma_place *place,
                                 uint32_t lanes, uint64_t value) {
    if (lanes == TMA_ALL_LANES && place->width != TMA_PTX_PREDICATE &&
        place->width != TMA_PTX_QUAD) {
        tma_set_uniform(warp, place, value);
        return;
    }
    TMA_EACH_OF(i, lanes) {
        tma_set_lane(warp, place, i, value);
    }
}

/* Sets a predicate in `lanes`: those of `mask` hold. */
static inline void tma_set_predicate(struct tma_warp *warp, const struct tma_place *place,
                                     uint32_t lanes, uint32_t mask) {
    uint64_t *d = &warp->values[place->number];
    *d = (*d & ~(uint64_t)lanes) | (mask & lanes);
}

/* Marks lanes of a register: `opaque` of `lanes` are, the others of `lanes` are not. */
static inline void tma_mark(struct tma_warp *warp, const struct tma_place *place, uint32_t lanes,
                            uint32_t opaque, uint16_t origin) {
    uint32_t *mask = &warp->opaque[place->number];
    *mask = (*mask & ~lanes) | (opaque & lanes);
    if (opaque & lanes)
        warp->origin[place->number] = origin;
}

/* Makes the result opaque where an operand is. Returns false if every lane is: nothing is left to
 * compute. */
static inline bool tma_spread(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    uint32_t a = warp->opaque[op->a.number], b = warp->opaque[op->b.number],
             c = warp->opaque[op->c.number];
    uint32_t *d = &warp->opaque[op->d.number];
    uint32_t all = (a | b | c) & lanes;
    if ((all | *d) == 0)
        return true;
    *d = (*d & ~lanes) | all;
    if (all)
        warp->origin[op->d.number] = warp->origin[a & lanes   ? op->a.number
                                                  : b & lanes ? op->b.number
                                                              : op->c.number];
    return all != lanes;
}

/* Does an instruction for `lanes` compute one value for all lanes? Its operands are known there:
 * tma_spread. */
static inline bool tma_computes_once(const struct tma_warp *warp, const struct tma_op *op,
                                     uint32_t lanes) {
    return lanes == TMA_ALL_LANES && (warp->forms[op->a.number] & warp->forms[op->b.number] &
                                      warp->forms[op->c.number] & TMA_FORM_UNIFORM) != 0;
}

static inline void tma_merge_words(void *to, const void *from, uint32_t lanes) {
    uint32_t *d = to;
    const uint32_t *result = from;
    TMA_EACH_LANE(i)
    d[i] = lanes >> i & 1 ? result[i] : d[i];
}

static inline void tma_merge_doubles(void *to, const void *from, uint32_t lanes) {
    uint64_t *d = to;
    const uint64_t *result = from;
    TMA_EACH_LANE(i)
    d[i] = lanes >> i & 1 ? result[i] : d[i];
}

static inline struct tma_ptx_line *tma_line(struct tma_warp *warp, const struct tma_op *op) {
    return &warp->launch->result->lines[op->instruction];
}

/* ---- failures (failure.c) ---- */

/* Ends the launch with a finding at the instruction. Returns TMA_STEP_FAILED. */
enum tma_step tma_stop(struct tma_warp *warp, const struct tma_op *op, enum tma_ptx_failure failure,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The same for an opaque value that reached `what`. */
enum tma_step tma_stop_opaque_from(struct tma_warp *warp, const struct tma_op *op, uint16_t origin,
                                   const char *what);

/* Is the operand known in all of `lanes`, or absent? If not: tma_stop, and false. */
bool tma_known(struct tma_warp *warp, const struct tma_op *op, const struct tma_place *place,
               uint32_t lanes, const char *what);

/* Adds a finding that ends nothing. */
void tma_note(struct tma_executor *launch, const struct tma_warp *warp, uint32_t instruction,
              uint32_t other, const char *kind, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* ---- memory (memory.c) ---- */

/* Finds the memory that `bytes` bytes at an address lie in, and checks their alignment (0: any).
 * Returns NULL after tma_stop. `lane` is for messages and local memory. */
struct tma_region *tma_locate(struct tma_warp *warp, const struct tma_op *op,
                              enum tma_ptx_space space, uint64_t address, uint64_t bytes,
                              uint64_t alignment, uint32_t lane, uint64_t *offset);

/* The address of an operand of an instruction in one lane. */
static inline uint64_t tma_address(const struct tma_warp *warp, const struct tma_place *base,
                                   int64_t offset, uint32_t lane) {
    return tma_lane_value(warp, base, lane) + (uint64_t)offset;
}

bool tma_region_opaque(const struct tma_region *region, uint64_t offset, uint64_t bytes);
void tma_region_mark(struct tma_region *region, uint64_t offset, uint64_t bytes, bool opaque,
                     uint16_t origin);
uint16_t tma_region_origin(const struct tma_region *region, uint64_t offset);

/* Is the region able to hold opaque bytes? If not: tma_stop, and false. */
bool tma_region_accepts(struct tma_warp *warp, const struct tma_op *op, struct tma_region *region,
                        uint16_t origin);

/* Adds what an access to shared memory costs; `kind` is enum tma_shared_instruction. */
void tma_count_shared(struct tma_warp *warp, const struct tma_op *op, int kind, uint32_t lanes,
                      const uint32_t address[32], bool store);
/* The same for an instruction that ptxas makes loads and stores of one word each of. */
void tma_count_shared_words(struct tma_warp *warp, const struct tma_op *op, uint32_t loads,
                            uint32_t stores);

/* Windows of generic addresses. Their low 32 bits are the address within the space. */
#define TMA_WINDOW_SHARED UINT64_C(0x00fe000000000000)
#define TMA_WINDOW_LOCAL  UINT64_C(0x00fd000000000000)
#define TMA_WINDOW_PARAM  UINT64_C(0x00fc000000000000)
#define TMA_WINDOW_CONST  UINT64_C(0x00fb000000000000)
#define TMA_VARIABLES     UINT64_C(0x00fa000000000000) /* .global variables of the module */
#define TMA_WINDOW_BYTES  UINT64_C(0x0000000100000000)

/* In an address of shared memory, the CTA's rank is in the bits from 24 on. */
#define TMA_SHARED_RANK_BIT    24
#define TMA_SHARED_OFFSET_MASK ((UINT32_C(1) << TMA_SHARED_RANK_BIT) - 1)
#define TMA_LOCAL_BASE         UINT32_C(0x100)

/* An address in shared memory, in the CTA of this rank. */
static inline uint32_t tma_shared_address(uint64_t address, uint32_t rank) {
    return ((uint32_t)address & TMA_SHARED_OFFSET_MASK) | rank << TMA_SHARED_RANK_BIT;
}

static inline uint32_t tma_shared_rank(uint64_t address) {
    return (uint32_t)address >> TMA_SHARED_RANK_BIT;
}

/* The place of its byte in shared->bytes. */
static inline uint32_t tma_shared_offset(uint64_t address) {
    return ((uint32_t)address & TMA_SHARED_OFFSET_MASK) - TMA_SHARED_BASE;
}

/* Whether the warps of the warp's group have each committed so many groups of products, or have
 * ended. */
static inline bool tma_products_begun(const struct tma_warp *warp, uint32_t products) {
    const struct tma_ptx_cta *cta = warp->cta;
    uint32_t first = warp->index & ~3u;
    for (uint32_t i = first; i < first + 4 && i < cta->warp_count; ++i)
        if (!cta->warps[i].exited && cta->warps[i].products < products)
            return false;
    return true;
}

/* Handlers of instructions that access memory. */

/* ld, st: places[list] are the registers of the vector, op->a is the address's base. */
tma_handler tma_run_ld, tma_run_st;
/* atom, red: places[list] the old values (none of red), places[list2] the operands; op->c what cas
 * stores. op->mode: the word of the operation. */
tma_handler tma_run_atom;
/* prefetch, discard and the like: the address is checked. */
tma_handler tma_run_touch;

/* The new value of a word of memory: `operation` is the word of the instruction (add, min, ...).
 * Sums keep subnormal numbers, as those of shared memory and of bulk copies. */
uint64_t tma_atomic_value(enum tma_ptx_word operation, enum tma_ptx_type type, uint64_t old,
                          uint64_t operand, uint64_t other);

/* Counts the sectors of an access to global memory of `bytes` bytes in each lane. */
void tma_count_global(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes,
                      const uint64_t address[32], uint32_t bytes);

/* mbarriers, the barriers of CTAs and clusters, and instructions of the lanes of a warp together.
 * */

/* mbarrier.*: op->a is the base of the address, op->d the token or the predicate. */
tma_handler tma_run_mbarrier_init, tma_run_mbarrier_inval, tma_run_mbarrier_arrive,
    tma_run_mbarrier_count, tma_run_mbarrier_transactions, tma_run_mbarrier_wait;

/* cp.async.mbarrier.arrive: op->a is the base of the address; op->mode 1: .noinc. */
tma_handler tma_run_cp_async_arrive;

/* How an mbarrier.arrive arrives (op->mode, bits). */
enum { TMA_ARRIVE_DROP = 1, TMA_ARRIVE_EXPECT = 2 };

tma_handler tma_run_barrier, tma_run_cluster_arrive, tma_run_cluster_wait, tma_run_registers;
enum { TMA_BARRIER_SYNC, TMA_BARRIER_ARRIVE, TMA_BARRIER_RED }; /* op->mode */

/* Counts an arrival, or bytes, on the mbarrier at an address of shared memory. False after
 * tma_stop. *state: NULL, or the state before. */
bool tma_mbarrier_change(struct tma_warp *warp, const struct tma_op *op, uint32_t lane,
                         uint64_t address, bool generic, uint32_t arrivals, int64_t transactions,
                         bool drop, uint64_t *state);

/* The same without an instruction and its checks, at an offset in the CTA's shared memory. */
void tma_mbarrier_complete(struct tma_ptx_cta *cta, uint32_t offset, uint32_t arrivals,
                           uint32_t bytes);

/* Bytes of a bulk operation on an mbarrier of shared memory: they are complete at once, or where
 * the launch is timed, when tma_stepper_complete says so. False after tma_stop. */
bool tma_mbarrier_receive(struct tma_warp *warp, const struct tma_op *op, uint32_t lane,
                          uint64_t address, uint32_t bytes, struct tma_ptx_transfer *transfer);

/* Is the phase that a path waits for over? */
bool tma_wait_over(const struct tma_warp *warp, const struct tma_ptx_wait *wait, uint32_t lanes);

/* Describes a wait: "mbarrier 0x400 of CTA 3, phase 0: ...". */
void tma_wait_text(const struct tma_warp *warp, const struct tma_ptx_wait *wait, char *text,
                   size_t size);

/* Are all lanes of the warp that have not ended on this path? If not, it waits for the others: the
 * caller returns TMA_STEP_PARKED, and takes the wait from the path when it runs again. */
bool tma_converged(struct tma_warp *warp);

/* Barriers may be complete now that lanes of a warp have ended. */
void tma_barriers_after_exit(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes);

/* shfl, vote, match, redux, elect, activemask, bar.warp.sync. */
tma_handler tma_run_shfl, tma_run_vote, tma_run_match, tma_run_redux, tma_run_elect,
    tma_run_activemask, tma_run_nothing;

/* Asynchronous copies. Each is complete when the warp goes on. */

/* Tensors: op->a shared memory, op->b the tensor map, op->c the mbarrier (absent: a bulk group),
 * op->d the mask of CTAs (absent: none); places[list] the coordinates, places[list2] the im2col
 * offsets; op->mode enum tma_direction, op->mode2 enum tma_access_mode, op->immediate enum
 * tma_reduction. */
tma_handler tma_run_bulk_tensor;

/* Bytes: op->a to, op->b from, op->c the mbarrier, op->d the mask of CTAs; places[list] the size,
 * places[list2] the byte mask. op->mode: 0 a copy, 1 a reduction (op->immediate: its word), 2 a
 * prefetch. op->space, op->space2: of `to` and `from`. */
tma_handler tma_run_bulk;

/* cp.async: op->element_bytes; places[list] the size of the source, or a predicate to ignore it. */
tma_handler tma_run_cp_async;
/* st.async, red.async: places[list] values, op->a address, op->c the mbarrier. */
tma_handler tma_run_store_async;

/* tensormap.replace: op->mode the field; op->immediate the ordinal; op->b the value. */
tma_handler tma_run_map_replace, tma_run_map_copy;

/* A launch and its clusters, from their start to their end. */

/* Checks a launch whose first members are set (to those of struct tma_ptx_launch), and makes it
 * ready to run. Fails as tma_ptx_execute does; tma_close_launch is called in either case. */
enum tma_error_code tma_open_launch(struct tma_executor *launch);

/* Frees the launch, and its result unless `code` is TMA_OK. Returns `code`, or TMA_ERROR_MEMORY. */
enum tma_error_code tma_close_launch(struct tma_executor *launch, enum tma_error_code code);

/* Begins a cluster, in memory of one that has ended if there is one: *unused is a list of these.
 * NULL when out of memory. */
struct tma_ptx_cluster *tma_start_cluster(struct tma_executor *launch,
                                          struct tma_ptx_cluster **unused, uint64_t index);

/* NULL is allowed. */
void tma_free_cluster(struct tma_ptx_cluster *cluster);

/* Have all its warps ended? */
bool tma_cluster_ended(const struct tma_ptx_cluster *cluster);

/* Every warp waits, or spins: adds a finding for each path, which says what for. */
void tma_report_deadlock(struct tma_executor *launch, struct tma_ptx_cluster *const *active,
                         uint32_t count);

/* Branches, calls and ends. */

/* bra: op->target. brx.idx: places[list] the index, places[list2] labels as constants. */
tma_handler tma_run_bra, tma_run_brx;
/* call: op->function; places[list], results and places[list2], arguments: pairs of (formal,
 * actual). */
tma_handler tma_run_call, tma_run_ret, tma_run_exit, tma_run_trap;
tma_handler tma_run_sleep;
/* An instruction that is not known, or not executed with these operands; tma_why_not says why, in
 * *text if its words depend on operands. */
tma_handler tma_run_unexecuted;
const char *tma_why_not(const struct tma_executor *launch, const struct tma_op *op, char *text,
                        size_t size);
/* alloca: d, where op->a bytes begin, at a multiple of op->immediate; op->b, where the free part of
 * the stack ends. */
tma_handler tma_run_alloca;

/* Prepares a launch: each instruction that its kernel can reach gets a handler and the places of
 * its operands. */

/* Fills the prepared members of *launch. Fails with TMA_ERROR_ARGUMENT or TMA_ERROR_MEMORY. */
enum tma_error_code tma_prepare(struct tma_executor *launch);

/* Sets the special registers, and the addresses of shared variables, of a warp that begins. */
void tma_set_specials(struct tma_warp *warp);
/* Sets the registers that show clocks. */
void tma_set_clocks(struct tma_warp *warp);

/* Runs the warps of a cluster. */

enum tma_turn {
    TMA_TURN_PARKED,  /* every path waits */
    TMA_TURN_POLLED,  /* a poll found nothing, or the warp sleeps */
    TMA_TURN_QUANTUM, /* more to do */
    TMA_TURN_ENDED,
    TMA_TURN_FAILED
};

/* Runs a warp until it waits, ends, or has executed `quantum` instructions. */
enum tma_turn tma_run_warp(struct tma_warp *warp, uint32_t quantum);

/* Chooses the path that runs next. False: all of them wait. */
bool tma_choose_path_slowly(struct tma_warp *warp);
static inline bool tma_choose_path(struct tma_warp *warp) {
    /* Mostly there is one, which goes on. */
    if (warp->path_count != 1 || warp->paths[0].parked || warp->paths[0].passed)
        return tma_choose_path_slowly(warp);
    warp->current = 0;
    return true;
}

/* Ends the waits of try_wait without success, as hardware does after a time. */
void tma_give_up(struct tma_warp *warp);
