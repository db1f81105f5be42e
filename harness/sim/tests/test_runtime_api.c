/* The drop-in CUDA runtime: its status codes are those that an H200 gives under CUDA 13.0 (each was
 * taken from one), and its state survives nothing that CUDA's does not. */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/lab_sim.h"

static void quiet(void)
{
    lab_sim_set_quiet(1);
}

/* A call gives `status`, and leaves it for cudaGetLastError() once. */
#define GIVES(status, call)                                                                        \
    do {                                                                                           \
        cudaError_t gives_ = (call);                                                               \
        cr_assert_eq(gives_, (status), "%s: %s", #call, cudaGetErrorName(gives_));                 \
        cr_assert_eq(cudaGetLastError(), (status), "last error after %s", #call);                  \
        cr_assert_eq(cudaGetLastError(), cudaSuccess);                                             \
    } while (0)
#define GOOD(call) GIVES(cudaSuccess, call)

static void *allocate(size_t size)
{
    void *pointer = NULL;
    GOOD(cudaMalloc(&pointer, size));
    return pointer;
}

/* ---- errors ---------------------------------------------------------------------------------- */

Test(runtime_errors, have_names_and_texts)
{
    cr_assert_str_eq(cudaGetErrorName(cudaSuccess), "cudaSuccess");
    cr_assert_str_eq(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
    cr_assert_str_eq(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
    cr_assert_str_eq(cudaGetErrorString(cudaErrorIllegalAddress),
                     "an illegal memory access was encountered");
    cr_assert_str_eq(cudaGetErrorString((cudaError_t)12345), "unrecognized error code");
}

Test(runtime_errors, the_last_one_stays_until_it_is_fetched, .init = quiet)
{
    void *pointer;
    cr_assert_eq(cudaMalloc(&pointer, (size_t)1 << 50), cudaErrorMemoryAllocation);
    cr_assert_eq(cudaMalloc(&pointer, 16), cudaSuccess);
    cr_assert_eq(cudaPeekAtLastError(), cudaErrorMemoryAllocation);
    cr_assert_eq(cudaGetLastError(), cudaErrorMemoryAllocation);
    cr_assert_eq(cudaPeekAtLastError(), cudaSuccess);
}

static void *fail_elsewhere(void *unused)
{
    (void)unused;
    cudaSetDevice(5);
    return (void *)(cudaGetLastError() == cudaErrorInvalidDevice ? 1l : 0l);
}

Test(runtime_errors, belong_to_one_host_thread)
{
    pthread_t thread;
    void *seen;
    pthread_create(&thread, NULL, fail_elsewhere, NULL);
    pthread_join(thread, &seen);
    cr_assert_not_null(seen);
    cr_assert_eq(cudaGetLastError(), cudaSuccess);
}

/* Each of at least so many names that the command prints is a function of this library. */
static void has_all(const char *library, const char *names, int at_least)
{
    FILE *const list = popen(names, "r");
    char name[128];
    int count = 0;
    for (; fscanf(list, "%127s", name) == 1; count++)
        cr_expect_not_null(dlvsym(RTLD_DEFAULT, name, library), "%s is missing", name);
    cr_assert_eq(pclose(list), 0);
    cr_assert_geq(count, at_least, "%s: %d names", library, count);
}

Test(runtime_symbols, are_those_of_the_real_library)
{
    has_all("libcudart.so.13",
            "nm -D --defined-only '" LAB_CUDA_LIB
            "/libcudart.so.13' | sed -n 's/@.*//; s/.* T //p'",
            400);
}

/* Machines without a GPU have no real driver: the names are those of cuda.h, in all their forms. */
Test(runtime_symbols, of_the_driver_are_those_of_its_header)
{
    has_all("libcuda.so.1",
            "echo '#include <cuda.h>' | ${CC:-cc} -E -D__CUDA_API_VERSION_INTERNAL -isystem "
            "'" LAB_CUDA_LIB "/../include' - | grep -o '\\<cu[A-Z][A-Za-z0-9_]*(' | tr -d '('",
            600);
}

/* Two texts become one; what else is an input is refused, and LTO-IR without -lto. */
Test(runtime_symbols, of_nvjitlink_join_ptx, .init = quiet)
{
    static const char *const texts[] = {".version 8.0\n", ".func f\n"};
    char path[4096];
    snprintf(path, sizeof path, "%s/sim/libnvJitLink.so.13", getenv("LAB_TEST_BUILD"));
    void *const library = dlopen(path, RTLD_NOW); /* by its path: under ASan names are not found */
    cr_assert_not_null(library, "%s", path);
    int (*const create)(void **, uint32_t, const char **) = dlsym(library, "nvJitLinkCreate");
    int (*const add)(void *, int, const void *, size_t, const char *) =
        dlsym(library, "__nvJitLinkAddData_13_0");
    int (*const complete)(void *) = dlsym(library, "nvJitLinkComplete");
    int (*const size)(void *, size_t *) = dlsym(library, "nvJitLinkGetLinkedCubinSize");
    int (*const get)(void *, void *) = dlsym(library, "nvJitLinkGetLinkedCubin");
    int (*const destroy)(void **) = dlsym(library, "nvJitLinkDestroy");
    void *link;
    char image[64];
    size_t bytes;
    const char *arch = "-arch=sm_90";
    cr_assert_eq(create(&link, 1, &arch), 0);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(add(link, 2, texts[i], strlen(texts[i]) + 1, NULL), 0);
    cr_assert_eq(add(link, 3, "ir", 2, NULL), 18);
    cr_assert_eq(add(link, 1,
                     "\x7F"
                     "ELF",
                     4, NULL),
                 8);
    cr_assert_eq(complete(link), 0);
    cr_assert_eq(size(link, &bytes), 0);
    cr_assert_leq(bytes, sizeof image);
    cr_assert_eq(get(link, image), 0);
    cr_assert_str_eq(image, ".version 8.0\n\n.func f\n\n");
    cr_assert_eq(destroy(&link), 0);
    cr_assert_null(link);
}

Test(runtime_symbols, what_is_not_implemented_says_so, .init = quiet)
{
    cudaMipmappedArray_t array;
    GIVES(cudaErrorNotSupported,
          cudaMallocMipmappedArray(&array, NULL, (struct cudaExtent){0}, 1, 0));
}

/* ---- memory ---------------------------------------------------------------------------------- */

Test(runtime_memory, allocation, .init = quiet)
{
    void *pointer = (void *)1;
    size_t free_bytes, total;
    GOOD(cudaMemGetInfo(&free_bytes, &total));
    GIVES(cudaErrorMemoryAllocation, cudaMalloc(&pointer, total + 1));
    GIVES(cudaErrorMemoryAllocation, cudaMalloc(&pointer, SIZE_MAX));
    GIVES(cudaErrorInvalidValue, cudaMalloc(NULL, 4));
    GOOD(cudaMalloc(&pointer, 0));
    cr_assert_null(pointer);
    pointer = allocate(1000);
    cr_assert_eq((size_t)pointer % 256, 0);
    size_t less;
    GOOD(cudaMemGetInfo(&less, &total));
    cr_assert_eq(less, free_bytes - 1000);
    GIVES(cudaErrorInvalidValue, cudaFree((char *)pointer + 16));
    GIVES(cudaErrorInvalidValue, cudaFree(&free_bytes));
    GIVES(cudaErrorInvalidValue, cudaFreeHost(pointer));
    GOOD(cudaFree(pointer));
    GIVES(cudaErrorInvalidValue, cudaFree(pointer));
    GOOD(cudaFree(NULL));
    GOOD(cudaFreeHost(NULL));
}

Test(runtime_memory, device_pointers_are_no_host_pointers, .signal = SIGSEGV)
{
    *(volatile char *)allocate(4096) = 1;
}

Test(runtime_memory, pinned_managed_and_registered, .init = quiet)
{
    void *pinned, *managed, *device;
    struct cudaPointerAttributes about;
    static char own[8192];
    GOOD(cudaMallocHost(&pinned, 100));
    memset(pinned, 1, 100);
    GOOD(cudaPointerGetAttributes(&about, pinned));
    cr_assert(about.type == cudaMemoryTypeHost && about.devicePointer == pinned &&
              about.hostPointer == pinned && about.device == 0);
    GIVES(cudaErrorInvalidValue, cudaFree(pinned));
    GOOD(cudaHostGetDevicePointer(&device, pinned, 0));
    cr_assert_eq(device, pinned);
    GOOD(cudaMallocManaged(&managed, 100, cudaMemAttachGlobal));
    memset(managed, 2, 100);
    GOOD(cudaPointerGetAttributes(&about, (char *)managed + 5));
    cr_assert(about.type == cudaMemoryTypeManaged && about.hostPointer == (char *)managed + 5);
    GIVES(cudaErrorInvalidValue, cudaMallocManaged(&managed, 4, 7));
    struct cudaMemLocation here = {.type = cudaMemLocationTypeDevice, .id = 0};
    GOOD(cudaMemPrefetchAsync(managed, 100, here, 0, 0));
    GIVES(cudaErrorInvalidValue, cudaMemPrefetchAsync(allocate(100), 100, here, 0, 0));
    GIVES(cudaErrorInvalidValue, cudaMemAdvise(own, 100, cudaMemAdviseSetReadMostly, here));
    GOOD(cudaHostRegister(own, sizeof own, cudaHostRegisterDefault));
    GIVES(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(own, sizeof own, 0));
    GOOD(cudaPointerGetAttributes(&about, own + 5));
    cr_assert_eq(about.type, cudaMemoryTypeHost);
    GIVES(cudaErrorInvalidValue, cudaFreeHost(own));
    GOOD(cudaHostUnregister(own));
    GIVES(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(own));
    GIVES(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(pinned));
    GOOD(cudaPointerGetAttributes(&about, own));
    cr_assert(about.type == cudaMemoryTypeUnregistered && about.device == cudaInvalidDeviceId &&
              about.hostPointer == own && !about.devicePointer);
    GOOD(cudaFreeHost(pinned));
    GOOD(cudaFree(managed));
}

Test(runtime_memory, copies_check_both_ends, .init = quiet)
{
    static char host[8192];
    char *device = allocate(4096), *other = allocate(4096);
    GOOD(cudaMemcpy(device, host, 4096, cudaMemcpyHostToDevice));
    GOOD(cudaMemcpy(device, host, 16, cudaMemcpyDefault));
    GIVES(cudaErrorInvalidValue, cudaMemcpy(device, host, 4097, cudaMemcpyHostToDevice));
    GIVES(cudaErrorInvalidValue, cudaMemcpy(host, device + 1, 4096, cudaMemcpyDeviceToHost));
    GIVES(cudaErrorInvalidValue, cudaMemcpy(host, device, 16, cudaMemcpyHostToDevice));
    GIVES(cudaErrorInvalidValue, cudaMemcpy(device, host, 16, cudaMemcpyDeviceToHost));
    GIVES(cudaErrorInvalidValue, cudaMemcpy(host, host + 16, 16, cudaMemcpyDeviceToHost));
    GIVES(cudaErrorInvalidValue, cudaMemcpy(host, host + 16, 16, cudaMemcpyDeviceToDevice));
    GOOD(cudaMemcpy(device, other, 16, cudaMemcpyHostToHost)); /* device memory may be named host */
    GOOD(cudaMemcpy(device, other, 16, cudaMemcpyHostToDevice));
    GOOD(cudaMemcpy(device, other, 16, cudaMemcpyDeviceToHost));
    GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpy(device, host, 16, (enum cudaMemcpyKind)9));
    GIVES(cudaErrorInvalidValue, cudaMemcpy(NULL, host, 16, cudaMemcpyDefault));
    GOOD(cudaMemcpy(NULL, host, 0, cudaMemcpyHostToDevice));
    GOOD(cudaMemset(device, 0, 4096));
    GIVES(cudaErrorInvalidValue, cudaMemset(device, 0, 4097));
    GIVES(cudaErrorInvalidValue, cudaMemset(host, 0, 4));
    GOOD(cudaMemset(NULL, 0, 0));
    GOOD(cudaFree(device));
    GIVES(cudaErrorInvalidValue, cudaMemcpy(device, host, 16, cudaMemcpyHostToDevice));
    GIVES(cudaErrorInvalidValue, cudaMemcpy(host, device, 16, cudaMemcpyDefault));
}

/* Once for each allocation; a kernel's output among others is copied out as a whole. */
Test(runtime_memory, copies_of_unwritten_memory_are_named, .init = cr_redirect_stderr)
{
    char host[64], text[512] = "";
    char *device = allocate(64), *copy = allocate(64);
    GOOD(cudaMemset(device, 0xFF, 32));
    GOOD(cudaMemcpy(copy, device, 64, cudaMemcpyDeviceToDevice));
    GOOD(cudaMemcpy(host, device, 32, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 2; i++)
        GOOD(cudaMemcpy(host, copy, 64, cudaMemcpyDeviceToHost));
    fflush(stderr);
    FILE *said = cr_get_redirected_stderr();
    cr_assert(fgets(text, sizeof text, said));
    cr_expect_str_eq(text, "libcudart (simulator): cudaMemcpy: warning: element 8 of the "
                           "allocation of 64 bytes goes to the host, and nothing has written it "
                           "(8 of 16 words were not)\n");
}

/* Memory that is there for a kernel to fill. */
Test(runtime_memory, copies_of_unwritten_named_memory_fail, .init = quiet)
{
    char *device = allocate(64), *copy = allocate(64);
    cr_assert(lab_sim_guard(device, 64, "scratch"));
    GOOD(cudaMemset(device + 32, 0, 4));
    GOOD(cudaMemcpy(copy, device, 64, cudaMemcpyDeviceToDevice));
    cr_assert_eq(cudaMemcpy(copy, device, 32, cudaMemcpyDeviceToDevice), cudaErrorLaunchFailure);
    cr_assert_eq(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
    cr_assert_eq(lab_sim_last_outcome()->status, SIM_UNINITIALIZED);
    cr_assert(strstr(lab_sim_last_outcome()->message, "element 0 of scratch by cudaMemcpy"), "%s",
              lab_sim_last_outcome()->message);
}

Test(runtime_memory, copies_of_boxes, .init = quiet)
{
    char host[3][4][10], back[3][4][10];
    for (int i = 0; i < 120; i++)
        ((char *)host)[i] = (char)i;
    struct cudaPitchedPtr pitched;
    struct cudaExtent extent = {10, 4, 3};
    GOOD(cudaMalloc3D(&pitched, extent));
    cr_assert_eq(pitched.pitch, 512);
    struct cudaMemcpy3DParms copy = {.srcPtr = {host, 10, 10, 4},
                                     .dstPtr = pitched,
                                     .extent = extent,
                                     .kind = cudaMemcpyHostToDevice};
    GOOD(cudaMemcpy3D(&copy));
    memset(back, 0, sizeof back); /* the inner box alone, shifted */
    struct cudaMemcpy3DParms inner = {.srcPtr = pitched,
                                      .srcPos = {2, 1, 1},
                                      .dstPtr = {back, 10, 10, 4},
                                      .dstPos = {1, 2, 0},
                                      .extent = {5, 2, 2},
                                      .kind = cudaMemcpyDeviceToHost};
    GOOD(cudaMemcpy3D(&inner));
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 10; x++) {
                int inside = z < 2 && y >= 2 && x >= 1 && x < 6;
                cr_assert_eq(back[z][y][x], inside ? host[z + 1][y - 1][x + 1] : 0);
            }
    GOOD(cudaMemset2D((char *)pitched.ptr + 2, pitched.pitch, 9, 3, 4));
    GOOD(cudaMemcpy2D(back, 10, pitched.ptr, pitched.pitch, 10, 4, cudaMemcpyDeviceToHost));
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 10; x++)
            cr_assert_eq(back[0][y][x], x >= 2 && x < 5 ? 9 : host[0][y][x]);
    GIVES(cudaErrorInvalidPitchValue,
          cudaMemcpy2D(pitched.ptr, 512, host, 8, 10, 2, cudaMemcpyHostToDevice));
    GIVES(cudaErrorInvalidValue,
          cudaMemcpy2D(pitched.ptr, 8, host, 10, 10, 1, cudaMemcpyHostToDevice));
    GIVES(cudaErrorInvalidValue,
          cudaMemcpy2D(pitched.ptr, 512, host, 10, 10, 13, cudaMemcpyHostToDevice));
    GIVES(cudaErrorInvalidValue,
          cudaMemcpy2D(pitched.ptr, SIZE_MAX / 2, host, 10, 10, 4, cudaMemcpyHostToDevice));
    size_t pitch;
    void *pointer;
    GOOD(cudaMallocPitch(&pointer, &pitch, 513, 10));
    cr_assert_eq(pitch, 1024);
    GIVES(cudaErrorMemoryAllocation, cudaMallocPitch(&pointer, &pitch, 1 << 20, SIZE_MAX / 2));
}

/* ---- the device ------------------------------------------------------------------------------ */

Test(runtime_device, is_the_profile)
{
    struct cudaDeviceProp properties;
    int count = 0, value = 0, version = 0;
    cr_assert_eq(sizeof properties, 1008);
    GOOD(cudaGetDeviceCount(&count));
    cr_assert_eq(count, 1);
    GOOD(cudaGetDeviceProperties(&properties, 0));
    cr_assert_str_eq(properties.name, "Simulated NVIDIA H200");
    cr_assert(properties.major == 9 && properties.minor == 0);
    cr_assert_eq(properties.multiProcessorCount, 132);
    cr_assert_eq(properties.sharedMemPerBlockOptin, 232448);
    cr_assert_eq(properties.l2CacheSize, 62914560);
    cr_assert_eq(properties.maxThreadsDim[2], 64);
    cr_assert_eq(properties.maxGridSize[0], 2147483647);
    cr_assert_eq(properties.maxTexture2DLinear[2], 2097120);
    cr_assert_eq(properties.memPitch, 2147483647);
    GOOD(cudaDeviceGetAttribute(&value, cudaDevAttrCooperativeLaunch, 0));
    cr_assert(value == 1 && properties.cooperativeLaunch == 1);
    size_t free_bytes, total;
    GOOD(cudaMemGetInfo(&free_bytes, &total));
    cr_assert_eq(properties.totalGlobalMem, total);
    GOOD(cudaDeviceGetAttribute(&value, cudaDevAttrClockRate, 0));
    cr_assert_eq(value, 1980000);
    GOOD(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    cr_assert_eq(value, 132);
    GOOD(cudaRuntimeGetVersion(&version));
    cr_assert_eq(version, 13000);
    char bus[32];
    GOOD(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    GOOD(cudaDeviceGetByPCIBusId(&value, bus));
    cr_assert_eq(value, 0);
    GOOD(cudaProfilerStart());
}

Test(runtime_device, bad_arguments)
{
    struct cudaDeviceProp properties;
    int value;
    size_t limit;
    GIVES(cudaErrorInvalidDevice, cudaSetDevice(7));
    GIVES(cudaErrorInvalidDevice, cudaSetDevice(-1));
    GIVES(cudaErrorInvalidDevice, cudaGetDeviceProperties(&properties, 3));
    GIVES(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)999, 0));
    GIVES(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 9));
    GIVES(cudaErrorInvalidValue, cudaGetDevice(NULL));
    GOOD(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 24));
    GOOD(cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize));
    cr_assert_eq(limit, 1 << 24);
    GIVES(cudaErrorInvalidValue, cudaDeviceSetLimit((enum cudaLimit)99, 1));
}

