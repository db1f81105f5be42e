/* Family apsp: the length of the shortest path between any two vertices of a graph. There is no
 * library to compare with: the rows of a step stand beside each other. */
#include "families/apsp/apsp.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Work that takes as long as this is shown on its way. */
enum { SHOWN_FROM = 16384 };

static cudaError_t mark(const struct lab_progress *progress, int done, int total,
                        cudaStream_t stream)
{
    struct lab_problem *p = progress->state;
    const int due = (int)((long long)done * APSP_MARKS / total);
    if (due <= p->mark_count || p->mark_count == APSP_MARKS)
        return cudaSuccess;
    cudaEvent_t event;
    cudaError_t status = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    while (status == cudaSuccess && p->mark_count < due - 1)
        p->marks[p->mark_count++] = NULL;
    if (status == cudaSuccess) {
        p->marks[p->mark_count++] = event;
        status = cudaEventRecord(event, stream);
    }
    return status;
}

static int open_apsp(const struct lab_options *options, int default_size, cudaStream_t stream,
                     struct lab_problem **problem)
{
    struct lab_problem *p = *problem = calloc(1, sizeof *p);
    if (!p)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    p->options = options;
    p->n = options->n ? options->n : default_size;
    p->type = options->apsp.type;
    p->paths = options->apsp.paths;
    p->products = options->apsp.products;
    p->negative_vertex = -1;
    p->stream = stream;
    int status = apsp_create(p);
    p->shows_progress = p->n >= SHOWN_FROM && isatty(STDERR_FILENO);
    p->progress = (struct lab_progress){p, mark};
    return status;
}

static void close_apsp(struct lab_problem *p)
{
    if (p)
        apsp_destroy(p);
    free(p);
}

static const char *const type_names[] = {"f32", "s32", "u16"};

/* An addition and a comparison for each of n^3 triples, however many the row does in fact: squaring
 * does several times as many. */
static void describe(const struct lab_problem *p, struct lab_problem_facts *facts)
{
    const double n = p->n, products = p->products ? p->products : 1;
    *facts = (struct lab_problem_facts){
        .type = type_names[p->type],
        .sizes = {{"n", p->n}, {"arcs", (long)p->graph.arc_count}, {"products", p->products}},
        .size_count = p->products ? 3 : 2,
        .factors = {{"least_weight", p->graph.least}, {"largest_weight", p->graph.largest}},
        .factor_count = 2,
        .flops = 2.0 * n * n * n * products,
        .bytes = 2.0 * n * n * apsp_element_bytes(p),
        .device_bytes = lab_buffer_footprint((size_t)(2.0 * n * n * apsp_element_bytes(p))),
        .note = p->negative_vertex >= 0
                    ? "there is a cycle of negative length, and no path is shortest"
                    : NULL,
    };
}

static struct lab_apsp argument(const struct lab_problem *p)
{
    const struct apsp_buffers *s = &p->buffers;
    return (struct lab_apsp){.n = p->n,
                             .type = p->type,
                             .negative = p->graph.least < 0.0,
                             .products = p->products,
                             .w = s->w.data,
                             .d = s->d.data,
                             .next = p->paths ? s->next.data : NULL,
                             .workspace = p->workspace.data,
                             .progress = p->shows_progress ? &p->progress : NULL};
}

static size_t row_bytes(struct lab_problem *p, const struct lab_step *step, int row)
{
    struct lab_apsp problem = argument(p);
    return lab_row_of(step, row)->workspace ? lab_row_of(step, row)->workspace(&problem) : 0;
}

static cudaError_t prepare_row(struct lab_problem *p, const struct lab_step *step, int row)
{
    size_t bytes = row_bytes(p, step, row);
    p->step = step;
    p->row = row;
    lab_buffer_destroy(&p->workspace);
    return bytes ? lab_buffer_create(&p->workspace, bytes, "workspace") : cudaSuccess;
}

/* Waits for one piece of the work after another and says so. */
static cudaError_t follow(struct lab_problem *p, const char *name)
{
    cudaError_t status = cudaSuccess;
    for (int i = 0; i < p->mark_count; i++) {
        if (!p->marks[i])
            continue;
        if (status == cudaSuccess)
            status = cudaEventSynchronize(p->marks[i]);
        cudaEventDestroy(p->marks[i]);
        fprintf(stderr, "\r%s %d%% \033[K", name, (i + 1) * 100 / APSP_MARKS);
    }
    fprintf(stderr, "\r\033[K");
    p->mark_count = 0;
    return status;
}

static cudaError_t launch(struct lab_problem *p, const struct lab_step *step, int row)
{
    struct lab_apsp problem = argument(p);
    cudaError_t status = lab_row_of(step, row)->launch(&problem, p->stream);
    return status == cudaSuccess && p->shows_progress ? follow(p, lab_row_of(step, row)->name)
                                                      : status;
}

/* Rows that do not square have no products to count. */
static bool row_fits(const struct lab_options *options, const struct lab_step *step, int row)
{
    return !options->apsp.products || lab_row_of(step, row)->flags & LAB_APSP_SQUARES;
}

