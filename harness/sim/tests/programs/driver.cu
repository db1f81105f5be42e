// The driver API without the runtime's: kernels that come as PTX, as a fat binary, and from NVRTC
// at run time; launches, memory and streams; what is not there; a fault of a kernel.
#include "sim/lab_sim.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#if __has_include(<nvrtc.h>)
#include <nvrtc.h>
#else
#error "this toolkit has no NVRTC: run 'make setup test'"
#endif

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

#define EXPECT(condition)                                                                          \
    do                                                                                             \
        if (!(condition)) {                                                                        \
            std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                           \
            std::exit(1);                                                                          \
        }                                                                                          \
    while (0)
#define GOOD(call) EXPECT((call) == CUDA_SUCCESS)

enum { COUNT = 100, THREADS = 128 };

static const char PTX[] = R"(
.version 7.0
.target sm_52
.address_size 64
.visible .global .align 4 .u32 calls = 5;
.visible .entry add(.param .u32 amount, .param .u64 values, .param .u32 count)
{
    .reg .b32 %r<6>;
    .reg .b64 %d<3>;
    .reg .pred %p;
    ld.param.u32 %r1, [amount];
    ld.param.u64 %d1, [values];
    ld.param.u32 %r2, [count];
    mov.u32 %r3, %tid.x;
    setp.ge.u32 %p, %r3, %r2;
    @%p ret;
    mad.wide.u32 %d2, %r3, 4, %d1;
    ld.global.u32 %r4, [%d2];
    add.u32 %r5, %r4, %r1;
    st.global.u32 [%d2], %r5;
    ret;
}
)";

// In the program's own fat binary, which only the runtime would load.
extern "C" __global__ void twice(int *values, int count)
{
    if ((int)threadIdx.x < count)
        values[threadIdx.x] *= 2;
}

static const void *own_fat_binary();

static CUdeviceptr values; // COUNT numbers, from 0 on at first

static void write_values()
{
    int host[COUNT];
    for (int i = 0; i < COUNT; i++)
        host[i] = i;
    GOOD(cuMemcpyHtoD(values, host, sizeof host));
}

// Whether each value is `factor` times its place, and `more`.
static bool are(int factor, int more)
{
    int host[COUNT];
    GOOD(cuMemcpyDtoH(host, values, sizeof host));
    for (int i = 0; i < COUNT; i++)
        if (host[i] != factor * i + more)
            return false;
    return true;
}

static CUfunction load(const void *image, const char *name, CUmodule *module)
{
    CUfunction function;
    GOOD(cuModuleLoadData(module, image));
    GOOD(cuModuleGetFunction(&function, *module, name));
    return function;
}

static void before_a_context()
{
    CUdevice device;
    CUcontext none;
    EXPECT(cuMemAlloc(&values, 4) == CUDA_ERROR_NOT_INITIALIZED);
    GOOD(cuInit(0));
    GOOD(cuDeviceGet(&device, 0));
    EXPECT(cuDeviceGet(&device, 1) == CUDA_ERROR_INVALID_DEVICE);
    EXPECT(cuMemAlloc(&values, 4) == CUDA_ERROR_INVALID_CONTEXT);
    GOOD(cuCtxGetCurrent(&none));
    EXPECT(!none);
}

static void contexts()
{
    CUcontext mine, primary, now;
    GOOD(cuDevicePrimaryCtxRetain(&primary, 0));
    GOOD(cuCtxSetCurrent(primary));
    GOOD(cuCtxCreate(&mine, nullptr, 0, 0));
    GOOD(cuCtxGetCurrent(&now));
    EXPECT(now == mine);
    GOOD(cuCtxPopCurrent(&now));
    EXPECT(now == mine);
    GOOD(cuCtxDestroy(mine));
    EXPECT(cuCtxPushCurrent(mine) == CUDA_ERROR_INVALID_CONTEXT);
    GOOD(cuCtxGetCurrent(&now));
    EXPECT(now == primary);
}