/* ---- streams and events ---------------------------------------------------------------------- */

Test(runtime_stream, streams)
{
    cudaStream_t stream;
    int priority, least, greatest;
    GOOD(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    cr_assert(least == 0 && greatest == -5);
    GOOD(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -100));
    GOOD(cudaStreamGetPriority(stream, &priority));
    cudaLaunchAttributeValue attribute = {.accessPolicyWindow = {.num_bytes = 77}};
    GOOD(cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &attribute));
    GOOD(cudaStreamCopyAttributes(NULL, stream));
    attribute.accessPolicyWindow.num_bytes = 0;
    GOOD(cudaStreamGetAttribute(NULL, cudaLaunchAttributeAccessPolicyWindow, &attribute));
    cr_assert_eq(attribute.accessPolicyWindow.num_bytes, 77);
    GOOD(cudaStreamGetAttribute(stream, cudaLaunchAttributePriority, &attribute));
    cr_assert_eq(attribute.priority, priority);
    GIVES(cudaErrorInvalidValue,
          cudaStreamSetAttribute(stream, cudaLaunchAttributeCooperative, &attribute));
    cr_assert_eq(priority, -5);
    GOOD(cudaStreamQuery(stream));
    GOOD(cudaMemsetAsync(allocate(16), 0, 16, stream));
    GOOD(cudaStreamSynchronize(stream));
    GOOD(cudaStreamDestroy(stream));
    GIVES(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(stream));
    GIVES(cudaErrorInvalidResourceHandle, cudaMemsetAsync(allocate(16), 0, 16, stream));
    GIVES(cudaErrorInvalidResourceHandle, cudaStreamDestroy(0));
    GIVES(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&stream, 8));
    GOOD(cudaStreamSynchronize(cudaStreamPerThread));
}

