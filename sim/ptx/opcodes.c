#include "ptx/opcodes.h"

#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "base/text_distance.h"

/* A form: an opcode, its modifiers, its operands.
 *
 * Modifiers are in the ISA's own notation: .x is needed, {.x,.y} is at most one of them, <.x,.y> is
 * one of them. A # stands for a multiple of 8 up to 256. The order of modifiers in a text does not
 * count, as ptxas does not insist on all of it.
 *
 * Operands, in the order of the text; destinations begin with >, what may be missing ends with ?,
 * and alternatives are separated by /:
 *   0 1 2 3  a value of that type of the instruction; +: its register may be wider
 *   W        a value of twice the width of type 0
 *   h w l    a value of 16, 32 or 64 bits
 *   p        a predicate; |>p? is the second destination behind a | of the text
 *   a        an address; m: an address and coordinates of a tensor, which are two operands
 *   v        a vector; i: a constant; L: a label; *: any of these */
struct form {
    enum tma_ptx_opcode opcode;
    const char *modifiers, *operands;
};

#define INTEGERS      "<.u16,.u32,.u64,.s16,.s32,.s64>"
#define WORDS         "<.u32,.s32,.u64,.s64>"
#define SMALL         "<.u16,.u32,.s16,.s32>"
#define ROUND         "{.rn,.rz,.rm,.rp}"
#define ROUNDED       "<.rn,.rz,.rm,.rp>"
#define HALVES        "<.f16,.f16x2>"
#define BRAINS        "<.bf16,.bf16x2>"
#define COMPARE       "<.eq,.ne,.lt,.le,.gt,.ge,.lo,.ls,.hi,.hs,.equ,.neu,.ltu,.leu,.gtu,.geu,.num,.nan>"
#define BOOLEAN       "{.and,.or,.xor}"
#define SCOPE         "{.cta,.cluster,.gpu,.sys}"
#define SHARED        "{.shared,.shared::cta}"
#define DISTANT       "{.shared,.shared::cta,.shared::cluster}"
#define ATOMIC_GLOBAL "{.relaxed,.acquire,.release,.acq_rel}" SCOPE "{.global}"
#define ATOMIC                                                                                     \
    "{.relaxed,.acquire,.release,.acq_rel}" SCOPE "{.global,.shared,.shared::cta,.shared::"        \
    "cluster}"
#define REDUCE_GLOBAL "{.relaxed,.release}" SCOPE "{.global}"
#define REDUCE        "{.relaxed,.release}" SCOPE "{.global,.shared,.shared::cta,.shared::cluster}"
#define HINT          "{.L2::cache_hint}"
#define SPACES                                                                                     \
    "{.const,.global,.local,.param,.param::entry,.param::func,.shared,.shared::cta,.shared::"      \
    "cluster}"
#define EVICTION                                                                                   \
    "{.L1::evict_normal,.L1::evict_unchanged,.L1::evict_first,.L1::evict_last,.L1::no_allocate}"   \
    "{.L2::evict_normal,.L2::evict_first,.L2::evict_last}" HINT
#define AHEAD   "{.L2::64B,.L2::128B,.L2::256B}"
#define VECTOR  "{.v2,.v4,.v8}"
#define MEMORY  "<.b8,.b16,.b32,.b64,.b128,.u8,.u16,.u32,.u64,.s8,.s16,.s32,.s64,.f32,.f64>"
#define NUMBERS "<.u8,.u16,.u32,.u64,.s8,.s16,.s32,.s64,.f16,.bf16,.f32,.f64>"
#define SCALARS "<.b16,.b32,.b64,.u16,.u32,.u64,.s16,.s32,.s64,.f32,.f64>"
#define COMPARED                                                                                   \
    "<.b16,.b32,.b64,.u16,.u32,.u64,.s16,.s32,.s64,.f32,.f64,.f16,.f16x2,.bf16,.bf16x2>"
#define DIMENSIONS     "<.1d,.2d,.3d,.4d,.5d>"
#define BYTES          "<.e4m3,.e5m2>"
#define BYTE_PAIR      "<.e4m3x2,.e5m2x2>"
#define SMALL_INTEGERS "<.u8,.s8>"
#define REDUCTION      "<.add,.min,.max,.inc,.dec,.and,.or,.xor>"
#define PRIMARY        "<.L2::evict_last,.L2::evict_normal,.L2::evict_first,.L2::evict_unchanged>"
#define SECONDARY      "{.L2::evict_first,.L2::evict_unchanged}"
#define BARRIER_ORDER  "{.release,.relaxed}{.cta,.cluster}"
#define WAIT_ORDER     "{.acquire,.relaxed}{.cta,.cluster}" SHARED
#define WGMMA          ".sync.aligned"
#define SPARSE         "<.sp,.sp::ordered_metadata>.sync.aligned"

