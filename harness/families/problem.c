/* The life of a problem: its arrays are made, filled and reset as its family's data says. */
#include "families/problem.h"

#include "families/inputs.h"
#include "base/time.h"
#include "base/simulator.h"
#include "base/status.h"

#include <cublas_v2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- contents ----------------------------------------------------------------------------------*/

/* The NaN of inputs that must not be read. Sums keep the bits of a NaN, so it differs from the
 * poison of outputs: else a sum that took it in would seem unwritten. The simulator finds the read
 * itself, and knows unwritten words by the poison. */
static void forbid(enum lab_element element, char *value)
{
    const uint64_t nan_f64 = 0x7FF8000000000000u;
    const uint32_t nan_f32 = 0x7FC00000u;
    memset(value, 0xFF, lab_element_bytes(element));
    if (element == LAB_ELEMENT_F64 && !lab_simulator())
        memcpy(value, &nan_f64, sizeof nan_f64);
    if (element == LAB_ELEMENT_F32 && !lab_simulator())
        memcpy(value, &nan_f32, sizeof nan_f32);
}

/* Where an output must not be written it holds ordinary values. */
void lab_problem_fill(const struct lab_problem *p, int which, void *values, size_t first,
                      size_t count)
{
    const struct lab_array *array = &p->arrays[which];
    const size_t each = lab_element_bytes(array->element);
    p->family->fill(p, which, values, first, count);
    for (size_t i = 0; lab_array_is_partial(array) && i < count; i++) {
        const bool excluded = lab_array_excludes(array, first + i);
        char *value = (char *)values + i * each;
        if (array->role == LAB_ROLE_INPUT && excluded)
            forbid(array->element, value);
        else if (array->role == LAB_ROLE_OUTPUT && array->blank && !excluded)
            memset(value, 0xFF, each);
    }
}

void lab_problem_fill_numbers(const struct lab_problem *p, int which, void *values, size_t first,
                              size_t count)
{
    const uint64_t seed = lab_inputs_seed(p->options->problem.seed, which);
    if (p->arrays[which].element == LAB_ELEMENT_F64)
        lab_inputs_fill_doubles(values, first, count, seed);
    else
        lab_inputs_fill(values, first, count, seed);
}

static cudaError_t upload(const struct lab_problem *p, int which, const struct lab_buffer *to)
{
    const size_t each = lab_element_bytes(p->arrays[which].element);
    const size_t count = p->arrays[which].count, most = LAB_STAGING_BYTES / each;
    cudaError_t status = cudaSuccess;
    for (size_t first = 0; first < count && status == cudaSuccess; first += most) {
        const size_t piece = count - first < most ? count - first : most;
        lab_problem_fill(p, which, p->staging, first, piece);
        status = cudaMemcpy((char *)to->data + first * each, p->staging, piece * each,
                            cudaMemcpyHostToDevice);
    }
    return status;
}

/* Lets the simulator name the line that reads what must not be read, or was not written yet:
 * elements of an input that do not count, and elements of an output that do. */
static void mark_unwritten(const struct lab_problem *p, int which)
{
    const struct lab_array *array = &p->arrays[which];
    const bool is_output = array->role == LAB_ROLE_OUTPUT;
    if (!lab_simulator() || !lab_array_is_partial(array) || (is_output && !array->blank))
        return;
    const size_t each = lab_element_bytes(array->element);
    char *data = p->buffers[which].data;
    for (size_t start = 0; start < array->count; start += array->row) {
        const size_t there = array->count - start < array->row ? array->count - start : array->row;
        size_t first, end;
        lab_array_counting(array, start / array->row, &first, &end);
        if (is_output) {
            lab_simulator()->mark_unwritten(data + (start + first) * each, (end - first) * each);
            continue;
        }
        lab_simulator()->mark_unwritten(data + start * each, first * each);
        lab_simulator()->mark_unwritten(data + (start + end) * each, (there - end) * each);
    }
}

static bool keeps_old(const struct lab_array *array)
{
    return array->role == LAB_ROLE_OUTPUT && (!array->blank || lab_array_is_partial(array));
}

