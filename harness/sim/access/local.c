/* ld and st of local memory and of parameters.
 *
 * Local memory is interleaved: the words that the lanes of a warp have at one offset form a slot.
 * So the usual access, with all lanes at the same offset, is as fast as an access to a register. */
#include "access.h"
#include "elements.h"

#include <string.h>

/* ---- Local memory ---- */

/* Offsets of an access in local memory; true if all lanes have the same offset. */
static bool local_offsets(struct warp *warp, const struct instruction *at, bool is_wide,
                          unsigned bytes, enum access_kind kind, uint32_t *offset)
{
    const size_t limit = warp->local_base + warp->function->local_bytes;
    if (is_wide)
        offsets_of64(warp, at, offset);
    else
        offsets_of32(warp, at, offset);
    uint32_t same = 0, all = 0, high = 0;
    EACH_LANE
    {
        same |= offset[lane] ^ offset[0];
        all |= offset[lane];
        high = offset[lane] > high ? offset[lane] : high;
    }
    if (all % bytes == 0 && (size_t)high + bytes <= limit)
        return same == 0;
    EACH_ACTIVE(lane, warp->active)
    if (offset[lane] % bytes != 0 || (size_t)offset[lane] + bytes > limit)
        sim_access_fault(warp, at, (int)lane, LOCAL_WINDOW + offset[lane], bytes, kind);
    return same == 0;
}

ALWAYS_INLINE uint64_t read_local(const struct warp *warp, int lane, uint32_t offset,
                                  unsigned bytes)
{
    const char *const word =
        warp->local + (size_t)(offset / 4) * SLOT32_BYTES + (unsigned)lane * 4 + offset % 4;
    uint32_t low = 0, high = 0;
    memcpy(&low, word, bytes < 4 ? bytes : 4);
    if (bytes == 8)
        memcpy(&high, word + SLOT32_BYTES, 4);
    return (uint64_t)high << 32 | low;
}

ALWAYS_INLINE void write_local(const struct warp *warp, int lane, uint32_t offset, uint64_t value,
                               unsigned bytes)
{
    char *const word =
        warp->local + (size_t)(offset / 4) * SLOT32_BYTES + (unsigned)lane * 4 + offset % 4;
    const uint32_t low = (uint32_t)value, high = (uint32_t)(value >> 32);
    memcpy(word, &low, bytes < 4 ? bytes : 4);
    if (bytes == 8)
        memcpy(word + SLOT32_BYTES, &high, 4);
}

/* One element of local memory at per-lane offsets, into or out of a slot. */
#define DEFINE_LOCAL_LOAD(name, MEMORY, LANE, CAST)                                                \
    static void take_local_##name(struct warp *warp, const uint32_t *offset, int32_t d)            \
    {                                                                                              \
        LANE result[WARP_LANES];                                                                   \
        for (int lane = 0; lane < WARP_LANES; lane++)                                              \
            result[lane] =                                                                         \
                (LANE)(CAST)(MEMORY)read_local(warp, lane, offset[lane], sizeof(MEMORY));          \
        if (sizeof(LANE) == 8)                                                                     \
            sim_write64(warp, d, result);                                                          \
        else                                                                                       \
            sim_write32(warp, d, result);                                                          \
    }
LOAD_ELEMENTS(DEFINE_LOCAL_LOAD)

#define DEFINE_LOCAL_STORE(name, MEMORY, LANE)                                                     \
    static void put_local_##name(struct warp *warp, const uint32_t *offset, int32_t slot)          \
    {                                                                                              \
        const LANE *const value = sim_slot(warp, slot);                                            \
        EACH_ACTIVE(lane, warp->active)                                                            \
        write_local(warp, (int)lane, offset[lane], value[lane], sizeof(MEMORY));                   \
    }
STORE_ELEMENTS(DEFINE_LOCAL_STORE)

static const struct instruction *access_local(struct warp *warp, const struct instruction *at,
                                              enum access_kind kind)
{
    const struct elements *const elements = at->extra;
    const unsigned bytes = elements->bytes * (unsigned)elements->count;
    uint32_t offset[WARP_LANES];
    if (elements->is_framed) {
        EACH_LANE offset[lane] = warp->local_base + (uint32_t)at->offset;
    } else {
        local_offsets(warp, at, elements->is_wide_address, bytes, kind, offset);
    }
    for (int i = 0; i < elements->count; i++) {
        if (elements->slots[i] >= 0)
            elements->local(warp, offset, elements->slots[i]);
        EACH_LANE offset[lane] += elements->bytes;
    }
    return at + 1;
}

const struct instruction *sim_load_local(struct warp *warp, const struct instruction *at)
{
    return access_local(warp, at, ACCESS_READ);
}

const struct instruction *sim_store_local(struct warp *warp, const struct instruction *at)
{
    return access_local(warp, at, ACCESS_WRITE);
}

const struct instruction *sim_load_frame_b32(struct warp *warp, const struct instruction *at)
{
    sim_write32(warp, at->d, sim_local_slot(warp, warp->local_base, (int32_t)at->offset));
    return at + 1;
}

const struct instruction *sim_store_frame_b32(struct warp *warp, const struct instruction *at)
{
    void *const to = sim_local_slot(warp, warp->local_base, (int32_t)at->offset);
    const void *const from = sim_slot(warp, at->b);
    if (warp->active == ALL_LANES)
        memcpy(to, from, SLOT32_BYTES);
    else
        sim_blend32(to, from, warp->active);
    return at + 1;
}

#define LOCAL_LOAD_OF(name, MEMORY, LANE, CAST) take_local_##name,
#define LOCAL_STORE_OF(name, MEMORY, LANE)      put_local_##name,
local_element *const sim_local_loads[LOAD_COUNT] = {LOAD_ELEMENTS(LOCAL_LOAD_OF)};
local_element *const sim_local_stores[STORE_COUNT] = {STORE_ELEMENTS(LOCAL_STORE_OF)};

/* ---- The entry's parameters ---- */

const struct instruction *sim_load_param(struct warp *warp, const struct instruction *at)
{
    const struct elements *const elements = at->extra;
    const char *const from = warp->worker->launch->params + at->offset;
    for (int i = 0; i < elements->count; i++)
        if (elements->slots[i] >= 0)
            elements->spread(warp, from + (unsigned)i * elements->bytes, 0, elements->slots[i]);
    return at + 1;
}

const struct instruction *sim_load_param_at(struct warp *warp, const struct instruction *at)
{
    const struct elements *const elements = at->extra;
    const unsigned bytes = elements->bytes * (unsigned)elements->count;
    char buffer[WARP_LANES * 32] = {0};
    uint32_t offset[WARP_LANES];
    if (elements->is_wide_address)
        offsets_of64(warp, at, offset);
    else
        offsets_of32(warp, at, offset);
    EACH_ACTIVE(lane, warp->active)
    sim_lane_read(warp, at, (int)lane, PARAM_WINDOW + offset[lane], buffer + lane * bytes, bytes);
    for (int i = 0; i < elements->count; i++)
        if (elements->slots[i] >= 0)
            elements->spread(warp, buffer + (unsigned)i * elements->bytes, bytes,
                             elements->slots[i]);
    return at + 1;
}
