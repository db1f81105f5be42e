/* The modelled GPU, chosen when the library is loaded: programs know nothing of the choice. */
#include "device_profile.h"

#include <stdlib.h>

struct sim_gpu_profile sim_device; /* written once, by choose() */
static char problem[512];          /* likewise; "" when all is right */

__attribute__((constructor)) static void choose(void)
{
    const char *name = getenv("LAB_SIM_GPU");
    char none[512];
    if (name && *name && lab_sim_gpu_read(name, &sim_device, problem, sizeof problem))
        problem[0] = '\0';
    else if (!lab_sim_gpu_read("h200", &sim_device, none, sizeof none))
        abort(); /* the built-in text is not what this library was built from */
}

const char *lab_sim_gpu_error(void)
{
    return problem[0] ? problem : NULL;
}

const struct sim_gpu_profile *lab_sim_gpu(void)
{
    return &sim_device;
}
