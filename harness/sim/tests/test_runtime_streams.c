/* What streams put in order and what not: two pieces of work that use the same words in no order
 * are a race, whatever order they were called in. */
#include <criterion/criterion.h>
#include <cuda_runtime_api.h>
#include <string.h>

#include "sim/lab_sim.h"

enum { STREAMS = 3, BYTES = 64 };

/* `blocking` waits for the default stream, the others do not. */
static cudaStream_t streams[STREAMS], blocking[2];
static cudaEvent_t event, other;
static char *memory;

static void good(cudaError_t status)
{
    cr_assert_eq(status, cudaSuccess, "%s: %s", cudaGetErrorName(status),
                 lab_sim_last_outcome()->message);
}

static void begin(void)
{
    lab_sim_set_quiet(1);
    for (int i = 0; i < STREAMS; i++)
        good(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    for (int i = 0; i < 2; i++)
        good(cudaStreamCreate(&blocking[i]));
    good(cudaEventCreate(&event));
    good(cudaEventCreate(&other));
    good(cudaMalloc((void **)&memory, BYTES));
    good(cudaDeviceSynchronize());
}

static void write_in(cudaStream_t stream)
{
    good(cudaMemsetAsync(memory, 1, BYTES, stream));
}

static void read_in(cudaStream_t stream)
{
    static char to[2 * BYTES];
    good(cudaMemcpyAsync(to, memory, BYTES, cudaMemcpyDeviceToHost, stream));
}

/* What comes next in the stream is found to race. */
static void expect_race(cudaStream_t stream, const char *said)
{
    cr_assert_eq(cudaMemsetAsync(memory, 2, BYTES, stream), cudaErrorLaunchFailure);
    cr_assert_eq(lab_sim_last_outcome()->status, SIM_RACE);
    cr_assert(strstr(lab_sim_last_outcome()->message, said), "not \"%s\": %s", said,
              lab_sim_last_outcome()->message);
    cr_assert_eq(cudaDeviceSynchronize(), cudaErrorLaunchFailure, "it stays");
}

Test(runtime_streams, nothing_orders_two, .init = begin)
{
    write_in(streams[0]);
    expect_race(streams[1],
                "race on element 0 of the allocation of 64 bytes: cudaMemsetAsync in stream 3 "
                "writes it, and cudaMemsetAsync in stream 4 writes it; no event puts the two in "
                "order: join them with an event");
}

Test(runtime_streams, reads_do_not_clash_but_writes_with_them, .init = begin)
{
    read_in(streams[2]);
    read_in(streams[1]);
    good(cudaStreamSynchronize(streams[1]));
    expect_race(streams[0],
                "cudaMemcpyAsync in stream 5 reads it, and cudaMemsetAsync in stream 3");
}

Test(runtime_streams, words_side_by_side, .init = begin)
{
    good(cudaMemsetAsync(memory, 1, 32, streams[0]));
    good(cudaMemsetAsync(memory + 32, 1, 16, streams[1]));
    good(cudaMemset2DAsync(memory + 48, 8, 1, 4, 2, streams[0]));
    good(cudaMemset2DAsync(memory + 52, 8, 1, 4, 2, streams[1]));
    good(cudaStreamSynchronize(streams[0]));
    expect_race(streams[0], "race on element 8 of");
}

Test(runtime_streams, an_event_orders_what_is_before_it, .init = begin)
{
    write_in(streams[0]);
    good(cudaEventRecord(event, streams[0]));
    good(cudaStreamWaitEvent(streams[1], event, 0));
    write_in(streams[1]);
    good(cudaEventRecord(other, streams[1]));
    good(cudaStreamWaitEvent(streams[2], other, 0));
    write_in(streams[2]);
    write_in(streams[2]);
    expect_race(streams[0], "in stream 5 writes it, and cudaMemsetAsync in stream 3");
}

Test(runtime_streams, an_event_orders_nothing_behind_it, .init = begin)
{
    good(cudaEventRecord(event, streams[0]));
    write_in(streams[0]);
    good(cudaStreamWaitEvent(streams[1], event, 0));
    expect_race(streams[1], "no event");
}

/* What was waited for is the record that was there. */
Test(runtime_streams, an_event_recorded_again, .init = begin)
{
    good(cudaEventRecord(event, streams[0]));
    good(cudaStreamWaitEvent(streams[1], event, 0));
    write_in(streams[0]);
    good(cudaEventRecord(event, streams[0]));
    expect_race(streams[1], "no event");
}

/* The streams of step 13: all join in the end, and one writes too soon. */
Test(runtime_streams, joined_later_is_too_late, .init = begin)
{
    good(cudaEventRecord(event, streams[0]));
    good(cudaStreamWaitEvent(streams[1], event, 0));
    read_in(streams[1]);
    good(cudaEventRecord(other, streams[1]));
    expect_race(streams[0], "cudaMemcpyAsync in stream 4 reads it");
}

Test(runtime_streams, the_host_waits, .init = begin)
{
    write_in(streams[0]);
    good(cudaStreamSynchronize(streams[0]));
    write_in(streams[1]);
    good(cudaEventRecord(event, streams[1]));
    good(cudaEventSynchronize(event));
    write_in(streams[2]);
    good(cudaDeviceSynchronize());
    write_in(streams[0]);
    good(cudaStreamSynchronize(streams[1]));
    expect_race(streams[1], "in stream 3 writes it");
}

Test(runtime_streams, the_default_stream_orders_blocking_ones, .init = begin)
{
    write_in(blocking[0]);
    write_in(0);
    write_in(blocking[1]);
    write_in(0);
    expect_race(streams[0], "in the default stream writes it");
}

Test(runtime_streams, blocking_ones_are_not_in_order, .init = begin)
{
    write_in(blocking[0]);
    expect_race(blocking[1], "in stream 6 writes it, and cudaMemsetAsync in stream 7");
}

Test(runtime_streams, a_copy_without_a_stream_is_done, .init = begin)
{
    char from[BYTES] = {0};
    good(cudaMemcpy(memory, from, BYTES, cudaMemcpyHostToDevice));
    write_in(streams[0]);
    good(cudaStreamSynchronize(streams[0]));
    good(cudaMemset(memory, 0, BYTES)); /* which the host does not wait for */
    expect_race(streams[0], "cudaMemset in the default stream");
}

Test(runtime_streams, memory_that_is_freed, .init = begin)
{
    write_in(streams[0]);
    good(cudaFree(memory));
    good(cudaMalloc((void **)&memory, BYTES));
    write_in(streams[1]);
    good(cudaFreeAsync(memory, streams[1]));
    good(cudaMallocAsync((void **)&memory, BYTES, streams[2]));
    write_in(streams[2]);
}

Test(runtime_streams, a_stream_that_is_gone, .init = begin)
{
    write_in(streams[0]);
    good(cudaStreamDestroy(streams[0]));
    expect_race(streams[1], "in stream 3 writes it");
}

/* Of work that is repeated the last is remembered, and what differs is not taken for it. */
Test(runtime_streams, rounds, .init = begin)
{
    good(cudaMemsetAsync(memory, 1, 32, streams[0]));
    for (int i = 0; i < 3000; i++)
        good(cudaMemsetAsync(memory + 32, 1, 32, streams[0]));
    expect_race(streams[1], "race on element 0 of");
}

Test(runtime_streams, may_be_left_out, .init = begin)
{
    const int before = lab_sim_set_checks(0);
    write_in(streams[0]);
    write_in(streams[1]);
    lab_sim_set_checks(before);
}
