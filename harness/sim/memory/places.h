/**
 * @file places.h
 * @brief From the addresses of a warp to storage: each access passes one of the resolve functions.
 */
#ifndef SIM_MEMORY_PLACES_H
#define SIM_MEMORY_PLACES_H

#include "sim/machine/lane_tests.h"
#include "sim/machine/lanes.h"

/** How the addresses of the lanes lie. */
enum pattern {
    PATTERN_UNIT,      /**< lane i at base + i * bytes */
    PATTERN_SAME,      /**< all at base */
    PATTERN_OFFSETS,   /**< lane i at base + offset[i] */
    PATTERN_ADDRESSES, /**< lane i at host address address[i] + bias */
    PATTERN_SLOW       /**< in several spaces or allocations, or wrong: go lane by lane */
};

/** Where the lanes of a warp access memory, and in which pattern. */
struct places {
    enum pattern pattern;
    bool is_shared; /**< offset[] counts, else address[] */
    char *base;
    const uint64_t *address; /**< to which `plus` is to be added */
    uint64_t plus, bias;
    uint32_t offset[WARP_LANES]; /**< inactive lanes as the first active one, here and in filled */
    uint64_t filled[WARP_LANES]; /**< addresses, where some lanes are inactive */
};

enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC };

/** Reports what is wrong with a lane's access. Does not return. */
__attribute__((noreturn)) void sim_access_fault(struct warp *warp, const struct instruction *at,
                                                int lane, uint64_t address, unsigned bytes,
                                                enum access_kind kind);

/** Storage of one lane's access in any space but local memory; faults where there is none. */
char *sim_lane_storage(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                       unsigned bytes, enum access_kind kind);

/** Bytes that a window has: those of the block's shared memory, of the current function's local
 *  memory, or of the parameters; 0 for any other. */
uint64_t sim_window_bytes(const struct warp *warp, uint64_t window);

/** Address of an active lane's access, with the window of its space. */
uint64_t sim_lane_address(const struct warp *warp, const struct instruction *at,
                          const struct places *places, const char *storage);

/** Looks an address up and remembers its allocation for this instruction; false if there is none
 * that the instruction may use. */
bool sim_fill_cache(const struct warp *warp, const struct instruction *at, uint64_t address);

/** Forgets remembered allocations after memory was freed on the device. */
void sim_refresh_caches(struct worker *worker);

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

/** Addresses of all lanes, with those of inactive lanes replaced by the first active one's. */
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

/** Global and constant memory, where no address may lie in a window. */
ALWAYS_INLINE void resolve_device(struct warp *warp, const struct instruction *at, unsigned bytes,
                                  struct places *places)
{
    const struct access_cache *const cache = &warp->worker->caches[at->cache];
    const uint64_t *const address = places->address;
    const uint64_t first = address[0] + places->plus;
    const bool is_same = !lanes_differ64(address, address[0], 0);
    const bool is_unit = !is_same && !lanes_differ64(address, address[0], bytes);
    if ((is_same || is_unit) && first % bytes == 0 &&
        find_in_cache(warp, at, first, is_same ? bytes : bytes * WARP_LANES)) {
        places->pattern = is_same ? PATTERN_SAME : PATTERN_UNIT;
        places->base = (char *)(uintptr_t)(first + cache->bias);
        return;
    }
    places->pattern = PATTERN_SLOW;
    if (find_in_cache(warp, at, first, bytes) &&
        !lanes_misplaced64(address, places->plus, cache->first, cache->size - bytes, bytes)) {
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
    if ((is_same || is_unit) && first % bytes == 0 &&
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

/** Generic addresses: one space after all, or lane by lane. */
ALWAYS_INLINE void resolve_generic(struct warp *warp, const struct instruction *at, unsigned bytes,
                                   struct places *places)
{
    const uint64_t *const address = places->address;
    if (!lanes_bits64(address, places->plus, WINDOW_MASK)) {
        resolve_device(warp, at, bytes, places);
        return;
    }
    uint64_t outside = 0;
    EACH_LANE
    {
        const uint64_t offset = address[lane] + places->plus - SHARED_WINDOW;
        outside |= offset >> 32;
        places->offset[lane] = (uint32_t)offset;
    }
    places->pattern = PATTERN_SLOW;
    if (!outside)
        resolve_shared(warp, bytes, places);
}

#endif
