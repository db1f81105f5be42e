/* Family copy: to[i] = from[i], compared exactly: the warm-up on memory accesses, step 00a and
 * exercise 00a. What is expected is made again piece by piece. */
#include "families/copy.h"
#include "families/compare.h"
#include "families/inputs.h"
#include "families/problem.h"

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

static void fill(const struct lab_problem *p, int which, void *to, size_t first, size_t count)
{
    lab_inputs_fill(to, first, count, lab_inputs_seed(p->options->problem.seed, (unsigned)which));
}

static int make_reference(struct lab_problem *p)
{
    (void)p;
    return LAB_EXIT_OK;
}

static void facts(const struct lab_problem *p, struct lab_problem_facts *facts)
{
    const struct lab_copy *copy = p->argument;
    /* each element is read and written once */
    *facts = (struct lab_problem_facts){
        .sizes = {{"n", copy->n}}, .size_count = 1, .bytes = 8.0 * copy->n};
}

static cudaError_t check_output(struct lab_problem *p, struct lab_check *check)
{
    enum { PIECE = LAB_STAGING_BYTES / 2 / sizeof(float) };
    const size_t n = p->arrays[TO].count;
    float *got = p->staging, *expected = got + PIECE;
    struct lab_comparison comparison = {
        .rows = 1,
        .columns = n,
        .is_vector = true,
        .advice = {.of_unwritten = "do the threads reach every element, and each its store?",
                   .of_nans = "NaN comes in by reading past the array, or the output",
                   .of_most = "look at which element each thread takes",
                   .is_exact = true}};
    for (size_t first = 0; first < n; first += PIECE) {
        const size_t piece = n - first < PIECE ? n - first : PIECE;
        cudaError_t status = cudaMemcpy(got, (float *)p->buffers[TO].data + first,
                                        piece * sizeof *got, cudaMemcpyDeviceToHost);
        if (status != cudaSuccess)
            return status;
        fill(p, FROM, expected, first, piece);
        lab_compare(&comparison, expected, got, piece);
    }
    lab_compare_verdict(&comparison, "to", check);
    return cudaSuccess;
}

/* Around a warp, a block, four elements at a time, and a grid that is not filled. */
static const char *const test_sizes[] = {"-n 1",    "-n 2",    "-n 31",    "-n 33",
                                         "-n 127",  "-n 256",  "-n 257",   "-n 1023",
                                         "-n 4099", "-n 8192", "-n 70001", NULL};
static const char *const gpu_test_sizes[] = {"-n 1000003", "-n 67108864", "-n 100000007", NULL};

static const char *const thorough[] = {"-n 1",    "-n 3",     "-n 33",    "-n 129", "-n 1000",
                                       "-n 2049", "-n 16390", "-n 65601", NULL};

const struct lab_family lab_copy_family = {
    .options = &lab_copy_options,
    .problem_bytes = sizeof(struct lab_copy),
    .type = "f32",
    .reference = "",
    .reference_in_step = true,
    .look_at = "the last elements",
    .default_size = 1 << 26,
    .test_sizes = test_sizes,
    .gpu_test_sizes = gpu_test_sizes,
    .thorough = thorough,
    .begin = begin,
    .arrays = arrays,
    .fill = fill,
    .make_reference = make_reference,
    .facts = facts,
    .check_output = check_output,
};
