/* Times with the copies to and from the device: what a program that has its data on the host gets.
 */
#include "measure/timing.h"

#include <stdlib.h>

enum { REPS = 5 }; /* after one that is not counted: it makes the host's copies */

struct stopwatch {
    cudaStream_t stream;
    cudaEvent_t start, stop;
};

static cudaError_t time_once(const struct stopwatch *w, const struct lab_family *family,
                             struct lab_problem *problem, const struct lab_row *row, float *ms)
{
    cudaError_t status = family->prepare_row(problem, row->step, row->index);
    if (status == cudaSuccess)
        status = family->reset(problem);
    if (status == cudaSuccess)
        status = cudaEventRecord(w->start, w->stream);
    if (status == cudaSuccess)
        status = family->copy_in(problem);
    if (status == cudaSuccess)
        status = family->launch(problem, row->step, row->index);
    if (status == cudaSuccess)
        status = family->copy_out(problem);
    if (status == cudaSuccess)
        status = cudaEventRecord(w->stop, w->stream);
    if (status == cudaSuccess)
        status = cudaEventSynchronize(w->stop);
    return status == cudaSuccess ? cudaEventElapsedTime(ms, w->start, w->stop) : status;
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static cudaError_t time_row(const struct stopwatch *w, const struct lab_family *family,
                            struct lab_problem *problem, struct lab_row *row)
{
    float ms[REPS];
    cudaError_t status = time_once(w, family, problem, row, &ms[0]);
    for (int rep = 0; rep < REPS && status == cudaSuccess; rep++)
        status = time_once(w, family, problem, row, &ms[rep]);
    if (status != cudaSuccess)
        return status;
    struct lab_check check = {.status = LAB_CHECK_OK};
    status = family->check_output(problem, &check);
    if (check.status != LAB_CHECK_OK)
        row->check = check;
    qsort(ms, REPS, sizeof *ms, compare_floats);
    row->with_copies_ms = ms[REPS / 2];
    return status;
}

cudaError_t lab_time_with_copies(const struct lab_family *family, struct lab_problem *problem,
                                 cudaStream_t stream, struct lab_result *result)
{
    struct stopwatch w = {.stream = stream};
    cudaError_t status = cudaEventCreate(&w.start);
    if (status == cudaSuccess)
        status = cudaEventCreate(&w.stop);
    for (int i = 0; i < result->row_count && status == cudaSuccess; i++)
        if (result->rows[i].check.status == LAB_CHECK_OK)
            status = time_row(&w, family, problem, &result->rows[i]);
    cudaEventDestroy(w.start);
    cudaEventDestroy(w.stop);
    return status;
}
