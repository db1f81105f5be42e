/* A recorder that need not run: whoever asks it is given bytes that were made up. */
#include "tests/fuzz/pretended.h"

#include "grade/recorded_launches/object.h"
#include "grade/recorded_launches/protocol.h"
#include "grade/sandbox/sandbox.h"
#include "sim/lab_sim.h"

#include <stdlib.h>
#include <string.h>

/* What is left to be said; of the process. */
static struct {
    const uint8_t *at;
    size_t size;
} words;

static int list_arrays(const void *argument, struct lab_array list[LAB_MAX_ARRAYS])
{
    (void)argument;
    list[0] =
        LAB_ARRAY(struct pretended_problem, in, .name = "A", .role = LAB_ROLE_INPUT, .count = 4);
    list[1] =
        LAB_ARRAY(struct pretended_problem, out, .name = "C", .role = LAB_ROLE_OUTPUT, .count = 4);
    return 2;
}

static const struct lab_family_options pretended_options = {.name = "gemm"};
const struct lab_family pretended_family = {.options = &pretended_options,
                                            .problem_bytes = sizeof(struct pretended_problem),
                                            .arrays = list_arrays};

void pretended_recorder_says(const uint8_t *data, size_t size)
{
    words.at = data;
    words.size = size;
}

/* One answer for each of the first two questions, all that is left for the third. */
void lab_confine_run(const struct lab_confine *what, struct lab_confined *how)
{
    struct lab_record_request request;
    memcpy(&request, what->input, sizeof request);
    size_t size =
        request.question == LAB_RECORD_LAUNCH || words.size < sizeof(struct lab_record_answer)
            ? words.size
            : sizeof(struct lab_record_answer);
    size = size < what->result_bytes ? size : what->result_bytes;
    *how = (struct lab_confined){.started = true, .result_size = size};
    how->output = calloc(1, 1);
    how->result = malloc(size + 1);
    if (!how->output || !how->result)
        abort();
    memcpy(how->result, words.at, size);
    how->result[size] = '\0';
    words.at += size;
    words.size -= size;
}

void lab_confined_free(struct lab_confined *how)
{
    free(how->output);
    free(how->result);
    *how = (struct lab_confined){.status = -1};
}

void lab_confine_bind(struct lab_confine *what, const char *path, bool writable)
{
    (void)what, (void)path, (void)writable;
}

bool lab_object_open(struct lab_object *object, const char *path, char *why, size_t size)
{
    (void)path, (void)why, (void)size;
    *object = (struct lab_object){.bytes = NULL};
    return true;
}

int lab_sim_entries(const void *fatbin, size_t available, int arch, struct lab_sim_entry **list,
                    char *error, size_t error_size)
{
    static const size_t sizes[] = {8, 8, 4};
    (void)fatbin, (void)available, (void)arch, (void)error, (void)error_size;
    *list = calloc(2, sizeof **list);
    if (!*list)
        abort();
    (*list)[0] = (struct lab_sim_entry){"one", 3, sizes};
    (*list)[1] = (struct lab_sim_entry){"two", 0, sizes};
    return 2;
}
