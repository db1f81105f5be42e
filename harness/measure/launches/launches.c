/* The launch recorder: our own definitions of the runtime's launch entry points, which the dynamic
 * linker finds before the runtime's. Only this file writes the state below, in the thread that
 * launches; the harness launches from one thread. */
#include "measure/launches/launches.h"

#include "base/time.h"

#include <dlfcn.h>

enum { KEPT = 16, KERNELS = 256 };

typedef cudaError_t get_kernel_fn(cudaKernel_t *kernel, const void *function);
typedef cudaError_t launch_handle_fn(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                                     size_t dynamic_shared, cudaStream_t stream);
typedef cudaError_t launch_fn(const void *function, dim3 grid, dim3 block, void **arguments,
                              size_t dynamic_shared, cudaStream_t stream);
typedef cudaError_t launch_config_fn(const cudaLaunchConfig_t *config, const void *function,
                                     void **arguments);

static struct {
    get_kernel_fn *get_kernel;
    launch_handle_fn *launch_handle;
    launch_fn *launch, *launch_cooperative;
    launch_config_fn *launch_config;
    struct {
        cudaKernel_t kernel;
        const void *function;
    } kernels[KERNELS]; /* what __cudaGetKernel() has answered */
    int kernel_count;
    struct lab_launch_record records[KEPT];
    int record_count;
    void (*after)(void *context); /* called after each launch; NULL: none */
    void *context;
} recorder;

int lab_launches_bind(void)
{
    recorder.get_kernel = (get_kernel_fn *)dlsym(RTLD_NEXT, "__cudaGetKernel");
    recorder.launch_handle = (launch_handle_fn *)dlsym(RTLD_NEXT, "__cudaLaunchKernel");
    recorder.launch = (launch_fn *)dlsym(RTLD_NEXT, "cudaLaunchKernel");
    recorder.launch_cooperative = (launch_fn *)dlsym(RTLD_NEXT, "cudaLaunchCooperativeKernel");
    recorder.launch_config = (launch_config_fn *)dlsym(RTLD_NEXT, "cudaLaunchKernelExC");
    return recorder.get_kernel && recorder.launch_handle && recorder.launch &&
                   recorder.launch_cooperative && recorder.launch_config
               ? 0
               : -1;
}

void lab_launches_reset(void)
{
    recorder.record_count = 0;
}

void lab_launches_watch(void (*after)(void *context), void *context)
{
    recorder.after = after;
    recorder.context = context;
}

int lab_launches_count(void)
{
    return recorder.record_count;
}

const struct lab_launch_record *lab_launches_get(int i)
{
    return i >= 0 && i < recorder.record_count && i < KEPT ? &recorder.records[i] : NULL;
}

void lab_launches_set_work(int i, double work)
{
    if (i >= 0 && i < recorder.record_count && i < KEPT)
        recorder.records[i].work = work;
}

/* Records a launch before it is made; launched() follows it. */
static void record(const void *function, dim3 grid, dim3 block, size_t dynamic_shared)
{
    if (recorder.record_count < KEPT)
        recorder.records[recorder.record_count] =
            (struct lab_launch_record){function, grid, block, dynamic_shared, .work = 0.0};
    recorder.record_count++;
    lab_host_limit_pause();
}

static cudaError_t launched(cudaError_t status)
{
    if (recorder.after)
        recorder.after(recorder.context);
    lab_host_limit_resume();
    return status;
}

/* A stub asks for its handle once and then launches by handle, so stub and handle are kept. */
__attribute__((visibility("default"))) cudaError_t __cudaGetKernel(cudaKernel_t *kernel,
                                                                   const void *function)
{
    cudaError_t status = recorder.get_kernel(kernel, function);
    if (status == cudaSuccess && recorder.kernel_count < KERNELS) {
        recorder.kernels[recorder.kernel_count].kernel = *kernel;
        recorder.kernels[recorder.kernel_count++].function = function;
    }
    return status;
}

__attribute__((visibility("default"))) cudaError_t
__cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                   size_t dynamic_shared, cudaStream_t stream)
{
    const void *function = NULL;
    for (int i = recorder.kernel_count - 1; i >= 0 && !function; i--)
        if (recorder.kernels[i].kernel == kernel)
            function = recorder.kernels[i].function;
    record(function, grid, block, dynamic_shared);
    lab_calls_note_launch(function, stream, __builtin_return_address(0));
    return lab_calls_note_launched(
        function,
        launched(recorder.launch_handle(kernel, grid, block, arguments, dynamic_shared, stream)),
        __builtin_return_address(0));
}

__attribute__((visibility("default"))) cudaError_t cudaLaunchKernel(const void *function, dim3 grid,
                                                                    dim3 block, void **arguments,
                                                                    size_t dynamic_shared,
                                                                    cudaStream_t stream)
{
    record(function, grid, block, dynamic_shared);
    lab_calls_note_launch(function, stream, __builtin_return_address(0));
    return lab_calls_note_launched(
        function,
        launched(recorder.launch(function, grid, block, arguments, dynamic_shared, stream)),
        __builtin_return_address(0));
}

__attribute__((visibility("default"))) cudaError_t
cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                            size_t dynamic_shared, cudaStream_t stream)
{
    record(function, grid, block, dynamic_shared);
    lab_calls_note_launch(function, stream, __builtin_return_address(0));
    return lab_calls_note_launched(function,
                                   launched(recorder.launch_cooperative(
                                       function, grid, block, arguments, dynamic_shared, stream)),
                                   __builtin_return_address(0));
}

__attribute__((visibility("default"))) cudaError_t
cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments)
{
    record(function, config->gridDim, config->blockDim, config->dynamicSmemBytes);
    lab_calls_note_launch(function, config->stream, __builtin_return_address(0));
    return lab_calls_note_launched(function,
                                   launched(recorder.launch_config(config, function, arguments)),
                                   __builtin_return_address(0));
}
