// The study of step 10 in float: kernels of a course report's second problem, as report.cu has
// them. Its stage is left out.
#include "families/syr2k.h"

typedef float real;

static const real *a_of(const struct lab_syr2k *p)
{
    return p->a_float;
}
static const real *b_of(const struct lab_syr2k *p)
{
    return p->b_float;
}
static real *c_of(const struct lab_syr2k *p)
{
    return p->c_float;
}
#include "versions.h"

LAB_EXPORT(
    syr2k, {"global_float", launch_global<false>, NULL, LAB_SYR2K_FLOATS},
    {"shared_work_float", launch_halves<8, 8, 8, 0>, workspace<1>, LAB_SYR2K_FLOATS},
    {"shared_work_padded_float", launch_halves<8, 8, 8, 1>, workspace<1>, LAB_SYR2K_FLOATS},
    {"shared_work_coalesced_float", launch_halves<16, 2, 32, 0>, workspace<1>, LAB_SYR2K_FLOATS},
    {"shared_work_padded_coalesced_float", launch_halves<16, 2, 32, 1>, workspace<1>,
     LAB_SYR2K_FLOATS},
    {"listing_ints_float", launch_halves<16, 2, 16, 1>, workspace<1>, LAB_SYR2K_FLOATS},
    {"listing_float", launch_halves<16, 2, 16, 1, short>, workspace<1>, LAB_SYR2K_FLOATS},
    {"blocks_3d_reduction_float", launch_blocks_3d<REDUCTION>, workspace<1>, LAB_SYR2K_FLOATS},
    {"blocks_3d_atomics_float", launch_blocks_3d<ATOMICS>, NULL, LAB_SYR2K_FLOATS},
    {"blocks_3d_bound_float", launch_blocks_3d<NONE>, workspace<DEPTH>, LAB_SYR2K_FLOATS},
    {"listing_3d_bound_float", launch_blocks_3d<NONE, 16>, workspace<DEPTH>, LAB_SYR2K_FLOATS});
