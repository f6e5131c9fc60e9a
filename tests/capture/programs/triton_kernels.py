"""Triton kernels of one's own: a GEMM with tensor descriptors, autotuned, a softmax and a gather."""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def softmax_rows(out, rows, columns: tl.constexpr):
    row = tl.program_id(0)
    at = row * columns + tl.arange(0, columns)
    values = tl.load(rows + at).to(tl.float32)
    values = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + at, (values / tl.sum(values, axis=0)).to(tl.float16))


@triton.jit
def gather_rows(out, table, indices, columns: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, columns)
    index = tl.load(indices + row)
    tl.store(out + row * columns + at, tl.load(table + index * columns + at))


@triton.autotune(
    configs=[
        triton.Config({"BM": 128, "BN": 128, "BK": 64}, num_warps=8, num_stages=3),
        triton.Config({"BM": 128, "BN": 256, "BK": 64}, num_warps=8, num_stages=3),
    ],
    key=["K"],
)
@triton.jit
def gemm_descriptors(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0) * BM
    column = tl.program_id(1) * BN
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        sums = tl.dot(a.load([row, k]), b.load([k, column]), sums)
    c.store([row, column], sums.to(tl.float16))


def main():
    torch.manual_seed(0)
    rows = torch.randn(4096, 2048, device="cuda", dtype=torch.float16)
    out = torch.empty_like(rows)
    softmax_rows[(4096,)](out, rows, 2048)
    indices = torch.randint(0, 4096, (8192,), device="cuda", dtype=torch.int32)
    gathered = torch.empty(8192, 2048, device="cuda", dtype=torch.float16)
    gather_rows[(8192,)](gathered, rows, indices, 2048)
    assert torch.equal(gathered, rows[indices.long()])
    size = 2048
    a = torch.randn(size, size, device="cuda", dtype=torch.float16)
    b = torch.randn(size, size, device="cuda", dtype=torch.float16)
    c = torch.empty(size, size, device="cuda", dtype=torch.float16)

    def boxes(meta):
        meta["a"].block_shape = [meta["BM"], meta["BK"]]
        meta["b"].block_shape = [meta["BK"], meta["BN"]]
        meta["c"].block_shape = [meta["BM"], meta["BN"]]

    for config in gemm_descriptors.configs:
        config.pre_hook = boxes
    descriptors = [TensorDescriptor.from_tensor(each, [128, 64]) for each in (a, b, c)]
    grid = lambda meta: (triton.cdiv(size, meta["BM"]), triton.cdiv(size, meta["BN"]))
    gemm_descriptors[grid](*descriptors, size, size, size)
    torch.cuda.synchronize()
    print("gemm off by", (c - a @ b).abs().max().item(), gemm_descriptors.best_config)


main()
