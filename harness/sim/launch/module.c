/* Loads PTX: parses it, places global and constant variables in device memory; finds kernels. */
#include "launch.h"
#include "worker.h"

#include "sim/decoding/decode.h"
#include "sim/machine/warp.h"
#include "sim/memory/memory.h"
#include "sim/ptx/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The C++ run-time library has this function, but no header for C. */
extern char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status);

static char *demangle(const char *name)
{
    int status = -1;
    char *text = NULL;
    if (strncmp(name, "_Z", 2) == 0)
        text = __cxa_demangle(name, NULL, NULL, &status);
    return text ? text : strdup(name);
}

/* ---- Variables ---- */

static bool is_in_memory(const struct ptx_variable *variable)
{
    return variable->space == PTX_GLOBAL || variable->space == PTX_CONST;
}

static bool place_variables(struct sim_module *module)
{
    for (int i = 0; i < module->ptx->variable_count; i++) {
        const struct ptx_variable *const variable = &module->ptx->variables[i];
        if (!is_in_memory(variable))
            continue;
        char *const title = demangle(variable->name);
        module->addresses[i] =
            sim_memory_allocate(variable->size ? variable->size : 1, SIM_MEMORY_SYMBOL, title);
        free(title);
        if (!module->addresses[i])
            return false;
        char *const storage = sim_memory_host(module->addresses[i], variable->size);
        if (storage && variable->data)
            memcpy(storage, variable->data, variable->size);
        else if (storage)
            memset(storage, 0, variable->size);
        if (variable->space == PTX_CONST)
            module->constant_bytes += variable->size;
    }
    return true;
}

/* Finds the address of a variable or function by its name; false if there is none. */
static bool symbol_address(const struct sim_module *module, const char *name, uint64_t *address)
{
    for (int i = 0; i < module->ptx->variable_count; i++) {
        if (strcmp(module->ptx->variables[i].name, name) == 0 && module->addresses[i]) {
            *address = module->addresses[i];
            return true;
        }
    }
    for (int i = 0; i < module->ptx->function_count; i++) {
        const struct ptx_function *const function = &module->ptx->functions[i];
        if (function->has_body && strcmp(function->name, name) == 0) {
            *address = sim_function_address(module->ptx, function);
            return true;
        }
    }
    return false;
}

static bool relocate(const struct sim_module *module, char *error, size_t error_size)
{
    for (int i = 0; i < module->ptx->variable_count; i++) {
        const struct ptx_variable *const variable = &module->ptx->variables[i];
        for (int r = 0; r < variable->relocation_count && is_in_memory(variable); r++) {
            const struct ptx_relocation *const relocation = &variable->relocations[r];
            uint64_t address;
            if (!symbol_address(module, relocation->symbol, &address)) {
                snprintf(error, error_size,
                         "%s holds the address of %s, which is not in the module", variable->name,
                         relocation->symbol);
                return false;
            }
            address += (uint64_t)relocation->addend;
            address >>= relocation->bytes == 1 ? relocation->shift : 0;
            memcpy(
                sim_memory_host(module->addresses[i] + relocation->at, (size_t)relocation->bytes),
                &address, (size_t)relocation->bytes);
        }
    }
    return true;
}

/* ---- Kernels ---- */

/* The places after the last kernel are free: there are as many as functions. */
static struct sim_kernel *add_kernel(struct sim_module *module, const struct ptx_function *ptx)
{
    struct sim_kernel *const kernel = &module->kernels[module->kernel_count++];
    kernel->module = module;
    kernel->ptx = ptx;
    kernel->title = demangle(ptx->name);
    kernel->param_sizes = calloc((size_t)ptx->param_count + 1, sizeof(size_t));
    kernel->program = sim_lay_out(module, ptx);
    if (!kernel->title || !kernel->param_sizes || !kernel->program)
        return NULL;
    for (int i = 0; i < ptx->param_count; i++)
        kernel->param_sizes[i] = ptx->params[i].size;
    return kernel;
}

/* ---- Interface ---- */

