/* From a recorded launch to occupancy, by the toolkit's own occupancy calculator. */
#include "measure/launches/launches.h"

#include "base/simulator.h"

#include <dlfcn.h>
#include <stdio.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <cuda_occupancy.h>
#pragma GCC diagnostic pop

enum { MOST_REGISTERS = 255 }; /* of a thread */

/* The registers of all threads of a launch; if unknown, one for each thread. */
static double registers_of(const struct lab_launch_record *r)
{
    struct cudaFuncAttributes attributes = {.numRegs = 1};
    double threads =
        (double)r->grid.x * r->grid.y * r->grid.z * r->block.x * r->block.y * r->block.z;
    if (r->function && cudaFuncGetAttributes(&attributes, r->function) != cudaSuccess)
        cudaGetLastError();
    return threads * (attributes.numRegs > 0 ? attributes.numRegs : 1);
}

/* A launch's work if it is known, else its registers. */
static double weight_of(const struct lab_launch_record *r, bool is_known)
{
    return is_known ? r->work : registers_of(r);
}

/* The sum of the weights of all launches of a kernel. */
static double weight_of_all(const void *function, bool is_known)
{
    const struct lab_launch_record *r;
    double sum = 0.0;
    for (int i = 0; (r = lab_launches_get(i)); i++)
        sum += r->function == function ? weight_of(r, is_known) : 0.0;
    return sum;
}

/* The main kernel is the one with the most work in all, and its largest launch counts. Other
 * kernels prepare or reduce. If no work is known, the kernel with the most registers is taken. */
static const struct lab_launch_record *main_launch(void)
{
    const struct lab_launch_record *best = NULL, *next;
    double most = 0.0;
    bool is_known = false;
    for (int i = 0; (next = lab_launches_get(i)); i++)
        is_known = is_known || next->work > 0.0;
    for (int i = 0; (next = lab_launches_get(i)); i++) {
        const double all = weight_of_all(next->function, is_known);
        if (!best || all > most ||
            (next->function == best->function && registers_of(next) > registers_of(best))) {
            best = next;
            most = all;
        }
    }
    return best;
}

/* The result of the toolkit's calculator for a block; false if it fails. */
static bool calculate(const struct cudaDeviceProp *p, const struct cudaFuncAttributes *a,
                      int threads, size_t dynamic_shared, cudaOccResult *result)
{
    cudaOccDeviceProp device = {.computeMajor = p->major < 3 ? 3 : p->major, /* its oldest */
                                .computeMinor = p->minor,
                                .maxThreadsPerBlock = p->maxThreadsPerBlock,
                                .maxThreadsPerMultiprocessor = p->maxThreadsPerMultiProcessor,
                                .regsPerBlock = p->regsPerBlock,
                                .regsPerMultiprocessor = p->regsPerMultiprocessor,
                                .warpSize = p->warpSize,
                                .sharedMemPerBlock = p->sharedMemPerBlock,
                                .sharedMemPerMultiprocessor = p->sharedMemPerMultiprocessor,
                                .numSms = p->multiProcessorCount,
                                .sharedMemPerBlockOptin = p->sharedMemPerBlockOptin,
                                .reservedSharedMemPerBlock = p->reservedSharedMemPerBlock};
    cudaOccFuncAttributes function = {.maxThreadsPerBlock = a->maxThreadsPerBlock,
                                      .numRegs = a->numRegs,
                                      .sharedSizeBytes = a->sharedSizeBytes,
                                      .partitionedGCConfig = PARTITIONED_GC_OFF,
                                      .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
                                      .maxDynamicSharedSizeBytes = a->maxDynamicSharedSizeBytes,
                                      .numBlockBarriers = 1};
    cudaOccDeviceState state = {.cacheConfig = CACHE_PREFER_NONE,
                                .carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT};
    if (cudaOccMaxActiveBlocksPerMultiprocessor(result, &device, &function, &state, threads,
                                                dynamic_shared) != CUDA_OCC_SUCCESS)
        return false;
    /* The calculator knows the architecture; a GPU may have another limit. */
    if (result->blockLimitBlocks > p->maxBlocksPerMultiProcessor)
        result->blockLimitBlocks = p->maxBlocksPerMultiProcessor;
    if (result->activeBlocksPerMultiprocessor > p->maxBlocksPerMultiProcessor)
        result->activeBlocksPerMultiprocessor = p->maxBlocksPerMultiProcessor;
    return true;
}

double lab_occupancy(const struct cudaDeviceProp *p, const struct cudaFuncAttributes *a,
                     int threads, size_t dynamic_shared)
{
    cudaOccResult result;
    if (!calculate(p, a, threads, dynamic_shared, &result))
        return 0.0;
    const int warps = (threads + p->warpSize - 1) / p->warpSize;
    return (double)result.activeBlocksPerMultiprocessor * warps * p->warpSize /
           p->maxThreadsPerMultiProcessor;
}

static int resident(const struct cudaDeviceProp *p, const struct cudaFuncAttributes *a, int threads,
                    size_t dynamic_shared)
{
    cudaOccResult result;
    return calculate(p, a, threads, dynamic_shared, &result) ? result.activeBlocksPerMultiprocessor
                                                             : 0;
}

/* The most registers a thread may have so that an SM holds at least so many blocks; 0: none. */
static int registers_for(const struct cudaDeviceProp *p, const struct cudaFuncAttributes *a,
                         int threads, size_t dynamic_shared, int blocks)
{
    struct cudaFuncAttributes other = *a;
    for (other.numRegs = MOST_REGISTERS; other.numRegs > 0; other.numRegs--)
        if (resident(p, &other, threads, dynamic_shared) >= blocks)
            break;
    return other.numRegs;
}