static void device()
{
    char name[64];
    int major, minor, version;
    size_t bytes, available, total;
    GOOD(cuDeviceGetName(name, sizeof name, 0));
    GOOD(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
    GOOD(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    GOOD(cuDeviceTotalMem(&bytes, 0));
    GOOD(cuMemGetInfo(&available, &total));
    GOOD(cuDriverGetVersion(&version));
    EXPECT(name[0] && major > 0 && minor == 32 && bytes == total && version >= 13000);
}

// One kernel by all ways to launch it.
static void launches()
{
    CUmodule module;
    const CUfunction add = load(PTX, "add", &module);
    int amount = 7, count = COUNT;
    void *arguments[] = {&amount, &values, &count};
    struct {
        int amount;
        CUdeviceptr values;
        int count;
    } packed = {3, values, COUNT};
    size_t size = sizeof packed - 4;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    CUlaunchConfig config = {};
    config.gridDimX = config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.blockDimX = THREADS;
    write_values();
    GOOD(cuLaunchKernel(add, 1, 1, 1, THREADS, 1, 1, 0, nullptr, arguments, nullptr));
    GOOD(cuLaunchKernel(add, 1, 1, 1, THREADS, 1, 1, 0, nullptr, nullptr, extra));
    GOOD(cuLaunchKernelEx(&config, add, arguments, nullptr));
    GOOD(cuLaunchCooperativeKernel(add, 1, 1, 1, THREADS, 1, 1, 0, nullptr, arguments));
    EXPECT(are(1, 7 + 3 + 7 + 7));
    size = 12;
    EXPECT(cuLaunchKernel(add, 1, 1, 1, THREADS, 1, 1, 0, nullptr, nullptr, extra) ==
           CUDA_ERROR_INVALID_VALUE);

    int threads, offset_is_8, grid, block;
    size_t offset, bytes;
    GOOD(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, add));
    GOOD(cuFuncGetParamInfo(add, 1, &offset, &bytes));
    offset_is_8 = offset == 8 && bytes == 8;
    GOOD(cuOccupancyMaxPotentialBlockSize(&grid, &block, add, nullptr, 0, 0));
    EXPECT(threads == 1024 && offset_is_8 && grid > 0 && block > 0);

    CUdeviceptr calls;
    unsigned value;
    GOOD(cuModuleGetGlobal(&calls, &bytes, module, "calls"));
    GOOD(cuMemcpyDtoH(&value, calls, sizeof value));
    EXPECT(bytes == 4 && value == 5);
    CUfunction none;
    EXPECT(cuModuleGetFunction(&none, module, "nothing") == CUDA_ERROR_NOT_FOUND);
    EXPECT(cuModuleGetGlobal(&calls, &bytes, module, "nothing") == CUDA_ERROR_NOT_FOUND);
    GOOD(cuModuleUnload(module));
    EXPECT(cuModuleUnload(module) == CUDA_ERROR_INVALID_HANDLE);
}

// A library, and a linker whose image is loaded as a module.
static void libraries_and_links()
{
    CUlibrary library;
    CUkernel kernel;
    CUfunction function;
    CUlinkState link;
    CUmodule module;
    void *image;
    size_t size;
    int amount = 1, count = COUNT;
    void *arguments[] = {&amount, &values, &count};
    write_values();
    GOOD(cuLibraryLoadData(&library, PTX, nullptr, nullptr, 0, nullptr, nullptr, 0));
    GOOD(cuLibraryGetKernel(&kernel, library, "add"));
    GOOD(cuKernelGetFunction(&function, kernel));
    GOOD(cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, nullptr, arguments, nullptr));
    GOOD(cuLibraryUnload(library));
    GOOD(cuLinkCreate(0, nullptr, nullptr, &link));
    GOOD(
        cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)PTX, sizeof PTX, "add", 0, nullptr, nullptr));
    GOOD(cuLinkComplete(link, &image, &size));
    function = load(image, "add", &module);
    GOOD(cuLinkDestroy(link));
    GOOD(cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, nullptr, arguments, nullptr));
    EXPECT(are(1, 2));
    GOOD(cuModuleUnload(module));
}

