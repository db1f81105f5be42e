/* Reads a request from standard input, loads the submission, asks it, and answers on descriptor 3.
 * The submission is not trusted, so filters of system calls are set before it is loaded. If the
 * system has no filters, `probe` reaches its end, and only the other protection is left. */
#include "grade/recorded_launches/recorder/recorder.h"
#include "step.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static char *read_all(size_t *size)
{
    size_t room = 1 << 16, length = 0;
    char *bytes = malloc(room);
    ssize_t got;
    while (bytes && (got = read(STDIN_FILENO, bytes + length, room - length)) > 0) {
        length += (size_t)got;
        if (length == room)
            bytes = realloc(bytes, room *= 2);
    }
    *size = length;
    return bytes;
}

static struct recorder_request read_request(void)
{
    struct recorder_request request = {.problem = NULL};
    size_t size, kernels;
    char *bytes = read_all(&size);
    if (!bytes || size < sizeof request.head)
        _exit(70);
    memcpy(&request.head, bytes, sizeof request.head);
    kernels = sizeof request.head + request.head.problem_bytes;
    if (size != kernels + request.head.kernel_count * sizeof *request.kernels)
        _exit(70);
    request.problem = bytes + sizeof request.head;
    request.kernels = (const struct lab_record_kernel *)(const void *)(bytes + kernels);
    return request;
}

/* Loads the libraries that a compiler links to a shared object, before the filter is in force. */
static void load_libraries(void)
{
    static const char *const names[] = {"libstdc++.so.6", "libgcc_s.so.1", "libm.so.6"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
}

static const struct lab_step *load(const char *path)
{
    load_libraries();
    bool filtered = recorder_filter_system_calls(path);
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object)
        recorder_fault("it cannot be loaded");
    if (filtered && !recorder_opens_nothing())
        _exit(70);
    const struct lab_step *step = dlsym(object, LAB_STEP_SYMBOL);
    if (!step)
        recorder_fault("it exports no variant: the last line must be LAB_EXPORT(...), as in the "
                       "exercise that was given");
    if (step->abi != LAB_ABI || step->variant_count < 1 || !step->family || !step->variants ||
        !step->variants[step->variant_count - 1].launch)
        recorder_fault("its last line, LAB_EXPORT(...), is not as common/step.h asks");
    return step;
}

/* The last variant counts, as in the steps. */
static void describe(const struct lab_step *step)
{
    const struct lab_variant *variant = &step->variants[step->variant_count - 1];
    struct lab_record_answer answer = {
        .kind = LAB_RECORD_STEP,
        .values = {(int64_t)step->problem_bytes, step->variant_count, variant->workspace != NULL}};
    snprintf(answer.name, sizeof answer.name, "%s", step->family);
    recorder_answer(&answer, NULL);
}

/* What a struct's padding holds comes from here. It is passed to kernels, so calls would differ. */
static __attribute__((noinline)) void clear_stack(void)
{
    volatile char below[256 << 10];
    memset((char *)below, 0, sizeof below);
    __asm__ volatile("" ::"r"(below) : "memory");
}

static void answer_question(const struct recorder_request *request, const struct lab_step *step)
{
    const struct lab_variant *variant = &step->variants[step->variant_count - 1];
    struct lab_record_answer answer = {.kind = LAB_RECORD_BYTES};
    if (request->head.question == LAB_RECORD_DESCRIBE) {
        describe(step);
        return;
    }
    if (request->head.problem_bytes != step->problem_bytes)
        _exit(70);
    if (request->head.question == LAB_RECORD_WORKSPACE) {
        recorder_begin(request); /* the function may ask for the device's attributes */
        answer.values[0] = variant->workspace ? (int64_t)variant->workspace(request->problem) : 0;
        recorder_answer(&answer, NULL);
        return;
    }
    answer.kind = LAB_RECORD_END;
    for (int call = 0; call < LAB_RECORD_CALLS; call++) {
        recorder_begin(request);
        clear_stack();
        answer.values[0] =
            variant->launch(request->problem, (cudaStream_t)(uintptr_t)LAB_RECORD_STREAM);
        recorder_answer(&answer, NULL);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 64;
    prctl(PR_SET_DUMPABLE, 0);
    if (strcmp(argv[1], "probe") == 0)
        return recorder_filter_system_calls("/dev/null") ? kill(getpid(), 0) : 0;
    struct recorder_request request = read_request();
    answer_question(&request, load(argv[1]));
    _exit(0); /* without functions that the submission may have registered to run at exit */
}
