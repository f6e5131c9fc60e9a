#!/usr/bin/env python3
"""Records what single instructions of PTX do on a GPU, for tests/hardware/ptx.

usage: scripts/capture/ptx_forms.py OUT [SEED]
       scripts/capture/ptx_forms.py --pack OUT FOLDER

Each form of an instruction becomes a kernel of 256 threads, in CTAs of 32. Thread i reads three
operands of 8 bytes at 24 i of a buffer, of which each type takes the low bytes, and writes one
result of 8 bytes at 8 i. OUT gets launches.jsonl, ptx/, data/ and outputs/, as `tmasim validate`
reads them. Needs cupy, and an NVIDIA GPU of compute capability 9.0.

--pack writes forms.tsv and rows.bin into FOLDER (tests/hardware/ptx/forms) from what OUT has of the first
four CTAs: the operands of all rows of a form, then its results, each with the bytes of its type.

These forms need more than registers: memory that several threads update, groups of cp.async,
mbarriers, tensor maps, clusters and special registers.
"""

import hashlib
import json
import os
import random
import struct
import sys

ROWS = 256
REGISTER = {"b16": "b16", "b32": "b32", "u32": "b32", "s32": "b32", "f32": "b32", "f16x2": "b32",
            "bf16x2": "b32", "f16": "b16", "bf16": "b16", "b64": "b64", "u64": "b64", "s64": "b64", "f64": "b64"}
INTEGERS = [0, 1, 2, 3, 7, 31, 32, 255, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFE, 0x55555555]


def float_bits(code, value):
    size = {"e": "<H", "f": "<I", "d": "<Q"}[code]
    return struct.unpack(size, struct.pack("<" + code, value))[0]


def operand(rng, kind):
    """Bits of one operand: special values and random ones."""
    if kind == "f32":
        return float_bits("f", rng.choice([0.0, -0.0, 1.0, -2.5, 1e-40, 3e38, float("inf"), rng.uniform(-9, 9)]))
    if kind == "f64":
        return float_bits("d", rng.choice([0.0, -0.0, 1.0, 1e-310, 1e308, rng.uniform(-9, 9)]))
    if kind in ("f16", "f16x2"):
        halves = [float_bits("e", rng.choice([0.0, -0.0, 1.0, 6e-8, 60000.0, rng.uniform(-9, 9)])) for _ in "ab"]
        return halves[0] | (halves[1] << 16 if kind == "f16x2" else 0)
    if kind in ("bf16", "bf16x2"):
        halves = [float_bits("f", rng.choice([0.0, 1.0, 1e-39, 3e38, rng.uniform(-9, 9)])) >> 16 for _ in "ab"]
        return halves[0] | (halves[1] << 16 if kind == "bf16x2" else 0)
    bits = 64 if kind.endswith("64") else 16 if kind.endswith("16") else 32
    value = rng.choice(INTEGERS) if rng.random() < 0.5 else rng.getrandbits(bits)
    return value & ((1 << bits) - 1)


class Form:
    """One kernel: its body, the types of its result and of its operands."""

    def __init__(self, body, result, *operands, cluster=1, shared=0, name=None):
        self.body, self.result, self.operands = body, result, operands
        self.cluster, self.shared, self.name = cluster, shared, name or body

    def text(self):
        lines = ["ld.param.b64 %in, [k_param_0];", "ld.param.b64 %out, [k_param_1];", "mov.u32 %r0, %ctaid.x;",
                 "mov.u32 %r1, %tid.x;", "mad.lo.s32 %r0, %r0, 32, %r1;", "mul.wide.u32 %rd0, %r0, 24;",
                 "add.s64 %in, %in, %rd0;", "mul.wide.u32 %rd0, %r0, 8;", "add.s64 %out, %out, %rd0;"]
        registers = []
        for index, (name, kind) in enumerate(zip("abc", self.operands)):
            width = REGISTER[kind]
            registers.append(f".reg .{width} %{name};")
            lines.append(f"ld.global.{width} %{name}, [%in+{8 * index}];")
        width = REGISTER[self.result]
        registers.append(f".reg .{width} %d;")
        lines += [f"mov.{width} %d, 0;", "{", self.body, "}", f"st.global.{width} [%out], %d;", "ret;"]
        cluster = f"\n.explicitcluster\n.reqnctapercluster {self.cluster}, 1, 1" if self.cluster > 1 else ""
        return (".version 8.4\n.target sm_90a\n.address_size 64\n"
                + (".extern .shared .align 1024 .b8 dynamic[];\n" if self.shared else "")
                + f".visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1){cluster}\n{{\n"
                + ".reg .b64 %in, %out, %rd0;\n.reg .b32 %r0, %r1;\n" + "\n".join(registers + lines) + "\n}\n")


