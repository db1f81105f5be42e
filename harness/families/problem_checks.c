/* What a launch left behind: guard zones; inputs, which are made again and compared bit by bit;
 * then the output, which the family checks. If a variant promises the same bits in every launch,
 * its first output is kept, and later outputs are compared with it. */
#include "base/array.h"
#include "families/problem.h"
#include "families/runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Says how far outside its buffer a kernel wrote, by the guard bytes that changed. */
static cudaError_t check_guards(const struct lab_problem *p, const struct lab_buffer *buffer,
                                struct lab_check *check)
{
    bool intact = true;
    ptrdiff_t offset = 0;
    if (!buffer->base || check->status != LAB_CHECK_OK)
        return cudaSuccess;
    cudaError_t status = lab_buffer_check_guards(buffer, &intact, &offset);
    if (status == cudaSuccess && !intact) {
        const ptrdiff_t past = offset < 0 ? -offset : offset - (ptrdiff_t)buffer->bytes;
        check->status = LAB_CHECK_OUT_OF_BOUNDS;
        snprintf(check->message, sizeof check->message,
                 "written outside %s, %td bytes %s its %s; look at %s", buffer->name, past,
                 offset < 0 ? "before" : "past", offset < 0 ? "start" : "end", p->family->look_at);
    }
    return status;
}

static cudaError_t check_input(const struct lab_problem *p, int which, struct lab_check *check)
{
    const struct lab_array *array = &p->arrays[which];
    char name[96], was[32], is[32];
    size_t at = 0;
    struct lab_run run = {.problem = p, .which = which, .data = p->buffers[which].data};
    while (check->status == LAB_CHECK_OK && lab_run_next(&run)) {
        if (!lab_run_is_changed(&run, &at))
            continue;
        const size_t place = (at - run.first) * lab_element_bytes(array->element);
        check->status = LAB_CHECK_INPUT_MODIFIED;
        snprintf(check->message, sizeof check->message,
                 "the kernel changed its input: %s was %s, is %s",
                 lab_element_name(array, at, name),
                 lab_element_text(array->element, lab_run_before(&run) + place, false, was),
                 lab_element_text(array->element, run.got + place, false, is));
    }
    return run.status;
}

/* --- the first result of a variant ----------------------------------------------------------*/

/* Variants that promise the same bits have a copy of their first outputs on the host, in a list. */
bool lab_problem_promises_the_same(const struct lab_problem *p)
{
    return p->step && (p->variant & LAB_DETERMINISTIC_FORM ||
                       lab_variant_of(p->step, p->variant)->flags & LAB_REPEATABLE);
}

static cudaError_t keep(struct lab_problem *p)
{
    struct lab_first_result *first = calloc(1, sizeof *first);
    cudaError_t status = cudaSuccess;
    if (!first)
        return cudaSuccess;
    *first =
        (struct lab_first_result){.step = p->step, .variant = p->variant, .next = p->first_results};
    p->first_results = first;
    for (int i = 0; i < p->array_count && status == cudaSuccess; i++) {
        const size_t bytes = lab_array_bytes(&p->arrays[i]);
        if (p->arrays[i].role == LAB_ROLE_OUTPUT && bytes &&
            (first->outputs[i] = malloc(bytes)) != NULL)
            status =
                cudaMemcpy(first->outputs[i], p->buffers[i].data, bytes, cudaMemcpyDeviceToHost);
    }
    return status;
}

static cudaError_t compare_array(struct lab_problem *p, int which, const char *first,
                                 struct lab_check *check)
{
    const struct lab_array *array = &p->arrays[which];
    const size_t each = lab_element_bytes(array->element);
    char name[96], then[32], now[32];
    struct lab_run run = {.problem = p, .which = which, .data = p->buffers[which].data};
    while (check->status == LAB_CHECK_OK && lab_run_next(&run)) {
        const char *before = first + run.first * each;
        const size_t i = lab_run_difference(&run, before);
        if (i == run.count)
            continue;
        check->status = LAB_CHECK_WRONG;
        snprintf(check->message, sizeof check->message,
                 "%s is %s in one launch and %s in the next: a deterministic variant sums in one "
                 "order, without atomics, neither in a sum nor for who sums up what",
                 lab_element_name(array, run.first + i, name),
                 lab_element_text(array->element, before + i * each, true, then),
                 lab_element_text(array->element, run.got + i * each, true, now));
    }
    return run.status;
}

static cudaError_t compare_with_first(struct lab_problem *p, struct lab_check *check)
{
    const struct lab_first_result *first = p->first_results;
    cudaError_t status = cudaSuccess;
    while (first && (first->step != p->step || first->variant != p->variant))
        first = first->next;
    if (!first)
        return keep(p);
    for (int i = 0; i < p->array_count && status == cudaSuccess && check->status == LAB_CHECK_OK;
         i++)
        if (first->outputs[i])
            status = compare_array(p, i, first->outputs[i], check);
    return status;
}

