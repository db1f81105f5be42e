/* Dynamic parallelism: the functions of the device's runtime by which threads launch kernels, copy
 * and fill. All that a kernel asks for is done, in order, when it has ended: in this version of the
 * runtime (CDP2) no thread can wait for it. Streams and events, which only take order away, are
 * names without effect. */
#include "control.h"

#include "sim/access/access.h"
#include "sim/decoding/decode.h"
#include "sim/memory/memory.h"

#include <stdlib.h>
#include <string.h>

/* CUDA's: cudaErrorMemoryAllocation, cudaErrorInvalidConfiguration, cudaStreamTailLaunch. */
enum { MEMORY_ALLOCATION = 2, INVALID_CONFIGURATION = 9, TAIL_LAUNCH = 3 };

static uint64_t argument(const struct warp *warp, const struct instruction *at, int index,
                         uint32_t lane)
{
    return sim_call_argument(warp, at, index, 0, lane);
}

static void store(struct warp *warp, const struct instruction *at, uint32_t lane, uint64_t address,
                  uint64_t value, unsigned bytes)
{
    sim_lane_write(warp, at, (int)lane, address, &value, bytes);
    sim_call_result(warp, at, lane, 0);
}

/* A place in the list, which is locked; NULL: no memory, and nothing is locked. */
static struct sim_child *add(struct warp *warp, const struct instruction *at)
{
    struct sim_children *const children = warp->worker->launch->request->children;
    if (!children)
        sim_fault(warp, at, __builtin_ctz(warp->active), SIM_UNSUPPORTED, 0,
                  "kernels that launch kernels run by the CUDA runtime alone");
    pthread_mutex_lock(&children->lock);
    if (children->count == children->capacity) {
        const size_t capacity = 2 * children->capacity + 64;
        struct sim_child *const list = realloc(children->list, capacity * sizeof *list);
        if (!list) {
            pthread_mutex_unlock(&children->lock);
            return NULL;
        }
        children->list = list;
        children->capacity = capacity;
    }
    struct sim_child *const child = &children->list[children->count++];
    *child = (struct sim_child){.block_number = warp->worker->block_number};
    return child;
}

static void unlock(const struct warp *warp)
{
    pthread_mutex_unlock(&warp->worker->launch->request->children->lock);
}

/* ---- Kernels ---- */

static const struct ptx_function *kernel_at(const struct warp *warp, uint64_t address)
{
    const struct ptx_module *const module = warp->worker->launch->request->kernel->module->ptx;
    const uint64_t index = (address - FUNCTION_WINDOW) / FUNCTION_STRIDE - 1;
    if (address % FUNCTION_STRIDE != 0 || index >= (uint64_t)module->function_count)
        return NULL;
    const struct ptx_function *const function = &module->functions[index];
    return function->is_entry && function->has_body ? function : NULL;
}

/* (kernel, grid, block, bytes of shared memory): where its parameters go. */
static void get_parameter_buffer(struct warp *warp, const struct instruction *at)
{
    EACH_ACTIVE(lane, warp->active)
    {
        const uint64_t address = argument(warp, at, 0, lane);
        const struct ptx_function *const kernel = kernel_at(warp, address);
        if (!kernel)
            sim_fault(warp, at, (int)lane, SIM_OUT_OF_BOUNDS, address,
                      "launch of a kernel through a pointer that is no kernel (0x%llx)",
                      (unsigned long long)address);
        struct sim_child *const child = add(warp, at);
        const uint64_t memory =
            child ? sim_memory_allocate(SIM_CHILD_HEAD + kernel->param_bytes + 8, SIM_MEMORY_SYMBOL,
                                        "the parameters of a launch")
                  : 0;
        if (memory) {
            const size_t place = (size_t)(child - warp->worker->launch->request->children->list);
            memcpy(sim_memory_host(memory, sizeof place), &place, sizeof place);
            child->kernel = kernel->name;
            child->parameters = memory + SIM_CHILD_HEAD;
            child->dynamic_shared = (size_t)argument(warp, at, 3, lane);
            for (int i = 0; i < 3; i++) {
                child->grid[i] = (unsigned)sim_call_argument(warp, at, 1, 4 * i, lane);
                child->block[i] = (unsigned)sim_call_argument(warp, at, 2, 4 * i, lane);
            }
        }
        if (child)
            unlock(warp);
        sim_call_result(warp, at, lane, memory ? memory + SIM_CHILD_HEAD : 0);
    }
}

static unsigned thread_number(const struct warp *warp, uint32_t lane)
{
    return warp->index * WARP_LANES + lane;
}

