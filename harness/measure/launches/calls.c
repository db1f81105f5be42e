/* Our own definitions of the runtime's functions that allocate, wait, use a stream, or may refuse
 * their arguments: the dynamic linker finds them before the runtime's. Only this file writes the
 * state, in the thread that calls the launch function. */
#include "measure/launches/launches.h"

#include "families/cublas_library.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COPIES = 256, MOST_COPIED_BYTES = 1 << 20 };

/* The source of a copy to the device in pinned memory, which a GPU reads later. */
struct pinned_copy {
    const char *name;
    const void *from;
    void *as_it_was;
    size_t bytes;
};

static struct {
    const void *object; /* where the watched code is loaded; NULL: nothing is watched */
    cudaStream_t stream;
    jmp_buf *way_out;       /* where to jump if a launch function would end the program */
    char found[400];        /* what was forbidden; "": nothing */
    char failed[300];       /* the last call that has failed */
    cudaError_t error;      /* its error */
    char printed[300];      /* what has printed; "": nothing */
    const char *filled;     /* the last call that fills or copies memory; NULL: none */
    bool has_host_function; /* the launch function has enqueued one */
    char changed[400];
    struct pinned_copy copies[MOST_COPIES];
    int copy_count;
} watch;

static const void *object_of(const void *address)
{
    Dl_info info;
    return address && dladdr(address, &info) ? info.dli_fbase : NULL;
}

static void note_library(const char *name, cudaStream_t stream);

/* A launch function in this program itself is not watched, since its calls look like the harness's.
 */
void lab_calls_watch(const void *launch, cudaStream_t stream)
{
    const void *const object = object_of(launch);
    watch.object = object == object_of(__builtin_return_address(0)) ? NULL : object;
    watch.stream = stream;
    lab_cublas_watch = note_library;
    watch.found[0] = watch.printed[0] = '\0';
    for (int i = 0; i < watch.copy_count; i++)
        free(watch.copies[i].as_it_was);
    watch.copy_count = 0;
    if (launch) {
        watch.error = cudaSuccess;
        watch.filled = NULL;
        watch.has_host_function = false;
    }
}

const char *lab_calls_filled(void)
{
    return watch.filled;
}

bool lab_calls_has_host_function(void)
{
    return watch.has_host_function;
}

void lab_calls_catch(jmp_buf *way_out)
{
    watch.way_out = way_out;
}

const char *lab_calls_forbidden(void)
{
    return watch.found[0] ? watch.found : watch.printed[0] ? watch.printed : NULL;
}

void lab_calls_note_print(const char *name, const void *caller)
{
    if (watch.object && !watch.printed[0] && object_of(caller) == watch.object)
        snprintf(watch.printed, sizeof watch.printed,
                 "the launch function calls %s(), which prints; a launch function enqueues its "
                 "work and returns a status, and what went wrong is told by that",
                 name);
}

const char *lab_calls_failed(cudaError_t error)
{
    return error != cudaSuccess && watch.error == error ? watch.failed : NULL;
}

static bool is_watched(const void *caller)
{
    return watch.object && !watch.found[0] && object_of(caller) == watch.object;
}

/* Notes a call in a host function, which is another mistake than a call in a launch function. */
static void note_in_host_function(const char *what, const char *name, const void *caller)
{
    if (!watch.object || object_of(caller) != watch.object)
        return;
    snprintf(watch.found, sizeof watch.found,
             "a host function of the stream %s %s, but host functions may not use CUDA: let the "
             "launch function enqueue it, in front of the host function or after it",
             what, name);
}

static cudaError_t note_status(const char *name, cudaError_t status, const void *caller)
{
    char call[128];
    snprintf(call, sizeof call, "%s()", name);
    if (status == cudaErrorNotPermitted)
        note_in_host_function("calls", call, caller);
    if (status != cudaSuccess && status != cudaErrorNotReady && is_watched(caller)) {
        watch.error = status;
        snprintf(watch.failed, sizeof watch.failed, "%s", call);
    }
    return status;
}

static void note(const char *name, const char *why, const void *caller)
{
    if (is_watched(caller))
        snprintf(watch.found, sizeof watch.found, "the launch function calls %s(), %s", name, why);
}

