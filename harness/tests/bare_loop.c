/* Times the reference of a target's problem and the target's last row, or those of --variant, in a
 * plain loop: no outputs compared, no call waited for. What bare_loop.py holds against `run`.
 *
 *   bare_loop TARGET [options of run]     a line a row: name, ms one call after the other, ms with
 *                                         pauses */
#include "run/rows.h"
#include "run/step_file.h"
#include "measure/launches/launches.h"
#include "measure/result.h"
#include "measure/timing/event_timer.h"
#include "series/registry.h"

#include <stdio.h>
#include <stdlib.h>

enum { CALLS = 20 };

/* A row is called often before and between: the power limit may lower clocks then. With pauses of
 * several times its length it does not. */
static const double LEAST_PAUSE_MS = 1.0, PAUSE = 4.0, LONGEST_PAUSE_MS = 2000.0;

struct loop {
    const struct lab_family *family;
    struct lab_problem *problem;
    cudaStream_t stream;
    void *l2; /* twice its size */
    size_t l2_bytes;
    int *never; /* 0 */
    cudaEvent_t start[CALLS], stop[CALLS];
};

static void must(cudaError_t status, const char *what)
{
    if (status == cudaSuccess)
        return;
    fprintf(stderr, "bare_loop: %s: %s\n", what, cudaGetErrorString(status));
    exit(3);
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static double median_ms(const struct loop *l, const struct lab_row *row, int calls, double pause_ms)
{
    float ms[CALLS];
    for (int i = 0; i < calls; i++) {
        must(lab_problem_reset(l->problem), "putting the output back");
        if (pause_ms > 0.0)
            must(lab_enqueue_wait(l->never, pause_ms, l->stream), "pausing");
        must(lab_enqueue_read(l->l2, l->l2_bytes, l->stream), "emptying the L2 cache");
        must(cudaEventRecord(l->start[i], l->stream), "event");
        must(lab_problem_launch(l->problem), "launch");
        must(cudaEventRecord(l->stop[i], l->stream), "event");
    }
    must(cudaStreamSynchronize(l->stream), row->name);
    for (int i = 0; i < calls; i++)
        must(cudaEventElapsedTime(&ms[i], l->start[i], l->stop[i]), "event");
    qsort(ms, (size_t)calls, sizeof *ms, compare_floats);
    return ms[calls / 2];
}

static void print_row(const struct loop *l, const struct lab_row *row)
{
    must(lab_problem_prepare(l->problem, row->step, row->index), "scratch memory");
    double first = median_ms(l, row, 3, 0.0);
    int calls = first > 100.0 ? 5 : CALLS;
    double tight = median_ms(l, row, calls, 0.0), pause = PAUSE * tight;
    pause = pause < LEAST_PAUSE_MS ? LEAST_PAUSE_MS : pause;
    pause = pause > LONGEST_PAUSE_MS ? LONGEST_PAUSE_MS : pause;
    printf("%s %.6f %.6f\n", row->name, tight, median_ms(l, row, calls, pause));
}

int main(int argc, char **argv)
{
    static struct lab_result result;
    struct lab_options options;
    struct loop l = {0};
    char why[256];
    int l2 = 0, count, status = lab_options_parse(argc, argv, &options);
    if (status != LAB_EXIT_OK)
        return status;
    if (options.target_count != 1 || !options.variant) {
        fprintf(stderr, "bare_loop: give one target, and a row with --variant\n");
        return LAB_EXIT_USAGE;
    }
    const char *target = options.targets[0];
    const struct lab_stage *stages = lab_registry_stages(target, &count);
    l.family = lab_family_find(lab_registry_target(target)->family);
    lab_rows_add_reference(&result, l.family, target);
    for (int i = 0; i < count; i++) {
        const struct lab_loaded file = {lab_step_file_load(target, &stages[i], why, sizeof why),
                                        target, &stages[i], NULL};
        if (!file.step) {
            fprintf(stderr, "bare_loop: %s %s\n", target, why);
            return LAB_EXIT_USAGE;
        }
        lab_rows_add(&result, &file, NULL, options.variant);
    }
    result.family = l.family;
    lab_rows_drop_unfit(&result, &options);
    lab_launches_bind();
    must(cudaStreamCreate(&l.stream), "stream");
    must(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0), "device");
    l.l2_bytes = 2 * (size_t)l2;
    must(cudaMalloc(&l.l2, l.l2_bytes), "memory");
    must(cudaMemset(l.l2, 0, l.l2_bytes), "memory");
    must(cudaMalloc((void **)&l.never, sizeof *l.never), "memory");
    must(cudaMemset(l.never, 0, sizeof *l.never), "memory");
    for (int i = 0; i < CALLS; i++) {
        must(cudaEventCreate(&l.start[i]), "event");
        must(cudaEventCreate(&l.stop[i]), "event");
    }
    status = lab_problem_open(l.family, &options, l.family->default_size, l.stream, &l.problem);
    for (int i = 0; i < result.row_count && status == LAB_EXIT_OK; i++)
        print_row(&l, &result.rows[i]);
    lab_problem_close(l.problem);
    return status;
}