/* (parameters, stream) */
static void launch_device(struct warp *warp, const struct instruction *at)
{
    struct sim_children *const children = warp->worker->launch->request->children;
    EACH_ACTIVE(lane, warp->active)
    {
        const uint64_t parameters = argument(warp, at, 0, lane);
        const size_t *const place = sim_memory_host(parameters - SIM_CHILD_HEAD, sizeof *place);
        if (!place || !children || *place >= children->count ||
            children->list[*place].parameters != parameters)
            sim_fault(warp, at, (int)lane, SIM_OUT_OF_BOUNDS, parameters,
                      "a launch with parameters at 0x%llx, which are not those of a launch",
                      (unsigned long long)parameters);
        pthread_mutex_lock(&children->lock);
        struct sim_child *const child = &children->list[*place];
        const bool is_possible =
            child->grid[0] && child->grid[1] && child->grid[2] && child->block[0] &&
            child->block[1] && child->block[2] &&
            (uint64_t)child->block[0] * child->block[1] * child->block[2] <= MAX_BLOCK_THREADS;
        if (is_possible)
            child->asked = ++children->asked;
        else
            children->refused++;
        child->refused_thread = is_possible ? 0 : 1 + thread_number(warp, lane);
        child->is_tail = argument(warp, at, 1, lane) == TAIL_LAUNCH;
        pthread_mutex_unlock(&children->lock);
        sim_call_result(warp, at, lane, is_possible ? 0 : INVALID_CONFIGURATION);
    }
}

/* ---- Copies and fills ---- */

static void enqueue(struct warp *warp, const struct instruction *at, uint32_t lane,
                    struct sim_child wanted, uint64_t stream)
{
    struct sim_child *const child = add(warp, at);
    if (child) {
        wanted.block_number = child->block_number;
        wanted.is_tail = stream == TAIL_LAUNCH;
        wanted.asked = ++warp->worker->launch->request->children->asked;
        *child = wanted;
        unlock(warp);
    }
    sim_call_result(warp, at, lane, child ? 0 : MEMORY_ALLOCATION);
}

/* (to, from, bytes, kind, stream) */
static void memcpy_async(struct warp *warp, const struct instruction *at)
{
    EACH_ACTIVE(lane, warp->active)
    {
        const size_t bytes = (size_t)argument(warp, at, 2, lane);
        const struct sim_child copy = {.to = argument(warp, at, 0, lane),
                                       .from = argument(warp, at, 1, lane),
                                       .to_pitch = bytes,
                                       .from_pitch = bytes,
                                       .width = bytes,
                                       .rows = 1};
        enqueue(warp, at, lane, copy, argument(warp, at, 4, lane));
    }
}

/* (to, its pitch, from, its pitch, bytes of a row, rows, kind, stream) */
static void memcpy_2d_async(struct warp *warp, const struct instruction *at)
{
    EACH_ACTIVE(lane, warp->active)
    {
        const struct sim_child copy = {.to = argument(warp, at, 0, lane),
                                       .to_pitch = (size_t)argument(warp, at, 1, lane),
                                       .from = argument(warp, at, 2, lane),
                                       .from_pitch = (size_t)argument(warp, at, 3, lane),
                                       .width = (size_t)argument(warp, at, 4, lane),
                                       .rows = (size_t)argument(warp, at, 5, lane)};
        enqueue(warp, at, lane, copy, argument(warp, at, 7, lane));
    }
}

/* (to, value, bytes, stream) */
static void memset_async(struct warp *warp, const struct instruction *at)
{
    EACH_ACTIVE(lane, warp->active)
    {
        const size_t bytes = (size_t)argument(warp, at, 2, lane);
        const struct sim_child fill = {.to = argument(warp, at, 0, lane),
                                       .to_pitch = bytes,
                                       .width = bytes,
                                       .rows = 1,
                                       .value = (int)argument(warp, at, 1, lane)};
        enqueue(warp, at, lane, fill, argument(warp, at, 3, lane));
    }
}

/* (to, its pitch, value, bytes of a row, rows, stream) */
static void memset_2d_async(struct warp *warp, const struct instruction *at)
{
    EACH_ACTIVE(lane, warp->active)
    {
        const struct sim_child fill = {.to = argument(warp, at, 0, lane),
                                       .to_pitch = (size_t)argument(warp, at, 1, lane),
                                       .value = (int)argument(warp, at, 2, lane),
                                       .width = (size_t)argument(warp, at, 3, lane),
                                       .rows = (size_t)argument(warp, at, 4, lane)};
        enqueue(warp, at, lane, fill, argument(warp, at, 5, lane));
    }
}

/* ---- The rest ---- */

static void succeed(struct warp *warp, const struct instruction *at)
{
    EACH_ACTIVE(lane, warp->active)
    sim_call_result(warp, at, lane, 0);
}

