/* Questions to the recorder and its answers. What comes back is checked before it is used: it was
 * written by a process that ran somebody else's code. */
#include "grade/recorded_launches/recording.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The recorder cannot open a file for writing, but bubblewrap writes a few bytes before it starts
 * it. */
enum { MEMORY_BYTES = 1 << 30, OUTPUT_BYTES = 1 << 16, FILE_BYTES = 1 << 16 };

static bool fail(struct lab_recording *r, enum lab_check_status status, const char *text)
{
    if (r->fault.status == LAB_CHECK_OK) {
        r->fault.status = status;
        snprintf(r->fault.message, sizeof r->fault.message, "%s", text);
    }
    return false;
}

/* --- asking the recorder -----------------------------------------------------------------------*/

static bool judge_end(struct lab_recording *r, const struct lab_confined *how)
{
    char text[512];
    if (how->timed_out)
        return fail(r, LAB_CHECK_TIMEOUT, "the launch function does not return");
    if (how->signal == SIGSYS)
        return fail(r, LAB_CHECK_FORBIDDEN,
                    "the launch function makes a system call that a submission has no use for");
    if (how->too_much_output)
        return fail(r, LAB_CHECK_FORBIDDEN, "the launch function prints without end");
    if (how->signal)
        return fail(r, LAB_CHECK_CRASHED,
                    "the launch function crashes; device pointers cannot be "
                    "followed on the host");
    if (how->started && how->status == 0)
        return true;
    snprintf(text, sizeof text, "the launch function ends the process (status %d%s%.*s)",
             how->status, how->output && how->output[0] ? ": " : "",
             how->output ? (int)strcspn(how->output, "\n") : 0, how->output ? how->output : "");
    return fail(r, LAB_CHECK_CRASHED, text);
}

static bool ask(struct lab_recording *r, enum lab_record_question question, const void *problem,
                size_t bytes, struct lab_confined *how)
{
    static const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
    struct lab_record_request head = r->head;
    size_t kernels = (size_t)r->kernels.count * sizeof *r->kernels.list;
    char *input = malloc(sizeof head + bytes + kernels);
    *how = (struct lab_confined){.status = -1};
    if (!input)
        return fail(r, LAB_CHECK_CRASHED, "out of memory");
    head.question = question;
    head.problem_bytes = (uint32_t)bytes;
    memcpy(input, &head, sizeof head);
    if (bytes)
        memcpy(input + sizeof head, problem, bytes);
    if (kernels)
        memcpy(input + sizeof head + bytes, r->kernels.list, kernels);
    struct lab_confine what = {.words = {r->recorder, r->shared_object},
                               .environment = environment,
                               .isolate = r->terms.isolate,
                               .account = r->terms.account,
                               .seconds = r->terms.seconds,
                               .memory_bytes = MEMORY_BYTES,
                               .file_bytes = FILE_BYTES,
                               .output_bytes = OUTPUT_BYTES,
                               .input = input,
                               .input_bytes = sizeof head + bytes + kernels,
                               .result_bytes = (size_t)LAB_RECORD_CALLS * LAB_RECORD_MOST_BYTES};
    lab_confine_bind(&what, r->recorder, false);
    lab_confine_bind(&what, r->shared_object, false);
    lab_confine_run(&what, how);
    free(input);
    return judge_end(r, how);
}

/* The next answer; NULL at the end, or after noting an answer that makes no sense. */
const struct lab_record_answer *lab_recording_next(struct lab_recording *r,
                                                   const struct lab_confined *how, size_t *at,
                                                   struct lab_record_answer *answer)
{
    size_t left = how->result_size - *at;
    if (left < sizeof *answer)
        return NULL;
    memcpy(answer, how->result + *at, sizeof *answer);
    answer->name[sizeof answer->name - 1] = '\0';
    if (answer->bytes > left - sizeof *answer || answer->bytes > LAB_RECORD_MOST_ARGUMENTS)
        return NULL;
    *at += sizeof *answer + answer->bytes;
    if (answer->kind == LAB_RECORD_FAULT || answer->kind == LAB_RECORD_UNKNOWN) {
        fail(r, answer->kind == LAB_RECORD_FAULT ? LAB_CHECK_LAUNCH_ERROR : LAB_CHECK_UNSUPPORTED,
             answer->name);
        return NULL;
    }
    return answer;
}

size_t lab_recording_workspace(struct lab_recording *r, const void *problem)
{
    struct lab_confined how;
    struct lab_record_answer answer;
    size_t at = 0, bytes = 0;
    if (ask(r, LAB_RECORD_WORKSPACE, problem, r->family->problem_bytes, &how) &&
        lab_recording_next(r, &how, &at, &answer) && answer.kind == LAB_RECORD_BYTES)
        bytes = (size_t)answer.values[0];
    lab_confined_free(&how);
    return bytes;
}

bool lab_recording_has_workspace(const struct lab_recording *r)
{
    return r->described.values[2] != 0;
}

/* --- the launches ------------------------------------------------------------------------------*/

/* The next answer that must be the same in all calls. An attribute need be set only once. */
static const struct lab_record_answer *next_lasting(struct lab_recording *r,
                                                    const struct lab_confined *how, size_t *at,
                                                    struct lab_record_answer *answer)
{
    const struct lab_record_answer *next;
    do
        next = lab_recording_next(r, how, at, answer);
    while (next && next->kind == LAB_RECORD_ATTRIBUTE);
    return next;
}