static const struct form forms[] = {
    {TMA_PTX_OP_ABS, "<.s16,.s32,.s64>", ">0 0"},
    {TMA_PTX_OP_ABS, "{.ftz}.f32", ">0 0"},
    {TMA_PTX_OP_ABS, ".f64", ">0 0"},
    {TMA_PTX_OP_ABS, "{.ftz}" HALVES, ">0 0"},
    {TMA_PTX_OP_ABS, BRAINS, ">0 0"},
    {TMA_PTX_OP_ACTIVEMASK, ".b32", ">0"},
    {TMA_PTX_OP_ADD, INTEGERS, ">0 0 0"},
    {TMA_PTX_OP_ADD, "<.u16x2,.s16x2>", ">0 0 0"},
    {TMA_PTX_OP_ADD, ".sat.s32", ">0 0 0"},
    {TMA_PTX_OP_ADD, ".cc" WORDS, ">0 0 0"},
    {TMA_PTX_OP_ADD, ROUND "{.ftz}{.sat}.f32", ">0 0 0"},
    {TMA_PTX_OP_ADD, ROUND ".f64", ">0 0 0"},
    {TMA_PTX_OP_ADD, "{.rn}{.ftz}{.sat}" HALVES, ">0 0 0"},
    {TMA_PTX_OP_ADD, "{.rn}" BRAINS, ">0 0 0"},
    {TMA_PTX_OP_ADDC, "{.cc}" WORDS, ">0 0 0"},
    {TMA_PTX_OP_AND, "<.pred,.b16,.b32,.b64>", ">0 0 0"},
    {TMA_PTX_OP_APPLYPRIORITY, "{.global}.L2::evict_normal", "a i"},
    {TMA_PTX_OP_ATOM, ATOMIC "<.and,.or,.xor>" HINT "<.b32,.b64>", ">0 a 0 l?"},
    {TMA_PTX_OP_ATOM, ATOMIC ".exch" HINT "<.b32,.b64,.b128>", ">0 a 0 l?"},
    {TMA_PTX_OP_ATOM, ATOMIC ".cas" HINT "<.b16,.b32,.b64,.b128>", ">0 a 0 0 l?"},
    {TMA_PTX_OP_ATOM, ATOMIC ".add" HINT "<.u32,.s32,.u64,.f32,.f64>", ">0 a 0 l?"},
    {TMA_PTX_OP_ATOM, ATOMIC ".add.noftz" HINT "<.f16,.f16x2,.bf16,.bf16x2>", ">0 a 0 l?"},
    {TMA_PTX_OP_ATOM, ATOMIC "<.inc,.dec>" HINT ".u32", ">0 a 0 l?"},
    {TMA_PTX_OP_ATOM, ATOMIC "<.min,.max>" HINT WORDS, ">0 a 0 l?"},
    {TMA_PTX_OP_ATOM, ATOMIC_GLOBAL ".add" HINT "<.v2,.v4>.f32", ">0 a 0 l?"},
    {TMA_PTX_OP_ATOM, ATOMIC_GLOBAL "<.add,.min,.max>.noftz" HINT "<.v2,.v4,.v8><.f16,.bf16>",
     ">0 a 0 l?"},
    {TMA_PTX_OP_ATOM, ATOMIC_GLOBAL "<.add,.min,.max>.noftz" HINT "<.v2,.v4><.f16x2,.bf16x2>",
     ">0 a 0 l?"},
    {TMA_PTX_OP_BAR_WARP_SYNC, "", "w"},
    {TMA_PTX_OP_BARRIER_ARRIVE, "{.aligned}", "w w"},
    {TMA_PTX_OP_BARRIER_RED, "{.aligned}.popc.u32", ">0 w p/>0 w w p"},
    {TMA_PTX_OP_BARRIER_RED, "{.aligned}<.and,.or>.pred", ">0 w p/>0 w w p"},
    {TMA_PTX_OP_BARRIER_SYNC, "{.aligned}", "w w?"},
    {TMA_PTX_OP_BARRIER_CLUSTER_ARRIVE, "{.release,.relaxed}{.aligned}", ""},
    {TMA_PTX_OP_BARRIER_CLUSTER_WAIT, "{.acquire}{.aligned}", ""},
    {TMA_PTX_OP_BFE, WORDS, ">0 0 w w"},
    {TMA_PTX_OP_BFI, "<.b32,.b64>", ">0 0 0 w w"},
    {TMA_PTX_OP_BFIND, "{.shiftamt}" WORDS, ">w 0"},
    {TMA_PTX_OP_BMSK, "<.clamp,.wrap>.b32", ">w w w"},
    {TMA_PTX_OP_BRA, "{.uni}", "L"},
    {TMA_PTX_OP_BREV, "<.b32,.b64>", ">0 0"},
    {TMA_PTX_OP_BRKPT, "", ""},
    {TMA_PTX_OP_BRX_IDX, "{.uni}", "w v"},
    {TMA_PTX_OP_CALL, "{.uni}", "v * v"},
    {TMA_PTX_OP_CLZ, "<.b32,.b64>", ">w 0"},
    {TMA_PTX_OP_CNOT, "<.b16,.b32,.b64>", ">0 0"},
    {TMA_PTX_OP_COPYSIGN, "<.f32,.f64>", ">0 0 0"},
    {TMA_PTX_OP_COS, ".approx{.ftz}.f32", ">0 0"},
    {TMA_PTX_OP_CP_ASYNC, "<.ca,.cg><.shared,.shared::cta>.global" HINT AHEAD, "a a i *? *?"},
    {TMA_PTX_OP_CP_ASYNC_COMMIT_GROUP, "", ""},
    {TMA_PTX_OP_CP_ASYNC_WAIT_GROUP, "", "i"},
    {TMA_PTX_OP_CP_ASYNC_WAIT_ALL, "", ""},
    {TMA_PTX_OP_CP_ASYNC_MBARRIER_ARRIVE, "{.noinc}" SHARED ".b64", "a"},
    {TMA_PTX_OP_CP_ASYNC_BULK,
     "<.shared::cluster,.shared::cta>.global.mbarrier::complete_tx::bytes{.multicast::"
     "cluster}" HINT,
     "a a w a *? l?"},
    {TMA_PTX_OP_CP_ASYNC_BULK, ".shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
     "a a w a"},
    {TMA_PTX_OP_CP_ASYNC_BULK, ".global.shared::cta.bulk_group" HINT, "a a w l?"},
    {TMA_PTX_OP_CP_ASYNC_BULK_COMMIT_GROUP, "", ""},
    {TMA_PTX_OP_CP_ASYNC_BULK_WAIT_GROUP, "{.read}", "i"},
    {TMA_PTX_OP_CP_ASYNC_BULK_PREFETCH, ".L2.global" HINT, "a w l?"},
    {TMA_PTX_OP_CP_ASYNC_BULK_TENSOR,
     DIMENSIONS "<.shared::cluster,.shared::cta>.global"
                "{.tile,.tile::gather4,.im2col,.im2col::w,.im2col::w::128}"
                ".mbarrier::complete_tx::bytes{.multicast::cluster}" HINT,
     "a m a *? *? *?"},
    {TMA_PTX_OP_CP_ASYNC_BULK_TENSOR,
     DIMENSIONS ".global.shared::cta{.tile,.tile::scatter4,.im2col_no_offs}.bulk_group" HINT,
     "m a l?"},
    {TMA_PTX_OP_CP_ASYNC_BULK_PREFETCH_TENSOR,
     DIMENSIONS ".L2.global{.tile,.tile::gather4,.im2col,.im2col::w,.im2col::w::128}" HINT,
     "m *? l?"},
    {TMA_PTX_OP_CP_REDUCE_ASYNC_BULK,
     ".shared::cluster.shared::cta.mbarrier::complete_tx::bytes" REDUCTION
     "<.b32,.u32,.s32,.b64,.u64,.s64>",
     "a a w a"},
    {TMA_PTX_OP_CP_REDUCE_ASYNC_BULK,
     ".global.shared::cta.bulk_group" HINT REDUCTION "<.b32,.u32,.s32,.b64,.u64,.s64,.f32,.f64>",
     "a a w l?"},
    {TMA_PTX_OP_CP_REDUCE_ASYNC_BULK,
     ".global.shared::cta.bulk_group" HINT ".add.noftz<.f16,.bf16>", "a a w l?"},
    {TMA_PTX_OP_CP_REDUCE_ASYNC_BULK,
     ".global.shared::cta.bulk_group" HINT "<.min,.max><.f16,.bf16>", "a a w l?"},
    {TMA_PTX_OP_CP_REDUCE_ASYNC_BULK_TENSOR,
     DIMENSIONS ".global.shared::cta" REDUCTION "{.tile,.im2col_no_offs}.bulk_group" HINT,
     "m a l?"},
    {TMA_PTX_OP_CREATEPOLICY, ".fractional" PRIMARY SECONDARY ".b64", ">0 *?"},
    {TMA_PTX_OP_CREATEPOLICY, ".range{.global}" PRIMARY SECONDARY ".b64", ">0 a w w"},
    {TMA_PTX_OP_CREATEPOLICY, ".cvt.L2.b64", ">0 l"},
    {TMA_PTX_OP_CVT, "{.rn,.rz,.rm,.rp,.rna,.rni,.rzi,.rmi,.rpi}{.ftz}{.sat}" NUMBERS NUMBERS,
     ">0+ 1+"},
    {TMA_PTX_OP_CVT, "<.rn,.rz>{.relu}{.satfinite}<.f16x2,.bf16x2>.f32", ">0 1 1"},
    {TMA_PTX_OP_CVT, "<.rn,.rz>{.relu}{.satfinite}<.f16,.bf16>.f32", ">0+ 1"},
    {TMA_PTX_OP_CVT, "<.rna,.rn,.rz>{.satfinite}{.relu}.tf32.f32", ">w 1"},
    {TMA_PTX_OP_CVT, ".rn.satfinite{.relu}" BYTE_PAIR ".f32", ">0+ 1 1"},
    {TMA_PTX_OP_CVT, ".rn.satfinite{.relu}" BYTE_PAIR ".f16x2", ">0+ 1"},
    {TMA_PTX_OP_CVT, ".rn{.relu}.f16x2" BYTE_PAIR, ">0 1"},
    {TMA_PTX_OP_CVT_PACK, ".sat<.u16,.s16>.s32", ">w w w"},
    {TMA_PTX_OP_CVT_PACK, ".sat<.u2,.s2,.u4,.s4,.u8,.s8>.s32.b32", ">w w w w"},
    {TMA_PTX_OP_CVTA,
     "{.to}<.const,.global,.local,.param,.param::entry,.shared,.shared::cta,.shared::cluster>"
     "<.u32,.u64>",
     ">0 0"},
    {TMA_PTX_OP_DISCARD, "{.global}.L2", "a i"},
    {TMA_PTX_OP_DIV, INTEGERS, ">0 0 0"},
    {TMA_PTX_OP_DIV, "<.approx,.full,.rn,.rz,.rm,.rp>{.ftz}.f32", ">0 0 0"},
    {TMA_PTX_OP_DIV, ROUNDED ".f64", ">0 0 0"},
    {TMA_PTX_OP_DP2A, "<.lo,.hi><.u32,.s32><.u32,.s32>", ">w w w w"},
    {TMA_PTX_OP_DP4A, "<.u32,.s32><.u32,.s32>", ">w w w w"},
    {TMA_PTX_OP_ELECT, ".sync", ">w |>p w"},
    {TMA_PTX_OP_EX2, ".approx{.ftz}.f32", ">0 0"},
    {TMA_PTX_OP_EX2, ".approx" HALVES, ">0 0"},
    {TMA_PTX_OP_EX2, ".approx.ftz" BRAINS, ">0 0"},
    {TMA_PTX_OP_EXIT, "", ""},
    {TMA_PTX_OP_FENCE, "{.sc,.acq_rel,.acquire,.release}<.cta,.cluster,.gpu,.sys>", ""},
    {TMA_PTX_OP_FENCE,
     "<.acquire,.release><.sync_restrict::shared::cta,.sync_restrict::shared::cluster>.cluster",
     ""},
    {TMA_PTX_OP_FENCE, ".mbarrier_init.release.cluster", ""},
    {TMA_PTX_OP_FENCE, ".proxy.alias", ""},
    {TMA_PTX_OP_FENCE, ".proxy.async{.global,.shared::cta,.shared::cluster}", ""},
    {TMA_PTX_OP_FENCE,
     ".proxy.async::generic<.acquire,.release>"
     "<.sync_restrict::shared::cta,.sync_restrict::shared::cluster>.cluster",
     ""},
    {TMA_PTX_OP_FENCE, ".proxy.tensormap::generic.release<.cta,.cluster,.gpu,.sys>", ""},
    {TMA_PTX_OP_FENCE, ".proxy.tensormap::generic.acquire<.cta,.cluster,.gpu,.sys>", "a i"},
    {TMA_PTX_OP_FMA, ROUNDED "{.ftz}{.sat}.f32", ">0 0 0 0"},
    {TMA_PTX_OP_FMA, ROUNDED ".f64", ">0 0 0 0"},
    {TMA_PTX_OP_FMA, ".rn{.ftz}{.sat}{.oob}{.relu}" HALVES, ">0 0 0 0"},
    {TMA_PTX_OP_FMA, ".rn{.oob}{.relu}" BRAINS, ">0 0 0 0"},
    {TMA_PTX_OP_FNS, ".b32", ">w w w w"},
    {TMA_PTX_OP_GETCTARANK, "{.shared::cluster}<.u32,.u64>", ">w 0"},
    {TMA_PTX_OP_GRIDDEPCONTROL, "<.launch_dependents,.wait>", ""},
    {TMA_PTX_OP_ISSPACEP,
     "<.const,.global,.local,.param,.param::entry,.shared,.shared::cta,.shared::cluster>", ">p *"},
    {TMA_PTX_OP_LD,
     "{.weak,.relaxed,.acquire,.volatile}{.mmio}" SCOPE SPACES
     "{.ca,.cg,.cs,.lu,.cv}{.nc}" EVICTION AHEAD VECTOR MEMORY,
     ">0+ a l?"},
    {TMA_PTX_OP_LDMATRIX, ".sync.aligned.m8n8<.x1,.x2,.x4>{.trans}" SHARED ".b16", ">v a"},
    {TMA_PTX_OP_LDU, "{.global}" VECTOR MEMORY, ">0+ a"},
    {TMA_PTX_OP_LG2, ".approx{.ftz}.f32", ">0 0"},
    {TMA_PTX_OP_LOP3, ".b32", ">w w w w i"},
    {TMA_PTX_OP_LOP3, "<.or,.and>.b32", ">w |>p w w w i p"},
    {TMA_PTX_OP_MAD, "<.hi,.lo>" INTEGERS, ">0 0 0 0"},
    {TMA_PTX_OP_MAD, ".wide" SMALL, ">W 0 0 W"},
    {TMA_PTX_OP_MAD, ".hi.sat.s32", ">0 0 0 0"},
    {TMA_PTX_OP_MAD, "<.hi,.lo>.cc" WORDS, ">0 0 0 0"},
    {TMA_PTX_OP_MAD, ROUNDED "{.ftz}{.sat}.f32", ">0 0 0 0"},
    {TMA_PTX_OP_MAD, ROUNDED ".f64", ">0 0 0 0"},
    {TMA_PTX_OP_MAD24, "<.hi,.lo><.u32,.s32>", ">0 0 0 0"},
    {TMA_PTX_OP_MAD24, ".hi.sat.s32", ">0 0 0 0"},
    {TMA_PTX_OP_MADC, "<.hi,.lo>{.cc}" WORDS, ">0 0 0 0"},
    {TMA_PTX_OP_MAPA, "{.shared::cluster}<.u32,.u64>", ">0 0 w"},
    {TMA_PTX_OP_MATCH, ".any.sync<.b32,.b64>", ">w 0 w"},
    {TMA_PTX_OP_MATCH, ".all.sync<.b32,.b64>", ">w |>p? 0 w"},
    {TMA_PTX_OP_MAX, INTEGERS, ">0 0 0"},
    {TMA_PTX_OP_MAX, "<.u16x2,.s16x2>", ">0 0 0"},
    {TMA_PTX_OP_MAX, ".relu<.s16x2,.s32>", ">0 0 0"},
    {TMA_PTX_OP_MAX, "{.ftz}{.NaN}{.xorsign}{.abs}.f32", ">0 0 0"},
    {TMA_PTX_OP_MAX, ".f64", ">0 0 0"},
    {TMA_PTX_OP_MAX, "{.ftz}{.NaN}{.xorsign}{.abs}" HALVES, ">0 0 0"},
    {TMA_PTX_OP_MAX, "{.NaN}{.xorsign}{.abs}" BRAINS, ">0 0 0"},
    {TMA_PTX_OP_MBARRIER_ARRIVE, BARRIER_ORDER DISTANT ".b64", ">l a w?"},
    {TMA_PTX_OP_MBARRIER_ARRIVE, ".expect_tx" BARRIER_ORDER DISTANT ".b64", ">l a w"},
    {TMA_PTX_OP_MBARRIER_ARRIVE, ".noComplete{.release}{.cta}" SHARED ".b64", ">l a w"},
    {TMA_PTX_OP_MBARRIER_ARRIVE_DROP, BARRIER_ORDER DISTANT ".b64", ">l a w?"},
    {TMA_PTX_OP_MBARRIER_ARRIVE_DROP, ".expect_tx" BARRIER_ORDER DISTANT ".b64", ">l a w"},
    {TMA_PTX_OP_MBARRIER_ARRIVE_DROP, ".noComplete{.release}{.cta}" SHARED ".b64", ">l a w"},
    {TMA_PTX_OP_MBARRIER_COMPLETE_TX, "{.relaxed}{.cta,.cluster}" DISTANT ".b64", "a w"},
    {TMA_PTX_OP_MBARRIER_EXPECT_TX, "{.relaxed}{.cta,.cluster}" DISTANT ".b64", "a w"},
    {TMA_PTX_OP_MBARRIER_INIT, SHARED ".b64", "a w"},
    {TMA_PTX_OP_MBARRIER_INVAL, SHARED ".b64", "a"},
    {TMA_PTX_OP_MBARRIER_PENDING_COUNT, ".b64", ">w l"},
    {TMA_PTX_OP_MBARRIER_TEST_WAIT, WAIT_ORDER ".b64", ">p a l"},
    {TMA_PTX_OP_MBARRIER_TEST_WAIT, ".parity" WAIT_ORDER ".b64", ">p a w"},
    {TMA_PTX_OP_MBARRIER_TRY_WAIT, WAIT_ORDER ".b64", ">p a l w?"},
    {TMA_PTX_OP_MBARRIER_TRY_WAIT, ".parity" WAIT_ORDER ".b64", ">p a w w?"},
    {TMA_PTX_OP_MEMBAR, "<.cta,.gl,.sys>", ""},
    {TMA_PTX_OP_MEMBAR, ".proxy.alias", ""},
    {TMA_PTX_OP_MIN, INTEGERS, ">0 0 0"},
    {TMA_PTX_OP_MIN, "<.u16x2,.s16x2>", ">0 0 0"},
    {TMA_PTX_OP_MIN, ".relu<.s16x2,.s32>", ">0 0 0"},
    {TMA_PTX_OP_MIN, "{.ftz}{.NaN}{.xorsign}{.abs}.f32", ">0 0 0"},
    {TMA_PTX_OP_MIN, ".f64", ">0 0 0"},
    {TMA_PTX_OP_MIN, "{.ftz}{.NaN}{.xorsign}{.abs}" HALVES, ">0 0 0"},
    {TMA_PTX_OP_MIN, "{.NaN}{.xorsign}{.abs}" BRAINS, ">0 0 0"},
    {TMA_PTX_OP_MMA, ".sync.aligned<.m16n8k8,.m16n8k16>.row.col<.f16,.f32>.f16.f16<.f16,.f32>",
     ">v v v v"},
    {TMA_PTX_OP_MMA, ".sync.aligned<.m16n8k8,.m16n8k16>.row.col.f32.bf16.bf16.f32", ">v v v v"},
    {TMA_PTX_OP_MMA, ".sync.aligned<.m16n8k4,.m16n8k8>.row.col.f32.tf32.tf32.f32", ">v v v v"},
    {TMA_PTX_OP_MMA,
     ".sync.aligned<.m8n8k4,.m16n8k4,.m16n8k8,.m16n8k16>.row.col{.rn,.rz,.rm,.rp}.f64.f64.f64.f64",
     ">v v v v"},
    {TMA_PTX_OP_MMA,
     ".sync.aligned<.m16n8k16,.m16n8k32>.row.col<.f16,.f32>" BYTES BYTES "<.f16,.f32>", ">v v v v"},
    {TMA_PTX_OP_MMA,
     ".sync.aligned<.m8n8k16,.m16n8k16,.m16n8k32>.row.col{.satfinite}.s32" SMALL_INTEGERS
         SMALL_INTEGERS ".s32",
     ">v v v v"},
    {TMA_PTX_OP_MMA,
     ".sync.aligned<.m8n8k32,.m16n8k32,.m16n8k64>.row.col{.satfinite}.s32<.u4,.s4><.u4,.s4>.s32",
     ">v v v v"},
    {TMA_PTX_OP_MMA,
     ".sync.aligned<.m8n8k128,.m16n8k128,.m16n8k256>.row.col.s32.b1.b1.s32<.xor,.and>.popc",
     ">v v v v"},
    {TMA_PTX_OP_MMA, SPARSE "<.m16n8k16,.m16n8k32>.row.col<.f16,.f32>.f16.f16<.f16,.f32>",
     ">v v v v w i"},
    {TMA_PTX_OP_MMA, SPARSE "<.m16n8k16,.m16n8k32>.row.col.f32.bf16.bf16.f32", ">v v v v w i"},
    {TMA_PTX_OP_MMA, SPARSE "<.m16n8k8,.m16n8k16>.row.col.f32.tf32.tf32.f32", ">v v v v w i"},
    {TMA_PTX_OP_MMA, SPARSE ".m16n8k64.row.col.f32" BYTES BYTES ".f32", ">v v v v w i"},
    {TMA_PTX_OP_MMA,
     SPARSE "<.m16n8k32,.m16n8k64>.row.col{.satfinite}.s32" SMALL_INTEGERS SMALL_INTEGERS ".s32",
     ">v v v v w i"},
    {TMA_PTX_OP_MMA, SPARSE "<.m16n8k64,.m16n8k128>.row.col{.satfinite}.s32<.u4,.s4><.u4,.s4>.s32",
     ">v v v v w i"},
    {TMA_PTX_OP_MOV, VECTOR "<.pred,.b16,.b32,.b64,.b128,.u16,.u32,.u64,.s16,.s32,.s64,.f32,.f64>",
     ">0 0"},
    {TMA_PTX_OP_MOVMATRIX, ".sync.aligned.m8n8.trans.b16", ">w w"},
    {TMA_PTX_OP_MUL, "<.hi,.lo>" INTEGERS, ">0 0 0"},
    {TMA_PTX_OP_MUL, ".wide" SMALL, ">W 0 0"},
    {TMA_PTX_OP_MUL, ROUND "{.ftz}{.sat}.f32", ">0 0 0"},
    {TMA_PTX_OP_MUL, ROUND ".f64", ">0 0 0"},
    {TMA_PTX_OP_MUL, "{.rn}{.ftz}{.sat}" HALVES, ">0 0 0"},
    {TMA_PTX_OP_MUL, "{.rn}" BRAINS, ">0 0 0"},
    {TMA_PTX_OP_MUL24, "<.hi,.lo><.u32,.s32>", ">0 0 0"},
    {TMA_PTX_OP_MULTIMEM_LD_REDUCE,
     "{.weak,.relaxed,.acquire}" SCOPE
     "{.global}<.min,.max,.add,.and,.or,.xor>{.acc::f32,.acc::f16}" VECTOR
     "<.b32,.b64,.u32,.s32,.u64,.s64,.f16,.f16x2,.bf16,.bf16x2,.f32,.f64>",
     ">0 a"},
    {TMA_PTX_OP_MULTIMEM_RED,
     "{.relaxed,.release}" SCOPE "{.global}<.min,.max,.add,.and,.or,.xor>" VECTOR
     "<.b32,.b64,.u32,.s32,.u64,.s64,.f16,.f16x2,.bf16,.bf16x2,.f32,.f64>",
     "a 0"},
    {TMA_PTX_OP_MULTIMEM_ST,
     "{.weak,.relaxed,.release}" SCOPE "{.global}" VECTOR
     "<.b32,.b64,.u32,.s32,.u64,.s64,.f16,.f16x2,.bf16,.bf16x2,.f32,.f64>",
     "a 0"},
    {TMA_PTX_OP_NANOSLEEP, ".u32", "w"},
    {TMA_PTX_OP_NEG, "<.s16,.s32,.s64>", ">0 0"},
    {TMA_PTX_OP_NEG, "{.ftz}.f32", ">0 0"},
    {TMA_PTX_OP_NEG, ".f64", ">0 0"},
    {TMA_PTX_OP_NEG, "{.ftz}" HALVES, ">0 0"},
    {TMA_PTX_OP_NEG, BRAINS, ">0 0"},
    {TMA_PTX_OP_NOT, "<.pred,.b16,.b32,.b64>", ">0 0"},
    {TMA_PTX_OP_OR, "<.pred,.b16,.b32,.b64>", ">0 0 0"},
    {TMA_PTX_OP_PMEVENT, "{.mask}", "i"},
    {TMA_PTX_OP_POPC, "<.b32,.b64>", ">w 0"},
    {TMA_PTX_OP_PREFETCH, "{.global,.local}<.L1,.L2>", "a"},
    {TMA_PTX_OP_PREFETCH, ".global<.L2::evict_last,.L2::evict_normal>", "a"},
    {TMA_PTX_OP_PREFETCH, "{.const,.param,.param::entry}.tensormap", "a"},
    {TMA_PTX_OP_PREFETCHU, ".L1", "a"},
    {TMA_PTX_OP_PRMT, ".b32{.f4e,.b4e,.rc8,.ecl,.ecr,.rc16}", ">w w w w"},
    {TMA_PTX_OP_RCP, "<.approx,.rn,.rz,.rm,.rp>{.ftz}.f32", ">0 0"},
    {TMA_PTX_OP_RCP, ROUNDED ".f64", ">0 0"},
    {TMA_PTX_OP_RCP, ".approx.ftz.f64", ">0 0"},
    {TMA_PTX_OP_RED, REDUCE "<.and,.or,.xor>" HINT "<.b32,.b64>", "a 0 l?"},
    {TMA_PTX_OP_RED, REDUCE ".add" HINT "<.u32,.s32,.u64,.f32,.f64>", "a 0 l?"},
    {TMA_PTX_OP_RED, REDUCE ".add.noftz" HINT "<.f16,.f16x2,.bf16,.bf16x2>", "a 0 l?"},
    {TMA_PTX_OP_RED, REDUCE "<.inc,.dec>" HINT ".u32", "a 0 l?"},
    {TMA_PTX_OP_RED, REDUCE "<.min,.max>" HINT WORDS, "a 0 l?"},
    {TMA_PTX_OP_RED, REDUCE_GLOBAL ".add" HINT "<.v2,.v4>.f32", "a 0 l?"},
    {TMA_PTX_OP_RED, REDUCE_GLOBAL "<.add,.min,.max>.noftz" HINT "<.v2,.v4,.v8><.f16,.bf16>",
     "a 0 l?"},
    {TMA_PTX_OP_RED, REDUCE_GLOBAL "<.add,.min,.max>.noftz" HINT "<.v2,.v4><.f16x2,.bf16x2>",
     "a 0 l?"},
    {TMA_PTX_OP_RED_ASYNC,
     ".relaxed.cluster{.shared::cluster}.mbarrier::complete_tx::bytes" REDUCTION
     "<.b32,.u32,.s32,.u64>",
     "a 0 a"},
    {TMA_PTX_OP_REDUX, ".sync<.add,.min,.max><.u32,.s32>", ">0 0 w"},
    {TMA_PTX_OP_REDUX, ".sync<.and,.or,.xor>.b32", ">0 0 w"},
    {TMA_PTX_OP_REM, INTEGERS, ">0 0 0"},
    {TMA_PTX_OP_RET, "{.uni}", ""},
    {TMA_PTX_OP_RSQRT, ".approx{.ftz}<.f32,.f64>", ">0 0"},
    {TMA_PTX_OP_SAD, INTEGERS, ">0 0 0 0"},
    {TMA_PTX_OP_SELP, SCALARS, ">0 0 0 p"},
    {TMA_PTX_OP_SET,
     COMPARE BOOLEAN "{.ftz}<.u32,.s32,.f32,.f16,.bf16,.u16,.s16,.f16x2,.bf16x2>" COMPARED,
     ">0 1 1 p?"},
    {TMA_PTX_OP_SETMAXNREG, "<.inc,.dec>.sync.aligned.u32", "i"},
    {TMA_PTX_OP_SETP, COMPARE BOOLEAN "{.ftz}" COMPARED, ">p |>p? 0 0 p?"},
    {TMA_PTX_OP_SHF, "<.l,.r><.clamp,.wrap>.b32", ">w w w w"},
    {TMA_PTX_OP_SHFL, ".sync<.up,.down,.bfly,.idx>.b32", ">w |>p? w w w w"},
    {TMA_PTX_OP_SHL, "<.b16,.b32,.b64>", ">0 0 w"},
    {TMA_PTX_OP_SHR, "<.b16,.b32,.b64,.u16,.u32,.u64,.s16,.s32,.s64>", ">0 0 w"},
    {TMA_PTX_OP_SIN, ".approx{.ftz}.f32", ">0 0"},
    {TMA_PTX_OP_SLCT, "{.ftz}" SCALARS "<.s32,.f32>", ">0 0 0 1"},
    {TMA_PTX_OP_SQRT, "<.approx,.rn,.rz,.rm,.rp>{.ftz}.f32", ">0 0"},
    {TMA_PTX_OP_SQRT, ROUNDED ".f64", ">0 0"},
    {TMA_PTX_OP_ST,
     "{.weak,.relaxed,.release,.volatile}{.mmio}" SCOPE SPACES
     "{.wb,.cg,.cs,.wt}" EVICTION VECTOR MEMORY,
     "a 0+ l?"},
    {TMA_PTX_OP_ST_ASYNC,
     "{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes" VECTOR
     "<.b32,.b64,.u32,.u64,.s32,.s64,.f32,.f64>",
     "a 0 a"},
    {TMA_PTX_OP_STACKRESTORE, "<.u32,.u64>", "0"},
    {TMA_PTX_OP_STACKSAVE, "<.u32,.u64>", ">0"},
    {TMA_PTX_OP_ALLOCA, "<.u32,.u64>", ">0 0 i?"},
    {TMA_PTX_OP_STMATRIX, ".sync.aligned.m8n8<.x1,.x2,.x4>{.trans}" SHARED ".b16", "a v"},
    {TMA_PTX_OP_SUB, INTEGERS, ">0 0 0"},
    {TMA_PTX_OP_SUB, ".sat.s32", ">0 0 0"},
    {TMA_PTX_OP_SUB, ".cc" WORDS, ">0 0 0"},
    {TMA_PTX_OP_SUB, ROUND "{.ftz}{.sat}.f32", ">0 0 0"},
    {TMA_PTX_OP_SUB, ROUND ".f64", ">0 0 0"},
    {TMA_PTX_OP_SUB, "{.rn}{.ftz}{.sat}" HALVES, ">0 0 0"},
    {TMA_PTX_OP_SUB, "{.rn}" BRAINS, ">0 0 0"},
    {TMA_PTX_OP_SUBC, "{.cc}" WORDS, ">0 0 0"},
    {TMA_PTX_OP_SZEXT, "<.clamp,.wrap><.u32,.s32>", ">w w w"},
    {TMA_PTX_OP_TANH, ".approx<.f32,.f16,.f16x2,.bf16,.bf16x2>", ">0 0"},
    {TMA_PTX_OP_TENSORMAP_CP_FENCEPROXY,
     ".global<.shared,.shared::cta>.tensormap::generic.release<.cta,.cluster,.gpu,.sys>"
     ".sync.aligned",
     "a a i"},
    {TMA_PTX_OP_TENSORMAP_REPLACE, ".tile.global_address{.global,.shared::cta}.b1024.b64", "a l"},
    {TMA_PTX_OP_TENSORMAP_REPLACE, ".tile.rank{.global,.shared::cta}.b1024.b32", "a w"},
    {TMA_PTX_OP_TENSORMAP_REPLACE,
     ".tile<.box_dim,.global_dim,.element_stride>{.global,.shared::cta}.b1024.b32", "a i w"},
    {TMA_PTX_OP_TENSORMAP_REPLACE, ".tile.global_stride{.global,.shared::cta}.b1024.b64", "a i l"},
    {TMA_PTX_OP_TENSORMAP_REPLACE,
     ".tile<.elemtype,.interleave_layout,.swizzle_mode,.swizzle_atomicity,.fill_mode>"
     "{.global,.shared::cta}.b1024.b32",
     "a i"},
    {TMA_PTX_OP_TESTP, "<.finite,.infinite,.number,.notanumber,.normal,.subnormal><.f32,.f64>",
     ">p 0"},
    {TMA_PTX_OP_TRAP, "", ""},
    {TMA_PTX_OP_VOTE, ".sync<.all,.any,.uni>.pred", ">p p w"},
    {TMA_PTX_OP_VOTE, ".sync.ballot.b32", ">w p w"},
    {TMA_PTX_OP_WGMMA_COMMIT_GROUP, ".sync.aligned", ""},
    {TMA_PTX_OP_WGMMA_FENCE, ".sync.aligned", ""},
    {TMA_PTX_OP_WGMMA_MMA_ASYNC, WGMMA ".m64n#k16<.f16,.f32>.f16.f16", ">v * l p i i i i?"},
    {TMA_PTX_OP_WGMMA_MMA_ASYNC, WGMMA ".m64n#k16.f32.bf16.bf16", ">v * l p i i i i?"},
    {TMA_PTX_OP_WGMMA_MMA_ASYNC, WGMMA ".m64n#k8.f32.tf32.tf32", ">v * l p i i"},
    {TMA_PTX_OP_WGMMA_MMA_ASYNC, WGMMA ".m64n#k32<.f16,.f32>" BYTES BYTES, ">v * l p i i"},
    {TMA_PTX_OP_WGMMA_MMA_ASYNC, WGMMA ".m64n#k32{.satfinite}.s32" SMALL_INTEGERS SMALL_INTEGERS,
     ">v * l p"},
    {TMA_PTX_OP_WGMMA_MMA_ASYNC, WGMMA ".m64n#k256.s32.b1.b1.and.popc", ">v * l p"},
    {TMA_PTX_OP_WGMMA_MMA_ASYNC, ".sp" WGMMA ".m64n#k32<.f16,.f32>.f16.f16",
     ">v * l w i p i i i i?"},
    {TMA_PTX_OP_WGMMA_MMA_ASYNC, ".sp" WGMMA ".m64n#k32.f32.bf16.bf16", ">v * l w i p i i i i?"},
    {TMA_PTX_OP_WGMMA_MMA_ASYNC, ".sp" WGMMA ".m64n#k16.f32.tf32.tf32", ">v * l w i p i i"},
    {TMA_PTX_OP_WGMMA_MMA_ASYNC, ".sp" WGMMA ".m64n#k64<.f16,.f32>" BYTES BYTES,
     ">v * l w i p i i"},
    {TMA_PTX_OP_WGMMA_MMA_ASYNC,
     ".sp" WGMMA ".m64n#k64{.satfinite}.s32" SMALL_INTEGERS SMALL_INTEGERS, ">v * l w i p"},
    {TMA_PTX_OP_WGMMA_WAIT_GROUP, ".sync.aligned", "i"},
    {TMA_PTX_OP_XOR, "<.pred,.b16,.b32,.b64>", ">0 0 0"},
};

