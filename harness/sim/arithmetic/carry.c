/* Arithmetic through the carry flag: add.cc, addc, sub.cc, subc, mad.cc, madc.
 *
 * The flag is one bit of each lane, kept as a mask in the frame of each call. Subtraction adds the
 * complement, so that the flag is set where nothing was borrowed. PTX calls the flag a borrow, but
 * compilers emit code that reads it with addc after a subtraction, and this code relies on it. */
#include "arithmetic.h"

#include "sim/machine/lanes.h"

enum { MODE_TAKES_CARRY = 1, MODE_SETS_CARRY = 2 };

/* `total` computes a, b, c and the carry in the wider type W; its bit above T is the new carry. */
#define CARRYING(name, T, W, total)                                                                \
    static const struct instruction *name(struct warp *warp, const struct instruction *at)         \
    {                                                                                              \
        const uint32_t mode = at->flags >> FLAG_MODE_SHIFT;                                        \
        const T *const a_slot = sim_slot(warp, at->a), *const b_slot = sim_slot(warp, at->b);      \
        const T *const c_slot = sim_slot(warp, at->c);                                             \
        const int32_t flag = warp->function->carry;                                                \
        const uint32_t carries = mode & MODE_TAKES_CARRY ? sim_predicate(warp, flag, false) : 0;   \
        uint32_t result_carries = 0;                                                               \
        T result[WARP_LANES];                                                                      \
        for (unsigned lane = 0; lane < WARP_LANES; lane++) {                                       \
            const W a = a_slot[lane], b = b_slot[lane], c = c_slot[lane];                          \
            const W carry = carries >> lane & 1;                                                   \
            const W sum = (total);                                                                 \
            (void)c;                                                                               \
            result[lane] = (T)sum;                                                                 \
            result_carries |= (uint32_t)(sum >> (8 * sizeof(T)) & 1) << lane;                      \
        }                                                                                          \
        if (mode & MODE_SETS_CARRY)                                                                \
            sim_set_predicate(warp, flag, result_carries);                                         \
        if (sizeof(T) == 8)                                                                        \
            sim_write64(warp, at->d, result);                                                      \
        else                                                                                       \
            sim_write32(warp, at->d, result);                                                      \
        return at + 1;                                                                             \
    }

typedef unsigned __int128 u128;

CARRYING(add32, uint32_t, uint64_t, a + b + carry)
CARRYING(add64, uint64_t, u128, a + b + carry)
CARRYING(sub32, uint32_t, uint64_t, a + (uint32_t)~b + (mode & MODE_TAKES_CARRY ? carry : 1))
CARRYING(sub64, uint64_t, u128, a + (uint64_t)~b + (mode & MODE_TAKES_CARRY ? carry : 1))
CARRYING(mad_lo32, uint32_t, uint64_t, (uint32_t)(a *b) + c + carry)
CARRYING(mad_lo64, uint64_t, u128, (u128)(uint64_t)(a *b) + c + carry)
CARRYING(mad_hi_u32, uint32_t, uint64_t, (a * b >> 32) + c + carry)
CARRYING(mad_hi_u64, uint64_t, u128, (a * b >> 64) + c + carry)
CARRYING(mad_hi_s32, uint32_t, uint64_t,
         (uint64_t)(uint32_t)((int64_t)(int32_t)a *(int32_t)b >> 32) + c + carry)
CARRYING(mad_hi_s64, uint64_t, u128,
         (u128)(uint64_t)((__int128)(int64_t)a *(int64_t)b >> 64) + c + carry)

/* Signs matter only to the upper half of a product. */
#define NARROW(opcode, type, run, sources, mode)                                                   \
    {                                                                                              \
        opcode type, run, "w=w" sources, mode                                                      \
    }
#define WIDE(opcode, type, run, sources, mode)                                                     \
    {                                                                                              \
        opcode type, run, "l=l" sources, mode                                                      \
    }
#define TWO(opcode, name, mode)                                                                    \
    NARROW(opcode, ".u32", name##32, "w", mode), NARROW(opcode, ".s32", name##32, "w", mode),      \
        WIDE(opcode, ".u64", name##64, "l", mode), WIDE(opcode, ".s64", name##64, "l", mode)
#define LOW(opcode, mode)                                                                          \
    NARROW(opcode, ".u32", mad_lo32, "ww", mode), NARROW(opcode, ".s32", mad_lo32, "ww", mode),    \
        WIDE(opcode, ".u64", mad_lo64, "ll", mode), WIDE(opcode, ".s64", mad_lo64, "ll", mode)
#define HIGH(opcode, mode)                                                                         \
    NARROW(opcode, ".u32", mad_hi_u32, "ww", mode),                                                \
        NARROW(opcode, ".s32", mad_hi_s32, "ww", mode),                                            \
        WIDE(opcode, ".u64", mad_hi_u64, "ll", mode), WIDE(opcode, ".s64", mad_hi_s64, "ll", mode)

const struct rule sim_wide_rules[] = {
    TWO("add.cc", add, MODE_SETS_CARRY),
    TWO("addc", add, MODE_TAKES_CARRY),
    TWO("addc.cc", add, MODE_TAKES_CARRY | MODE_SETS_CARRY),
    TWO("sub.cc", sub, MODE_SETS_CARRY),
    TWO("subc", sub, MODE_TAKES_CARRY),
    TWO("subc.cc", sub, MODE_TAKES_CARRY | MODE_SETS_CARRY),
    LOW("mad.lo.cc", MODE_SETS_CARRY),
    LOW("madc.lo", MODE_TAKES_CARRY),
    LOW("madc.lo.cc", MODE_TAKES_CARRY | MODE_SETS_CARRY),
    HIGH("mad.hi.cc", MODE_SETS_CARRY),
    HIGH("madc.hi", MODE_TAKES_CARRY),
    HIGH("madc.hi.cc", MODE_TAKES_CARRY | MODE_SETS_CARRY),
    {NULL, NULL, NULL, 0},
};
