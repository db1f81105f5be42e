/* Clocks and power while timing. */
#include "measure/timing/clocks.h"
#include "measure/timing/nvml.h"

#include <dlfcn.h>
#include <stddef.h>

enum { CLOCK_SM = 1, CLOCK_MEMORY = 2 }; /* nvmlClockType_t */

typedef int clock_fn(void *device, int which, unsigned *mhz);
typedef int power_fn(void *device, unsigned *milliwatts);

void lab_clocks_note(struct lab_conditions *conditions)
{
    void *device = NULL, *nvml = lab_nvml_open(&device);
    if (!nvml)
        return;
    clock_fn *clock = (clock_fn *)dlsym(nvml, "nvmlDeviceGetClockInfo");
    power_fn *power = (power_fn *)dlsym(nvml, "nvmlDeviceGetPowerUsage");
    unsigned value = 0;
    if (!clock || !power)
        return;
    if (clock(device, CLOCK_SM, &value) == 0)
        conditions->sm_mhz = (int)value;
    if (clock(device, CLOCK_MEMORY, &value) == 0)
        conditions->memory_mhz = (int)value;
    if (power(device, &value) == 0)
        conditions->power_watts = value / 1e3;
}
