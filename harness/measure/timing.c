/* Event timing of all rows in turn. Median, least and greatest of the repetitions are kept. */
#include "measure/timing.h"

#include "measure/clocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WARM_UPS = 2, LEAST_REPS = 5, MOST_REPS = 20, MOST_BATCH = 32 };
static const double SHORT_MS = 0.2, LONG_MS = 1000.0, BUDGET_MS = 8000.0;

struct timer {
    const struct lab_family *family;
    struct lab_problem *problem;
    cudaStream_t stream;
    cudaEvent_t start, stop;
    void *flush; /* twice the L2 cache, written between launches; NULL when warm */
    size_t flush_bytes;
};

static cudaError_t open_timer(struct timer *t, const struct lab_device *device, bool warm)
{
    cudaError_t status = cudaEventCreate(&t->start);
    if (status == cudaSuccess)
        status = cudaEventCreate(&t->stop);
    t->flush_bytes = 2 * (size_t)device->properties.l2CacheSize;
    if (status == cudaSuccess && !warm && t->flush_bytes)
        status = cudaMalloc(&t->flush, t->flush_bytes);
    return status;
}

static void close_timer(struct timer *t)
{
    cudaEventDestroy(t->start);
    cudaEventDestroy(t->stop);
    cudaFree(t->flush);
}

/* One timed batch: milliseconds of a launch. The error of any part of it. Clocks and power are
 * noted while it runs, where `conditions` is given. */
static cudaError_t time_once(struct timer *t, const struct lab_row *row, int batch, double *ms,
                             struct lab_conditions *conditions)
{
    float elapsed = 0.0f;
    cudaError_t status = cudaSuccess;
    for (int set = 0; set < batch && status == cudaSuccess; set++)
        status = t->family->reset(t->problem, set);
    if (status == cudaSuccess && t->flush)
        status = cudaMemsetAsync(t->flush, 0, t->flush_bytes, t->stream);
    if (status == cudaSuccess)
        status = cudaEventRecord(t->start, t->stream);
    for (int set = 0; set < batch && status == cudaSuccess; set++)
        status = t->family->launch(t->problem, row->step, row->index, set);
    if (status == cudaSuccess)
        status = cudaEventRecord(t->stop, t->stream);
    if (status == cudaSuccess && conditions)
        lab_clocks_note(conditions);
    if (status == cudaSuccess)
        status = cudaEventSynchronize(t->stop);
    if (status == cudaSuccess)
        status = cudaEventElapsedTime(&elapsed, t->start, t->stop);
    *ms = elapsed / batch;
    return status;
}

static cudaError_t check_batch(struct timer *t, struct lab_row *row, int batch)
{
    struct lab_check check = {.status = LAB_CHECK_OK};
    cudaError_t status = cudaSuccess;
    for (int set = 0; set < batch && status == cudaSuccess && check.status == LAB_CHECK_OK; set++)
        status = t->family->check_output(t->problem, set, &check);
    if (status == cudaSuccess && check.status != LAB_CHECK_OK) {
        row->check = check; /* right at first, wrong later: a race, most likely */
        strncat(row->check.message, " (only in a timed run: is there a race?)",
                sizeof row->check.message - strlen(row->check.message) - 1);
    } else if (check.max_error > row->check.max_error) {
        row->check.max_error = check.max_error;
    }
    return status;
}

static bool is_timed(const struct lab_row *row)
{
    return row->check.status == LAB_CHECK_OK;
}

/* Launches of each row before any is timed; chooses its batch. Returns the milliseconds that one
 * repetition of all rows takes, as far as launches go. Where the checked launch took seconds it was
 * the warm-up: what a first launch costs more is nothing beside. */
static cudaError_t warm_up(struct timer *t, struct lab_result *result, double *repetition_ms)
{
    cudaError_t status = cudaSuccess;
    *repetition_ms = 0.0;
    for (int i = 0; i < result->row_count && status == cudaSuccess; i++) {
        struct lab_row *row = &result->rows[i];
        double ms = 0.0;
        if (!is_timed(row))
            continue;
        if (row->checked_ms >= LONG_MS)
            ms = row->checked_ms;
        else
            status = t->family->prepare_row(t->problem, row->step, row->index);
        for (int w = 0; w < WARM_UPS && ms < LONG_MS && status == cudaSuccess; w++)
            status = time_once(t, row, 1, &ms, NULL);
        int wanted = ms >= SHORT_MS ? 1 : (int)(SHORT_MS / (ms > 1e-3 ? ms : 1e-3)) + 1;
        if (wanted > MOST_BATCH)
            wanted = MOST_BATCH;
        int there = t->family->reserve(t->problem, wanted);
        row->time.batch = wanted < there ? wanted : there;
        *repetition_ms += ms * row->time.batch;
    }
    return status;
}

/* Copying and comparing an output takes some time too: about a second for 10^9 elements' bytes. */
static int choose_reps(const struct lab_result *result, double repetition_ms)
{
    double check_ms = result->row_count * (double)result->facts.set_bytes / 3e6;
    int reps = (int)(BUDGET_MS / (repetition_ms + check_ms + 1e-3));
    return reps < LEAST_REPS ? LEAST_REPS : reps > MOST_REPS ? MOST_REPS : reps;
}

static cudaError_t take_samples(struct timer *t, struct lab_result *result, int reps,
                                double *samples)
{
    cudaError_t status = cudaSuccess;
    bool show = isatty(STDERR_FILENO);
    for (int rep = 0; rep < reps; rep++) {
        if (show)
            fprintf(stderr, "\rtiming %d of %d \033[K", rep + 1, reps);
        for (int i = 0; i < result->row_count; i++) {
            struct lab_row *row = &result->rows[i];
            if (!is_timed(row))
                continue;
            status = t->family->prepare_row(t->problem, row->step, row->index);
            if (status == cudaSuccess)
                status = time_once(t, row, row->time.batch, &samples[i * reps + rep],
                                   rep == reps / 2 ? &result->conditions : NULL);
            if (status == cudaSuccess)
                status = check_batch(t, row, row->time.batch);
            if (status != cudaSuccess)
                return status;
        }
    }
    if (show)
        fprintf(stderr, "\r\033[K");
    return status;
}

cudaError_t lab_time_rows(const struct lab_family *family, struct lab_problem *problem,
                          const struct lab_device *device, int reps, cudaStream_t stream,
                          struct lab_result *result)
{
    struct timer t = {.family = family, .problem = problem, .stream = stream};
    double repetition_ms, *samples = NULL;
    cudaError_t status = open_timer(&t, device, result->warm);
    if (status == cudaSuccess)
        status = warm_up(&t, result, &repetition_ms);
    if (status == cudaSuccess) {
        reps = reps ? reps : choose_reps(result, repetition_ms);
        samples = calloc((size_t)reps * result->row_count, sizeof *samples);
        status = samples ? take_samples(&t, result, reps, samples) : cudaErrorMemoryAllocation;
    }
    for (int i = 0; i < result->row_count && status == cudaSuccess; i++)
        if (is_timed(&result->rows[i]))
            lab_times_summarise(&result->rows[i].time, samples + (size_t)i * reps, reps);
    free(samples);
    close_timer(&t);
    return status;
}