/* Instructions of the ISA that are known, and not executed: what their names begin with, why. */
static const struct known {
    const char *start, *why;
} not_executed[] = {
    {"tex", "textures are not simulated"},
    {"tld4", "textures are not simulated"},
    {"txq", "textures are not simulated"},
    {"istypep", "textures are not simulated"},
    {"suld", "surfaces are not simulated"},
    {"sust", "surfaces are not simulated"},
    {"sured", "surfaces are not simulated"},
    {"suq", "surfaces are not simulated"},
    {"vadd", "video instructions are not simulated"},
    {"vsub", "video instructions are not simulated"},
    {"vabsdiff", "video instructions are not simulated"},
    {"vmin", "video instructions are not simulated"},
    {"vmax", "video instructions are not simulated"},
    {"vshl", "video instructions are not simulated"},
    {"vshr", "video instructions are not simulated"},
    {"vmad", "video instructions are not simulated"},
    {"vset", "video instructions are not simulated"},
    {"vavrg", "video instructions are not simulated"},
    {"wmma", "wmma is not simulated: it is older than mma.sync.m16n8"},
    {"tcgen05", "sm_90a has no tcgen05: it needs sm_100a"},
    {"clusterlaunchcontrol", "sm_90a has no clusterlaunchcontrol: it needs sm_100"},
    {"st.bulk", "sm_90a has no st.bulk: it needs sm_100"},
    {"multimem.cp", "multimem.cp.async.bulk is not simulated"},
};

