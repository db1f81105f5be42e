/* Launching kernels: the calls that <<<...>>> becomes, what a GPU refuses, and what is reported
 * when a kernel fails. A kernel has run to its end, or to its fault, when the launch returns. As on
 * a GPU, the next call returns the fault; with CUDA_LAUNCH_BLOCKING=1 the launch itself does. */
#include "order.h"
#include "graph.h"
#include "runtime.h"

#include "sim/counting/count.h"
#include "sim/launch/launch.h"
#include "sim/memory/names.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The limits on arguments are for a launch in a graph; CUDA allows as many bytes. */
enum { NESTED_LAUNCHES = 16, MOST_ARGUMENTS = 4096, MOST_ARGUMENT_BYTES = 32764 };

/* What stands between <<< and >>>. */
struct configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    bool is_cooperative;
    bool is_early;       /**< may begin before the stream's previous kernel has ended */
    unsigned cluster[3]; /**< in blocks; 0: as the kernel requires */
};

/* nvcc's code pushes a configuration in one call and pops it in the next. Configurations nest when
 * the computation of an argument also launches a kernel. */
static _Thread_local struct configuration pending[NESTED_LAUNCHES];
static _Thread_local int pending_count;

/* What lab_sim.h reports, for the whole process; the API lock guards both. */
static struct sim_outcome last_outcome;
static struct lab_sim_totals totals;

#pragma GCC visibility push(default)
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared, cudaStream_t stream);
#pragma GCC visibility pop

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
    if (pending_count == NESTED_LAUNCHES)
        return 1; /* nvcc's code then leaves the launch out, as with the real library */
    pending[pending_count++] =
        (struct configuration){grid, block, shared, stream, false, false, {0}};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    if (pending_count == 0)
        return cudaErrorMissingConfiguration;
    const struct configuration *top = &pending[--pending_count];
    *grid = top->grid;
    *block = top->block;
    *shared = top->shared;
    *(cudaStream_t *)stream = top->stream;
    return cudaSuccess;
}

/* ---- what a GPU refuses ---------------------------------------------------------------------- */

/* The C++ runtime has this function, but no header for C. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

/* Notes why a launch is refused, for lab_sim_last_outcome(), and prints it. */
static cudaError_t __attribute__((format(printf, 3, 4)))
refuse(const struct sim_function *function, cudaError_t status, const char *format, ...)
{
    last_outcome = (struct sim_outcome){.status = SIM_BAD_LAUNCH};
    char *name = __cxa_demangle(function->name, NULL, NULL, NULL);
    snprintf(last_outcome.kernel, sizeof last_outcome.kernel, "%s", name ? name : function->name);
    free(name);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_outcome.message, sizeof last_outcome.message, format, arguments);
    va_end(arguments);
    sim_runtime_report("launch of %s refused: %s", last_outcome.kernel, last_outcome.message);
    sim_summary_finding(&last_outcome);
    return status;
}

static cudaError_t check_shape(const struct sim_function *function, dim3 grid, dim3 block)
{
    const unsigned threads = block.x * block.y * block.z;
    char why[200];
    if (!sim_shape_allowed((unsigned[]){grid.x, grid.y, grid.z},
                           (unsigned[]){block.x, block.y, block.z}, function->facts.max_threads,
                           why, sizeof why))
        return refuse(function, cudaErrorInvalidValue, "%s", why);
    if ((int)threads > sim_function_max_threads(function))
        return refuse(function, cudaErrorLaunchOutOfResources,
                      "%d threads of %d registers; an SM's %d registers hold %d such threads",
                      (int)threads, function->compiled.registers, sim_device.registers_per_block,
                      sim_function_max_threads(function));
    return cudaSuccess;
}

/* How many blocks of a launch `sm_count` SMs run at the same time. */
static int resident_blocks(const struct sim_function *function, const struct configuration *how,
                           int sm_count)
{
    const int threads = (int)(how->block.x * how->block.y * how->block.z);
    const int each = sim_function_resident_blocks(function, threads, how->shared);
    return each > 0 ? each * sm_count : 0;
}