def global_atomics():
    """Several lanes of a group of four update one word of global memory; the sum of what came out, and
    what stands there in the end, do not depend on the order. Each lane sees the end."""
    forms = []
    kinds = [("add", "u32"), ("add", "s32"), ("add", "u64"), ("min", "s32"), ("min", "u32"), ("max", "s64"),
             ("max", "u64"), ("and", "b32"), ("or", "b64"), ("xor", "b32"), ("inc", "u32"), ("dec", "u32")]
    for scope in ("", ".relaxed.cta", ".relaxed.gpu", ".release.sys"):
        for action, kind in kinds:
            bits = REGISTER[kind]
            forms.append(Form(
                f".reg .b64 p; .reg .b32 l; .reg .pred q; and.b64 p, %out, -32; and.b32 l, %r1, 3; setp.eq.u32 q, l, 0;"
                f" @q st.global.{bits} [p], %b; bar.warp.sync 0xffffffff;"
                f" red{scope}.global.{action}.{kind} [p], %a; bar.warp.sync 0xffffffff; ld.global.{bits} %d, [p];"
                f" bar.warp.sync 0xffffffff;", kind, kind, bits))
    for kind in ("u32", "s32", "u64", "f32", "f64"):
        bits = REGISTER[kind]
        forms.append(Form(f".reg .{bits} t; st.global.{bits} [%out], %a; atom.global.add.{kind} t, [%out], %b;"
                          f" ld.global.{bits} %d, [%out]; xor.{bits} %d, %d, t;", bits, kind, kind))
    for kind in ("f16x2", "bf16x2", "f16", "bf16"):
        bits = REGISTER[kind]
        forms.append(Form(f".reg .{bits} t; st.global.{bits} [%out], %a;"
                          f" atom.global.add.noftz.{kind} t, [%out], %b; ld.global.{bits} %d, [%out];", kind, kind, kind))
    for bits in ("b16", "b32", "b64"):
        forms.append(Form(f".reg .{bits} t, u; st.global.{bits} [%out], %a; atom.global.cas.{bits} t, [%out], %b, %c;"
                          f" atom.global.cas.{bits} u, [%out], %a, %c; ld.global.{bits} %d, [%out]; xor.{bits} %d, %d, t;"
                          f" xor.{bits} %d, %d, u;", bits, bits, bits, bits))
    for bits in ("b32", "b64"):
        forms.append(Form(f".reg .{bits} t; st.global.{bits} [%out], %a; atom.global.exch.{bits} t, [%out], %b;"
                          f" ld.global.{bits} %d, [%out]; sub.{'s' + bits[1:]} %d, %d, t;", bits, bits, bits))
        forms.append(Form(f".shared .align 8 .b8 s[256]; .reg .{bits} t; .reg .b32 p; mov.b32 p, s; mad.lo.u32 p, %r1, 8, p;"
                          f" st.shared.{bits} [p], %a; atom.shared.exch.{bits} t, [p], %b; ld.shared.{bits} %d, [p];"
                          f" xor.{bits} %d, %d, t;", bits, bits, bits))
    return forms


