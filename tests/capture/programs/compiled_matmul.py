"""PyTorch's matrix product through Triton: max-autotune without the library's kernels."""

import torch
import torch._inductor.config as config

config.max_autotune_gemm_backends = "TRITON"
config.max_autotune_gemm_search_space = "DEFAULT"


@torch.compile(mode="max-autotune-no-cudagraphs")
def product(a, b, bias):
    return torch.relu(a @ b + bias)


a, b = (torch.randn(2048, 2048, device="cuda", dtype=torch.bfloat16) for _ in range(2))
bias = torch.randn(2048, device="cuda", dtype=torch.bfloat16)
print("product", product(a, b, bias).float().mean().item())
