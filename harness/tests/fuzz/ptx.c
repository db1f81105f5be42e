/* PTX as somebody wrote it: parsed, laid out, decoded and run, each kernel by one warp with
 * arguments of zeros. */
#include "tests/fuzz/fuzz.h"

#include "sim/launch/worker.h"
#include "sim/launch/launch.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 1 << 16, MOST_PARAMETERS = 64, MOST_BYTES = 4096, BLOCKS = 2000 };

static void run(struct sim_module *module, const char *name)
{
    static const char zeros[MOST_BYTES];
    void *arguments[MOST_PARAMETERS];
    struct sim_outcome outcome;
    struct sim_kernel_facts facts;
    char error[300];
    struct sim_launch launch = {.kernel = sim_module_kernel(module, name, error, sizeof error),
                                .grid = {1, 1, 1},
                                .block = {32, 1, 1},
                                .args = arguments,
                                .sm_count = 1,
                                .workers = 1};
    if (!launch.kernel)
        return;
    sim_kernel_facts(launch.kernel, &facts);
    if (facts.param_count > MOST_PARAMETERS || facts.max_threads < 32)
        return;
    for (int i = 0; i < facts.param_count; i++) {
        if (facts.param_sizes[i] > MOST_BYTES)
            return;
        arguments[i] = (void *)(uintptr_t)zeros;
    }
    sim_execute(&launch, &outcome);
}

/* The names behind `.entry `, true or not: the module says which it knows. */
void fuzz_ptx(const uint8_t *data, size_t size)
{
    char error[300], name[128];
    char *text = malloc(size + 1);
    if (!text || size > MOST_TEXT) {
        free(text);
        return;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    sim_budget_set(BLOCKS, 0);
    struct sim_module *module = sim_module_load(text, size, error, sizeof error);
    for (const char *at = text; module && (at = strstr(at, ".entry ")); at++) {
        size_t length = strcspn(at + 7, " \t\n(){};");
        if (length == 0 || length >= sizeof name)
            continue;
        memcpy(name, at + 7, length);
        name[length] = '\0';
        run(module, name);
    }
    sim_module_unload(module); /* with its text */
}
