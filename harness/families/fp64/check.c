/* Data and check of matrices of doubles or floats: compares every element of the output that
 * counts, and checks that the others are unchanged. */
#include "families/fp64/fp64.h"

#include "families/reference.h"
#include "families/runs.h"
#include "families/values.h"
#include "base/simulator.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool fp64_wants_floats(const struct lab_options *options, const struct lab_family_options *family)
{
    const struct lab_values_options *const own = lab_own_options(options, family);
    return own->type == LAB_VALUES_F32;
}

/* LAB_TRMM_FLOATS or LAB_SYR2K_FLOATS. */
static bool takes_floats(const struct lab_step *step, int variant)
{
    return (lab_variant_of(step, variant)->flags & LAB_OWN_FLAG) != 0;
}

bool fp64_variant_fits(const struct lab_options *options, const struct lab_step *step, int variant)
{
    const struct lab_family *const family = lab_family_find(step->family);
    return takes_floats(step, variant) == fp64_wants_floats(options, family->options);
}

void fp64_variant_options(const struct lab_step *step, int variant, char *text, size_t size)
{
    snprintf(text, size, "%s", takes_floats(step, variant) ? "--type f32" : "");
}

/* Makes doubles of `count` elements, where they stand. */
static void widen(enum lab_element element, double *values, size_t count)
{
    const size_t each = lab_element_bytes(element);
    for (size_t i = element == LAB_ELEMENT_F64 ? 0 : count; i-- > 0;)
        values[i] = lab_element_value(element, (const char *)values + i * each);
}

double fp64_input(const struct lab_problem *p, int which, size_t index)
{
    double value;
    lab_values_fill(p, which, &value, index, 1);
    widen(p->arrays[which].element, &value, 1);
    return value;
}

double *fp64_copy_inputs(const struct lab_problem *p)
{
    const size_t of_a = p->arrays[0].count, of_b = p->arrays[1].count;
    double *const a = malloc((of_a + of_b) * sizeof *a);
    if (a) {
        lab_values_fill(p, 0, a, 0, of_a);
        lab_values_fill(p, 1, a + of_a, 0, of_b);
        widen(p->arrays[0].element, a, of_a);
        widen(p->arrays[1].element, a + of_a, of_b);
    }
    return a;
}

void fp64_end(struct lab_problem *p)
{
    free(fp64_of(p)->expected);
}

int fp64_make_reference(struct lab_problem *p, int output, double products,
                        const struct fp64_sums *sums)
{
    struct fp64_state *state = p->state;
    const struct lab_array *const array = &p->arrays[output];
    const bool is_float = array->element == LAB_ELEMENT_F32;
    state->expected = malloc(array->count * sizeof *state->expected);
    if (!state->expected)
        return lab_complain(LAB_EXIT_USAGE,
                            "no memory on the host for %zu elements of %s; give smaller sizes",
                            array->count, array->name);
    if (products <= FP64_FEW_PRODUCTS)
        return sums->sum_all(p) ? LAB_EXIT_OK : lab_complain(LAB_EXIT_MISSING, "out of memory");
    const struct lab_reference reference = {.library = sums->library,
                                            .sums = "compensated",
                                            .hint =
                                                is_float ? " (is NVIDIA_TF32_OVERRIDE set?)" : "",
                                            .output = output,
                                            .expected = state->expected,
                                            .tolerance = state->tolerance,
                                            .exact = sums->sum_one};
    int status = lab_reference_take(p, &reference);
    if (status == LAB_EXIT_OK)
        status = lab_reference_verify(p, &reference);
    widen(array->element, state->expected, array->count);
    return status;
}

/* --- what a launch gave ------------------------------------------------------------------------*/

/* What is wrong in elements that count, and in elements that must not be written. */
struct output {
    struct lab_comparison comparison;
    size_t changes, changed; /* elements that must not change and did; the first */
    size_t mirrored;         /* changes to what belongs in the mirrored place */
};

static void note_changes(const struct fp64_state *state, struct output *found, struct lab_run *run)
{
    const enum lab_element element = found->comparison.element;
    const size_t each = lab_element_bytes(element), columns = found->comparison.columns;
    const char *const before = lab_run_before(run);
    for (size_t i = 0; i < run->count; i++) {
        const size_t mirror = (run->column + i) * columns + run->row;
        const char *const got = run->got + i * each;
        if (memcmp(got, before + i * each, each) == 0)
            continue;
        if (found->changes++ == 0)
            found->changed = run->first + i;
        found->mirrored +=
            fabs(lab_element_value(element, got) - state->expected[mirror]) <= state->tolerance;
    }
}

/* Compares a product alone with what is expected less what the output held before the launch. What
 * is expected of floats is rounded to floats, in the place of what was there before. */
static void compare_run(const struct fp64_state *state, bool is_product, struct output *found,
                        struct lab_run *run)
{
    const enum lab_element element = found->comparison.element;
    const double *expected = state->expected + run->first;
    char *const own = is_product || element == LAB_ELEMENT_F32 ? lab_run_before(run) : NULL;
    for (size_t i = 0; own && i < run->count; i++) {
        const double before =
            is_product ? lab_element_value(element, own + i * lab_element_bytes(element)) : 0.0;
        lab_element_set(element, own, i, expected[i] - before);
    }
    found->comparison.at = run->first;
    lab_compare(&found->comparison, own ? (const void *)own : expected, run->got, run->count);
}