Test(runtime_stream, events)
{
    cudaEvent_t start, end, untimed;
    float milliseconds = -1;
    GOOD(cudaEventCreate(&start));
    GOOD(cudaEventCreate(&end));
    GOOD(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    GIVES(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, end));
    GOOD(cudaEventQuery(start));
    GOOD(cudaEventRecord(start, 0));
    volatile double spin = 0;
    for (int i = 0; i < 1000000; i++)
        spin = spin + 1;
    GOOD(cudaEventRecord(end, 0));
    GOOD(cudaEventSynchronize(end));
    GOOD(cudaEventElapsedTime(&milliseconds, start, end));
    cr_assert(milliseconds > 0 && milliseconds < 10000);
    GOOD(cudaEventRecord(untimed, 0));
    GIVES(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, untimed));
    GOOD(cudaStreamWaitEvent(0, untimed, 0));
    GOOD(cudaEventDestroy(start));
    GIVES(cudaErrorInvalidResourceHandle, cudaEventDestroy(start));
    GIVES(cudaErrorInvalidResourceHandle, cudaEventRecord(0, 0));
    GIVES(cudaErrorInvalidValue, cudaEventCreateWithFlags(&start, 64));
}

static void call_cuda(void *argument)
{
    void *pointer;
    *(cudaError_t *)argument = cudaMalloc(&pointer, 4);
}