static cudaError_t make_array(struct lab_problem *p, int which)
{
    const struct lab_array *array = &p->arrays[which];
    const size_t bytes = lab_array_bytes(array);
    struct lab_buffer *buffer = &p->buffers[which];
    cudaError_t status = lab_buffer_create(buffer, bytes, array->name);
    lab_buffer_set_rows(buffer, array);
    memcpy((char *)p->argument + array->offset, &buffer->data, sizeof buffer->data);
    if (status == cudaSuccess && array->role == LAB_ROLE_INPUT) {
        status = upload(p, which, buffer);
        mark_unwritten(p, which);
        lab_buffer_protect(buffer);
    }
    if (status == cudaSuccess && keeps_old(array)) {
        status = lab_buffer_create(&p->before[which], bytes, "the output before a launch");
        if (status == cudaSuccess)
            status = upload(p, which, &p->before[which]);
    }
    return status;
}

cudaError_t lab_problem_reset(struct lab_problem *p)
{
    cudaError_t status = cudaSuccess;
    p->is_right = false;
    for (int i = 0; i < p->array_count && status == cudaSuccess; i++) {
        const struct lab_buffer *buffer = &p->buffers[i], *before = &p->before[i];
        if (p->arrays[i].role == LAB_ROLE_INPUT || !buffer->base)
            continue;
        if (!before->base) {
            status = lab_buffer_poison(buffer, p->stream);
            continue;
        }
        status = cudaMemcpyAsync(buffer->data, before->data, buffer->bytes,
                                 cudaMemcpyDeviceToDevice, p->stream);
        mark_unwritten(p, i);
    }
    return status;
}

/* Poisons the old place, since a GPU may leave freed memory readable. */
static cudaError_t move_array(struct lab_problem *p, int which)
{
    const struct lab_array *array = &p->arrays[which];
    struct lab_buffer *buffer = &p->buffers[which], old = *buffer;
    if (lab_buffer_create(buffer, old.bytes, old.name) != cudaSuccess) {
        *buffer = old;
        cudaGetLastError();
        return cudaSuccess;
    }
    lab_buffer_set_rows(buffer, array);
    memcpy((char *)p->argument + array->offset, &buffer->data, sizeof buffer->data);
    cudaError_t status = cudaSuccess;
    if (array->role == LAB_ROLE_INPUT) {
        status = lab_array_is_partial(array)
                     ? upload(p, which, buffer)
                     : cudaMemcpy(buffer->data, old.data, old.bytes, cudaMemcpyDeviceToDevice);
        mark_unwritten(p, which);
        lab_buffer_protect(buffer);
    }
    if (status == cudaSuccess)
        status = lab_buffer_poison(&old, p->stream);
    if (status == cudaSuccess)
        status = cudaStreamSynchronize(p->stream);
    lab_buffer_destroy(&old);
    return status;
}

cudaError_t lab_problem_move(struct lab_problem *p)
{
    cudaError_t status = cudaSuccess;
    lab_problem_drop_graph(p);
    for (int i = 0; i < p->array_count && status == cudaSuccess; i++)
        if (p->buffers[i].base)
            status = move_array(p, i);
    return status;
}

cudaError_t lab_problem_refill(struct lab_problem *p, int which)
{
    const cudaError_t status = upload(p, which, &p->buffers[which]);
    mark_unwritten(p, which);
    return status;
}

/* Fills the inputs of both problems again, since each has the other's place. */
static cudaError_t swap_array(struct lab_problem *p, struct lab_problem *other, int which)
{
    struct lab_problem *const both[] = {p, other};
    const struct lab_buffer mine = p->buffers[which];
    cudaError_t status = cudaSuccess;
    p->buffers[which] = other->buffers[which];
    other->buffers[which] = mine;
    for (int i = 0; i < 2 && status == cudaSuccess; i++) {
        const struct lab_array *array = &both[i]->arrays[which];
        const struct lab_buffer *buffer = &both[i]->buffers[which];
        memcpy((char *)both[i]->argument + array->offset, &buffer->data, sizeof buffer->data);
        if (array->role == LAB_ROLE_INPUT)
            status = lab_problem_refill(both[i], which);
    }
    return status;
}

