"""CuPy: a raw kernel, of which the driver gets machine code, or PTX with CUPY_COMPILE_WITH_PTX=1."""

import cupy

stencil = cupy.RawKernel(
    r"""
extern "C" __global__ void stencil(const float *from, float *to, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
        const float *at = from + y * width + x;
        to[y * width + x] = 0.2f * (at[0] + at[-1] + at[1] + at[-width] + at[width]);
    }
}
""",
    "stencil",
)
width = 4096
source = cupy.ones((width, width), dtype=cupy.float32)
target = cupy.zeros_like(source)
stencil((width // 32, width // 8), (32, 8), (source, target, width, width))
print("middle", float(target[width // 2, width // 2]))
