/**
 * @file launch_early.h
 * @brief Kernels that begin before the one before them in the stream has ended (programmatic
 * dependent launch, from sm_90 on; compiled for older GPUs one starts behind the other).
 */
#ifndef LAB_PTX_LAUNCH_EARLY_H
#define LAB_PTX_LAUNCH_EARLY_H

#include <cuda_runtime_api.h>

/* The least GPU architecture that the file is compiled for: 900. What is compiled for an older one
 * has no wait in it, on whatever GPU it runs. */
#define LAB_FIRST_OF(first, ...) first
#define LAB_LEAST_ARCH_OF(...)   LAB_FIRST_OF(__VA_ARGS__, 0)
#define LAB_LEAST_ARCH           LAB_LEAST_ARCH_OF(__CUDA_ARCH_LIST__)

/** Lets the next kernel of the stream begin as soon as every block has come here or has ended, if
 *  it was launched by launch_early(). */
__attribute__((unused)) static __device__ __forceinline__ void ptx_let_next_begin(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/** Waits until the kernel before this one in the stream has ended: what it wrote is there from here
 *  on. */
__attribute__((unused)) static __device__ __forceinline__ void ptx_wait_for_earlier(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/**
 * @brief Launches a kernel that may begin before the one before it in the stream has ended.
 *
 * What that one writes it uses behind ptx_wait_for_earlier() alone. The kernel before that one has
 * ended in any case, if the one between was launched in the usual way. Returns the launch's status.
 */
template <class... Parameters>
static cudaError_t launch_early(void (*kernel)(Parameters...), int blocks, int threads,
                                size_t shared_bytes, cudaStream_t stream, Parameters... parameters)
{
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = LAB_LEAST_ARCH >= 900;
    return cudaLaunchKernelEx(&config, kernel, parameters...);
}

#endif