/* --- all of it ---------------------------------------------------------------------------------*/

cudaError_t lab_problem_check_output(struct lab_problem *p, struct lab_check *check)
{
    cudaError_t status = p->family->check_output(p, check);
    if (status == cudaSuccess && check->status == LAB_CHECK_OK && lab_problem_promises_the_same(p))
        status = compare_with_first(p, check);
    p->is_right = status == cudaSuccess && check->status == LAB_CHECK_OK;
    return status;
}

static cudaError_t check_left_behind(struct lab_problem *p, struct lab_check *check)
{
    cudaError_t status = cudaSuccess;
    for (int i = 0; i < p->array_count && status == cudaSuccess; i++)
        if (p->arrays[i].role == LAB_ROLE_OUTPUT)
            status = check_guards(p, &p->buffers[i], check);
    for (int i = 0; i < p->array_count && status == cudaSuccess; i++)
        if (p->arrays[i].role != LAB_ROLE_OUTPUT)
            status = check_guards(p, &p->buffers[i], check);
    for (int i = 0; i < p->array_count && status == cudaSuccess && check->status == LAB_CHECK_OK;
         i++)
        if (p->arrays[i].role == LAB_ROLE_INPUT && p->arrays[i].count)
            status = check_input(p, i, check);
    if (status == cudaSuccess && check->status == LAB_CHECK_OK)
        status = lab_problem_check_output(p, check);
    return status;
}

cudaError_t lab_problem_check_all(struct lab_problem *p, struct lab_check *check)
{
    cudaError_t status = check_left_behind(p, check);
    if (status == cudaSuccess && check->status == LAB_CHECK_OK && p->family->check_more)
        status = p->family->check_more(p, check);
    return status;
}

void lab_check_put_around(struct lab_check *check, const char *before, const char *behind)
{
    char found[sizeof check->message];
    memcpy(found, check->message, sizeof found);
    snprintf(check->message, sizeof check->message, "%s%s%s", before, found, behind);
    if (check->advice_at)
        check->advice_at += strlen(before);
}

void lab_check_note_second(struct lab_check *check)
{
    if (check->is_of_replay)
        lab_check_put_around(
            check, "the variant's graph was right once, launched again it is not: ",
            "; a graph has the arguments that the launch function passed when it was captured: "
            "what does the launch function count or swap from one call to the next?");
    else
        lab_check_put_around(check, "the first launch was right, the second is not: ",
                             "; what do the kernels or their launch function keep from one launch "
                             "to the next?");
}

void lab_check_note_other(const struct lab_problem *other, struct lab_check *check)
{
    char before[200];
    snprintf(before, sizeof before,
             "right in two launches, and wrong in a third %s%swith other values of the inputs: ",
             other->varied ? other->varied : "", other->varied ? " and " : "");
    lab_check_put_around(
        check, before,
        check->certainty == LAB_CAUSE_PROVED ? ""
        : other->varied
            ? "; else something of an earlier launch was used once more: is all that a launch "
              "needs cleared and computed anew?"
            : "; either the first values are right by chance, as with few elements, or "
              "something of an earlier launch was used once more: is all that a launch needs "
              "cleared and computed anew, and nothing kept that follows from the values?");
}

void lab_check_note_order(struct lab_check *check)
{
    lab_check_put_around(check,
                         "the result depends on the order in which the blocks and their warps "
                         "come, which nothing fixes: right with the first block first, but with "
                         "the last one first ",
                         "");
}

/* Says how the output differs, as for any launch. Its status is wrong even for NaN and unwritten
 * elements, since the first launch was right. */
cudaError_t lab_problem_check_second(struct lab_problem *p, struct lab_check *check)
{
    struct lab_check second = {.status = LAB_CHECK_OK, .is_of_replay = check->is_of_replay};
    cudaError_t status = check_left_behind(p, &second);
    if (status != cudaSuccess || second.status == LAB_CHECK_OK)
        return status;
    const double error = check->max_error;
    *check = second;
    check->max_error = second.max_error > error ? second.max_error : error;
    struct lab_check of_output = {.status = LAB_CHECK_OK};
    if (lab_problem_promises_the_same(p))
        status = p->family->check_output(p, &of_output);
    if (status != cudaSuccess ||
        (lab_problem_promises_the_same(p) && of_output.status == LAB_CHECK_OK))
        return status; /* right again, in other bits: the message says so */
    if (second.status == LAB_CHECK_NAN || second.status == LAB_CHECK_UNWRITTEN)
        check->status = LAB_CHECK_WRONG;
    const bool is_told = p->varied || (p->is_other && check->certainty == LAB_CAUSE_PROVED);
    if (check->advice_at && !is_told) /* advice for a kernel whose first launch is wrong */
        check->message[check->advice_at] = '\0';
    check->is_of_second = true;
    return status;
}