Test(runtime_stream, host_functions_may_not_call_cuda)
{
    cudaError_t inside = cudaSuccess;
    GIVES(cudaErrorInvalidValue, cudaLaunchHostFunc(0, NULL, NULL));
    cr_assert_eq(cudaLaunchHostFunc(0, call_cuda, &inside), cudaSuccess);
    cr_assert_eq(inside, cudaErrorNotPermitted);
}

/* ---- kernels: PTX registered as a program built by nvcc does it --------------------------------
 */

static const char ptx[] = ".version 9.0\n.target sm_90\n.address_size 64\n"
                          ".global .align 4 .u32 counter = 7;\n"
                          ".visible .entry store(.param .u64 p, .param .u32 v)\n{\n"
                          "  .reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
                          "  ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [v];\n"
                          "  cvta.to.global.u64 %rd2, %rd1; st.global.u32 [%rd2], %r1; ret;\n}\n"
                          ".visible .entry bounded()\n.maxntid 128, 1, 1\n{\n  ret;\n}\n"
                          ".visible .entry large()\n{\n  .shared .align 4 .b8 tile[40000];\n"
                          "  .reg .b32 %r<2>; mov.u32 %r1, 1; st.shared.u32 [tile], %r1; ret;\n}\n"
                          ".visible .entry stop()\n{\n  trap;\n}\n";

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int limit, void *tid, void *bid, void *bdim, void *gdim, int *size);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_extern,
                       size_t size, int constant, int global);

