/* Shortest paths: every row, type and kind of graph against igraph, graphs in files and what is
 * refused of them, paths, output, and the summary. */
#include "families/apsp/apsp.h"
#include "tests/made_kernel.h"
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <igraph.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct run_lab result;

/* A file of this test, removed at its end. */
struct temporary {
    char path[64];
};

static struct temporary new_file(const char *ending)
{
    struct temporary file;
    snprintf(file.path, sizeof file.path, "/tmp/lab-apsp-XXXXXX%s", ending);
    int end = mkstemps(file.path, (int)strlen(ending));
    cr_assert_geq(end, 0);
    close(end);
    return file;
}

static struct temporary file_of(const char *text, const char *ending)
{
    struct temporary file = new_file(ending);
    FILE *stream = fopen(file.path, "w");
    fputs(text, stream);
    fclose(stream);
    return file;
}

static void expect_error(const char *text, const char *format, const char *argument)
{
    char arguments[512];
    snprintf(arguments, sizeof arguments, format, argument);
    run_lab_expect_error(2, text, arguments);
}

/* --- against igraph ----------------------------------------------------------------------------*/

/* A graph under test, as the lab and as igraph have it. */
struct subject {
    struct lab_graph graph;
    struct temporary file;
};

static struct subject subject_of(struct lab_graph graph)
{
    struct subject subject = {graph, new_file(".gr")};
    FILE *stream = fopen(subject.file.path, "w");
    fprintf(stream, "c a graph under test\np sp %d %zu\n", graph.n, graph.arc_count);
    for (size_t i = 0; i < graph.arc_count; i++)
        fprintf(stream, "a %d %d %.17g\n", graph.arcs[i].from + 1, graph.arcs[i].to + 1,
                graph.arcs[i].weight);
    fclose(stream);
    return subject;
}

static void release(struct subject *subject)
{
    unlink(subject->file.path);
    lab_graph_release(&subject->graph);
}

/* All distances by igraph: Dijkstra from every vertex, or Johnson where weights are negative. */
static double *distances_of(const struct lab_graph *graph, bool negative)
{
    igraph_t other;
    igraph_vector_int_t edges;
    igraph_vector_t weights;
    igraph_matrix_t found;
    double *distances = malloc(sizeof(double) * graph->n * graph->n);
    igraph_vector_int_init(&edges, 2 * (igraph_integer_t)graph->arc_count);
    igraph_vector_init(&weights, (igraph_integer_t)graph->arc_count);
    for (size_t i = 0; i < graph->arc_count; i++) {
        VECTOR(edges)[2 * i] = graph->arcs[i].from;
        VECTOR(edges)[2 * i + 1] = graph->arcs[i].to;
        VECTOR(weights)[i] = graph->arcs[i].weight;
    }
    igraph_create(&other, &edges, graph->n, true);
    igraph_matrix_init(&found, graph->n, graph->n);
    int failed = negative ? igraph_distances_johnson(&other, &found, igraph_vss_all(),
                                                     igraph_vss_all(), &weights)
                          : igraph_distances_dijkstra(&other, &found, igraph_vss_all(),
                                                      igraph_vss_all(), &weights, IGRAPH_OUT);
    cr_assert_eq(failed, 0);
    for (int i = 0; i < graph->n; i++)
        for (int j = 0; j < graph->n; j++)
            distances[(size_t)i * graph->n + j] = MATRIX(found, i, j);
    igraph_matrix_destroy(&found);
    igraph_destroy(&other);
    igraph_vector_destroy(&weights);
    igraph_vector_int_destroy(&edges);
    return distances;
}

struct raw_header {
    char magic[8];
    uint32_t version, type, n, bytes_of_element;
    uint64_t no_path;
};

static double element(const struct raw_header *header, const void *data, size_t i)
{
    if (header->type == 0)
        return ((const float *)data)[i];
    uint64_t value =
        header->type == 1 ? (uint64_t)((const int *)data)[i] : ((const uint16_t *)data)[i];
    return value == header->no_path ? INFINITY : (double)(int64_t)value;
}

static void compare_with(const double *expected, int n, const char *path, const char *what)
{
    struct raw_header header;
    FILE *file = fopen(path, "rb");
    cr_assert(file && fread(&header, sizeof header, 1, file) == 1, "%s: no file", what);
    cr_assert_str_eq(header.magic, "LABAPSP");
    cr_assert_eq((int)header.n, n);
    void *data = malloc((size_t)n * n * header.bytes_of_element);
    cr_assert_eq(fread(data, header.bytes_of_element, (size_t)n * n, file), (size_t)n * n);
    fclose(file);
    for (size_t i = 0; i < (size_t)n * n; i++) {
        double got = element(&header, data, i);
        cr_assert(got == expected[i] || fabs(got - expected[i]) <= 1e-4 * fabs(expected[i]),
                  "%s: D[%zu][%zu] is %g, igraph has %g", what, i / n, i % n, got, expected[i]);
    }
    free(data);
}

/* All rows, which the program compares with its own reference, and walks their paths in every other
 * run; the last row's distances are written, and compared with igraph's here. */
static void expect_as_igraph(struct lab_graph graph, const char *type, bool negative,
                             const char *what)
{
    struct subject subject = subject_of(graph);
    struct temporary out = new_file(".raw");
    lab_graph_finish(&subject.graph);
    double *expected = distances_of(&subject.graph, negative);
    run_lab(&result, "step11 --check-only --type %s --graph %s --out %s%s", type, subject.file.path,
            out.path, graph.n % 2 ? " --paths" : "");
    cr_expect_eq(result.status, 0, "%s, %s: %s%s", what, type, result.out, result.err);
    if (result.status == 0)
        compare_with(expected, graph.n, out.path, what);
    free(expected);
    unlink(out.path);
    release(&subject);
}

