/* Two events around work. The device begins the work only when all of it is enqueued. */
#include "measure/timing/event_timer.h"

#include <dlfcn.h>

static const double LONGEST_WAIT_MS = 20.0;

static bool on_simulator(void)
{
    return dlsym(RTLD_DEFAULT, "lab_sim_get_totals") != NULL;
}

cudaError_t lab_event_timer_create(struct lab_event_timer *t, cudaStream_t stream, bool empty_l2)
{
    const bool is_sim = on_simulator();
    int device = 0, l2_bytes = 0;
    *t = (struct lab_event_timer){.stream = stream};
    cudaError_t status = cudaEventCreate(&t->start);
    if (status == cudaSuccess)
        status = cudaEventCreate(&t->stop);
    if (status == cudaSuccess && !is_sim)
        status = cudaHostAlloc((void **)&t->go, sizeof *t->go, cudaHostAllocMapped);
    if (status == cudaSuccess && t->go)
        status = cudaHostGetDevicePointer((void **)&t->go_on_device, t->go, 0);
    if (status == cudaSuccess)
        status = cudaGetDevice(&device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device);
    if (status == cudaSuccess && empty_l2 && !is_sim && l2_bytes > 0) {
        t->zeros_bytes = 2 * (size_t)l2_bytes;
        status = cudaMalloc(&t->zeros, t->zeros_bytes);
        if (status == cudaSuccess)
            status = cudaMemset(t->zeros, 0, t->zeros_bytes);
    }
    return status;
}

void lab_event_timer_destroy(struct lab_event_timer *t)
{
    if (t->start)
        cudaEventDestroy(t->start);
    if (t->stop)
        cudaEventDestroy(t->stop);
    cudaFree(t->zeros);
    cudaFreeHost(t->go);
    *t = (struct lab_event_timer){0};
}

static void tell_device(const struct lab_event_timer *t, int go)
{
    if (t->go)
        __atomic_store_n(t->go, go, __ATOMIC_SEQ_CST);
}

cudaError_t lab_event_timer_begin(struct lab_event_timer *t)
{
    cudaError_t status = cudaSuccess;
    tell_device(t, 0);
    if (t->zeros)
        status = lab_enqueue_read(t->zeros, t->zeros_bytes, t->stream);
    if (status == cudaSuccess && t->go)
        status = lab_enqueue_wait(t->go_on_device, LONGEST_WAIT_MS, t->stream);
    return status == cudaSuccess ? cudaEventRecord(t->start, t->stream) : status;
}

cudaError_t lab_event_timer_end(struct lab_event_timer *t)
{
    cudaError_t status = cudaEventRecord(t->stop, t->stream);
    tell_device(t, 1);
    return status;
}

cudaError_t lab_event_timer_read(struct lab_event_timer *t, double *ms)
{
    float elapsed = 0.0f;
    cudaError_t status = cudaEventSynchronize(t->stop);
    if (status == cudaSuccess)
        status = cudaEventElapsedTime(&elapsed, t->start, t->stop);
    *ms = elapsed;
    return status;
}
