/* Rows that are timed as a graph: the launch function is called to capture it, and launches replay
 * what it has enqueued. Concerns md. */
#include "families/problem.h"
#include "made_kernel.h"

#include "families/md.h"

#include <criterion/criterion.h>

static struct made_kernel made;
static int calls;

/* Fills the forces with the number of its call. */
static cudaError_t fill_forces(const void *problem, cudaStream_t stream)
{
    const struct lab_md *const md = problem;
    calls++;
    return cudaMemsetAsync(md->force, calls, md->row * sizeof *md->force, stream);
}

static cudaError_t refuse(const void *problem, cudaStream_t stream)
{
    (void)problem, (void)stream;
    return cudaErrorInvalidConfiguration;
}

/* Waits, which a captured stream cannot. */
static cudaError_t wait_for_stream(const void *problem, cudaStream_t stream)
{
    (void)problem;
    return cudaStreamSynchronize(stream);
}

static void prepare(lab_launch *launch, unsigned flags)
{
    made_kernel_variant(&made, launch, NULL);
    made.variant.flags = flags;
    calls = 0;
    cr_assert_eq(lab_problem_prepare(made.problem, &made.step, 0), cudaSuccess);
    cr_assert_eq(lab_problem_reset(made.problem), cudaSuccess);
}

static void open_problem(void)
{
    made_kernel_open(&made, "md", "-n 33");
}

static void close_problem(void)
{
    made_kernel_close(&made);
}

/* What the first byte of the forces is after a launch on fresh outputs. */
static int launch_and_look(void)
{
    unsigned char first;
    cr_assert_eq(lab_problem_reset(made.problem), cudaSuccess);
    cr_assert_eq(lab_problem_launch(made.problem), cudaSuccess);
    cr_assert_eq(cudaStreamSynchronize(made.stream), cudaSuccess);
    const struct lab_md *const md = made.problem->argument;
    cr_assert_eq(cudaMemcpy(&first, md->force, 1, cudaMemcpyDeviceToHost), cudaSuccess);
    return first;
}

Test(graph_rows, are_captured_once, .init = open_problem, .fini = close_problem)
{
    prepare(fill_forces, LAB_GRAPH);
    cr_assert_eq(launch_and_look(), 1, "not captured yet");
    cr_assert_eq(lab_problem_capture(made.problem), cudaSuccess);
    cr_assert_eq(calls, 2);
    cr_assert_eq(launch_and_look(), 2);
    cr_assert_eq(launch_and_look(), 2);
    cr_assert_eq(calls, 2);
    lab_problem_drop_graph(made.problem);
    cr_assert_eq(launch_and_look(), 3);
}

/* A graph has addresses in it. */
Test(graph_rows, are_captured_anew_for_other_arrays, .init = open_problem, .fini = close_problem)
{
    prepare(fill_forces, LAB_GRAPH);
    cr_assert_eq(lab_problem_capture(made.problem), cudaSuccess);
    cr_assert_eq(lab_problem_move(made.problem), cudaSuccess);
    cr_assert_eq(launch_and_look(), 2);
    cr_assert_eq(lab_problem_capture(made.problem), cudaSuccess);
    cr_assert_eq(lab_problem_prepare(made.problem, &made.step, 0), cudaSuccess);
    cr_assert_eq(launch_and_look(), 4);
}

Test(graph_rows, other_rows_are_not, .init = open_problem, .fini = close_problem)
{
    prepare(fill_forces, LAB_REPEATABLE);
    cr_assert_eq(lab_problem_capture(made.problem), cudaSuccess);
    cr_assert_eq(calls, 0);
    cr_assert_eq(launch_and_look(), 1);
    cr_assert_eq(launch_and_look(), 2);
}

Test(graph_rows, that_fail_leave_the_stream_as_it_was, .init = open_problem, .fini = close_problem)
{
    prepare(refuse, LAB_GRAPH);
    cr_assert_eq(lab_problem_capture(made.problem), cudaErrorInvalidConfiguration);
    prepare(wait_for_stream, LAB_GRAPH);
    cr_assert_eq(lab_problem_capture(made.problem), cudaErrorStreamCaptureUnsupported);
    prepare(fill_forces, LAB_GRAPH);
    cr_assert_eq(lab_problem_capture(made.problem), cudaSuccess);
    cr_assert_eq(launch_and_look(), 1);
}