static struct lab_graph random_graph(int n, double degree, int low, int high, uint64_t seed)
{
    struct lab_graph_request request = {
        .generator = LAB_GENERATE_GNM, .n = n, .low = low, .high = high, .seed = seed};
    struct lab_graph graph;
    request.arcs = (long long)(degree * n);
    lab_graph_generate(&request, &graph);
    return graph;
}

/* 1, primes, and around the tiles of 64 and, of pairs, 128. */
static const int sizes[] = {1, 2, 3, 17, 63, 64, 65, 127, 128, 129, 193};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* `make test` takes every fourth of them, from one on, and no large one. */
static bool takes_size(int i, int from)
{
    return run_lab_tries_all() || ((i + from) % 4 == 0 && sizes[i] < 190);
}

Test(apsp, f32_as_igraph)
{
    for (int i = 0; i < SIZES; i++)
        if (takes_size(i, 0))
            expect_as_igraph(random_graph(sizes[i], 1.5 + i % 4, 1, 100, i), "f32", false,
                             "random");
}

Test(apsp, s32_as_igraph)
{
    for (int i = 0; i < SIZES; i++)
        if (takes_size(i, 2))
            expect_as_igraph(random_graph(sizes[i], 1.5 + i % 3, 0, 3, i), "s32", false,
                             "with zeros");
}

Test(apsp, u16_as_igraph)
{
    for (int i = 0; i < SIZES; i++)
        if (takes_size(i, 3))
            expect_as_igraph(random_graph(sizes[i], 2.0 + i % 3, 1, i % 2 ? 4000 : 60, i), "u16",
                             false, "both forms of u16");
}

/* Kinds of graphs. `weight` is of the first arc. */
static struct lab_graph path_of(int n, double weight)
{
    struct lab_graph graph = {.n = n};
    for (int i = 0; i + 1 < n; i++)
        lab_graph_add(&graph, i, i + 1, i ? 1 + i % 7 : weight);
    return graph;
}

static struct lab_graph star_of(int n)
{
    struct lab_graph graph = {.n = n};
    for (int i = 1; i < n; i++) {
        lab_graph_add(&graph, 0, i, i);
        lab_graph_add(&graph, i, 0, 1);
    }
    return graph;
}

static struct lab_graph complete(int n)
{
    struct lab_graph graph = {.n = n};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i != j)
                lab_graph_add(&graph, i, j, 1 + (i * 31 + j * 17) % 90);
    return graph;
}

Test(apsp, a_path_a_star_a_complete_and_an_empty_graph)
{
    static const char *const types[] = {"f32", "s32", "u16"};
    for (int i = 0; i < (run_lab_tries_all() ? 3 : 1); i++) {
        if (run_lab_tries_all()) /* one_negative_edge has such */
            expect_as_igraph(path_of(131, 3), types[i], false, "path");
        expect_as_igraph(star_of(67), types[i], false, "star");
        expect_as_igraph(complete(70), types[i], false, "complete");
        expect_as_igraph((struct lab_graph){.n = 66}, types[i], false, "no arcs");
    }
}

Test(apsp, one_negative_edge)
{
    expect_as_igraph(path_of(67, -5), "f32", true, "path with a negative arc");
    struct lab_graph graph = random_graph(90, 3, 20, 60, 5);
    graph.arcs[7].weight = -9;
    expect_as_igraph(graph, "s32", true, "random with a negative arc");
    if (!run_lab_tries_all())
        return;
    expect_as_igraph(path_of(67, -5), "s32", true, "path with a negative arc");
    graph = random_graph(90, 3, 20, 60, 6);
    graph.arcs[11].weight = -9.25;
    expect_as_igraph(graph, "f32", true, "random with a negative arc");
}

/* Tiles of 128 are for more than 1024 vertices; with all checks, of races too. */
Test(apsp, large_tiles)
{
    static const char *const options[] = {"", "--type s32", "--type u16",
                                          "--weight-range -1..90 --degree 1.1 --type s32",
                                          "--weight-range -1..90 --degree 1.1"};
    const int n = run_lab_tries_all() ? 1025 : 513;
    for (int i = 0; i < 5; i++) {
        if (!run_lab_takes(i, 5))
            continue;
        run_lab(&result, "step11 --check-only -n %d --variant floyd_warshall_blocked %s", n,
                options[i]);
        cr_expect_eq(result.status, 0, "%s: %s%s", options[i], result.out, result.err);
        run_lab(&result, "step11 --check-only -n %d --products 1 --variant min_plus %s", n,
                options[i]);
        cr_expect_eq(result.status, 0, "%s: %s%s", options[i], result.out, result.err);
    }
}

Test(apsp, sums_that_would_overflow_are_no_path)
{
    run_lab(&result, "step11 --check-only -n 70 --type s32 --weight-range 800000000..1000000000");
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
    run_lab(&result, "step11 --check-only -n 70 --type u16 --weight-range 20000..65000 --degree 4");
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
}

Test(apsp, weights_that_are_no_whole_numbers)
{
    struct temporary file = file_of("0 1 0.1\n1 2 0.2\n2 0 1e-3\n0 2 7.5\n", ".txt");
    run_lab(&result, "step11 --check-only --graph %s --from 0 --to 2 --json -", file.path);
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "\"diameter\": 0.3000000"), "%s", result.out);
    unlink(file.path);
}

Test(apsp, a_negative_cycle_is_reported_with_a_vertex_on_it)
{
    struct temporary file =
        file_of("p sp 5 5\na 1 2 4\na 2 3 2\na 3 4 -9\na 4 2 3\na 4 5 1\n", ".gr");
    for (int i = 0; i < 2; i++) {
        run_lab(&result, "step11 --check-only --graph %s --type %s", file.path, i ? "s32" : "f32");
        cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
        const char *said = strstr(result.out, "cycle of negative length passes through vertex ");
        cr_assert(said, "%s", result.out);
        cr_expect(strchr("234", said[strlen("cycle of negative length passes through vertex ")]));
    }
    expect_error("passes through vertex", "step11 --graph %s --paths", file.path);
    expect_error("passes through vertex", "step11 --graph %s --out /tmp/none", file.path);
    unlink(file.path);
}

