/**
 * @file clock_record.h
 * @brief The waits of each warp of one block, as a kernel file writes them down that was compiled
 * with clock reads.
 *
 * For --clocks, nvcc is given this header before a kernel file: barriers and waits for asynchronous
 * copies then read the clock of their SM before and after they wait.
 */
#ifndef LAB_RUN_CLOCK_RECORD_H
#define LAB_RUN_CLOCK_RECORD_H

#include <cuda_runtime_api.h>

enum { LAB_CLOCK_WARPS = 32, LAB_CLOCK_WAITS = 128 };

/** One wait of a warp. */
struct lab_clock_wait {
    unsigned long long begin; /**< by the clock of the block's SM */
    unsigned length;
    unsigned line : 31, is_for_copy : 1; /**< 0: the wait is at a barrier */
};

/** The waits of the warps of one block. */
struct lab_clock_record {
    unsigned long long block;                                      /**< the block that writes */
    unsigned counts[LAB_CLOCK_WARPS];                              /**< number of all waits */
    struct lab_clock_wait waits[LAB_CLOCK_WARPS][LAB_CLOCK_WAITS]; /**< the first of them */
};

/** What the object exports: where the record is on the device. */
#define LAB_CLOCK_SYMBOL "lab_clock_record_address"
typedef cudaError_t lab_clock_record_fn(void **record);

#ifdef __CUDACC__

/* Included first, because these names are macros below. */
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

static __device__ struct lab_clock_record lab_clocks;

extern "C" __attribute__((visibility("default"))) cudaError_t
lab_clock_record_address(void **record)
{
    return cudaGetSymbolAddress(record, lab_clocks);
}

/* The first lane of a warp writes to a place that only this warp uses, so no other warp is held
 * up. */
static __device__ __forceinline__ void lab_clock_note(unsigned long long begin, int line,
                                                      unsigned is_for_copy)
{
    const unsigned long long end = clock64();
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned long long block =
        blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    if (thread % 32 != 0 || block != lab_clocks.block)
        return;
    const unsigned warp = thread / 32, count = lab_clocks.counts[warp]++;
    if (count < LAB_CLOCK_WAITS)
        lab_clocks.waits[warp][count] = {begin, (unsigned)(end - begin), (unsigned)line,
                                         is_for_copy};
}

/* A barrier holds a warp only some cycles after its issue, and the next instruction may then have
 * read the clock already. So the barrier takes a vote, whose result is always the same but comes
 * only when all warps have arrived. */
static __device__ __forceinline__ void lab_clock_barrier(int line)
{
    const unsigned long long begin = clock64();
    if (!__syncthreads_or(begin == 0))
        lab_clock_note(begin, line, 0);
}

static __device__ __forceinline__ void lab_clock_copies(int line, size_t pending)
{
    const unsigned long long begin = clock64();
    __pipeline_wait_prior(pending);
    lab_clock_note(begin, line, 1);
}

/* A barrier that takes a vote itself gets another barrier in front, where all warps wait. */
#define __syncthreads()                lab_clock_barrier(__LINE__)
#define __syncthreads_and(vote)        (lab_clock_barrier(__LINE__), __syncthreads_and(vote))
#define __syncthreads_or(vote)         (lab_clock_barrier(__LINE__), __syncthreads_or(vote))
#define __syncthreads_count(vote)      (lab_clock_barrier(__LINE__), __syncthreads_count(vote))
#define __pipeline_wait_prior(pending) lab_clock_copies(__LINE__, pending)

#endif
#endif