/* Stand for the host stubs, whose addresses name kernels and variables. */
static char store[1], bounded[1], large[1], stop[1], counter[4];
static void **handle;

static void register_ptx(void)
{
    static struct {
        uint32_t magic, version;
        const void *data, *name;
    } wrapper = {0x466243B1, 1, NULL, NULL};
    static union {
        uint64_t aligned;
        char bytes[4096];
    } container;
    size_t padded = (sizeof ptx + 7) / 8 * 8;
    memcpy(container.bytes, &(uint64_t){0x00100001BA55ED50}, 8);
    memcpy(container.bytes + 8, &(uint64_t){64 + padded}, 8);
    memcpy(container.bytes + 16, &(uint64_t){0x4001010001}, 8); /* PTX, header of 64 bytes */
    memcpy(container.bytes + 24, &padded, 8);
    container.bytes[16 + 28] = 90;
    memcpy(container.bytes + 80, ptx, sizeof ptx);
    wrapper.data = &container;
    handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, store, "store", "store", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(handle, bounded, "bounded", "bounded", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(handle, large, "large", "large", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(handle, stop, "stop", "stop", -1, 0, 0, 0, 0, 0);
    __cudaRegisterVar(handle, counter, "counter", "counter", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    quiet();
}

static cudaError_t launch(const void *kernel, dim3 grid, dim3 block, size_t shared,
                          void **arguments)
{
    return cudaLaunchKernel(kernel, grid, block, arguments, shared, 0);
}

static cudaError_t launch_store(void *to, int value)
{
    return launch(store, (dim3){1, 1, 1}, (dim3){1, 1, 1}, 0, (void *[]){&to, &value});
}

Test(runtime_launch, runs_and_counts, .init = register_ptx)
{
    int *device = allocate(sizeof *device), got = 0;
    struct lab_sim_totals totals;
    lab_sim_reset_totals();
    GOOD(launch_store(device, 42));
    GOOD(cudaMemcpy(&got, device, sizeof got, cudaMemcpyDeviceToHost));
    cr_assert_eq(got, 42);
    cr_assert_eq(lab_sim_last_outcome()->status, SIM_OK);
    uint64_t once = lab_sim_last_outcome()->warp_instructions;
    cr_assert(once > 0);
    GOOD(launch_store(device, 43));
    lab_sim_get_totals(&totals);
    cr_assert(totals.launches == 2 && totals.warp_instructions == 2 * once);
    cr_assert_eq(totals.thread_instructions, totals.warp_instructions); /* one thread */
}

Test(runtime_launch, refuses_what_a_gpu_refuses, .init = register_ptx)
{
    static const dim3 bad_grids[] = {{0, 1, 1}, {1, 0, 1}, {1, 65536, 1}, {1, 1, 65536}};
    static const dim3 bad_blocks[] = {
        {0, 1, 1}, {1025, 1, 1}, {1, 1025, 1}, {1, 1, 65}, {64, 64, 1}};
    const dim3 one = {1, 1, 1};
    for (int i = 0; i < 4; i++)
        GIVES(cudaErrorInvalidValue, launch(bounded, bad_grids[i], one, 0, NULL));
    for (int i = 0; i < 5; i++)
        GIVES(cudaErrorInvalidValue, launch(bounded, one, bad_blocks[i], 0, NULL));
    GOOD(launch(bounded, one, (dim3){128, 1, 1}, 0, NULL));
    GIVES(cudaErrorInvalidValue, launch(bounded, one, (dim3){129, 1, 1}, 0, NULL));
    cr_assert_eq(lab_sim_last_outcome()->status, SIM_BAD_LAUNCH);
    cr_assert(strstr(lab_sim_last_outcome()->message, "__launch_bounds__"));
    GIVES(cudaErrorInvalidValue, launch(store, one, one, 0, NULL));
    GIVES(cudaErrorInvalidResourceHandle, launch(counter, one, one, 0, NULL));
    GIVES(cudaErrorInvalidResourceHandle,
          cudaLaunchKernel(bounded, one, one, NULL, 0, (cudaStream_t)0x1234));
    GOOD(cudaDeviceSynchronize());
}

Test(runtime_launch, shared_memory_past_48_kib_needs_opting_in, .init = register_ptx)
{
    const dim3 one = {1, 1, 1};
    enum cudaFuncAttribute limit = cudaFuncAttributeMaxDynamicSharedMemorySize;
    GOOD(launch(bounded, one, one, 49152, NULL));
    GIVES(cudaErrorInvalidValue, launch(bounded, one, one, 49153, NULL));
    GOOD(launch(large, one, one, 9152, NULL));
    GIVES(cudaErrorInvalidValue, launch(large, one, one, 9153, NULL));
    GOOD(cudaFuncSetAttribute(bounded, limit, 100000));
    GOOD(launch(bounded, one, one, 100000, NULL));
    GIVES(cudaErrorInvalidValue, launch(bounded, one, one, 100001, NULL));
    GOOD(cudaFuncSetAttribute(bounded, limit, 232448));
    GIVES(cudaErrorInvalidValue, cudaFuncSetAttribute(bounded, limit, 232449));
    GIVES(cudaErrorInvalidValue, cudaFuncSetAttribute(bounded, limit, -1));
    GOOD(cudaFuncSetAttribute(large, limit, 192448));
    GIVES(cudaErrorInvalidValue, cudaFuncSetAttribute(large, limit, 192449));
    GIVES(cudaErrorInvalidResourceHandle, cudaFuncSetAttribute(counter, limit, 1));
    GIVES(cudaErrorInvalidValue, cudaFuncSetAttribute(large, (enum cudaFuncAttribute)77, 1));
    GIVES(cudaErrorInvalidValue,
          cudaFuncSetAttribute(large, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
    struct cudaFuncAttributes about;
    GOOD(cudaFuncGetAttributes(&about, large));
    cr_assert(about.sharedSizeBytes == 40000 && about.maxDynamicSharedSizeBytes == 192448);
    GOOD(cudaFuncGetAttributes(&about, bounded));
    cr_assert(about.maxThreadsPerBlock == 128 && about.ptxVersion == 90);
}

Test(runtime_launch, occupancy, .init = register_ptx)
{
    int blocks = -1;
    GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, large, 128, 0));
    cr_assert_eq(blocks, 5); /* 228 KiB hold five of 40000 + 1024 bytes */
    GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 64, 0));
    cr_assert_eq(blocks, 32);
    GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 2000, 0));
    cr_assert_eq(blocks, 0);
    GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 128, 50000));
    cr_assert_eq(blocks, 0);
    GIVES(cudaErrorInvalidValue,
          cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 0, 0));
}

