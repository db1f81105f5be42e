/* ld and st of single elements in device, generic and shared memory: one handler for each place and
 * element.
 *
 * Volatile, relaxed, acquire and release accesses need nothing more: what a lane reads or writes is
 * one aligned access of the host, and the host orders them more strongly than PTX asks. */
#include "access.h"
#include "elements.h"

#include "sim/check/check.h"
#include "sim/check/unwritten.h"

#include <string.h>

/* ---- Loads ---- */

/* Copies elements to a slot of 4- or 8-byte lanes. */
#define GATHER(MEMORY, LANE, CAST, slot)                                                           \
    switch (places.pattern) {                                                                      \
    case PATTERN_UNIT:                                                                             \
        EACH_LANE slot[lane] = (LANE)(CAST)((const MEMORY *)places.base)[lane];                    \
        break;                                                                                     \
    case PATTERN_SAME: {                                                                           \
        const LANE value = (LANE)(CAST) * (const MEMORY *)places.base;                             \
        EACH_LANE slot[lane] = value;                                                              \
        break;                                                                                     \
    }                                                                                              \
    case PATTERN_OFFSETS:                                                                          \
        if (sizeof(MEMORY) == 4 && sizeof(LANE) == 4)                                              \
            gather_words((uint32_t *)slot, places.base, places.offset);                            \
        else                                                                                       \
            for (int lane = 0; lane < WARP_LANES; lane++)                                          \
                slot[lane] = (LANE)(CAST) * (const MEMORY *)(places.base + places.offset[lane]);   \
        break;                                                                                     \
    case PATTERN_ADDRESSES:                                                                        \
        if (sizeof(MEMORY) == 4 && sizeof(LANE) == 4)                                              \
            gather_words64((uint32_t *)slot, places.address, places.bias);                         \
        else                                                                                       \
            for (int lane = 0; lane < WARP_LANES; lane++)                                          \
                slot[lane] = (LANE)(CAST) *                                                        \
                             (const MEMORY *)(uintptr_t)(places.address[lane] + places.bias);      \
        break;                                                                                     \
    case PATTERN_SLOW:                                                                             \
        memset(slot, 0, sizeof(LANE) * WARP_LANES);                                                \
        EACH_ACTIVE(lane, warp->active)                                                            \
        {                                                                                          \
            MEMORY value;                                                                          \
            sim_lane_read(warp, at, (int)lane, slow_address(&places, lane), &value, sizeof value); \
            slot[lane] = (LANE)(CAST)value;                                                        \
        }                                                                                          \
    }

#define DEFINE_LOAD(space_name, PLACE, name, MEMORY, LANE, CAST)                                   \
    static const struct instruction *load_##space_name##_##name(struct warp *warp,                 \
                                                                const struct instruction *at)      \
    {                                                                                              \
        struct places places;                                                                      \
        resolve(warp, at, PLACE, sizeof(MEMORY), &places);                                         \
        const bool may_overwrite = sizeof(LANE) == 8 && places.pattern == PATTERN_ADDRESSES;       \
        if (warp->active == ALL_LANES && places.pattern != PATTERN_SLOW && !may_overwrite) {       \
            LANE *const d_slot = sim_slot(warp, at->d);                                            \
            GATHER(MEMORY, LANE, CAST, d_slot)                                                     \
            if (warp->worker->checks)                                                              \
                check_load(warp, at, &places, sizeof(MEMORY),                                      \
                           slot_has_ones(d_slot, sizeof(LANE), sizeof(MEMORY)));                   \
        } else {                                                                                   \
            LANE result[WARP_LANES];                                                               \
            GATHER(MEMORY, LANE, CAST, result)                                                     \
            if (warp->worker->checks)                                                              \
                check_load(warp, at, &places, sizeof(MEMORY),                                      \
                           slot_has_ones(result, sizeof(LANE), sizeof(MEMORY)));                   \
            BLEND_LANES(LANE, sim_slot(warp, at->d), result, warp->active);                        \
        }                                                                                          \
        return at + 1;                                                                             \
    }