/* The error of a launch that this thread has asked for, and forgets it if that is wanted. */
static void find_error(struct warp *warp, const struct instruction *at, bool forgets)
{
    struct sim_children *const children = warp->worker->launch->request->children;
    EACH_ACTIVE(lane, warp->active)
    {
        uint64_t error = 0;
        if (children)
            pthread_mutex_lock(&children->lock);
        for (size_t i = 0; children && children->refused && i < children->count; i++) {
            struct sim_child *const child = &children->list[i];
            if (child->block_number != warp->worker->block_number ||
                child->refused_thread != 1 + thread_number(warp, lane))
                continue;
            error = INVALID_CONFIGURATION;
            if (forgets)
                child->refused_thread = 0;
        }
        if (children)
            pthread_mutex_unlock(&children->lock);
        sim_call_result(warp, at, lane, error);
    }
}

static void get_last_error(struct warp *warp, const struct instruction *at)
{
    find_error(warp, at, true);
}

static void peek_at_last_error(struct warp *warp, const struct instruction *at)
{
    find_error(warp, at, false);
}

/* (where the handle of a stream or event goes, flags) */
static void create(struct warp *warp, const struct instruction *at)
{
    enum { ANY_HANDLE = 0x100 };
    EACH_ACTIVE(lane, warp->active)
    store(warp, at, lane, argument(warp, at, 0, lane), ANY_HANDLE, 8);
}

static void get_device(struct warp *warp, const struct instruction *at)
{
    EACH_ACTIVE(lane, warp->active)
    store(warp, at, lane, argument(warp, at, 0, lane), 0, 4);
}

static void get_device_count(struct warp *warp, const struct instruction *at)
{
    EACH_ACTIVE(lane, warp->active)
    store(warp, at, lane, argument(warp, at, 0, lane), 1, 4);
}

/* (where the address goes, bytes) */
static void malloc_to(struct warp *warp, const struct instruction *at)
{
    EACH_ACTIVE(lane, warp->active)
    {
        const uint64_t bytes = argument(warp, at, 1, lane);
        const uint64_t address = bytes ? sim_heap_allocate(bytes) : 0;
        store(warp, at, lane, argument(warp, at, 0, lane), address, 8);
        if (bytes && !address)
            sim_call_result(warp, at, lane, MEMORY_ALLOCATION);
    }
}

/* (the condition of a node of a graph, its value). A condition's name is its address; all threads
 * may set it to the same. */
static void set_conditional(struct warp *warp, const struct instruction *at)
{
    EACH_ACTIVE(lane, warp->active)
    {
        const uint64_t condition = argument(warp, at, 0, lane);
        unsigned *const value = sim_memory_host(condition, sizeof *value);
        if (!value)
            sim_fault(warp, at, (int)lane, SIM_OUT_OF_BOUNDS, condition,
                      "cudaGraphSetConditional of 0x%llx, which is no graph's condition",
                      (unsigned long long)condition);
        __atomic_store_n(value, (unsigned)argument(warp, at, 1, lane), __ATOMIC_RELAXED);
    }
}

const struct system_call *sim_find_device_call(const char *name)
{
    static const struct system_call calls[] = {
        {"GetParameterBufferV2", get_parameter_buffer},
        {"LaunchDeviceV2", launch_device},
        {"MemcpyAsync", memcpy_async},
        {"Memcpy2DAsync", memcpy_2d_async},
        {"MemsetAsync", memset_async},
        {"Memset2DAsync", memset_2d_async},
        {"StreamCreateWithFlags", create},
        {"StreamDestroy", succeed},
        {"StreamWaitEvent", succeed},
        {"EventCreateWithFlags", create},
        {"EventRecord", succeed},
        {"EventRecordWithFlags", succeed},
        {"EventDestroy", succeed},
        {"GetLastError", get_last_error},
        {"PeekAtLastError", peek_at_last_error},
        {"GetDevice", get_device},
        {"GetDeviceCount", get_device_count},
        {"Malloc", malloc_to},
        {"Free", sim_run_free},
    };
    static const struct system_call conditional = {"cudaGraphSetConditional", set_conditional};
    static const char prefix[] = "__cudaCDP2";
    if (strcmp(name, conditional.name) == 0)
        return &conditional;
    if (strncmp(name, prefix, strlen(prefix)) != 0)
        return NULL;
    const char *const own = name + strlen(prefix);
    const char *const form = strstr(own, "_ptsz"); /* by the host thread's own default stream */
    const size_t length = form ? (size_t)(form - own) : strlen(own);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        if (strlen(calls[i].name) == length && memcmp(calls[i].name, own, length) == 0)
            return &calls[i];
    return NULL;
}
