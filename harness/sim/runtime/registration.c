/* Kernels and variables that programs register when they start, or load as modules of the driver
 * API, and the PTX that contains them. What is registered is parsed when a kernel or variable of it
 * is first needed, and a module when it is loaded. */
#include "order.h"
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/check/global_tags.h"
#include "sim/fatbin/fatbin.h"

enum { BUCKETS = 1024 };

/** One fat binary, or the PTX of a module. */
struct sim_image {
    const char *text; /* of a module while it is loaded, if this is PTX; else NULL */
    bool is_module;   /* loaded by sim_image_open() */
    const void *container;
    size_t size;
    const void *const *units;  /* separately compiled ones that it was linked from; NULL: none */
    struct sim_module *module; /* NULL until loaded */
    struct sim_cubin cubin;
    cudaError_t failure; /* of an attempt to load */
    struct sim_image *next;
};

/* A variable; the address `host` of its shadow in the host program identifies it. */
struct variable {
    const void *host;
    char *name;
    struct sim_image *image;
    void **managed; /* where the host program keeps the variable's address; NULL: not managed */
    struct variable *next;
};

/* Global, because the registration calls name no object that could hold this state. */
static struct sim_image *images;
static struct sim_function *functions[BUCKETS];
static struct variable *variables;

/* The registration calls have no result, and a program cannot go on without them. */
static void *must(void *memory)
{
    if (!memory) {
        fprintf(stderr, "libcudart (simulator): out of memory while the program registers code\n");
        abort();
    }
    return memory;
}

static struct sim_function **bucket(const void *host)
{
    uintptr_t bits = (uintptr_t)host;
    return &functions[(bits >> 4 ^ bits >> 14) % BUCKETS];
}

/* ---- calls that nvcc puts into programs ------------------------------------------------------ */

#pragma GCC visibility push(default)
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int thread_limit, uint3 *thread, uint3 *block, dim3 *block_size,
                            dim3 *grid_size, int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_extern,
                       size_t size, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                              int is_extern, size_t size, int constant, int global);
char __cudaInitModule(void **handle);
#pragma GCC visibility pop

