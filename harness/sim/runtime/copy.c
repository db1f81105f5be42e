/* Copying and filling memory. Everything is done when a call returns, asynchronous or not. */
#include "array.h"
#include "graph.h"
#include "runtime.h"

#include "sim/check/switchboard.h"
#include "sim/check/global_footprint.h"
#include "sim/check/global_tags.h"
#include "sim/memory/names.h"
#include "sim/memory/warning.h"

#include <string.h>

/* The bytes from the start of a box's first row to the end of its last row; SIZE_MAX: too many. */
static size_t span(const struct side *side, const struct box *box)
{
    size_t rows, bytes;
    if (__builtin_mul_overflow(box->slices - 1, side->slice_rows, &rows) ||
        __builtin_add_overflow(rows, box->rows - 1, &rows) ||
        __builtin_mul_overflow(rows, side->pitch, &bytes) ||
        __builtin_add_overflow(bytes, box->width, &bytes))
        return SIZE_MAX;
    return bytes;
}

static const char *kind_name(const struct sim_allocation *allocation)
{
    static const char *const names[] = {"device", "symbol", "pinned", "managed", "mapped"};
    return names[allocation->kind];
}

/* The storage of [pointer, pointer + bytes). Memory that CUDA has allocated may be on either side.
 * Other host memory may be only on a side that the direction calls host. NULL: neither is so. */
static char *storage(const char *call, const void *pointer, size_t bytes, bool may_be_host)
{
    uint64_t address = (uint64_t)pointer;
    const struct sim_allocation *found = sim_memory_find(address);
    if (!found && may_be_host && sim_memory_is_of_host(address, bytes))
        return (char *)pointer;
    void *host = sim_memory_host(address, bytes);
    if (host)
        return host;
    if (found)
        sim_runtime_report(
            "%s: %zu bytes at %p reach %zu bytes past the end of that %s allocation of "
            "%zu bytes",
            call, bytes, pointer, (size_t)(address + bytes - found->address - found->size),
            kind_name(found), (size_t)found->size);
    else
        sim_runtime_report("%s: %p is %s", call, pointer,
                           !pointer ? "a null pointer"
                           : sim_memory_reserved(address)
                               ? "in no live allocation: freed, or out of bounds"
                           : may_be_host ? "where the program has no memory, or not as much"
                                         : "host memory where device memory is expected");
    return NULL;
}

/* The allocation of device memory at a pointer, else NULL. The written words of other memory are
 * not followed, because the host can write it unseen. */
static const struct sim_allocation *followed(const void *pointer)
{
    const struct sim_allocation *found = sim_memory_find((uint64_t)pointer);
    const bool is_device =
        found && (found->kind == SIM_MEMORY_DEVICE || found->kind == SIM_MEMORY_SYMBOL);
    return is_device ? found : NULL;
}

/* Called before a row is copied. A copy on the device leaves unwritten words unwritten; a copy to
 * the host reports them. A kernel must fill an array that has a name. So a copy from such an array
 * fails like a read by a kernel if none of the words have been written. */
static bool note_row(const char *call, const void *to, const void *from, size_t bytes)
{
    const struct sim_allocation *source = followed(from), *target = followed(to);
    size_t count = 0;
    if (!source || !source->written) {
        sim_memory_mark_written((uint64_t)to, bytes);
        return true;
    }
    uint64_t first = sim_memory_find_unwritten((uint64_t)from, bytes, &count);
    if (target && source->name && bytes >= 4 && count == bytes / 4) {
        sim_copy_fails(call, first);
        return false;
    }
    if (target)
        sim_memory_copy_written((uint64_t)to, (uint64_t)from, bytes);
    else
        sim_memory_mark_written((uint64_t)to, bytes);
    const bool is_checked = sim_checks_for(SIM_CHECK_UNINITIALIZED) || !sim_only_warns();
    if (!target && count > 0 && is_checked && sim_memory_is_news(first)) {
        char what[300];
        struct sim_outcome warning = {.status = SIM_UNINITIALIZED, .address = first};
        sim_name_global(first, 4, what, sizeof what);
        snprintf(warning.message, sizeof warning.message,
                 "%s goes to the host, and nothing has written it (%zu of %zu words were not)",
                 what, count, bytes / 4);
        if (sim_warning_add(&warning))
            sim_runtime_report("%s: warning: %s%s", call, warning.message,
                               sim_warning_switch(SIM_UNINITIALIZED));
    }
    return true;
}