/* The most bytes of shared memory that a block may have, likewise. */
static size_t shared_for(const struct cudaDeviceProp *p, const struct cudaFuncAttributes *a,
                         int threads, int blocks)
{
    struct cudaFuncAttributes other = *a;
    size_t low = 0, high = p->sharedMemPerBlockOptin; /* `low` bytes fit; more than `high` do not */
    other.sharedSizeBytes = 0;
    other.maxDynamicSharedSizeBytes = (int)high;
    if (resident(p, &other, threads, low) < blocks)
        return 0;
    while (low < high) {
        const size_t middle = (low + high + 1) / 2;
        if (resident(p, &other, threads, middle) >= blocks)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static struct lab_residency residency_of(const struct cudaDeviceProp *p,
                                         const struct cudaFuncAttributes *a, int threads,
                                         size_t dynamic_shared)
{
    cudaOccResult result;
    if (!calculate(p, a, threads, dynamic_shared, &result))
        return (struct lab_residency){0};
    const int blocks = result.activeBlocksPerMultiprocessor;
    return (struct lab_residency){
        .blocks = blocks,
        .by_registers = result.blockLimitRegs,
        .by_shared = result.blockLimitSharedMem,
        .by_warps = result.blockLimitWarps,
        .by_blocks = result.blockLimitBlocks,
        .registers_for_as_many = registers_for(p, a, threads, dynamic_shared, blocks),
        .registers_for_more = registers_for(p, a, threads, dynamic_shared, blocks + 1),
        .shared_for_as_many = shared_for(p, a, threads, blocks),
        .shared_for_more = shared_for(p, a, threads, blocks + 1)};
}

typedef cudaError_t name_fn(const char **name, const void *function);

static void read_names(struct lab_kernel_facts *facts)
{
    name_fn *name = (name_fn *)dlsym(RTLD_DEFAULT, "cudaFuncGetName");
    for (int i = 0; name && i < facts->launches && i < LAB_MAX_NAMED; i++) {
        const struct lab_launch_record *r = lab_launches_get(i);
        if (r && r->function && name(&facts->names[i], r->function) != cudaSuccess) {
            cudaGetLastError();
            facts->names[i] = NULL;
        }
    }
}

static void read_launch(const struct lab_device *device, const struct lab_launch_record *r,
                        struct lab_kernel_facts *facts)
{
    struct cudaFuncAttributes attributes;
    if (!r || !r->function)
        return;
    if (cudaFuncGetAttributes(&attributes, r->function) != cudaSuccess) {
        cudaGetLastError();
        return;
    }
    int threads = (int)(r->block.x * r->block.y * r->block.z);
    facts->known = true;
    facts->registers = attributes.numRegs;
    facts->shared_bytes = attributes.sharedSizeBytes + r->dynamic_shared;
    facts->local_bytes = attributes.localSizeBytes;
    facts->declared_local = device->is_sim ? lab_simulator()->declared_local(r->function) : 0;
    facts->grid[0] = r->grid.x, facts->grid[1] = r->grid.y, facts->grid[2] = r->grid.z;
    facts->block[0] = r->block.x, facts->block[1] = r->block.y, facts->block[2] = r->block.z;
    facts->occupancy = lab_occupancy(&device->properties, &attributes, threads, r->dynamic_shared);
}

bool lab_kernel_facts_too_large(const struct lab_device *device, char *why, size_t size)
{
    const struct lab_launch_record *last = lab_launches_get(lab_launches_count() - 1);
    const struct cudaDeviceProp *p = &device->properties;
    struct cudaFuncAttributes a;
    if (!last || !last->function)
        return false;
    if (cudaFuncGetAttributes(&a, last->function) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    const size_t threads = (size_t)last->block.x * last->block.y * last->block.z;
    const size_t shared = a.sharedSizeBytes + last->dynamic_shared;
    if (threads > (size_t)p->maxThreadsPerBlock)
        snprintf(why, size, "a block has %zu threads, and here may have %d", threads,
                 p->maxThreadsPerBlock);
    else if (threads * (size_t)a.numRegs > (size_t)p->regsPerBlock)
        snprintf(why, size, "%zu threads of %d registers take %zu; a block here may have %d",
                 threads, a.numRegs, threads * (size_t)a.numRegs, p->regsPerBlock);
    else if (shared > p->sharedMemPerBlockOptin)
        snprintf(why, size, "a block takes %zu bytes of shared memory, and here may have %zu",
                 shared, p->sharedMemPerBlockOptin);
    else
        return false;
    return true;
}

void lab_kernel_facts_of_launch(const struct lab_device *device, int i,
                                struct lab_kernel_facts *facts)
{
    *facts = (struct lab_kernel_facts){.launches = 1};
    read_launch(device, lab_launches_get(i), facts);
}

void lab_kernel_facts_read(const struct lab_device *device, struct lab_kernel_facts *facts)
{
    *facts = (struct lab_kernel_facts){.launches = lab_launches_count()};
    if (!device->is_sim)
        read_names(facts);
    const struct lab_launch_record *const r = main_launch();
    struct cudaFuncAttributes attributes;
    read_launch(device, r, facts);
    /* Only for this launch, because residency_of() tries hundreds of other kernels. */
    if (facts->known && cudaFuncGetAttributes(&attributes, r->function) == cudaSuccess)
        facts->residency =
            residency_of(&device->properties, &attributes,
                         (int)(r->block.x * r->block.y * r->block.z), r->dynamic_shared);
}
