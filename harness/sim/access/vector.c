/* ld and st of vectors of two to eight elements in device, generic and shared memory: the whole
 * vector of a lane is located and checked once, then moved element by element. */
#include "access.h"
#include "elements.h"

#include "sim/check/check.h"
#include "sim/check/unwritten.h"

#include <string.h>

/* Spreads elements that lie `stride` bytes apart over the active lanes of a slot. */
#define DEFINE_SPREAD(name, MEMORY, LANE, CAST)                                                    \
    static void spread_##name(struct warp *warp, const char *element, unsigned stride,             \
                              int32_t slot)                                                        \
    {                                                                                              \
        LANE result[WARP_LANES];                                                                   \
        if (stride == 0) {                                                                         \
            const LANE value = (LANE)(CAST) * (const MEMORY *)element;                             \
            EACH_LANE result[lane] = value;                                                        \
        } else if (sizeof(MEMORY) == 4 && sizeof(LANE) == 4) {                                     \
            spread_words((uint32_t *)result, element, stride);                                     \
        } else {                                                                                   \
            for (unsigned lane = 0; lane < WARP_LANES; lane++)                                     \
                result[lane] = (LANE)(CAST) * (const MEMORY *)(element + lane * stride);           \
        }                                                                                          \
        if (sizeof(LANE) == 8)                                                                     \
            sim_write64(warp, slot, result);                                                       \
        else                                                                                       \
            sim_write32(warp, slot, result);                                                       \
    }
LOAD_ELEMENTS(DEFINE_SPREAD)

/* Whether a word of any lane is all ones; always true for vectors of two bytes. */
ALWAYS_INLINE bool lanes_have_ones(const char *from, unsigned stride, unsigned bytes)
{
    if (bytes < 4)
        return true;
    return words_have32((const uint32_t *)from, stride ? stride / 4 * WARP_LANES : bytes / 4,
                        UINT32_MAX);
}

/* The widest vector has 32 bytes; the buffer makes lanes of any pattern equally far apart. */
ALWAYS_INLINE const struct instruction *load_vector(struct warp *warp, const struct instruction *at,
                                                    enum place place, unsigned bytes)
{
    const struct elements *const elements = at->extra;
    struct places places;
    char buffer[WARP_LANES * 32] __attribute__((aligned(64)));
    const char *from = buffer;
    unsigned stride = bytes;
    resolve(warp, at, place, bytes, &places);
    if (places.pattern == PATTERN_UNIT || places.pattern == PATTERN_SAME) {
        from = places.base;
        stride = places.pattern == PATTERN_SAME ? 0 : bytes;
    } else if (places.pattern != PATTERN_SLOW) {
        for (unsigned lane = 0; lane < WARP_LANES; lane++)
            memcpy(buffer + lane * bytes, place_of(&places, lane, bytes), bytes);
    } else {
        memset(buffer, 0, sizeof buffer);
        EACH_ACTIVE(lane, warp->active)
        sim_lane_read(warp, at, (int)lane, slow_address(&places, lane), buffer + lane * bytes,
                      bytes);
    }
    if (warp->worker->checks)
        check_load(warp, at, &places, bytes, lanes_have_ones(from, stride, bytes));
    for (int i = 0; i < elements->count; i++)
        if (elements->slots[i] >= 0)
            elements->spread(warp, from + (unsigned)i * elements->bytes, stride,
                             elements->slots[i]);
    return at + 1;
}

ALWAYS_INLINE const struct instruction *
store_vector(struct warp *warp, const struct instruction *at, enum place place, unsigned bytes)
{
    const struct elements *const elements = at->extra;
    struct places places;
    char buffer[WARP_LANES * 32] __attribute__((aligned(64)));
    resolve(warp, at, place, bytes, &places);
    for (int i = 0; i < elements->count; i++) {
        const char *const slot = sim_slot(warp, elements->slots[i]);
        const unsigned width = elements->is_wide_slot ? 8 : 4;
        char *const to = buffer + (unsigned)i * elements->bytes;
        if (elements->bytes == 4 && width == 4) { /* the usual case, without calls */
            for (unsigned lane = 0; lane < WARP_LANES; lane++)
                memcpy(to + lane * bytes, slot + lane * 4, 4);
            continue;
        }
        for (unsigned lane = 0; lane < WARP_LANES; lane++)
            memcpy(to + lane * bytes, slot + lane * width, elements->bytes);
    }
    if (warp->worker->checks)
        check_store(warp, at, &places, bytes);
    EACH_ACTIVE(lane, warp->active)
    {
        const char *const from = buffer + lane * bytes;
        if (places.pattern == PATTERN_SLOW)
            sim_lane_write(warp, at, (int)lane, slow_address(&places, lane), from, bytes);
        else
            memcpy(place_of(&places, lane, bytes), from, bytes);
    }
    if (warp->worker->checks) {
        check_one_store(warp, at, &places, buffer, bytes, bytes);
        check_stored(warp, at, &places, bytes, lanes_have_ones(buffer, bytes, bytes));
    }
    return at + 1;
}

#define DEFINE_VECTORS(space_name, PLACE, bytes)                                                   \
    static const struct instruction *load_##space_name##_v##bytes(struct warp *warp,               \
                                                                  const struct instruction *at)    \
    {                                                                                              \
        return load_vector(warp, at, PLACE, bytes);                                                \
    }                                                                                              \
    static const struct instruction *store_##space_name##_v##bytes(struct warp *warp,              \
                                                                   const struct instruction *at)   \
    {                                                                                              \
        return store_vector(warp, at, PLACE, bytes);                                               \
    }
#define DEFINE_VECTOR_SIZES(space_name, PLACE)                                                     \
    DEFINE_VECTORS(space_name, PLACE, 2)                                                           \
    DEFINE_VECTORS(space_name, PLACE, 4)                                                           \
    DEFINE_VECTORS(space_name, PLACE, 8)                                                           \
    DEFINE_VECTORS(space_name, PLACE, 16)                                                          \
    DEFINE_VECTORS(space_name, PLACE, 32)

DEFINE_VECTOR_SIZES(device, PLACE_DEVICE)
DEFINE_VECTOR_SIZES(generic, PLACE_GENERIC)
DEFINE_VECTOR_SIZES(shared, PLACE_SHARED)
DEFINE_VECTOR_SIZES(shared32, PLACE_SHARED32)

#define SPREAD_OF(name, MEMORY, LANE, CAST) spread_##name,
spread_element *const sim_spreads[LOAD_COUNT] = {LOAD_ELEMENTS(SPREAD_OF)};

#define VECTORS_OF(verb, bytes)                                                                    \
    {                                                                                              \
        verb##_device_v##bytes, verb##_generic_v##bytes, verb##_shared_v##bytes,                   \
            verb##_shared32_v##bytes                                                               \
    }
exec_handler *const sim_vector_loads[][PLACE_COUNT] = {VECTORS_OF(load, 2), VECTORS_OF(load, 4),
                                                       VECTORS_OF(load, 8), VECTORS_OF(load, 16),
                                                       VECTORS_OF(load, 32)};
exec_handler *const sim_vector_stores[][PLACE_COUNT] = {VECTORS_OF(store, 2), VECTORS_OF(store, 4),
                                                        VECTORS_OF(store, 8), VECTORS_OF(store, 16),
                                                        VECTORS_OF(store, 32)};
