/* "SGEMM Characterization on NVIDIA GPUs using Profiling Metrics for Autonomous Driving", table I.
 * The paper had a Tesla T4 and a GeForce GTX 1050 Max-Q and does not say which GPU the table is
 * of. It must be the GTX 1050: 16 warps on an SM are 25 % of its 64, but half of a T4's 32. And
 * 8192^3 multiply-adds in 675 ms are a fifth of what a T4 can do, but nearly all that a GTX 1050
 * can. */
#include "families/gemm/study/shape_paper.h"

const struct gemm_paper gemm_shape_paper = {
    .best_row = "b16x16_v64",
    .size = 8192,
    .device = "GeForce GTX 1050 Max-Q, CUDA 10.1",
    .best = {[GEMM_TIME] = 795,
             [GEMM_GLOBAL] = 2.7e7,
             [GEMM_SHARED] = 2.7e9,
             [GEMM_STALL] = 11.6,
             [GEMM_EFFICIENCY] = 41,
             [GEMM_OCCUPANCY] = 25,
             [GEMM_REGISTERS] = 128},
    .cublas = {[GEMM_TIME] = 675,
               [GEMM_GLOBAL] = 1.0e7,
               [GEMM_SHARED] = 1.08e9,
               [GEMM_STALL] = 34.5,
               [GEMM_EFFICIENCY] = 44,
               [GEMM_OCCUPANCY] = 25,
               [GEMM_REGISTERS] = 122},
};
