/* Binds the simulator's functions by name. Its runtime library has them and the real one does not,
 * so the same program runs with either library. */
#include "base/simulator.h"

#include "base/status.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

static struct lab_simulator simulator; /* written once, by bind() */

static void bind(void)
{
    static const struct {
        const char *name;
        void **place;
    } functions[] = {
#define LAB_SIMULATOR_PLACE(name) {"lab_sim_" #name, (void **)&simulator.name},
        LAB_SIMULATOR_FUNCTIONS(LAB_SIMULATOR_PLACE)
#undef LAB_SIMULATOR_PLACE
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        *functions[i].place = dlsym(RTLD_DEFAULT, functions[i].name);
        if (!simulator.last_outcome)
            return; /* the runtime is that of a GPU */
        if (!*functions[i].place)
            exit(lab_complain(LAB_EXIT_MISSING,
                              "this build of the simulator lacks %s; run `make sim`",
                              functions[i].name));
    }
}

const struct lab_simulator *lab_simulator(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, bind);
    return simulator.last_outcome ? &simulator : NULL;
}
