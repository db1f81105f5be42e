/* Event timing of all rows in turn. Keeps the median, least and greatest of the repetitions. */
#include "measure/timing/timing.h"

#include "base/numbers.h"
#include "base/progress.h"
#include "measure/launches/launches.h"
#include "measure/timing/event_timer.h"
#include "measure/timing/nvml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WARM_UPS = 2, LEAST_REPS = 5, MOST_REPS = 30, MARKED = 15 };
static const double LONG_MS = 1000.0, BUDGET_MS = 8000.0;
/* A row whose launch takes seconds is timed twice; one that takes very long, once. */
static const double VERY_LONG_MS = 5000.0;
/* In a longer launch, what the device did before makes no difference. */
static const double SOON_WARM_MS = 100.0;

/* Kernels of a row that takes longer are timed once each, which tells which takes longest. */
static const double SHORT_MS = 10.0;

struct timing {
    struct lab_problem *problem;
    struct lab_event_timer timer;
};

/* One timed launch on a fresh output. The error of any part of it. Clocks and power are noted while
 * it runs, where `conditions` is given. */
static cudaError_t time_once(struct timing *t, double *ms, struct lab_conditions *conditions)
{
    cudaError_t status = lab_problem_reset(t->problem);
    if (status == cudaSuccess)
        status = lab_event_timer_begin(&t->timer);
    if (status != cudaSuccess)
        return status;
    cudaError_t launched = lab_problem_launch(t->problem);
    status = lab_event_timer_end(&t->timer);
    if (launched != cudaSuccess || status != cudaSuccess)
        return launched != cudaSuccess ? launched : status;
    if (conditions)
        lab_clocks_note(conditions);
    return lab_event_timer_read(&t->timer, ms);
}

/* The same after a launch that is not timed. The host has just compared outputs for up to a second,
 * so that launch lets clocks rise again, and brings instructions and address translations into the
 * caches. */
static cudaError_t time_warmed_up(struct timing *t, const struct lab_row *row, double *ms,
                                  struct lab_conditions *conditions)
{
    cudaError_t status = cudaSuccess;
    if (row->warm_up_ms < SOON_WARM_MS) {
        status = lab_problem_reset(t->problem);
        if (status == cudaSuccess)
            status = lab_problem_launch(t->problem);
    }
    return status == cudaSuccess ? time_once(t, ms, conditions) : status;
}