/* Less than 0 as the file has it, 0 as f32 has it: no cycle is negative. */
Test(apsp, weights_count_as_they_are_rounded)
{
    struct temporary file = file_of("0 1 -5\n1 0 4.999999999\n", ".txt");
    run_lab(&result, "step11 --check-only --graph %s", file.path);
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "diameter 5, from 1 to 0"), "%s", result.out);
    unlink(file.path);
}

/* --- other semirings ---------------------------------------------------------------------------*/

/* Through one vertex after another, in the semiring itself, written out. */
static void close_plainly(double *d, int n, bool longest)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                const double first = d[i * n + k], then = d[k * n + j], own = d[i * n + j];
                if (longest)
                    d[i * n + j] = first + then > own ? first + then : own;
                else
                    d[i * n + j] = own != 0.0 || (first != 0.0 && then != 0.0);
            }
}

/* All rows, each against the program's own reference, and the last row's elements against the plain
 * one. */
static void expect_as_plain(struct lab_graph graph, bool longest)
{
    struct subject subject = subject_of(graph);
    struct temporary out = new_file(".raw");
    const int n = graph.n;
    double *d = malloc(sizeof(double) * n * n);
    for (int i = 0; i < n * n; i++)
        d[i] = longest ? (i % (n + 1) ? -INFINITY : 0.0) : i % (n + 1) == 0;
    for (size_t i = 0; i < graph.arc_count; i++) {
        double *own = &d[graph.arcs[i].from * n + graph.arcs[i].to];
        *own = !longest ? 1.0 : graph.arcs[i].weight > *own ? graph.arcs[i].weight : *own;
    }
    close_plainly(d, n, longest);
    run_lab(&result, "step11 --check-only --semiring %s --graph %s --out %s",
            longest ? "max-plus" : "or-and", subject.file.path, out.path);
    cr_expect_eq(result.status, 0, "n=%d: %s%s", n, result.out, result.err);
    struct raw_header header;
    FILE *file = fopen(out.path, "rb");
    cr_assert(file && fread(&header, sizeof header, 1, file) == 1);
    cr_expect_eq(header.no_path, longest ? 0xFF800000u : 0u);
    for (int i = 0; i < n * n; i++) {
        float length = 0.0f;
        uint16_t truth = 0;
        cr_assert_eq(longest ? fread(&length, sizeof length, 1, file)
                             : fread(&truth, sizeof truth, 1, file),
                     1);
        const double got = longest ? (double)length : truth;
        cr_assert(got == d[i], "n=%d: D[%d][%d] is %g, expected %g", n, i / n, i % n, got, d[i]);
    }
    fclose(file);
    free(d);
    unlink(out.path);
    release(&subject);
}

static struct lab_graph graph_without_cycles(int n, int low, int high)
{
    struct lab_graph_request request = {.generator = LAB_GENERATE_DAG,
                                        .n = n,
                                        .arcs = 3 * n,
                                        .low = low,
                                        .high = high,
                                        .seed = (uint64_t)n};
    struct lab_graph graph;
    lab_graph_generate(&request, &graph);
    return graph;
}

Test(apsp, longest_paths_as_by_a_plain_loop)
{
    for (int i = 0; i < SIZES; i++)
        if (takes_size(i, 0))
            expect_as_plain(graph_without_cycles(sizes[i], i % 2 ? -50 : 1, 60), true);
}

/* 1.2 arcs for each vertex: some pairs are connected, some are not, by long paths. */
Test(apsp, reachability_as_by_a_plain_loop)
{
    for (int i = 0; i < SIZES; i++)
        if (takes_size(i, 2))
            expect_as_plain(random_graph(sizes[i], 1.2, 1, 100, i), false);
    expect_as_plain(path_of(run_lab_tries_all() ? 131 : 67, 3), false);
}

/* A project of five tasks: the longest way to its end is the time that it takes. */
Test(apsp, longest_paths_and_what_is_said_of_them)
{
    struct temporary file =
        file_of("p sp 4 5\na 1 2 3\na 1 3 2\na 2 4 4\na 3 4 6\na 3 4 1\n", ".gr");
    struct temporary cycle = file_of("p sp 3 3\na 1 2 1\na 2 3 -3\na 3 2 4\n", ".gr");
    struct temporary ring =
        file_of("p sp 5 5\na 1 2 1\na 2 3 1\na 3 4 1\na 4 5 1\na 5 1 1\n", ".gr");
    run_lab(&result, "step11 --check-only --semiring max-plus --graph %s", file.path);
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
    cr_expect(
        strstr(result.out, "apsp max-plus f32  n=4  arcs=4  least_weight=2  largest_weight=6"),
        "%s", result.out);
    cr_expect(strstr(result.out, "1 beside one no shorter\nreachable pairs: 5 of 12; mean length "
                                 "4.6; the longest path is 8 long, from 1 to 4\n"),
              "%s", result.out);
    run_lab(&result, "step11 --check-only --semiring max-plus --graph %s", cycle.path);
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "a cycle of positive length passes through vertex"), "%s",
              result.out);
    run_lab(&result, "step11 --check-only --semiring max-plus --graph %s", ring.path);
    cr_expect_eq(result.status, 0, "a cycle through all vertices: %s%s", result.out, result.err);
    expect_error("a cycle of positive length",
                 "step11 --semiring max-plus --graph %s --out /tmp/no", cycle.path);
    unlink(file.path);
    unlink(cycle.path);
    unlink(ring.path);
}

