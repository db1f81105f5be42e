/* The calls of NVML need no header: each file that makes one declares its type. */
#include "measure/timing/nvml.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stddef.h>

typedef int init_fn(void);
typedef int handle_fn(const char *bus, void **device);

void *lab_nvml_open(void **device)
{
    char bus[32]; /* NVML numbers GPUs in another order than CUDA */
    int id = 0;
    void *nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!nvml || cudaGetDevice(&id) != cudaSuccess ||
        cudaDeviceGetPCIBusId(bus, sizeof bus, id) != cudaSuccess)
        return NULL;
    init_fn *init = (init_fn *)dlsym(nvml, "nvmlInit_v2");
    handle_fn *handle = (handle_fn *)dlsym(nvml, "nvmlDeviceGetHandleByPciBusId_v2");
    return init && handle && init() == 0 && handle(bus, device) == 0 ? nvml : NULL;
}