/* The end of the first call's answers; 0 if later calls answer differently. Launches may depend
 * only on the problem, not on the number of calls. */
static size_t compare_calls(struct lab_recording *r, const struct lab_confined *how)
{
    struct lab_record_answer first = {.kind = 0}, later;
    size_t end = 0, at = 0, calls = 1;
    while (lab_recording_next(r, how, &end, &first) && first.kind != LAB_RECORD_END)
        ;
    if (first.kind != LAB_RECORD_END) {
        fail(r, LAB_CHECK_CRASHED, "the launch function does not come to its end");
        return 0;
    }
    for (size_t again = end; calls < LAB_RECORD_CALLS; calls++, at = 0)
        do {
            const struct lab_record_answer *a = next_lasting(r, how, &at, &first);
            const struct lab_record_answer *b = next_lasting(r, how, &again, &later);
            if (!a || !b || memcmp(a, b, sizeof *a) != 0 ||
                memcmp(how->result + at - a->bytes, how->result + again - b->bytes, a->bytes) != 0)
                return 0;
        } while (first.kind != LAB_RECORD_END);
    return end;
}

size_t lab_recording_launches(struct lab_recording *r, const void *problem,
                              struct lab_confined *how)
{
    if (!ask(r, LAB_RECORD_LAUNCH, problem, r->family->problem_bytes, how))
        return 0;
    size_t end = compare_calls(r, how);
    if (!end)
        fail(r, LAB_CHECK_WRONG,
             "the launches of a second call differ from those of the first: "
             "they may follow from the problem alone");
    return end;
}

/* --- the object --------------------------------------------------------------------------------*/

static bool describe(struct lab_recording *r)
{
    struct lab_confined how;
    size_t at = 0;
    bool good = ask(r, LAB_RECORD_DESCRIBE, NULL, 0, &how) &&
                lab_recording_next(r, &how, &at, &r->described);
    r->described.name[LAB_RECORD_NAME - 1] = '\0';
    lab_confined_free(&how);
    if (!good)
        return fail(r, LAB_CHECK_CRASHED, "it says nothing when it is loaded");
    if (r->described.kind != LAB_RECORD_STEP ||
        r->described.values[0] != (int64_t)r->family->problem_bytes ||
        strcmp(r->described.name, r->family->options->name) != 0)
        return fail(r, LAB_CHECK_BUILD_ERROR,
                    "it solves another problem than the exercise: the last "
                    "line, LAB_EXPORT(...), must be the exercise's");
    return true;
}

/* What a launch function may ask of the device. Clock rates are left out: a grid that follows from
 * them is another one on each machine. */
static void read_device(struct lab_recording *r)
{
    int device = 0;
    cudaGetDevice(&device);
    cudaGetDeviceProperties(&r->head.properties, device);
    for (int i = 0; i < LAB_RECORD_ATTRIBUTES; i++) {
        int *const value = &r->head.attributes[i];
        if (i == cudaDevAttrClockRate || i == cudaDevAttrMemoryClockRate ||
            cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)i, device) != cudaSuccess)
            *value = LAB_RECORD_NO_ATTRIBUTE;
    }
    cudaGetLastError(); /* of attributes that there are not */
    r->head.kernel_count = (uint32_t)r->kernels.count;
}

void lab_recording_register(struct lab_recording *r)
{
    lab_kernels_register(&r->object, &r->kernels);
    for (int i = 0; i < r->kernels.count; i++) {
        struct lab_record_kernel *const kernel = &r->kernels.list[i];
        kernel->has_facts = cudaFuncGetAttributes(&kernel->facts, kernel) == cudaSuccess;
    }
    cudaGetLastError(); /* of a kernel that cannot run, which its launch tells */
}

bool lab_recording_open(struct lab_recording *r, const char *object,
                        const struct lab_family *family, const struct lab_recording_terms *terms)
{
    char why[400];
    bool unsupported = false;
    *r = (struct lab_recording){.terms = *terms, .family = family};
    lab_build_path(r->recorder, "recorder");
    snprintf(r->shared_object, sizeof r->shared_object, "%.4000s.so", object);
    bool good =
        lab_object_open(&r->object, object, why, sizeof why) || fail(r, LAB_CHECK_BUILD_ERROR, why);
    good = good && (lab_kernels_read(&r->object, &r->kernels, &unsupported, why, sizeof why) ||
                    fail(r, unsupported ? LAB_CHECK_UNSUPPORTED : LAB_CHECK_BUILD_ERROR, why));
    read_device(r);
    good = good && describe(r);
    /* a fault before any launch is a fault of the file */
    if (r->fault.status == LAB_CHECK_LAUNCH_ERROR)
        r->fault.status = LAB_CHECK_BUILD_ERROR;
    return good;
}

bool lab_recording_fault(struct lab_recording *r, struct lab_check *check)
{
    if (r->fault.status == LAB_CHECK_OK)
        return false;
    *check = r->fault;
    r->fault = (struct lab_check){.status = LAB_CHECK_OK};
    return true;
}