Test(apsp, what_another_semiring_does_not_take)
{
    expect_error("takes --type f32", "step11 --semiring max-plus --type %s", "s32");
    expect_error("takes --type u16", "step11 --semiring or-and --type %s", "f32");
    expect_error("paths are found with --semiring=min-plus", "step11 --semiring or-and %s",
                 "--paths");
    expect_error("sweep generates its graphs", "sweep step11 --semiring %s", "or-and");
}

/* --- rows --------------------------------------------------------------------------------------*/

static int rows_named(const char *name)
{
    char line[64];
    int count = 0;
    snprintf(line, sizeof line, "\"name\": \"%s\"", name);
    for (const char *at = result.out; (at = strstr(at, line)); at++)
        count++;
    return count;
}

/* Stages do some types, with or without paths: of those that bear a name one does each problem. */
Test(apsp, each_problem_has_its_rows_once)
{
    static const char *const types[] = {"f32", "s32", "u16"};
    static const char *const names[] = {"floyd_warshall", "floyd_warshall_blocked", "min_plus"};
    for (int i = 0; i < 6; i++) {
        const bool paths = i >= 3;
        run_lab(&result, "step11 --check-only -n 20 --json - --type %s%s", types[i % 3],
                paths ? " --paths" : "");
        cr_assert_eq(result.status, 0, "%s%s", result.out, result.err);
        for (int name = 0; name < 3; name++)
            cr_expect_eq(rows_named(names[name]), 1, "%s: %s", names[name], result.out);
        cr_expect_eq(rows_named("product"), i == 0, "%s", result.out);
        cr_expect_eq(rows_named("widened"), i == 2, "%s", result.out);
    }
    for (int longest = 0; longest < 2; longest++) {
        run_lab(&result, "step11 --check-only -n 20 --json - --semiring %s",
                longest ? "max-plus" : "or-and");
        cr_expect_eq(rows_named("max_plus"), longest, "%s", result.out);
        cr_expect_eq(rows_named("or_and"), !longest, "%s", result.out);
        cr_expect_eq(rows_named("truth_values"), !longest, "%s", result.out);
        for (int name = 0; name < 3; name++)
            cr_expect_eq(rows_named(names[name]), name < 2, "%s: %s", names[name], result.out);
    }
    run_lab(&result, "step11 --check-only -n 20 --json - --type s32 --products 1");
    cr_expect_eq(rows_named("min_plus"), 1, "%s", result.out);
    cr_expect_eq(rows_named("floyd_warshall"), 0, "%s", result.out);
    expect_error("no variant of step11", "step11.3 -n 20 --type %s", "u16");
}

/* --- products ----------------------------------------------------------------------------------*/

Test(apsp, products_are_paths_of_so_many_arcs)
{
    struct subject subject = subject_of(path_of(20, 3));
    run_lab(&result, "step11 --check-only --products 3 --graph %s --json -", subject.file.path);
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
    cr_expect(!strstr(result.out, "floyd_warshall"), "only rows that square");
    cr_expect(strstr(result.out, "\"reachable_pairs\": 124"), "8 steps from each but the last: %s",
              result.out); /* 12 * 8 + 7 + 6 + ... + 1 */
    release(&subject);
}

/* --- paths and output --------------------------------------------------------------------------*/

Test(apsp, a_path_is_printed_as_the_file_numbers_vertices)
{
    struct temporary file = file_of("# a comment\n1000 7 5\n7 30 5\n30 2000000000000 1\n"
                                    "1000 2000000000000 12\n",
                                    ".txt");
    run_lab(&result, "step11 --check-only --graph %s --from 1000 --to 2000000000000", file.path);
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
    cr_expect(
        strstr(result.out, "11 from 1000 to 2000000000000: 1000 -> 7 -> 30 -> 2000000000000\n"),
        "%s", result.out);
    run_lab(&result, "step11 --check-only --graph %s --from 30 --to 7", file.path);
    cr_expect(strstr(result.out, "there is no path from 30 to 7"), "%s", result.out);
    unlink(file.path);
}

Test(apsp, the_summary_says_how_far_apart_vertices_are)
{
    struct temporary file = file_of("p sp 4 3\na 1 2 1\na 2 3 2\na 3 2 2\n", ".gr");
    run_lab(&result, "step11 --check-only --type u16 --graph %s", file.path);
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "reachable pairs: 4 of 12; mean distance 2; diameter 3, from 1 to "
                                 "3\neccentric vertices: 1; the least eccentricity is 2\n"),
              "%s", result.out);
    unlink(file.path);
}

Test(apsp, what_is_left_out_is_counted)
{
    struct temporary file =
        file_of("p sp 3 5\na 1 2 4\na 2 2 1\na 1 2 3\na 2 3 2\na 1 2 3\n", ".gr");
    run_lab(&result, "step11 --check-only --graph %s", file.path);
    cr_expect(strstr(result.out, "arcs=2") &&
                  strstr(result.out, "arcs left out: 1 from a vertex to "
                                     "itself, 2 beside one no longer"),
              "%s", result.out);
    unlink(file.path);
}

/* Not of those that copy or follow paths, which may have more threads. */
Test(apsp, a_row_says_what_its_product_takes)
{
    run_lab(&result, "step11 --check-only -n 64 --paths --variant min_plus --json -");
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
    cr_expect_gt(run_lab_figure(result.out, "registers"), 100);
    cr_expect_gt(run_lab_figure(result.out, "shared_bytes"), 16384);
}

Test(apsp, csv)
{
    struct temporary file = file_of("p sp 3 2\na 1 2 4\na 2 3 2\n", ".gr"), out = new_file(".csv");
    char text[256] = "";
    run_lab(&result, "step11 --check-only --type s32 --graph %s --out %s", file.path, out.path);
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
    FILE *stream = fopen(out.path, "r");
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    cr_expect_str_eq(text, "to,1,2,3\n1,0,4,6\n2,inf,0,2\n3,inf,inf,0\n");
    unlink(file.path);
    unlink(out.path);
}

