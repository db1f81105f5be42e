/* The CUDA runtime as a submission sees it in the recorder: launches are written down, not made. It
 * has only the functions that the allowed symbols name. */
#include "grade/recorded_launches/recorder/recorder.h"

#include <cuda_occupancy.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Leaves room for one more answer, in case of a fault. */
enum {
    MOST_FUNCTIONS = 256,
    RESULT = 3,
    MOST_BYTES = LAB_RECORD_MOST_BYTES - (int)sizeof(struct lab_record_answer)
};

/* All state of the process, which answers one question. */
static struct {
    const struct recorder_request *request;
    struct {
        const void *host;
        const char *name;
        size_t dynamic; /* most dynamic shared memory, where it is set */
    } functions[MOST_FUNCTIONS];
    int function_count;
    dim3 grid, block;
    size_t shared;
    void *stream;
    int launches;        /* of this call */
    size_t answer_bytes; /* of this call */
} now;

void recorder_begin(const struct recorder_request *request)
{
    now.request = request;
    now.launches = 0;
    now.answer_bytes = 0;
}

void recorder_answer(struct lab_record_answer *answer, const void *more)
{
    const char *parts[2] = {(const char *)answer, more};
    size_t sizes[2] = {sizeof *answer, answer->bytes};
    now.answer_bytes += sizes[0] + sizes[1];
    if (now.answer_bytes > MOST_BYTES && answer->kind != LAB_RECORD_FAULT &&
        answer->kind != LAB_RECORD_UNKNOWN)
        recorder_fault("its launches, with their arguments, are more than 8 MB in one call");
    for (int i = 0; i < 2; i++)
        while (sizes[i]) {
            ssize_t put = write(RESULT, parts[i], sizes[i]);
            if (put <= 0)
                _exit(71);
            parts[i] += put;
            sizes[i] -= (size_t)put;
        }
}

static void answer_and_end(enum lab_record_kind kind, const char *what) __attribute__((noreturn));

static void answer_and_end(enum lab_record_kind kind, const char *what)
{
    struct lab_record_answer answer = {.kind = kind};
    snprintf(answer.name, sizeof answer.name, "%s", what);
    recorder_answer(&answer, NULL);
    _exit(0);
}

void recorder_fault(const char *what)
{
    answer_and_end(LAB_RECORD_FAULT, what);
}

static const struct lab_record_kernel *kernel_of(const void *host)
{
    const char *name = NULL;
    for (int i = 0; i < now.function_count && !name; i++)
        if (now.functions[i].host == host)
            name = now.functions[i].name;
    for (uint32_t i = 0; name && now.request && i < now.request->head.kernel_count; i++)
        if (strcmp(now.request->kernels[i].name, name) == 0)
            return &now.request->kernels[i];
    recorder_fault("it launches something that is no kernel of the file");
}

static void check_stream(const void *stream)
{
    if (stream != (void *)(uintptr_t)LAB_RECORD_STREAM)
        recorder_fault("it launches on another stream than the one it is given");
}

static cudaError_t record(const void *host, dim3 grid, dim3 block, void **arguments, size_t shared,
                          const void *stream)
{
    static char bytes[LAB_RECORD_MOST_ARGUMENTS]; /* built anew for each launch */
    const struct lab_record_kernel *kernel = kernel_of(host);
    struct lab_record_answer answer = {
        .kind = LAB_RECORD_KERNEL,
        .values = {grid.x, grid.y, grid.z, block.x, block.y, block.z, (int64_t)shared}};
    check_stream(stream);
    if (++now.launches > LAB_RECORD_MOST_LAUNCHES)
        recorder_fault("it makes more than 4096 launches");
    for (uint32_t i = 0; i < kernel->count; i++) {
        if (answer.bytes + kernel->sizes[i] > sizeof bytes)
            recorder_fault("its kernel has more than 16384 bytes of parameters");
        memcpy(bytes + answer.bytes, arguments[i], kernel->sizes[i]);
        answer.bytes += kernel->sizes[i];
    }
    snprintf(answer.name, sizeof answer.name, "%s", kernel->name);
    recorder_answer(&answer, bytes);
    return cudaSuccess;
}

/* ---- what nvcc's code calls -------------------------------------------------------------------
 */

#pragma GCC visibility push(default)
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

