/* What a wrong kernel multiplies. If A's column l is 1 and the rest of A is 0, a sum has the
 * elements of B that meet column l. B's elements are numbers that tell their place, so the sum
 * tells which elements these are. In the same way a row of B tells which elements of A meet it. */
#include "families/products.h"

#include "base/simulator.h"
#include "base/array.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers begin at the first, so that a float distinguishes sums of up to four numbers. MOST_WORK
 * is a number of products. */
enum {
    FIRST_NUMBER = 1 << 22,
    MOST_PLACES = 1 << 19,
    MOST_K = 512,
    MOST_WORK = 1 << 28,
    MOST_MS = 10000
};

static cudaError_t upload(const struct lab_problem *p, int which, const void *values)
{
    return cudaMemcpy(p->buffers[which].data, values, lab_array_bytes(&p->arrays[which]),
                      cudaMemcpyHostToDevice);
}

/* `more`: what all numbers are larger by than those that tell places. */
static cudaError_t put_numbers(const struct lab_problem *p, int which, size_t more)
{
    const struct lab_array *array = &p->arrays[which];
    for (size_t i = 0; i < array->count; i++)
        lab_element_set(array->element, p->staging, i, (double)(FIRST_NUMBER + i + more));
    return upload(p, which, p->staging);
}

/* Sets column l of A, or row l of B, to 1. */
static cudaError_t put_ones(const struct lab_problem *p, const struct lab_products *s, int which,
                            size_t l)
{
    const size_t lines = (size_t)(which == s->a ? s->m : s->n);
    memset(p->staging, 0, lab_array_bytes(&p->arrays[which]));
    for (size_t i = 0; i < lines; i++)
        lab_element_set(p->arrays[which].element, p->staging, lab_meeting_place(s, which, i, i, l),
                        1.0);
    return upload(p, which, p->staging);
}

/* `belongs`: the place of the right element. */
static int met_in(const struct lab_array *array, double sum, size_t belongs)
{
    const double number = sum - FIRST_NUMBER;
    const double times = sum / ((double)FIRST_NUMBER + (double)belongs);
    if (sum == 0.0)
        return LAB_MET_NOTHING;
    if (number >= 0.0 && number < (double)array->count)
        return (int)number;
    if (times > 1.5 && times < LAB_MET_MOST && fabs(times - rint(times)) < 1e-5)
        return LAB_MET_TIMES - (int)rint(times);
    const double most = floor(sum / FIRST_NUMBER);
    const double least = ceil(sum / ((double)FIRST_NUMBER + (double)array->count));
    return most > 1.0 && most < LAB_MET_MOST && least == most ? LAB_MET_SUM - (int)most
                                                              : LAB_MET_UNKNOWN;
}

static cudaError_t launch(struct lab_problem *p)
{
    cudaError_t status = lab_problem_reset(p);
    if (status == cudaSuccess)
        status = lab_problem_launch(p);
    if (status == cudaSuccess)
        status = cudaDeviceSynchronize();
    return status == cudaSuccess ? cudaGetLastError() : status;
}

static cudaError_t note(const struct lab_problem *p, const struct lab_products *s, size_t l,
                        struct lab_meeting *meeting)
{
    const struct lab_array *const c = &p->arrays[s->c], *const told = &p->arrays[meeting->which];
    const size_t m = (size_t)s->m, n = (size_t)s->n, k = (size_t)s->k;
    const cudaError_t status =
        cudaMemcpy(p->staging, p->buffers[s->c].data, lab_array_bytes(c), cudaMemcpyDeviceToHost);
    for (size_t e = 0; e < m * n && status == cudaSuccess; e++) {
        const size_t i = e / n, j = e % n;
        const char *const at = (const char *)p->staging +
                               s->place(s->argument, s->c, i, j) * lab_element_bytes(c->element);
        const double sum = lab_element_value(c->element, at);
        meeting->met[e * k + l] = met_in(told, sum, lab_meeting_place(s, meeting->which, i, j, l));
        meeting->sums[e * k + l] = (float)(sum - FIRST_NUMBER);
    }
    return status;
}

static cudaError_t find(struct lab_problem *p, const struct lab_products *s,
                        struct lab_meeting *meeting)
{
    const int other = meeting->which == s->a ? s->b : s->a;
    cudaError_t status = put_numbers(p, meeting->which, 0);
    for (size_t l = 0; l < (size_t)s->k && status == cudaSuccess; l++) {
        status = put_ones(p, s, other, l);
        if (status == cudaSuccess)
            status = launch(p);
        if (status == cudaSuccess)
            status = note(p, s, l, meeting);
    }
    return status;
}