cudaError_t lab_problem_swap(struct lab_problem *p, struct lab_problem *other)
{
    cudaError_t status = cudaStreamSynchronize(p->stream);
    lab_problem_drop_graph(p);
    lab_problem_drop_graph(other);
    for (int i = 0; i < p->array_count && status == cudaSuccess; i++)
        if (p->arrays[i].role != LAB_ROLE_OUTPUT && p->buffers[i].base &&
            p->buffers[i].bytes == other->buffers[i].bytes)
            status = swap_array(p, other, i);
    return status;
}

/* --- its life ----------------------------------------------------------------------------------*/

/* The sizes as the user knows them: "m=64 n=64 k=64". */
static void name_sizes(const struct lab_problem *p, char *text, size_t size)
{
    struct lab_problem_facts facts;
    p->family->facts(p, &facts);
    text[0] = '\0';
    for (int i = 0; i < facts.size_count; i++)
        snprintf(text + strlen(text), size - strlen(text), "%s%s=%ld", i ? " " : "",
                 facts.sizes[i].name, facts.sizes[i].value);
}

static int too_large(const struct lab_problem *p, double needed, double there)
{
    char sizes[128];
    name_sizes(p, sizes, sizeof sizes);
    cudaGetLastError();
    return lab_complain(LAB_EXIT_USAGE,
                        "%s needs %.1f GiB of device memory, %.1f GiB are free; give smaller sizes",
                        sizes, needed / (1 << 30), there / (1 << 30));
}

static int make_arrays(struct lab_problem *p)
{
    size_t free_bytes = 0, total = 0;
    double needed = 8.0 * LAB_GUARD_BYTES + 4096;
    p->array_count = p->family->arrays(p->argument, p->arrays);
    for (int i = 0; i < p->array_count; i++)
        needed += (double)p->arrays[i].count * lab_element_bytes(p->arrays[i].element) *
                  (keeps_old(&p->arrays[i]) ? 2 : 1);
    cudaMemGetInfo(&free_bytes, &total);
    if (needed > (double)free_bytes)
        return too_large(p, needed, (double)free_bytes);
    for (int i = 0; i < p->array_count; i++)
        if (p->arrays[i].count && make_array(p, i) != cudaSuccess)
            return too_large(p, needed, (double)free_bytes);
    return LAB_EXIT_OK;
}

int lab_problem_open(const struct lab_family *family, const struct lab_options *options, int size,
                     cudaStream_t stream, struct lab_problem **problem)
{
    struct lab_problem *p = *problem = calloc(1, sizeof *p);
    if (!p)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    p->family = family;
    p->options = options;
    p->stream = stream;
    p->argument = calloc(1, family->problem_bytes);
    p->state = calloc(1, family->state_bytes + 1);
    if (!p->argument || !p->state || cudaMallocHost(&p->staging, LAB_STAGING_BYTES) != cudaSuccess)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    int status = family->begin(p, options, size);
    if (status == LAB_EXIT_OK)
        status = make_arrays(p);
    if (status == LAB_EXIT_OK && family->uses_cublas &&
        (cublasCreate(&p->cublas) != CUBLAS_STATUS_SUCCESS ||
         cublasSetStream(p->cublas, stream) != CUBLAS_STATUS_SUCCESS))
        status = lab_complain(LAB_EXIT_MISSING, "cuBLAS does not start; see ./run doctor");
    return status;
}

int lab_problem_make_reference(struct lab_problem *p)
{
    return p->family->make_reference ? p->family->make_reference(p) : LAB_EXIT_OK;
}

