/* Data and check of matrices of doubles: every element of the output that counts, and that the
 * others are still what they were. */
#include "families/fp64/fp64.h"

#include "families/inputs.h"
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

struct findings {
    size_t wrong, nans, unwritten, first;
    double expected, got; /* there */
    double max_error;
    bool is_changed; /* an element that must not be written */
    size_t changed;
};

static bool is_poison(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits == UINT64_MAX;
}

static void look_at(struct findings *found, size_t index, double expected, double got,
                    double tolerance)
{
    double error = fabs(got - expected);
    if (error > found->max_error)
        found->max_error = error;
    if (error <= tolerance)
        return;
    if (found->wrong++ == 0) {
        found->first = index;
        found->expected = expected;
        found->got = got;
    }
    found->nans += isnan(got) != 0;
    found->unwritten += is_poison(got);
}

/* `before` is what the output held before the launch. */
static void look_at_piece(const struct lab_array *array, const struct fp64_state *state,
                          struct findings *found, size_t first, const double *got,
                          const double *before, bool is_product, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!lab_array_excludes(array, first + i)) {
            double expected = state->expected[first + i] - (is_product ? before[i] : 0.0);
            look_at(found, first + i, expected, got[i], state->tolerance);
        } else if (!found->is_changed && memcmp(&got[i], &before[i], sizeof *got) != 0) {
            found->is_changed = true;
            found->changed = first + i;
        }
    }
}

static const char *advice(const struct lab_array *array, const struct findings *found)
{
    if (found->unwritten == found->wrong)
        return "does the grid cover the whole triangle, and does every thread reach its store?";
    if (found->nans)
        return "NaN comes in by reading below the diagonal, output that nobody wrote, past a "
               "matrix, or shared memory that nobody wrote";
    if (found->wrong < array->count / 4)
        return "some elements only: look at the last tiles, the diagonal, and for a missing "
               "__syncthreads()";
    return "look at the indices, at where each sum begins and ends, and at rows changed too early";
}

static void give_verdict(const struct lab_array *array, double tolerance,
                         const struct findings *found, struct lab_check *check)
{
    size_t row = found->first / array->row, column = found->first % array->row;
    check->tolerance = tolerance;
    check->max_error = found->nans ? (double)NAN : found->max_error;
    check->status = LAB_CHECK_OK;
    if (found->is_changed) {
        check->status = LAB_CHECK_OUT_OF_BOUNDS;
        snprintf(check->message, sizeof check->message,
                 "%s[%zu][%zu] was written: it lies below the diagonal and must stay as it is",
                 array->name, found->changed / array->row, found->changed % array->row);
    } else if (found->wrong && found->unwritten == found->wrong) {
        check->status = LAB_CHECK_UNWRITTEN;
        snprintf(check->message, sizeof check->message,
                 "%s[%zu][%zu] was never written, %zu elements in all; %s", array->name, row,
                 column, found->wrong, advice(array, found));
    } else if (found->wrong) {
        check->status = found->nans ? LAB_CHECK_NAN : LAB_CHECK_WRONG;
        snprintf(check->message, sizeof check->message,
                 "%s[%zu][%zu]: expected %.15g, got %.15g; %zu elements wrong, tolerance %.2g; %s",
                 array->name, row, column, found->expected, found->got, found->wrong, tolerance,
                 advice(array, found));
    }
}

cudaError_t fp64_check(struct lab_problem *p, int output, const double *result, bool is_product,
                       struct lab_check *check)
{
    enum { PIECE = LAB_STAGING_BYTES / 2 / sizeof(double) };
    const struct lab_array *array = &p->arrays[output];
    const struct fp64_state *state = p->state;
    struct findings found = {0};
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
    give_verdict(array, state->tolerance, &found, check);
    return cudaSuccess;
}