/* Whether C's place holds bit for bit what it held before the launch: nobody has stored it, then.
 * Of an output that held nothing it is the poison. */
static bool is_as_before(const struct lab_problem *p, const struct lab_array *c, int which,
                         size_t at, const void *stored)
{
    double before[1];
    if (c->blank)
        return lab_element_is_poison(c->element, stored);
    lab_problem_fill(p, which, before, at, 1);
    return memcmp(before, stored, lab_element_bytes(c->element)) == 0;
}

/* What C holds after a launch with B all zeros. */
struct rest {
    bool is_there;    /* what the kernel stored is not 0, and smaller than any product */
    bool is_unstored; /* the element that is shown was not stored, nor was it blank */
    bool is_of_a;     /* that element is the sum of A's row, or minus that */
};

/* Whether C is not 0 although B is: with what sums begin, and what else is added, would be taken
 * for products. What is as large as products are is A's, in the place of B. What C held before is
 * no sum. */
static cudaError_t find_rest(struct lab_problem *p, const struct lab_products *s,
                             const struct lab_check *check, struct rest *found)
{
    const struct lab_array *const b = &p->arrays[s->b], *const c = &p->arrays[s->c];
    bool is_small = true;
    double row = 0.0;
    for (size_t l = 0; l < (size_t)s->k; l++)
        row += (double)FIRST_NUMBER + (double)s->place(s->argument, s->a, check->row, l);
    cudaError_t status = put_numbers(p, s->a, 0);
    memset(p->staging, 0, lab_array_bytes(b));
    if (status == cudaSuccess)
        status = upload(p, s->b, p->staging);
    if (status == cudaSuccess)
        status = launch(p);
    if (status == cudaSuccess)
        status = cudaMemcpy(p->staging, p->buffers[s->c].data, lab_array_bytes(c),
                            cudaMemcpyDeviceToHost);
    for (size_t e = 0; e < (size_t)s->m * s->n && status == cudaSuccess; e++) {
        const size_t i = e / (size_t)s->n, j = e % (size_t)s->n;
        const size_t at = s->place(s->argument, s->c, i, j);
        const char *const stored = (const char *)p->staging + at * lab_element_bytes(c->element);
        const double rest = lab_element_value(c->element, stored);
        const bool is_old = rest != 0.0 && is_as_before(p, c, s->c, at, stored);
        const bool is_shown = i == check->row && j == check->column;
        found->is_unstored |= is_shown && is_old && !c->blank;
        found->is_of_a |= is_shown && s->k > 1 && fabs(fabs(rest) - row) <= 1e-5 * row;
        found->is_there = found->is_there || (isfinite(rest) && rest != 0.0 && !is_old);
        is_small = is_small && (is_old || !(fabs(rest) >= FIRST_NUMBER));
    }
    found->is_there = found->is_there && is_small;
    return status;
}

/* Whether all places that were found are those of numbers with few bits. */
static bool have_few_bits(const struct lab_products *s, const struct lab_meeting *meeting)
{
    enum { FEW = 1 << 11 }; /* between numbers that TF32 holds, or a type narrower than that */
    const size_t count = (size_t)s->m * (size_t)s->n * (size_t)s->k;
    size_t places = 0;
    for (size_t e = 0; e < count; e++) {
        if (meeting->met[e] >= 0 && meeting->met[e] % FEW != 0)
            return false;
        places += meeting->met[e] >= 0;
    }
    return places > 0;
}

/* A kernel that always reads the first element looks like one that rounds what it reads. Numbers
 * that are larger by 1 tell: a rounded one comes back as before, and no place is known. */
static cudaError_t find_change(struct lab_problem *p, const struct lab_products *s,
                               struct lab_meeting *meeting)
{
    const struct lab_array *const c = &p->arrays[s->c];
    const size_t n = (size_t)s->n, k = (size_t)s->k, count = (size_t)s->m * n * k;
    size_t e = 0;
    if (!have_few_bits(s, meeting))
        return cudaSuccess;
    while (e + 1 < count && meeting->met[e] < 0)
        e++;
    cudaError_t status = put_numbers(p, meeting->which, 1);
    if (status == cudaSuccess)
        status = put_ones(p, s, meeting->which == s->a ? s->b : s->a, e % k);
    if (status == cudaSuccess)
        status = launch(p);
    if (status == cudaSuccess)
        status = cudaMemcpy(p->staging, p->buffers[s->c].data, lab_array_bytes(c),
                            cudaMemcpyDeviceToHost);
    const size_t at = s->place(s->argument, s->c, e / k / n, e / k % n);
    const double sum = lab_element_value(c->element, (const char *)p->staging +
                                                         at * lab_element_bytes(c->element));
    meeting->is_changed = status == cudaSuccess && sum != FIRST_NUMBER + meeting->met[e] + 1.0;
    return status;
}

