// The study of step 09 in float: kernels of a course report's first problem, as report.cu has them.
// Its two stages are left out.
#include "families/trmm.h"

typedef float real;

static const real *a_of(const struct lab_trmm *p)
{
    return p->a_float;
}
static real *b_of(const struct lab_trmm *p)
{
    return p->b_float;
}
#include "versions.h"

LAB_EXPORT(trmm, {"global_float", launch_global<128, int, 4>, NULL, LAB_TRMM_FLOATS},
           {"global_64_threads_float", launch_global<64, int, 4>, NULL, LAB_TRMM_FLOATS},
           {"shared_a_float", launch_shared_a<1>, NULL, LAB_TRMM_FLOATS},
           {"shared_a_one_barrier_float", launch_shared_a<2>, NULL, LAB_TRMM_FLOATS},
           {"blocks_2d_float", launch_blocks_2d<int, SIDE>, NULL, LAB_TRMM_FLOATS},
           {"blocks_2d_short_float", launch_blocks_2d<short, SIDE>, NULL, LAB_TRMM_FLOATS});