Test(runtime_launch, variables, .init = register_ptx)
{
    int value = 0;
    size_t size;
    void *address;
    struct cudaPointerAttributes about;
    GOOD(cudaMemcpyFromSymbol(&value, counter, 4, 0, cudaMemcpyDeviceToHost));
    cr_assert_eq(value, 7);
    value = 99;
    GOOD(cudaMemcpyToSymbol(counter, &value, 4, 0, cudaMemcpyHostToDevice));
    GOOD(cudaGetSymbolSize(&size, counter));
    cr_assert_eq(size, 4);
    GOOD(cudaGetSymbolAddress(&address, counter));
    GOOD(cudaMemcpy(&value, address, 4, cudaMemcpyDeviceToHost));
    cr_assert_eq(value, 99);
    GOOD(cudaPointerGetAttributes(&about, address));
    cr_assert_eq(about.type, cudaMemoryTypeDevice);
    GIVES(cudaErrorInvalidValue, cudaFree(address));
    GIVES(cudaErrorInvalidValue, cudaMemcpyToSymbol(counter, &value, 4, 1, cudaMemcpyHostToDevice));
    GIVES(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(store, &value, 4, 0, cudaMemcpyHostToDevice));
}

/* The fault shows at the next call, stays, and spares what needs no device. */
static void expect_fault(cudaError_t fault)
{
    void *pointer;
    int value;
    cudaEvent_t event;
    struct cudaPointerAttributes about;
    cr_assert_eq(cudaGetLastError(), cudaSuccess, "the launch itself succeeds");
    GIVES(fault, cudaDeviceSynchronize());
    GIVES(fault, cudaMalloc(&pointer, 4));
    GIVES(fault, cudaMallocHost(&pointer, 4));
    GIVES(fault, cudaFree(NULL));
    GIVES(fault, cudaEventCreate(&event));
    GIVES(fault, cudaStreamQuery(0));
    GIVES(fault, launch(bounded, (dim3){1, 1, 1}, (dim3){1, 1, 1}, 0, NULL));
    GOOD(cudaGetDevice(&value));
    GOOD(cudaSetDevice(0));
    GOOD(cudaGetDeviceCount(&value));
    GOOD(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));
    GOOD(cudaPointerGetAttributes(&about, &value));
    GOOD(cudaDriverGetVersion(&value));
}

