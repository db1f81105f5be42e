/* Launches by proxy: the recorder says which launches to make, this process makes them. */
#include "grade/recorded_launches/recording.h"

#include <cuda_runtime_api.h>

/* The submission of this process, global because a launch function's arguments do not name it. */
static struct {
    struct lab_recording recording;
    struct lab_step step;
    struct lab_variant variant;
} submission;

static size_t proxy_workspace(const void *problem)
{
    return lab_recording_workspace(&submission.recording, problem);
}

static cudaError_t proxy_launch(const void *problem, cudaStream_t stream)
{
    struct lab_recording *r = &submission.recording;
    struct lab_confined how;
    struct lab_record_answer answer;
    size_t at = 0, end = lab_recording_launches(r, problem, &how);
    cudaError_t status = end ? cudaSuccess : cudaErrorUnknown;
    while (status == cudaSuccess && at < end && lab_recording_next(r, &how, &at, &answer))
        status = lab_launch_recorded(&r->kernels, &answer, how.result + at - answer.bytes, stream);
    lab_confined_free(&how);
    return status;
}

const struct lab_step *lab_recorded_step_open(const char *object, const struct lab_family *family,
                                              const struct lab_recording_terms *terms,
                                              struct lab_check *check)
{
    struct lab_recording *r = &submission.recording;
    bool good = lab_recording_open(r, object, family, terms);
    submission.variant =
        (struct lab_variant){.name = "submission",
                             .launch = proxy_launch,
                             .workspace = lab_recording_has_workspace(r) ? proxy_workspace : NULL};
    submission.step = (struct lab_step){LAB_ABI, family->options->name, family->problem_bytes, 1,
                                        &submission.variant};
    if (good) {
        lab_recording_register(r);
        return &submission.step;
    }
    lab_recording_fault(r, check);
    return NULL;
}

bool lab_recorded_step_fault(struct lab_check *check)
{
    return lab_recording_fault(&submission.recording, check);
}