// A module of PTX that is none: the log says so.
static void damaged()
{
    CUmodule module;
    char log[256] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *wanted[] = {log, (void *)sizeof log};
    EXPECT(cuModuleLoadDataEx(&module, ".version nonsense", 2, options, wanted) ==
           CUDA_ERROR_INVALID_PTX);
    EXPECT(log[0] && (size_t)wanted[1] == std::strlen(log));
    EXPECT(cuModuleLoadData(&module, "\x7f"
                                     "ELF") == CUDA_ERROR_NO_BINARY_FOR_GPU);
    EXPECT(cuModuleLoad(&module, "/nowhere") == CUDA_ERROR_FILE_NOT_FOUND);
}

static void memory()
{
    CUdeviceptr wide, start;
    CUmemorytype type;
    size_t pitch, size;
    unsigned host[4][4] = {};
    CUDA_MEMCPY2D box = {};
    GOOD(cuMemAllocPitch(&wide, &pitch, 16, 4, 4));
    GOOD(cuMemsetD2D32(wide, pitch, 0x01020304, 4, 4));
    GOOD(cuMemsetD16(wide + pitch, 0x0506, 2));
    box.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    box.srcDevice = wide;
    box.srcPitch = pitch;
    box.srcY = 1;
    box.dstMemoryType = CU_MEMORYTYPE_HOST;
    box.dstHost = host;
    box.dstPitch = 16;
    box.WidthInBytes = 16;
    box.Height = 3;
    GOOD(cuMemcpy2D(&box));
    EXPECT(host[0][0] == 0x05060506 && host[0][1] == 0x01020304 && host[2][3] == 0x01020304);
    GOOD(cuMemGetAddressRange(&start, &size, wide + 20));
    GOOD(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, wide + 20));
    EXPECT(start == wide && size == 4 * pitch && type == CU_MEMORYTYPE_DEVICE);
    GOOD(cuMemFree(wide));
    EXPECT(cuMemFree(wide) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemAlloc(&wide, 0) == CUDA_ERROR_INVALID_VALUE);
}

extern "C" __global__ void read_texture(cudaTextureObject_t texture, float *out)
{
    const int x = threadIdx.x % 8, y = threadIdx.x / 8;
    out[threadIdx.x] = tex2D<float>(texture, (x + 0.5f) / 8, (y + 0.5f) / 4);
}