Test(runtime_fault, out_of_bounds, .init = register_ptx)
{
    char *device = allocate(64);
    cr_assert_eq(launch_store(device + 64, 1), cudaSuccess);
    expect_fault(cudaErrorIllegalAddress);
    cr_assert_eq(lab_sim_last_outcome()->status, SIM_OUT_OF_BOUNDS);
    cr_assert_eq(lab_sim_last_outcome()->address, (uint64_t)device + 64);
}

Test(runtime_fault, misaligned, .init = register_ptx)
{
    char *device = allocate(64);
    cr_assert_eq(launch_store(device + 1, 1), cudaSuccess);
    expect_fault(cudaErrorMisalignedAddress);
}

Test(runtime_fault, trap, .init = register_ptx)
{
    cr_assert_eq(launch(stop, (dim3){1, 1, 1}, (dim3){1, 1, 1}, 0, NULL), cudaSuccess);
    expect_fault(cudaErrorLaunchFailure);
}

Test(runtime_fault, shows_at_once_when_launches_block, .init = register_ptx)
{
    setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
    cr_assert_eq(launch_store(NULL, 1), cudaErrorIllegalAddress);
    cr_assert_eq(cudaPeekAtLastError(), cudaErrorIllegalAddress);
}

Test(runtime_fault, a_guard_is_a_bound, .init = register_ptx)
{
    char *device = allocate(1024);
    cr_assert_not(lab_sim_guard(device + 1000, 100, "too long"));
    cr_assert(lab_sim_guard(device + 256, 512, "the vector"));
    GOOD(launch_store(device + 256, 1));
    GOOD(launch_store(device + 764, 1));
    cr_assert_not_null(lab_sim_memory_host(device + 256, 512));
    cr_assert_null(lab_sim_memory_host(device + 256, 513));
    cr_assert_null(lab_sim_memory_host(device + 255, 1));
    int guard = 0;
    GOOD(cudaMemcpy(device, &guard, 4, cudaMemcpyHostToDevice)); /* the host may look at it */
    cr_assert_eq(launch_store(device + 768, 1), cudaSuccess);
    expect_fault(cudaErrorIllegalAddress);
    cr_assert(strstr(lab_sim_last_outcome()->message, "the vector"), "%s",
              lab_sim_last_outcome()->message);
}

