/* A timer's side of the conversation: everything that the grader hears from it is made up. */
#include "tests/fuzz/fuzz.h"

#include "base/time.h"
#include "grade/timer/timer.h"
#include "measure/checking.h"
#include "tests/fuzz/pretended.h"

#include <stdlib.h>
#include <string.h>

enum { CALLS = 3 };

/* What is left to be said; of the process. */
static struct {
    const uint8_t *at;
    size_t size;
} words;

bool lab_conversation_start(const struct lab_confine *what, struct lab_conversation *conversation)
{
    (void)what;
    *conversation = (struct lab_conversation){.to = -1, .from = -1};
    return true;
}

/* Reads all that is sent, so that a checker sees where it ends. */
bool lab_conversation_send(struct lab_conversation *conversation, const void *bytes, size_t size,
                           double seconds)
{
    char *copy = malloc(size + 1);
    (void)conversation, (void)seconds;
    if (!copy)
        abort();
    memcpy(copy, bytes, size);
    free(copy);
    return true;
}

bool lab_conversation_receive(struct lab_conversation *conversation, void *bytes, size_t size,
                              double seconds)
{
    (void)conversation, (void)seconds;
    if (size > words.size)
        return false;
    memcpy(bytes, words.at, size);
    words.at += size;
    words.size -= size;
    return true;
}

void lab_conversation_end(struct lab_conversation *conversation)
{
    *conversation = (struct lab_conversation){.to = -1, .from = -1};
}

double lab_clock_seconds(void)
{
    return 0.0;
}

void lab_timer_describe(const char *object, bool is_sim, bool isolate, uint64_t poison,
                        struct lab_timer_texts *texts, struct lab_confine *what)
{
    (void)object, (void)is_sim, (void)isolate, (void)poison, (void)texts;
    *what = (struct lab_confine){.words = {"timer"}};
}

enum lab_check_status lab_check_of_error(cudaError_t error)
{
    return error == cudaErrorIllegalAddress ? LAB_CHECK_OUT_OF_BOUNDS : LAB_CHECK_LAUNCH_ERROR;
}

/* One launch of a kernel without parameters, in each of three calls. */
static void say_launches(void)
{
    static struct lab_record_answer answers[1 + 2 * LAB_RECORD_CALLS];
    answers[0] = (struct lab_record_answer){
        .kind = LAB_RECORD_STEP, .values = {sizeof(struct pretended_problem), 1}, .name = "gemm"};
    for (int i = 0; i < LAB_RECORD_CALLS; i++) {
        answers[1 + 2 * i] = (struct lab_record_answer){
            .kind = LAB_RECORD_KERNEL, .values = {1, 1, 1, 32, 1, 1}, .name = "two"};
        answers[2 + 2 * i] = (struct lab_record_answer){.kind = LAB_RECORD_END};
    }
    pretended_recorder_says((const uint8_t *)answers, sizeof answers);
}

void fuzz_timer(const uint8_t *data, size_t size)
{
    static struct lab_recording recording; /* large */
    static struct lab_timer_client client;
    const struct lab_recording_terms how = {.seconds = 1.0};
    const struct lab_timer_terms terms = {.is_sim = true, .seconds = 1.0, .call_seconds = 1.0};
    float in[4] = {1.0f}, out[4] = {0.0f};
    const struct pretended_problem problem = {in, out};
    words.at = data;
    words.size = size;
    say_launches();
    if (!lab_recording_open(&recording, "object", &pretended_family, &how))
        abort();
    if (lab_timer_client_open(&client, &recording, "object", &terms))
        for (int i = 0; i < CALLS && lab_timer_client_call(&client, &problem); i++)
            ;
    lab_timer_client_close(&client);
    free(recording.kernels.list);
}
