/* NVML is loaded by name, because it comes with the driver. Its four calls need no header. */
#include "measure/timing/clocks.h"

#include <dlfcn.h>
#include <stddef.h>

enum { CLOCK_SM = 1, CLOCK_MEMORY = 2 }; /* nvmlClockType_t */

typedef int init_fn(void);
typedef int handle_fn(unsigned index, void **device);
typedef int clock_fn(void *device, int which, unsigned *mhz);
typedef int power_fn(void *device, unsigned *milliwatts);

void lab_clocks_note(struct lab_conditions *conditions)
{
    void *nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL), *device = NULL;
    if (!nvml)
        return;
    init_fn *init = (init_fn *)dlsym(nvml, "nvmlInit_v2");
    handle_fn *handle = (handle_fn *)dlsym(nvml, "nvmlDeviceGetHandleByIndex_v2");
    clock_fn *clock = (clock_fn *)dlsym(nvml, "nvmlDeviceGetClockInfo");
    power_fn *power = (power_fn *)dlsym(nvml, "nvmlDeviceGetPowerUsage");
    unsigned value = 0;
    if (!init || !handle || !clock || !power || init() != 0 || handle(0, &device) != 0)
        return;
    if (clock(device, CLOCK_SM, &value) == 0)
        conditions->sm_mhz = (int)value;
    if (clock(device, CLOCK_MEMORY, &value) == 0)
        conditions->memory_mhz = (int)value;
    if (power(device, &value) == 0)
        conditions->power_watts = value / 1e3;
}
