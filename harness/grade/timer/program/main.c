/* Runs recorded launches on the device and times them. One confined process per submission, which
 * has a kernel's inputs but no expected outputs. Ends at the first fault. */
#include "grade/recorded_launches/object.h"
#include "grade/timer/protocol.h"
#include "measure/timing/event_timer.h"
#include "base/array.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RESULT = 3, GUARD = 4096, POISON = 0xFF, CHUNK = 1 << 30 };

/* All state of the process, which serves one submission. */
static struct {
    struct lab_object object;
    struct lab_kernels kernels;
    cudaStream_t stream;
    struct lab_event_timer events;
    struct lab_timer_buffer buffers[LAB_MAX_ARRAYS];
    char *base[LAB_MAX_ARRAYS]; /* each buffer lies between two guard zones */
    uint32_t buffer_count;
    char *list; /* the launches */
    size_t list_bytes;
    char *staging;
    size_t staging_bytes;
} timer;

static void give(const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size) {
        ssize_t put = write(RESULT, at, size);
        if (put <= 0)
            _exit(1);
        at += put;
        size -= (size_t)put;
    }
}

static void take(void *bytes, size_t size)
{
    char *at = bytes;
    while (size) {
        ssize_t got = read(STDIN_FILENO, at, size);
        if (got <= 0)
            _exit(0);
        at += got;
        size -= (size_t)got;
    }
}

static void answer(cudaError_t status, const char *what, double milliseconds, int overwritten)
{
    struct lab_timer_answer a = {
        .status = status, .overwritten = overwritten, .milliseconds = milliseconds};
    if (status != cudaSuccess)
        snprintf(a.what, sizeof a.what, "%s: %s", what, cudaGetErrorName(status));
    give(&a, sizeof a);
}

/* Ends the process: after an error the context cannot be used. */
static void must(cudaError_t status, const char *what)
{
    if (status == cudaSuccess)
        return;
    answer(status, what, 0.0, 0);
    _exit(1);
}

/* --- the start ---------------------------------------------------------------------------------*/

/* Overwrites what others left in free memory, before any code of the submission runs. */
static void poison_free_memory(size_t most)
{
    void *pieces[512];
    size_t piece = CHUNK, taken = 0;
    int count = 0;
    while (count < 512 && piece >= (1 << 20) && taken < most) {
        size_t bytes = piece < most - taken ? piece : most - taken;
        if (cudaMalloc(&pieces[count], bytes) != cudaSuccess) {
            cudaGetLastError(); /* less then */
            piece /= 2;
            continue;
        }
        must(cudaMemset(pieces[count++], POISON, bytes), "clearing free memory");
        taken += bytes;
    }
    must(cudaDeviceSynchronize(), "clearing free memory");
    for (int i = 0; i < count; i++)
        must(cudaFree(pieces[i]), "clearing free memory");
}

static void open_device(size_t most_poison)
{
    must(cudaSetDevice(0), "opening the device");
    must(cudaFree(NULL), "opening the device");
    poison_free_memory(most_poison);
    must(cudaStreamCreate(&timer.stream), "opening the device");
    must(lab_event_timer_create(&timer.events, NULL, true), "opening the device");
}

static void open_object(const char *path)
{
    char why[256];
    bool unsupported;
    if (!lab_object_open(&timer.object, path, why, sizeof why) ||
        !lab_kernels_read(&timer.object, &timer.kernels, &unsupported, why, sizeof why))
        must(cudaErrorInvalidKernelImage, "reading the object");
    lab_kernels_register(&timer.object, &timer.kernels);
}

/* --- buffers -----------------------------------------------------------------------------------*/