void lab_problem_open_other(struct lab_problem *p, int size, double most_flops)
{
    struct lab_problem_facts facts = {0};
    size_t free_bytes = 0, total = 0;
    lab_problem_facts(p, &facts);
    cudaMemGetInfo(&free_bytes, &total);
    if (facts.flops > most_flops || 4.0 * (double)facts.device_bytes > (double)free_bytes ||
        !(p->other_options = malloc(sizeof *p->other_options)))
        return;
    *p->other_options = *p->options;
    p->other_options->problem.seed += 0x9E3779B9u;
    /* A study may have given another family's options. */
    const struct lab_family_options *own = p->family->options, *given = p->options->problem.family;
    const bool is_own = !given || lab_own_options(p->options, own) != own->defaults;
    const char *varied = p->family->vary && is_own ? p->family->vary(p->other_options) : NULL;
    if (lab_problem_open(p->family, p->other_options, size, p->stream, &p->other) != LAB_EXIT_OK ||
        lab_problem_make_reference(p->other) != LAB_EXIT_OK)
        lab_problem_close_other(p);
    else
        p->other->is_other = true;
    if (p->other)
        p->other->takes_errors = p->takes_errors;
    p->other->varied = varied;
}

void lab_problem_close_other(struct lab_problem *p)
{
    lab_problem_close(p->other);
    free(p->other_options);
    p->other = NULL;
    p->other_options = NULL;
}

void lab_problem_close(struct lab_problem *p)
{
    if (!p)
        return;
    lab_problem_close_other(p);
    lab_problem_drop_graph(p);
    if (p->state && p->family->end)
        p->family->end(p);
    if (p->cublas)
        cublasDestroy(p->cublas);
    for (int i = 0; i < LAB_MAX_ARRAYS; i++) {
        lab_buffer_destroy(&p->buffers[i]);
        lab_buffer_destroy(&p->before[i]);
        free(p->host[i]);
        free(p->host_result[i]);
    }
    while (p->first_results) {
        struct lab_first_result *first = p->first_results;
        p->first_results = first->next;
        for (int i = 0; i < LAB_MAX_ARRAYS; i++)
            free(first->outputs[i]);
        free(first);
    }
    cudaFreeHost(p->staging);
    free(p->argument);
    free(p->state);
    free(p);
}

void lab_problem_facts(const struct lab_problem *p, struct lab_problem_facts *facts)
{
    p->family->facts(p, facts);
    for (int i = 0; i < p->array_count; i++)
        if (p->arrays[i].count)
            facts->device_bytes += lab_buffer_footprint(lab_array_bytes(&p->arrays[i]));
}

/* --- launches ----------------------------------------------------------------------------------*/

/* The struct as a variant is given it. */
static void *argument_for(const struct lab_problem *p, int variant)
{
    void *argument = malloc(p->family->problem_bytes);
    if (!argument)
        return NULL;
    memcpy(argument, p->argument, p->family->problem_bytes);
    if (p->family->for_variant)
        p->family->for_variant(argument, variant);
    return argument;
}

size_t lab_problem_variant_bytes(const struct lab_problem *p, const struct lab_step *step,
                                 int variant)
{
    if (!step)
        return p->family->library_bytes ? p->family->library_bytes(p, variant) : 0;
    const struct lab_variant *v = lab_variant_of(step, variant);
    void *argument = v->workspace ? argument_for(p, variant) : NULL;
    if (!argument)
        return 0;
    lab_host_limit_begin();
    const size_t bytes = v->workspace(argument);
    lab_host_limit_end();
    free(argument);
    return bytes;
}

static int scratch_of(const struct lab_problem *p)
{
    int i = 0;
    while (i < p->array_count && p->arrays[i].role != LAB_ROLE_SCRATCH)
        i++;
    return i;
}

void *lab_problem_scratch(const struct lab_problem *p)
{
    return p->buffers[scratch_of(p)].data;
}