def copies():
    """cp.async of all sizes, with what it fills behind a shorter source, groups and mbarriers."""
    forms = []
    begin = (".shared .align 16 .b8 s[1024]; .reg .b32 p, z, x, y; .reg .b64 g; mov.b32 p, s; mad.lo.u32 p, %r1, 32, p;"
             " mov.b32 z, -1; st.shared.v4.b32 [p], {z, z, z, z}; and.b64 g, %in, -16;")
    end = (" ld.shared.v4.b32 {z, x, y, z}, [p]; mad.lo.u32 %d, x, 31, y; mad.lo.u32 %d, %d, 31, z;"
           " ld.shared.b32 z, [p]; mad.lo.u32 %d, %d, 31, z;")
    wait = " cp.async.commit_group; cp.async.wait_group 0;"
    for cache, size in (("ca", 4), ("ca", 8), ("ca", 16), ("cg", 16)):
        forms.append(Form(f"{begin} cp.async.{cache}.shared.global [p], [g], {size};{wait}{end}", "b32"))
        forms.append(Form(f"{begin} and.b32 x, %a, 31; min.u32 x, x, {size};"
                          f" cp.async.{cache}.shared.global [p], [g], {size}, x;{wait}{end}", "b32", "b32"))
        forms.append(Form(f"{begin} .reg .pred q; setp.lt.s32 q, %a, 0;"
                          f" cp.async.{cache}.shared.global [p], [g], {size}, q;{wait}{end}", "b32", "s32"))
    forms.append(Form(f"{begin} cp.async.cg.shared.global.L2::128B [p], [g], 16; cp.async.wait_all;{end}", "b32"))
    forms.append(Form(f"{begin} cp.async.ca.shared.global [p], [g], 4; cp.async.commit_group;"
                      f" cp.async.ca.shared.global [p+8], [g+8], 8; cp.async.commit_group; cp.async.wait_group 1;"
                      f" cp.async.wait_group 0;{end}", "b32"))
    forms.append(Form(f".shared .align 8 .b8 m[8]; {begin} .reg .b32 b; .reg .pred q; mov.b32 b, m;"
                      " setp.eq.u32 q, %r1, 0; @q mbarrier.init.shared.b64 [b], 32; bar.warp.sync 0xffffffff;"
                      " cp.async.cg.shared.global [p], [g], 16; cp.async.mbarrier.arrive.noinc.shared.b64 [b];"
                      f" W: mbarrier.try_wait.parity.shared.b64 q, [b], 0; @!q bra W;{end}", "b32"))
    return forms


def barriers():
    """mbarriers: counts that are pending, phases, bytes that are expected, arrivals that drop."""
    forms = []
    begin = (".shared .align 8 .b8 m[256]; .reg .b32 b, n, x; .reg .b64 t, u; .reg .pred q; mov.b32 b, m;"
             " mad.lo.u32 b, %r1, 8, b; and.b32 n, %a, 7; add.u32 n, n, 2; mbarrier.init.shared.b64 [b], n;")
    tests = " mbarrier.test_wait.parity.shared.b64 q, [b], 0; selp.b32 x, 64, 0, q; add.u32 %d, %d, x;"
    pending = " mbarrier.pending_count.b64 x, t; mad.lo.u32 %d, %d, 100, x;"
    for arrive in ("mbarrier.arrive.shared.b64 t, [b];", "mbarrier.arrive.shared.b64 t, [b], 2;",
                   "mbarrier.arrive_drop.shared.b64 t, [b];",
                   "mbarrier.arrive.release.cta.shared::cta.b64 t, [b]; mbarrier.arrive.shared.b64 t, [b];"):
        forms.append(Form(begin + arrive + pending + tests, "b32", "b32"))
    forms.append(Form(begin + " mbarrier.arrive.shared.b64 t, [b], n; mbarrier.arrive.shared.b64 u, [b];"
                      + " mbarrier.pending_count.b64 x, u; mad.lo.u32 %d, %d, 100, x;"
                      + " mbarrier.test_wait.shared.b64 q, [b], t; selp.b32 x, 3000, 0, q; add.u32 %d, %d, x;"
                      + " mbarrier.test_wait.shared.b64 q, [b], u; selp.b32 x, 5000, 0, q; add.u32 %d, %d, x;" + tests,
                      "b32", "b32"))
    forms.append(Form(begin + " mbarrier.arrive_drop.shared.b64 t, [b]; sub.u32 n, n, 1;"
                      " mbarrier.arrive.shared.b64 t, [b], n; mbarrier.arrive.shared.b64 t, [b];" + pending + tests,
                      "b32", "b32"))
    forms.append(Form(begin + " mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [b], 64; mbarrier.arrive.shared.b64 t, [b], n;"
                      + tests + " mul.lo.u32 %d, %d, 1000; mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [b], 32;" + tests
                      + " mul.lo.u32 %d, %d, 10; mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [b], 32;" + tests,
                      "b32", "b32"))
    forms.append(Form(begin + " sub.u32 n, n, 1; mbarrier.arrive.shared.b64 t, [b], n;"
                      " mbarrier.arrive.expect_tx.shared.b64 t, [b], 16;" + tests
                      + " mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [b], 16;" + tests, "b32", "b32"))
    for form in ("try_wait.parity.shared::cta.b64 q, [b], 0", "try_wait.parity.acquire.cta.shared::cta.b64 q, [b], 0, 20",
                 "test_wait.parity.acquire.cta.shared::cta.b64 q, [b], 1"):
        forms.append(Form(begin + f" mbarrier.arrive.shared.b64 t, [b], n; mbarrier.{form};"
                          " selp.b32 %d, 7, 9, q;", "b32", "b32"))
    return forms


