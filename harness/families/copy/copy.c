/* Family copy: to[i] = from[i], compared exactly: the warm-up on memory accesses, step 00a and
 * exercise 00a. The expected values are generated again piece by piece. */
#include "families/copy.h"
#include "families/runs.h"
#include "families/family.h"
#include "families/values.h"

#include "options/family.h"
#include "base/status.h"

extern const struct lab_family_options lab_copy_options;

enum { FROM, TO };

static int begin(struct lab_problem *p, const struct lab_options *options, int size)
{
    struct lab_copy *copy = p->argument;
    copy->n = lab_size_of(options, p->family->options, 'n', size);
    return LAB_EXIT_OK;
}

static int arrays(const void *argument, struct lab_array *list)
{
    const struct lab_copy *p = argument;
    const size_t n = (size_t)p->n;
    list[FROM] =
        LAB_ARRAY(struct lab_copy, from, .name = "from", .role = LAB_ROLE_INPUT, .count = n);
    list[TO] = LAB_ARRAY(struct lab_copy, to, .name = "to", .role = LAB_ROLE_OUTPUT, .count = n,
                         .blank = true);
    list[2] = LAB_ARRAY(struct lab_copy, workspace, .role = LAB_ROLE_SCRATCH);
    return 3;
}

static void facts(const struct lab_problem *p, struct lab_problem_facts *facts)
{
    const struct lab_copy *copy = p->argument;
    /* each element is read and written once */
    *facts = (struct lab_problem_facts){
        .sizes = {{"n", copy->n}}, .size_count = 1, .bytes = 8.0 * copy->n};
}

static void expect(const struct lab_problem *p, float *expected, size_t first, size_t count)
{
    lab_values_fill_moved(p, FROM, expected, first, count);
}

/* What moves bits is right for every value. */
static const char *vary(struct lab_options *options)
{
    return lab_values_vary(options, &lab_copy_options);
}

static cudaError_t check_output(struct lab_problem *p, struct lab_check *check)
{
    const struct lab_advice advice = {
        .of_unwritten = "do the threads reach every element, and each its store?",
        .of_nans = "NaN comes in by reading past the array, or the output",
        .nans_are_of_memory = true,
        .of_special = "a NaN or an infinity must be moved as it is: fminf() and fmaxf() drop a NaN",
        .of_most = "look at which element each thread takes",
        .grid = p->grid,
        .stored = p->buffers[TO].data};
    return lab_exact_check(p, TO, expect, &advice, check);
}

static const char *const thorough[] = {"-n 1",
                                       "-n 3",
                                       "-n 33 --values special",
                                       "-n 129",
                                       "-n 1000 --values special",
                                       "-n 2049",
                                       "-n 16390",
                                       "-n 65601",
                                       NULL};

const struct lab_family lab_copy_family = {
    .options = &lab_copy_options,
    .problem_bytes = sizeof(struct lab_copy),
    .type = "f32",
    .reference = "",
    .reference_in_step = true,
    .look_at = "the last elements",
    .counted = {{"sectors per load", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                 "smsp__inst_executed_op_global_ld.sum"},
                {"sectors per store", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                 "smsp__inst_executed_op_global_st.sum"},
                {"waits for loads", "lab__ptx_waits_global_ld.sum", NULL}},
    .default_size = 1 << 26,
    .test_sizes = lab_test_lengths,
    .gpu_test_sizes = lab_gpu_test_lengths,
    .thorough = thorough,
    .begin = begin,
    .arrays = arrays,
    .fill = lab_values_fill_moved,
    .vary = vary,
    .facts = facts,
    .check_output = check_output,
};
