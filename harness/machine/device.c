/* Reading the device's properties through the runtime, real or simulated. */
#include "machine/device.h"

#include "base/status.h"
#include "base/simulator.h"

#include <stdio.h>
#include <stdlib.h>

/* FP32 lanes per SM; the runtime does not tell. Source: CUDA C Programming Guide, "Throughput of
 * native arithmetic instructions", 32-bit floating-point add, multiply, multiply-add. */
static int fp32_lanes(int major, int minor)
{
    switch (major * 10 + minor) {
    case 20:
        return 32;
    case 75:
    case 80:
        return 64;
    case 52:
    case 61:
    case 86:
    case 87:
    case 89:
    case 90:
    case 100:
    case 103:
    case 120:
    case 121:
        return 128;
    default:
        return 0;
    }
}

/* FP64 lanes per SM, from the same table: 64-bit floating-point add, multiply, multiply-add. For
 * 2.0 they are those of a Tesla. */
static int fp64_lanes(int major, int minor)
{
    switch (major * 10 + minor) {
    case 20:
        return 16;
    case 52:
    case 61:
        return 4;
    case 75:
    case 86:
    case 87:
    case 89:
    case 120:
    case 121:
        return 2;
    case 80:
        return 32;
    case 90:
    case 100:
        return 64;
    default:
        return 0;
    }
}

/* The most bytes that loads get from L2 for each cycle and SM. It is not published. Measured on an
 * H200 (sim/gpu/latencies.cu): 7503 GB/s by 132 SMs at 1.98 GHz. */
static double l2_bytes_per_cycle(int major, int minor)
{
    return major == 9 && minor == 0 ? 28.7 : 0.0;
}

/* 32 banks of four bytes. */
enum { PIPE_BYTES_PER_CYCLE = 128 };

int lab_device_open(bool is_sim, struct lab_device *device)
{
    int id = 0, clock_khz = 0;
    *device = (struct lab_device){.is_sim = is_sim};
    cudaError_t status = cudaGetDevice(&id);
    if (status == cudaSuccess)
        status = cudaGetDeviceProperties(&device->properties, id);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, id);
    if (status != cudaSuccess)
        return lab_complain(LAB_EXIT_MISSING, "the CUDA device cannot be used: %s",
                            cudaGetErrorString(status));
    cudaDriverGetVersion(&device->driver);
    cudaRuntimeGetVersion(&device->toolkit);
    const struct cudaDeviceProp *p = &device->properties;
    snprintf(device->arch, sizeof device->arch, "sm_%d%d", p->major % 100, p->minor % 10);
    const double cycles = 1e3 * clock_khz * p->multiProcessorCount;
    const double flops_per_lane = 2.0 * cycles;
    device->peak_fp32 = flops_per_lane * fp32_lanes(p->major, p->minor);
    device->whole_sms = is_sim ? lab_simulator()->gpu()->whole_sm_count : p->multiProcessorCount;
    device->peak_fp64 = flops_per_lane * fp64_lanes(p->major, p->minor);
    // NVIDIA's white papers: in double an A100 and an H100 have 19.5 and 67 TFLOP/s, twice what the
    // lanes do.
    device->peak_tensor_fp64 =
        device->peak_fp64 * (p->minor == 0 && (p->major == 8 || p->major == 9) ? 2.0 : 1.0);
    const struct sim_gpu_profile *const gpu = is_sim ? lab_simulator()->gpu() : NULL;
    device->peak_l2 =
        gpu ? 1e9 * gpu->l2_gb_per_s : cycles * l2_bytes_per_cycle(p->major, p->minor);
    device->peak_pipe = cycles * (gpu ? gpu->shared_bytes_per_cycle : PIPE_BYTES_PER_CYCLE);
    int memory_khz = 0;
    if (cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, id) == cudaSuccess)
        device->peak_dram = 2.0 * memory_khz * 1e3 * p->memoryBusWidth / 8.0;
    return LAB_EXIT_OK;
}

/* Machine code runs on its architecture and on later ones of the same major version; PTX runs on
 * all later ones. The simulator takes the PTX, whichever GPU it simulates. */
int lab_device_check_build(const struct lab_device *device, const char *built, const char *target)
{
    const int found = device->properties.major * 10 + device->properties.minor;
    const int made_for = atoi(built);
    if (device->is_sim || made_for == 0 || made_for == found)
        return LAB_EXIT_OK;
    if (made_for > found)
        return lab_complain(LAB_EXIT_MISSING,
                            "the kernels are built for sm_%s and cannot run on this GPU, sm_%d; "
                            "`make ARCH=%d %s` builds them for it",
                            built, found, found, target);
    fprintf(stderr,
            "run: the kernels are built for sm_%s, not for this GPU, sm_%d; `make ARCH=%d %s` "
            "builds them for it\n",
            built, found, found, target);
    return LAB_EXIT_OK;
}

bool lab_device_runs(const struct lab_device *device, const char *arch)
{
    char *rest;
    const long least = strtol(arch, &rest, 10);
    const int found = device->properties.major * 10 + device->properties.minor;
    return *rest == 'a' ? found == least : found >= least;
}
