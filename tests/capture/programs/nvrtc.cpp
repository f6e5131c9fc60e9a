/* The driver's interface alone: NVRTC compiles a kernel to PTX, which cuModuleLoadData gets.
 * Parameters are packed into one buffer. */
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <nvrtc.h>
#include <string>

static const char source[] = R"(
extern "C" __global__ void saxpy(float a, const float4 *x, float4 *y, unsigned count) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        float4 u = x[i], v = y[i];
        y[i] = make_float4(a * u.x + v.x, a * u.y + v.y, a * u.z + v.z, a * u.w + v.w);
    }
}
)";

int main() {
    nvrtcProgram program;
    const char *options[] = {"--gpu-architecture=compute_90"};
    size_t bytes = 0;
    nvrtcCreateProgram(&program, source, "saxpy.cu", 0, nullptr, nullptr);
    nvrtcCompileProgram(program, 1, options);
    nvrtcGetPTXSize(program, &bytes);
    std::string ptx(bytes, '\0');
    nvrtcGetPTX(program, ptx.data());
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction function;
    constexpr uint32_t COUNT = 1 << 22;
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuDevicePrimaryCtxRetain(&context, device);
    cuCtxSetCurrent(context);
    if (cuModuleLoadData(&module, ptx.c_str()) != CUDA_SUCCESS ||
        cuModuleGetFunction(&function, module, "saxpy") != CUDA_SUCCESS) {
        std::printf("NVRTC's PTX was not loaded\n");
        return 1;
    }
    struct {
        float a;
        CUdeviceptr x, y;
        uint32_t count;
    } arguments = {2, 0, 0, COUNT};
    size_t size = offsetof(decltype(arguments), count) + sizeof arguments.count;
    cuMemAlloc(&arguments.x, 16ull * COUNT);
    cuMemAlloc(&arguments.y, 16ull * COUNT);
    cuMemsetD32(arguments.x, 0x3f800000, 4ull * COUNT);
    cuMemsetD32(arguments.y, 0x3f800000, 4ull * COUNT);
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &arguments, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    CUresult result = cuLaunchKernel(function, 528, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra);
    float last = 0;
    cuMemcpyDtoH(&last, arguments.y + 16ull * COUNT - 4, 4);
    std::printf("result %d, last element %g\n", static_cast<int>(result), static_cast<double>(last));
    return last == 3 ? 0 : 1;
}
