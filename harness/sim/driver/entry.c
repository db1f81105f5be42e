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

#define SIM_DRIVER(name, version)                                                                  \
    static int refuse_##name(void)                                                                 \
    {                                                                                              \
        return refuse(#name);                                                                      \
    }                                                                                              \
    int name(void) __attribute__((weak, alias("refuse_" #name), visibility("default")));
#include "symbols.def"
#undef SIM_DRIVER

static const struct entry {
    const char *name;
    int version;
    int (*function)(void), (*refusal)(void);
} entries[] = {
#define SIM_DRIVER(name, version) {#name, version, name, refuse_##name},
#include "symbols.def"
#undef SIM_DRIVER
};

/* Takes the end off a name, if it is there. */
static bool strip(char *name, const char *end)
{
    const size_t length = strlen(name), more = strlen(end);
    const bool is_there = length > more && strcmp(name + length - more, end) == 0;
    if (is_there)
        name[length - more] = '\0';
    return is_there;
}

/* Whether `name` is what programs call an entry: without the form's number, and without what says
 * that the default stream is the host thread's own. */
static bool is_called(const struct entry *entry, const char *name, bool *is_per_thread)
{
    char called[NAME_BYTES];
    snprintf(called, sizeof called, "%s", entry->name);
    *is_per_thread = strip(called, "_ptds") || strip(called, "_ptsz");
    if (!strip(called, "_v2") && !strip(called, "_v3"))
        strip(called, "_v4");
    return strcmp(called, name) == 0;
}

/* The name of a form itself is found, too. */
void (*sim_driver_function(const char *name, int version, bool is_per_thread,
                           enum sim_driver_found *found))(void)
{
    const struct entry *best = NULL;
    bool is_best_wanted = false;
    *found = SIM_DRIVER_NO_SUCH_NAME;
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        const struct entry *const entry = &entries[i];
        bool is_its = false; /* for a default stream per host thread */
        const bool is_wanted = strcmp(entry->name, name) == 0 || is_called(entry, name, &is_its);
        if (!is_wanted || (is_its && !is_per_thread) || entry->function == entry->refusal)
            continue;
        if (entry->version > version) {
            if (!best)
                *found = SIM_DRIVER_NEWER;
            continue;
        }
        if (best && (is_best_wanted > is_its ||
                     (is_best_wanted == is_its && best->version > entry->version)))
            continue;
        best = entry;
        is_best_wanted = is_its;
        *found = SIM_DRIVER_FOUND;
    }
    return best ? (void (*)(void))best->function : NULL;
}
