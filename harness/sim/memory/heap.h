/**
 * @file heap.h
 * @brief The heap of malloc() in kernels: device memory like any other, of which no more is given
 * than cudaLimitMallocHeapSize.
 */
#ifndef SIM_MEMORY_HEAP_H
#define SIM_MEMORY_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Device address, or 0 where the heap is used up. Thread-safe. */
uint64_t sim_heap_allocate(size_t size);

/** False if sim_heap_allocate() did not give that address, or it was freed. */
bool sim_heap_free(uint64_t address);

/** Bytes of what held `address` and was freed, of the last ones; 0: none did. */
size_t sim_heap_freed(uint64_t address);

/** Bytes that kernels have at the moment. */
size_t sim_heap_used(void);

/** After all memory has been freed. */
void sim_heap_reset(void);

/** Bytes that kernels may have at a time, 8 MiB at first. */
void sim_heap_set_limit(size_t bytes);

#endif
