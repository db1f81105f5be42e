/* The functions of the driver by their names. Each that nothing defines has a weak definition here,
 * which says so and fails, as unimplemented.c does for the runtime. This file does not include
 * cuda.h, whose names are macros and have parameters. */
#include "entry.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { NOT_SUPPORTED = 801, NAME_BYTES = 96 }; /* 801: CUDA_ERROR_NOT_SUPPORTED */

static int refuse(const char *name)
{
    char text[NAME_BYTES + 32];
    snprintf(text, sizeof text, "%s is not implemented", name);
    sim_driver_says(text);
    return NOT_SUPPORTED;
}

#define SIM_RUNTIME(name)
#define SIM_DRIVER(name, version)                                                                  \
    static int refuse_##name(void)                                                                 \
    {                                                                                              \
        return refuse(#name);                                                                      \
    }                                                                                              \
    int name(void) __attribute__((weak, alias("refuse_" #name), visibility("default")));
#include "sim/symbols.def"
#undef SIM_DRIVER

static const struct entry {
    const char *name;
    int version;
    int (*function)(void), (*refusal)(void);
} entries[] = {
#define SIM_DRIVER(name, version) {#name, version, name, refuse_##name},
#include "sim/symbols.def"
#undef SIM_DRIVER
};

/* Whether `name` is what programs call an entry: its own name, or that without the number of the
 * form. The forms whose default stream is the host thread's own are the others here. */
static bool is_called(const struct entry *entry, const char *name)
{
    if (strncmp(entry->name, name, strlen(name)) != 0)
        return false;
    const char *const more = entry->name + strlen(name);
    return !*more || (more[0] == '_' && more[1] == 'v' && more[2] && !more[3]);
}

void (*sim_driver_function(const char *name, int version, enum sim_driver_found *found))(void)
{
    const struct entry *best = NULL;
    *found = SIM_DRIVER_NO_SUCH_NAME;
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        const struct entry *const entry = &entries[i];
        if (!is_called(entry, name) || entry->function == entry->refusal)
            continue;
        if (entry->version <= version && (!best || entry->version > best->version))
            best = entry;
        *found = best ? SIM_DRIVER_FOUND : SIM_DRIVER_NEWER;
    }
    return best ? (void (*)(void))best->function : NULL;
}
