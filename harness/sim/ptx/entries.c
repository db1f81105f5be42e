/* Lists the kernels of a fat binary with the sizes of their parameters, as a launch finds them. A
 * caller needs this who passes on arguments that somebody else wrote. */
#include "sim/lab_sim.h"

#include "sim/fatbin/fatbin.h"
#include "sim/ptx/ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_kernel(const struct ptx_function *function)
{
    return function->is_entry && function->has_body;
}

/* One piece of memory holds the entries, then the sizes, then the names. */
static size_t measure(const struct ptx_module *module, size_t *entries, size_t *sizes)
{
    size_t names = 0;
    *entries = *sizes = 0;
    for (int i = 0; i < module->function_count; i++) {
        const struct ptx_function *function = &module->functions[i];
        if (!is_kernel(function))
            continue;
        ++*entries;
        *sizes += (size_t)function->param_count;
        names += strlen(function->name) + 1;
    }
    return *entries * sizeof(struct lab_sim_entry) + *sizes * sizeof(size_t) + names + 1;
}

static struct lab_sim_entry *list_kernels(const struct ptx_module *module, int *count)
{
    size_t entries, sizes, bytes = measure(module, &entries, &sizes);
    struct lab_sim_entry *list = malloc(bytes), *entry = list;
    if (!list)
        return NULL;
    size_t *size = (size_t *)(list + entries);
    char *name = (char *)(size + sizes);
    for (int i = 0; i < module->function_count; i++) {
        const struct ptx_function *function = &module->functions[i];
        if (!is_kernel(function))
            continue;
        *entry++ = (struct lab_sim_entry){name, function->param_count, size};
        for (int p = 0; p < function->param_count; p++)
            *size++ = function->params[p].size;
        name = stpcpy(name, function->name) + 1;
    }
    *count = (int)entries;
    return list;
}

int lab_sim_entries(const void *fatbin, size_t available, int arch, struct lab_sim_entry **list,
                    char *error, size_t error_size)
{
    struct ptx_error where;
    size_t length;
    int found, count = 0;
    *list = NULL;
    char *text = sim_fatbin_select(fatbin, available, SIM_FATBIN_PTX, arch, &length, &found, error,
                                   error_size);
    if (!text)
        return LAB_SIM_ENTRIES_DAMAGED;
    struct ptx_module *module = ptx_parse_heads(text, length, &where);
    if (!module) {
        free(text);
        snprintf(error, error_size, "PTX line %d: %s", where.line, where.message);
        return LAB_SIM_ENTRIES_UNKNOWN;
    }
    *list = list_kernels(module, &count);
    ptx_free(module);
    free(text);
    if (*list)
        return count;
    snprintf(error, error_size, "out of memory");
    return LAB_SIM_ENTRIES_DAMAGED;
}
