/**
 * @file named_barrier.h
 * @brief The barriers of a block that have numbers: for some of its warps, which need not wait
 * where they arrive. Number 0 is the one of __syncthreads().
 */
#ifndef LAB_PTX_NAMED_BARRIER_H
#define LAB_PTX_NAMED_BARRIER_H

/** Waits at barrier `number` (1 to 15) until `threads` threads, whole warps, have come to it or
 * arrived. What they wrote before can be read afterwards. */
__attribute__((unused)) static __device__ __forceinline__ void ptx_named_barrier_sync(int number,
                                                                                      int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

/** Arrives there without waiting. */
__attribute__((unused)) static __device__ __forceinline__ void ptx_named_barrier_arrive(int number,
                                                                                        int threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

#endif
