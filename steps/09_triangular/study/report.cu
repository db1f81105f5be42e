// The study of step 09: every version of a course report's first kernel, as its table and its text
// have them, with guards, so that they are right at every size. Two are stages 2 and 3 of the step,
// the others are variants that no stage is. `run sweep step09` has it compiled, no step does.
#include "families/trmm.h"

// The two stages as they are, without the line that exports their rows.
#pragma push_macro("LAB_EXPORT")
#undef LAB_EXPORT
#define LAB_EXPORT(...) static_assert(true, "the study exports their rows")
namespace tiles
{
#include "../2_tiles.cu"
}
namespace split
{
#include "../3_split.cu"
}
#pragma pop_macro("LAB_EXPORT")

typedef double real;

static const real *a_of(const struct lab_trmm *p)
{
    return p->a;
}
static real *b_of(const struct lab_trmm *p)
{
    return p->b;
}
#include "versions.h"

// In the order of the report: `global` with its 128 threads to a block, 16 blocks at 2048; variants
// of each version behind it. The listing of its best kernel is `blocks_2d_short`.
// Behind them are shapes that the report did not try: b64x16_k16 is a block 64 wide and 16 high
// with panels of 16.
LAB_EXPORT(trmm, {"global", launch_global<128, int, 4>},
           {"global_short", launch_global<128, short, 4>},
           {"global_rolled", launch_global<128, int, 1>},
           {"global_short_rolled", launch_global<128, short, 1>},
           {"global_64_threads", launch_global<64, int, 4>}, {"shared_a", launch_shared_a<1>},
           {"shared_a_one_barrier", launch_shared_a<2>}, {"shared_ab", tiles::launch},
           {"shared_ab_split", split::launch}, {"blocks_2d", launch_blocks_2d<int, SIDE>},
           {"blocks_2d_rolled", launch_blocks_2d<int, 1>},
           {"blocks_2d_short_rolled", launch_blocks_2d<short, 1>},
           {"blocks_2d_short", launch_blocks_2d<short, SIDE>}, {"b8x8_k8", launch_blocks<8, 8, 8>},
           {"b16x8_k16", launch_blocks<16, 8, 16>}, {"b16x16_k16", launch_blocks<16, 16, 16>},
           {"b16x16_k32", launch_blocks<16, 16, 32>}, {"b32x8_k32", launch_blocks<32, 8, 32>},
           {"b32x16_k16", launch_blocks<32, 16, 16>}, {"b32x16_k32", launch_blocks<32, 16, 32>},
           {"b64x16_k16", launch_blocks<64, 16, 16>}, {"b32x32_k32", launch_blocks<32, 32, 32>});