/* Places that come of changed numbers are no places. */
static void forget_places(const struct lab_products *s, struct lab_meeting *meeting)
{
    const size_t count = (size_t)s->m * (size_t)s->n * (size_t)s->k;
    for (size_t e = 0; e < count && meeting->is_changed; e++)
        if (meeting->met[e] >= 0)
            meeting->met[e] = LAB_MET_CHANGED;
}

static bool is_small(const struct lab_problem *p, const struct lab_products *s)
{
    const double k = s->k, work = (double)s->m * s->n * k * k;
    bool fits = s->k <= MOST_K && work <= MOST_WORK;
    const int all[] = {s->a, s->b, s->c};
    for (int i = 0; i < 3; i++)
        fits = fits && p->arrays[all[i]].count < MOST_PLACES;
    return fits;
}

/* Whether each number that was met is the right one, rounded: of a kernel that multiplies in a type
 * of `bits` bits. */
static bool is_rounded_to(const struct lab_products *s, const struct lab_meeting *meeting,
                          unsigned bits)
{
    const long step = FIRST_NUMBER >> (bits - 1);
    const size_t m = (size_t)s->m, n = (size_t)s->n, k = (size_t)s->k;
    bool is_off = false;
    for (size_t e = 0; e < m * n * k; e++) {
        const long met = meeting->met[e];
        const long belongs =
            (long)lab_meeting_place(s, meeting->which, e / k / n, e / k % n, e % k);
        if (met < 0 || met % step != 0 || labs(met - belongs) > step / 2)
            return false;
        is_off = is_off || met != belongs;
    }
    return is_off;
}

static bool is_rounded(const struct lab_products *s, const struct lab_meeting *meeting)
{
    enum { OF_TF32 = 11, OF_BFLOAT16 = 8 }; /* those of a half are as many as of TF32 */
    return meeting->is_changed &&
           (is_rounded_to(s, meeting, OF_TF32) || is_rounded_to(s, meeting, OF_BFLOAT16));
}

/* Whether what TF32 leaves out of each number came in `times` times; with `half` 0 it is cut off,
 * else rounded. */
static bool has_rest_of(const struct lab_products *s, const struct lab_meeting *meeting, long times,
                        long half)
{
    const long step = FIRST_NUMBER >> 10; /* TF32 has 11 bits */
    const size_t m = (size_t)s->m, n = (size_t)s->n, k = (size_t)s->k;
    bool is_off = false;
    for (size_t e = 0; e < m * n * k; e++) {
        const long belongs =
            (long)lab_meeting_place(s, meeting->which, e / k / n, e / k % n, e % k);
        const long rest = belongs - (belongs + half) / step * step;
        const float most = (float)(labs(times * rest) >> 10); /* TF32 rounds the rest, too */
        if (!(fabsf(meeting->sums[e] - (float)(belongs + (times - 1) * rest)) <= most))
            return false;
        is_off = is_off || rest != 0;
    }
    return is_off;
}

static bool has_rest(const struct lab_products *s, const struct lab_meeting *meeting, long times)
{
    const long half = FIRST_NUMBER >> 11; /* that itself may be rounded up or down */
    return has_rest_of(s, meeting, times, 0) || has_rest_of(s, meeting, times, half) ||
           has_rest_of(s, meeting, times, half - 1);
}