static cudaError_t check_timed_output(struct timing *t, struct lab_row *row)
{
    struct lab_check check = {.status = LAB_CHECK_OK};
    cudaError_t status = lab_problem_check_output(t->problem, &check);
    if (status == cudaSuccess && check.status != LAB_CHECK_OK) {
        row->check = check; /* right at first, wrong later: most likely a race */
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

/* How many of `reps` times a row is timed; all of them if the user asked for that number. */
static int reps_of(const struct lab_row *row, int reps, bool asked_for)
{
    const int few = row->warm_up_ms >= VERY_LONG_MS ? 1 : 2;
    return row->warm_up_ms < LONG_MS || asked_for || reps < few ? reps : few;
}

/* Events that are recorded after each launch of a row. */
struct marks {
    cudaStream_t stream;
    cudaEvent_t events[LAB_MAX_NAMED];
    int count;
};

static void mark_launch(void *context)
{
    struct marks *marks = context;
    if (marks->count < LAB_MAX_NAMED &&
        cudaEventRecord(marks->events[marks->count], marks->stream) == cudaSuccess)
        marks->count++;
}

/* Launches a row once, with an event after each of its kernels; the milliseconds between the
 * events. */
static cudaError_t time_marked(struct timing *t, struct marks *marks, double *samples)
{
    double ms;
    marks->count = 0;
    cudaError_t status = lab_problem_reset(t->problem);
    if (status == cudaSuccess)
        status = lab_event_timer_begin(&t->timer);
    if (status != cudaSuccess)
        return status;
    lab_launches_reset();
    lab_launches_watch(mark_launch, marks);
    const cudaError_t launched = lab_problem_launch(t->problem);
    lab_launches_watch(NULL, NULL);
    status = lab_event_timer_end(&t->timer);
    if (status == cudaSuccess)
        status = launched != cudaSuccess ? launched : lab_event_timer_read(&t->timer, &ms);
    for (int i = 0; i < marks->count && status == cudaSuccess; i++) {
        float elapsed = 0.0f;
        status = cudaEventElapsedTime(&elapsed, i ? marks->events[i - 1] : t->timer.start,
                                      marks->events[i]);
        samples[i * MARKED] = (double)elapsed;
    }
    return status;
}

/* Times each of a row's kernels, with its launch and the event after it. The facts of the kernel
 * that takes most become the row's. */
static cudaError_t time_launches(struct timing *t, const struct lab_device *device,
                                 struct lab_row *row)
{
    struct marks marks = {.stream = t->timer.stream};
    double samples[LAB_MAX_NAMED * MARKED];
    const int times = row->warm_up_ms < SHORT_MS ? MARKED : 1;
    lab_problem_drop_graph(t->problem); /* its launches have no events after them */
    cudaError_t status = cudaSuccess;
    for (int i = 0; i < LAB_MAX_NAMED && status == cudaSuccess; i++)
        status = cudaEventCreate(&marks.events[i]);
    for (int time = 0; time < times && status == cudaSuccess; time++)
        status = time_marked(t, &marks, samples + time);
    for (int i = 0; i < marks.count && status == cudaSuccess; i++) {
        struct lab_times of_launch;
        lab_times_summarise(&of_launch, samples + i * MARKED, times);
        row->launch_ms[i] = of_launch.median;
        lab_launches_set_work(i, of_launch.median);
    }
    if (status == cudaSuccess)
        lab_kernel_facts_read(device, &row->kernel);
    for (int i = 0; i < LAB_MAX_NAMED; i++)
        if (marks.events[i])
            cudaEventDestroy(marks.events[i]);
    return status;
}

/* Prepares a row, with its graph if it is timed from one. */
static cudaError_t prepare(struct lab_problem *problem, const struct lab_row *row)
{
    const cudaError_t status = lab_problem_prepare(problem, row->step, row->index);
    return status == cudaSuccess ? lab_problem_capture(problem) : status;
}

/* Launches each row before any is timed. Returns the milliseconds that the launches of one
 * repetition of all rows take, without rows that take seconds. If the checked launch took seconds,
 * it was the warm-up: the extra cost of a first launch is small beside it. */
static cudaError_t warm_up(struct timing *t, struct lab_result *result, double *repetition_ms)
{
    cudaError_t status = cudaSuccess;
    struct lab_progress_line progress;
    *repetition_ms = 0.0;
    lab_progress_begin(&progress, false, "warming up");
    for (int i = 0; i < result->row_count && status == cudaSuccess; i++) {
        struct lab_row *row = &result->rows[i];
        if (!is_timed(row))
            continue;
        if (row->checked_ms >= LONG_MS)
            row->warm_up_ms = row->checked_ms;
        else
            status = prepare(t->problem, row);
        for (int w = 0; w < WARM_UPS && row->warm_up_ms < LONG_MS && status == cudaSuccess; w++)
            status = time_once(t, &row->warm_up_ms, NULL);
        if (status == cudaSuccess && row->warm_up_ms < LONG_MS && row->kernel.known &&
            row->kernel.launches > 1)
            status = time_launches(t, result->device, row);
        if (row->warm_up_ms < LONG_MS)
            *repetition_ms += row->warm_up_ms * (row->warm_up_ms < SOON_WARM_MS ? 2 : 1);
    }
    lab_progress_end(&progress);
    return status;
}

/* How often rows are timed. Copying and comparing outputs counts, too: about a second for 3 x 10^9
 * bytes. */
static int choose_reps(const struct lab_result *result, double repetition_ms)
{
    double check_ms = result->row_count * (double)result->facts.device_bytes / 3e6;
    int reps = (int)(BUDGET_MS / (repetition_ms + check_ms + 1e-3));
    return reps < LEAST_REPS ? LEAST_REPS : reps > MOST_REPS ? MOST_REPS : reps;
}

static cudaError_t take_samples(struct timing *t, struct lab_result *result, int reps,
                                bool asked_for, double *samples)
{
    cudaError_t status = cudaSuccess;
    bool show = isatty(STDERR_FILENO);
    for (int rep = 0; rep < reps; rep++) {
        for (int i = 0; i < result->row_count; i++) {
            struct lab_row *row = &result->rows[i];
            if (!is_timed(row) || rep >= reps_of(row, reps, asked_for))
                continue;
            if (show)
                fprintf(stderr, "\rtiming %s, %d of %d \033[K", row->name, rep + 1,
                        reps_of(row, reps, asked_for));
            status = prepare(t->problem, row);
            if (status == cudaSuccess)
                status = time_warmed_up(t, row, &samples[i * reps + rep],
                                        rep == reps / 2 ? &result->conditions : NULL);
            if (status == cudaSuccess)
                status = check_timed_output(t, row);
            if (status != cudaSuccess)
                return status;
        }
    }
    if (show)
        fprintf(stderr, "\r\033[K");
    return status;
}

cudaError_t lab_time_rows(struct lab_problem *problem, int reps, cudaStream_t stream,
                          struct lab_result *result)
{
    struct timing t = {.problem = problem};
    const bool asked_for = reps > 0;
    double repetition_ms, *samples = NULL;
    cudaError_t status = lab_event_timer_create(&t.timer, stream, !result->warm);
    if (status == cudaSuccess)
        status = warm_up(&t, result, &repetition_ms);
    if (status == cudaSuccess) {
        reps = asked_for ? reps : choose_reps(result, repetition_ms);
        samples = calloc((size_t)reps * result->row_count, sizeof *samples);
        status = samples ? take_samples(&t, result, reps, asked_for, samples)
                         : cudaErrorMemoryAllocation;
    }
    for (int i = 0; i < result->row_count && status == cudaSuccess; i++)
        if (is_timed(&result->rows[i]))
            lab_times_summarise(&result->rows[i].time, samples + (size_t)i * reps,
                                reps_of(&result->rows[i], reps, asked_for));
    free(samples);
    lab_event_timer_destroy(&t.timer);
    return status;
}

/* Times with the copies to and from the device: what a program sees that has its data on the host.
 */

enum { REPS = 5 }; /* after an untimed launch, which makes the host's copies */

struct event_pair {
    cudaStream_t stream;
    cudaEvent_t start, stop;
};

static cudaError_t time_with_copies(const struct event_pair *events, struct lab_problem *problem,
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
    cudaError_t status = time_with_copies(events, problem, row, &ms[0]);
    for (int rep = 0; rep < REPS && status == cudaSuccess; rep++)
        status = time_with_copies(events, problem, row, &ms[rep]);
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
