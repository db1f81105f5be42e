/* Data and check of matrices of doubles: every element of the output that counts, and that the
 * others are still what they were. */
#include "families/fp64/fp64.h"

#include "families/findings.h"
#include "families/inputs.h"
#include "families/moved.h"
#include "base/simulator.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int fp64_make_room(struct lab_problem *p, int output)
{
    struct fp64_state *state = p->state;
    state->expected = malloc(lab_array_bytes(&p->arrays[output]));
    return state->expected ? LAB_EXIT_OK
                           : lab_complain(LAB_EXIT_USAGE,
                                          "no memory on the host for %zu elements of %s; give "
                                          "smaller sizes",
                                          p->arrays[output].count, p->arrays[output].name);
}

void fp64_fill(const struct lab_problem *p, int which, void *values, size_t first, size_t count)
{
    lab_inputs_fill_doubles(values, first, count, lab_inputs_seed(p->options->problem.seed, which));
}

void fp64_end(struct lab_problem *p)
{
    free(fp64_of(p)->expected);
}

cudaError_t fp64_expect_output(struct lab_problem *p, int output, cudaError_t launched)
{
    const struct lab_buffer *buffer = &p->buffers[output];
    cudaError_t status = launched;
    if (status == cudaSuccess)
        status = cudaStreamSynchronize(p->stream);
    if (status == cudaSuccess)
        status =
            cudaMemcpy(fp64_of(p)->expected, buffer->data, buffer->bytes, cudaMemcpyDeviceToHost);
    return status;
}

/* --- what a launch gave ------------------------------------------------------------------------*/

/* Elements that count, and one that must not be written. */
struct output {
    struct lab_findings findings;
    size_t counted;
    double max_error;
    size_t changes, changed; /* of those that must not; the first */
    size_t mirrored;         /* changes to what belongs on the other side of the diagonal */
};

static bool is_poison(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits == UINT64_MAX;
}

static void look_at(const struct lab_array *array, struct output *found, size_t index,
                    double expected, double got, double tolerance)
{
    const struct lab_finding finding = {index / array->row, index % array->row, expected, got};
    double error = fabs(got - expected);
    if (array->count <= LAB_MOVED_MOST)
        lab_moved_keep(index, expected, got);
    found->counted++;
    if (error > found->max_error)
        found->max_error = error;
    if (error <= tolerance)
        return;
    lab_findings_note(&found->findings, finding, fabs(expected), is_poison(got));
}

static void note_change(const struct lab_array *array, const struct fp64_state *state,
                        struct output *found, size_t index, double got)
{
    const size_t mirror = index % array->row * array->row + index / array->row;
    if (found->changes++ == 0)
        found->changed = index;
    found->mirrored += fabs(got - state->expected[mirror]) <= state->tolerance;
}

/* `before` is what the output held before the launch. */
static void look_at_piece(const struct lab_array *array, const struct fp64_state *state,
                          struct output *found, size_t first, const double *got,
                          const double *before, bool is_product, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!lab_array_excludes(array, first + i)) {
            double expected = state->expected[first + i] - (is_product ? before[i] : 0.0);
            look_at(array, found, first + i, expected, got[i], state->tolerance);
        } else if (memcmp(&got[i], &before[i], sizeof *got) != 0) {
            note_change(array, state, found, first + i, got[i]);
        }
    }
}

/* Products of values of at least a half; the diagonal of syr2k halves them. */
static const double LEAST_TERM = 1.0 / 8.0;

static struct lab_advice advice_of(const struct lab_array *array)
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
        .of_most = is_triangle
                       ? "look at the indices, and at where each sum begins and ends"
                       : "look at the indices, at where each sum begins and ends, and at rows "
                         "changed too early",
        .term = LEAST_TERM};
}

/* All of it comes to the host once more. */
static bool explains(const struct lab_problem *p, const struct lab_array *array,
                     const double *result, fp64_explain_fn *explain, const struct output *found,
                     char *text, size_t size)
{
    enum { MOST = 1 << 22 };
    const struct lab_findings *f = &found->findings;
    if (f->unwritten + f->nans > 0 || f->pattern.wrong == 0 || array->count > MOST)
        return false;
    double *const got = malloc(lab_array_bytes(array));
    const bool is_said =
        got &&
        cudaMemcpy(got, result, lab_array_bytes(array), cudaMemcpyDeviceToHost) == cudaSuccess &&
        explain(p, got, &f->first, text, size);
    free(got);
    return is_said;
}

/* What must not be written was: by which store, and whether its place is the other side's. */
static void say_changed(const struct lab_array *array, const double *result,
                        const struct output *found, char *text, size_t size)
{
    const struct lab_findings *f = &found->findings;
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
        lab_simulator()->writer(result + found->changed, stored, sizeof stored))
        snprintf(text + length, size - length, "; %s", stored);
}

static void give_verdict(const struct lab_array *array, const double *result, double tolerance,
                         const struct output *found, const char *cause, struct lab_check *check)
{
    const struct lab_findings *f = &found->findings;
    const struct lab_finding *shown = lab_findings_shown(f);
    struct lab_advice advice = advice_of(array);
    char moved[400];
    check->tolerance = tolerance;
    check->max_error = f->unwritten + f->nans ? (double)NAN : found->max_error;
    check->status = LAB_CHECK_OK;
    if (found->changes) {
        check->status = LAB_CHECK_OUT_OF_BOUNDS;
        say_changed(array, result, found, check->message, sizeof check->message);
        return;
    }
    if (f->pattern.wrong == 0)
        return;
    if (f->unwritten)
        snprintf(check->message, sizeof check->message,
                 "%s[%zu][%zu] was never written, %zu of %zu elements in all", array->name,
                 shown->row, shown->column, f->unwritten, found->counted);
    else
        snprintf(check->message, sizeof check->message,
                 "%s[%zu][%zu]: expected %.15g, got %.15g; %zu of %zu elements wrong, tolerance "
                 "%.2g",
                 array->name, shown->row, shown->column, shown->expected, shown->got,
                 f->pattern.wrong, found->counted, tolerance);
    if (lab_moved_say(array->name, array->count / array->row, array->row, found->counted, tolerance,
                      NULL, NULL, moved, sizeof moved))
        advice.of_moved = moved;
    advice.cause = cause;
    advice.is_seen = cause != NULL;
    lab_findings_conclude(f, found->counted, &advice, check);
}

cudaError_t fp64_check(struct lab_problem *p, int output, const double *result, bool is_product,
                       fp64_explain_fn *explain, struct lab_check *check)
{
    enum { PIECE = LAB_STAGING_BYTES / 2 / sizeof(double) };
    const struct lab_array *array = &p->arrays[output];
    const struct fp64_state *state = p->state;
    struct output found = {
        .findings.pattern = {.rows = array->count / array->row, .columns = array->row}};
    double *got = p->staging, *before = got + PIECE;
    for (size_t first = 0; first < array->count; first += PIECE) {
        size_t piece = array->count - first < PIECE ? array->count - first : PIECE;
        cudaError_t status =
            cudaMemcpy(got, result + first, piece * sizeof(double), cudaMemcpyDeviceToHost);
        if (status != cudaSuccess)
            return status;
        if (array->region != LAB_REGION_ALL || is_product)
            lab_problem_fill(p, output, before, first, piece);
        look_at_piece(array, state, &found, first, got, before, is_product, piece);
    }
    char cause[500];
    const bool is_said =
        !is_product && explains(p, array, result, explain, &found, cause, sizeof cause);
    give_verdict(array, result, state->tolerance, &found, is_said ? cause : NULL, check);
    return cudaSuccess;
}