static uint32_t hash(const char *text, size_t length) {
    uint32_t value = 2166136261u;
    for (size_t i = 0; i < length; ++i)
        value = (value ^ (unsigned char)text[i]) * 16777619u;
    return value ^ value >> 15;
}

/* Entries of the lexicon, which are numbers from 1: words, types, opcodes, one behind the other. */
enum { FIRST_TYPE = TMA_PTX_WORD_COUNT, FIRST_OPCODE = FIRST_TYPE + TMA_PTX_TYPE_COUNT };

static const char *entry_name(uint32_t entry) {
    if (entry < FIRST_TYPE)
        return tma_ptx_word_name((enum tma_ptx_word)entry);
    if (entry < FIRST_OPCODE)
        return tma_ptx_types[entry - FIRST_TYPE].name;
    return tma_ptx_opcode_name((enum tma_ptx_opcode)(entry - FIRST_OPCODE));
}

/* A word or type, and an opcode, may have one name. */
static bool same_kind(uint32_t entry, bool opcode) {
    return (entry >= FIRST_OPCODE) == opcode;
}

void tma_ptx_lexicon_fill(struct tma_ptx_lexicon *lexicon) {
    *lexicon = (struct tma_ptx_lexicon){{0}};
    for (uint32_t entry = 1; entry < FIRST_OPCODE + TMA_PTX_OPCODE_COUNT; ++entry) {
        if (entry == FIRST_TYPE || entry == FIRST_OPCODE) /* no type, unknown */
            continue;
        const char *name = entry_name(entry);
        uint32_t slot = hash(name, strlen(name)) % TMA_PTX_LEXICON_SLOTS;
        while (lexicon->slots[slot] != 0)
            slot = (slot + 1) % TMA_PTX_LEXICON_SLOTS;
        lexicon->slots[slot] = (uint16_t)entry;
    }
}