/* ---- Memory of the host ---- */

static bool is_of_host(const void *pointer, bool *is_pinned)
{
    struct cudaPointerAttributes attributes = {.type = cudaMemoryTypeUnregistered};
    if (cudaPointerGetAttributes(&attributes, pointer) != cudaSuccess)
        cudaGetLastError();
    *is_pinned = attributes.type == cudaMemoryTypeHost;
    return *is_pinned || attributes.type == cudaMemoryTypeUnregistered;
}

/* Keeps the source of a copy from pinned memory, which is read when the stream comes to the copy.
 * Ordinary memory is read before the call returns. */
static void keep_pinned(const char *name, const void *from, size_t bytes)
{
    if (watch.copy_count == MOST_COPIES || bytes == 0 || bytes > MOST_COPIED_BYTES)
        return;
    struct pinned_copy *const copy = &watch.copies[watch.copy_count];
    *copy = (struct pinned_copy){name, from, malloc(bytes), bytes};
    if (!copy->as_it_was)
        return;
    memcpy(copy->as_it_was, from, bytes);
    watch.copy_count++;
}

static void note_copy(const char *name, const void *to, const void *from, size_t bytes,
                      enum cudaMemcpyKind kind, const void *caller)
{
    bool is_pinned;
    if (!is_watched(caller) || kind == cudaMemcpyDeviceToDevice)
        return;
    if (kind == cudaMemcpyDeviceToHost ||
        (kind == cudaMemcpyDefault && to && is_of_host(to, &is_pinned)))
        note(name,
             "which copies to the host, where nothing can be seen of it before the device is done; "
             "a launch function does not wait for that, and kernels decide on the device",
             caller);
    else if (is_of_host(from, &is_pinned) && is_pinned)
        keep_pinned(name, from, bytes);
}

const char *lab_calls_changed(void)
{
    for (int i = 0; i < watch.copy_count; i++) {
        const struct pinned_copy *const copy = &watch.copies[i];
        if (memcmp(copy->from, copy->as_it_was, copy->bytes) == 0)
            continue;
        snprintf(watch.changed, sizeof watch.changed,
                 "the launch function gives %s() %zu bytes of pinned memory and changes them "
                 "afterwards, but the copy is made when the stream comes to it, and may find what "
                 "was written later: let each copy have memory of its own, or pass such values as "
                 "arguments of the kernel",
                 copy->name, copy->bytes);
        return watch.changed;
    }
    return NULL;
}

static bool is_default(cudaStream_t stream)
{
    return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

static const char *name_of(cudaStream_t stream)
{
    return stream == cudaStreamPerThread ? "per-thread default stream" : "default stream";
}

static void note_stream(const char *name, cudaStream_t stream, const void *caller)
{
    if (is_watched(caller) && strncmp(name, "cudaMem", strlen("cudaMem")) == 0)
        watch.filled = name;
    if (is_watched(caller) && is_default(stream) && stream != watch.stream)
        snprintf(watch.found, sizeof watch.found,
                 "the launch function calls %s() on the %s; give it the stream that the launch "
                 "function is given",
                 name, name_of(stream));
}

static void note_library(const char *name, cudaStream_t stream)
{
    if (watch.object && !watch.found[0] && is_default(stream) && stream != watch.stream)
        snprintf(watch.found, sizeof watch.found,
                 "the launch function calls the library's %s() on the %s; give it the stream that "
                 "the launch function is given",
                 name, name_of(stream));
}

typedef char *demangle_fn(const char *mangled, char *buffer, size_t *length, int *status);

/* The name of a kernel as C++ writes it, if the C++ library is there. */
static void name_kernel(const void *function, char *text, size_t size)
{
    const char *mangled = NULL;
    void *const library = dlopen("libstdc++.so.6", RTLD_LAZY);
    demangle_fn *demangle = library ? (demangle_fn *)dlsym(library, "__cxa_demangle") : NULL;
    if (!function || cudaFuncGetName(&mangled, function) != cudaSuccess)
        mangled = NULL;
    char *const name = mangled && demangle ? demangle(mangled, NULL, NULL, NULL) : NULL;
    snprintf(text, size, "%s", name ? name : mangled ? mangled : "a kernel");
    free(name);
    if (library)
        dlclose(library);
}

cudaError_t lab_calls_note_launched(const void *function, cudaError_t status, const void *caller)
{
    char name[200];
    if (status == cudaErrorNotPermitted) {
        name_kernel(function, name, sizeof name);
        note_in_host_function("launches", name, caller);
    } else if (status != cudaSuccess && is_watched(caller)) {
        name_kernel(function, name, sizeof name);
        watch.error = status;
        snprintf(watch.failed, sizeof watch.failed, "the launch of %s", name);
    }
    return status;
}

void lab_calls_note_launch(const void *function, cudaStream_t stream, const void *caller)
{
    char name[200];
    if (!is_watched(caller) || !is_default(stream) || stream == watch.stream)
        return;
    name_kernel(function, name, sizeof name);
    snprintf(watch.found, sizeof watch.found,
             "the launch function launches %s on the %s; give it the stream that the launch "
             "function is given: <<<grid, block, shared, stream>>>",
             name, name_of(stream));
}

/* ---- The calls ---- */

/* Leaves a launch function that would end the program: the verdict would be lost, and an exit
 * status of 0 would look like one. */
void lab_calls_leave(const char *name, const void *caller)
{
    if (!watch.way_out || !watch.object || object_of(caller) != watch.object)
        return;
    note(name, "which ends the program; a launch function returns a status", caller);
    longjmp(*watch.way_out, 1);
}

#pragma GCC visibility push(default)
#define PASS_ON(name, arguments)                                                                   \
    static __typeof__(name) *real;                                                                 \
    if (!real)                                                                                     \
        real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name);                                        \
    return note_status(#name, real ? real arguments : cudaErrorNotSupported,                       \
                       __builtin_return_address(0))