static void use_row(struct sim_footprint *footprint, const void *row, size_t bytes,
                    enum sim_use use)
{
    if (footprint)
        sim_footprint_add(footprint, (uint64_t)row, bytes, use);
}

/* The words of a box, by row. */
static void use_box(struct sim_footprint *footprint, const struct side *side, const struct box *box,
                    enum sim_use use)
{
    for (size_t slice = 0; slice < box->slices; slice++)
        for (size_t row = 0; row < box->rows; row++)
            use_row(footprint,
                    (const char *)side->pointer + (slice * side->slice_rows + row) * side->pitch,
                    box->width, use);
    sim_footprint_sort(footprint);
}

/* A copy on the device works in pieces, in any order. So it must not write what it reads, unless
 * each byte stays in its place. @return the first word that it reads and writes; 0: none. */
static uint64_t find_overlap(const struct side *to, size_t to_span, const struct side *from,
                             size_t from_span, const struct box *box)
{
    const uint64_t target = (uint64_t)to->pointer, source = (uint64_t)from->pointer;
    struct sim_footprint written = {0}, read = {0};
    const struct sim_used *by_one, *by_other;
    if (!sim_checks_for(SIM_CHECK_RACE) || !followed(to->pointer) || target >= source + from_span ||
        source >= target + to_span || (target == source && to->pitch == from->pitch))
        return 0;
    use_box(&written, to, box, SIM_WRITES);
    use_box(&read, from, box, SIM_READS);
    const uint64_t both = sim_footprints_clash(&written, &read, &by_one, &by_other);
    sim_footprint_free(&written);
    sim_footprint_free(&read);
    return both;
}

static cudaError_t copy_box(const char *call, struct side to, struct side from,
                            const struct box *box, enum cudaMemcpyKind kind,
                            struct sim_footprint *footprint)
{
    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (!box->width || !box->rows || !box->slices)
        return cudaSuccess;
    if (to.pitch < box->width || from.pitch < box->width)
        return box->rows > 1 || box->slices > 1 ? cudaErrorInvalidPitchValue
                                                : cudaErrorInvalidValue;
    bool to_host =
        kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost || kind == cudaMemcpyDefault;
    bool from_host =
        kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost || kind == cudaMemcpyDefault;
    size_t to_span = span(&to, box), from_span = span(&from, box);
    if (to_span == SIZE_MAX || from_span == SIZE_MAX)
        return cudaErrorInvalidValue;
    char *target = storage(call, to.pointer, to_span, to_host);
    const char *source = target ? storage(call, from.pointer, from_span, from_host) : NULL;
    if (!source)
        return cudaErrorInvalidValue;
    if (followed(to.pointer))
        sim_global_forget();
    const uint64_t both = find_overlap(&to, to_span, &from, from_span, box);
    if (both) {
        sim_copy_overlaps(call, both);
        return cudaErrorLaunchFailure;
    }
    for (size_t slice = 0; slice < box->slices; slice++)
        for (size_t row = 0; row < box->rows; row++) {
            const size_t there = (slice * to.slice_rows + row) * to.pitch;
            const size_t here = (slice * from.slice_rows + row) * from.pitch;
            if (!note_row(call, (const char *)to.pointer + there, (const char *)from.pointer + here,
                          box->width))
                return cudaErrorLaunchFailure;
            memmove(target + there, source + here, box->width);
            use_row(footprint, (const char *)to.pointer + there, box->width, SIM_WRITES);
            use_row(footprint, (const char *)from.pointer + here, box->width, SIM_READS);
        }
    return sim_copy_ends(call, footprint);
}

/* A copy, or a fill with `value`, as a graph keeps it. */
struct memory_node {
    const char *call;
    struct side to, from;
    struct box box;
    enum cudaMemcpyKind kind;
    uint32_t value;
    size_t unit; /* bytes of the value */
};

static cudaError_t run_copy(const void *data, cudaStream_t stream)
{
    const struct memory_node *const node = data;
    return copy_box(node->call, node->to, node->from, &node->box, node->kind,
                    sim_stream_work(stream, node->call));
}

cudaError_t sim_copy(const char *call, struct side to, struct side from, struct box box,
                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const struct memory_node node = {call, to, from, box, kind, 0, 0};
    cudaError_t status = sim_enter();
    if (!status && !sim_stream_valid(stream))
        status = cudaErrorInvalidResourceHandle;
    if (!status &&
        !sim_capture_node(stream, cudaGraphNodeTypeMemcpy, run_copy, &node, sizeof node, &status))
        status = run_copy(&node, stream);
    return sim_leave_call(status, call);
}

