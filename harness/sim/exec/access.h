/**
 * @file access.h
 * @brief From the addresses of a warp to storage, with every check on the way.
 *
 * Each access of a warp to memory passes one of the resolve functions below: checks and counters
 * that look at accesses belong there.
 */
#ifndef SIM_EXEC_ACCESS_H
#define SIM_EXEC_ACCESS_H

#include "lanes.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/** How the addresses of the lanes lie. */
enum pattern {
    PATTERN_UNIT, /**< lane i at base + i * bytes */
    PATTERN_SAME, /**< all at base */
    PATTERN_ANY,  /**< lane i at pointer[i] */
    PATTERN_SLOW  /**< in several spaces or allocations: read and write lane by lane */
};

struct places {
    enum pattern pattern;
    char *base;
    char *pointer[WARP_LANES];
    uint64_t address[WARP_LANES]; /**< of PATTERN_SLOW; inactive lanes as the first active one */
};

enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC };

/** Reports what is wrong with a lane's access. Does not return. */
__attribute__((noreturn)) void sim_access_fault(struct warp *warp, const struct instruction *at,
                                                int lane, uint64_t address, unsigned bytes,
                                                enum access_kind kind);

/** Storage of one lane's access in any space but local memory; faults where there is none. */
char *sim_lane_storage(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                       unsigned bytes, enum access_kind kind);

/** Copies one lane's bytes between a buffer and memory of any space. */
void sim_lane_read(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                   void *buffer, unsigned bytes);
void sim_lane_write(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                    const void *buffer, unsigned bytes);

/** Looks an address up and remembers its allocation for this instruction; false if there is none.
 */
bool sim_fill_cache(struct access_cache *cache, uint64_t address);

ALWAYS_INLINE bool in_cache(const struct access_cache *cache, uint64_t first, uint64_t span)
{
    return span <= cache->size && first - cache->first <= cache->size - span;
}

/** Addresses of all lanes, with those of inactive lanes replaced by the first active one's. */
ALWAYS_INLINE void fill_inactive64(uint64_t *address, uint32_t active)
{
    const uint64_t first = address[__builtin_ctz(active)];
    EACH_LANE address[lane] = active >> lane & 1 ? address[lane] : first;
}

ALWAYS_INLINE void fill_inactive32(uint32_t *offset, uint32_t active)
{
    const uint32_t first = offset[__builtin_ctz(active)];
    EACH_LANE offset[lane] = active >> lane & 1 ? offset[lane] : first;
}

/** Global and constant memory, where no address may lie in a window. */
ALWAYS_INLINE void resolve_device(struct warp *warp, const struct instruction *at,
                                  const uint64_t *address, unsigned bytes, struct places *places)
{
    struct access_cache *const cache = &warp->worker->caches[at->cache];
    const uint64_t first = address[0];
    uint64_t same = 0, unit = 0;
    places->base = NULL;
    EACH_LANE
    {
        const uint64_t distance = address[lane] - first;
        same |= distance;
        unit |= distance ^ (uint64_t)lane * bytes;
    }
    if (!same || !unit) {
        const uint64_t span = same ? bytes * WARP_LANES : bytes;
        if (first % bytes == 0 &&
            (in_cache(cache, first, span) ||
             (sim_fill_cache(cache, first) && in_cache(cache, first, span)))) {
            places->pattern = same ? PATTERN_UNIT : PATTERN_SAME;
            places->base = (char *)(uintptr_t)(first + cache->bias);
            return;
        }
    }
    uint64_t low = UINT64_MAX, high = 0, all = 0;
    EACH_LANE
    {
        low = address[lane] < low ? address[lane] : low;
        high = address[lane] > high ? address[lane] : high;
        all |= address[lane];
    }
    const uint64_t span = high - low + bytes;
    if (all % bytes == 0 && (in_cache(cache, low, span) ||
                             (sim_fill_cache(cache, low) && in_cache(cache, low, span)))) {
        places->pattern = PATTERN_ANY;
        EACH_LANE places->pointer[lane] = (char *)(uintptr_t)(address[lane] + cache->bias);
        return;
    }
    places->pattern = PATTERN_SLOW;
    memcpy(places->address, address, sizeof places->address);
}

/** Shared memory of the block. */
ALWAYS_INLINE void resolve_shared(struct warp *warp, const uint32_t *offset, unsigned bytes,
                                  struct places *places)
{
    const size_t size = warp->worker->launch->shared_bytes;
    char *const shared = warp->block->shared;
    const uint32_t first = offset[0];
    uint32_t same = 0, unit = 0, all = 0, high = 0;
    EACH_LANE
    {
        const uint32_t distance = offset[lane] - first;
        same |= distance;
        unit |= distance ^ (uint32_t)lane * bytes;
        all |= offset[lane];
        high = offset[lane] > high ? offset[lane] : high;
    }
    places->base = shared + first;
    if (all % bytes != 0 || (size_t)high + bytes > size) {
        places->pattern = PATTERN_SLOW;
        EACH_LANE places->address[lane] = SHARED_WINDOW + offset[lane];
        return;
    }
    places->pattern = !same ? PATTERN_SAME : !unit ? PATTERN_UNIT : PATTERN_ANY;
    if (places->pattern == PATTERN_ANY)
        EACH_LANE places->pointer[lane] = shared + offset[lane];
}

/** Generic addresses: one space after all, or lane by lane. */
ALWAYS_INLINE void resolve_generic(struct warp *warp, const struct instruction *at,
                                   const uint64_t *address, unsigned bytes, struct places *places)
{
    uint64_t windows = 0, differ = 0;
    EACH_LANE
    {
        windows |= address[lane];
        differ |= address[lane] ^ address[0];
    }
    if ((windows & WINDOW_MASK) == 0) {
        resolve_device(warp, at, address, bytes, places);
    } else if ((address[0] >> 32) == SHARED_WINDOW >> 32 && differ >> 32 == 0) {
        uint32_t offset[WARP_LANES];
        EACH_LANE offset[lane] = (uint32_t)address[lane];
        resolve_shared(warp, offset, bytes, places);
    } else {
        places->pattern = PATTERN_SLOW;
        places->base = NULL;
        memcpy(places->address, address, sizeof places->address);
    }
}

#endif
