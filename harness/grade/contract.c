/* One case for each family: their rows differ in type, not in shape. A new family needs a case in
 * each of the four. */
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

#define BUFFER(type, field, bytes, role)                                                           \
    (struct lab_any_buffer)                                                                        \
    {                                                                                              \
        offsetof(type, field), bytes, role                                                         \
    }

static int gemm_buffers(const struct lab_gemm *p, struct lab_any_buffer *list)
{
    const size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k;
    list[0] = BUFFER(struct lab_gemm, a, m * k * sizeof(float), LAB_ROLE_INPUT);
    list[1] = BUFFER(struct lab_gemm, b, k * n * sizeof(float), LAB_ROLE_INPUT);
    list[2] = BUFFER(struct lab_gemm, c, m * n * sizeof(float), LAB_ROLE_OUTPUT);
    list[3] = BUFFER(struct lab_gemm, workspace, 0, LAB_ROLE_SCRATCH);
    return 4;
}

static int summation_buffers(const struct lab_kernel_summation *p, struct lab_any_buffer *list)
{
    const size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k;
    list[0] = BUFFER(struct lab_kernel_summation, a, m * k * sizeof(float), LAB_ROLE_INPUT);
    list[1] = BUFFER(struct lab_kernel_summation, b, n * k * sizeof(float), LAB_ROLE_INPUT);
    list[2] = BUFFER(struct lab_kernel_summation, w, n * sizeof(float), LAB_ROLE_INPUT);
    list[3] = BUFFER(struct lab_kernel_summation, v, m * sizeof(float), LAB_ROLE_OUTPUT);
    list[4] = BUFFER(struct lab_kernel_summation, workspace, 0, LAB_ROLE_SCRATCH);
    return 5;
}

static int trmm_buffers(const struct lab_trmm *p, struct lab_any_buffer *list)
{
    const size_t n = (size_t)p->n, m = (size_t)p->m;
    list[0] = BUFFER(struct lab_trmm, a, n * n * sizeof(double), LAB_ROLE_INPUT);
    list[1] = BUFFER(struct lab_trmm, b, n * m * sizeof(double), LAB_ROLE_OUTPUT);
    list[2] = BUFFER(struct lab_trmm, workspace, 0, LAB_ROLE_SCRATCH);
    return 3;
}

static int syr2k_buffers(const struct lab_syr2k *p, struct lab_any_buffer *list)
{
    const size_t n = (size_t)p->n, row = (size_t)p->p * (size_t)p->q;
    list[0] = BUFFER(struct lab_syr2k, a, n * row * sizeof(double), LAB_ROLE_INPUT);
    list[1] = BUFFER(struct lab_syr2k, b, n * row * sizeof(double), LAB_ROLE_INPUT);
    list[2] = BUFFER(struct lab_syr2k, c, n * n * sizeof(double), LAB_ROLE_OUTPUT);
    list[3] = BUFFER(struct lab_syr2k, workspace, 0, LAB_ROLE_SCRATCH);
    return 4;
}

static int apsp_buffers(const struct lab_apsp *p, struct lab_any_buffer *list)
{
    const size_t n = (size_t)p->n, element = p->type == LAB_APSP_U16 ? 2 : 4;
    list[0] = BUFFER(struct lab_apsp, w, n * n * element, LAB_ROLE_INPUT);
    list[1] = BUFFER(struct lab_apsp, d, n * n * element, LAB_ROLE_OUTPUT);
    list[2] = BUFFER(struct lab_apsp, workspace, 0, LAB_ROLE_SCRATCH);
    if (!p->next)
        return 3;
    list[3] = BUFFER(struct lab_apsp, next, n * n * sizeof(int), LAB_ROLE_OUTPUT);
    return 4;
}

int lab_contract_buffers(enum lab_family_id family, const void *problem,
                         struct lab_any_buffer list[LAB_ANY_BUFFERS])
{
    switch ((int)family) {
    case LAB_FAMILY_GEMM:
    case LAB_FAMILY_GEMM_TN:
        return gemm_buffers(problem, list);
    case LAB_FAMILY_KERNEL_SUMMATION:
    case LAB_FAMILY_CAUCHY:
        return summation_buffers(problem, list);
    case LAB_FAMILY_TRMM:
    case LAB_FAMILY_TRMM_LOWER:
        return trmm_buffers(problem, list);
    case LAB_FAMILY_SYR2K:
        return syr2k_buffers(problem, list);
    case LAB_FAMILY_APSP:
    case LAB_FAMILY_WIDEST:
        return apsp_buffers(problem, list);
    default:
        return 0;
    }
}
