/* Choosing and loading the CUDA runtime. Nothing here calls it. */
#include "runtime.h"

#include "launches.h"
#include "paths.h"
#include "sim/lab_sim.h"
#include "status.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#ifndef LAB_CUDA_LIB
#define LAB_CUDA_LIB "/usr/local/cuda/lib64"
#endif

typedef int driver_version_fn(int *version);
typedef int driver_init_fn(unsigned flags);
typedef int driver_count_fn(int *count);

struct lab_gpu lab_runtime_probe(void)
{
    struct lab_gpu gpu = {LAB_GPU_NO_DRIVER, 0};
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver)
        return gpu;
    driver_version_fn *version = (driver_version_fn *)dlsym(driver, "cuDriverGetVersion");
    driver_init_fn *init = (driver_init_fn *)dlsym(driver, "cuInit");
    driver_count_fn *count = (driver_count_fn *)dlsym(driver, "cuDeviceGetCount");
    int devices = 0;
    gpu.state = LAB_GPU_NO_DEVICE;
    if (!version || !init || !count || version(&gpu.driver_version) != 0)
        return gpu;
    /* Within a major version any driver runs any toolkit. */
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

/* First from `folder`, then wherever the dynamic linker finds it. */
static void *load_library(const char *folder, const char *name)
{
    char path[LAB_PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    return library ? library : dlopen(name, RTLD_NOW | RTLD_GLOBAL);
}

static int load_gpu_libraries(struct lab_runtime *runtime)
{
    runtime->cudart = load_library(LAB_CUDA_LIB, "libcudart.so.13");
    if (!runtime->cudart)
        return lab_complain(LAB_EXIT_MISSING, "cannot load the CUDA runtime: %s; run `make setup`",
                            dlerror());
    /* libcublas needs it, and does not always say where it is */
    load_library(LAB_CUDA_LIB, "libcublasLt.so.13");
    if (!load_library(LAB_CUDA_LIB, "libcublas.so.13"))
        return lab_complain(LAB_EXIT_MISSING, "cannot load cuBLAS: %s; run `make setup`",
                            dlerror());
    return LAB_EXIT_OK;
}

/* The simulator reads the profile of a GPU when it is loaded, and knows which there are. */
static int load_sim_libraries(struct lab_runtime *runtime, const char *profile_from)
{
    char path[LAB_PATH_BYTES];
    lab_build_path(path, "sim/libcudart.so.13");
    runtime->cudart = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    lab_build_path(path, "sim/libcublas.so.13");
    if (!runtime->cudart || !dlopen(path, RTLD_NOW | RTLD_GLOBAL))
        return lab_complain(LAB_EXIT_MISSING,
                            "the simulator cannot be loaded (%s); run `make setup step01`",
                            dlerror());
    __typeof__(lab_sim_gpu_error) *error = dlsym(runtime->cudart, "lab_sim_gpu_error");
    if (error && error())
        return lab_complain(LAB_EXIT_USAGE, "%s: %s", profile_from, error());
    return LAB_EXIT_OK;
}

int lab_runtime_load(enum lab_runtime_choice choice, const char *profile_from,
                     struct lab_runtime *runtime)
{
    char path[LAB_PATH_BYTES], why[512];
    *runtime = (struct lab_runtime){.is_sim = choice == LAB_RUNTIME_SIM};
    if (choice != LAB_RUNTIME_SIM) {
        struct lab_gpu gpu = lab_runtime_probe();
        lab_runtime_explain(&gpu, why, sizeof why);
        runtime->is_sim = gpu.state != LAB_GPU_USABLE;
        if (runtime->is_sim && choice == LAB_RUNTIME_GPU)
            return lab_complain(LAB_EXIT_MISSING, "--runtime gpu: %s", why);
    }
    int status =
        runtime->is_sim ? load_sim_libraries(runtime, profile_from) : load_gpu_libraries(runtime);
    if (status != LAB_EXIT_OK)
        return status;
    if (lab_launches_bind(runtime->cudart) != 0)
        return lab_complain(LAB_EXIT_MISSING, "libcudart.so.13 lacks a launch entry point; the lab "
                                              "needs CUDA 13: run `make setup`");
    lab_build_path(path, "lab.so");
    runtime->lab = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!runtime->lab)
        return lab_complain(LAB_EXIT_MISSING, "%s; run `make step01`", dlerror());
    return LAB_EXIT_OK;
}