/* Refuses clusters of a size that the kernel or the GPU does not take. */
static cudaError_t check_cluster(const struct sim_function *function,
                                 const struct configuration *how, const unsigned cluster[3])
{
    const unsigned grid[] = {how->grid.x, how->grid.y, how->grid.z};
    const int *const required = sim_function_cluster(function);
    const unsigned size = cluster[0] * cluster[1] * cluster[2];
    const int most = sim_function_cluster_limit(function);
    for (int i = 0; i < 3 && required[0]; i++)
        if (cluster[i] != (required[i] ? (unsigned)required[i] : 1))
            return refuse(function, cudaErrorInvalidClusterSize,
                          "clusters of (%u, %u, %u) blocks, but the kernel requires (%d, %d, %d)",
                          cluster[0], cluster[1], cluster[2], required[0], required[1],
                          required[2]);
    if (size > (unsigned)most)
        return refuse(function, cudaErrorInvalidClusterSize,
                      most == 1 ? "clusters of %u blocks; this GPU has none, which begin with "
                                  "compute capability 9.0 (at most %d)"
                                : "clusters of %u blocks; a cluster has at most %d "
                                  "(cudaFuncAttributeNonPortableClusterSizeAllowed: 16)",
                      size, most);
    for (int i = 0; i < 3; i++)
        if (grid[i] % cluster[i] != 0)
            return refuse(function, cudaErrorInvalidClusterSize,
                          "%u blocks along %c, which is no multiple of the cluster's %u", grid[i],
                          "xyz"[i], cluster[i]);
    if (size > 1 && how->is_cooperative) {
        sim_runtime_report("a cooperative launch of clusters is not implemented");
        return cudaErrorNotSupported;
    }
    return cudaSuccess;
}

/* Sets the clusters that a launch does not name to what the kernel requires. */
static void complete_cluster(const struct sim_function *function, struct configuration *how)
{
    const int *const required = sim_function_cluster(function);
    const bool is_named = how->cluster[0] > 0;
    for (int i = 0; i < 3 && required[0] && !is_named; i++)
        how->cluster[i] = required[i] ? (unsigned)required[i] : 1;
}

static cudaError_t check_launch(const struct sim_function *function,
                                const struct configuration *how, void **arguments)
{
    cudaError_t status = check_shape(function, how->grid, how->block);
    if (status == cudaSuccess && how->cluster[0])
        status = check_cluster(function, how, how->cluster);
    if (status != cudaSuccess)
        return status;
    size_t fixed = function->facts.shared_bytes, most = (size_t)sim_device.shared_per_block_optin;
    if (how->shared > (size_t)function->max_dynamic_shared || fixed + how->shared > most)
        return refuse(function, cudaErrorInvalidValue,
                      "%zu bytes of dynamic shared memory; allowed are %d, or up to %zu after "
                      "cudaFuncSetAttribute(..., cudaFuncAttributeMaxDynamicSharedMemorySize, ...)",
                      how->shared, function->max_dynamic_shared, fixed < most ? most - fixed : 0);
    const uint64_t blocks = (uint64_t)how->grid.x * how->grid.y * how->grid.z;
    const int resident =
        how->is_cooperative ? resident_blocks(function, how, sim_device.sm_count) : 0;
    if (how->is_cooperative && blocks > (uint64_t)resident)
        return refuse(function, cudaErrorCooperativeLaunchTooLarge,
                      "%" PRIu64 " blocks in a cooperative launch, of which all have to run at the "
                      "same time; this GPU runs %d of them (cudaOccupancyMaxActiveBlocksPer"
                      "Multiprocessor says how many an SM does)",
                      blocks, resident);
    if (function->facts.param_count > 0 && !arguments)
        return refuse(function, cudaErrorInvalidValue, "it takes %d arguments and was given none",
                      function->facts.param_count);
    return cudaSuccess;
}

/* ---- what happened --------------------------------------------------------------------------- */