/* Says how operands that are multiplied in parts are put together wrongly; false: they are not. */
static bool say_parts(const struct lab_products *s, const struct lab_problem *p,
                      const struct lab_meeting *met, struct lab_check *check)
{
    const bool is_twice = has_rest(s, met, 2), is_subtracted = has_rest(s, met, -1);
    if (!is_twice && !is_subtracted && !is_rounded(s, met))
        return false;
    char *const guess = strstr(check->message, "; errors of at most ");
    if (guess) /* which this explains */
        *guess = '\0';
    const size_t length = strlen(check->message);
    snprintf(check->message + length, sizeof check->message - length,
             is_twice ? "; of numbers of 23 bits that it was given for %s, what TF32 leaves out "
                        "came in twice: is the small part of each multiplied twice?"
             : is_subtracted
                 ? "; of numbers of 23 bits that it was given for %s, what TF32 leaves out was "
                   "subtracted: the small part has the wrong sign"
                 : "; numbers of 23 bits that it was given for %s came back rounded to fewer bits: "
                   "products in TF32, bfloat16 or half leave out the rest of each operand, which "
                   "has to be multiplied, too, and is to be that operand's own",
             p->arrays[met->which].name);
    return true;
}

cudaError_t lab_products_ask(struct lab_problem *p, const struct lab_products *s,
                             const struct lab_launched *launched, struct lab_check *check)
{
    const struct lab_simulator *const simulator = lab_simulator();
    const size_t count = (size_t)s->m * (size_t)s->n * (size_t)s->k;
    if (!is_small(p, s) || 2.0 * s->k * launched->ms > MOST_MS) {
        const size_t length = strlen(check->message);
        if (!lab_problem_scratch(p)) /* of a small one nothing is divided */
            snprintf(
                check->message + length, sizeof check->message - length,
                "; of a small problem, such as -m 33 -n 65 -k 17, it is said what is multiplied");
        return cudaSuccess;
    }
    struct lab_meeting a = {.which = s->a,
                            .met = malloc(count * sizeof *a.met),
                            .sums = malloc(count * sizeof *a.sums)};
    struct lab_meeting b = {.which = s->b,
                            .met = malloc(count * sizeof *b.met),
                            .sums = malloc(count * sizeof *b.sums)};
    const int checked = simulator ? simulator->set_checks(0) : 0;
    struct rest rest = {false, false, false};
    cudaError_t status = a.met && b.met && a.sums && b.sums ? find_rest(p, s, check, &rest)
                                                            : cudaErrorMemoryAllocation;
    const bool is_asked = !rest.is_there && !rest.is_unstored && !rest.is_of_a;
    if (status == cudaSuccess && is_asked)
        status = find(p, s, &a);
    if (status == cudaSuccess && is_asked)
        status = find_change(p, s, &a);
    if (status == cudaSuccess && is_asked)
        status = find(p, s, &b);
    if (status == cudaSuccess && is_asked)
        status = find_change(p, s, &b);
    if (status == cudaSuccess && !is_asked) {
        char element[96], is_old[160], is_sum[200];
        if ((rest.is_unstored || rest.is_of_a) && check->certainty < LAB_CAUSE_SEEN &&
            check->advice_at > 0)
            check->message[check->advice_at] = '\0'; /* this explains more */
        const size_t length = strlen(check->message);
        snprintf(is_old, sizeof is_old,
                 "launched again, %s keeps what it held before: no thread has stored it",
                 lab_element_name(&p->arrays[s->c],
                                  s->place(s->argument, s->c, check->row, check->column), element));
        snprintf(
            is_sum, sizeof is_sum,
            "launched with %s all zeros, %s is the sum of a row of %s: are elements of the two "
            "added, or subtracted, where they are to be multiplied?",
            p->arrays[s->b].name, element, p->arrays[s->a].name);
        snprintf(
            check->message + length, sizeof check->message - length,
            rest.is_unstored || rest.is_of_a
                ? "; %s"
                : "; launched with %s all zeros, not all of %s is 0: does each sum begin at 0?",
            rest.is_unstored ? is_old
            : rest.is_of_a   ? is_sum
                             : p->arrays[s->b].name,
            p->arrays[s->c].name);
    } else if (status == cudaSuccess && (check->is_imprecise || !s->may_round) &&
               (say_parts(s, p, &a, check) || say_parts(s, p, &b, check))) {
        ;
    } else if (status == cudaSuccess && !check->is_imprecise) { /* else numbers are rounded, too */
        forget_places(s, &a);
        forget_places(s, &b);
        lab_meeting_say(s, &a, &b, launched->has_tile, check);
    }
    if (simulator)
        simulator->set_checks(checked);
    free(a.met);
    free(a.sums);
    free(b.met);
    free(b.sums);
    cudaGetLastError(); /* errors that these inputs cause are not reported */
    status = lab_problem_refill(p, s->a);
    return status == cudaSuccess ? lab_problem_refill(p, s->b) : status;
}