Test(runtime_fault, reset_starts_over, .init = register_ptx)
{
    char *device = allocate(64);
    int value = 1;
    cr_assert_eq(cudaMemcpyToSymbol(counter, &value, 4, 0, cudaMemcpyHostToDevice), cudaSuccess);
    cr_assert_eq(launch_store(device + 64, 1), cudaSuccess);
    GIVES(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    GOOD(cudaDeviceReset());
    GOOD(cudaDeviceSynchronize());
    GIVES(cudaErrorInvalidValue, cudaMemset(device, 0, 64)); /* it is gone */
    device = allocate(64);
    GOOD(launch_store(device, 5));
    GOOD(cudaMemcpyFromSymbol(&value, counter, 4, 0, cudaMemcpyDeviceToHost));
    cr_assert_eq(value, 7);
}

static void *work(void *argument)
{
    long wrong = 0;
    for (int i = 0; i < 200; i++) {
        int *device = NULL, got = 0, value = i + (int)(long)argument;
        wrong += cudaMalloc((void **)&device, 4096) != cudaSuccess;
        wrong += launch_store(device, value) != cudaSuccess;
        wrong += cudaMemcpy(&got, device, 4, cudaMemcpyDeviceToHost) != cudaSuccess;
        wrong += got != value;
        wrong += cudaFree(device) != cudaSuccess;
    }
    return (void *)wrong;
}

Test(runtime_launch, from_several_host_threads, .init = register_ptx)
{
    pthread_t threads[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i * 1000));
    for (int i = 0; i < 4; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        cr_assert_null(wrong);
    }
}

Test(runtime_launch, unregistered_code_is_gone, .init = register_ptx)
{
    GOOD(launch(bounded, (dim3){1, 1, 1}, (dim3){1, 1, 1}, 0, NULL));
    __cudaUnregisterFatBinary(handle);
    GIVES(cudaErrorInvalidResourceHandle,
          launch(bounded, (dim3){1, 1, 1}, (dim3){1, 1, 1}, 0, NULL));
}
