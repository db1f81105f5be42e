/* The lock around the API, and CUDA's errors: the last error of each host thread, the error of a
 * kernel's fault (which stays until cudaDeviceReset()), and the names of errors. */
#include "runtime.h"

#include "sim/memory/names.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* The lock is recursive, since some API functions call others. */
static pthread_mutex_t api_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static cudaError_t fault; /* of a kernel, until cudaDeviceReset(); the lock guards it */
static int quiet;
static _Thread_local char last_report[1024]; /* the message of a call that is not supported */
static _Thread_local cudaError_t last_error;
static _Thread_local int callback_depth;
static _Thread_local int driver_calls; /* how many calls of the driver API are in one another */
static _Thread_local bool is_used;     /* calls that are not the driver's have come */
static _Thread_local cudaError_t kept_error; /* the last error before the driver's call */

struct error_text {
    cudaError_t code;
    const char *name, *description;
};

static const struct error_text *error_text(cudaError_t error)
{
    static const struct error_text table[] = {
#define SIM_ERROR(name, description) {name, #name, description},
#include "errors.def"
#undef SIM_ERROR
    };
    static const struct error_text unknown = {0, "unrecognized error code",
                                              "unrecognized error code"};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].code == error)
            return &table[i];
    return &unknown;
}

/* Reports a bad GPU profile at the first call, so that a program that makes no call and asks
 * lab_sim_gpu_error() itself gets no message. */
cudaError_t sim_enter(void)
{
    static bool reported;
    sim_enter_always();
    is_used |= driver_calls == 0;
    if (lab_sim_gpu_error() && !reported) {
        reported = true;
        sim_runtime_report("%s", lab_sim_gpu_error());
        sim_note_unsupported(lab_sim_gpu_error());
    }
    return callback_depth > 0 ? cudaErrorNotPermitted : fault;
}

void sim_enter_always(void)
{
    static bool sized;
    pthread_mutex_lock(&api_lock);
    if (!sized) {
        sized = true;
        sim_memory_set_total(sim_device.memory_bytes);
        if (lab_sim_gpu_error())
            fault = cudaErrorInitializationError;
    }
}

/* What is not supported, and what a kernel's fault has brought about, is among the findings. */
cudaError_t sim_leave_call(cudaError_t status, const char *call)
{
    const bool is_failure = status != cudaSuccess && status != cudaErrorNotReady;
    if (status == cudaErrorNotSupported)
        sim_note_unsupported(last_report);
    else if (is_failure && status != fault)
        sim_summary_failed(call, error_text(status)->name);
    pthread_mutex_unlock(&api_lock);
    if (is_failure)
        last_error = status;
    return status;
}

void sim_set_fault(cudaError_t new_fault)
{
    fault = new_fault;
}

void sim_driver_enters(void)
{
    if (driver_calls++ == 0)
        kept_error = last_error;
}

void sim_driver_leaves(void)
{
    if (--driver_calls == 0)
        last_error = kept_error;
}

bool sim_runtime_is_used(void)
{
    return is_used;
}

void sim_call_host(void (*function)(void *), void *argument)
{
    callback_depth++;
    function(argument);
    callback_depth--;
}

void lab_sim_set_quiet(int new_quiet)
{
    quiet = new_quiet;
}

void lab_sim_set_quoting(int on)
{
    sim_declared_allow(on);
}

void lab_sim_report(const char *library, const char *text)
{
    snprintf(last_report, sizeof last_report, "%s", text);
    if (!quiet)
        fprintf(stderr, "%s (simulator): %s\n", library, text);
}

void sim_runtime_report(const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    lab_sim_report("libcudart", text);
}

static cudaError_t looked_at(cudaError_t error)
{
    if (error != cudaSuccess)
        sim_summary_looked();
    return error;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = cudaPeekAtLastError();
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    return looked_at(last_error);
}

const char *cudaGetErrorName(cudaError_t error)
{
    return error_text(looked_at(error))->name;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error_text(looked_at(error))->description;
}
