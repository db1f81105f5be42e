/* Data of the FP64 families: matrices on the device, what they hold before a launch, and the copies
 * to and from the host that --with-copies times. */
#include "families/fp64/fp64.h"

#include "families/inputs.h"
#include "sim/lab_sim.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

size_t fp64_count(const struct lab_problem *p, int which)
{
    return p->matrix[which].rows * p->matrix[which].columns;
}

bool fp64_is_foreign(const struct fp64_matrix *matrix, size_t index)
{
    size_t row = index / matrix->columns, column = index % matrix->columns;
    return (matrix->is_upper && column < row) || (matrix->is_lower && column > row);
}

typedef __typeof__(lab_sim_mark_unwritten) mark_fn;

/* NULL on a GPU. */
static mark_fn *simulators_mark(void)
{
    return (mark_fn *)dlsym(RTLD_DEFAULT, "lab_sim_mark_unwritten");
}

/* The NaN of inputs that must not be read. Sums keep the bits of a NaN: it is another one than the
 * poison of outputs, or what took it in would seem unwritten. The simulator finds the read itself,
 * and knows words that nobody wrote by that poison. */
static uint64_t forbidden(void)
{
    return simulators_mark() ? UINT64_MAX : 0x7FF8000000000000u;
}

/* The output holds a pattern where it must not be written, values like any others. */
void fp64_fill(const struct lab_problem *p, int which, double *values, size_t first, size_t count)
{
    const uint64_t nan = which == p->output ? UINT64_MAX : forbidden();
    const struct fp64_matrix *matrix = &p->matrix[which];
    lab_inputs_fill_doubles(values, first, count, lab_inputs_seed(p->seed, which));
    if (!matrix->is_upper && !matrix->is_lower)
        return;
    for (size_t i = 0; i < count; i++)
        if (fp64_is_foreign(matrix, first + i) != (which == p->output))
            memcpy(&values[i], &nan, sizeof *values);
}

static cudaError_t upload(struct lab_problem *p, int which, const struct lab_buffer *buffer)
{
    size_t count = fp64_count(p, which);
    cudaError_t status = cudaSuccess;
    for (size_t first = 0; first < count && status == cudaSuccess; first += FP64_STAGING) {
        size_t piece = count - first < FP64_STAGING ? count - first : FP64_STAGING;
        fp64_fill(p, which, p->staging, first, piece);
        status = cudaMemcpy((double *)buffer->data + first, p->staging, piece * sizeof(double),
                            cudaMemcpyHostToDevice);
    }
    return status;
}

/* On the simulator a read of what must not be read is named by its line. */
static void mark_unwritten(const struct lab_problem *p, int which, const struct lab_buffer *buffer)
{
    mark_fn *mark = simulators_mark();
    const struct fp64_matrix *matrix = &p->matrix[which];
    if (!mark || (!matrix->is_upper && !matrix->is_lower))
        return;
    for (size_t row = 0; row < matrix->rows; row++) {
        double *start = (double *)buffer->data + row * matrix->columns;
        if (which == p->output) /* to be written: from the diagonal on */
            mark(start + row, (matrix->columns - row) * sizeof *start);
        else if (matrix->is_upper && row > 0)
            mark(start, row * sizeof *start);
        else if (matrix->is_lower && row + 1 < matrix->columns)
            mark(start + row + 1, (matrix->columns - row - 1) * sizeof *start);
    }
}

static void release(struct lab_problem *p)
{
    struct fp64_buffers *buffers = &p->buffers;
    for (int i = 0; i < FP64_MATRICES; i++)
        lab_buffer_destroy(&buffers->matrix[i]);
}

static cudaError_t allocate(struct lab_problem *p)
{
    struct fp64_buffers *buffers = &p->buffers;
    cudaError_t status = cudaSuccess;
    for (int i = 0; i < FP64_MATRICES && p->matrix[i].name && status == cudaSuccess; i++) {
        status = lab_buffer_create(&buffers->matrix[i], fp64_count(p, i) * sizeof(double),
                                   p->matrix[i].name);
        if (status == cudaSuccess && i != p->output) {
            status = upload(p, i, &buffers->matrix[i]);
            mark_unwritten(p, i, &buffers->matrix[i]);
            lab_buffer_protect(&buffers->matrix[i]);
        }
    }
    return status;
}

size_t fp64_footprint(const struct lab_problem *p)
{
    size_t bytes = 0;
    for (int i = 0; i < FP64_MATRICES && p->matrix[i].name; i++)
        bytes += lab_buffer_footprint(fp64_count(p, i) * sizeof(double));
    return bytes;
}

cudaError_t fp64_reset(struct lab_problem *p)
{
    const struct lab_buffer *output = &p->buffers.matrix[p->output];
    cudaError_t status = cudaMemcpyAsync(output->data, p->before.data, output->bytes,
                                         cudaMemcpyDeviceToDevice, p->stream);
    mark_unwritten(p, p->output, output);
    return status;
}