def bulk_copies():
    """Bulk copies without a tensor map: to shared memory and back, and reductions on global memory."""
    forms = []
    load = (".shared .align 16 .b8 s[1024]; .shared .align 8 .b8 m[8]; .reg .b32 b, p, x, y; .reg .b64 g, h; .reg .pred q;"
            " mov.b32 b, m; mov.b32 p, s; setp.eq.u32 q, %r1, 0; @q mbarrier.init.shared::cta.b64 [b], 1;"
            " fence.proxy.async.shared::cta; bar.warp.sync 0xffffffff; ld.param.b64 g, [k_param_0];"
            " @q mbarrier.arrive.expect_tx.shared.b64 _, [b], 256;"
            " @q cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [p], [g], 256, [b];"
            " W: mbarrier.try_wait.parity.shared.b64 q, [b], 0; @!q bra W; mad.lo.u32 p, %r1, 8, p;")
    forms.append(Form(load + " ld.shared.b64 %d, [p];", "b64"))
    for action, kind in (("add", "u32"), ("add", "s32"), ("add", "u64"), ("min", "s32"), ("max", "u32"), ("inc", "u32"),
                         ("dec", "u32"), ("and", "b32"), ("or", "b32"), ("xor", "b64"), ("add.noftz", "f16"),
                         ("min", "f16"), ("max", "bf16"), ("add.noftz", "bf16"), ("add", "f32"), ("add", "f64")):
        forms.append(Form(
            ".shared .align 16 .b8 s[256]; .reg .b32 p; .reg .b64 g; .reg .pred q; mov.b32 p, s; mad.lo.u32 p, %r1, 8, p;"
            " st.shared.b64 [p], %a; st.global.b64 [%out], %b; fence.proxy.async; bar.warp.sync 0xffffffff; mov.b32 p, s;"
            f" setp.eq.u32 q, %r1, 0; @q cp.reduce.async.bulk.global.shared::cta.bulk_group.{action}.{kind} [%out], [p], 256;"
            " @q cp.async.bulk.commit_group; @q cp.async.bulk.wait_group 0; fence.proxy.async; bar.warp.sync 0xffffffff;"
            " ld.global.b64 %d, [%out];", "b64", "f64" if kind == "f64" else "b64", "f64" if kind == "f64" else "b64",
            name=f"cp.reduce.async.bulk.{action}.{kind}"))
    forms.append(Form(
        ".shared .align 16 .b8 s[256]; .reg .b32 p; .reg .pred q; mov.b32 p, s; mad.lo.u32 p, %r1, 8, p; st.shared.b64 [p], %a;"
        " fence.proxy.async.shared::cta; bar.warp.sync 0xffffffff; mov.b32 p, s; setp.eq.u32 q, %r1, 0;"
        " @q cp.async.bulk.global.shared::cta.bulk_group [%out], [p], 256; @q cp.async.bulk.commit_group;"
        " @q cp.async.bulk.wait_group 0; fence.proxy.async; bar.warp.sync 0xffffffff; ld.global.b64 %d, [%out];", "b64", "b64"))
    return forms


