/* One case for each family: their rows differ in type, not in shape. A new family needs a case in
 * each of the three. */
#include "grade/contract.h"

#include <string.h>

size_t lab_contract_bytes(enum lab_family_id family)
{
    switch ((int)family) {
    case LAB_FAMILY_GEMM:
    case LAB_FAMILY_GEMM_TN:
        return sizeof(struct lab_gemm);
    case LAB_FAMILY_KERNEL_SUMMATION:
        return sizeof(struct lab_kernel_summation);
    default:
        return 0;
    }
}

#define ANY_ROW(rows)                                                                              \
    (struct lab_any_row)                                                                           \
    {                                                                                              \
        (rows)[row].name, (lab_any_launch *)(void *)(rows)[row].launch,                            \
            (lab_any_workspace *)(void *)(rows)[row].workspace                                     \
    }

struct lab_any_row lab_contract_row(const struct lab_step *step, int row)
{
    switch ((int)step->family) {
    case LAB_FAMILY_GEMM:
    case LAB_FAMILY_GEMM_TN:
        return ANY_ROW(step->gemm);
    case LAB_FAMILY_KERNEL_SUMMATION:
        return ANY_ROW(step->kernel_summation);
    default:
        return (struct lab_any_row){NULL, NULL, NULL};
    }
}

bool lab_contract_step(struct lab_step *step, struct lab_contract_row_storage *storage,
                       enum lab_family_id family, struct lab_any_row row)
{
    struct lab_gemm_row *gemm = (struct lab_gemm_row *)(void *)storage;
    struct lab_kernel_summation_row *sum = (struct lab_kernel_summation_row *)(void *)storage;
    *step = (struct lab_step){.abi = LAB_ABI, .family = family, .row_count = 1};
    memset(storage, 0, sizeof *storage);
    switch ((int)family) {
    case LAB_FAMILY_GEMM:
    case LAB_FAMILY_GEMM_TN:
        *gemm = (struct lab_gemm_row){row.name, (lab_gemm_launch *)(void *)row.launch,
                                      (lab_gemm_workspace *)(void *)row.workspace};
        step->gemm = gemm;
        return true;
    case LAB_FAMILY_KERNEL_SUMMATION:
        *sum = (struct lab_kernel_summation_row){
            .name = row.name,
            .launch = (lab_kernel_summation_launch *)(void *)row.launch,
            .workspace = (lab_kernel_summation_workspace *)(void *)row.workspace};
        step->kernel_summation = sum;
        return true;
    default:
        return false;
    }
}