/* Returns an entry of the lexicon; 0: there is none. */
static uint32_t find(const struct tma_ptx_lexicon *lexicon, const char *text, size_t length,
                     bool opcode) {
    uint32_t slot = hash(text, length) % TMA_PTX_LEXICON_SLOTS;
    for (; lexicon->slots[slot] != 0; slot = (slot + 1) % TMA_PTX_LEXICON_SLOTS) {
        uint32_t entry = lexicon->slots[slot];
        const char *name = entry_name(entry);
        if (same_kind(entry, opcode) && strncmp(name, text, length) == 0 && name[length] == '\0')
            return entry;
    }
    return 0;
}

/* Reads m64n128k16 or m8n8; false: the text is no shape. */
static bool read_shape(const char *text, size_t length, struct tma_ptx_shape *shape) {
    uint32_t sizes[3] = {0, 0, 1};
    size_t at = 0;
    for (int i = 0; i < 3 && at < length; ++i) {
        if (text[at++] != "mnk"[i] || at == length || text[at] < '1' || text[at] > '9')
            return false;
        sizes[i] = 0;
        for (; at < length && text[at] >= '0' && text[at] <= '9' && sizes[i] < 1000; ++at)
            sizes[i] = 10 * sizes[i] + (uint32_t)(text[at] - '0');
    }
    *shape = (struct tma_ptx_shape){sizes[0], sizes[1], sizes[2]};
    bool m = sizes[0] == 8 || sizes[0] == 16 || sizes[0] == 32 || sizes[0] == 64;
    bool n = sizes[1] % 8 == 0 && sizes[1] > 0 && sizes[1] <= 256;
    return at == length && m && n && sizes[2] > 0 && (sizes[2] & (sizes[2] - 1)) == 0;
}

