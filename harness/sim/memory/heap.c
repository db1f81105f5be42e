/* malloc() and free() of kernels; counts the bytes against the heap's limit. */
#include "memory.h"

#include <stdatomic.h>

static _Atomic size_t limit = 8 << 20, used;

uint64_t sim_heap_allocate(size_t size)
{
    const size_t before = atomic_fetch_add(&used, size);
    uint64_t address = 0;
    if (size <= atomic_load(&limit) && before <= atomic_load(&limit) - size)
        address = sim_memory_allocate(size, SIM_MEMORY_DEVICE, "malloc in a kernel");
    if (address)
        sim_memory_mark_unwritten(address, size);
    else
        atomic_fetch_sub(&used, size);
    return address;
}

/* The last allocations that were freed, for messages. */
enum { FREED_KEPT = 64 };
static struct {
    _Atomic uint64_t first, end;
} freed[FREED_KEPT];
static _Atomic size_t freed_count;

size_t sim_heap_freed(uint64_t address)
{
    for (int i = 0; i < FREED_KEPT; i++)
        if (address >= freed[i].first && address < freed[i].end)
            return freed[i].end - freed[i].first;
    return 0;
}

bool sim_heap_free(uint64_t address)
{
    const struct sim_allocation *const allocation = sim_memory_find(address);
    const size_t size = allocation ? allocation->size : 0;
    if (!sim_memory_free(address))
        return false;
    atomic_fetch_sub(&used, size);
    const size_t place = atomic_fetch_add(&freed_count, 1) % FREED_KEPT;
    freed[place].first = address;
    freed[place].end = address + size;
    return true;
}

size_t sim_heap_used(void)
{
    return atomic_load(&used);
}

void sim_heap_reset(void)
{
    atomic_store(&used, 0);
}

void sim_heap_set_limit(size_t bytes)
{
    atomic_store(&limit, bytes);
}