void **__cudaRegisterFatBinary(void *wrapper)
{
    return wrapper;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

char __cudaInitModule(void **handle)
{
    (void)handle;
    return 1;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int limit, uint3 *thread, uint3 *block, dim3 *block_size,
                            dim3 *grid_size, int *warp_size)
{
    (void)handle, (void)device, (void)limit, (void)thread, (void)block, (void)block_size;
    (void)grid_size, (void)warp_size;
    if (now.function_count == MOST_FUNCTIONS)
        recorder_fault("it has more than 256 kernels");
    now.functions[now.function_count].host = host;
    now.functions[now.function_count++].name = name;
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_extern,
                       size_t size, int constant, int global)
{
    (void)handle, (void)host, (void)device, (void)name, (void)is_extern, (void)size;
    (void)constant, (void)global;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream)
{
    now.grid = grid;
    now.block = block;
    now.shared = shared;
    now.stream = stream;
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    *grid = now.grid;
    *block = now.block;
    *shared = now.shared;
    *(void **)stream = now.stream;
    return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
    *kernel = (cudaKernel_t)(uintptr_t)host;
    return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared, cudaStream_t stream)
{
    return record((const void *)kernel, grid, block, arguments, shared, stream);
}

/* ---- what a launch function may call itself ---------------------------------------------------
 */

cudaError_t cudaLaunchKernel(const void *host, dim3 grid, dim3 block, void **arguments,
                             size_t shared, cudaStream_t stream)
{
    return record(host, grid, block, arguments, shared, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *host,
                                void **arguments)
{
    if (config->numAttrs)
        answer_and_end(LAB_RECORD_UNKNOWN,
                       "it launches with attributes, which grading does not know");
    return record(host, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
                  config->stream);
}

cudaError_t cudaFuncSetAttribute(const void *host, enum cudaFuncAttribute attribute, int value)
{
    struct lab_record_answer answer = {.kind = LAB_RECORD_ATTRIBUTE, .values = {attribute, value}};
    snprintf(answer.name, sizeof answer.name, "%s", kernel_of(host)->name);
    for (int i = 0; i < now.function_count; i++)
        if (now.functions[i].host == host &&
            attribute == cudaFuncAttributeMaxDynamicSharedMemorySize)
            now.functions[i].dynamic = (size_t)value;
    recorder_answer(&answer, NULL);
    return cudaSuccess;
}

cudaError_t cudaFuncSetCacheConfig(const void *host, enum cudaFuncCache preference)
{
    (void)host, (void)preference; /* a hint */
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *facts, const void *host)
{
    const struct lab_record_kernel *kernel = kernel_of(host);
    if (!kernel->has_facts)
        answer_and_end(LAB_RECORD_UNKNOWN,
                       "it asks for a kernel's registers or occupancy, which grading does not know "
                       "where it times");
    *facts = kernel->facts;
    for (int i = 0; i < now.function_count; i++)
        if (now.functions[i].host == host && now.functions[i].dynamic)
            facts->maxDynamicSharedSizeBytes = (int)now.functions[i].dynamic;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *host,
                                                                   int threads, size_t dynamic,
                                                                   unsigned flags)
{
    struct cudaFuncAttributes facts;
    cudaOccResult result = {0};
    const cudaOccDeviceState state = {.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT};
    const struct cudaDeviceProp *const p = &now.request->head.properties;
    const cudaOccDeviceProp device = {
        .computeMajor = p->major,
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
        .reservedSharedMemPerBlock = p->reservedSharedMemPerBlock,
    };
    cudaFuncGetAttributes(&facts, host);
    const cudaOccFuncAttributes function = {
        .maxThreadsPerBlock = facts.maxThreadsPerBlock,
        .numRegs = facts.numRegs,
        .sharedSizeBytes = facts.sharedSizeBytes,
        .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
        .maxDynamicSharedSizeBytes = (size_t)facts.maxDynamicSharedSizeBytes,
        .numBlockBarriers = 1,
    };
    (void)flags;
    if (!blocks || threads <= 0)
        return cudaErrorInvalidValue;
    *blocks = 0;
    if (threads <= facts.maxThreadsPerBlock && dynamic <= function.maxDynamicSharedSizeBytes &&
        cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state, threads,
                                                dynamic) == CUDA_OCC_SUCCESS)
        *blocks = result.activeBlocksPerMultiprocessor < p->maxBlocksPerMultiProcessor
                      ? result.activeBlocksPerMultiprocessor
                      : p->maxBlocksPerMultiProcessor;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host,
                                                          int threads, size_t dynamic)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, host, threads, dynamic,
                                                                  0);
}

cudaError_t cudaMemsetAsync(void *address, int byte, size_t count, cudaStream_t stream)
{
    struct lab_record_answer answer = {
        .kind = LAB_RECORD_FILL, .values = {(int64_t)(uintptr_t)address, byte, (int64_t)count}};
    check_stream(stream);
    recorder_answer(&answer, NULL);
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

cudaError_t cudaPeekAtLastError(void)
{
    return cudaSuccess;
}

const char *cudaGetErrorName(cudaError_t error)
{
    return error == cudaSuccess ? "cudaSuccess" : "cudaErrorUnknown";
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaSuccess ? "no error" : "unknown error";
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    (void)device;
    *value = (unsigned)attribute < LAB_RECORD_ATTRIBUTES ? now.request->head.attributes[attribute]
                                                         : LAB_RECORD_NO_ATTRIBUTE;
    if (*value == LAB_RECORD_NO_ATTRIBUTE)
        answer_and_end(LAB_RECORD_UNKNOWN,
                       "it asks for a device attribute that grading does not know");
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    (void)device;
    *properties = now.request->head.properties;
    return cudaSuccess;
}

/* ---- what a launch function prints, which is shown to nobody: hidden sizes may be in it -------
 */

int printf(const char *format, ...)
{
    (void)format;
    return 0;
}

int fprintf(FILE *stream, const char *format, ...)
{
    (void)stream, (void)format;
    return 0;
}

int __printf_chk(int flag, const char *format, ...)
{
    (void)flag, (void)format;
    return 0;
}

int __fprintf_chk(FILE *stream, int flag, const char *format, ...)
{
    (void)stream, (void)flag, (void)format;
    return 0;
}

int puts(const char *text)
{
    (void)text;
    return 0;
}

int fputs(const char *text, FILE *stream)
{
    (void)text, (void)stream;
    return 0;
}

int putchar(int c)
{
    return c;
}

int fputc(int c, FILE *stream)
{
    (void)stream;
    return c;
}

size_t fwrite(const void *bytes, size_t size, size_t count, FILE *stream)
{
    (void)bytes, (void)size, (void)stream;
    return count;
}

int fflush(FILE *stream)
{
    (void)stream;
    return 0;
}
#pragma GCC visibility pop