cudaError_t sim_copied(cudaError_t status, const void *to, const void *from)
{
    sim_enter_always();
    if (!followed(to) || !followed(from))
        sim_stream_done(0);
    return sim_leave(status);
}

static cudaError_t copy_bytes(const char *call, void *to, const void *from, size_t count,
                              enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return sim_copy(call, (struct side){to, count, 1}, (struct side){from, count, 1},
                    (struct box){count, 1, 1}, kind, stream);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t count, enum cudaMemcpyKind kind)
{
    return sim_copied(copy_bytes(__func__, to, from, count, kind, 0), to, from);
}
SIM_PER_THREAD_STREAM(cudaMemcpy, _ptds);

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t count, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return copy_bytes(__func__, to, from, count, kind, stream);
}
SIM_PER_THREAD_STREAM(cudaMemcpyAsync, _ptsz);

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t count)
{
    if (to_device != 0 || from_device != 0) {
        sim_enter_always();
        return sim_leave(cudaErrorInvalidDevice);
    }
    return copy_bytes(__func__, to, from, count, cudaMemcpyDeviceToDevice, 0);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t count, cudaStream_t stream)
{
    if (to_device != 0 || from_device != 0) {
        sim_enter_always();
        return sim_leave(cudaErrorInvalidDevice);
    }
    return copy_bytes(__func__, to, from, count, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return sim_copied(sim_copy(__func__, (struct side){to, to_pitch, height},
                               (struct side){from, from_pitch, height},
                               (struct box){width, height, 1}, kind, 0),
                      to, from);
}
SIM_PER_THREAD_STREAM(cudaMemcpy2D, _ptds);

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    return sim_copy(__func__, (struct side){to, to_pitch, height},
                    (struct side){from, from_pitch, height}, (struct box){width, height, 1}, kind,
                    stream);
}
SIM_PER_THREAD_STREAM(cudaMemcpy2DAsync, _ptsz);

/* ---- variables ------------------------------------------------------------------------------- */

/* The device address of bytes [offset, offset + count) of a variable. */
static cudaError_t inside_symbol(const void *symbol, size_t count, size_t offset, void **device)
{
    uint64_t address;
    size_t size;
    cudaError_t status = sim_variable_find(symbol, &address, &size);
    if (status == cudaSuccess && (offset > size || count > size - offset))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *device = (void *)(address + offset);
    return status;
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t count,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    void *to = NULL;
    cudaError_t status = sim_enter();
    if (!status)
        status = inside_symbol(symbol, count, offset, &to);
    if (!status)
        status = copy_bytes("cudaMemcpyToSymbol", to, from, count, kind, stream);
    return sim_leave(status);
}
SIM_PER_THREAD_STREAM(cudaMemcpyToSymbolAsync, _ptsz);

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t count, size_t offset,
                               enum cudaMemcpyKind kind)
{
    return sim_copied(cudaMemcpyToSymbolAsync(symbol, from, count, offset, kind, 0), NULL, from);
}
SIM_PER_THREAD_STREAM(cudaMemcpyToSymbol, _ptds);

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    void *from = NULL;
    cudaError_t status = sim_enter();
    if (!status)
        status = inside_symbol(symbol, count, offset, &from);
    if (!status)
        status = copy_bytes("cudaMemcpyFromSymbol", to, from, count, kind, stream);
    return sim_leave(status);
}
SIM_PER_THREAD_STREAM(cudaMemcpyFromSymbolAsync, _ptsz);

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t count, size_t offset,
                                 enum cudaMemcpyKind kind)
{
    return sim_copied(cudaMemcpyFromSymbolAsync(to, symbol, count, offset, kind, 0), to, NULL);
}
SIM_PER_THREAD_STREAM(cudaMemcpyFromSymbol, _ptds);

cudaError_t cudaGetSymbolAddress(void **device, const void *symbol)
{
    cudaError_t status = sim_enter();
    if (!status && !device)
        status = cudaErrorInvalidValue;
    return sim_leave(status ? status : inside_symbol(symbol, 0, 0, device));
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
    uint64_t address;
    cudaError_t status = sim_enter();
    if (!status && !size)
        status = cudaErrorInvalidValue;
    return sim_leave(status ? status : sim_variable_find(symbol, &address, size));
}

/* ---- filling --------------------------------------------------------------------------------- */

