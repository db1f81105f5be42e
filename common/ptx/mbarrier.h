/**
 * @file mbarrier.h
 * @brief Barriers in shared memory, which threads and asynchronous copies arrive at. From sm_80
 * on; waiting that sleeps, and expected bytes, from sm_90 on.
 *
 * A barrier counts through phases: each ends when as many threads have arrived as it was made for,
 * and all bytes have come that they said they expect. Whoever waits names the parity of the phase.
 */
#ifndef LAB_PTX_MBARRIER_H
#define LAB_PTX_MBARRIER_H

#include "ptx/shared.h"

#include <stdint.h>

/** Makes a barrier for `count` arrivals. Other threads may use it after a barrier of the
 * block; bulk copies, too, if ptx_mbarriers_made() came before that. */
__attribute__((unused)) static __device__ __forceinline__ void ptx_mbarrier_make(uint64_t *barrier,
                                                                                 int count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(ptx_shared_address(barrier)),
                 "r"(count)
                 : "memory");
}

/** Lets asynchronous copies see the barriers that this thread has made. */
__attribute__((unused)) static __device__ __forceinline__ void ptx_mbarriers_made(void)
{
    asm volatile("fence.mbarrier_init.release.cluster;\n\tfence.proxy.async.shared::cta;" ::
                     : "memory");
}

/** Arrives; what this thread wrote before can be read by those who wait. */
__attribute__((unused)) static __device__ __forceinline__ void
ptx_mbarrier_arrive(uint64_t *barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(ptx_shared_address(barrier))
                 : "memory");
}

/** Arrives, and expects that many bytes of copies in this phase. */
__attribute__((unused)) static __device__ __forceinline__ void
ptx_mbarrier_arrive_expecting(uint64_t *barrier, int bytes)
{
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(ptx_shared_address(barrier)),
        "r"(bytes)
        : "memory");
}

/** Arrives when all copies by cp.async have come that this thread has started. */
__attribute__((unused)) static __device__ __forceinline__ void
ptx_mbarrier_arrive_after_copies(uint64_t *barrier)
{
    asm volatile(
        "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(ptx_shared_address(barrier))
        : "memory");
}

/** Waits until the phase of this parity has ended: 0 for the first one. */
__attribute__((unused)) static __device__ __forceinline__ void ptx_mbarrier_wait(uint64_t *barrier,
                                                                                 int parity)
{
    asm volatile("{\n\t.reg .pred is_over;\n\t"
                 "AGAIN:\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 is_over, [%0], %1;\n\t"
                 "@!is_over bra AGAIN;\n\t}" ::"r"(ptx_shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}

#endif