static cudaError_t error_of(enum sim_status status)
{
    switch (status) {
    case SIM_OK:
        return cudaSuccess;
    case SIM_OUT_OF_BOUNDS:
        return cudaErrorIllegalAddress;
    case SIM_MISALIGNED:
        return cudaErrorMisalignedAddress;
    case SIM_ASSERT:
        return cudaErrorAssert;
    case SIM_UNSUPPORTED:
        return cudaErrorNotSupported;
    case SIM_TIMEOUT:
        return cudaErrorLaunchTimeout;
    case SIM_BAD_LAUNCH:
        return cudaErrorInvalidValue;
    case SIM_DIVERGENT_BARRIER:
    case SIM_TRAP:
    case SIM_UNINITIALIZED:
    case SIM_INPUT_MODIFIED:
    case SIM_RACE:
    case SIM_UNORDERED_SUM:
        break;
    }
    return cudaErrorLaunchFailure;
}

/* Says how to run a program without this check. Faults that a GPU also reports cannot be switched
 * off. */
static const char *switch_of(enum sim_status status)
{
    const bool has_option = sim_summary_is_wanted();
    switch (status) {
    case SIM_RACE:
        return has_option ? "\n    (--check no-race leaves this check out)"
                          : "\n    (LAB_SIM_CHECKS=no-race leaves this check out)";
    case SIM_UNINITIALIZED:
        return has_option ? "\n    (--check no-uninitialized leaves this check out)"
                          : "\n    (LAB_SIM_CHECKS=no-uninitialized leaves this check out)";
    default:
        return "";
    }
}

static const char *line_advice(const struct sim_outcome *outcome)
{
    return outcome->line == 0 && outcome->status != SIM_BAD_LAUNCH
               ? "\n    (built with -lineinfo, nvcc says at which line)"
               : "";
}

static void report(const struct sim_outcome *outcome)
{
    char place[sizeof outcome->file + 32] = "", address[32] = "";
    if (outcome->file[0])
        snprintf(place, sizeof place, " at %s:%d", ptx_shown_path(outcome->file), outcome->line);
    if (outcome->status == SIM_OUT_OF_BOUNDS || outcome->status == SIM_MISALIGNED)
        snprintf(address, sizeof address, ", address 0x%" PRIx64, outcome->address);
    sim_runtime_report(
        "kernel %s failed%s\n    block (%u, %u, %u), thread (%u, %u, %u)%s\n    %s%s%s",
        outcome->kernel, place, outcome->block[0], outcome->block[1], outcome->block[2],
        outcome->thread[0], outcome->thread[1], outcome->thread[2], address, outcome->message,
        switch_of(outcome->status), line_advice(outcome));
    sim_summary_finding(outcome);
}

/* Reports a race between works of several streams. It has no block or thread to name. */
static void report_streams(const struct sim_outcome *outcome)
{
    sim_runtime_report("%s%s%s", outcome->message, switch_of(outcome->status),
                       outcome->kernel[0] ? line_advice(outcome) : "");
    sim_summary_finding(outcome);
}

cudaError_t sim_copy_ends(const char *call, const struct sim_footprint *footprint)
{
    struct sim_outcome outcome = {.status = SIM_OK};
    sim_host_after_work(NULL);
    if (!footprint || !sim_concurrent_end(call, NULL, &outcome))
        return cudaSuccess;
    last_outcome = outcome;
    report_streams(&outcome);
    sim_set_fault(error_of(outcome.status));
    return cudaErrorLaunchFailure;
}

/* `format` takes the name of what is at `address`, then the name of the call. */
static void fail_copy(enum sim_status status, const char *call, uint64_t address,
                      const char *format)
{
    char what[300];
    sim_name_global(address, 4, what, sizeof what);
    last_outcome = (struct sim_outcome){.status = status, .address = address};
    snprintf(last_outcome.message, sizeof last_outcome.message, format, what, call);
    sim_runtime_report("%s%s", last_outcome.message, switch_of(status));
    sim_summary_finding(&last_outcome);
    sim_set_fault(error_of(status));
}