Test(apsp, next_vertices)
{
    struct temporary file = file_of("p sp 4 4\na 1 2 4\na 2 3 2\na 1 3 9\na 4 1 -0.0\n", ".gr");
    struct temporary next = new_file(".csv"), out = new_file(".csv");
    char text[256] = "";
    run_lab(&result, "step11 --check-only --graph %s --next %s --out %s", file.path, next.path,
            out.path);
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
    FILE *stream = fopen(next.path, "r");
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    cr_expect_str_eq(text, "to,1,2,3,4\n1,,2,2,\n2,,,3,\n3,,,,\n4,1,1,1,\n");
    stream = fopen(out.path, "r");
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    cr_expect_str_eq(text, "to,1,2,3,4\n1,0,4,6,inf\n2,inf,0,2,inf\n3,inf,inf,0,inf\n4,0,4,6,0\n");
    unlink(file.path);
    unlink(next.path);
    unlink(out.path);
}

/* As raw files the numbers count from 0, whatever the file calls the vertices. */
Test(apsp, next_vertices_raw)
{
    struct temporary file = file_of("7 30\n30 8\n", ".txt"), next = new_file(".raw");
    static const int expected[] = {-1, 2, 2, -1, -1, -1, -1, 1, -1};
    int got[9] = {0};
    struct raw_header header;
    run_lab(&result, "step11 --check-only --graph %s --next %s", file.path, next.path);
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
    FILE *stream = fopen(next.path, "rb");
    cr_assert_eq(fread(&header, sizeof header, 1, stream), 1);
    cr_assert_eq(fread(got, sizeof *got, 9, stream), 9);
    fclose(stream);
    cr_expect_eq(header.type, 3);
    cr_expect_eq(header.no_path, 0xFFFFFFFF);
    for (int i = 0; i < 9; i++)
        cr_expect_eq(got[i], expected[i], "%d: %d", i, got[i]);
    unlink(file.path);
    unlink(next.path);
}

/* 17 bytes for each vertex. */
Test(apsp, a_long_path_is_printed_to_its_end)
{
    struct temporary file = new_file(".txt");
    FILE *stream = fopen(file.path, "w");
    for (int i = 0; i < 299; i++)
        fprintf(stream, "1000000000%03d 1000000000%03d\n", i, i + 1);
    fclose(stream);
    run_lab(&result,
            "step11 --check-only --fast --variant floyd_warshall_blocked --graph %s "
            "--from 1000000000000 --to 1000000000299",
            file.path);
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "299 from 1000000000000 to 1000000000299: 1000000000000 -> "));
    cr_expect(strstr(result.out, " -> 1000000000298 -> 1000000000299\n"));
    unlink(file.path);
}

/* --- generated ---------------------------------------------------------------------------------*/

/* The same arcs on every machine, for good: sums over all arcs as they were when this was written.
 */
Test(graphs, are_the_same_everywhere)
{
    static const struct {
        enum lab_generator generator;
        double sum;
    } cases[] = {{LAB_GENERATE_GNM, 123550071},
                 {LAB_GENERATE_GNP, 113992554},
                 {LAB_GENERATE_RMAT, 93338091},
                 {LAB_GENERATE_CHAIN, 120918361}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct lab_graph_request request = {.generator = cases[i].generator,
                                            .n = 100,
                                            .arcs = 500,
                                            .probability = 0.05,
                                            .low = 0,
                                            .high = 99,
                                            .seed = 3};
        struct lab_graph graph;
        double sum = 0.0;
        lab_graph_generate(&request, &graph);
        lab_graph_finish(&graph);
        for (size_t a = 0; a < graph.arc_count; a++)
            sum += (graph.arcs[a].from * 100.0 + graph.arcs[a].to) * (graph.arcs[a].weight + 1.0);
        cr_expect_float_eq(sum, cases[i].sum, 0.5, "%zu: %.0f", i, sum);
        cr_expect(graph.least >= 0 && graph.largest <= 99 && graph.largest > 90);
        lab_graph_release(&graph);
    }
}

/* The one that the row ends with is n - 1 arcs away from the first, whatever leads back. */
Test(graphs, a_chain_is_as_long_as_it_can_be)
{
    for (int n = 1; n <= 67; n += 22) {
        struct lab_graph_request request = {
            .generator = LAB_GENERATE_CHAIN, .n = n, .arcs = 3 * n, .low = 1, .high = 1, .seed = 5};
        struct lab_graph graph;
        double farthest = 0.0;
        lab_graph_generate(&request, &graph);
        lab_graph_finish(&graph);
        double *distance = malloc((size_t)n * sizeof *distance);
        void *scratch = malloc(lab_dijkstra_bytes(&graph));
        for (int from = 0; from < n; from++) {
            lab_graph_dijkstra(&graph, NULL, from, distance, scratch);
            for (int to = 0; to < n; to++)
                farthest =
                    isfinite(distance[to]) && distance[to] > farthest ? distance[to] : farthest;
        }
        cr_expect_float_eq(farthest, n - 1.0, 1e-9, "n = %d: %g", n, farthest);
        free(scratch);
        free(distance);
        lab_graph_release(&graph);
    }
}

Test(graphs, potentials_give_weights_below_zero_and_no_negative_cycle)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct lab_graph_request request = {.generator = LAB_GENERATE_POTENTIAL,
                                            .n = 60,
                                            .arcs = 400,
                                            .low = 0,
                                            .high = 50,
                                            .seed = seed};
        struct lab_graph graph;
        struct lab_cycle cycle;
        double potential[60];
        size_t below = 0;
        lab_graph_generate(&request, &graph);
        lab_graph_finish(&graph);
        for (size_t a = 0; a < graph.arc_count; a++)
            below += graph.arcs[a].weight < 0.0;
        cr_expect_gt(below, graph.arc_count / 10, "%zu of %zu", below, graph.arc_count);
        cr_assert_eq(lab_graph_potentials(&graph, potential, &cycle), 0);
        cr_expect_eq(cycle.vertex, -1, "a cycle of %g", cycle.length);
        lab_graph_release(&graph);
    }
}

