/* Launches by proxy: the recorder says which, this process makes them. */
#include "command/replay.h"

#include "command/recording.h"

#include <cuda_runtime_api.h>

/* The submission of this process: a launch function is given nothing that could lead to it. */
static struct {
    struct lab_recording recording;
    struct lab_step step;
    struct lab_step_row row;
} replay;

static size_t proxy_workspace(const void *problem)
{
    return lab_recording_workspace(&replay.recording, problem);
}

static cudaError_t proxy_launch(const void *problem, cudaStream_t stream)
{
    struct lab_recording *r = &replay.recording;
    struct lab_confined how;
    struct lab_wire_answer answer;
    size_t at = 0, end = lab_recording_launches(r, problem, &how);
    cudaError_t status = end ? cudaSuccess : cudaErrorUnknown;
    while (status == cudaSuccess && at < end && lab_recording_next(r, &how, &at, &answer))
        status = lab_obey(&r->kernels, &answer, how.result + at - answer.bytes, stream);
    lab_confined_free(&how);
    return status;
}

const struct lab_step *lab_replay_open(const char *object, const struct lab_family *family,
                                       const struct lab_plan *plan, struct lab_check *check)
{
    struct lab_recording *r = &replay.recording;
    bool good = lab_recording_open(r, object, family, plan);
    replay.row =
        (struct lab_step_row){.name = "submission",
                              .launch = proxy_launch,
                              .workspace = lab_recording_has_workspace(r) ? proxy_workspace : NULL};
    replay.step = (struct lab_step){LAB_ABI, family->name, family->problem_bytes, 1, &replay.row};
    if (good) {
        lab_kernels_register(&r->object, &r->kernels);
        return &replay.step;
    }
    lab_recording_fault(r, check);
    return NULL;
}

bool lab_replay_fault(struct lab_check *check)
{
    return lab_recording_fault(&replay.recording, check);
}