struct sim_module *sim_module_load(char *ptx, size_t length, char *error, size_t error_size)
{
    struct ptx_error where = {0};
    struct sim_module *const module = calloc(1, sizeof *module);
    snprintf(error, error_size, "out of memory while loading a module");
    if (!module) {
        free(ptx);
        return NULL;
    }
    pthread_mutex_init(&module->decoding, NULL);
    module->text = ptx;
    module->ptx = ptx_parse_heads(ptx, length, &where);
    if (!module->ptx) {
        snprintf(error, error_size, "PTX line %d: %s", where.line, where.message);
        sim_module_unload(module);
        return NULL;
    }
    module->addresses = calloc((size_t)module->ptx->variable_count + 1, sizeof(uint64_t));
    module->kernels = calloc((size_t)module->ptx->function_count + 1, sizeof *module->kernels);
    if (!module->addresses || !module->kernels || !place_variables(module) ||
        !relocate(module, error, error_size)) {
        sim_module_unload(module);
        return NULL;
    }
    if (error_size > 0)
        error[0] = '\0';
    return module;
}

void sim_module_unload(struct sim_module *module)
{
    if (!module)
        return;
    for (int i = 0; i < module->kernel_count; i++) {
        struct sim_kernel *const kernel = &module->kernels[i];
        sim_worker_free(kernel->idle);
        free(kernel->title);
        free(kernel->param_sizes);
        if (kernel->program)
            ptx_arena_destroy(kernel->program->arena);
    }
    for (int i = 0; module->addresses && i < module->ptx->variable_count; i++)
        if (module->addresses[i])
            sim_memory_free(module->addresses[i]);
    free(module->kernels);
    free(module->addresses);
    ptx_free(module->ptx);
    free(module->text);
    pthread_mutex_destroy(&module->decoding);
    free(module);
}

struct sim_kernel *sim_module_kernel(struct sim_module *module, const char *name, char *error,
                                     size_t error_size)
{
    struct ptx_error where = {0};
    snprintf(error, error_size, "%s", "");
    for (int i = 0; i < module->kernel_count; i++)
        if (strcmp(module->kernels[i].ptx->name, name) == 0)
            return &module->kernels[i];
    const struct ptx_function *const ptx = ptx_find_function(module->ptx, name);
    if (!ptx || !ptx->is_entry || !ptx->has_body)
        return NULL;
    if (!ptx_complete(module->ptx, ptx, &where)) {
        snprintf(error, error_size, "PTX line %d: %s", where.line, where.message);
        return NULL;
    }
    struct sim_kernel *const kernel = add_kernel(module, ptx);
    if (!kernel)
        snprintf(error, error_size, "out of memory while loading a kernel");
    return kernel;
}

void sim_kernel_set_frame(struct sim_kernel *kernel, const char *function, size_t bytes)
{
    const struct program *const program = kernel->program;
    for (int i = 0; i < program->function_count; i++)
        if (program->functions[i] && strcmp(program->functions[i]->ptx->name, function) == 0)
            program->functions[i]->stack_bytes = (uint32_t)bytes;
}

uint64_t sim_module_variable(struct sim_module *module, const char *name, size_t *size)
{
    for (int i = 0; i < module->ptx->variable_count; i++) {
        if (module->addresses[i] && strcmp(module->ptx->variables[i].name, name) == 0) {
            if (size)
                *size = module->ptx->variables[i].size;
            return module->addresses[i];
        }
    }
    return 0;
}

void sim_kernel_facts(const struct sim_kernel *kernel, struct sim_kernel_facts *facts)
{
    const struct program *const program = kernel->program;
    *facts = (struct sim_kernel_facts){
        .name = kernel->ptx->name,
        .shared_bytes = program->shared_bytes,
        .local_bytes = kernel->ptx->local_bytes,
        .declared_bytes = program->declared_local_bytes,
        .is_decoded = program->is_decoded,
        .coordinates = program->coordinates,
        .constant_bytes = kernel->module->constant_bytes,
        .max_threads = kernel->ptx->max_threads > 0 ? kernel->ptx->max_threads : MAX_BLOCK_THREADS,
        .param_count = kernel->ptx->param_count,
        .param_sizes = kernel->param_sizes,
    };
    sscanf(kernel->ptx->target, "sm_%d", &facts->ptx_version);
    memcpy(facts->cluster, kernel->ptx->cluster, sizeof facts->cluster);
}
