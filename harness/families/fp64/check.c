/* Checks of the FP64 families: guard zones, inputs, every element of the output that counts, and
 * that the others are still what they were. */
#include "families/fp64/fp64.h"

#include "families/change.h"
#include "families/guards.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* `before` is what the output held before the launch. The library's product alone is without the
 * old values that the problem adds. */
static void look_at_piece(const struct lab_problem *p, struct findings *found, size_t first,
                          const double *got, const double *before, size_t count)
{
    const struct fp64_matrix *matrix = &p->matrix[p->output];
    bool is_product = p->row <= LAB_ALSO_ROW;
    for (size_t i = 0; i < count; i++) {
        if (!fp64_is_foreign(matrix, first + i)) {
            double expected = p->expected[first + i] - (is_product ? before[i] : 0.0);
            look_at(found, first + i, expected, got[i], p->tolerance);
        } else if (!found->is_changed && memcmp(&got[i], &before[i], sizeof *got) != 0) {
            found->is_changed = true;
            found->changed = first + i;
        }
    }
}

static const char *advice(const struct lab_problem *p, const struct findings *found)
{
    if (found->unwritten == found->wrong)
        return "does the grid cover the whole triangle, and does every thread reach its store?";
    if (found->nans)
        return "NaN comes in by reading below the diagonal, output that nobody wrote, past a "
               "matrix, or shared memory that nobody wrote";
    if (found->wrong < fp64_count(p, p->output) / 4)
        return "some elements only: look at the last tiles, the diagonal, and for a missing "
               "__syncthreads()";
    return "look at the indices, at where each sum begins and ends, and at rows changed too early";
}

static void give_verdict(const struct lab_problem *p, const struct findings *found,
                         struct lab_check *check)
{
    const struct fp64_matrix *matrix = &p->matrix[p->output];
    size_t row = found->first / matrix->columns, column = found->first % matrix->columns;
    check->tolerance = p->tolerance;
    check->max_error = found->nans ? (double)NAN : found->max_error;
    check->status = LAB_CHECK_OK;
    if (found->is_changed) {
        check->status = LAB_CHECK_OUT_OF_BOUNDS;
        snprintf(check->message, sizeof check->message,
                 "%s[%zu][%zu] was written: it lies below the diagonal and must stay as it is",
                 matrix->name, found->changed / matrix->columns, found->changed % matrix->columns);
    } else if (found->wrong && found->unwritten == found->wrong) {
        check->status = LAB_CHECK_UNWRITTEN;
        snprintf(check->message, sizeof check->message,
                 "%s[%zu][%zu] was never written, %zu elements in all; %s", matrix->name, row,
                 column, found->wrong, advice(p, found));
    } else if (found->wrong) {
        check->status = found->nans ? LAB_CHECK_NAN : LAB_CHECK_WRONG;
        snprintf(check->message, sizeof check->message,
                 "%s[%zu][%zu]: expected %.15g, got %.15g; %zu elements wrong, tolerance %.2g; %s",
                 matrix->name, row, column, found->expected, found->got, found->wrong, p->tolerance,
                 advice(p, found));
    }
}

cudaError_t fp64_check_output(struct lab_problem *p, struct lab_check *check)
{
    enum { PIECE = FP64_STAGING / 2 };
    struct findings found = {0};
    const double *output = p->elsewhere ? p->elsewhere : p->buffers.matrix[p->output].data;
    size_t count = fp64_count(p, p->output);
    double *got = p->staging, *before = p->staging + PIECE;
    bool wants_before = p->matrix[p->output].is_upper || p->row <= LAB_ALSO_ROW;
    for (size_t first = 0; first < count; first += PIECE) {
        size_t piece = count - first < PIECE ? count - first : PIECE;
        cudaError_t status =
            cudaMemcpy(got, output + first, piece * sizeof(double), cudaMemcpyDeviceToHost);
        if (status != cudaSuccess)
            return status;
        if (wants_before)
            fp64_fill(p, p->output, before, first, piece);
        look_at_piece(p, &found, first, got, before, piece);
    }
    give_verdict(p, &found, check);
    return cudaSuccess;
}

static void fill(const struct lab_problem *p, int which, void *values, size_t first, size_t count)
{
    fp64_fill(p, which, values, first, count);
}

static cudaError_t check_input(struct lab_problem *p, int which, const struct lab_buffer *buffer,
                               struct lab_check *check)
{
    const size_t columns = p->matrix[which].columns;
    const struct lab_input input = {buffer, sizeof(double), fill, which, p->staging, FP64_STAGING};
    struct lab_change change;
    cudaError_t status = lab_find_change(p, &input, &change);
    if (status != cudaSuccess || !change.now)
        return status;
    const double *before = change.before, *now = change.now;
    check->status = LAB_CHECK_INPUT_MODIFIED;
    snprintf(check->message, sizeof check->message,
             "the kernel changed its input: %s[%zu][%zu] was %.15g, is %.15g", buffer->name,
             change.element / columns, change.element % columns, *before, *now);
    return cudaSuccess;
}

cudaError_t fp64_check_all(struct lab_problem *p, struct lab_check *check)
{
    const struct lab_buffer *matrix = p->buffers.matrix;
    cudaError_t status = lab_check_guards(&p->workspace, "the last rows and columns", check);
    for (int i = 0; i < FP64_MATRICES && status == cudaSuccess && check->status == LAB_CHECK_OK;
         i++)
        status = lab_check_guards(&matrix[i], "the last rows and columns", check);
    for (int i = 0; i < p->output && status == cudaSuccess && check->status == LAB_CHECK_OK; i++)
        status = check_input(p, i, &matrix[i], check);
    if (status == cudaSuccess && check->status == LAB_CHECK_OK)
        status = fp64_check_output(p, check);
    return status;
}