def tensor_maps():
    """tensormap.replace of each field in 128 bytes of zeros and in bytes of the operands. Lane i sees bytes
    4 i to 4 i + 3. Strides of elements are 1 to 8: hardware takes the low bits of others without a word, the
    simulator refuses them."""
    forms = []
    fields = [("global_address", "b64", "", "{v64}"), ("rank", "b32", "", "2")]
    for index in range(5):
        fields += [("box_dim", "b32", f"{index}, ", "{v32}"), ("global_dim", "b32", f"{index}, ", "{v32}"),
                   ("element_stride", "b32", f"{index}, ", "{v32}")]
    fields += [("global_stride", "b64", f"{index}, ", "{v64}") for index in range(4)]
    for field, values in (("elemtype", range(13)), ("interleave_layout", range(3)), ("swizzle_mode", range(4)),
                          ("fill_mode", range(2))):
        fields += [(field, "b32", "", str(value)) for value in values]
    for field, width, ordinal, value in fields:
        for start in ("0", "%b"):
            # One value for a CTA: that of its first lane.
            body = (".shared .align 128 .b8 s[128]; .reg .b32 p, v32; .reg .b64 v64; .reg .pred q; mov.b32 p, s;"
                    " mad.lo.u32 p, %r1, 4, p; " + (f"mov.b32 v32, {start};" if start == "0" else "mov.b32 v32, %b;")
                    + " st.shared.b32 [p], v32; bar.warp.sync 0xffffffff; mov.b32 p, s; setp.eq.u32 q, %r1, 0;"
                    + " cvt.u64.u32 v64, %a; shl.b64 v64, v64, 4; and.b32 v32, %a, "
                    + ("7" if field == "element_stride" else "255") + "; add.u32 v32, v32, 1;"
                    + f" @q tensormap.replace.tile.{field}.shared::cta.b1024.{width} [p], {ordinal}"
                    + value.format(v64="v64", v32="v32") + ";"
                    + " bar.warp.sync 0xffffffff; mad.lo.u32 p, %r1, 4, p; ld.shared.b32 %d, [p];")
            forms.append(Form(body, "b32", "b32", "b32",
                              name=f"tensormap.replace.tile.{field} {ordinal}{value} on {start}"))
    return forms


def clusters():
    """Shared memory of other CTAs of a cluster."""
    forms = []
    sync = " barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
    begin = (".shared .align 16 .b8 s[512]; .reg .b32 p, k, n, o, x; mov.b32 p, s; mad.lo.u32 p, %r1, 16, p;"
             " mov.u32 k, %cluster_ctarank; mov.u32 n, %cluster_nctarank; add.u32 o, k, 1; rem.u32 o, o, n;")
    for cluster in (2, 4):
        forms.append(Form(begin + " st.shared.b32 [p], %a;" + sync + " mapa.shared::cluster.u32 x, p, o;"
                          " ld.shared::cluster.b32 %d, [x];" + sync, "b32", "b32", cluster=cluster))
        forms.append(Form(begin + " mapa.shared::cluster.u32 x, p, o; st.shared::cluster.b32 [x], %a;" + sync
                          + " ld.shared.b32 %d, [p];" + sync, "b32", "b32", cluster=cluster))
        forms.append(Form(begin + " st.shared.b32 [p], %a;" + sync + " mapa.shared::cluster.u32 x, p, 0;"
                          " red.relaxed.cluster.shared::cluster.add.u32 [x], %b;" + sync
                          + " ld.shared::cluster.b32 %d, [x];" + sync, "b32", "b32", "b32", cluster=cluster))
        forms.append(Form(begin + " .reg .b64 g, h; st.shared.b32 [p], %a; cvt.u64.u32 g, p; cvta.shared.u64 g, g;"
                          " mapa.u64 h, g, o;" + sync + " ld.b32 %d, [h]; getctarank.u64 x, h;"
                          " mad.lo.u32 %d, %d, 8, x;" + sync, "b32", "b32", cluster=cluster))
        forms.append(Form(begin + " .reg .b64 g; .reg .pred q; cvt.u64.u32 g, p; cvta.shared.u64 g, g;"
                          " isspacep.shared::cta q, g; selp.b32 %d, 1, 0, q; isspacep.shared::cluster q, g;"
                          " selp.b32 x, 2, 0, q; add.u32 %d, %d, x; mapa.u64 g, g, o; isspacep.shared::cta q, g;"
                          " selp.b32 x, 4, 0, q; add.u32 %d, %d, x; isspacep.shared::cluster q, g; selp.b32 x, 8, 0, q;"
                          " add.u32 %d, %d, x; isspacep.global q, %out; selp.b32 x, 16, 0, q; add.u32 %d, %d, x;",
                          "b32", cluster=cluster))
        forms.append(Form(begin + " .shared .align 8 .b8 m[8]; .reg .b32 b; .reg .pred q; mov.b32 b, m; setp.eq.u32 q, %r1, 0;"
                          " @q mbarrier.init.shared.b64 [b], 32; fence.mbarrier_init.release.cluster;" + sync
                          + " mapa.shared::cluster.u32 x, p, o; st.shared::cluster.b32 [x], %a; mapa.shared::cluster.u32 x, b, o;"
                          " mbarrier.arrive.release.cluster.shared::cluster.b64 _, [x];"
                          " W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 q, [b], 0; @!q bra W;"
                          " ld.shared.b32 %d, [p];" + sync, "b32", "b32", cluster=cluster))
        for register in ("cluster_ctarank", "cluster_nctarank", "cluster_ctaid.x", "cluster_nctaid.x", "clusterid.x",
                         "nclusterid.x"):
            forms.append(Form(f"mov.u32 %d, %{register};", "b32", cluster=cluster))
        forms.append(Form(".reg .pred q; mov.pred q, %is_explicit_cluster; selp.b32 %d, 1, 2, q;", "b32", cluster=cluster))
    return forms