void sim_copy_fails(const char *call, uint64_t address)
{
    fail_copy(SIM_UNINITIALIZED, call, address,
              "uninitialized read of %s by %s: nothing that it copies has been written");
}

void sim_copy_overlaps(const char *call, uint64_t address)
{
    fail_copy(SIM_RACE, call, address,
              "race on %s: %s reads it and writes it, for its source and its target overlap, and a "
              "copy on the device goes on in any order; copy by way of other memory");
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Memory for the barrier of a cooperative launch: a size and a counter, both 0. */
static uint64_t begin_grid_barrier(void)
{
    enum { BYTES = 8 };
    const uint64_t address =
        sim_memory_allocate(BYTES, SIM_MEMORY_SYMBOL, "the barrier of the grid");
    if (address)
        memset(sim_memory_host(address, BYTES), 0, BYTES);
    return address;
}

static bool has_opcode(const struct program *program, const char *opcode)
{
    for (int f = 0; f < program->function_count; f++) {
        const struct ptx_function *const ptx =
            program->functions[f] ? program->functions[f]->ptx : NULL;
        for (int i = 0; ptx && i < ptx->instruction_count; i++)
            if (strcmp(ptx->instructions[i].opcode, opcode) == 0)
                return true;
    }
    return false;
}

/* If kernels of one stream may overlap, they are compared as kernels of several streams are. */
static struct sim_footprint *begin_work(const struct sim_function *function,
                                        const struct configuration *how)
{
    const struct program *const program = function->kernel->program;
    if (how->is_early || has_opcode(program, "griddepcontrol.launch_dependents"))
        sim_concurrent_want();
    return sim_stream_work(how->stream, function->kernel->title);
}

/* ---- what kernels launch themselves ---------------------------------------------------------- */

static cudaError_t execute(struct sim_function *function, const struct configuration *how,
                           void **arguments, struct sim_footprint *footprint);

/* Block by block, each thread's in the order in which it asked; tail launches come last. */
static int compare_children(const void *a, const void *b)
{
    const struct sim_child *const one = a, *const other = b;
    if (one->is_tail != other->is_tail)
        return one->is_tail ? 1 : -1;
    if (one->block_number != other->block_number)
        return one->block_number < other->block_number ? -1 : 1;
    return one->asked < other->asked ? -1 : one->asked > other->asked;
}

static cudaError_t run_child(const struct sim_function *parent, const struct sim_child *child,
                             cudaStream_t stream)
{
    cudaError_t status;
    if (!child->kernel && child->from)
        return cudaMemcpy2DAsync((void *)child->to, child->to_pitch, (const void *)child->from,
                                 child->from_pitch, child->width, child->rows, cudaMemcpyDefault,
                                 stream);
    if (!child->kernel)
        return cudaMemset2DAsync((void *)child->to, child->to_pitch, child->value, child->width,
                                 child->rows, stream);
    struct sim_function *const function = sim_image_function(parent->image, child->kernel, &status);
    if (!function)
        return status;
    const struct ptx_function *const ptx = function->kernel->ptx;
    struct configuration how = {{child->grid[0], child->grid[1], child->grid[2]},
                                {child->block[0], child->block[1], child->block[2]},
                                child->dynamic_shared,
                                stream,
                                false,
                                false,
                                {0}};
    char *const parameters = sim_memory_host(child->parameters, 1);
    void **const arguments = calloc((size_t)ptx->param_count + 1, sizeof *arguments);
    for (int i = 0; arguments && i < ptx->param_count; i++)
        arguments[i] = parameters + ptx->params[i].offset;
    complete_cluster(function, &how);
    status = arguments ? check_launch(function, &how, arguments) : cudaErrorMemoryAllocation;
    if (status == cudaSuccess)
        status = execute(function, &how, arguments, begin_work(function, &how));
    free(arguments);
    return status;
}

/* Does what a kernel has asked for, unless it has failed, until something fails. */
static cudaError_t end_children(const struct sim_function *parent, struct sim_children *children,
                                cudaStream_t stream, cudaError_t status)
{
    if (children->count > 1)
        qsort(children->list, children->count, sizeof *children->list, compare_children);
    for (size_t i = 0; i < children->count; i++) {
        const struct sim_child *const child = &children->list[i];
        if (child->asked && status == cudaSuccess && last_outcome.status == SIM_OK)
            status = run_child(parent, child, stream);
        if (child->parameters)
            sim_memory_free(child->parameters - SIM_CHILD_HEAD);
    }
    free(children->list);
    return status;
}

/* Runs a kernel. Its fault is kept for later calls. The launch itself fails only if the kernel
 * could not run as on a GPU, or with CUDA_LAUNCH_BLOCKING. */
static cudaError_t execute(struct sim_function *function, const struct configuration *how,
                           void **arguments, struct sim_footprint *footprint)
{
    const int threads = (int)(how->block.x * how->block.y * how->block.z);
    struct sim_children children = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct cache_machine caches;
    sim_summary_launch(function);
    if (sim_count_is_on())
        caches = sim_launch_caches(function, threads, how->shared);
    const uint64_t barrier = how->is_cooperative ? begin_grid_barrier() : 0;
    if (how->is_cooperative && !barrier)
        return cudaErrorMemoryAllocation;
    struct sim_launch launch = {
        .kernel = function->kernel,
        .grid = {how->grid.x, how->grid.y, how->grid.z},
        .block = {how->block.x, how->block.y, how->block.z},
        .cluster = {how->cluster[0], how->cluster[1], how->cluster[2]},
        .dynamic_shared = how->shared,
        .args = arguments,
        .sm_count = sim_device.sm_count,
        .stack_bytes = sim_stack_limit(),
        .registers = function->compiled.registers,
        /* The whole GPU counts, not the slice: a kernel whose blocks fit there is right. */
        .resident = (uint64_t)resident_blocks(function, how, sim_device.whole_sm_count),
        .grid_barrier = barrier,
        .caches = sim_count_is_on() ? &caches : NULL,
        .gpu = &sim_device,
        .footprint = footprint,
        .children = &children,
        .beside = how->is_early && footprint ? sim_concurrent_earlier() : NULL};
    double start = now();
    last_outcome = (struct sim_outcome){0};
    sim_execute(&launch, &last_outcome);
    sim_host_after_work(function->kernel->title);
    if (barrier)
        sim_memory_free(barrier);
    totals.seconds += now() - start;
    totals.launches++;
    totals.warp_instructions += last_outcome.warp_instructions;
    totals.thread_instructions += last_outcome.thread_instructions;
    const bool races =
        footprint && last_outcome.status == SIM_OK &&
        sim_concurrent_end(function->kernel->title, function->kernel->program, &last_outcome);
    cudaError_t status = error_of(last_outcome.status);
    if (status == cudaSuccess)
        return end_children(function, &children, how->stream, status);
    end_children(function, &children, how->stream, status);
    if (races)
        report_streams(&last_outcome);
    else
        report(&last_outcome);
    if (last_outcome.status == SIM_BAD_LAUNCH)
        return status;
    sim_set_fault(status);
    const char *blocking = getenv("CUDA_LAUNCH_BLOCKING");
    bool at_once = last_outcome.status == SIM_UNSUPPORTED || (blocking && atoi(blocking) != 0);
    return at_once ? status : cudaSuccess;
}

/* A launch in a graph, with the values that the arguments had at its capture. */
struct kernel_node {
    const void *host;
    struct configuration how;
    char arguments[MOST_ARGUMENT_BYTES] __attribute__((aligned(16))); /* packed one after another */
};

static sim_node_run run_kernel;

/* Whether the launch becomes a node. */
static bool capture(const struct sim_function *function, const struct configuration *how,
                    void **arguments, cudaError_t *status)
{
    static struct kernel_node node;
    const struct sim_kernel_facts *const facts = &function->facts;
    size_t bytes = 0;
    node.host = function->host;
    node.how = *how;
    for (int i = 0; i < facts->param_count; i++) {
        if (i == MOST_ARGUMENTS || facts->param_sizes[i] > MOST_ARGUMENT_BYTES - bytes) {
            *status = cudaErrorInvalidValue;
            return true;
        }
        memcpy(node.arguments + bytes, arguments[i], facts->param_sizes[i]);
        bytes += facts->param_sizes[i];
    }
    return sim_capture_node(how->stream, cudaGraphNodeTypeKernel, run_kernel, &node,
                            offsetof(struct kernel_node, arguments) + bytes, status);
}

static cudaError_t launch(struct sim_function *function, struct configuration *how,
                          void **arguments)
{
    if (!function || !sim_stream_valid(how->stream))
        return cudaErrorInvalidResourceHandle;
    cudaError_t status = sim_function_load(function);
    if (status == cudaSuccess) {
        complete_cluster(function, how);
        status = check_launch(function, how, arguments);
    }
    if (status != cudaSuccess || capture(function, how, arguments, &status))
        return status;
    return execute(function, how, arguments, begin_work(function, how));
}

/* Where the arguments of a node are. */
static void find_arguments(const struct kernel_node *node, const struct sim_function *function,
                           void **arguments)
{
    const char *next = node->arguments;
    for (int i = 0; i < function->facts.param_count; i++) {
        arguments[i] = (void *)next;
        next += function->facts.param_sizes[i];
    }
}

static cudaError_t run_kernel(const void *data, cudaStream_t stream)
{
    const struct kernel_node *const node = data;
    struct sim_function *const function = sim_function_find(node->host);
    struct configuration how = node->how;
    void *arguments[MOST_ARGUMENTS];
    if (!function)
        return cudaErrorInvalidResourceHandle;
    find_arguments(node, function, arguments);
    how.stream = stream;
    return launch(function, &how, arguments);
}

void sim_kernel_node_get(const void *data, struct cudaKernelNodeParams *parameters)
{
    const struct kernel_node *const node = data;
    *parameters = (struct cudaKernelNodeParams){.func = (void *)node->host,
                                                .gridDim = node->how.grid,
                                                .blockDim = node->how.block,
                                                .sharedMemBytes = (unsigned)node->how.shared};
}

void **sim_kernel_node_arguments(const void *data)
{
    const struct kernel_node *const node = data;
    const struct sim_function *const function = sim_function_find(node->host);
    void **const arguments = calloc(MOST_ARGUMENTS, sizeof *arguments);
    if (arguments && function)
        find_arguments(node, function, arguments);
    return arguments;
}

/* ---- the calls ------------------------------------------------------------------------------- */

cudaError_t cudaLaunchKernel(const void *host, dim3 grid, dim3 block, void **arguments,
                             size_t shared, cudaStream_t stream)
{
    struct configuration how = {grid, block, shared, stream, false, false, {0}};
    cudaError_t status = sim_enter();
    return sim_leave(status ? status : launch(sim_function_find(host), &how, arguments));
}
SIM_PER_THREAD_STREAM(cudaLaunchKernel, _ptsz);

cudaError_t cudaLaunchCooperativeKernel(const void *host, dim3 grid, dim3 block, void **arguments,
                                        size_t shared, cudaStream_t stream)
{
    struct configuration how = {grid, block, shared, stream, true, false, {0}};
    cudaError_t status = sim_enter();
    return sim_leave(status ? status : launch(sim_function_find(host), &how, arguments));
}
SIM_PER_THREAD_STREAM(cudaLaunchCooperativeKernel, _ptsz);

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared, cudaStream_t stream)
{
    struct configuration how = {grid, block, shared, stream, false, false, {0}};
    cudaError_t status = sim_enter();
    return sim_leave(status ? status : launch((struct sim_function *)kernel, &how, arguments));
}
SIM_PER_THREAD_STREAM(__cudaLaunchKernel, _ptsz);

