/* Launches by proxy. The recorder is a fresh, confined process for each call: it is given the
 * problem's struct, whose pointers lead nowhere there, and answers with launches. They are checked
 * and made here. Variables in device memory are put back before each call, so nothing is kept from
 * one to the next. */
#include "command/replay.h"

#include "grade/confine.h"
#include "grade/contract.h"
#include "grade/object.h"
#include "grade/wire.h"
#include "paths.h"

#include <cuda_runtime_api.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_BYTES = 1 << 30, OUTPUT_BYTES = 1 << 16 };

/* As crt/host_runtime.h of the toolkit declares them. */
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int limit, uint3 *thread, uint3 *block, dim3 *block_size,
                            dim3 *grid_size, int *warp_size);

struct wrapper {
    int magic, version;
    const void *data;
    void *name;
};

/* The submission of this process: a launch function is given nothing that could lead to it. */
static struct {
    struct lab_object object;
    struct wrapper wrapper;
    struct lab_wire_kernel *kernels; /* their addresses stand for the host functions */
    int kernel_count;
    char shared_object[LAB_PATH_BYTES], recorder[LAB_PATH_BYTES];
    bool isolate;
    double seconds;
    struct lab_wire_request head;
    struct lab_wire_answer described;
    struct lab_step step;
    struct lab_contract_row_storage storage;
    struct lab_check fault;
} replay;

static bool fail(enum lab_check_status status, const char *text)
{
    if (replay.fault.status == LAB_CHECK_OK) {
        replay.fault.status = status;
        snprintf(replay.fault.message, sizeof replay.fault.message, "%s", text);
    }
    return false;
}

/* --- asking the recorder -----------------------------------------------------------------------*/

static bool judge_end(const struct lab_confined *how)
{
    if (how->timed_out)
        return fail(LAB_CHECK_TIMEOUT, "the launch function does not return");
    if (how->signal == SIGSYS)
        return fail(LAB_CHECK_FORBIDDEN,
                    "the launch function makes a system call that a submission has no use for");
    if (how->too_much_output)
        return fail(LAB_CHECK_FORBIDDEN, "the launch function prints without end");
    if (how->signal)
        return fail(LAB_CHECK_CRASHED, "the launch function crashes; device pointers cannot be "
                                       "followed on the host");
    if (!how->started || how->status != 0)
        return fail(LAB_CHECK_CRASHED, "the launch function ends the process");
    return true;
}

static bool ask(enum lab_wire_question question, const void *problem, size_t bytes,
                struct lab_confined *how)
{
    static const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
    struct lab_wire_request head = replay.head;
    size_t kernels = (size_t)replay.kernel_count * sizeof *replay.kernels;
    char *input = malloc(sizeof head + bytes + kernels);
    if (!input)
        return fail(LAB_CHECK_CRASHED, "out of memory");
    head.question = question;
    head.problem_bytes = (uint32_t)bytes;
    memcpy(input, &head, sizeof head);
    if (bytes)
        memcpy(input + sizeof head, problem, bytes);
    if (kernels)
        memcpy(input + sizeof head + bytes, replay.kernels, kernels);
    struct lab_confine what = {.words = {replay.recorder, replay.shared_object},
                               .environment = environment,
                               .isolate = replay.isolate,
                               .seconds = replay.seconds,
                               .memory_bytes = MEMORY_BYTES,
                               .output_bytes = OUTPUT_BYTES,
                               .input = input,
                               .input_bytes = sizeof head + bytes + kernels,
                               .result_bytes = LAB_WIRE_MOST_BYTES};
    lab_confine_bind(&what, replay.recorder, false);
    lab_confine_bind(&what, replay.shared_object, false);
    lab_confine_run(&what, how);
    free(input);
    return judge_end(how);
}

/* The next answer; NULL at the end, or after noting that it makes no sense. */
static const struct lab_wire_answer *next_answer(const struct lab_confined *how, size_t *at,
                                                 struct lab_wire_answer *answer)
{
    size_t left = how->result_size - *at;
    if (left < sizeof *answer)
        return NULL;
    memcpy(answer, how->result + *at, sizeof *answer);
    answer->name[sizeof answer->name - 1] = '\0';
    if (answer->bytes > left - sizeof *answer || answer->bytes > LAB_WIRE_MOST_ARGUMENTS)
        return NULL;
    *at += sizeof *answer + answer->bytes;
    if (answer->kind == LAB_WIRE_FAULT) {
        fail(LAB_CHECK_LAUNCH_ERROR, answer->name);
        return NULL;
    }
    return answer;
}

