#!/usr/bin/env python3
"""Records what sparse matrix products do on a GPU: bytes for tests/hardware/ptx/sparse, and rates.

usage: scripts/capture/ptx_sparse.py OUT [SEED]
       scripts/capture/ptx_sparse.py --write OUT [SEED]
       scripts/capture/ptx_sparse.py --rates

OUT gets launches.jsonl, ptx/, data/ and outputs/, as `tmasim validate` reads them: mma.sp and
wgmma.mma_async.sp of all types and shapes, with metadata and descriptors drawn at random, whose operands are
small integers, so that sums are exact. --write writes the texts and the data alone, without a GPU. --rates
prints the cycles of one product in a row of them, sparse and dense. Needs cupy, and an NVIDIA GPU of compute
capability 9.0.

In the cases called `places`, B and the two kept elements of a group are such that row and column of D say
which metadata a group has: D[row][column] = 1 + first place + 16 * (1 + second place), of the group of that
column.
"""

import hashlib
import json
import os
import random
import struct
import sys
import tempfile

SHARED = 16384  # bytes: A from 0 on, B from 8192 on
B_START = 8192
# By type: bytes of an element, the columns of mma.sp's two shapes and of wgmma's one.
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "s4": 4, "u4": 4}
MMA_COLUMNS = {16: (16, 32), 32: (8, 16), 8: (32, 64), 4: (64, 128)}
WGMMA_COLUMNS = {16: 32, 32: 16, 8: 64}
LOOPS = 16  # groups of a rate
FLOATS = ("f16", "bf16", "tf32", "e4m3", "e5m2")


def element(kind, value):
    """Bits of a small integer."""
    if kind == "f16":
        return struct.unpack("<H", struct.pack("<e", value))[0]
    if kind in ("bf16", "tf32"):
        bits = struct.unpack("<I", struct.pack("<f", value))[0]
        return bits >> 16 if kind == "bf16" else bits
    if kind in ("e4m3", "e5m2"):
        mantissa, bias = (3, 7) if kind == "e4m3" else (2, 15)
        if value == 0:
            return 0
        size = abs(value)
        exponent = size.bit_length() - 1
        fraction = ((size - (1 << exponent)) << mantissa) >> exponent
        return (128 if value < 0 else 0) | (exponent + bias) << mantissa | fraction
    return (abs(value) if kind[0] == "u" else value) & ((1 << BITS[kind]) - 1)