cudaError_t lab_problem_prepare(struct lab_problem *p, const struct lab_step *step, int variant)
{
    const int scratch = scratch_of(p);
    lab_problem_drop_graph(p);
    struct lab_buffer *buffer = &p->buffers[scratch];
    const size_t bytes = lab_problem_variant_bytes(p, step, variant);
    p->step = step;
    p->variant = variant;
    if (p->family->prepare)
        p->family->prepare(p);
    lab_buffer_destroy(buffer);
    cudaError_t status = bytes ? lab_buffer_create(buffer, bytes, "workspace") : cudaSuccess;
    memcpy((char *)p->argument + p->arrays[scratch].offset, &buffer->data, sizeof buffer->data);
    return status;
}

void lab_problem_drop_graph(struct lab_problem *p)
{
    if (p->graph)
        cudaGraphExecDestroy(p->graph);
    p->graph = NULL;
}

static cudaError_t enqueue(const struct lab_problem *p)
{
    void *argument = argument_for(p, p->variant);
    const cudaError_t status =
        argument ? lab_variant_of(p->step, p->variant)->launch(argument, p->stream)
                 : cudaErrorMemoryAllocation;
    free(argument);
    return status;
}

/* Ends the capture whatever the launch function returns. */
cudaError_t lab_problem_capture(struct lab_problem *p)
{
    cudaGraph_t graph = NULL;
    lab_problem_drop_graph(p);
    if (!p->step || !(lab_variant_of(p->step, p->variant)->flags & LAB_GRAPH))
        return cudaSuccess;
    cudaError_t status = cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeThreadLocal);
    if (status != cudaSuccess)
        return status;
    const cudaError_t enqueued = enqueue(p);
    status = cudaStreamEndCapture(p->stream, &graph);
    if (enqueued != cudaSuccess)
        status = enqueued;
    if (status == cudaSuccess)
        status = cudaGraphInstantiate(&p->graph, graph, 0);
    if (graph)
        cudaGraphDestroy(graph);
    return status == cudaSuccess ? cudaGraphUpload(p->graph, p->stream) : status;
}

cudaError_t lab_problem_launch(struct lab_problem *p)
{
    if (!p->step)
        return p->family->launch_library(p, p->variant);
    const struct lab_variant *v = lab_variant_of(p->step, p->variant);
    const cudaError_t status = p->graph ? cudaGraphLaunch(p->graph, p->stream) : enqueue(p);
    return status == cudaSuccess && p->family->follow ? p->family->follow(p, v->name) : status;
}

bool lab_problem_used_library(const struct lab_problem *p)
{
    return p->family->used_library && p->family->used_library(p);
}

/* --- copies to and from the host ---------------------------------------------------------------*/

/* Uses ordinary host memory, as most programs do. Does not copy in an output that holds nothing
 * before a launch. */
cudaError_t lab_problem_copy_in(struct lab_problem *p)
{
    cudaError_t status = cudaSuccess;
    for (int i = 0; i < p->array_count && status == cudaSuccess; i++) {
        const struct lab_array *array = &p->arrays[i];
        if (array->role == LAB_ROLE_SCRATCH || array->blank || !array->count)
            continue;
        if (!p->host[i]) {
            p->host[i] = malloc(lab_array_bytes(array));
            if (!p->host[i])
                return cudaErrorMemoryAllocation;
            lab_problem_fill(p, i, p->host[i], 0, array->count);
        }
        status = cudaMemcpyAsync(p->buffers[i].data, p->host[i], lab_array_bytes(array),
                                 cudaMemcpyHostToDevice, p->stream);
    }
    return status;
}

cudaError_t lab_problem_copy_out(struct lab_problem *p)
{
    cudaError_t status = cudaSuccess;
    for (int i = 0; i < p->array_count && status == cudaSuccess; i++) {
        const size_t bytes = lab_array_bytes(&p->arrays[i]);
        if (p->arrays[i].role != LAB_ROLE_OUTPUT || !bytes)
            continue;
        if (!p->host_result[i])
            p->host_result[i] = malloc(bytes);
        if (!p->host_result[i])
            return cudaErrorMemoryAllocation;
        status = cudaMemcpyAsync(p->host_result[i], p->buffers[i].data, bytes,
                                 cudaMemcpyDeviceToHost, p->stream);
    }
    return status;
}