/* Gives the handle even if the code cannot be used. The launch then says why not. */
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
    sim_enter_always();
    *kernel = (cudaKernel_t)sim_function_find(host);
    return sim_leave(*kernel ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
    return __cudaGetKernel(kernel, host);
}

/* Lets attributes pass that change nothing here. Refuses attributes that would change what a kernel
 * sees. */
static cudaError_t set_attribute(struct configuration *how, const cudaLaunchAttribute *attribute)
{
    const cudaLaunchAttributeValue *value = &attribute->val;
    switch (attribute->id) {
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeSynchronizationPolicy:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
        return cudaSuccess;
    case cudaLaunchAttributeProgrammaticStreamSerialization:
        how->is_early = value->programmaticStreamSerializationAllowed != 0;
        return cudaSuccess;
    case cudaLaunchAttributeCooperative:
        how->is_cooperative = value->cooperative != 0;
        return cudaSuccess;
    case cudaLaunchAttributeClusterDimension:
        if (!value->clusterDim.x || !value->clusterDim.y || !value->clusterDim.z)
            return cudaErrorInvalidClusterSize;
        memcpy(how->cluster, &value->clusterDim, sizeof how->cluster);
        return cudaSuccess;
    default:
        sim_runtime_report("launch attribute %d is not implemented", (int)attribute->id);
        return cudaErrorNotSupported;
    }
}