#define DEFINE_LOADS(name, MEMORY, LANE, CAST)                                                     \
    DEFINE_LOAD(device, PLACE_DEVICE, name, MEMORY, LANE, CAST)                                    \
    DEFINE_LOAD(generic, PLACE_GENERIC, name, MEMORY, LANE, CAST)                                  \
    DEFINE_LOAD(shared, PLACE_SHARED, name, MEMORY, LANE, CAST)                                    \
    DEFINE_LOAD(shared32, PLACE_SHARED32, name, MEMORY, LANE, CAST)

LOAD_ELEMENTS(DEFINE_LOADS)

/* ---- Stores ---- */

#define DEFINE_STORE(space_name, PLACE, name, MEMORY, LANE)                                        \
    static const struct instruction *store_##space_name##_##name(struct warp *warp,                \
                                                                 const struct instruction *at)     \
    {                                                                                              \
        struct places places;                                                                      \
        const LANE *const value = sim_slot(warp, at->b);                                           \
        resolve(warp, at, PLACE, sizeof(MEMORY), &places);                                         \
        if (warp->worker->checks)                                                                  \
            check_store(warp, at, &places, sizeof(MEMORY));                                        \
        if (places.pattern == PATTERN_SLOW) {                                                      \
            EACH_ACTIVE(lane, warp->active)                                                        \
            {                                                                                      \
                const MEMORY one = (MEMORY)value[lane];                                            \
                sim_lane_write(warp, at, (int)lane, slow_address(&places, lane), &one,             \
                               sizeof one);                                                        \
            }                                                                                      \
        } else if (places.pattern == PATTERN_SAME) {                                               \
            *(MEMORY *)places.base = (MEMORY)value[31 - __builtin_clz(warp->active)];              \
        } else if (places.pattern == PATTERN_UNIT && warp->active == ALL_LANES) {                  \
            EACH_LANE((MEMORY *)places.base)[lane] = (MEMORY)value[lane];                          \
        } else if (places.pattern == PATTERN_UNIT) {                                               \
            EACH_ACTIVE(lane, warp->active)((MEMORY *)places.base)[lane] = (MEMORY)value[lane];    \
        } else {                                                                                   \
            EACH_ACTIVE(lane, warp->active)                                                        \
            *(MEMORY *)place_of(&places, lane, sizeof(MEMORY)) = (MEMORY)value[lane];              \
        }                                                                                          \
        if (warp->worker->checks) {                                                                \
            check_one_store(warp, at, &places, value, sizeof(LANE), sizeof(MEMORY));               \
            check_stored(warp, at, &places, sizeof(MEMORY),                                        \
                         slot_has_ones(value, sizeof(LANE), sizeof(MEMORY)));                      \
        }                                                                                          \
        return at + 1;                                                                             \
    }

#define DEFINE_STORES(name, MEMORY, LANE)                                                          \
    DEFINE_STORE(device, PLACE_DEVICE, name, MEMORY, LANE)                                         \
    DEFINE_STORE(generic, PLACE_GENERIC, name, MEMORY, LANE)                                       \
    DEFINE_STORE(shared, PLACE_SHARED, name, MEMORY, LANE)                                         \
    DEFINE_STORE(shared32, PLACE_SHARED32, name, MEMORY, LANE)

STORE_ELEMENTS(DEFINE_STORES)

/* ---- Tables ---- */

#define LOADS_OF(name, MEMORY, LANE, CAST)                                                         \
    {load_device_##name, load_generic_##name, load_shared_##name, load_shared32_##name},
#define STORES_OF(name, MEMORY, LANE)                                                              \
    {store_device_##name, store_generic_##name, store_shared_##name, store_shared32_##name},

exec_handler *const sim_loads[LOAD_COUNT][PLACE_COUNT] = {LOAD_ELEMENTS(LOADS_OF)};
exec_handler *const sim_stores[STORE_COUNT][PLACE_COUNT] = {STORE_ELEMENTS(STORES_OF)};