def registers_and_memory():
    """Special registers that do not depend on the place of a CTA, and accesses to global memory."""
    forms = [Form(f"mov.u32 %d, %{name};", "b32") for name in
             ("tid.x", "tid.y", "ntid.y", "ctaid.x", "nctaid.x", "lanemask_eq", "lanemask_le", "lanemask_gt", "laneid",
              "cluster_ctarank", "clusterid.x", "nclusterid.x")]
    forms += [Form("mov.u32 %d, %dynamic_smem_size;", "b32", shared=2048),
              Form(".shared .align 4 .b8 s[100]; .reg .b32 p; mov.b32 p, s; st.shared.b32 [p], 1;"
                   " mov.u32 %d, %total_smem_size;", "b32", shared=2048)]
    for width, suffix in (("b8", "u8"), ("b16", "u16"), ("b32", "b32"), ("b64", "b64")):
        register = "b16" if width in ("b8", "b16") else width
        for cache in ("", ".ca", ".cg", ".cs", ".lu", ".cv", ".nc", ".relaxed.gpu", ".acquire.sys", ".volatile",
                      ".L1::no_allocate", ".L1::evict_last", ".L2::128B"):
            order = (cache + ".global") if cache in (".relaxed.gpu", ".acquire.sys", ".volatile") else ".global" + cache
            forms.append(Form(f".reg .{register} t; ld{order}.{suffix} t, [%in+8]; cvt.u64.u{register[1:]} %d, t;"
                              if register != "b64" else f"ld{order}.{suffix} %d, [%in+8];", "b64", "b64", "b64"))
    for kind in ("s8", "s16", "s32"):
        register = "b16" if kind in ("s8", "s16") else "b32"
        forms.append(Form(f".reg .{register} t; ld.global.{kind} t, [%in]; cvt.s64.s{register[1:]} %d, t;", "b64", "b64"))
    for cache in ("", ".wb", ".cg", ".cs", ".wt", ".relaxed.cta", ".release.gpu", ".volatile"):
        order = (cache + ".global") if cache in (".relaxed.cta", ".release.gpu", ".volatile") else ".global" + cache
        forms.append(Form(f"st{order}.b32 [%out+4], %a; ld.global.b64 %d, [%out];", "b64", "b32"))
    forms.append(Form(".reg .b64 g; and.b64 g, %in, -16; .reg .b32 t<4>; ld.global.v4.b32 {t0, t1, t2, t3}, [g];"
                      " mad.lo.u32 t0, t0, 31, t1; mad.lo.u32 t2, t2, 31, t3; xor.b32 %d, t0, t2;", "b32"))
    forms.append(Form(".reg .b64 g; and.b64 g, %in, -16; .reg .b64 t<2>; ld.global.v2.b64 {t0, t1}, [g];"
                      " sub.s64 %d, t0, t1;", "b64"))
    forms.append(Form("{ .reg .b32 c; .reg .b64 x; createpolicy.fractional.L2::evict_last.b64 x, 1.0;"
                      " ld.global.L2::cache_hint.b32 %d, [%in], x; }", "b32", "b32"))
    return forms


