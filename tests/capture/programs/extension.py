"""A PyTorch extension in CUDA C++, built with PTX. The first run builds it."""

import torch
from torch.utils.cpp_extension import load_inline

CUDA = """
#include <torch/extension.h>
__global__ void rms_norm(const float *x, const float *weight, float *out, int columns, float epsilon) {
    __shared__ float parts[32];
    const float *row = x + (size_t)blockIdx.x * columns;
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        sum += row[i] * row[i];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = threadIdx.x % 32 < blockDim.x / 32 ? parts[threadIdx.x % 32] : 0;
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    float scale = rsqrtf(sum / columns + epsilon);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        out[(size_t)blockIdx.x * columns + i] = row[i] * scale * weight[i];
}
torch::Tensor norm(torch::Tensor x, torch::Tensor weight) {
    auto out = torch::empty_like(x);
    rms_norm<<<x.size(0), 256>>>(x.data_ptr<float>(), weight.data_ptr<float>(), out.data_ptr<float>(),
                                 x.size(1), 1e-6f);
    return out;
}
"""

module = load_inline(
    "tmasim_capture_extension",
    cpp_sources="torch::Tensor norm(torch::Tensor x, torch::Tensor weight);",
    cuda_sources=CUDA,
    functions=["norm"],
    extra_cuda_cflags=["-gencode=arch=compute_90a,code=[compute_90a,sm_90a]"],
)
x, weight = torch.randn(8192, 4096, device="cuda"), torch.randn(4096, device="cuda")
expected = x * torch.rsqrt((x * x).mean(dim=1, keepdim=True) + 1e-6) * weight
print("off by", (module.norm(x, weight) - expected).abs().max().item())
