/**
 * @file elements.h
 * @brief What loads and stores move, and where: shared by the files of memory instructions.
 */
#ifndef SIM_ACCESS_ELEMENTS_H
#define SIM_ACCESS_ELEMENTS_H

#include "sim/memory/resolve.h"

/* Elements: X(name, type in memory, type of the slot's lanes, conversion between the two). The name
 * has the width and sign in memory and the class of the register: w, l, or h for 16 bits. */

#define LOAD_ELEMENTS(X)                                                                           \
    X(u8_w, uint8_t, uint32_t, uint32_t)                                                           \
    X(s8_h, int8_t, uint32_t, uint16_t)                                                            \
    X(s8_w, int8_t, uint32_t, int32_t)                                                             \
    X(u16_w, uint16_t, uint32_t, uint32_t)                                                         \
    X(s16_w, int16_t, uint32_t, int32_t)                                                           \
    X(b32_w, uint32_t, uint32_t, uint32_t)                                                         \
    X(u8_l, uint8_t, uint64_t, uint64_t)                                                           \
    X(s8_l, int8_t, uint64_t, int64_t)                                                             \
    X(u16_l, uint16_t, uint64_t, uint64_t)                                                         \
    X(s16_l, int16_t, uint64_t, int64_t)                                                           \
    X(u32_l, uint32_t, uint64_t, uint64_t)                                                         \
    X(s32_l, int32_t, uint64_t, int64_t)                                                           \
    X(b64_l, uint64_t, uint64_t, uint64_t)

#define STORE_ELEMENTS(X)                                                                          \
    X(b8_w, uint8_t, uint32_t)                                                                     \
    X(b16_w, uint16_t, uint32_t)                                                                   \
    X(b32_w, uint32_t, uint32_t)                                                                   \
    X(b8_l, uint8_t, uint64_t)                                                                     \
    X(b16_l, uint16_t, uint64_t)                                                                   \
    X(b32_l, uint32_t, uint64_t)                                                                   \
    X(b64_l, uint64_t, uint64_t)

#define NAME_LOAD(name, MEMORY, LANE, CAST) LOAD_##name,
#define NAME_STORE(name, MEMORY, LANE)      STORE_##name,
enum load_element { LOAD_ELEMENTS(NAME_LOAD) LOAD_COUNT };
enum store_element { STORE_ELEMENTS(NAME_STORE) STORE_COUNT };

/** How an address operand is to be read; the column of a handler table. */
enum place { PLACE_DEVICE, PLACE_GENERIC, PLACE_SHARED, PLACE_SHARED32, PLACE_COUNT };

/** One element of local memory at per-lane offsets, into or out of a slot. */
typedef void local_element(struct warp *warp, const uint32_t *offset, int32_t slot);

/** Spreads elements that lie `stride` bytes apart (0: one for all) over the active lanes of a slot.
 */
typedef void spread_element(struct warp *warp, const char *element, unsigned stride, int32_t slot);

/** What vectors, local accesses and parameters need to know; instruction.extra. */
struct elements {
    int count;
    unsigned bytes; /**< of an element */
    bool is_wide_address;
    bool is_wide_slot;
    bool is_framed; /**< the offset counts from the function's local frame */
    local_element *local;
    spread_element *spread;
    int32_t slots[8]; /**< -1: not wanted */
};

/* Handlers by element and place. */
extern exec_handler *const sim_loads[LOAD_COUNT][PLACE_COUNT];
extern exec_handler *const sim_stores[STORE_COUNT][PLACE_COUNT];
/* By place and by log2 of the bytes of an access (2 to 32), minus one. */
extern exec_handler *const sim_vector_loads[][PLACE_COUNT];
extern exec_handler *const sim_vector_stores[][PLACE_COUNT];
extern spread_element *const sim_spreads[LOAD_COUNT];
extern local_element *const sim_local_loads[LOAD_COUNT];
extern local_element *const sim_local_stores[STORE_COUNT];

const struct instruction *sim_load_local(struct warp *warp, const struct instruction *at);
const struct instruction *sim_store_local(struct warp *warp, const struct instruction *at);
/** For 4-byte elements of the frame, such as arguments of calls: these are whole slots. */
const struct instruction *sim_load_frame_b32(struct warp *warp, const struct instruction *at);
const struct instruction *sim_store_frame_b32(struct warp *warp, const struct instruction *at);
/** ld.param of the entry with a constant offset: the same value for every lane. */
const struct instruction *sim_load_param(struct warp *warp, const struct instruction *at);
/** ld.param of the entry through a register. */
const struct instruction *sim_load_param_at(struct warp *warp, const struct instruction *at);

/* ---- Addresses of an instruction ---- */
ALWAYS_INLINE void addresses64(const struct warp *warp, const struct instruction *at,
                               struct places *places)
{
    places->address = sim_slot(warp, at->a);
    places->plus = (uint64_t)at->offset;
    if (warp->active != ALL_LANES) {
        fill_inactive64(places->filled, places->address, warp->active);
        places->address = places->filled;
    }
}

/** Offsets in a window. An offset beyond 32 bits becomes one that is out of every window. */
ALWAYS_INLINE void offsets_of64(const struct warp *warp, const struct instruction *at,
                                uint32_t *offset)
{
    const uint64_t *const slot = sim_slot(warp, at->a);
    EACH_LANE
    {
        const uint64_t wide = slot[lane] + (uint64_t)at->offset;
        offset[lane] = wide > 0xffffff00 ? 0xffffff00 : (uint32_t)wide;
    }
    if (warp->active != ALL_LANES)
        fill_inactive32(offset, warp->active);
}

ALWAYS_INLINE void offsets_of32(const struct warp *warp, const struct instruction *at,
                                uint32_t *offset)
{
    const uint32_t *const slot = sim_slot(warp, at->a);
    EACH_LANE offset[lane] = slot[lane] + (uint32_t)at->offset;
    if (warp->active != ALL_LANES)
        fill_inactive32(offset, warp->active);
}

/** Finds where the lanes of an instruction access memory, `bytes` each. */
ALWAYS_INLINE void resolve(struct warp *warp, const struct instruction *at, enum place place,
                           unsigned bytes, struct places *places)
{
    places->is_shared = false;
    places->base = NULL;
    if (place == PLACE_SHARED || place == PLACE_SHARED32) {
        if (place == PLACE_SHARED)
            offsets_of64(warp, at, places->offset);
        else
            offsets_of32(warp, at, places->offset);
        resolve_shared(warp, bytes, places);
        return;
    }
    addresses64(warp, at, places);
    if (place == PLACE_DEVICE)
        resolve_device(warp, at, bytes, places);
    else
        sim_resolve_generic(warp, at, bytes, places);
}

#endif