def record(form, rng, seed, folder, cupy, numpy):
    text = form.text()
    data = b"".join(struct.pack("<Q", operand(rng, form.operands[i]) if i < len(form.operands) else 0)
                    for _ in range(ROWS) for i in range(3))
    name = hashlib.sha256((text + str(seed)).encode()).hexdigest()[:16]
    path = f"{folder}/ptx/{name}.ptx"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    kernel = cupy.RawModule(path=path).get_function("k")
    given = cupy.asarray(numpy.frombuffer(data, dtype=numpy.uint64))
    result = cupy.zeros(ROWS, dtype=numpy.uint64)
    kernel((ROWS // 32,), (32,), (given, result), shared_mem=form.shared)
    cupy.cuda.runtime.deviceSynchronize()
    for part, contents in (("data", data), ("outputs", result.get().tobytes())):
        with open(f"{folder}/{part}/{name}.{'in' if part == 'data' else 'bin'}", "wb") as file:
            file.write(contents)
    pointer = [{"kind": "pointer", "name": buffer, "buffer": buffer, "offset": 0} for buffer in ("in", "out")]
    return {"label": form.name, "family": "forms", "kernel": "k", "ptx": name + ".ptx", "grid": [ROWS // 32, 1, 1],
            "block": [32, 1, 1], "cluster": [form.cluster, 1, 1], "dynamic_shared": form.shared, "params": pointer,
            "buffers": [{"name": "in", "bytes": len(data), "dtype": "uint64", "fill": {"file": name + ".in"}},
                        {"name": "out", "bytes": 8 * ROWS, "dtype": "uint64", "fill": {"zero": True}}],
            "outputs": {"out": name + ".bin"}, "tolerance_ulp": 0}


def all_forms():
    return (global_atomics() + copies() + barriers() + bulk_copies() + tensor_maps() + clusters()
            + registers_and_memory())


def pack(source, folder):
    rows = 128
    size = {name: int(width[1:]) // 8 for name, width in REGISTER.items()}
    with open(f"{source}/launches.jsonl", encoding="utf-8") as file:
        records = {record["label"]: record for record in map(json.loads, file)}
    with open(f"{folder}/forms.tsv", "w", encoding="utf-8") as table, open(f"{folder}/rows.bin", "wb") as binary:
        table.write("form\tresult\toperands\ttolerance\tcluster\tshared\n")
        for form in all_forms():
            # Forms of one label differ in their clusters.
            name = hashlib.sha256((form.text() + "1").encode()).hexdigest()[:16]
            if form.name not in records or not os.path.exists(f"{source}/ptx/{name}.ptx"):
                continue
            table.write("\t".join([form.body, form.result, ",".join(form.operands) or "-", "0", str(form.cluster),
                                   str(form.shared)]) + "\n")
            with open(f"{source}/data/{name}.in", "rb") as file:
                data = file.read()
            with open(f"{source}/outputs/{name}.bin", "rb") as file:
                results = file.read()
            for row in range(rows):
                for index, kind in enumerate(form.operands):
                    at = 24 * row + 8 * index
                    binary.write(data[at:at + size[kind]])
            for row in range(rows):
                binary.write(results[8 * row:8 * row + size[form.result]])


def main():
    if sys.argv[1] == "--pack":
        pack(sys.argv[2], sys.argv[3])
        return
    import cupy
    import numpy
    folder, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
    rng = random.Random(seed)
    for part in ("ptx", "data", "outputs"):
        os.makedirs(f"{folder}/{part}", exist_ok=True)
    taken = failed = 0
    with open(f"{folder}/launches.jsonl", "w", encoding="utf-8") as file:
        for form in all_forms():
            try:
                file.write(json.dumps(record(form, rng, seed, folder, cupy, numpy)) + "\n")
                taken += 1
            except Exception as error:  # what ptxas or the driver refuses is told, and left out
                failed += 1
                print(f"# {form.name}: {str(error).splitlines()[-1][:200] if str(error) else error!r}", flush=True)
    print(f"{taken} forms, {failed} refused")


if __name__ == "__main__":
    main()
