/* Bytes that kernels have from malloc(), counted against the heap's limit. */
#include "heap.h"

#include "memory.h"

#include <stdatomic.h>

static _Atomic size_t limit = 8 << 20, used;

uint64_t sim_heap_allocate(size_t size)
{
    const size_t before = atomic_fetch_add(&used, size);
    uint64_t address = 0;
    if (size <= atomic_load(&limit) && before <= atomic_load(&limit) - size)
        address = sim_memory_allocate(size, SIM_MEMORY_DEVICE, "malloc in a kernel");
    if (!address)
        atomic_fetch_sub(&used, size);
    return address;
}

bool sim_heap_free(uint64_t address)
{
    const struct sim_allocation *const allocation = sim_memory_find(address);
    const size_t size = allocation ? allocation->size : 0;
    if (!sim_memory_free(address))
        return false;
    atomic_fetch_sub(&used, size);
    return true;
}

void sim_heap_reset(void)
{
    atomic_store(&used, 0);
}

void sim_heap_set_limit(size_t bytes)
{
    atomic_store(&limit, bytes);
}