enum { MAX_ITEMS = 24, MAX_PARTS = 20 };

/* The parts of a mnemonic behind the opcode. */
struct modifier {
    const char *text;
    size_t length;
};

/* One item of a form's modifiers: the alternatives from `start` to `end`. */
struct item {
    const char *start, *end;
    bool needed, used;
};

static const char *item_end(const char *at) {
    return at + strcspn(at, ",}>.{<");
}

/* Cuts a form's modifiers into items. */
static size_t read_items(const char *modifiers, struct item items[MAX_ITEMS]) {
    size_t count = 0;
    for (const char *at = modifiers; *at != '\0'; ++count) {
        struct item *item = &items[count];
        if (*at == '{' || *at == '<') {
            char close = *at == '{' ? '}' : '>';
            *item = (struct item){at + 1, strchr(at, close), *at == '<', false};
            at = item->end + 1;
        } else {
            *item = (struct item){at, item_end(at + 1), true, false};
            at = item->end;
        }
    }
    return count;
}

/* Does one alternative, which may have a #, stand for a part? */
static bool alternative_fits(const char *alternative, size_t length, const struct modifier *part) {
    const char *any = memchr(alternative, '#', length);
    if (any == NULL)
        return length == part->length && memcmp(alternative, part->text, length) == 0;
    size_t before = (size_t)(any - alternative), after = length - before - 1;
    struct tma_ptx_shape shape;
    return part->length > before + after && memcmp(alternative, part->text, before) == 0 &&
           memcmp(any + 1, part->text + part->length - after, after) == 0 &&
           part->text[part->length - after - 1] != 'k' &&
           read_shape(part->text, part->length, &shape);
}

