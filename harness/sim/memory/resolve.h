/**
 * @file resolve.h
 * @brief Finds where a warp accesses memory: each load and store calls one of these functions.
 */
#ifndef SIM_MEMORY_RESOLVE_H
#define SIM_MEMORY_RESOLVE_H

#include "places.h"

#include "sim/machine/lane_tests.h"

/** Looks an address up and remembers its allocation for this instruction; false if the address is
 *  in no allocation that the instruction may use. */
bool sim_fill_cache(const struct warp *warp, const struct instruction *at, uint64_t address);

ALWAYS_INLINE bool in_cache(const struct access_cache *cache, uint64_t first, uint64_t span)
{
    return span <= cache->size && first - cache->first <= cache->size - span;
}

ALWAYS_INLINE bool find_in_cache(const struct warp *warp, const struct instruction *at,
                                 uint64_t first, uint64_t span)
{
    const struct access_cache *const cache = &warp->worker->caches[at->cache];
    return in_cache(cache, first, span) ||
           (sim_fill_cache(warp, at, first) && in_cache(cache, first, span));
}

/** Whether all lanes access global memory as far from its storage as the first lane does, in
 * several allocations that no check has tags for: then it need not be known which allocation a lane
 *  accesses. The first lane's is in the cache. */
bool sim_lanes_are_alike(const struct warp *warp, const struct instruction *at, unsigned bytes,
                         const struct places *places);

/** Global and constant memory, where no address may lie in a window. */
ALWAYS_INLINE void resolve_device(struct warp *warp, const struct instruction *at, unsigned bytes,
                                  struct places *places)
{
    const struct access_cache *const cache = &warp->worker->caches[at->cache];
    const uint64_t *const address = places->address;
    const uint64_t first = address[0] + places->plus;
    const bool is_same = !lanes_differ64(address, address[0], 0);
    const bool is_unit = !is_same && !lanes_differ64(address, address[0], bytes);
    if ((is_same || is_unit) && (first & (bytes - 1)) == 0 &&
        find_in_cache(warp, at, first, is_same ? bytes : bytes * WARP_LANES)) {
        places->pattern = is_same ? PATTERN_SAME : PATTERN_UNIT;
        places->base = (char *)(uintptr_t)(first + cache->bias);
        return;
    }
    places->pattern = PATTERN_SLOW;
    if (find_in_cache(warp, at, first, bytes) &&
        (!lanes_misplaced64(address, places->plus, cache->first, cache->size - bytes, bytes) ||
         sim_lanes_are_alike(warp, at, bytes, places))) {
        places->pattern = PATTERN_ADDRESSES;
        places->bias = cache->bias + places->plus;
    }
}

/** Shared memory of the block, at places->offset. */
ALWAYS_INLINE void resolve_shared(struct warp *warp, unsigned bytes, struct places *places)
{
    const size_t size = warp->worker->launch->shared_bytes;
    const uint32_t *const offset = places->offset;
    const uint32_t first = offset[0];
    const bool is_same = !lanes_differ32(offset, first, 0);
    const bool is_unit = !is_same && !lanes_differ32(offset, first, bytes);
    places->is_shared = true;
    if ((is_same || is_unit) && (first & (bytes - 1)) == 0 &&
        first + (size_t)(is_same ? bytes : bytes * WARP_LANES) <= size) {
        places->pattern = is_same ? PATTERN_SAME : PATTERN_UNIT;
        places->base = warp->block->shared + first;
        return;
    }
    places->base = warp->block->shared;
    places->pattern = size >= bytes && !lanes_misplaced32(offset, (uint32_t)(size - bytes), bytes)
                          ? PATTERN_OFFSETS
                          : PATTERN_SLOW;
}

/** Generic addresses, which may still be all in one space; else lane by lane. Not inlined, since it
 * contains the two functions above and compilers rarely leave an address generic. */
void sim_resolve_generic(struct warp *warp, const struct instruction *at, unsigned bytes,
                         struct places *places);

#endif