static size_t proxy_workspace(const void *problem)
{
    struct lab_confined how;
    struct lab_wire_answer answer;
    size_t at = 0, bytes = 0;
    if (ask(LAB_WIRE_WORKSPACE, problem, lab_contract_bytes(replay.step.family), &how) &&
        next_answer(&how, &at, &answer) && answer.kind == LAB_WIRE_BYTES)
        bytes = (size_t)answer.values[0];
    lab_confined_free(&how);
    return bytes;
}

/* --- making the launches -----------------------------------------------------------------------*/

static struct lab_wire_kernel *kernel_named(const char *name)
{
    for (int i = 0; i < replay.kernel_count; i++)
        if (strcmp(replay.kernels[i].name, name) == 0)
            return &replay.kernels[i];
    return NULL;
}

static cudaError_t make_launch(const struct lab_wire_answer *answer, char *bytes,
                               cudaStream_t stream)
{
    void *arguments[LAB_ENTRY_PARAMETERS];
    const int64_t *v = answer->values;
    size_t used = 0;
    struct lab_wire_kernel *kernel = kernel_named(answer->name);
    if (!kernel)
        return cudaErrorInvalidDeviceFunction;
    for (uint32_t i = 0; i < kernel->count; i++) {
        arguments[i] = bytes + used;
        used += kernel->sizes[i];
    }
    if (used != answer->bytes)
        return cudaErrorInvalidValue;
    dim3 grid = {(unsigned)v[0], (unsigned)v[1], (unsigned)v[2]};
    dim3 block = {(unsigned)v[3], (unsigned)v[4], (unsigned)v[5]};
    return cudaLaunchKernel(kernel, grid, block, arguments, (size_t)v[6], stream);
}

static cudaError_t obey(const struct lab_wire_answer *answer, char *bytes, cudaStream_t stream)
{
    const struct lab_wire_kernel *kernel = kernel_named(answer->name);
    switch (answer->kind) {
    case LAB_WIRE_KERNEL:
        return make_launch(answer, bytes, stream);
    case LAB_WIRE_ATTRIBUTE:
        return kernel ? cudaFuncSetAttribute(kernel, (enum cudaFuncAttribute)answer->values[0],
                                             (int)answer->values[1])
                      : cudaErrorInvalidDeviceFunction;
    case LAB_WIRE_FILL:
        return cudaMemsetAsync((void *)(uintptr_t)answer->values[0], (int)answer->values[1],
                               (size_t)answer->values[2], stream);
    case LAB_WIRE_END:
        return (cudaError_t)answer->values[0];
    default:
        return cudaErrorInvalidValue;
    }
}

/* The next answer of a call that is to be like the others: an attribute need be set only once. */
static const struct lab_wire_answer *next_lasting(const struct lab_confined *how, size_t *at,
                                                  struct lab_wire_answer *answer)
{
    const struct lab_wire_answer *next;
    do
        next = next_answer(how, at, answer);
    while (next && next->kind == LAB_WIRE_ATTRIBUTE);
    return next;
}

/* Where the first call's answers end; 0 when the later ones are not the same. The launches may
 * follow from the problem alone, not from how often it was asked. */
static size_t compare_calls(const struct lab_confined *how)
{
    struct lab_wire_answer first = {.kind = 0}, later;
    size_t end = 0, at = 0, calls = 1;
    while (next_answer(how, &end, &first) && first.kind != LAB_WIRE_END)
        ;
    if (first.kind != LAB_WIRE_END) {
        fail(LAB_CHECK_CRASHED, "the launch function does not come to its end");
        return 0;
    }
    for (size_t again = end; calls < LAB_WIRE_CALLS; calls++, at = 0)
        do {
            const struct lab_wire_answer *a = next_lasting(how, &at, &first);
            const struct lab_wire_answer *b = next_lasting(how, &again, &later);
            if (!a || !b || memcmp(a, b, sizeof *a) != 0 ||
                memcmp(how->result + at - a->bytes, how->result + again - b->bytes, a->bytes) != 0)
                return 0;
        } while (first.kind != LAB_WIRE_END);
    return end;
}