static bool item_fits(const struct item *item, const struct modifier *part) {
    for (const char *at = item->start; at < item->end;) {
        const char *end = item_end(++at); /* behind its dot */
        if (alternative_fits(at, (size_t)(end - at), part))
            return true;
        at = end + (*end == ',');
    }
    return false;
}

/* Do the parts fit a form? *used: how many of them found an item. *missing: the first needed item
 * that none of them took, or NULL. */
static bool form_fits(const struct form *form, const struct modifier *parts, size_t count,
                      size_t *used, struct item *missing) {
    struct item items[MAX_ITEMS];
    size_t item_count = read_items(form->modifiers, items);
    *used = 0;
    missing->start = NULL;
    for (size_t i = 0; i < count; ++i) {
        size_t j = 0;
        while (j < item_count && (items[j].used || !item_fits(&items[j], &parts[i])))
            ++j;
        if (j == item_count)
            break;
        items[j].used = true;
        ++*used;
    }
    for (size_t j = 0; j < item_count && missing->start == NULL; ++j)
        if (items[j].needed && !items[j].used)
            *missing = items[j];
    return *used == count && missing->start == NULL;
}

/* Suggests, of all modifiers that the forms of an opcode have, the one next to a part. */
static void suggest_modifier(struct tma_suggestion *suggestion, enum tma_ptx_opcode opcode) {
    for (size_t f = 0; f < sizeof forms / sizeof *forms; ++f) {
        if (forms[f].opcode != opcode)
            continue;
        for (const char *at = strchr(forms[f].modifiers, '.'); at != NULL; at = strchr(at, '.')) {
            const char *end = item_end(++at);
            char candidate[TMA_MAX_SUGGESTION];
            size_t length = (size_t)(end - at);
            if (length < sizeof candidate && memchr(at, '#', length) == NULL) {
                memcpy(candidate, at, length);
                candidate[length] = '\0';
                tma_suggest(suggestion, candidate);
            }
            at = end;
        }
    }
}

static bool set_problem(struct tma_ptx_mnemonic *mnemonic, const char *text) {
    mnemonic->opcode = TMA_PTX_UNKNOWN;
    mnemonic->problem = tma_copy_text(text);
    return mnemonic->problem != NULL;
}

/* `name` is cut where it gets unreadable. */
static int shown(size_t length) {
    return length > 60 ? 60 : (int)length;
}

static bool unknown_opcode(struct tma_ptx_mnemonic *mnemonic, const char *text, size_t length) {
    char problem[400];
    for (size_t i = 0; i < sizeof not_executed / sizeof *not_executed; ++i) {
        size_t start = strlen(not_executed[i].start);
        if (length >= start && memcmp(not_executed[i].start, text, start) == 0 &&
            (length == start || text[start] == '.' || not_executed[i].start[0] == 'v'))
            return set_problem(mnemonic, not_executed[i].why);
    }
    /* The opcode is the first part, and up to three more: what is nearest to most of them. */
    char wanted[TMA_MAX_SUGGESTION];
    struct tma_suggestion best = {.wanted = wanted, .distance = SIZE_MAX};
    size_t ends[4] = {0}, parts = 0;
    for (size_t end = 0; parts < 4 && end < length; ++parts) {
        const char *dot = memchr(text + end + (parts > 0), '.', length - end - (parts > 0));
        ends[parts] = end = dot == NULL ? length : (size_t)(dot - text);
    }
    while (parts-- > 0 && best.best[0] == '\0') {
        if (ends[parts] >= sizeof wanted)
            continue;
        memcpy(wanted, text, ends[parts]);
        wanted[ends[parts]] = '\0';
        for (uint32_t opcode = 1; opcode < TMA_PTX_OPCODE_COUNT; ++opcode)
            tma_suggest(&best, tma_ptx_opcode_name((enum tma_ptx_opcode)opcode));
        tma_suggest(&best, "bar.sync");
        tma_suggest(&best, "bar.arrive");
        tma_suggest(&best, "bar.red");
    }
    if (best.best[0] == '\0')
        snprintf(problem, sizeof problem, "PTX has no instruction '%.*s'", shown(length), text);
    else
        snprintf(problem, sizeof problem, "PTX has no instruction '%.*s': did you mean '%s'?",
                 shown(length), text, best.best);
    return set_problem(mnemonic, problem);
}

