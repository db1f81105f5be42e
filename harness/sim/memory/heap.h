/**
 * @file heap.h
 * @brief The heap of malloc() in kernels: ordinary device memory, of which kernels get no more than
 * cudaLimitMallocHeapSize.
 */
#ifndef SIM_MEMORY_HEAP_H
#define SIM_MEMORY_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Device address; 0: the heap is used up. Thread-safe. */
uint64_t sim_heap_allocate(size_t size);

/** False if sim_heap_allocate() did not return `address`, or if it was freed already. */
bool sim_heap_free(uint64_t address);

/** Bytes of the recently freed allocation that held `address`; 0: none did. */
size_t sim_heap_freed(uint64_t address);

/** Bytes that kernels hold at the moment. */
size_t sim_heap_used(void);

/** Sets the bytes in use to 0, after all memory has been freed. */
void sim_heap_reset(void);

/** Sets how many bytes kernels may hold at the same time; at first 8 MiB. */
void sim_heap_set_limit(size_t bytes);

#endif