def packed(kind, values):
    bits, whole = BITS[kind], 0
    for index, value in enumerate(values):
        whole |= element(kind, value) << (bits * index)
    return whole.to_bytes(len(values) * bits // 8, "little")


def drawn(rng, kind, count):
    return packed(kind, [rng.choice((-3, -2, -1, 0, 0, 1, 2, 3)) for _ in range(count)])


def drawn_metadata(rng, kind, ordered):
    """32 bits: eight groups."""
    if BITS[kind] == 32:
        groups = [rng.choice((0b0100, 0b1110)) for _ in range(8)]
    else:
        pairs = [(i, j) for i in range(4) for j in range(4) if (i < j if ordered else i != j)]
        groups = [i | j << 2 for i, j in (rng.choice(pairs) for _ in range(8))]
    return struct.pack("<I", sum(group << 4 * index for index, group in enumerate(groups)))


def selectors(kind, columns):
    lanes = columns // {4: 8, 32: 2}.get(BITS[kind], 4) // 4
    return 4 // lanes


def vector(name, count, first=0):
    return "{ " + ", ".join(f"%{name}{index + first}" for index in range(count)) + " }"


HEAD = """.version 8.5
.target sm_90a
.address_size 64
{shared}.visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1)
{{
.reg .b64 %in, %out, %x, %da, %db;
.reg .b32 %r<8>, %a<4>, %b<4>, %c<4>, %d<{results}>, %e;
.reg .pred %p, %q;
ld.param.b64 %in, [k_param_0];
ld.param.b64 %out, [k_param_1];
mov.u32 %r0, %tid.x;
"""


def mma(rng, sums, a_kind, b_kind, columns, selector, ordered, places=None):
    """A case of mma.sp: its label, its text, the bytes that it reads and the number that it writes."""
    a_count = 16 * (columns // 2) * BITS[a_kind] // 1024
    b_count = 8 * columns * BITS[b_kind] // 1024
    c_count = 2 if sums == "f16" else 4
    variant = ".sp::ordered_metadata" if ordered else ".sp"
    name = f"mma{variant}.sync.aligned.m16n8k{columns}.row.col.{sums}.{a_kind}.{b_kind}.{sums}"
    words = a_count + b_count + c_count + 1
    lines = [f"mul.wide.u32 %x, %r0, {4 * words};", "add.s64 %x, %x, %in;"]
    names = ([f"a{i}" for i in range(a_count)] + [f"b{i}" for i in range(b_count)]
             + [f"c{i}" for i in range(c_count)] + ["e"])
    lines += [f"ld.global.b32 %{register}, [%x+{4 * index}];" for index, register in enumerate(names)]
    lines.append(f"{name} {vector('d', c_count)}, {vector('a', a_count)}, {vector('b', b_count)}, "
                 f"{vector('c', c_count)}, %e, {selector};")
    lines += [f"mul.wide.u32 %x, %r0, {4 * c_count};", "add.s64 %x, %x, %out;"]
    lines += [f"st.global.b32 [%x+{4 * index}], %d{index};" for index in range(c_count)] + ["ret;", "}", ""]
    data = b""
    for lane in range(32):
        if places is None:
            data += drawn(rng, a_kind, a_count * 32 // BITS[a_kind]) + drawn(rng, b_kind, b_count * 32 // BITS[b_kind])
        else:
            data += place_operands(a_kind, b_kind, a_count, b_count, lane, places)
        for _ in range(c_count):
            value = 0 if places is not None else rng.randint(-4, 4)
            data += {"f32": lambda v: struct.pack("<f", v), "s32": lambda v: struct.pack("<i", v),
                     "f16": lambda v: struct.pack("<ee", v, -v)}[sums](value)
        data += drawn_metadata(rng, a_kind, ordered)
    label = f"{name} selector {selector}" + (f" places {places}" if places is not None else "")
    return label, HEAD.format(shared="", results=c_count) + "\n".join(lines), data, 32, 4 * c_count, 0


def place_operands(a_kind, b_kind, a_count, b_count, lane, first):
    """A: 1 and 16 for the two places of each group. B: 1 + place in the column of the group, counted
    from group `first` on; fragments of B have column lane / 4, and rows as mma.sync has them."""
    each, b_each = 32 // BITS[a_kind], 32 // BITS[b_kind]
    unit = 2 if BITS[a_kind] == 4 else 1
    group = {4: 8, 32: 2}.get(BITS[a_kind], 4)
    a = [1 if BITS[a_kind] == 32 else 16 if index // unit % 2 else 1 for index in range(a_count * each)]
    if unit == 2:  # 4 bits hold 7
        a = [(4 if index // 2 % 2 else 1) if index % 2 == 0 else 0 for index in range(a_count * each)]
    b = []
    for register in range(b_count):
        for index in range(b_each):
            row = 4 * b_each * register + lane % 4 * b_each + index
            b.append(1 + row % group // unit if row // group - first == lane // 4 else 0)
    return packed(a_kind, a) + packed(b_kind, b)


def descriptor(start, leading, stride, swizzle):
    return (start >> 4 & 0x3FFF) | (leading >> 4 & 0x3FFF) << 16 | (stride >> 4 & 0x3FFF) << 32 | swizzle << 62


def wgmma(rng, sums, a_kind, b_kind, n, in_registers, transpose, signs, scale, swizzle, random_descriptors):
    """A case of wgmma.mma_async.sp. All of shared memory holds elements of A's type below B_START, and of
    B's type from there on."""
    columns = WGMMA_COLUMNS[BITS[a_kind]]
    count = n // 4 if sums == "f16" else n // 2
    selector = rng.randrange(selectors(a_kind, columns))
    row = {0: 16, 1: 128, 2: 64, 3: 32}[swizzle]
    tight = [(1024 if swizzle == 0 else 16, 128 if swizzle == 0 else 8 * row), (512 if swizzle == 0 else 16,
                                                                            128 if swizzle == 0 else 8 * row)]
    if random_descriptors:
        tight = [(rng.choice((16, 32, 128, 256)), rng.choice((128, 256, 512))) for _ in tight]
    name = f"wgmma.mma_async.sp.sync.aligned.m64n{n}k{columns}.{sums}.{a_kind}.{b_kind}"
    tail = f"%e, {selector}, %p"
    if a_kind in FLOATS:
        tail += f", {signs[0]}, {signs[1]}"
    if a_kind in ("f16", "bf16"):
        tail += f", {transpose[1]}" if in_registers else f", {transpose[0]}, {transpose[1]}"
    lines = ["mov.b32 %r1, sm;", "mov.b32 %r2, %r0;", "COPY:", "mul.wide.u32 %x, %r2, 4;", "add.s64 %x, %x, %in;",
             "ld.global.b32 %r3, [%x];", "mad.lo.u32 %r4, %r2, 4, %r1;", "st.shared.b32 [%r4], %r3;",
             "add.u32 %r2, %r2, 128;", f"setp.lt.u32 %q, %r2, {SHARED // 4};", "@%q bra COPY;",
             "fence.proxy.async.shared::cta;", "bar.sync 0;"]
    for register, start, (leading, stride) in (("%da", 0, tight[0]), ("%db", B_START, tight[1])):
        lines += [f"add.u32 %r2, %r1, {start};", "and.b32 %r2, %r2, 0x3ffff;", "shr.u32 %r2, %r2, 4;",
                  f"cvt.u64.u32 {register}, %r2;",
                  f"or.b64 {register}, {register}, {descriptor(0, leading, stride, swizzle)};"]
    lines += [f"mad.lo.u32 %r2, %r0, 20, {SHARED};", "cvt.u64.u32 %x, %r2;", "add.s64 %x, %x, %in;"]
    lines += [f"ld.global.b32 %{register}, [%x+{4 * index}];"
              for index, register in enumerate(("a0", "a1", "a2", "a3", "e"))]
    one = "0x3f800000" if sums == "f32" else "1"
    lines += [f"mov.b32 %d{index}, {one if sums != 'f16' and index % 3 == 0 else 0};" for index in range(count)]
    lines += [f"setp.ne.b32 %p, {scale}, 0;", "wgmma.fence.sync.aligned;",
              f"{name} {vector('d', count)}, {vector('a', 4) if in_registers else '%da'}, %db, {tail};",
              "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;",
              f"mul.wide.u32 %x, %r0, {4 * count};", "add.s64 %x, %x, %out;"]
    lines += [f"st.global.b32 [%x+{4 * index}], %d{index};" for index in range(count)] + ["ret;", "}", ""]
    data = drawn(rng, a_kind, B_START * 8 // BITS[a_kind]) + drawn(rng, b_kind, (SHARED - B_START) * 8 // BITS[b_kind])
    for _ in range(128):
        data += drawn(rng, a_kind, 128 // BITS[a_kind]) + drawn_metadata(rng, a_kind, True)
    label = (f"{name} {'registers' if in_registers else 'shared'} transposed {transpose} signs {signs} scale {scale}"
             f" selector {selector} swizzle {swizzle} strides {tight}")
    shared = ".extern .shared .align 1024 .b8 sm[];\n"
    return label, HEAD.format(shared=shared, results=count) + "\n".join(lines), data, 128, 4 * count, SHARED


MMA_TYPES = [("f32", "f16", "f16"), ("f16", "f16", "f16"), ("f32", "bf16", "bf16"), ("f32", "tf32", "tf32"),
             ("f32", "e4m3", "e4m3"), ("f32", "e4m3", "e5m2"), ("f32", "e5m2", "e4m3"), ("s32", "s8", "s8"),
             ("s32", "s8", "u8"), ("s32", "u8", "s8"), ("s32", "s4", "s4"), ("s32", "u4", "s4"), ("s32", "u4", "u4")]
WGMMA_TYPES = [("f32", "f16", "f16"), ("f16", "f16", "f16"), ("f32", "bf16", "bf16"), ("f32", "tf32", "tf32"),
               ("f32", "e4m3", "e4m3"), ("f16", "e4m3", "e5m2"), ("f32", "e5m2", "e4m3"), ("s32", "s8", "s8"),
               ("s32", "u8", "s8"), ("s32", "u8", "u8")]


def cases(rng):
    for sums, a_kind, b_kind in MMA_TYPES:
        for columns in MMA_COLUMNS[BITS[a_kind]]:
            if a_kind in ("e4m3", "e5m2") and columns == 32:
                continue
            for selector in range(selectors(a_kind, columns)):
                for ordered in (True, False):
                    yield mma(rng, sums, a_kind, b_kind, columns, selector, ordered)
            if a_kind == b_kind:
                for first in (0, 8):
                    for selector in range(selectors(a_kind, columns)):
                        yield mma(rng, sums, a_kind, b_kind, columns, selector, True, first)
    for sums, a_kind, b_kind in WGMMA_TYPES:
        for swizzle in (0, 1, 2, 3):
            for in_registers in (False, True):
                for random_descriptors in (False, True):
                    signs = (1, 1) if a_kind not in FLOATS else (rng.choice((1, -1)), rng.choice((1, -1)))
                    halves = a_kind in ("f16", "bf16")
                    transpose = (0, rng.randrange(2)) if halves and in_registers else (
                        (rng.randrange(2), rng.randrange(2)) if halves else (0, 0))
                    yield wgmma(rng, sums, a_kind, b_kind, rng.choice((8, 16, 24, 32)), in_registers, transpose, signs,
                                rng.randrange(2), swizzle, random_descriptors)


def rate_text(sums, a_kind, n, in_registers, sparse, products):
    """A warp group issues products behind each other, and counts cycles."""
    columns = WGMMA_COLUMNS[BITS[a_kind]] // (1 if sparse else 2)
    count = n // 4 if sums == "f16" else n // 2
    name = f"wgmma.mma_async{'.sp' if sparse else ''}.sync.aligned.m64n{n}k{columns}.{sums}.{a_kind}.{a_kind}"
    tail = ("%e, 0, %p" if sparse else "%p") + (", 1, 1" if a_kind in FLOATS else "")
    if a_kind in ("f16", "bf16"):
        tail += ", 0" if in_registers else ", 0, 0"
    lines = ["mov.b32 %r1, sm;", "and.b32 %r2, %r1, 0x3ffff;", "shr.u32 %r2, %r2, 4;", "cvt.u64.u32 %da, %r2;",
             f"or.b64 %da, %da, {descriptor(0, 16, 1024, 1)};", f"add.s64 %db, %da, {B_START >> 4};",
             "mov.b32 %e, 0x44444444;", "setp.eq.u32 %p, %r0, %r0;"]
    lines += [f"mov.b32 %a{index}, 0;" for index in range(4)] + [f"mov.b32 %d{index}, 0;" for index in range(count)]
    lines += ["mov.b32 %r5, 0;", "bar.sync 0;", "mov.u32 %r3, %clock;", "LOOP:", "wgmma.fence.sync.aligned;"]
    lines += [f"{name} {vector('d', count)}, {vector('a', 4) if in_registers else '%da'}, %db, {tail};"] * products
    lines += ["wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;", "add.u32 %r5, %r5, 1;",
              f"setp.lt.u32 %q, %r5, {LOOPS};", "@%q bra LOOP;", "mov.u32 %r4, %clock;", "sub.u32 %r4, %r4, %r3;",
              "mul.wide.u32 %x, %r0, 4;", "add.s64 %x, %x, %out;", "st.global.b32 [%x], %r4;"]
    # The sums are used, so that the products stay.
    lines += ["setp.eq.u32 %q, %r4, 0;"] + [f"@%q st.global.b32 [%x+{512 + 4 * index}], %d{index};" for index in range(count)]
    shared = ".extern .shared .align 1024 .b8 sm[];\n"
    return HEAD.format(shared=shared, results=count) + "\n".join(lines + ["ret;", "}", ""])


def kernel_of(text, cupy):
    # cupy keeps a module for each path: each text has its own.
    with tempfile.NamedTemporaryFile("w", suffix=".ptx", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        return cupy.RawModule(path=file.name).get_function("k")


def print_rates():
    import cupy
    few, many, shared = 4, 12, 65536  # products of a group; bytes
    print("sums\ttype\tn\ta\tsparse\tcycles_a_wgmma")
    for sums, a_kind in (("f32", "f16"), ("f32", "tf32"), ("f32", "e4m3"), ("s32", "s8")):
        for n in (32, 64, 128, 256):
            for in_registers in (False, True):
                for sparse in (False, True):
                    cycles = []
                    for products in (few, many):
                        kernel = kernel_of(rate_text(sums, a_kind, n, in_registers, sparse, products), cupy)
                        out = cupy.zeros(1024, dtype=cupy.uint32)
                        kernel.max_dynamic_shared_size_bytes = shared
                        for _ in range(3):
                            kernel((1,), (128,), (out, out), shared_mem=shared)
                        cupy.cuda.runtime.deviceSynchronize()
                        cycles.append(int(out.get()[:128].max()))
                    print(sums, a_kind, n, "registers" if in_registers else "shared", int(sparse),
                          f"{(cycles[1] - cycles[0]) / (LOOPS * (many - few)):.2f}", sep="\t", flush=True)


def main():
    if sys.argv[1] == "--rates":
        print_rates()
        return
    write = sys.argv[1] == "--write"
    arguments = sys.argv[2 if write else 1:]
    folder, seed = arguments[0], int(arguments[1]) if len(arguments) > 1 else 1
    rng = random.Random(seed)
    for part in ("ptx", "data", "outputs"):
        os.makedirs(f"{folder}/{part}", exist_ok=True)
    if not write:
        import cupy
        import numpy
    taken = failed = 0
    with open(f"{folder}/launches.jsonl", "w", encoding="utf-8") as file:
        for label, text, data, threads, each, shared in cases(rng):
            name = hashlib.sha256((text + label).encode() + data).hexdigest()[:16]
            try:
                result = b""
                if not write:
                    kernel = kernel_of(text, cupy)
                    if shared:
                        kernel.max_dynamic_shared_size_bytes = shared
                    given = cupy.asarray(numpy.frombuffer(data, dtype=numpy.uint8))
                    out = cupy.zeros(threads * each, dtype=numpy.uint8)
                    kernel((1,), (threads,), (given, out), shared_mem=shared)
                    cupy.cuda.runtime.deviceSynchronize()
                    result = out.get().tobytes()
            except Exception as error:  # what ptxas or the driver refuses is told, and left out
                failed += 1
                print(f"# {label}: {str(error).splitlines()[-1][:200] if str(error) else error!r}", flush=True)
                continue
            for part, suffix, contents in (("ptx", "ptx", text.encode()), ("data", "in", data), ("outputs", "bin", result)):
                with open(f"{folder}/{part}/{name}.{suffix}", "wb") as binary:
                    binary.write(contents)
            taken += 1
            pointers = [{"kind": "pointer", "name": buffer, "buffer": buffer, "offset": 0} for buffer in ("in", "out")]
            file.write(json.dumps({
                "label": label, "family": label.split(".", maxsplit=1)[0] + ".sp", "kernel": "k", "ptx": name + ".ptx",
                "arch": "sm_90a", "grid": [1, 1, 1], "block": [threads, 1, 1], "cluster": [1, 1, 1],
                "dynamic_shared": shared, "params": pointers,
                "buffers": [{"name": "in", "bytes": len(data), "dtype": "uint8", "fill": {"file": name + ".in"}},
                            {"name": "out", "bytes": threads * each, "dtype": "uint8", "fill": {"zero": True}}],
                "outputs": {"out": name + ".bin"}, "tolerance_ulp": 0}) + "\n")
    print(f"{taken} cases, {failed} refused")


if __name__ == "__main__":
    main()