#define FORBIDDEN(name, why, parameters, arguments)                                                \
    cudaError_t name parameters                                                                    \
    {                                                                                              \
        note(#name, why, __builtin_return_address(0));                                             \
        PASS_ON(name, arguments);                                                                  \
    }

#define ON_A_STREAM(name, parameters, arguments)                                                   \
    cudaError_t name parameters                                                                    \
    {                                                                                              \
        note_stream(#name, stream, __builtin_return_address(0));                                   \
        PASS_ON(name, arguments);                                                                  \
    }

#define COPIES(name, to, bytes, parameters, arguments)                                             \
    cudaError_t name parameters                                                                    \
    {                                                                                              \
        note_stream(#name, stream, __builtin_return_address(0));                                   \
        note_copy(#name, to, from, bytes, kind, __builtin_return_address(0));                      \
        PASS_ON(name, arguments);                                                                  \
    }

/* A call that is allowed, and only noted if it fails. */
#define ALLOWED(name, parameters, arguments)                                                       \
    cudaError_t name parameters                                                                    \
    {                                                                                              \
        PASS_ON(name, arguments);                                                                  \
    }

#define ALLOCATES                                                                                  \
    "which allocates; a row says in its workspace function how many bytes of scratch memory it "   \
    "needs, and finds them in `workspace`"
#define FREES "which may wait for the device; a launch function has nothing to free"
#define WAITS                                                                                      \
    "which waits for the device; a launch function enqueues its work on the given stream and "     \
    "returns"
#define ASKS                                                                                       \
    "which asks whether the device is done; a launch function enqueues its work and returns, and " \
    "work that goes on is no error"
#define WAITS_FOR_COPY                                                                             \
    "which uses the default stream and waits; use the call that ends in Async, with the given "    \
    "stream"

FORBIDDEN(cudaMalloc, ALLOCATES, (void **pointer, size_t size), (pointer, size))
FORBIDDEN(cudaMallocAsync, ALLOCATES, (void **pointer, size_t size, cudaStream_t stream),
          (pointer, size, stream))
FORBIDDEN(cudaMallocManaged, ALLOCATES, (void **pointer, size_t size, unsigned flags),
          (pointer, size, flags))
FORBIDDEN(cudaMallocHost, ALLOCATES, (void **pointer, size_t size), (pointer, size))
FORBIDDEN(cudaHostAlloc, ALLOCATES, (void **pointer, size_t size, unsigned flags),
          (pointer, size, flags))
FORBIDDEN(cudaMallocPitch, ALLOCATES, (void **pointer, size_t *pitch, size_t width, size_t height),
          (pointer, pitch, width, height))
FORBIDDEN(cudaFree, FREES, (void *pointer), (pointer))
FORBIDDEN(cudaFreeAsync, FREES, (void *pointer, cudaStream_t stream), (pointer, stream))
FORBIDDEN(cudaFreeHost, FREES, (void *pointer), (pointer))
FORBIDDEN(cudaDeviceSynchronize, WAITS, (void), ())
FORBIDDEN(cudaStreamSynchronize, WAITS, (cudaStream_t stream), (stream))
FORBIDDEN(cudaEventSynchronize, WAITS, (cudaEvent_t event), (event))
FORBIDDEN(cudaStreamQuery, ASKS, (cudaStream_t stream), (stream))
FORBIDDEN(cudaEventQuery, ASKS, (cudaEvent_t event), (event))
FORBIDDEN(cudaDeviceReset, WAITS, (void), ())
FORBIDDEN(cudaMemcpy, WAITS_FOR_COPY,
          (void *to, const void *from, size_t count, enum cudaMemcpyKind kind),
          (to, from, count, kind))
FORBIDDEN(cudaMemcpy2D, WAITS_FOR_COPY,
          (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
           size_t height, enum cudaMemcpyKind kind),
          (to, to_pitch, from, from_pitch, width, height, kind))
FORBIDDEN(cudaMemset, WAITS_FOR_COPY, (void *to, int value, size_t count), (to, value, count))
FORBIDDEN(cudaMemset2D, WAITS_FOR_COPY,
          (void *to, size_t pitch, int value, size_t width, size_t height),
          (to, pitch, value, width, height))
FORBIDDEN(cudaMemcpyToSymbol, WAITS_FOR_COPY,
          (const void *symbol, const void *from, size_t count, size_t offset,
           enum cudaMemcpyKind kind),
          (symbol, from, count, offset, kind))
FORBIDDEN(cudaMemcpyFromSymbol, WAITS_FOR_COPY,
          (void *to, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind),
          (to, symbol, count, offset, kind))

COPIES(cudaMemcpyAsync, to, count,
       (void *to, const void *from, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream),
       (to, from, count, kind, stream))
COPIES(cudaMemcpy2DAsync, to, (height ? (height - 1) * from_pitch + width : 0),
       (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
        enum cudaMemcpyKind kind, cudaStream_t stream),
       (to, to_pitch, from, from_pitch, width, height, kind, stream))
ON_A_STREAM(cudaMemsetAsync, (void *to, int value, size_t count, cudaStream_t stream),
            (to, value, count, stream))
ON_A_STREAM(cudaMemset2DAsync,
            (void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),
            (to, pitch, value, width, height, stream))
COPIES(cudaMemcpyToSymbolAsync, NULL, count,
       (const void *symbol, const void *from, size_t count, size_t offset, enum cudaMemcpyKind kind,
        cudaStream_t stream),
       (symbol, from, count, offset, kind, stream))
COPIES(cudaMemcpyFromSymbolAsync, to, 0,
       (void *to, const void *from, size_t count, size_t offset, enum cudaMemcpyKind kind,
        cudaStream_t stream),
       (to, from, count, offset, kind, stream))

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *argument)
{
    watch.has_host_function |= is_watched(__builtin_return_address(0));
    note_stream("cudaLaunchHostFunc", stream, __builtin_return_address(0));
    PASS_ON(cudaLaunchHostFunc, (stream, function, argument));
}

ALLOWED(cudaFuncSetAttribute, (const void *function, enum cudaFuncAttribute attribute, int value),
        (function, attribute, value))
ALLOWED(cudaGetSymbolAddress, (void **pointer, const void *symbol), (pointer, symbol))
ALLOWED(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), (stream, flags))
ALLOWED(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
        (stream, event, flags))
ALLOWED(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
ALLOWED(cudaDeviceGetAttribute, (int *value, enum cudaDeviceAttr attribute, int device),
        (value, attribute, device))
ALLOWED(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
        (int *blocks, const void *function, int threads, size_t dynamic_shared),
        (blocks, function, threads, dynamic_shared))
#pragma GCC visibility pop
