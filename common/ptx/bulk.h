/**
 * @file bulk.h
 * @brief Copies of neighbouring bytes that one thread starts, from sm_90 on: the size is all that
 * they need to know, and no tensor map.
 */
#ifndef LAB_PTX_BULK_H
#define LAB_PTX_BULK_H

#include "ptx/shared.h"

#include <stdint.h>

/** Starts a copy of `bytes` from global to shared memory. Its bytes count at `barrier`. All three
 * are multiples of 16. */
__attribute__((unused)) static __device__ __forceinline__ void
ptx_bulk_copy(unsigned to, const void *from, int bytes, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], "
                 "%2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(ptx_shared_address(barrier))
                 : "memory");
}

#endif
