"""cuda-python: cuda.core compiles CUDA C++ to PTX and launches the kernel with a cluster."""

import numpy

try:
    from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch
except ImportError:
    from cuda.core.experimental import Device, LaunchConfig, Program, ProgramOptions, launch

SOURCE = """
extern "C" __global__ void scale(const float *from, float *to, float factor, unsigned count) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        to[i] = from[i] * factor;
}
"""

device = Device()
device.set_current()
stream = device.create_stream()
program = Program(SOURCE, code_type="c++", options=ProgramOptions(arch="compute_90"))
kernel = program.compile("ptx", name_expressions=("scale",)).get_kernel("scale")
count = 1 << 24
source, target = (device.memory_resource.allocate(4 * count, stream=stream) for _ in range(2))
config = LaunchConfig(grid=1056, block=256)
launch(stream, config, kernel, source, target, numpy.float32(2), numpy.uint32(count))
stream.sync()
print("scaled")