static cudaError_t proxy_launch(const void *problem, cudaStream_t stream)
{
    struct lab_confined how;
    struct lab_wire_answer answer;
    size_t at = 0, behind = 0;
    cudaError_t status = cudaSuccess;
    if (!ask(LAB_WIRE_LAUNCH, problem, lab_contract_bytes(replay.step.family), &how))
        status = cudaErrorUnknown;
    size_t end = status == cudaSuccess ? compare_calls(&how) : 0;
    if (status == cudaSuccess && !end && replay.fault.status == LAB_CHECK_OK)
        fail(LAB_CHECK_WRONG, "the launches of a second call differ from those of the first: they "
                              "may follow from the problem alone");
    while (status == cudaSuccess && at < end && next_answer(&how, &at, &answer)) {
        behind = at - answer.bytes;
        status = obey(&answer, how.result + behind, stream);
    }
    lab_confined_free(&how);
    return status;
}

/* --- the submission ----------------------------------------------------------------------------*/

static bool register_kernels(void)
{
    struct lab_entry *entries;
    int count = lab_object_entries(&replay.object, &entries);
    if (count < 0)
        return fail(LAB_CHECK_BUILD_ERROR, "it has too many kernels, or one with too many "
                                           "parameters");
    replay.kernels = calloc((size_t)count + 1, sizeof *replay.kernels);
    replay.wrapper = (struct wrapper){0x466243B1, 1, replay.object.fatbin, NULL};
    void **handle = __cudaRegisterFatBinary(&replay.wrapper);
    for (int i = 0; replay.kernels && i < count; i++) {
        struct lab_wire_kernel *kernel = &replay.kernels[replay.kernel_count++];
        snprintf(kernel->name, sizeof kernel->name, "%s", entries[i].name);
        kernel->count = (uint32_t)entries[i].count;
        memcpy(kernel->sizes, entries[i].sizes, sizeof kernel->sizes);
        __cudaRegisterFunction(handle, (const char *)kernel, kernel->name, kernel->name, -1, NULL,
                               NULL, NULL, NULL, NULL);
    }
    __cudaRegisterFatBinaryEnd(handle);
    free(entries);
    return true;
}

static bool describe(enum lab_family_id family)
{
    struct lab_confined how;
    size_t at = 0;
    bool good = ask(LAB_WIRE_DESCRIBE, NULL, 0, &how) && next_answer(&how, &at, &replay.described);
    lab_confined_free(&how);
    if (!good)
        return fail(LAB_CHECK_CRASHED, "it says nothing when it is loaded");
    if (replay.described.kind != LAB_WIRE_STEP || replay.described.values[0] != (int64_t)family)
        return fail(LAB_CHECK_BUILD_ERROR, "it solves another problem than the exercise: the last "
                                           "line, LAB_EXPORT_..., must be the exercise's");
    return true;
}

static void read_device(void)
{
    int device = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&replay.head.sm_count, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceGetAttribute(&replay.head.shared_optin, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                           device);
    replay.head.kernel_count = (uint32_t)replay.kernel_count;
}

const struct lab_step *lab_replay_open(const char *object, enum lab_family_id family,
                                       const struct lab_plan *plan, struct lab_check *check)
{
    char why[256];
    replay.isolate = plan->isolate;
    replay.seconds = plan->launch_seconds;
    lab_build_path(replay.recorder, "recorder");
    snprintf(replay.shared_object, sizeof replay.shared_object, "%.4000s.so", object);
    bool good = lab_object_open(&replay.object, object, why, sizeof why) ||
                fail(LAB_CHECK_BUILD_ERROR, why);
    good = good && register_kernels();
    read_device();
    good = good && describe(family);
    replay.described.name[LAB_WIRE_NAME - 1] = '\0';
    struct lab_any_row row = {"submission", proxy_launch,
                              replay.described.values[2] ? proxy_workspace : NULL};
    /* what is wrong before any launch is wrong with the file */
    if (replay.fault.status == LAB_CHECK_LAUNCH_ERROR)
        replay.fault.status = LAB_CHECK_BUILD_ERROR;
    if (good && lab_contract_step(&replay.step, &replay.storage, family, row))
        return &replay.step;
    lab_replay_fault(check);
    return NULL;
}

bool lab_replay_fault(struct lab_check *check)
{
    if (replay.fault.status == LAB_CHECK_OK)
        return false;
    *check = replay.fault;
    replay.fault = (struct lab_check){.status = LAB_CHECK_OK};
    return true;
}
