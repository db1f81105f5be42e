/* Chooses the CUDA runtime, without calling it. */
#include "machine/runtime.h"

#include "base/status.h"
#include "machine/toolchain.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int driver_version_fn(int *version);
typedef int driver_init_fn(unsigned flags);
typedef int driver_count_fn(int *count);

struct lab_gpu lab_runtime_probe(void)
{
    struct lab_gpu gpu = {LAB_GPU_NO_DRIVER, 0};
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver || dlsym(driver, "lab_sim_last_outcome")) /* the simulator's is no GPU's */
        return gpu;
    driver_version_fn *version = (driver_version_fn *)dlsym(driver, "cuDriverGetVersion");
    driver_init_fn *init = (driver_init_fn *)dlsym(driver, "cuInit");
    driver_count_fn *count = (driver_count_fn *)dlsym(driver, "cuDeviceGetCount");
    int devices = 0;
    gpu.state = LAB_GPU_NO_DEVICE;
    if (!version || !init || !count || version(&gpu.driver_version) != 0)
        return gpu;
    /* Within a major version, any driver runs any toolkit. */
    if (gpu.driver_version / 1000 < CUDART_VERSION / 1000)
        gpu.state = LAB_GPU_OLD_DRIVER;
    else if (init(0) == 0 && count(&devices) == 0 && devices > 0)
        gpu.state = LAB_GPU_USABLE;
    return gpu;
}

void lab_runtime_explain(const struct lab_gpu *gpu, char *text, int size)
{
    switch (gpu->state) {
    case LAB_GPU_USABLE:
        snprintf(text, size, "%s", "");
        break;
    case LAB_GPU_NO_DRIVER:
        snprintf(text, size, "no NVIDIA driver (libcuda.so.1) on this machine; use --runtime sim");
        break;
    case LAB_GPU_NO_DEVICE:
        snprintf(text, size,
                 "the NVIDIA driver finds no usable GPU (see nvidia-smi); "
                 "use --runtime sim");
        break;
    case LAB_GPU_OLD_DRIVER:
        snprintf(text, size,
                 "the NVIDIA driver supports CUDA %d.%d, but the lab was built with CUDA %d.%d: "
                 "update the driver, or use --runtime sim",
                 gpu->driver_version / 1000, gpu->driver_version % 1000 / 10, CUDART_VERSION / 1000,
                 CUDART_VERSION % 1000 / 10);
        break;
    }
}

int lab_runtime_choose(enum lab_runtime_choice choice, bool *is_sim)
{
    char why[512];
    *is_sim = choice == LAB_RUNTIME_SIM;
    if (*is_sim)
        return LAB_EXIT_OK;
    struct lab_gpu gpu = lab_runtime_probe();
    lab_runtime_explain(&gpu, why, sizeof why);
    *is_sim = gpu.state != LAB_GPU_USABLE;
    return *is_sim && choice == LAB_RUNTIME_GPU
               ? lab_complain(LAB_EXIT_MISSING, "--runtime gpu: %s", why)
               : LAB_EXIT_OK;
}

bool lab_runtime_has_simulator(void)
{
    char library[LAB_PATH_BYTES];
    lab_build_path(library, "sim/libcudart.so.13");
    return access(library, R_OK) == 0;
}

int lab_runtime_libraries(bool is_sim, char list[LAB_PATH_BYTES])
{
    char folder[LAB_PATH_BYTES];
    const char *before = getenv("LD_LIBRARY_PATH");
    if (is_sim) {
        lab_build_path(folder, "sim");
        if (!lab_runtime_has_simulator())
            return lab_complain(LAB_EXIT_MISSING,
                                "the simulator is not built; run `make setup step01`");
        if (strpbrk(folder, ":;"))
            return lab_complain(LAB_EXIT_MISSING,
                                "%s: no library is found in a folder of that name; move the "
                                "checkout, or build with BUILD=/path",
                                folder);
    } else {
        snprintf(folder, sizeof folder, "%s", lab_toolkit_libraries());
    }
    snprintf(list, LAB_PATH_BYTES, "%.2000s%s%.2000s", folder, before && *before ? ":" : "",
             before ? before : "");
    return LAB_EXIT_OK;
}