/* For hypotheses. */
struct result {
    const struct lab_problem *p;
    const struct lab_array *array;
    const void *at; /* on the device */
    fp64_explain_fn *explain;
};

/* Copies the whole output to the host once more, so that `explain` sees all of it. */
static bool are_explained(struct lab_evidence *e, char *text, size_t size)
{
    enum { MOST = 1 << 22 };
    const struct result *result = e->advice->family;
    const size_t count = result->array->count, bytes = lab_array_bytes(result->array);
    double *const got = result->explain && count <= MOST ? malloc(count * sizeof *got) : NULL;
    bool is_said = got && cudaMemcpy(got, result->at, bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
    if (is_said) {
        widen(result->array->element, got, count);
        is_said = result->explain(result->p, got, &e->mismatches->first, text, size);
    }
    free(got);
    return is_said;
}

static const struct lab_hypothesis hypotheses[] = {
    {"mistakes in sums", are_explained, LAB_CAUSE_PROVED, LAB_PLACE_SHORT, false},
    {.name = NULL},
};

/* Factors are at least 1/2, so products are at least 1/4, and syr2k halves them. */
static const double LEAST_TERM = 1.0 / 8.0;

static struct lab_advice advice_of(const struct lab_problem *p, const struct lab_array *array)
{
    const bool is_triangle = array->region != LAB_REGION_ALL;
    return (struct lab_advice){
        .of_unwritten = is_triangle ? "does the grid cover the whole triangle, and does every "
                                      "thread reach its store?"
                                    : "does the grid cover the whole matrix, and does every "
                                      "thread reach its store?",
        .of_nans = is_triangle ? "NaN comes in by reading output that nobody wrote, past a matrix, "
                                 "or shared memory that nobody wrote"
                               : "NaN comes in by reading below the diagonal, past a matrix, or "
                                 "shared memory that nobody wrote",
        .nans_are_of_memory = true,
        .of_special = LAB_VALUES_OF_SPECIAL,
        .of_most = is_triangle
                       ? "look at the indices, and at where each sum begins and ends"
                       : "look at the indices, at where each sum begins and ends, and at rows "
                         "changed too early",
        .term = lab_values_scaled(p, LEAST_TERM),
        .hypotheses = hypotheses};
}

/* Says which store wrote what must not be written, and whether row and column are exchanged. */
static void say_changed(const struct lab_array *array, const char *result,
                        const struct output *found, char *text, size_t size)
{
    const struct lab_mismatches *f = &found->comparison.mismatches;
    const size_t row = found->changed / array->row, column = found->changed % array->row;
    const bool is_all = found->mirrored == found->changes;
    char stored[400];
    size_t length = (size_t)snprintf(
        text, size, "%s[%zu][%zu] was written: it lies below the diagonal and must stay as it is",
        array->name, row, column);
    if (is_all && f->unwritten == found->changes && f->pattern.wrong == f->unwritten)
        length += (size_t)snprintf(
            text + length, size - length,
            "; it holds what belongs in %s[%zu][%zu], which nobody has written: are row and column "
            "exchanged in %s's index?",
            array->name, column, row, array->name);
    else if (is_all && f->pattern.wrong == 0)
        length += (size_t)snprintf(
            text + length, size - length,
            "; it holds what %s[%zu][%zu] does, and all on and above the diagonal are right: does "
            "the store's condition compare row and column?",
            array->name, column, row);
    if (lab_simulator() && length < size &&
        lab_simulator()->writer(result + found->changed * lab_element_bytes(array->element), stored,
                                sizeof stored))
        snprintf(text + length, size - length, "; %s", stored);
}

cudaError_t fp64_check(struct lab_problem *p, int which, const void *at, bool is_product,
                       fp64_explain_fn *explain, struct lab_check *check)
{
    const struct lab_array *array = &p->arrays[which];
    const struct fp64_state *state = p->state;
    struct result result = {p, array, at, is_product ? NULL : explain};
    struct lab_advice advice = advice_of(p, array);
    struct output found = {.comparison = {.rows = array->count / array->row,
                                          .columns = array->row,
                                          .element = array->element,
                                          .tolerance = state->tolerance}};
    struct lab_comparison *const c = &found.comparison;
    struct lab_run run = {.problem = p, .which = which, .data = at};
    advice.family = &result;
    while (lab_run_next(&run))
        if (run.counts)
            compare_run(state, is_product, &found, &run);
        else
            note_changes(state, &found, &run);
    if (run.status == cudaSuccess && found.changes) {
        check->status = LAB_CHECK_OUT_OF_BOUNDS;
        check->tolerance = c->tolerance;
        check->max_error =
            c->mismatches.unwritten + c->mismatches.nans ? (double)NAN : c->max_error;
        say_changed(array, at, &found, check->message, sizeof check->message);
    } else if (run.status == cudaSuccess) {
        lab_compare_verdict(c, array->name, &advice, check);
    }
    lab_comparison_end(c);
    return run.status;
}