static int pointers(const void *problem, struct lab_pointer *list)
{
    const struct lab_apsp *p = problem;
    const size_t n = (size_t)p->n, element = p->type == LAB_APSP_U16 ? 2 : 4;
    list[0] = LAB_POINTER(struct lab_apsp, w, n * n * element, LAB_ROLE_INPUT);
    list[1] = LAB_POINTER(struct lab_apsp, d, n * n * element, LAB_ROLE_OUTPUT);
    list[2] = LAB_POINTER(struct lab_apsp, workspace, 0, LAB_ROLE_SCRATCH);
    if (!p->next)
        return 3;
    list[3] = LAB_POINTER(struct lab_apsp, next, n * n * sizeof(int), LAB_ROLE_OUTPUT);
    return 4;
}

/* Vertices around the tiles in use. */
static const char *const test_sizes[] = {"-n 1",  "-n 2",   "-n 3",   "-n 17",  "-n 63",  "-n 64",
                                         "-n 65", "-n 127", "-n 128", "-n 129", "-n 193", NULL};
static const char *const test_options[] = {"--type s32",
                                           "--type u16",
                                           "--type f32 --weight-range 0..2 --degree 3 --paths",
                                           "--type s32 --weight-range 0..2 --degree 3 --paths",
                                           "--type u16 --weight-range 0..2 --degree 3 --paths",
                                           NULL};
static const char *const gpu_test_sizes[] = {
    "-n 500",
    "-n 500 --type s32",
    "-n 500 --type u16",
    "-n 500 --type f32 --weight-range 0..2 --degree 3 --paths",
    "-n 500 --type s32 --weight-range 0..2 --degree 3 --paths",
    "-n 500 --type u16 --weight-range 0..2 --degree 3 --paths",
    "-n 1023",
    "-n 1023 --type s32",
    "-n 1023 --type u16",
    "-n 1023 --type f32 --weight-range 0..2 --degree 3 --paths",
    "-n 1023 --type s32 --weight-range 0..2 --degree 3 --paths",
    "-n 1023 --type u16 --weight-range 0..2 --degree 3 --paths",
    "-n 1024",
    "-n 1024 --type s32",
    "-n 1024 --type u16",
    "-n 1024 --type f32 --weight-range 0..2 --degree 3 --paths",
    "-n 1024 --type s32 --weight-range 0..2 --degree 3 --paths",
    "-n 1024 --type u16 --weight-range 0..2 --degree 3 --paths",
    "-n 1025",
    "-n 1025 --type s32",
    "-n 1025 --type u16",
    "-n 1025 --type f32 --weight-range 0..2 --degree 3 --paths",
    "-n 1025 --type s32 --weight-range 0..2 --degree 3 --paths",
    "-n 1025 --type u16 --weight-range 0..2 --degree 3 --paths",
    "-n 1153",
    "-n 1153 --type s32",
    "-n 1153 --type u16",
    "-n 1153 --type f32 --weight-range 0..2 --degree 3 --paths",
    "-n 1153 --type s32 --weight-range 0..2 --degree 3 --paths",
    "-n 1153 --type u16 --weight-range 0..2 --degree 3 --paths",
    "-n 2048",
    "-n 2048 --type s32",
    "-n 2048 --type u16",
    "-n 2048 --type f32 --weight-range 0..2 --degree 3 --paths",
    "-n 2048 --type s32 --weight-range 0..2 --degree 3 --paths",
    "-n 2048 --type u16 --weight-range 0..2 --degree 3 --paths",
    "-n 8192 --type f32 --variant floyd_warshall_blocked",
    "-n 8192 --type f32 --products 1",
    "-n 8192 --type s32 --variant floyd_warshall_blocked",
    "-n 8192 --type s32 --products 1",
    "-n 8192 --type u16 --variant floyd_warshall_blocked",
    "-n 8192 --type u16 --products 1",
    "-n 1500 --type f32 --weight-range -1..90 --degree 1.1",
    "-n 200 --type f32 --weight-range -20..3 --degree 2",
    "-n 1500 --type s32 --weight-range -1..90 --degree 1.1",
    "-n 200 --type s32 --weight-range -20..3 --degree 2",
    NULL};

const struct lab_family lab_apsp_family = {
    .name = "apsp",
    .title = "apsp",
    .problem_bytes = sizeof(struct lab_apsp),
    .pointers = pointers,
    .test_sizes = test_sizes,
    .test_options = test_options,
    .test_all_options = true,
    .gpu_test_sizes = gpu_test_sizes,
    .type = "f32",
    .reference = "",
    .reference_in_step = true,
    .work_varies = true,
    .default_size = 4096,
    .open = open_apsp,
    .make_reference = apsp_make_reference,
    .close = close_apsp,
    .facts = describe,
    .row_fits = row_fits,
    .row_bytes = row_bytes,
    .prepare_row = prepare_row,
    .reset = apsp_reset,
    .launch = launch,
    .check_output = apsp_check_output,
    .check_all = apsp_check_all,
    .conclude = apsp_conclude,
};