static size_t padded(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

static void make_buffers(const struct lab_timer_request *request)
{
    uint64_t addresses[LAB_MAX_ARRAYS] = {0};
    if (request->count > LAB_MAX_ARRAYS)
        _exit(1);
    for (uint32_t i = 0; i < timer.buffer_count; i++)
        must(cudaFree(timer.base[i]), "making buffers");
    timer.buffer_count = request->count;
    take(timer.buffers, request->count * sizeof *timer.buffers);
    for (uint32_t i = 0; i < timer.buffer_count; i++) {
        size_t bytes = timer.buffers[i].bytes;
        must(cudaMalloc((void **)&timer.base[i], padded(bytes) + 2 * GUARD), "making buffers");
        if (bytes > timer.staging_bytes)
            timer.staging_bytes = bytes;
        if (bytes)
            addresses[i] = (uint64_t)(uintptr_t)timer.base[i] + GUARD;
    }
    timer.staging = realloc(timer.staging, timer.staging_bytes + 1);
    must(timer.staging ? cudaSuccess : cudaErrorMemoryAllocation, "making buffers");
    answer(cudaSuccess, "", 0.0, 0);
    give(addresses, request->count * sizeof *addresses);
}

static void fill_buffers(void)
{
    for (uint32_t i = 0; i < timer.buffer_count; i++) {
        size_t bytes = timer.buffers[i].bytes;
        must(cudaMemset(timer.base[i], POISON, padded(bytes) + 2 * GUARD), "poisoning");
        if (timer.buffers[i].role == LAB_ROLE_SCRATCH || !bytes)
            continue;
        take(timer.staging, bytes);
        must(cudaMemcpy(timer.base[i] + GUARD, timer.staging, bytes, cudaMemcpyHostToDevice),
             "copying inputs");
    }
    must(cudaDeviceSynchronize(), "copying inputs");
}

static bool zone_changed(const char *zone, size_t bytes)
{
    static unsigned char copy[GUARD + 256];
    must(cudaMemcpy(copy, zone, bytes, cudaMemcpyDeviceToHost), "looking at guard zones");
    for (size_t i = 0; i < bytes; i++)
        if (copy[i] != POISON)
            return true;
    return false;
}

/* 1 + index of the first buffer whose guard zones were written; 0: none. */
static int overwritten(void)
{
    for (uint32_t i = 0; i < timer.buffer_count; i++) {
        size_t bytes = timer.buffers[i].bytes;
        if (zone_changed(timer.base[i], GUARD) ||
            zone_changed(timer.base[i] + GUARD + bytes, padded(bytes) - bytes + GUARD))
            return (int)i + 1;
    }
    return 0;
}

/* --- launches ----------------------------------------------------------------------------------*/

static void take_list(const struct lab_timer_request *request)
{
    if (request->bytes > LAB_RECORD_MOST_BYTES)
        _exit(1);
    timer.list = realloc(timer.list, request->bytes + 1);
    must(timer.list ? cudaSuccess : cudaErrorMemoryAllocation, "taking launches");
    timer.list_bytes = request->bytes;
    take(timer.list, timer.list_bytes);
    answer(cudaSuccess, "", 0.0, 0);
}

static cudaError_t launch_all(void)
{
    struct lab_record_answer one;
    cudaError_t status = cudaSuccess;
    for (size_t at = 0; at + sizeof one <= timer.list_bytes && status == cudaSuccess;) {
        memcpy(&one, timer.list + at, sizeof one);
        at += sizeof one;
        if (one.bytes > timer.list_bytes - at)
            return cudaErrorInvalidValue;
        status = lab_launch_recorded(&timer.kernels, &one, timer.list + at, timer.stream);
        at += one.bytes;
    }
    return status;
}

/* The events are recorded in stream 0, which waits for all other streams, so they enclose all
 * launches. */
static void run(void)
{
    char word;
    double elapsed = 0.0;
    fill_buffers();
    answer(cudaSuccess, "", 0.0, 0);
    take(&word, 1);
    must(lab_event_timer_begin(&timer.events), "timing");
    must(launch_all(), "launch");
    must(lab_event_timer_end(&timer.events), "timing");
    must(cudaDeviceSynchronize(), "while the kernel ran");
    must(cudaGetLastError(), "while the kernel ran");
    must(lab_event_timer_read(&timer.events, &elapsed), "timing");
    answer(cudaSuccess, "", elapsed, 0);
    for (uint32_t i = 0; i < timer.buffer_count; i++) {
        if (timer.buffers[i].role != LAB_ROLE_OUTPUT)
            continue;
        must(cudaMemcpy(timer.staging, timer.base[i] + GUARD, timer.buffers[i].bytes,
                        cudaMemcpyDeviceToHost),
             "copying the output");
        give(timer.staging, timer.buffers[i].bytes);
    }
    answer(cudaSuccess, "", elapsed, overwritten());
}

int main(int argc, char **argv)
{
    struct lab_timer_request request;
    if (argc != 3)
        return 2;
    open_device(strtoull(argv[2], NULL, 10));
    if (strcmp(argv[1], "probe") == 0)
        return 0;
    open_object(argv[1]);
    answer(cudaSuccess, "", 0.0, 0);
    for (;;) {
        take(&request, sizeof request);
        if (request.order == LAB_TIMER_BUFFERS)
            make_buffers(&request);
        else if (request.order == LAB_TIMER_LAUNCHES)
            take_list(&request);
        else if (request.order == LAB_TIMER_RUN)
            run();
        else
            return 1;
    }
}