cudaError_t sim_kernel_node_set_attribute(void *data, const cudaLaunchAttribute *attribute)
{
    return set_attribute(&((struct kernel_node *)data)->how, attribute);
}

void sim_kernel_node_get_attribute(const void *data, cudaLaunchAttribute *attribute)
{
    const struct configuration *const how = &((const struct kernel_node *)data)->how;
    if (attribute->id == cudaLaunchAttributeCooperative)
        attribute->val.cooperative = how->is_cooperative;
    if (attribute->id == cudaLaunchAttributeProgrammaticStreamSerialization)
        attribute->val.programmaticStreamSerializationAllowed = how->is_early;
    if (attribute->id == cudaLaunchAttributeClusterDimension)
        memcpy(&attribute->val.clusterDim, how->cluster, sizeof how->cluster);
}

void sim_kernel_node_copy_attributes(void *to, const void *from)
{
    struct kernel_node *const target = to;
    const struct kernel_node *const source = from;
    if (target->host != source->host)
        return;
    target->how.is_cooperative = source->how.is_cooperative;
    target->how.is_early = source->how.is_early;
    memcpy(target->how.cluster, source->how.cluster, sizeof target->how.cluster);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *host,
                                void **arguments)
{
    cudaError_t status = sim_enter();
    if (!status && (!config || (config->numAttrs && !config->attrs)))
        status = cudaErrorInvalidValue;
    if (status)
        return sim_leave(status);
    struct configuration how = {config->gridDim,
                                config->blockDim,
                                config->dynamicSmemBytes,
                                config->stream,
                                false,
                                false,
                                {0}};
    for (unsigned i = 0; !status && i < config->numAttrs; i++)
        status = set_attribute(&how, &config->attrs[i]);
    return sim_leave(status ? status : launch(sim_function_find(host), &how, arguments));
}
SIM_PER_THREAD_STREAM(cudaLaunchKernelExC, _ptsz);

/* ---- lab_sim.h ------------------------------------------------------------------------------- */

void sim_note_unsupported(const char *message)
{
    if (last_outcome.status == SIM_UNSUPPORTED)
        return;
    last_outcome = (struct sim_outcome){.status = SIM_UNSUPPORTED};
    snprintf(last_outcome.message, sizeof last_outcome.message, "%s", message);
    sim_summary_finding(&last_outcome);
}

const struct sim_outcome *lab_sim_last_outcome(void)
{
    return &last_outcome;
}

void lab_sim_get_totals(struct lab_sim_totals *to)
{
    sim_enter_always();
    *to = totals;
    sim_leave(cudaSuccess);
}

void lab_sim_reset_totals(void)
{
    sim_enter_always();
    totals = (struct lab_sim_totals){0};
    sim_leave(cudaSuccess);
}