static cudaError_t run_fill(const void *data, cudaStream_t stream)
{
    const struct memory_node *const node = data;
    const struct side to = node->to;
    const struct box box = node->box;
    size_t bytes = span(&to, &box);
    char *target = bytes == SIZE_MAX ? NULL : storage(node->call, to.pointer, bytes, false);
    if (!target)
        return cudaErrorInvalidValue;
    struct sim_footprint *const footprint = sim_stream_work(stream, node->call);
    sim_memory_mark_written((uint64_t)to.pointer, bytes);
    sim_global_forget();
    for (size_t slice = 0; slice < box.slices; slice++)
        for (size_t row = 0; row < box.rows; row++) {
            const size_t there = (slice * to.slice_rows + row) * to.pitch;
            if (node->unit == 1)
                memset(target + there, (int)node->value, box.width);
            for (size_t i = 0; node->unit > 1 && i < box.width; i += node->unit)
                memcpy(target + there + i, &node->value, node->unit); /* little-endian, as a GPU */
            use_row(footprint, (const char *)to.pointer + there, box.width, SIM_WRITES);
        }
    return sim_copy_ends(node->call, footprint);
}

cudaError_t sim_fill(const char *call, struct side to, struct box box, uint32_t value, size_t unit,
                     cudaStream_t stream)
{
    const struct memory_node node = {
        .call = call, .to = to, .box = box, .value = value, .unit = unit};
    cudaError_t status = sim_enter();
    if (!status && !sim_stream_valid(stream))
        status = cudaErrorInvalidResourceHandle;
    if (status || !box.width || !box.rows || !box.slices)
        return sim_leave_call(status, call);
    if ((box.rows > 1 || box.slices > 1) && to.pitch < box.width)
        return sim_leave_call(cudaErrorInvalidPitchValue, call);
    if (!sim_capture_node(stream, cudaGraphNodeTypeMemset, run_fill, &node, sizeof node, &status))
        status = run_fill(&node, stream);
    return sim_leave_call(status, call);
}

void sim_copy_node_get(const void *data, struct cudaMemcpy3DParms *parameters)
{
    const struct memory_node *const node = data;
    const struct box *const box = &node->box;
    *parameters = (struct cudaMemcpy3DParms){
        .srcPtr = {(void *)node->from.pointer, node->from.pitch, box->width, node->from.slice_rows},
        .dstPtr = {(void *)node->to.pointer, node->to.pitch, box->width, node->to.slice_rows},
        .extent = {box->width, box->rows, box->slices},
        .kind = node->kind};
}

void sim_fill_node_get(const void *data, struct cudaMemsetParams *parameters)
{
    const struct memory_node *const node = data;
    *parameters = (struct cudaMemsetParams){.dst = (void *)node->to.pointer,
                                            .pitch = node->to.pitch,
                                            .value = node->value,
                                            .elementSize = (unsigned)node->unit,
                                            .width = node->box.width / node->unit,
                                            .height = node->box.rows};
}

static cudaError_t fill(const char *call, struct side to, struct box box, int value,
                        cudaStream_t stream)
{
    return sim_fill(call, to, box, (uint32_t)value, 1, stream);
}

cudaError_t cudaMemset(void *to, int value, size_t count)
{
    return fill(__func__, (struct side){to, count, 1}, (struct box){count, 1, 1}, value, 0);
}
SIM_PER_THREAD_STREAM(cudaMemset, _ptds);

cudaError_t cudaMemsetAsync(void *to, int value, size_t count, cudaStream_t stream)
{
    return fill(__func__, (struct side){to, count, 1}, (struct box){count, 1, 1}, value, stream);
}
SIM_PER_THREAD_STREAM(cudaMemsetAsync, _ptsz);

cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    return fill(__func__, (struct side){to, pitch, height}, (struct box){width, height, 1}, value,
                0);
}
SIM_PER_THREAD_STREAM(cudaMemset2D, _ptds);

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    return fill(__func__, (struct side){to, pitch, height}, (struct box){width, height, 1}, value,
                stream);
}
SIM_PER_THREAD_STREAM(cudaMemset2DAsync, _ptsz);

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent extent,
                              cudaStream_t stream)
{
    return fill("cudaMemset3D", (struct side){to.ptr, to.pitch, to.ysize},
                (struct box){extent.width, extent.height, extent.depth}, value, stream);
}
SIM_PER_THREAD_STREAM(cudaMemset3DAsync, _ptsz);

cudaError_t cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent)
{
    return cudaMemset3DAsync(to, value, extent, 0);
}
SIM_PER_THREAD_STREAM(cudaMemset3D, _ptds);