void **__cudaRegisterFatBinary(void *wrapper)
{
    sim_enter_always();
    struct sim_image *image = must(calloc(1, sizeof *image));
    image->container = sim_fatbin_of_wrapper(wrapper, &image->size);
    image->units = sim_fatbin_units(wrapper);
    image->next = images;
    images = image;
    sim_leave(cudaSuccess);
    return (void **)image;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

/* Without a host stub, the record itself is the kernel's handle. */
static struct sim_function *add_function(struct sim_image *image, const void *host,
                                         const char *name)
{
    struct sim_function *function = must(calloc(1, sizeof *function));
    function->host = host ? host : function;
    function->name = must(strdup(name));
    function->image = image;
    function->max_dynamic_shared = -1;
    function->carveout = -1;
    function->next = *bucket(function->host);
    return *bucket(function->host) = function;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int thread_limit, uint3 *thread, uint3 *block, dim3 *block_size,
                            dim3 *grid_size, int *warp_size)
{
    (void)device, (void)thread_limit, (void)thread, (void)block;
    (void)block_size, (void)grid_size, (void)warp_size;
    sim_enter_always();
    add_function((struct sim_image *)handle, host, name);
    sim_leave(cudaSuccess);
}

static void add_variable(void **handle, const void *host, const char *name, void **managed)
{
    sim_enter_always();
    struct variable *variable = must(calloc(1, sizeof *variable));
    variable->host = host;
    variable->name = must(strdup(name));
    variable->image = (struct sim_image *)handle;
    variable->managed = managed;
    variable->next = variables;
    variables = variable;
    sim_leave(cudaSuccess);
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_extern,
                       size_t size, int constant, int global)
{
    (void)device, (void)is_extern, (void)size, (void)constant, (void)global;
    add_variable(handle, host, name, NULL);
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                              int is_extern, size_t size, int constant, int global)
{
    (void)device, (void)is_extern, (void)size, (void)constant, (void)global;
    add_variable(handle, host, name, host);
}

/* ---- loading --------------------------------------------------------------------------------- */

/* The host uses managed variables without a call. So their storage gets a second device address,
 * which equals its host address. This address is written to the host program's pointer. */
static void place_managed(const struct sim_image *image)
{
    for (struct variable *variable = variables; variable; variable = variable->next) {
        size_t size;
        uint64_t address;
        if (variable->image != image || !variable->managed ||
            !(address = sim_module_variable(image->module, variable->name, &size)))
            continue;
        void *host = sim_memory_host(address, size);
        if ((uint64_t)host != address)
            sim_memory_register(host, size, SIM_MEMORY_MANAGED);
        *variable->managed = host;
    }
}

/* The PTX of an image, to be freed. That of separately compiled units follows one on the other:
 * ptx_parse() joins them. *found: the newest compute capability among them. */
static char *select_ptx(const struct sim_image *image, int arch, size_t *length, int *found,
                        char *error, size_t error_size)
{
    if (image->text) {
        *length = strlen(image->text);
        *found = arch;
        return strdup(image->text);
    }
    if (!image->units || !image->units[0])
        return sim_fatbin_select(image->container, image->size, SIM_FATBIN_PTX, arch, length, found,
                                 error, error_size);
    char *all = NULL;
    *length = 0;
    *found = 0;
    for (const void *const *unit = image->units; *unit; unit++) {
        size_t more;
        int its_arch;
        char *const text = sim_fatbin_select(*unit, sim_fatbin_size(*unit), SIM_FATBIN_PTX, arch,
                                             &more, &its_arch, error, error_size);
        char *const longer = text ? realloc(all, *length + more + 2) : NULL;
        if (!longer) {
            free(text);
            free(all);
            return NULL;
        }
        all = longer;
        memcpy(all + *length, text, more);
        *length += more;
        memcpy(all + *length, "\n", 2);
        *length += 1;
        *found = its_arch > *found ? its_arch : *found;
        free(text);
    }
    return all;
}

static cudaError_t refuse_ptx(const char *error)
{
    sim_runtime_report("the PTX in this program cannot be used: %s", error);
    sim_note_unsupported(error);
    return cudaErrorInvalidPtx;
}

static cudaError_t load(struct sim_image *image)
{
    char error[512] = "out of memory";
    size_t length;
    int arch = sim_device.compute_major * 10 + sim_device.compute_minor, found;
    char *code = select_ptx(image, arch, &length, &found, error, sizeof error);
    if (!code) {
        sim_runtime_report("%s", error);
        sim_note_unsupported(error);
        return cudaErrorNoKernelImageForDevice;
    }
    image->module = sim_module_load(code, length, error, sizeof error);
    if (found > arch)
        arch = found; /* code for a newer GPU than the profile: only its registers are known */
    if (!image->module)
        return refuse_ptx(error);
    code = image->text ? NULL
                       : sim_fatbin_select(image->container, image->size, SIM_FATBIN_CUBIN, arch,
                                           &length, &found, error, sizeof error);
    if (code && !sim_cubin_read(&image->cubin, code, length, error, sizeof error))
        sim_runtime_report("register counts are not known: %s", error);
    free(code);
    place_managed(image);
    return cudaSuccess;
}

static cudaError_t image_load(struct sim_image *image)
{
    if (image->module || image->failure)
        return image->failure;
    image->failure = image->container || image->text ? load(image) : cudaErrorInvalidKernelImage;
    return image->failure;
}

char __cudaInitModule(void **handle)
{
    sim_enter_always();
    cudaError_t status = image_load((struct sim_image *)handle);
    return sim_leave(status) == cudaSuccess;
}

struct sim_function *sim_function_find(const void *host)
{
    for (struct sim_function *f = *bucket(host); f; f = f->next)
        if (f->host == host)
            return f;
    for (int i = 0; i < BUCKETS; i++) /* a cudaKernel_t is the record itself */
        for (struct sim_function *f = functions[i]; f; f = f->next)
            if ((const void *)f == host)
                return f;
    return NULL;
}

cudaError_t sim_function_load(struct sim_function *function)
{
    if (function->kernel)
        return cudaSuccess;
    char error[512];
    struct sim_image *image = function->image;
    cudaError_t status = image_load(image);
    if (status != cudaSuccess)
        return status;
    function->kernel = sim_module_kernel(image->module, function->name, error, sizeof error);
    if (!function->kernel)
        return error[0] ? refuse_ptx(error) : cudaErrorInvalidDeviceFunction;
    sim_kernel_facts(function->kernel, &function->facts);
    const struct sim_cubin_kernel *compiled = sim_cubin_find(&image->cubin, function->name);
    if (compiled)
        function->compiled = *compiled;
    const size_t length = strlen(function->name);
    for (int i = 0; i < image->cubin.kernel_count; i++) {
        const char *const name = image->cubin.kernels[i].name; /* $KERNEL$FUNCTION */
        if (name[0] == '$' && strncmp(name + 1, function->name, length) == 0 &&
            name[1 + length] == '$')
            sim_kernel_set_frame(function->kernel, name + length + 2,
                                 image->cubin.kernels[i].stack_bytes);
    }
    if (function->max_dynamic_shared < 0) {
        int room = sim_device.shared_per_block - (int)function->facts.shared_bytes;
        function->max_dynamic_shared = room > 0 ? room : 0;
    }
    return cudaSuccess;
}

cudaError_t sim_variable_find(const void *host, uint64_t *address, size_t *size)
{
    for (struct variable *variable = variables; variable; variable = variable->next) {
        bool named = variable->host == host || (variable->managed && *variable->managed == host);
        if (!named || !host)
            continue;
        cudaError_t status = image_load(variable->image);
        if (status != cudaSuccess)
            return status;
        *address = sim_module_variable(variable->image->module, variable->name, size);
        if (!*address)
            return cudaErrorInvalidSymbol;
        if (variable->managed)
            *address = (uint64_t)*variable->managed;
        return cudaSuccess;
    }
    return cudaErrorInvalidSymbol;
}

/* ---- unloading ------------------------------------------------------------------------------- */

static void unload(struct sim_image *image)
{
    sim_global_forget();
    sim_concurrent_forget(); /* the remembered work refers to lines of the module */
    for (struct variable *variable = variables; variable && image->module;
         variable = variable->next)
        if (variable->image == image && variable->managed)
            sim_memory_free((uint64_t)*variable->managed);
    if (image->module)
        sim_module_unload(image->module);
    sim_cubin_free(&image->cubin);
    image->module = NULL;
    image->failure = cudaSuccess;
}

static void drop_functions(const struct sim_image *image)
{
    for (int i = 0; i < BUCKETS; i++)
        for (struct sim_function **link = &functions[i]; *link;) {
            struct sim_function *function = *link;
            if (function->image != image) {
                link = &function->next;
                continue;
            }
            *link = function->next;
            free(function->set);
            free(function->name);
            free(function);
        }
}

static void drop_variables(const struct sim_image *image)
{
    for (struct variable **link = &variables; *link;) {
        struct variable *variable = *link;
        if (variable->image != image) {
            link = &variable->next;
            continue;
        }
        *link = variable->next;
        free(variable->name);
        free(variable);
    }
}

bool sim_image_close(struct sim_image *image)
{
    struct sim_image **link = &images;
    while (*link && *link != image)
        link = &(*link)->next;
    if (!*link)
        return false;
    *link = image->next;
    if (image->module)
        unload(image);
    drop_functions(image);
    drop_variables(image);
    free(image);
    return true;
}

void __cudaUnregisterFatBinary(void **handle)
{
    sim_enter_always();
    sim_image_close((struct sim_image *)handle);
    sim_leave(cudaSuccess);
}

void sim_images_reset(void)
{
    for (int i = 0; i < BUCKETS; i++)
        for (struct sim_function *f = functions[i]; f; f = f->next)
            f->kernel = NULL;
    for (struct sim_image *image = images, *next; image; image = next) {
        next = image->next;
        if (image->is_module)
            sim_image_close(image);
        else if (image->module || image->failure)
            unload(image);
    }
}

/* ---- modules of the driver API --------------------------------------------------------------- */

/* None of these first bytes is 0, so a text that is shorter ends the comparison. */
static bool begins(const void *data, const char *magic)
{
    return strncmp(data, magic, strlen(magic)) == 0;
}

/* Says where the PTX is. */
static cudaError_t find_code(struct sim_image *image, const void *data)
{
    if (begins(data, "\x7f"
                     "ELF")) {
        static const char why[] = "this module is machine code (a cubin), which the simulator does "
                                  "not run: compile it to PTX";
        sim_runtime_report("%s", why);
        sim_note_unsupported(why);
        return cudaErrorNoKernelImageForDevice;
    }
    if (begins(data, "\xb1\x43\x62\x46")) {
        image->container = sim_fatbin_of_wrapper(data, &image->size);
        image->units = sim_fatbin_units(data);
    } else if (begins(data, "\x50\xed\x55\xba")) {
        image->container = data;
        image->size = sim_fatbin_size(data);
    } else {
        image->text = data;
    }
    return cudaSuccess;
}

struct sim_image *sim_image_open(const void *data, cudaError_t *status)
{
    struct sim_image *const image = must(calloc(1, sizeof *image));
    image->is_module = true;
    image->next = images;
    images = image;
    *status = find_code(image, data);
    if (!*status)
        *status = image_load(image);
    image->text = NULL; /* the caller's, as what follows */
    image->container = NULL;
    image->units = NULL;
    if (*status)
        sim_image_close(image);
    return *status ? NULL : image;
}

bool sim_image_is_module(const struct sim_image *image)
{
    for (const struct sim_image *live = images; live; live = live->next)
        if (live == image)
            return live->is_module;
    return false;
}

struct sim_function *sim_image_function(struct sim_image *image, const char *name,
                                        cudaError_t *status)
{
    struct sim_function *function = NULL;
    for (int i = 0; i < BUCKETS && !function; i++)
        for (function = functions[i]; function; function = function->next)
            if (function->image == image && strcmp(function->name, name) == 0)
                break;
    const bool is_new = !function;
    if (is_new)
        function = add_function(image, NULL, name);
    *status = sim_function_load(function);
    if (*status && is_new) {
        *bucket(function) = function->next;
        free(function->name);
        free(function);
    }
    return *status ? NULL : function;
}

uint64_t sim_image_variable(struct sim_image *image, const char *name, size_t *size)
{
    return sim_module_variable(image->module, name, size);
}
