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
    case LAB_FAMILY_CAUCHY:
        return sizeof(struct lab_kernel_summation);
    case LAB_FAMILY_TRMM:
    case LAB_FAMILY_TRMM_LOWER:
        return sizeof(struct lab_trmm);
    case LAB_FAMILY_SYR2K:
        return sizeof(struct lab_syr2k);
    case LAB_FAMILY_APSP:
    case LAB_FAMILY_WIDEST:
        return sizeof(struct lab_apsp);
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
    case LAB_FAMILY_CAUCHY:
        return ANY_ROW(step->kernel_summation);
    case LAB_FAMILY_TRMM:
    case LAB_FAMILY_TRMM_LOWER:
        return ANY_ROW(step->trmm);
    case LAB_FAMILY_SYR2K:
        return ANY_ROW(step->syr2k);
    case LAB_FAMILY_APSP:
    case LAB_FAMILY_WIDEST:
        return ANY_ROW(step->apsp);
    default:
        return (struct lab_any_row){NULL, NULL, NULL};
    }
}

/* The row in its family's own type, in `storage`. */
#define OWN_ROW(family)                                                                            \
    ((struct lab_##family##_row *)memcpy(                                                          \
        storage,                                                                                   \
        &(struct lab_##family##_row){.name = row.name,                                             \
                                     .launch = (lab_##family##_launch *)(void *)row.launch,        \
                                     .workspace =                                                  \
                                         (lab_##family##_workspace *)(void *)row.workspace},       \
        sizeof(struct lab_##family##_row)))

bool lab_contract_step(struct lab_step *step, struct lab_contract_row_storage *storage,
                       enum lab_family_id family, struct lab_any_row row)
{
    *step = (struct lab_step){.abi = LAB_ABI, .family = family, .row_count = 1};
    switch ((int)family) {
    case LAB_FAMILY_GEMM:
    case LAB_FAMILY_GEMM_TN:
        step->gemm = OWN_ROW(gemm);
        return true;
    case LAB_FAMILY_KERNEL_SUMMATION:
    case LAB_FAMILY_CAUCHY:
        step->kernel_summation = OWN_ROW(kernel_summation);
        return true;
    case LAB_FAMILY_TRMM:
    case LAB_FAMILY_TRMM_LOWER:
        step->trmm = OWN_ROW(trmm);
        return true;
    case LAB_FAMILY_SYR2K:
        step->syr2k = OWN_ROW(syr2k);
        return true;
    case LAB_FAMILY_APSP:
    case LAB_FAMILY_WIDEST:
        step->apsp = OWN_ROW(apsp);
        return true;
    default:
        return false;
    }
}