Test(graphs, have_no_loops_and_of_duplicates_the_least)
{
    struct lab_graph graph = {.n = 3};
    lab_graph_add(&graph, 2, 1, 5);
    lab_graph_add(&graph, 1, 1, 1);
    lab_graph_add(&graph, 2, 1, 3);
    lab_graph_add(&graph, 0, 2, 9);
    lab_graph_add(&graph, 2, 1, 4);
    lab_graph_finish(&graph);
    cr_expect_eq(graph.arc_count, 2);
    cr_expect_eq(graph.loops, 1);
    cr_expect_eq(graph.duplicates, 2);
    cr_expect_float_eq(lab_graph_weight(&graph, 2, 1), 3, 1e-12);
    cr_expect(isinf(lab_graph_weight(&graph, 1, 2)));
    lab_graph_release(&graph);
}

/* R-MAT has a few vertices with many arcs, G(n, m) has none. */
Test(graphs, rmat_is_uneven)
{
    size_t most[2];
    for (int i = 0; i < 2; i++) {
        struct lab_graph_request request = {.generator = i ? LAB_GENERATE_RMAT : LAB_GENERATE_GNM,
                                            .n = 1000,
                                            .arcs = 10000,
                                            .low = 1,
                                            .high = 1,
                                            .seed = 1};
        struct lab_graph graph;
        lab_graph_generate(&request, &graph);
        cr_expect_eq(graph.arc_count, 10000);
        lab_graph_finish(&graph);
        most[i] = 0;
        for (int v = 0; v < graph.n; v++)
            if (graph.first[v + 1] - graph.first[v] > most[i])
                most[i] = graph.first[v + 1] - graph.first[v];
        lab_graph_release(&graph);
    }
    cr_expect_lt(most[0], 30);
    cr_expect_gt(most[1], 45);
}

/* --- read --------------------------------------------------------------------------------------*/

static void expect_read(const char *text, const char *ending, int n, size_t arcs)
{
    struct temporary file = file_of(text, ending);
    struct lab_graph graph;
    cr_assert_eq(lab_graph_read(file.path, &graph), 0, "%s", text);
    lab_graph_finish(&graph);
    cr_expect_eq(graph.n, n, "%s: %d vertices", text, graph.n);
    cr_expect_eq(graph.arc_count, arcs, "%s: %zu arcs", text, graph.arc_count);
    lab_graph_release(&graph);
    unlink(file.path);
}

Test(graphs, of_all_formats_are_read)
{
    expect_read("c hello\n\np sp 4 2\nc more\na 1 2 3\na 4 1 -2.5\n", ".gr", 4, 2);
    expect_read("%%MatrixMarket matrix coordinate real general\n% c\n3 3 2\n1 2 0.5\n3 1 -1e3\n",
                ".mtx", 3, 2);
    expect_read("%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n2 1 5\n3 3 1\n3 2 7\n",
                ".mtx", 3, 4);
    expect_read("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n", ".mtx", 2, 1);
    expect_read("%%MatrixMarket matrix coordinate real general\n1 1 0\n", ".mtx", 1, 0);
    expect_read("# FromNodeId\tToNodeId\r\n5\t9\r\n9\t5\r\n5\t700\r\n", ".txt", 3, 3);
    expect_read("0 1 2.5\n1 0 3", ".txt", 2, 2);
    expect_read("\n \np sp 3 1\na 1 2 3\n", ".gr", 3, 1);
    expect_read("%%MatrixMarket Matrix Coordinate Pattern Symmetric\n2 2 1\n2 1\n", ".mtx", 2, 2);
}

Test(graphs, compressed_are_read)
{
    struct temporary file = file_of("p sp 3 2\na 1 2 4\na 2 3 2\n", ".gr");
    char command[160];
    snprintf(command, sizeof command, "gzip -f %s", file.path);
    cr_assert_eq(system(command), 0);
    run_lab(&result, "step11 --check-only --graph %s.gz", file.path);
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "n=3  arcs=2"), "%s", result.out);
    snprintf(command, sizeof command, "truncate -s -6 %s.gz", file.path);
    cr_assert_eq(system(command), 0);
    run_lab(&result, "step11 --check-only --graph %s.gz", file.path);
    cr_expect_eq(result.status, 2, "a damaged file: %s%s", result.out, result.err);
    snprintf(command, sizeof command, "%s.gz", file.path);
    unlink(command);
}

/* The graphs that come with the lab. */
Test(graphs, of_the_documentation_are_read)
{
    static const char *const files[][2] = {{"streets.gr", "n=256"},
                                           {"mesh.mtx", "n=120"},
                                           {"links.txt.gz", "n=499"},
                                           {"states.txt", "diameter 11, from 6 to 23"}};
    const char *root = getenv("LAB_TEST_ROOT");
    for (int i = 0; i < 4; i++) {
        run_lab(&result,
                "step11 --check-only --type u16 --variant min_plus --graph '%s/docs/graphs/%s'",
                root ? root : ".", files[i][0]);
        cr_expect_eq(result.status, 0, "%s: %s%s", files[i][0], result.out, result.err);
        cr_expect(strstr(result.out, files[i][1]), "%s: %s", files[i][0], result.out);
    }
}

