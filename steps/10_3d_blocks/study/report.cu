// The study of step 10: every version of a course report's second kernel, as its table, its text
// and its listing have them, with guards, so that they are right at every size. One is stage 2 of
// the step, the others are variants that no stage is. `run sweep step10` has it compiled, no step
// does.
#include "families/syr2k.h"

// The stage as it is, without the line that exports its row.
#pragma push_macro("LAB_EXPORT")
#undef LAB_EXPORT
#define LAB_EXPORT(...) static_assert(true, "the study exports its row")
namespace four_tiles
{
#include "../2_tile.cu"
}
#pragma pop_macro("LAB_EXPORT")

typedef double real;

static const real *a_of(const struct lab_syr2k *p)
{
    return p->a;
}
static const real *b_of(const struct lab_syr2k *p)
{
    return p->b;
}
static real *c_of(const struct lab_syr2k *p)
{
    return p->c;
}
#include "versions.h"

// In the order of the report. `_padded` and `_coalesced` are its optimizations 2 and 3, each alone
// on top of 1; `listing` is its best kernel as it is listed, tI 2, tJ 16, rows of 33 and shorts.
// Which of the two tiles its blocks in three dimensions have it does not say. Behind them are tiles
// that the report did not try: b8x8_i1_j32 is a block of 8 x 8 threads with tiles of (8,1,32).
LAB_EXPORT(syr2k, {"global", launch_global<false>}, {"global_cut_warps", launch_global<true>},
           {"tile", four_tiles::launch}, {"shared_work", launch_halves<8, 8, 8, 0>, workspace<1>},
           {"shared_work_padded", launch_halves<8, 8, 8, 1>, workspace<1>},
           {"shared_work_coalesced", launch_halves<16, 2, 32, 0>, workspace<1>},
           {"shared_work_padded_coalesced", launch_halves<16, 2, 32, 1>, workspace<1>},
           {"listing_ints", launch_halves<16, 2, 16, 1>, workspace<1>},
           {"listing", launch_halves<16, 2, 16, 1, short>, workspace<1>},
           {"blocks_3d_reduction", launch_blocks_3d<REDUCTION>, workspace<1>},
           {"blocks_3d_atomics", launch_blocks_3d<ATOMICS>},
           {"blocks_3d_bound", launch_blocks_3d<NONE>, workspace<DEPTH>},
           {"listing_3d_bound", launch_blocks_3d<NONE, 16>, workspace<DEPTH>},
           {"b8x8_i1_j16", launch_halves<8, 1, 16, 1>, workspace<1>},
           {"b8x8_i2_j16", launch_halves<8, 2, 16, 1>, workspace<1>},
           {"b8x8_i1_j32", launch_halves<8, 1, 32, 1>, workspace<1>},
           {"b16x16_i1_j16", launch_halves<16, 1, 16, 1>, workspace<1>},
           {"b16x16_i1_j32", launch_halves<16, 1, 32, 1>, workspace<1>},
           {"b16x16_i4_j16", launch_halves<16, 4, 16, 1>, workspace<1>},
           {"b16x16_i4_j32", launch_halves<16, 4, 32, 1>, workspace<1>},
           {"b32x32_i1_j32", launch_halves<32, 1, 32, 1>, workspace<1>});
