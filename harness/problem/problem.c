/* The list of problem families. */
#include "problem/problem.h"

const struct lab_family *lab_family_find(enum lab_family_id id)
{
    switch (id) {
    case LAB_FAMILY_GEMM:
        return &lab_gemm_family;
    case LAB_FAMILY_WIDEST:
        return &lab_widest_family;
    case LAB_FAMILY_CAUCHY:
        return &lab_cauchy_family;
    case LAB_FAMILY_TRMM_LOWER:
        return &lab_trmm_lower_family;
    case LAB_FAMILY_GEMM_TN:
        return &lab_gemm_tn_family;
    case LAB_FAMILY_KERNEL_SUMMATION:
        return &lab_kernel_summation_family;
    case LAB_FAMILY_TRMM:
        return &lab_trmm_family;
    case LAB_FAMILY_SYR2K:
        return &lab_syr2k_family;
    case LAB_FAMILY_APSP:
        return &lab_apsp_family;
    }
    return NULL;
}
