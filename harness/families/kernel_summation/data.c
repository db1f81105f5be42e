/* Data of family kernel summation: points, weights, and their buffers on the device. */
#include "families/kernel_summation/kernel_summation.h"

#include "families/inputs.h"

#include <math.h>
#include <stdlib.h>

enum { ZERO_EVERY = 5 };

size_t summation_count(const struct lab_problem *p, enum summation_array which)
{
    return which == SUMMATION_A   ? (size_t)p->m * p->k
           : which == SUMMATION_B ? (size_t)p->n * p->k
           : which == SUMMATION_W ? (size_t)p->n
                                  : (size_t)p->m;
}

/* Points uniform in the unit cube, moved by the offset; weights in [1/2, 1): none so small that one
 * left out goes unseen. Mixed weights have random signs, and every fifth is 0. */
void summation_fill(const struct lab_problem *p, enum summation_array which, float *values,
                    size_t first, size_t count)
{
    lab_inputs_fill(values, first, count, lab_inputs_seed(p->seed, which));
    for (size_t i = 0; i < count; i++)
        if (which != SUMMATION_W)
            values[i] = 2.0f * fabsf(values[i]) - 1.0f + p->offset;
        else if (p->weights != LAB_WEIGHTS_MIXED)
            values[i] = fabsf(values[i]);
        else if ((first + i) % ZERO_EVERY == ZERO_EVERY - 1)
            values[i] = 0.0f;
}

static size_t array_bytes(const struct lab_problem *p, enum summation_array which)
{
    return summation_count(p, which) * sizeof(float);
}

size_t summation_footprint(const struct lab_problem *p)
{
    size_t bytes = 0;
    for (int which = SUMMATION_A; which <= SUMMATION_V; which++)
        bytes += lab_buffer_footprint(array_bytes(p, which));
    return bytes;
}

static cudaError_t create_array(struct lab_problem *p, struct lab_buffer *buffer,
                                enum summation_array which, const char *name)
{
    size_t count = summation_count(p, which);
    cudaError_t status = lab_buffer_create(buffer, count * sizeof(float), name);
    for (size_t first = 0; status == cudaSuccess && which != SUMMATION_V && first < count;
         first += SUMMATION_STAGING_FLOATS) {
        size_t piece =
            count - first < SUMMATION_STAGING_FLOATS ? count - first : SUMMATION_STAGING_FLOATS;
        summation_fill(p, which, p->staging, first, piece);
        status = cudaMemcpy((float *)buffer->data + first, p->staging, piece * sizeof(float),
                            cudaMemcpyHostToDevice);
    }
    if (status == cudaSuccess && which != SUMMATION_V)
        lab_buffer_protect(buffer);
    return status;
}

static cudaError_t allocate(struct lab_problem *p)
{
    struct summation_buffers *buffers = &p->buffers;
    cudaError_t status = create_array(p, &buffers->a, SUMMATION_A, "A");
    if (status == cudaSuccess)
        status = create_array(p, &buffers->b, SUMMATION_B, "B");
    if (status == cudaSuccess)
        status = create_array(p, &buffers->w, SUMMATION_W, "W");
    if (status == cudaSuccess)
        status = create_array(p, &buffers->v, SUMMATION_V, "V");
    return status;
}

static void release(struct lab_problem *p)
{
    struct summation_buffers *buffers = &p->buffers;
    lab_buffer_destroy(&buffers->a);
    lab_buffer_destroy(&buffers->b);
    lab_buffer_destroy(&buffers->w);
    lab_buffer_destroy(&buffers->v);
}

cudaError_t summation_reset(struct lab_problem *p)
{
    return lab_buffer_poison(&p->buffers.v, p->stream);
}

static int too_large(const struct lab_problem *p, double needed, double there)
{
    return lab_complain(LAB_EXIT_USAGE,
                        "m=%d n=%d k=%d needs %.1f GiB of device memory, %.1f GiB are free; give "
                        "smaller -m -n -k",
                        p->m, p->n, p->k, needed / (1 << 30), there / (1 << 30));
}

int summation_create_buffers(struct lab_problem *p)
{
    size_t free_bytes = 0, total = 0;
    double points = (double)p->m + p->n, needed = 4.0 * (points * p->k + points);
    cudaMemGetInfo(&free_bytes, &total);
    if (needed + 8.0 * LAB_GUARD_BYTES + 4096 > (double)free_bytes)
        return too_large(p, needed, (double)free_bytes);
    p->staging = malloc(SUMMATION_STAGING_FLOATS * sizeof(float));
    p->expected = calloc(p->m, sizeof *p->expected);
    p->got = malloc(p->m * sizeof(float));
    if (!p->staging || !p->expected || !p->got)
        return lab_complain(LAB_EXIT_USAGE,
                            "the check of m=%d needs %.1f GiB of the host's memory, which are not "
                            "there; give smaller -m",
                            p->m, (double)p->m * (sizeof *p->expected + sizeof(float)) / (1 << 30));
    if (allocate(p) != cudaSuccess)
        return too_large(p, needed, (double)free_bytes);
    return LAB_EXIT_OK;
}

void summation_destroy_buffers(struct lab_problem *p)
{
    release(p);
    lab_buffer_destroy(&p->workspace);
    free(p->expected);
    free(p->staging);
    free(p->got);
    for (int i = 0; i < p->repeated_count; i++)
        free(p->repeated[i].first);
}
