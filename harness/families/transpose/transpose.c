/* Family transpose: b[j][i] = a[i][j], compared exactly: the warm-up on tiles in shared memory,
 * step 00b and exercise 00b. An element's expected value is read from its place in A, of which the
 * host keeps a copy. */
#include "families/transpose.h"
#include "diagnose/hypothesis.h"
#include "families/runs.h"
#include "families/values.h"

#include "options/family.h"
#include "base/status.h"

#include <stdlib.h>

extern const struct lab_family_options lab_transpose_options;

enum { A, B };

/* What the family keeps of a problem. */
struct transpose {
    float *a; /* (m, n), on the host */
};

static int begin(struct lab_problem *p, const struct lab_options *options, int size)
{
    struct lab_transpose *t = p->argument;
    t->m = lab_size_of(options, p->family->options, 'm', size);
    t->n = lab_size_of(options, p->family->options, 'n', size);
    return LAB_EXIT_OK;
}

static void end(struct lab_problem *p)
{
    free(((struct transpose *)p->state)->a);
}

static int arrays(const void *argument, struct lab_array *list)
{
    const struct lab_transpose *t = argument;
    const size_t m = (size_t)t->m, n = (size_t)t->n;
    list[A] = LAB_ARRAY(struct lab_transpose, a, .name = "A", .role = LAB_ROLE_INPUT,
                        .count = m * n, .row = n);
    list[B] = LAB_ARRAY(struct lab_transpose, b, .name = "B", .role = LAB_ROLE_OUTPUT,
                        .count = m * n, .row = m, .blank = true);
    list[2] = LAB_ARRAY(struct lab_transpose, workspace, .role = LAB_ROLE_SCRATCH);
    return 3;
}

static int make_reference(struct lab_problem *p)
{
    struct transpose *state = p->state;
    const size_t count = p->arrays[A].count;
    state->a = malloc(count * sizeof *state->a);
    if (!state->a)
        return lab_complain(LAB_EXIT_USAGE,
                            "no memory on the host for %zu elements; give smaller "
                            "-m -n",
                            count);
    lab_values_fill_moved(p, A, state->a, 0, count);
    return LAB_EXIT_OK;
}

static void facts(const struct lab_problem *p, struct lab_problem_facts *facts)
{
    const struct lab_transpose *t = p->argument;
    /* each element is read and written once */
    *facts = (struct lab_problem_facts){
        .sizes = {{"m", t->m}, {"n", t->n}}, .size_count = 2, .bytes = 8.0 * t->m * t->n};
}

static void expect(const struct lab_problem *p, float *expected, size_t first, size_t count)
{
    const float *a = ((const struct transpose *)p->state)->a;
    const size_t m = p->arrays[B].row, n = p->arrays[A].row;
    for (size_t i = 0; i < count; i++)
        expected[i] = a[(first + i) % m * n + (first + i) / m];
}

/* Where a kernel may look for A[i][j], which lies at i * n + j. */
static size_t place_read(int way, size_t i, size_t j, size_t m, size_t n)
{
    return way == 0 ? i * m + j : way == 1 ? j * n + i : j * m + i;
}

static bool is_same(double one, double other)
{
    return one == other || (one != one && other != other);
}

/* Each element that is there is of another place of A: rows are taken to be of another length, or
 * row and column are exchanged. */
static bool is_read_elsewhere(struct lab_evidence *e, char *text, size_t size)
{
    static const char *const names[] = {"row * m + col", "col * n + row", "col * m + row"};
    const struct lab_problem *const p = e->advice->family;
    const float *const a = ((const struct transpose *)p->state)->a;
    const struct lab_compared *const v = e->values;
    for (int way = 0; v && way < (int)(sizeof names / sizeof *names); way++) {
        size_t same = 0, index = 0;
        for (; index < v->rows * v->columns; index++) {
            const size_t at =
                place_read(way, index % v->columns, index / v->columns, v->columns, v->rows);
            if (at >= v->rows * v->columns || !is_same(v->got[index], a[at]))
                break;
            same += is_same(v->got[index], v->expected[index]);
        }
        if (index < v->rows * v->columns || same == index)
            continue;
        snprintf(text, size,
                 "each of these is what lies at %s in A: element (row, col) of A, (m, n), lies at "
                 "row * n + col",
                 names[way]);
        return true;
    }
    return false;
}

static const struct lab_hypothesis hypotheses[] = {
    {"read elsewhere", is_read_elsewhere, LAB_CAUSE_PROVED, LAB_PLACE_UNSAID, false},
    {.name = NULL},
};

/* What moves bits is right for every value. */
static const char *vary(struct lab_options *options)
{
    return lab_values_vary(options, &lab_transpose_options);
}

static cudaError_t check_output(struct lab_problem *p, struct lab_check *check)
{
    const struct lab_advice advice = {
        .of_unwritten = "does the grid cover the whole matrix, and does every thread reach its "
                        "store?",
        .of_nans = "NaN comes in by reading past the matrix, or shared memory that nobody wrote",
        .nans_are_of_memory = true,
        .of_special = "a NaN or an infinity must be moved as it is: fminf() and fmaxf() drop a NaN",
        .of_most = "look at which of row and column is which, in the loads, the tile and the "
                   "stores",
        .grid = p->grid,
        .stored = p->buffers[B].data,
        .hypotheses = hypotheses,
        .family = p};
    return lab_exact_check(p, B, expect, &advice, check);
}

/* m x n: around tiles, wide and tall, more rows than a grid has in y. */
static const char *const test_sizes[] = {"-n 1",
                                         "-n 2",
                                         "-n 31",
                                         "-n 32",
                                         "-n 33",
                                         "-n 65",
                                         "-m 1 -n 4099",
                                         "-m 4099 -n 1",
                                         "-m 3 -n 1031",
                                         "-m 1031 -n 3",
                                         "-m 257 -n 130",
                                         "-m 128 -n 129",
                                         NULL};
static const char *const gpu_test_sizes[] = {"-n 4097", "-m 2100001 -n 33", "-m 33 -n 2100001",
                                             NULL};

static const char *const thorough[] = {"-n 1",          "-n 33 --values special",
                                       "-m 65 -n 1",    "-m 1 -n 300",
                                       "-m 68 -n 67",   "-m 67 -n 68 --values special",
                                       "-m 2 -n 65601", "-m 65601 -n 2",
                                       "-m 1001 -n 33", NULL};

const struct lab_family lab_transpose_family = {
    .options = &lab_transpose_options,
    .problem_bytes = sizeof(struct lab_transpose),
    .state_bytes = sizeof(struct transpose),
    .type = "f32",
    .reference = "",
    .reference_in_step = true,
    .look_at = "the last rows and columns",
    .counted = {{"sectors per load", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                 "smsp__inst_executed_op_global_ld.sum"},
                {"sectors per store", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                 "smsp__inst_executed_op_global_st.sum"},
                {"wavefronts per load",
                 "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                 "smsp__inst_executed_op_shared_ld.sum"}},
    .default_size = 8192,
    .test_sizes = test_sizes,
    .gpu_test_sizes = gpu_test_sizes,
    .thorough = thorough,
    .begin = begin,
    .arrays = arrays,
    .fill = lab_values_fill_moved,
    .vary = vary,
    .make_reference = make_reference,
    .end = end,
    .facts = facts,
    .check_output = check_output,
};
