/**
 * @file places.h
 * @brief Where the lanes of a warp access memory. Each access calls a function of resolve.h.
 */
#ifndef SIM_MEMORY_PLACES_H
#define SIM_MEMORY_PLACES_H

#include "sim/machine/lanes.h"

/** How the addresses of the lanes lie. */
enum pattern {
    PATTERN_UNIT,      /**< lane i at base + i * bytes */
    PATTERN_SAME,      /**< all at base */
    PATTERN_OFFSETS,   /**< lane i at base + offset[i] */
    PATTERN_ADDRESSES, /**< lane i at host address address[i] + bias */
    PATTERN_SLOW       /**< in several spaces or allocations, or invalid: go lane by lane */
};

/** Where the lanes of a warp access memory, and in which pattern. */
struct places {
    enum pattern pattern;
    bool is_shared; /**< offset[] is used; else address[] is */
    char *base;
    const uint64_t *address; /**< without `plus`, which is added to each */
    uint64_t plus, bias;
    uint32_t offset[WARP_LANES]; /**< inactive lanes: as the first active one, as in `filled` */
    uint64_t filled[WARP_LANES]; /**< the addresses if some lanes are inactive */
};

enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC };

/** Reports what is wrong with a lane's access. Does not return. */
__attribute__((noreturn)) void sim_access_fault(struct warp *warp, const struct instruction *at,
                                                int lane, uint64_t address, unsigned bytes,
                                                enum access_kind kind);

/** Storage of one lane's access in any space but local memory; faults where there is none, or lets
 *  a load that goes a little too far find zeros. */
char *sim_lane_storage(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                       unsigned bytes, enum access_kind kind);

/** Whether sim_lane_storage() gave what no allocation has. */
bool sim_is_beyond(const char *storage);

/** Whether an address is one that names another block's shared memory, as mapa makes them. */
ALWAYS_INLINE bool sim_is_in_cluster(uint64_t address)
{
    return (address & WINDOW_MASK) == SHARED_WINDOW && (address & ~WINDOW_MASK) >> CLUSTER_SHIFT;
}

/** The same place of shared memory in the block with a rank as in the block of an address. */
ALWAYS_INLINE uint64_t sim_map_shared(const struct warp *warp, uint64_t address, uint32_t rank)
{
    const uint64_t inside = address & ((UINT64_C(1) << CLUSTER_SHIFT) - 1);
    const uint64_t there = rank == warp->worker->rank ? 0 : (uint64_t)rank + 1;
    return (address & WINDOW_MASK) | there << CLUSTER_SHIFT | inside;
}

/** The worker of the block whose shared memory an address names; NULL: the cluster has no such
 *  block. */
struct worker *sim_shared_owner(struct warp *warp, uint64_t address);

/** Bytes of a window: of the block's shared memory, the local memory up to the current function's,
 *  or the parameters; 0 for other windows. */
uint64_t sim_window_bytes(const struct warp *warp, uint64_t window);

/** Address of an active lane's access, with the window of its space. */
uint64_t sim_lane_address(const struct warp *warp, const struct instruction *at,
                          const struct places *places, const char *storage);

/** The same for storage in global memory. */
ALWAYS_INLINE uint64_t global_address(const struct warp *warp, const struct instruction *at,
                                      const char *storage)
{
    return (uint64_t)(uintptr_t)storage - warp->worker->caches[at->cache].bias;
}

/** Forgets remembered allocations after memory was freed on the device. */
void sim_refresh_caches(struct worker *worker);

/** Copies addresses; inactive lanes get the address of the first active lane. */
ALWAYS_INLINE void fill_inactive64(uint64_t *filled, const uint64_t *address, uint32_t active)
{
    const uint64_t first = address[__builtin_ctz(active)];
    EACH_LANE filled[lane] = active >> lane & 1 ? address[lane] : first;
}

ALWAYS_INLINE void fill_inactive32(uint32_t *offset, uint32_t active)
{
    const uint32_t first = offset[__builtin_ctz(active)];
    EACH_LANE offset[lane] = active >> lane & 1 ? offset[lane] : first;
}

/** The address of a lane of PATTERN_SLOW, with the window of its space. */
ALWAYS_INLINE uint64_t slow_address(const struct places *places, uint32_t lane)
{
    return places->is_shared ? SHARED_WINDOW + places->offset[lane]
                             : places->address[lane] + places->plus;
}

/** Storage of a lane of any pattern but PATTERN_SLOW. */
ALWAYS_INLINE char *place_of(const struct places *places, uint32_t lane, unsigned bytes)
{
    switch (places->pattern) {
    case PATTERN_UNIT:
        return places->base + lane * bytes;
    case PATTERN_SAME:
        return places->base;
    case PATTERN_OFFSETS:
        return places->base + places->offset[lane];
    default:
        return (char *)(uintptr_t)(places->address[lane] + places->bias);
    }
}

/** The lanes whose accesses differ: one lane where all access the same place. */
ALWAYS_INLINE uint32_t lanes_that_count(const struct warp *warp, const struct places *places)
{
    return places->pattern == PATTERN_SAME ? warp->active & -warp->active : warp->active;
}

#endif
