/* ld and st of single elements in device, generic and shared memory: one handler for each place and
 * element.
 *
 * Volatile, relaxed, acquire and release accesses need nothing more: what a lane reads or writes is
 * one aligned access of the host, and the host orders them more strongly than PTX asks. */
#include "elements.h"
#include "lane.h"

#include "sim/check/check.h"
#include "sim/check/store_conflict.h"
#include "sim/check/unwritten_words.h"

#include <string.h>

/* ---- Loads ---- */

/* Copies elements to a row of 4- or 8-byte lanes. */
#define GATHER(MEMORY, ROW, CAST, row)                                                             \
    switch (places.pattern) {                                                                      \
    case PATTERN_UNIT:                                                                             \
        EACH_LANE row[lane] = (ROW)(CAST)((const MEMORY *)places.base)[lane];                      \
        break;                                                                                     \
    case PATTERN_SAME: {                                                                           \
        const ROW value = (ROW)(CAST) * (const MEMORY *)places.base;                               \
        EACH_LANE row[lane] = value;                                                               \
        break;                                                                                     \
    }                                                                                              \
    case PATTERN_OFFSETS:                                                                          \
        if (sizeof(MEMORY) == 4 && sizeof(ROW) == 4)                                               \
            gather_words((uint32_t *)row, places.base, places.offset);                             \
        else                                                                                       \
            for (int lane = 0; lane < WARP_LANES; lane++)                                          \
                row[lane] = (ROW)(CAST) * (const MEMORY *)(places.base + places.offset[lane]);     \
        break;                                                                                     \
    case PATTERN_ADDRESSES:                                                                        \
        if (sizeof(MEMORY) == 4 && sizeof(ROW) == 4)                                               \
            gather_words64((uint32_t *)row, places.address, places.bias);                          \
        else                                                                                       \
            for (int lane = 0; lane < WARP_LANES; lane++)                                          \
                row[lane] =                                                                        \
                    (ROW)(CAST) * (const MEMORY *)(uintptr_t)(places.address[lane] + places.bias); \
        break;                                                                                     \
    case PATTERN_SLOW:                                                                             \
        memset(row, 0, sizeof(ROW) * WARP_LANES);                                                  \
        EACH_ACTIVE(lane, warp->active)                                                            \
        {                                                                                          \
            MEMORY value;                                                                          \
            sim_lane_read(warp, at, (int)lane, slow_address(&places, lane), &value, sizeof value); \
            row[lane] = (ROW)(CAST)value;                                                          \
        }                                                                                          \
    }

#define DEFINE_LOAD(space_name, PLACE, name, MEMORY, ROW, CAST)                                    \
    static const struct instruction *load_##space_name##_##name(struct warp *warp,                 \
                                                                const struct instruction *at)      \
    {                                                                                              \
        struct places places;                                                                      \
        resolve(warp, at, PLACE, sizeof(MEMORY), &places);                                         \
        const bool may_overwrite = sizeof(ROW) == 8 && places.pattern == PATTERN_ADDRESSES;        \
        if (warp->active == ALL_LANES && places.pattern != PATTERN_SLOW && !may_overwrite) {       \
            ROW *const d_row = sim_row(warp, at->d);                                               \
            GATHER(MEMORY, ROW, CAST, d_row)                                                       \
            if (warp->worker->checks)                                                              \
                check_load(warp, at, &places, sizeof(MEMORY),                                      \
                           row_has_ones(d_row, sizeof(ROW), sizeof(MEMORY)));                      \
        } else {                                                                                   \
            ROW result[WARP_LANES];                                                                \
            GATHER(MEMORY, ROW, CAST, result)                                                      \
            if (warp->worker->checks)                                                              \
                check_load(warp, at, &places, sizeof(MEMORY),                                      \
                           row_has_ones(result, sizeof(ROW), sizeof(MEMORY)));                     \
            BLEND_LANES(ROW, sim_row(warp, at->d), result, warp->active);                          \
        }                                                                                          \
        return at + 1;                                                                             \
    }

#define DEFINE_LOADS(name, MEMORY, ROW, CAST)                                                      \
    DEFINE_LOAD(device, PLACE_DEVICE, name, MEMORY, ROW, CAST)                                     \
    DEFINE_LOAD(generic, PLACE_GENERIC, name, MEMORY, ROW, CAST)                                   \
    DEFINE_LOAD(shared, PLACE_SHARED, name, MEMORY, ROW, CAST)                                     \
    DEFINE_LOAD(shared32, PLACE_SHARED32, name, MEMORY, ROW, CAST)

LOAD_ELEMENTS(DEFINE_LOADS)

/* ---- Stores ---- */

#define DEFINE_STORE(space_name, PLACE, name, MEMORY, ROW)                                         \
    static const struct instruction *store_##space_name##_##name(struct warp *warp,                \
                                                                 const struct instruction *at)     \
    {                                                                                              \
        struct places places;                                                                      \
        const ROW *const value = sim_row(warp, at->b);                                             \
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
            check_one_store(warp, at, &places, value, sizeof(ROW), sizeof(MEMORY));                \
            check_stored(warp, at, &places, sizeof(MEMORY),                                        \
                         row_has_ones(value, sizeof(ROW), sizeof(MEMORY)));                        \
        }                                                                                          \
        return at + 1;                                                                             \
    }

#define DEFINE_STORES(name, MEMORY, ROW)                                                           \
    DEFINE_STORE(device, PLACE_DEVICE, name, MEMORY, ROW)                                          \
    DEFINE_STORE(generic, PLACE_GENERIC, name, MEMORY, ROW)                                        \
    DEFINE_STORE(shared, PLACE_SHARED, name, MEMORY, ROW)                                          \
    DEFINE_STORE(shared32, PLACE_SHARED32, name, MEMORY, ROW)

STORE_ELEMENTS(DEFINE_STORES)

/* ---- Tables ---- */

#define LOADS_OF(name, MEMORY, ROW, CAST)                                                          \
    {load_device_##name, load_generic_##name, load_shared_##name, load_shared32_##name},
#define STORES_OF(name, MEMORY, ROW)                                                               \
    {store_device_##name, store_generic_##name, store_shared_##name, store_shared32_##name},

exec_handler *const sim_loads[LOAD_COUNT][PLACE_COUNT] = {LOAD_ELEMENTS(LOADS_OF)};
exec_handler *const sim_stores[STORE_COUNT][PLACE_COUNT] = {STORE_ELEMENTS(STORES_OF)};
