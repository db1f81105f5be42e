/* The list of problem families. */
#include "problem/problem.h"

const struct lab_family *lab_family_find(enum lab_family_id id)
{
    return id == LAB_FAMILY_GEMM ? &lab_gemm_family : NULL;
}
