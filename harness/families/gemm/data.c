/* Data of family gemm: buffers on the device, inputs, and the old C. */
#include "families/gemm/gemm.h"

#include <stdlib.h>

size_t gemm_footprint(const struct lab_problem *p)
{
    return lab_buffer_footprint(gemm_count(p, GEMM_A) * sizeof(float)) +
           lab_buffer_footprint(gemm_count(p, GEMM_B) * sizeof(float)) +
           lab_buffer_footprint(gemm_count(p, GEMM_C) * sizeof(float));
}

static cudaError_t upload(struct lab_problem *p, const struct lab_buffer *buffer,
                          enum gemm_matrix which)
{
    size_t count = buffer->bytes / sizeof(float);
    for (size_t first = 0; first < count; first += GEMM_STAGING_FLOATS) {
        size_t piece = count - first < GEMM_STAGING_FLOATS ? count - first : GEMM_STAGING_FLOATS;
        gemm_fill(p, which, p->staging, first, piece);
        cudaError_t status = cudaMemcpy((float *)buffer->data + first, p->staging,
                                        piece * sizeof(float), cudaMemcpyHostToDevice);
        if (status != cudaSuccess)
            return status;
    }
    return cudaSuccess;
}

static cudaError_t allocate(struct lab_problem *p)
{
    struct gemm_buffers *buffers = &p->buffers;
    cudaError_t status = lab_buffer_create(&buffers->a, gemm_count(p, GEMM_A) * sizeof(float), "A");
    if (status == cudaSuccess)
        status = lab_buffer_create(&buffers->b, gemm_count(p, GEMM_B) * sizeof(float), "B");
    if (status == cudaSuccess)
        status = lab_buffer_create(&buffers->c, gemm_count(p, GEMM_C) * sizeof(float), "C");
    if (status == cudaSuccess)
        status = upload(p, &buffers->a, GEMM_A);
    if (status == cudaSuccess)
        status = upload(p, &buffers->b, GEMM_B);
    if (status == cudaSuccess) {
        lab_buffer_protect(&buffers->a);
        lab_buffer_protect(&buffers->b);
    }
    return status;
}

static void release(struct lab_problem *p)
{
    struct gemm_buffers *buffers = &p->buffers;
    lab_buffer_destroy(&buffers->a);
    lab_buffer_destroy(&buffers->b);
    lab_buffer_destroy(&buffers->c);
}

cudaError_t gemm_reset(struct lab_problem *p)
{
    const struct lab_buffer *c = &p->buffers.c;
    if (p->beta == 0.0f)
        return lab_buffer_poison(c, p->stream);
    return cudaMemcpyAsync(c->data, p->old_c.data, c->bytes, cudaMemcpyDeviceToDevice, p->stream);
}

static int check_memory(const struct lab_problem *p)
{
    size_t free_bytes = 0, total = 0;
    double needed = ((double)p->m * p->k + (double)p->k * p->n + (double)p->m * p->n) * 4.0;
    if (p->beta != 0.0f)
        needed += (double)p->m * p->n * 4.0;
    cudaMemGetInfo(&free_bytes, &total);
    if (needed + 8.0 * LAB_GUARD_BYTES + 4096 <= (double)free_bytes)
        return LAB_EXIT_OK;
    return lab_complain(LAB_EXIT_USAGE,
                        "%d x %d x %d needs %.1f GiB of device memory, %.1f GiB are free; give "
                        "smaller -m -n -k",
                        p->m, p->n, p->k, needed / (1 << 30), (double)free_bytes / (1 << 30));
}

static int out_of_memory(const struct lab_problem *p, cudaError_t status)
{
    return lab_complain(LAB_EXIT_USAGE, "no memory for %d x %d x %d (%s); give smaller -m -n -k",
                        p->m, p->n, p->k, cudaGetErrorString(status));
}

int gemm_create_buffers(struct lab_problem *p)
{
    int fits = check_memory(p);
    if (fits != LAB_EXIT_OK)
        return fits;
    p->staging = malloc(GEMM_STAGING_FLOATS * sizeof(float));
    p->expected = malloc(gemm_count(p, GEMM_C) * sizeof(float));
    if (!p->staging || !p->expected)
        return out_of_memory(p, cudaErrorMemoryAllocation);
    cudaError_t status = allocate(p);
    if (status == cudaSuccess && p->beta != 0.0f)
        status = lab_buffer_create(&p->old_c, gemm_count(p, GEMM_C) * sizeof(float), "old C");
    if (status == cudaSuccess && p->beta != 0.0f)
        status = upload(p, &p->old_c, GEMM_C);
    if (status != cudaSuccess)
        return out_of_memory(p, status);
    return LAB_EXIT_OK;
}

void gemm_destroy_buffers(struct lab_problem *p)
{
    release(p);
    lab_buffer_destroy(&p->old_c);
    lab_buffer_destroy(&p->workspace);
    free(p->expected);
    free(p->staging);
}