/* No form of the opcode fits: says what is wrong with the form that comes nearest. */
static bool unknown_form(struct tma_ptx_mnemonic *mnemonic, enum tma_ptx_opcode opcode,
                         const char *text, size_t length, const struct modifier *parts,
                         size_t count) {
    size_t best = 0;
    struct item missing = {NULL, NULL, false, false};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; ++f) {
        size_t used = 0;
        struct item item;
        if (forms[f].opcode != opcode)
            continue;
        form_fits(&forms[f], parts, count, &used, &item);
        if (used > best || (used == best && used == count && missing.start == NULL)) {
            best = used;
            missing = item;
        }
    }
    char problem[500], wanted[TMA_MAX_SUGGESTION];
    int name = shown(length);
    if (best == count) {
        if (missing.start == NULL || missing.end - missing.start > 200)
            snprintf(problem, sizeof problem, "'%.*s' lacks a modifier", name, text);
        else
            snprintf(problem, sizeof problem, "'%.*s' lacks %s%.*s", name, text,
                     memchr(missing.start, ',', (size_t)(missing.end - missing.start)) == NULL
                         ? ""
                         : "one of ",
                     (int)(missing.end - missing.start), missing.start);
        return set_problem(mnemonic, problem);
    }
    const struct modifier *part = &parts[best];
    struct tma_suggestion suggestion = {.wanted = wanted};
    size_t kept = part->length < sizeof wanted ? part->length : sizeof wanted - 1;
    memcpy(wanted, part->text, kept);
    wanted[kept] = '\0';
    suggest_modifier(&suggestion, opcode);
    if (suggestion.best[0] != '\0' && strcmp(suggestion.best, wanted) == 0)
        snprintf(problem, sizeof problem, "'%.*s': %s does not take .%s with these modifiers", name,
                 text, tma_ptx_opcode_name(opcode), wanted);
    else if (suggestion.best[0] != '\0')
        snprintf(problem, sizeof problem, "'%.*s': %s takes no .%s: did you mean .%s?", name, text,
                 tma_ptx_opcode_name(opcode), wanted, suggestion.best);
    else
        snprintf(problem, sizeof problem, "'%.*s': %s takes no .%s", name, text,
                 tma_ptx_opcode_name(opcode), wanted);
    return set_problem(mnemonic, problem);
}

/* Finds the opcode that the mnemonic begins with: the longest name in the table. *end: the bytes
 * of its name. */
static enum tma_ptx_opcode find_opcode(const struct tma_ptx_lexicon *lexicon, const char *text,
                                       size_t length, size_t *end, bool *aligned) {
    *aligned = length > 4 && memcmp(text, "bar.", 4) == 0;
    enum tma_ptx_opcode opcode = TMA_PTX_UNKNOWN;
    char name[64];
    size_t at = 0, written = 0;
    for (int parts = 0; parts < 5 && at < length; ++parts) {
        const char *dot = memchr(text + at + (parts > 0), '.', length - at - (parts > 0));
        size_t next = dot == NULL ? length : (size_t)(dot - text);
        const char *part = text + at;
        size_t part_length = next - at;
        at = next;
        if (parts == 1 && (opcode == TMA_PTX_UNKNOWN) && part_length == 4 &&
            memcmp(part, ".cta", 4) == 0)
            continue; /* barrier.cta.sync */
        if (written + part_length + 4 >= sizeof name)
            break;
        memcpy(name + written, part, part_length);
        written += part_length;
        if (parts == 0 && *aligned && memcmp(text, "bar.warp", 8 < length ? 8 : length) != 0) {
            memcpy(name, "barrier", 7);
            written = 7;
        }
        uint32_t entry = find(lexicon, name, written, true);
        if (entry != 0) {
            opcode = (enum tma_ptx_opcode)(entry - FIRST_OPCODE);
            *end = at;
        }
    }
    *aligned = *aligned && opcode != TMA_PTX_OP_BAR_WARP_SYNC;
    return opcode;
}

/* Adds a part to the mnemonic's words and types. */
static void add_part(struct tma_ptx_mnemonic *mnemonic, const struct tma_ptx_lexicon *lexicon,
                     const struct modifier *part) {
    struct tma_ptx_shape shape;
    uint32_t entry = find(lexicon, part->text, part->length, false);
    if (entry >= FIRST_TYPE && mnemonic->type_count < TMA_PTX_MAX_TYPES)
        mnemonic->types[mnemonic->type_count++] = (uint8_t)(entry - FIRST_TYPE);
    else if (entry != 0 && entry < FIRST_TYPE && mnemonic->word_count < TMA_PTX_MAX_WORDS)
        mnemonic->words[mnemonic->word_count++] = (uint16_t)entry;
    else if (read_shape(part->text, part->length, &shape) &&
             mnemonic->word_count < TMA_PTX_MAX_WORDS)
        mnemonic->words[mnemonic->word_count++] = tma_ptx_shape_word(shape);
}

bool tma_ptx_mnemonic_read(const struct tma_ptx_lexicon *lexicon, const char *text, size_t length,
                           struct tma_ptx_mnemonic *mnemonic) {
    *mnemonic = (struct tma_ptx_mnemonic){.operands = ""};
    size_t end = 0, count = 0, used;
    bool aligned;
    enum tma_ptx_opcode opcode = find_opcode(lexicon, text, length, &end, &aligned);
    if (opcode == TMA_PTX_UNKNOWN)
        return unknown_opcode(mnemonic, text, length);
    for (size_t i = 0; i < sizeof not_executed / sizeof *not_executed; ++i) {
        size_t start = strlen(not_executed[i].start);
        if (length > start && memcmp(not_executed[i].start, text, start) == 0 && text[start] == '.')
            return set_problem(mnemonic, not_executed[i].why);
    }
    struct modifier parts[MAX_PARTS];
    for (size_t at = end; at < length;) {
        const char *dot = memchr(text + at + 1, '.', length - at - 1);
        size_t next = dot == NULL ? length : (size_t)(dot - text);
        if (count == MAX_PARTS)
            return set_problem(mnemonic, "an instruction with more modifiers than any has");
        parts[count++] = (struct modifier){text + at + 1, next - at - 1};
        at = next;
    }
    for (size_t f = 0; f < sizeof forms / sizeof *forms; ++f) {
        struct item missing;
        if (forms[f].opcode != opcode || !form_fits(&forms[f], parts, count, &used, &missing))
            continue;
        mnemonic->opcode = (uint16_t)opcode;
        mnemonic->operands = forms[f].operands;
        for (size_t i = 0; i < count; ++i)
            add_part(mnemonic, lexicon, &parts[i]);
        if (aligned && mnemonic->word_count < TMA_PTX_MAX_WORDS)
            mnemonic->words[mnemonic->word_count++] = TMA_PTX_DOT_ALIGNED;
        return true;
    }
    return unknown_form(mnemonic, opcode, text, length, parts, count);
}