cudaError_t fp64_expect_output(struct lab_problem *p, cudaError_t launched)
{
    const struct lab_buffer *output = &p->buffers.matrix[p->output];
    cudaError_t status = launched;
    if (status == cudaSuccess)
        status = cudaStreamSynchronize(p->stream);
    if (status == cudaSuccess)
        status = cudaMemcpy(p->expected, output->data, output->bytes, cudaMemcpyDeviceToHost);
    return status;
}

cudaError_t fp64_prepare(struct lab_problem *p, size_t bytes)
{
    lab_buffer_destroy(&p->workspace);
    return bytes ? lab_buffer_create(&p->workspace, bytes, "workspace") : cudaSuccess;
}

/* Ordinary host memory, as the report's program had it. */
static bool make_host_copies(struct lab_problem *p)
{
    for (int i = 0; i < FP64_MATRICES && p->matrix[i].name; i++) {
        if (p->host[i])
            continue;
        p->host[i] = malloc(fp64_count(p, i) * sizeof(double));
        if (!p->host[i])
            return false;
        fp64_fill(p, i, p->host[i], 0, fp64_count(p, i));
    }
    return true;
}

/* An output that holds nothing before a launch is not copied in. */
cudaError_t fp64_copy_in(struct lab_problem *p)
{
    cudaError_t status = make_host_copies(p) ? cudaSuccess : cudaErrorMemoryAllocation;
    for (int i = 0; i < FP64_MATRICES && p->matrix[i].name && status == cudaSuccess; i++)
        if (!p->matrix[i].is_blank)
            status = cudaMemcpyAsync(p->buffers.matrix[i].data, p->host[i],
                                     p->buffers.matrix[i].bytes, cudaMemcpyHostToDevice, p->stream);
    return status;
}

/* Into the room of the expected values' like: the inputs on the host stay as they are. */
cudaError_t fp64_copy_out(struct lab_problem *p)
{
    const struct lab_buffer *output = &p->buffers.matrix[p->output];
    if (!p->result)
        p->result = malloc(output->bytes);
    return p->result ? cudaMemcpyAsync(p->result, output->data, output->bytes,
                                       cudaMemcpyDeviceToHost, p->stream)
                     : cudaErrorMemoryAllocation;
}

static int too_large(const char *sizes, double needed, double there)
{
    return lab_complain(LAB_EXIT_USAGE,
                        "%s needs %.1f GiB of device memory, %.1f GiB are free; give smaller sizes",
                        sizes, needed / (1 << 30), there / (1 << 30));
}

static cudaError_t create_buffers(struct lab_problem *p)
{
    cudaError_t status = allocate(p);
    if (status == cudaSuccess)
        status = lab_buffer_create(&p->before, fp64_count(p, p->output) * sizeof(double),
                                   "the output before a launch");
    if (status == cudaSuccess)
        status = upload(p, p->output, &p->before);
    return status;
}

int fp64_open(struct lab_problem *p, const char *sizes)
{
    size_t free_bytes = 0, total = 0;
    double needed =
        (double)fp64_count(p, p->output) * sizeof(double) + 8.0 * LAB_GUARD_BYTES + 4096;
    for (int i = 0; i < FP64_MATRICES && p->matrix[i].name; i++)
        needed += (double)fp64_count(p, i) * sizeof(double);
    cudaMemGetInfo(&free_bytes, &total);
    if (needed > (double)free_bytes)
        return too_large(sizes, needed, (double)free_bytes);
    p->staging = malloc(FP64_STAGING * sizeof(double));
    p->expected = malloc(fp64_count(p, p->output) * sizeof(double));
    if (!p->staging || !p->expected)
        return lab_complain(LAB_EXIT_USAGE, "no memory on the host for %s; give smaller sizes",
                            sizes);
    if (create_buffers(p) != cudaSuccess)
        return too_large(sizes, needed, (double)free_bytes);
    if (cublasCreate(&p->cublas) != CUBLAS_STATUS_SUCCESS ||
        cublasSetStream(p->cublas, p->stream) != CUBLAS_STATUS_SUCCESS)
        return lab_complain(LAB_EXIT_MISSING, "cuBLAS does not start; see ./run doctor");
    return LAB_EXIT_OK;
}

void fp64_close(struct lab_problem *p)
{
    if (!p)
        return;
    if (p->cublas)
        cublasDestroy(p->cublas);
    release(p);
    lab_buffer_destroy(&p->before);
    lab_buffer_destroy(&p->workspace);
    for (int i = 0; i < FP64_MATRICES; i++)
        free(p->host[i]);
    free(p->result);
    free(p->expected);
    free(p->staging);
    free(p);
}
