/**
 * @file lanes.h
 * @brief Handlers as loops over 32 lanes that the compiler turns into vector code.
 *
 * Where all lanes are active, the loop writes the destination slot itself. Otherwise it writes a
 * temporary, which is then blended into the slot: inactive lanes must keep their values, since
 * other registers may share the slot. An operand may be the destination slot; lanes never mix.
 */
#ifndef SIM_MACHINE_LANES_H
#define SIM_MACHINE_LANES_H

#include "warp.h"

#include <string.h>

/* Temporaries are filled by a loop over all lanes, which gcc does not always see as "all". */
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#define EACH_LANE _Pragma("GCC ivdep") for (int lane = 0; lane < WARP_LANES; lane++)

/** Loop over the lanes of a mask, lowest first. */
#define EACH_ACTIVE(lane, mask)                                                                    \
    for (uint32_t lane##_rest = (mask), lane = (uint32_t)__builtin_ctz(lane##_rest | 1u << 31);    \
         lane##_rest;                                                                              \
         lane##_rest &= lane##_rest - 1, lane = (uint32_t)__builtin_ctz(lane##_rest | 1u << 31))

/** Bits of a slot's lanes, whatever their type: lanes of float and double may be accessed so, too.
 */
typedef uint32_t __attribute__((may_alias)) sim_bits32;
typedef uint64_t __attribute__((may_alias)) sim_bits64;

static inline void sim_blend32(void *slot, const void *result, uint32_t mask)
{
    sim_bits32 *const d = slot;
    const sim_bits32 *const r = result;
    EACH_LANE
    {
        const uint32_t keep = (mask >> lane & 1) - 1;
        d[lane] = (d[lane] & keep) | (r[lane] & ~keep);
    }
}

static inline void sim_blend64(void *slot, const void *result, uint32_t mask)
{
    sim_bits64 *const d = slot;
    const sim_bits64 *const r = result;
    EACH_LANE
    {
        const uint64_t keep = (uint64_t)(mask >> lane & 1) - 1;
        d[lane] = (d[lane] & keep) | (r[lane] & ~keep);
    }
}

/** Writes a finished slot for the active lanes. */
static inline void sim_write32(struct warp *warp, int32_t offset, const void *result)
{
    if (warp->active == ALL_LANES)
        memcpy(sim_slot(warp, offset), result, SLOT32_BYTES);
    else
        sim_blend32(sim_slot(warp, offset), result, warp->active);
}

static inline void sim_write64(struct warp *warp, int32_t offset, const void *result)
{
    if (warp->active == ALL_LANES)
        memcpy(sim_slot(warp, offset), result, SLOT64_BYTES);
    else
        sim_blend64(sim_slot(warp, offset), result, warp->active);
}

#define BLEND_LANES(D, slot, result, mask)                                                         \
    (sizeof(D) == 8 ? sim_blend64(slot, result, mask) : sim_blend32(slot, result, mask))

#define LANES_BODY(D, ...)                                                                         \
    D *const d_slot = sim_slot(warp, at->d);                                                       \
    if (warp->active == ALL_LANES) {                                                               \
        EACH_LANE                                                                                  \
        {                                                                                          \
            __VA_ARGS__;                                                                           \
            d_slot[lane] = d;                                                                      \
        }                                                                                          \
    } else {                                                                                       \
        D result[WARP_LANES];                                                                      \
        EACH_LANE                                                                                  \
        {                                                                                          \
            __VA_ARGS__;                                                                           \
            result[lane] = d;                                                                      \
        }                                                                                          \
        BLEND_LANES(D, d_slot, result, warp->active);                                              \
    }                                                                                              \
    return at + 1

/** `expression` of a gives d; D and A are the types of the slots (4 or 8 bytes). */
#define UNARY(name, D, A, expression)                                                              \
    static const struct instruction *name(struct warp *warp, const struct instruction *at)         \
    {                                                                                              \
        const A *const a_slot = sim_slot(warp, at->a);                                             \
        LANES_BODY(D, const A a = a_slot[lane]; const D d = (D)(expression));                      \
    }

/** `expression` of a and b. */
#define BINARY(name, D, A, B, expression)                                                          \
    static const struct instruction *name(struct warp *warp, const struct instruction *at)         \
    {                                                                                              \
        const A *const a_slot = sim_slot(warp, at->a);                                             \
        const B *const b_slot = sim_slot(warp, at->b);                                             \
        LANES_BODY(D, const A a = a_slot[lane]; const B b = b_slot[lane];                          \
                   const D d = (D)(expression));                                                   \
    }

/** `expression` of a, b and c. */
#define TERNARY(name, D, A, B, C, expression)                                                      \
    static const struct instruction *name(struct warp *warp, const struct instruction *at)         \
    {                                                                                              \
        const A *const a_slot = sim_slot(warp, at->a);                                             \
        const B *const b_slot = sim_slot(warp, at->b);                                             \
        const C *const c_slot = sim_slot(warp, at->c);                                             \
        LANES_BODY(D, const A a = a_slot[lane]; const B b = b_slot[lane];                          \
                   const C c = c_slot[lane]; const D d = (D)(expression));                         \
    }

/** A mask of the lanes where `expression` of a and b holds. */
#define COMPARE_LANES(A, a_offset, b_offset, expression)                                           \
    ({                                                                                             \
        const A *const a_slot = sim_slot(warp, a_offset);                                          \
        const A *const b_slot = sim_slot(warp, b_offset);                                          \
        uint32_t mask = 0;                                                                         \
        EACH_LANE                                                                                  \
        {                                                                                          \
            const A a = a_slot[lane], b = b_slot[lane];                                            \
            mask |= (expression) ? UINT32_C(1) << lane : 0;                                        \
        }                                                                                          \
        mask;                                                                                      \
    })

#endif
