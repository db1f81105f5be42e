/* A recorder's answers: to what it exports, to its scratch memory, and its launches, which are
 * made. */
#include "tests/fuzz/fuzz.h"

#include "grade/recorded_launches/recording.h"
#include "tests/fuzz/pretended.h"

#include <stdlib.h>

void fuzz_answers(const uint8_t *data, size_t size)
{
    static struct lab_recording r; /* large */
    const struct lab_recording_terms terms = {.seconds = 1.0};
    struct pretended_problem problem = {NULL, NULL};
    struct lab_confined how;
    struct lab_record_answer answer;
    struct lab_check check;
    pretended_recorder_says(data, size);
    if (lab_recording_open(&r, "object", &pretended_family, &terms)) {
        if (lab_recording_has_workspace(&r))
            lab_recording_workspace(&r, &problem);
        size_t at = 0, end = lab_recording_launches(&r, &problem, &how);
        while (at < end && lab_recording_next(&r, &how, &at, &answer))
            lab_launch_recorded(&r.kernels, &answer, how.result + at - answer.bytes, NULL);
        lab_confined_free(&how);
    }
    lab_recording_fault(&r, &check);
    free(r.kernels.list);
}