/* Pairs of shorts cut off at 2^15 - 1, beyond which all has to be done again, widened. */
Test(graphs, shorts_around_the_limit_of_pairs)
{
    for (int middle = 0; middle <= 2; middle++) {
        char text[64];
        snprintf(text, sizeof text, "p sp 4 3\na 1 2 16383\na 2 3 %d\na 3 4 16383\n", middle);
        struct temporary file = file_of(text, ".gr");
        run_lab(&result, "step11.6 --check-only --type u16 --graph %s", file.path);
        char diameter[64];
        snprintf(diameter, sizeof diameter, "diameter %d", 32766 + middle);
        cr_expect_eq(result.status, 0, "%d: %s%s", middle, result.out, result.err);
        cr_expect(strstr(result.out, diameter), "%d: %s", middle, result.out);
        unlink(file.path);
    }
}

/* --- refused -----------------------------------------------------------------------------------*/

static void expect_refused(const char *file_text, const char *said)
{
    struct temporary file = file_of(file_text, ".graph");
    expect_error(said, "step11 --graph %s", file.path);
    unlink(file.path);
}

Test(apsp, malformed_lines_have_numbers)
{
    static const char *const cases[][2] = {
        {"p sp 3 1\na 1 4 2\n", "line 2: not 'a FROM TO WEIGHT' with vertices from 1 to 3"},
        {"p sp 3 1\na 0 1 2\n", "line 2"},
        {"p sp 3 1\na 1 2 nan\n", "line 2: the weight"},
        {"p sp 3 1\na 1 2 inf\n", "line 2: the weight"},
        {"p sp 3 1\na 1 2 1e999\n", "line 2: the weight"},
        {"p sp 3 1\na 1 2 3 4\n", "line 2: the weight"},
        {"p sp 3 1\na 1 2\n", "line 2: the weight"},
        {"p sp 3 2\na 1 2 3\n", "2 arcs are promised, the file ends after 1"},
        {"p sp 3 0\na 1 2 3\n", "line 2: more arcs than the 0"},
        {"p sp 3 1\np sp 3 1\n", "line 2: a second line"},
        {"c\na 1 2 3\n", "line 2: an arc before"},
        {"p sp 0 1\n", "line 1"},
        {"p sp 99999999999 1\n", "line 1"},
        {"p max 3 1\n", "line 1: not 'p sp"},
        {"p sp 3 1\nx 1 2 3\n", "line 2: a line begins with"},
        {"c nothing\n", "no line 'p sp"},
        {"%%MatrixMarket matrix array real general\n", "line 1: 'array'"},
        {"%%MatrixMarket matrix coordinate complex general\n", "line 1: 'complex'"},
        {"%%MatrixMarket matrix coordinate real hermitian\n", "line 1: 'hermitian'"},
        {"%%MatrixMarket matrix coordinate real general\n2 3 1\n", "line 2: 2 rows and 3 columns"},
        {"%%MatrixMarket matrix coordinate real general\n3 2 1\n", "line 2: 3 rows and 2 columns"},
        {"%%MatrixMarket matrix coordinate real general\n2 2\n", "line 2: not 'ROWS COLUMNS"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1 1\n", "line 2: not 'ROWS COLUMNS"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2\n", "line 3: not one finite"},
        {"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2 3\n", "line 3: a pattern"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 3\n", "line 3: a symmetric"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 3\n", "ends after 1"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 0\n1 2 3\n", "line 3: more entries"},
        {"0 1\n1 x\n", "line 2: not 'FROM TO'"},
        {"0 1\n-1 2\n", "line 2: not 'FROM TO'"},
        {"0 1 2 3\n", "line 1: the weight"},
        {"0 1\n7 \n", "line 2: not 'FROM TO'"},
        {"p sp 3 \n", "line 1: not 'p sp"},
        {"\na 1 2 3\n", "line 2: an arc before"},
        {"# nothing\n", "holds no arc"},
        {"", "the file is empty"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_refused(cases[i][0], cases[i][1]);
}

Test(graphs, that_are_no_text_or_no_file)
{
    struct temporary file = new_file(".txt");
    char command[160];
    snprintf(command, sizeof command, "printf '0 1\\n1 2\\0 5\\n2 3\\n' > %s", file.path);
    cr_assert_eq(system(command), 0);
    expect_error("line 2: a byte 0", "step11 --graph %s", file.path);
    unlink(file.path);
    cr_assert_eq(mkfifo(file.path, 0600), 0);
    expect_error("not a pipe", "step11 --graph %s", file.path); /* in which nothing comes */
    expect_error("not a pipe", "step11 --graph %s", "/dev/zero");
    unlink(file.path);
}

Test(apsp, graphs_that_do_not_fit)
{
    expect_refused("p sp 2000000 1\na 1 2 3\n", "a graph of 2000000 vertices needs");
    expect_error("GiB of device memory", "step11 -n %s", "3000000");
    expect_error("of the host's memory", "step11 -n 2000 --arcs %s", "1000000000000");
}

Test(apsp, weights_that_do_not_fit)
{
    struct temporary file = file_of("0 1 0.5\n", ".txt");
    expect_error("no whole numbers need --type f32", "step11 --type s32 --graph %s", file.path);
    unlink(file.path);
    file = file_of("0 1 -5\n", ".txt");
    expect_error("below 0", "step11 --type u16 --graph %s", file.path);
    unlink(file.path);
    file = file_of("0 1 65535\n", ".txt");
    expect_error("--type u16 holds at most 65534", "step11 --type u16 --graph %s", file.path);
    unlink(file.path);
    file = file_of("0 1 2147483647\n", ".txt");
    expect_error("--type s32 holds at most 2147483646", "step11 --type s32 --graph %s", file.path);
    unlink(file.path);
    file = file_of("0 1 8e37\n1 2 8e37\n2 3 8e37\n3 0 -8e37\n", ".txt");
    expect_error("could add up to more than --type f32", "step11 --graph %s", file.path);
    unlink(file.path);
    file = file_of("0 1 0.1\n1 2 0.2\n2 0 -0.3\n", ".txt");
    expect_error("too near 0 to be told from it", "step11 --graph %s", file.path);
    unlink(file.path);
    file = file_of("0 1 -200000000\n1 2 300000000\n", ".txt");
    expect_error("could add up", "step11 --type s32 --graph %s", file.path);
    unlink(file.path);
}

Test(apsp, options_that_make_no_sense)
{
    expect_error("f32, s32 or u16", "step11 --type %s", "f64");
    expect_error("gnm, gnp, rmat, chain, potential or dag", "step11 --generate %s", "grid");
    expect_error("LOW..HIGH", "step11 --weight-range %s", "5");
    expect_error("LOW..HIGH", "step11 --weight-range %s", "9..5");
    expect_error("number from 0 to 1", "step11 --generate gnp --probability %s", "1.5");
    expect_error("goes with --generate=gnp", "step11 --probability %s", "0.5");
    expect_error("--arcs or --degree", "step11 --arcs 5 --degree %s", "3");
    expect_error("--from and --to", "step11 --from %s", "3");
    expect_error("no such vertex", "step11 -n 10 --from 3 --to %s", "10");
    expect_error("no such size", "step11 -m %s", "10");
    expect_error("cannot be read", "step11 --graph %s", "/nowhere/at.all");
    expect_error("not with --graph", "step11 -n 5 --graph %s", "/dev/null");
    expect_error("give f32 or f64", "step01 --type %s", "s32");
    expect_error("step09 solves another problem, trmm", "step09 --trans %s", "nn");
    expect_error("--alpha is for gemm", "step11 --alpha %s", "2");
    expect_error("unfinished", "step11 --products 2 --out %s", "/tmp/x");
    expect_error("unfinished", "step11 --products 2 --next %s", "/tmp/x");
    expect_error("No such file", "step11 -n 10 --out %s", "/nowhere/at.all");
    expect_error("Is a directory", "step11 -n 10 --next %s", "/tmp");
    run_lab_expect_error(3, "No space left", "step11 -n 10 --out /dev/full");
    expect_error("no variant of step11", "step11 --products 2 --variant %s", "floyd_warshall");
}

/* --- on the host
 * ---------------------------------------------------------------------------------*/

/* What stands for a library, as far as the host solves the same problem in time. */
Test(graphs, the_host_is_the_reference)
{
    struct made_kernel made;
    made_kernel_open(&made, "apsp", "-n 200");
    cr_expect_gt(made.family->host_ms(made.problem), 0.0);
    const struct lab_graph *graph = &((struct apsp *)made.problem->state)->graph;
    cr_expect_eq(lab_host_ms(graph, 0.0), 0.0);
    cr_expect_gt(lab_host_ms(graph, lab_host_dijkstra_estimate(graph)), 0.0);
    made_kernel_close(&made);
    made_kernel_open(&made, "apsp", "-n 200 --products 1");
    cr_expect_eq(made.family->host_ms(made.problem), 0.0);
    made_kernel_close(&made);
    made_kernel_open(&made, "apsp", "-n 200 --paths");
    cr_expect_eq(made.family->host_ms(made.problem), 0.0);
    made_kernel_close(&made);
}

Test(graphs, the_host_finds_the_same_on_any_number_of_threads)
{
    enum { N = 1100 };
    struct lab_graph graph = random_graph(N, 3, 1, 100, 9);
    double *one = malloc(sizeof(double) * N * N), *four = malloc(sizeof(double) * N * N);
    double *row = malloc(sizeof(double) * N);
    lab_graph_finish(&graph);
    for (size_t i = 0; i < N * N; i++)
        one[i] = i % (N + 1) ? INFINITY : 0.0;
    for (size_t i = 0; i < graph.arc_count; i++)
        one[graph.arcs[i].from * N + graph.arcs[i].to] = graph.arcs[i].weight;
    memcpy(four, one, sizeof(double) * N * N);
    lab_floyd_warshall(one, N, 1);
    lab_floyd_warshall(four, N, 4);
    cr_expect_eq(memcmp(one, four, sizeof(double) * N * N), 0);
    void *scratch = malloc(lab_dijkstra_bytes(&graph));
    lab_graph_dijkstra(&graph, NULL, 7, row, scratch);
    cr_expect_eq(memcmp(one + 7 * N, row, sizeof(double) * N), 0);
    free(scratch);
    free(row);
    free(one);
    free(four);
    lab_graph_release(&graph);
}

/* --- the study ---------------------------------------------------------------------------------*/

Test(apsp, sweep_prints_the_papers_table)
{
    struct temporary json = new_file(".json");
    char text[RUN_LAB_BYTES] = "";
    run_lab(&result, "sweep step11 --runtime sim -n 64 --json %s", json.path);
    cr_assert_eq(result.status, 0, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "table 1") && strstr(result.out, "modelled from the counters"));
    cr_expect(strstr(result.out, "0.4900*   0.7200*   0.7400*"), "the paper's: %s", result.out);
    FILE *file = fopen(json.path, "r");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    unlink(json.path);
    cr_expect(strstr(text, "\"paper_min_plus_ms\": 0.49") && strstr(text, "\"host_dijkstra_ms\""));
}

Test(apsp, sweep_refuses_what_it_does_not_heed)
{
    expect_error("sweep generates its graphs", "sweep step11 --degree %s", "3");
    expect_error("sweep generates its graphs", "sweep step11 --graph %s", "/dev/null");
    expect_error("no parameter study", "sweep %s", "step00a");
}

/* A stage whose rows take what is not asked for unless given names it. */
Test(apsp, a_row_that_does_not_fit_names_its_options)
{
    run_lab_expect_error(2, "; min_plus takes --type u16", "step11.6");
    run_lab_expect_error(2, "; floyd_warshall takes --paths", "step11.8");
    run_lab_expect_error(2, "; or_and takes --semiring=or-and", "step11.7");
    run_lab_expect_error(2, "; min_plus takes --type u16", "step11.6 -n 33 --type f32");
}
