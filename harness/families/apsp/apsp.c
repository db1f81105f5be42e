/* Family apsp: the length of the shortest path between any two vertices of a graph. There is no
 * library to compare with: the host does its best instead. */
#include "families/apsp/apsp.h"

#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Work that takes at least as long as this many vertices shows its progress. */
enum { SHOWN_FROM = 16384 };

static cudaError_t mark(const struct lab_progress *progress, int done, int total,
                        cudaStream_t stream)
{
    struct apsp *p = progress->state;
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

static int begin(struct lab_problem *problem, const struct lab_options *options, int size)
{
    struct apsp *p = problem->state;
    const struct apsp_options *own = lab_own_options(options, &lab_apsp_options);
    *p = (struct apsp){.problem = problem,
                       .own = own,
                       .n = lab_size_of(options, &lab_apsp_options, 'n', size),
                       .type = own->type,
                       .semiring = own->semiring,
                       .ring = &apsp_semirings[own->semiring],
                       .paths = own->paths,
                       .products = own->products,
                       .negative_vertex = -1,
                       .progress = {p, mark}};
    int status = apsp_create(p);
    p->shows_progress = p->n >= SHOWN_FROM && isatty(STDERR_FILENO);
    *(struct lab_apsp *)problem->argument =
        (struct lab_apsp){.n = p->n,
                          .type = p->type,
                          .semiring = p->semiring,
                          .negative = p->semiring == LAB_APSP_MAX_PLUS ? p->graph.largest > 0.0
                                                                       : p->graph.least < 0.0,
                          .products = p->products,
                          .next = p->paths ? LAB_WANTED : NULL,
                          .progress = p->shows_progress ? &p->progress : NULL};
    return status;
}

static int arrays(const void *argument, struct lab_array *list)
{
    static const enum lab_element elements[] = {[LAB_APSP_F32] = LAB_ELEMENT_F32,
                                                [LAB_APSP_S32] = LAB_ELEMENT_S32,
                                                [LAB_APSP_U16] = LAB_ELEMENT_U16};
    const struct lab_apsp *p = argument;
    const size_t n = (size_t)p->n;
    list[APSP_W] = LAB_ARRAY(struct lab_apsp, w, .name = "W", .role = LAB_ROLE_INPUT,
                             .element = elements[p->type], .count = n * n, .row = n);
    list[APSP_D] = LAB_ARRAY(struct lab_apsp, d, .name = "D", .role = LAB_ROLE_OUTPUT,
                             .element = elements[p->type], .count = n * n, .row = n, .blank = true);
    list[APSP_SCRATCH] = LAB_ARRAY(struct lab_apsp, workspace, .role = LAB_ROLE_SCRATCH);
    list[APSP_NEXT] = LAB_ARRAY(struct lab_apsp, next, .name = "the next vertices",
                                .role = LAB_ROLE_OUTPUT, .element = LAB_ELEMENT_S32,
                                .count = p->next ? n * n : 0, .row = n, .blank = true);
    return 4;
}

/* The matrix of arcs, row by row. */
static void fill(const struct lab_problem *problem, int which, void *values, size_t first,
                 size_t count)
{
    const struct apsp *p = problem->state;
    const size_t n = (size_t)p->n, each = apsp_element_bytes(p);
    (void)which;
    for (size_t done = 0; done < count;) {
        const size_t column = (first + done) % n, left = count - done;
        const size_t piece = n - column < left ? n - column : left;
        apsp_fill_row(p, (int)((first + done) / n), p->row_bytes);
        memcpy((char *)values + done * each, (char *)p->row_bytes + column * each, piece * each);
        done += piece;
    }
}

/* Random graphs have short paths: a kernel that stops too soon, or leaves out products, passes. */
static const char *vary(struct lab_options *options)
{
    const struct apsp_options *own = lab_own_options(options, &lab_apsp_options);
    if (own->graph || own->generator != LAB_GENERATE_GNM || own->products)
        return NULL;
    lab_give_own_option(options, &lab_apsp_options, "generate", "chain");
    lab_give_own_option(options, &lab_apsp_options, "degree", "1");
    return "where paths are long (--generate chain --degree 1)";
}

static const char *const type_names[] = {"f32", "s32", "u16"};

/* An addition and a comparison for each of n^3 triples, however many operations a variant does in
 * fact: squaring does several times as many. */
static void facts(const struct lab_problem *problem, struct lab_problem_facts *facts)
{
    const struct apsp *p = problem->state;
    const double n = p->n, products = p->products ? p->products : 1;
    const bool longest = p->semiring == LAB_APSP_MAX_PLUS;
    *facts = (struct lab_problem_facts){
        .type = p->ring->shown ? p->ring->shown : type_names[p->type],
        .sizes = {{"n", p->n}, {"arcs", (long)p->graph.arc_count}, {"products", p->products}},
        .size_count = p->products ? 3 : 2,
        .factors = {{"least_weight", longest ? -p->graph.largest : p->graph.least},
                    {"largest_weight", longest ? -p->graph.least : p->graph.largest}},
        .factor_count = p->semiring == LAB_APSP_OR_AND ? 0 : 2,
        .flops = 2.0 * n * n * n * products,
        .bytes = 2.0 * n * n * apsp_element_bytes(p),
        .note = p->negative_vertex < 0 ? NULL
                : longest ? "there is a cycle of positive length, and no path is longest"
                          : "there is a cycle of negative length, and no path is shortest",
    };
}

/* Waits for one piece of the work after another, and reports each. */
static cudaError_t follow(struct lab_problem *problem, const char *name)
{
    struct apsp *p = problem->state;
    cudaError_t status = cudaSuccess;
    if (!p->shows_progress)
        return cudaSuccess;
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

/* Variants that do not square have no products to count. Some do some types only, or no paths. */
static bool variant_fits(const struct lab_options *options, const struct lab_step *step,
                         int variant)
{
    static const unsigned types[] = {[LAB_APSP_F32] = LAB_APSP_FLOATS,
                                     [LAB_APSP_S32] = LAB_APSP_INTS,
                                     [LAB_APSP_U16] = LAB_APSP_SHORTS};
    const struct apsp_options *own = lab_own_options(options, &lab_apsp_options);
    const unsigned flags = lab_variant_of(step, variant)->flags;
    const unsigned of_types = flags & (LAB_APSP_FLOATS | LAB_APSP_INTS | LAB_APSP_SHORTS);
    const unsigned wanted = flags & (LAB_APSP_LENGTHS | LAB_APSP_PATHS);
    const unsigned rings = flags & LAB_APSP_ALL_SEMIRINGS;
    return (!own->products || flags & LAB_APSP_SQUARES) &&
           (!of_types || of_types & types[own->type]) &&
           (!wanted || wanted & (own->paths ? LAB_APSP_PATHS : LAB_APSP_LENGTHS)) &&
           (rings ? rings : LAB_APSP_SHORTEST) & LAB_APSP_SHORTEST << own->semiring;
}

static void variant_options(const struct lab_step *step, int variant, char *text, size_t size)
{
    const unsigned flags = lab_variant_of(step, variant)->flags;
    const unsigned rings = flags & LAB_APSP_ALL_SEMIRINGS;
    int ring = LAB_APSP_MIN_PLUS;
    while (rings && !(rings & (unsigned)LAB_APSP_SHORTEST << ring))
        ring++;
    if (ring != LAB_APSP_MIN_PLUS) /* a semiring implies its type */
        snprintf(text, size, "--semiring=%s", apsp_semirings[ring].name);
    else if (flags & (LAB_APSP_INTS | LAB_APSP_SHORTS) && !(flags & LAB_APSP_FLOATS))
        snprintf(text, size, "--type %s", flags & LAB_APSP_INTS ? "s32" : "u16");
    else if (flags & LAB_APSP_PATHS && !(flags & LAB_APSP_LENGTHS))
        snprintf(text, size, "--paths");
}

/* What the host may take for each of its two ways, in milliseconds. */
static const double MOST_HOST_MS = 5e3;

/* The host computes all distances, as the variants do; neither a part of the products nor paths. */
static double host_ms(const struct lab_problem *problem)
{
    const struct apsp *p = problem->state;
    return p->products || p->paths || p->negative_vertex >= 0
               ? 0.0
               : lab_host_ms(&p->graph, MOST_HOST_MS);
}

/* Numbers of vertices around the tiles in use. */
static const char *const test_sizes[] = {"-n 1",  "-n 2",   "-n 3",   "-n 17",  "-n 63",  "-n 64",
                                         "-n 65", "-n 127", "-n 128", "-n 129", "-n 193", NULL};
static const char *const test_options[] = {"--type s32",
                                           "--type u16",
                                           "--type f32 --weight-range 0..2 --degree 3 --paths",
                                           "--type s32 --weight-range 0..2 --degree 3 --paths",
                                           "--type u16 --weight-range 0..2 --degree 3 --paths",
                                           "--generate chain --degree 2",
                                           "--type s32 --generate potential --degree 3",
                                           "--type u16 --weight-range 3000..30000 --degree 30",
                                           "--generate chain --degree 1 --paths",
                                           "--generate potential --degree 4 --paths",
                                           "--semiring max-plus --degree 3",
                                           "--semiring max-plus --weight-range -50..50",
                                           "--semiring max-plus --generate gnm --degree 2",
                                           "--semiring or-and --degree 1.5",
                                           NULL};
static const char *const thorough[] = {
    "-n 1", "-n 67 --generate chain --degree 2",
    "-n 129 --type s32 --generate potential --degree 3",
    /* lengths that no float holds */
    "-n 66 --type s32 --weight-range 16777217..17777217 --degree 3",
    /* both forms of u16, and lengths above what it holds */
    "-n 130 --type u16 --weight-range 3000..16000 --degree 3",
    "-n 65 --type f32 --generate potential --degree 3 --paths",
    "-n 200 --generate potential --degree 3", "-n 131 --semiring max-plus --weight-range -50..50",
    "-n 70 --semiring or-and --degree 1.5", NULL};
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
    "-n 500 --semiring max-plus",
    "-n 500 --semiring or-and --degree 1.5",
    "-n 1025 --semiring max-plus --weight-range -50..50",
    "-n 1025 --semiring or-and --degree 1.5",
    "-n 2048 --semiring max-plus --generate chain",
    "-n 2048 --semiring or-and --generate chain --degree 1",
    "-n 8192 --semiring max-plus --products 1",
    "-n 8192 --semiring or-and --products 1 --degree 1",
    "-n 1500 --type f32 --weight-range -1..90 --degree 1.1",
    "-n 200 --type f32 --weight-range -20..3 --degree 2",
    "-n 1500 --type s32 --weight-range -1..90 --degree 1.1",
    "-n 200 --type s32 --weight-range -20..3 --degree 2",
    NULL};

const struct lab_family lab_apsp_family = {
    .options = &lab_apsp_options,
    .problem_bytes = sizeof(struct lab_apsp),
    .state_bytes = sizeof(struct apsp),
    .type = "f32",
    .reference = "host",
    .reference_in_step = true,
    .work_varies = true,
    .look_at = "the last tiles",
    .default_size = 4096,
    .simulated = 3e8,
    .test_sizes = test_sizes,
    .test_options = test_options,
    .test_all_options = true,
    .gpu_test_sizes = gpu_test_sizes,
    .thorough = thorough,
    .begin = begin,
    .arrays = arrays,
    .fill = fill,
    .vary = vary,
    .make_reference = apsp_make_reference,
    .end = apsp_destroy,
    .facts = facts,
    .variant_fits = variant_fits,
    .variant_options = variant_options,
    .follow = follow,
    .note_host = apsp_note_host,
    .check_output = apsp_check_output,
    .check_more = apsp_check_more,
    .race_cause = apsp_race_cause,
    .host_ms = host_ms,
    .conclude = apsp_conclude,
};