// A byte is read as a fraction, as nothing says that it is an integer.
static void textures()
{
    unsigned char texels[4][8], back[4][8];
    float host[32];
    CUarray array;
    CUtexObject texture;
    CUsurfObject surface;
    CUmodule module;
    CUdeviceptr out;
    CUDA_ARRAY_DESCRIPTOR wanted = {8, 4, CU_AD_FORMAT_UNSIGNED_INT8, 1}, got;
    CUDA_MEMCPY2D box = {};
    CUDA_RESOURCE_DESC resource = {};
    CUDA_TEXTURE_DESC how = {};
    void *arguments[] = {&texture, &out};
    for (int i = 0; i < 32; i++)
        texels[i / 8][i % 8] = (unsigned char)(8 * i);
    GOOD(cuArrayCreate(&array, &wanted));
    GOOD(cuArrayGetDescriptor(&got, array));
    EXPECT(got.Width == 8 && got.Height == 4 && got.Format == wanted.Format &&
           got.NumChannels == 1);
    box.srcMemoryType = CU_MEMORYTYPE_HOST, box.srcHost = texels, box.srcPitch = 8;
    box.dstMemoryType = CU_MEMORYTYPE_ARRAY, box.dstArray = array;
    box.WidthInBytes = 8, box.Height = 5;
    EXPECT(cuMemcpy2D(&box) == CUDA_ERROR_INVALID_VALUE);
    box.Height = 4;
    GOOD(cuMemcpy2D(&box));
    resource.resType = CU_RESOURCE_TYPE_ARRAY, resource.res.array.hArray = array;
    how.flags = CU_TRSF_NORMALIZED_COORDINATES;
    GOOD(cuTexObjectCreate(&texture, &resource, &how, nullptr));
    GOOD(cuSurfObjectCreate(&surface, &resource)); // although the array was not made for one
    GOOD(cuSurfObjectDestroy(surface));
    GOOD(cuMemAlloc(&out, sizeof host));
    const CUfunction function = load(own_fat_binary(), "read_texture", &module);
    GOOD(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    GOOD(cuMemcpyDtoH(host, out, sizeof host));
    for (int i = 0; i < 32; i++)
        EXPECT(host[i] == 8 * i / 255.0f);
    box.srcMemoryType = CU_MEMORYTYPE_ARRAY, box.srcArray = array, box.srcY = 1;
    box.dstMemoryType = CU_MEMORYTYPE_HOST, box.dstHost = back, box.dstPitch = 8;
    box.Height = 3;
    GOOD(cuMemcpy2D(&box));
    EXPECT(std::memcmp(back, texels[1], 24) == 0);
    GOOD(cuTexObjectDestroy(texture));
    GOOD(cuArrayDestroy(array));
    EXPECT(cuArrayDestroy(array) == CUDA_ERROR_CONTEXT_IS_DESTROYED);
    GOOD(cuMemFree(out));
    GOOD(cuModuleUnload(module));
}

// Two pieces side by side, of which one kernel's array takes the middle; the same memory in another
// place, as another process would have it; and what must not be.
static void virtual_memory()
{
    const size_t whole = 4 << 20, half = whole / 2;
    CUmemAllocationProp about = {}, got;
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle pieces[2], imported, same;
    CUdeviceptr range, other, start;
    CUmodule module;
    int file, amount = 3, count = COUNT, numbers[COUNT];
    unsigned long long flags;
    size_t size, before, after;
    about.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    about.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    about.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    GOOD(cuMemGetInfo(&before, &size));
    GOOD(cuMemGetAllocationGranularity(&size, &about, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    EXPECT(size == half);
    GOOD(cuMemAddressReserve(&range, whole, 0, 0, 0));
    EXPECT(cuMemCreate(&pieces[0], 100, &about, 0) == CUDA_ERROR_INVALID_VALUE);
    for (int i = 0; i < 2; i++) {
        GOOD(cuMemCreate(&pieces[i], half, &about, 0));
        GOOD(cuMemMap(range + i * half, half, 0, pieces[i], 0));
    }
    EXPECT(cuMemMap(range, half, 0, pieces[0], 0) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemcpyHtoD(range, numbers, 4) == CUDA_ERROR_INVALID_VALUE); // no access yet
    EXPECT(cuMemSetAccess(range, 100, &access, 1) == CUDA_ERROR_INVALID_VALUE);
    GOOD(cuMemSetAccess(range, whole, &access, 1));
    GOOD(cuMemGetAddressRange(&start, &size, range + half));
    EXPECT(start == range + half && size == half);
    GOOD(cuMemGetAccess(&flags, &access.location, range + half));
    EXPECT(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);

    CUdeviceptr middle = range + half - 8 * sizeof(int);
    void *arguments[] = {&amount, &middle, &count};
    const CUfunction function = load(PTX, "add", &module);
    GOOD(cuMemsetD32(middle, 4, COUNT));
    GOOD(cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, nullptr, arguments, nullptr));
    GOOD(cuMemcpyDtoH(numbers, middle, sizeof numbers));
    EXPECT(numbers[0] == 7 && numbers[COUNT - 1] == 7);

    GOOD(cuMemExportToShareableHandle(&file, pieces[1], CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                      0));
    GOOD(cuMemImportFromShareableHandle(&imported, (void *)(uintptr_t)file,
                                        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(file);
    GOOD(cuMemAddressReserve(&other, half, 2 * whole, 0, 0));
    EXPECT(other % (2 * whole) == 0 && (other >= range + whole || other + half <= range));
    GOOD(cuMemMap(other, half, 0, imported, 0));
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
    GOOD(cuMemSetAccess(other, half, &access, 1));
    GOOD(cuMemcpyDtoH(numbers, other, sizeof(int)));
    EXPECT(numbers[0] == 7);
    GOOD(cuMemGetAllocationPropertiesFromHandle(&got, imported));
    EXPECT(got.type == about.type && !got.requestedHandleTypes);
    GOOD(cuMemRetainAllocationHandle(&same, (void *)other));
    EXPECT(same == imported);

    GOOD(cuMemRelease(same));
    for (CUmemGenericAllocationHandle handle : {pieces[0], pieces[1], imported})
        GOOD(cuMemRelease(handle));
    EXPECT(cuMemRelease(imported) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemFree(range) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemUnmap(range, half / 2) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemAddressFree(range, whole) == CUDA_ERROR_INVALID_VALUE);
    GOOD(cuMemUnmap(range, half));
    EXPECT(cuMemcpyDtoH(numbers, range, 4) == CUDA_ERROR_INVALID_VALUE);
    GOOD(cuMemcpyDtoH(numbers, range + half, 4));
    GOOD(cuMemUnmap(range + half, half));
    GOOD(cuMemUnmap(other, half));
    GOOD(cuMemAddressFree(range, whole));
    GOOD(cuMemAddressFree(other, half));
    GOOD(cuModuleUnload(module));
    GOOD(cuMemGetInfo(&after, &size));
    EXPECT(after == before);
}

static void called(void *argument)
{
    ++*(int *)argument;
}

// A stream of the driver is one of the runtime, and so is everything on the device.
static void streams()
{
    CUstream stream;
    CUevent start, end;
    float milliseconds;
    int calls = 0;
    GOOD(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    GOOD(cuEventCreate(&start, 0));
    GOOD(cuEventCreate(&end, 0));
    GOOD(cuEventRecord(start, stream));
    GOOD(cuMemsetD32Async(values, 9, COUNT, stream));
    GOOD(cuLaunchHostFunc(stream, called, &calls));
    GOOD(cuEventRecord(end, stream));
    EXPECT(cudaStreamSynchronize(stream) == cudaSuccess);
    GOOD(cuEventElapsedTime(&milliseconds, start, end));
    EXPECT(are(0, 9) && calls == 1);
    GOOD(cuStreamDestroy(stream));
    EXPECT(cuStreamDestroy(stream) == CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cudaGetLastError() == cudaSuccess); // the driver's errors are not the runtime's
}

// A fill, a kernel behind it, and a copy behind the kernel; then with other arguments, as what
// compiles at run time does it.
static void graphs()
{
    int host[COUNT], amount = 2, count = COUNT;
    void *arguments[] = {&amount, &values, &count};
    CUgraph graph;
    CUgraphExec executable;
    CUgraphNode nodes[3];
    CUgraphNodeType type;
    CUmodule module;
    CUDA_KERNEL_NODE_PARAMS kernel = {}, got;
    CUDA_MEMSET_NODE_PARAMS fill = {values, 0, 7, 4, COUNT, 1};
    CUDA_MEMCPY3D copy = {};
    kernel.func = load(PTX, "add", &module);
    kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = 1;
    kernel.blockDimX = THREADS, kernel.blockDimY = kernel.blockDimZ = 1;
    kernel.kernelParams = arguments;
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE, copy.srcDevice = values;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST, copy.dstHost = host;
    copy.WidthInBytes = sizeof host, copy.Height = copy.Depth = 1;
    copy.srcPitch = copy.dstPitch = sizeof host;
    copy.srcHeight = copy.dstHeight = 1;
    GOOD(cuGraphCreate(&graph, 0));
    GOOD(cuGraphAddMemsetNode(&nodes[0], graph, nullptr, 0, &fill, nullptr));
    GOOD(cuGraphAddKernelNode(&nodes[1], graph, &nodes[0], 1, &kernel));
    GOOD(cuGraphAddMemcpyNode(&nodes[2], graph, &nodes[1], 1, &copy, nullptr));
    GOOD(cuGraphNodeGetType(nodes[2], &type));
    EXPECT(type == CU_GRAPH_NODE_TYPE_MEMCPY);
    GOOD(cuGraphKernelNodeGetParams(nodes[1], &got));
    EXPECT(got.func == kernel.func && *(int *)got.kernelParams[0] == 2);
    GOOD(cuGraphInstantiate(&executable, graph, 0));
    GOOD(cuGraphLaunch(executable, nullptr));
    GOOD(cuStreamSynchronize(nullptr));
    EXPECT(host[0] == 9 && host[COUNT - 1] == 9);
    amount = 4;
    GOOD(cuGraphExecKernelNodeSetParams(executable, nodes[1], &kernel));
    GOOD(cuGraphLaunch(executable, nullptr));
    GOOD(cuStreamSynchronize(nullptr));
    EXPECT(host[0] == 11 && host[COUNT - 1] == 11);
    kernel.blockDimX = 2000;
    EXPECT(cuGraphExecKernelNodeSetParams(executable, nodes[1], &kernel) ==
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuGraphAddKernelNode(&nodes[1], graph, nullptr, 0, nullptr) == CUDA_ERROR_INVALID_VALUE);
    GOOD(cuGraphExecDestroy(executable));
    GOOD(cuGraphDestroy(graph));
    GOOD(cuModuleUnload(module));
    EXPECT(cudaGetLastError() == cudaSuccess);
}

static void *entry(const char *name, int version, cuuint64_t flags, int expected)
{
    void *function;
    CUdriverProcAddressQueryResult found;
    GOOD(cuGetProcAddress(name, &function, version, flags, &found));
    EXPECT(found == expected && !function == (found != CU_GET_PROC_ADDRESS_SUCCESS));
    return function;
}

static void entries()
{
    const int per_thread = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    void *const self = dlopen("libcuda.so.1", RTLD_NOW), *function;
    CUmipmappedArray array;
    CUDA_ARRAY3D_DESCRIPTOR description = {};
    const void *table;
    const CUuuid id = {};
    EXPECT(self);
    EXPECT(entry("cuMemAlloc", 12000, 0, 0) == dlsym(self, "cuMemAlloc_v2"));
    EXPECT(entry("cuMemAlloc_v2", 12000, 0, 0) == dlsym(self, "cuMemAlloc_v2"));
    EXPECT(entry("cuCtxCreate", 11000, 0, 0) == dlsym(self, "cuCtxCreate_v2"));
    EXPECT(entry("cuCtxCreate", 13000, 0, 0) == dlsym(self, "cuCtxCreate_v4"));
    EXPECT(entry("cuMemcpyHtoD", 12000, 0, 0) == dlsym(self, "cuMemcpyHtoD_v2"));
    EXPECT(entry("cuMemcpyHtoD", 12000, per_thread, 0) == dlsym(self, "cuMemcpyHtoD_v2_ptds"));
    EXPECT(entry("cuMemcpyHtoD_v2_ptds", 12000, 0, 0) == dlsym(self, "cuMemcpyHtoD_v2_ptds"));
    EXPECT(entry("cuCtxCreate", 4000, 0, 0) == dlsym(self, "cuCtxCreate_v2"));
    entry("cuMemAlloc", 3000, 0, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    entry("cuNothing", 12000, 0, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    entry("cuMipmappedArrayCreate", 12000, 0, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    EXPECT(cuGetProcAddress("cuInit", &function, 99000, 0, nullptr) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMipmappedArrayCreate(&array, &description, 1) == CUDA_ERROR_NOT_SUPPORTED);
    EXPECT(cuGetExportTable(&table, &id) == CUDA_ERROR_NOT_FOUND);
}

// The fat binary that nvcc has put into this program, read from its file: a header of 16 bytes, and
// then an entry of kind 1 (PTX) or 2.
static const void *own_fat_binary()
{
    static char file[1 << 24] __attribute__((aligned(8)));
    FILE *const self = std::fopen("/proc/self/exe", "rb");
    EXPECT(self);
    const size_t size = std::fread(file, 1, sizeof file, self);
    std::fclose(self);
    for (size_t at = 0; at + 24 < size; at += 8) {
        unsigned magic;
        std::memcpy(&magic, file + at, sizeof magic);
        if (magic == 0xBA55ED50 && file[at + 4] == 1 && file[at + 6] == 16 &&
            (file[at + 16] == 1 || file[at + 16] == 2))
            return file + at;
    }
    return nullptr;
}

static void fat_binary()
{
    CUmodule module;
    int count = COUNT;
    void *arguments[] = {&values, &count};
    const void *const container = own_fat_binary();
    EXPECT(container);
    write_values();
    const CUfunction function = load(container, "twice", &module);
    GOOD(cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, nullptr, arguments, nullptr));
    EXPECT(are(2, 0));
    GOOD(cuModuleUnload(module));
}

// Compiles with NVRTC. The kernel has a race, and its line has a name.
static const char *compiled(const char *source)
{
    // The simulator's, which asks NVIDIA's: of machine code it makes PTX.
    setenv("CUDA_HOME", CUDA_LIB "/..", 1);
    void *const nvrtc = dlopen("libnvrtc.so.13", RTLD_NOW);
    EXPECT(nvrtc);
    const auto create = (decltype(&nvrtcCreateProgram))dlsym(nvrtc, "nvrtcCreateProgram");
    const auto compile = (decltype(&nvrtcCompileProgram))dlsym(nvrtc, "nvrtcCompileProgram");
    const auto get_size = (decltype(&nvrtcGetPTXSize))dlsym(nvrtc, "nvrtcGetCUBINSize");
    const auto get = (decltype(&nvrtcGetPTX))dlsym(nvrtc, "nvrtcGetCUBIN");
    const char *options[] = {"-arch=sm_90", "-lineinfo"};
    nvrtcProgram program;
    size_t size;
    EXPECT(create(&program, source, "inside.cu", 0, nullptr, nullptr) == NVRTC_SUCCESS);
    EXPECT(compile(program, 2, options) == NVRTC_SUCCESS);
    EXPECT(get_size(program, &size) == NVRTC_SUCCESS);
    char *const ptx = (char *)std::malloc(size);
    EXPECT(ptx && get(program, ptx) == NVRTC_SUCCESS);
    return ptx;
}

// Both faults, of PTX and of what NVRTC made: the error, and then what the message says.
static void faults()
{
    CUmodule module;
    int amount = 1, count = THREADS;
    void *arguments[] = {&amount, &values, &count};
    const char *text;
    const struct sim_outcome *const outcome = lab_sim_last_outcome();
    CUfunction function = load(PTX, "add", &module);
    GOOD(cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, nullptr, arguments, nullptr));
    EXPECT(cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT(outcome->status == SIM_OUT_OF_BOUNDS && outcome->thread[0] == COUNT);
    GOOD(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
    EXPECT(std::strcmp(text, "CUDA_ERROR_ILLEGAL_ADDRESS") == 0);
    GOOD(cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
    EXPECT(std::strcmp(text, "an illegal memory access was encountered") == 0);
    GOOD(cuDevicePrimaryCtxReset(0));
    GOOD(cuCtxSynchronize());

    const char *const ptx = compiled("extern \"C\" __global__ void sum(int *to)\n"
                                     "{\n"
                                     "    __shared__ int part[64];\n"
                                     "    part[threadIdx.x] = 1;\n"
                                     "    to[threadIdx.x] = part[63 - threadIdx.x];\n"
                                     "}\n");
    void *only[] = {&values};
    GOOD(cuMemAlloc(&values, 64 * sizeof(int)));
    function = load(ptx, "sum", &module);
    GOOD(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, only, nullptr));
    EXPECT(cuCtxSynchronize() == CUDA_ERROR_LAUNCH_FAILED);
    EXPECT(outcome->status == SIM_RACE && outcome->line == 4 &&
           std::strstr(outcome->file, "inside.cu"));
}

int main()
{
    before_a_context();
    contexts();
    GOOD(cuMemAlloc(&values, COUNT * sizeof(int)));
    device();
    launches();
    fat_binary();
    libraries_and_links();
    damaged();
    memory();
    virtual_memory();
    textures();
    streams();
    graphs();
    entries();
    faults();
    std::puts("all as it should be");
    return 0;
}
