/**
 * @file launch_early.h
 * @brief Kernels that begin before the preceding kernel of the stream has ended (programmatic
 * dependent launch, from sm_90 on). Compiled for older GPUs, each starts after the preceding one.
 */
#ifndef LAB_PTX_LAUNCH_EARLY_H
#define LAB_PTX_LAUNCH_EARLY_H

#include <cuda_runtime_api.h>

/* The least GPU architecture that the file is compiled for, such as 900. Code compiled for an older
 * one has no wait in it, whatever GPU it runs on. */
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

/** Waits until the preceding kernel of the stream has ended. After this, what that kernel wrote may
 * be read. */
__attribute__((unused)) static __device__ __forceinline__ void ptx_wait_for_earlier(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/**
 * @brief Launches a kernel that may begin before the preceding kernel of the stream has ended.
 *
 * It may use what the preceding kernel writes only after ptx_wait_for_earlier(). The kernel before
 * the preceding one has ended anyway, if the preceding one was launched in the usual way. Returns
 * the launch's status.
 */
template <class... Parameters>
static cudaError_t launch_early(void (*kernel)(Parameters...), dim3 blocks, dim3 threads,
                                size_t shared_bytes, cudaStream_t stream, Parameters... parameters)
{
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = LAB_LEAST_ARCH >= 900;
    return cudaLaunchKernelEx(&config, kernel, parameters...);
}

#endif
