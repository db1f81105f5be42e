/* Launches by proxy: the recorder says which, this process makes them. */
#include "grade/launch_list/recorded_step.h"

#include "grade/launch_list/recording.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

/* The submission of this process: a launch function is given nothing that could lead to it. The
 * last problem and its launches are kept: they follow from the problem alone. */
static struct {
    struct lab_recording recording;
    struct lab_step step;
    struct lab_step_row row;
    void *problem;
    struct lab_confined how;
    size_t end; /* of its launches, 0 for none */
} submission;

static size_t proxy_workspace(const void *problem)
{
    return lab_recording_workspace(&submission.recording, problem);
}

static void ask_launches(struct lab_recording *r, const void *problem)
{
    const size_t bytes = r->family->problem_bytes;
    if (submission.end && memcmp(submission.problem, problem, bytes) == 0)
        return;
    lab_confined_free(&submission.how);
    submission.problem = submission.problem ? submission.problem : malloc(bytes);
    submission.end = lab_recording_launches(r, problem, &submission.how);
    if (submission.problem)
        memcpy(submission.problem, problem, bytes);
    else
        submission.end = 0;
}

static cudaError_t proxy_launch(const void *problem, cudaStream_t stream)
{
    struct lab_recording *r = &submission.recording;
    struct lab_record_answer answer;
    size_t at = 0;
    ask_launches(r, problem);
    cudaError_t status = submission.end ? cudaSuccess : cudaErrorUnknown;
    while (status == cudaSuccess && at < submission.end &&
           lab_recording_next(r, &submission.how, &at, &answer))
        status = lab_launch_recorded(&r->kernels, &answer,
                                     submission.how.result + at - answer.bytes, stream);
    return status;
}

const struct lab_step *lab_recorded_step_open(const char *object, const struct lab_family *family,
                                              const struct lab_recording_terms *terms,
                                              struct lab_check *check)
{
    struct lab_recording *r = &submission.recording;
    bool good = lab_recording_open(r, object, family, terms);
    submission.row =
        (struct lab_step_row){.name = "submission",
                              .launch = proxy_launch,
                              .workspace = lab_recording_has_workspace(r) ? proxy_workspace : NULL};
    submission.step = (struct lab_step){LAB_ABI, family->options->name, family->problem_bytes, 1,
                                        &submission.row};
    if (good) {
        lab_kernels_register(&r->object, &r->kernels);
        return &submission.step;
    }
    lab_recording_fault(r, check);
    return NULL;
}

bool lab_recorded_step_fault(struct lab_check *check)
{
    return lab_recording_fault(&submission.recording, check);
}
