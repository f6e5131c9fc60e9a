"""Records compiled Triton kernels on a GPU: writes NAME.json for each case into a folder.

usage: python record.py FOLDER

Needs Triton, PyTorch and a Hopper GPU. Beside what tmasim.triton_capture records, a case has the
128 bytes of each tensor map that the driver wrote, and the time of a launch.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import sys
import traceback
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

HERE = Path(__file__).resolve().parent
CAPTURE = HERE / "triton_capture.py"
if not CAPTURE.exists():
    CAPTURE = HERE.parents[1] / "src" / "tmasim" / "triton_capture.py"


def load_capture() -> Any:
    """The module, without the package that it belongs to."""
    spec = importlib.util.spec_from_file_location("triton_capture", CAPTURE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@triton.jit
def gemm(
    a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr
):
    pid = tl.program_id(0)
    tiles_m = tl.cdiv(M, BM)
    tiles_n = tl.cdiv(N, BN)
    width = GROUP * tiles_n
    first = pid // width * GROUP
    rows = tl.minimum(tiles_m - first, GROUP)
    m = (first + pid % width % rows) * BM
    n = pid % width // rows * BN
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([m, k]), b.load([n, k]).T, acc)
    c.store([m, n], acc.to(tl.float16))


@triton.jit
def gemm_persistent(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tiles_n = tl.cdiv(N, BN)
    for tile in range(tl.program_id(0), tl.cdiv(M, BM) * tiles_n, tl.num_programs(0)):
        m = tile // tiles_n * BM
        n = tile % tiles_n * BN
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, K, BK):
            acc = tl.dot(a.load([m, k]), b.load([n, k]).T, acc)
        c.store([m, n], acc.to(tl.float16))


@triton.jit
def copy(a, b, tiles, across, BM: tl.constexpr, BN: tl.constexpr):
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        m = tile // across * BM
        n = tile % across * BN
        b.store([m, n], a.load([m, n]))


@triton.jit
def read(a, out, tiles, across, BM: tl.constexpr, BN: tl.constexpr):
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        acc += a.load([tile // across * BM, tile % across * BN]).to(tl.float32)
    tl.store(out + tl.program_id(0), tl.sum(acc))


@triton.jit
def attention(q, k, v, o, scale, L, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    head = tl.program_id(1) * L
    row = head + tl.program_id(0) * BM
    tile = q.load([row, 0])
    most = tl.full((BM,), -1e30, dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    acc = tl.zeros((BM, D), dtype=tl.float32)
    for j in range(0, L, BN):
        s = tl.dot(tile, k.load([head + j, 0]).T) * scale
        new = tl.maximum(most, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        alpha = tl.exp2(most - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        acc = tl.dot(p.to(tl.float16), v.load([head + j, 0]), acc)
        most = new
    o.store([row, 0], (acc / total[:, None]).to(tl.float16))


@triton.jit
def device_descriptors(a, b, M, N, BM: tl.constexpr, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(a, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    target = tl.make_tensor_descriptor(b, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    m = tl.program_id(0) * BM
    for n in range(0, N, BN):
        target.store([m, n], source.load([m, n]))


def half(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, device="cuda").to(torch.float16)


def descriptor(tensor: torch.Tensor, *block: int) -> TensorDescriptor:
    return TensorDescriptor.from_tensor(tensor, list(block))


Case = Tuple[str, Any, Tuple[int, ...], List[Any], Dict[str, Any]]


def gemm_case(
    name: str, kernel: Any, m: int, n: int, k: int, bm: int, bn: int, bk: int, **options: Any
) -> Case:
    a, b, c = half(m, k), half(n, k), half(m, n)
    arguments = [descriptor(a, bm, bk), descriptor(b, bn, bk), descriptor(c, bm, bn), m, n, k]
    tiles = triton.cdiv(m, bm) * triton.cdiv(n, bn)
    if kernel is gemm:
        return name, kernel, (tiles,), [*arguments, bm, bn, bk, 8], options
    return name, kernel, (min(tiles, 132),), [*arguments, bm, bn, bk], options


def cases() -> List[Callable[[], Case]]:
    def stream(name: str, kernel: Any, rows: int, bm: int, bn: int, **options: Any) -> Case:
        a = half(rows, 4096)
        tiles, across = rows // bm * (4096 // bn), 4096 // bn
        target: Any = torch.zeros(528, device="cuda")
        if kernel is copy:
            target = descriptor(half(rows, 4096), bm, bn)
        return name, kernel, (528,), [descriptor(a, bm, bn), target, tiles, across, bm, bn], options

    def heads(name: str, d: int, length: int, bm: int, bn: int, **options: Any) -> Case:
        count = 64
        q, k, v, o = (half(count * length, d) for _ in range(4))
        blocks = [
            descriptor(q, bm, d),
            descriptor(k, bn, d),
            descriptor(v, bn, d),
            descriptor(o, bm, d),
        ]
        grid = (length // bm, count)
        return name, attention, grid, [*blocks, 0.125 * 1.4427, length, bm, bn, d], options

    def on_device() -> Case:
        a, b = half(1024, 1024), half(1024, 1024)
        return "device_descriptors", device_descriptors, (8,), [a, b, 1024, 1024, 128, 64], {}

    return [
        lambda: gemm_case(
            "gemm_128_128_64_3", gemm, 4096, 4096, 4096, 128, 128, 64, num_stages=3, num_warps=4
        ),
        lambda: gemm_case(
            "gemm_128_256_64_3", gemm, 4096, 4096, 4096, 128, 256, 64, num_stages=3, num_warps=8
        ),
        lambda: gemm_case(
            "gemm_128_128_128_2", gemm, 2048, 2048, 4096, 128, 128, 128, num_stages=2, num_warps=4
        ),
        lambda: gemm_case(
            "gemm_64_64_64_4", gemm, 2048, 2048, 2048, 64, 64, 64, num_stages=4, num_warps=4
        ),
        lambda: gemm_case(
            "gemm_persistent",
            gemm_persistent,
            4096,
            4096,
            4096,
            128,
            128,
            64,
            num_stages=3,
            num_warps=8,
        ),
        lambda: stream("copy_128_64_3", copy, 32768, 128, 64, num_stages=3),
        lambda: stream("read_128_128_3", read, 32768, 128, 128, num_stages=3),
        lambda: heads("attention_64", 64, 2048, 128, 64, num_stages=3, num_warps=8),
        lambda: heads("attention_128", 128, 2048, 128, 64, num_stages=2, num_warps=8),
        on_device,
    ]


def record_maps() -> List[bytes]:
    """Keeps the 128 bytes of each tensor map that the driver makes from now on."""
    utils = triton.runtime.driver.active.utils
    maps: List[bytes] = []
    for name in dir(utils):
        if not name.startswith("fill_tma_descriptor"):
            continue
        original = getattr(utils, name)

        def keep(*args: Any, original: Any = original) -> Any:
            made = original(*args)
            if made is not None:
                size = type(made).__basicsize__
                maps.append(ctypes.string_at(id(made) + size - 128, 128))
            return made

        setattr(utils, name, keep)
    return maps


def main() -> None:
    folder = Path(sys.argv[1])
    module = load_capture()
    maps = record_maps()
    triton.set_allocator(
        lambda size, align, stream: torch.empty(size, dtype=torch.int8, device="cuda")
    )
    everything: Dict[str, Any] = {}
    for case in cases():
        name = "?"
        try:
            name, kernel, grid, arguments, options = case()
            record = module.capture(kernel, grid, *arguments, **options)
            maps.clear()
            kernel[grid](*arguments, **options)
            torch.cuda.synchronize()
            for described, data in zip(record["descriptors"].values(), maps):
                described["bytes"] = data.hex()
            launch = lambda: kernel[grid](*arguments, **options)
            record["launch_us"] = round(
                triton.testing.do_bench(launch, return_mode="median") * 1000, 2
            )
            record["versions"] = {"triton": triton.__version__, "torch": torch.__version__}
            record["gpu"] = torch.cuda.get_device_name()
            everything[name] = record
            print(
                name,
                record["registers"],
                record["shared_bytes"],
                record["launch_us"],
                len(maps),
                flush=True,
            )
        except Exception:
            traceback.print_exc()
            print("FAILED", name, flush=True)
    (folder / "records.json").write_text(json.dumps(everything, indent=1))


if __name__ == "__main__":
    main()
