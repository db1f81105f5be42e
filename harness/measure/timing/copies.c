/* Times with the copies to and from the device: what a program sees that has its data on the
 * host. */
#include "measure/timing/timing.h"

#include "base/numbers.h"

enum { REPS = 5 }; /* after an untimed launch, which makes the host's copies */

struct event_pair {
    cudaStream_t stream;
    cudaEvent_t start, stop;
};

static cudaError_t time_once(const struct event_pair *events, struct lab_problem *problem,
                             const struct lab_row *row, double *ms)
{
    cudaError_t status = lab_problem_prepare(problem, row->step, row->index);
    if (status == cudaSuccess)
        status = lab_problem_capture(problem);
    if (status == cudaSuccess)
        status = lab_problem_reset(problem);
    if (status == cudaSuccess)
        status = cudaEventRecord(events->start, events->stream);
    if (status == cudaSuccess)
        status = lab_problem_copy_in(problem);
    if (status == cudaSuccess)
        status = lab_problem_launch(problem);
    if (status == cudaSuccess)
        status = lab_problem_copy_out(problem);
    if (status == cudaSuccess)
        status = cudaEventRecord(events->stop, events->stream);
    if (status == cudaSuccess)
        status = cudaEventSynchronize(events->stop);
    float elapsed = 0.0f;
    if (status == cudaSuccess)
        status = cudaEventElapsedTime(&elapsed, events->start, events->stop);
    *ms = elapsed;
    return status;
}

static cudaError_t time_row(const struct event_pair *events, struct lab_problem *problem,
                            struct lab_row *row)
{
    double ms[REPS];
    cudaError_t status = time_once(events, problem, row, &ms[0]);
    for (int rep = 0; rep < REPS && status == cudaSuccess; rep++)
        status = time_once(events, problem, row, &ms[rep]);
    if (status != cudaSuccess)
        return status;
    struct lab_check check = {.status = LAB_CHECK_OK};
    status = lab_problem_check_output(problem, &check);
    if (check.status != LAB_CHECK_OK)
        row->check = check;
    lab_sort(ms, REPS);
    row->with_copies_ms = lab_median(ms, REPS);
    return status;
}

cudaError_t lab_time_with_copies(struct lab_problem *problem, cudaStream_t stream,
                                 struct lab_result *result)
{
    struct event_pair events = {.stream = stream};
    cudaError_t status = cudaEventCreate(&events.start);
    if (status == cudaSuccess)
        status = cudaEventCreate(&events.stop);
    for (int i = 0; i < result->row_count && status == cudaSuccess; i++)
        if (result->rows[i].check.status == LAB_CHECK_OK)
            status = time_row(&events, problem, &result->rows[i]);
    cudaEventDestroy(events.start);
    cudaEventDestroy(events.stop);
    return status;
}
