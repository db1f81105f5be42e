/* Reads graphs from files: DIMACS, Matrix Market and SNAP, plain or gzip. Nothing in a file is
 * trusted: an error is refused with the number of its line. */
#include "families/apsp/graph/graph.h"

#include "base/status.h"
#include "step.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- words of a line ---------------------------------------------------------------------------*/

static const char *skip_space(const char *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\r')
        at++;
    return at;
}

/* A whole number from `low` to `high`; false when there is none. Moves *at to its end. */
static bool take_integer(const char **at, long long low, long long high, long long *value)
{
    char *end;
    const char *word = skip_space(*at);
    errno = 0;
    *value = strtoll(word, &end, 10);
    bool right = end != word && !errno && *value >= low && *value <= high && strchr(" \t\r", *end);
    *at = end;
    return right;
}

static bool take_weight(const char **at, double *value)
{
    char *end;
    const char *word = skip_space(*at);
    *value = strtod(word, &end) + 0.0; /* turns -0 into 0 */
    bool right = end != word && isfinite(*value) && strchr(" \t\r", *end);
    *at = end;
    return right;
}

static bool at_end(const char *at)
{
    return *skip_space(at) == '\0';
}

/* --- DIMACS: c comment, p sp N M, a FROM TO WEIGHT ---------------------------------------------*/

static int out_of_memory(const struct lab_line_reader *lines)
{
    return lab_line_reader_complain(lines, "no memory on the host for more arcs");
}

static int take_problem_line(const struct lab_line_reader *lines, const char *at,
                             struct lab_graph *graph, long long *promised)
{
    long long n;
    if (graph->n)
        return lab_line_reader_complain(lines, "a second line that begins with p");
    at = skip_space(at);
    if (strncmp(at, "sp", 2) != 0 || !strchr(" \t", at[2]))
        return lab_line_reader_complain(lines, "not 'p sp VERTICES ARCS'");
    at += 2;
    if (!take_integer(&at, 1, LAB_SIZE_MAX, &n) || !take_integer(&at, 0, INT64_MAX, promised) ||
        !at_end(at))
        return lab_line_reader_complain(lines, "not 'p sp VERTICES ARCS' with 1 to %d vertices",
                                        LAB_SIZE_MAX);
    graph->n = (int)n;
    return LAB_EXIT_OK;
}

static int take_arc_line(const struct lab_line_reader *lines, const char *at,
                         struct lab_graph *graph, long long promised)
{
    long long from, to;
    double weight;
    if (!graph->n)
        return lab_line_reader_complain(lines, "an arc before the line 'p sp VERTICES ARCS'");
    if (!take_integer(&at, 1, graph->n, &from) || !take_integer(&at, 1, graph->n, &to))
        return lab_line_reader_complain(lines, "not 'a FROM TO WEIGHT' with vertices from 1 to %d",
                                        graph->n);
    if (!take_weight(&at, &weight) || !at_end(at))
        return lab_line_reader_complain(lines, "the weight is not one finite number");
    if (graph->arc_count == (size_t)promised)
        return lab_line_reader_complain(lines, "more arcs than the %lld that are promised",
                                        promised);
    return lab_graph_add(graph, (int)from - 1, (int)to - 1, weight) ? LAB_EXIT_OK
                                                                    : out_of_memory(lines);
}

static int read_dimacs(struct lab_line_reader *lines, struct lab_graph *graph)
{
    long long promised = 0;
    int status = LAB_EXIT_OK;
    graph->label_base = 1;
    do {
        const char kind = lines->text[0];
        if (kind && kind != 'c' && !strchr(" \t\r", lines->text[1]))
            status = lab_line_reader_complain(lines, "a line begins with c, p or a, and a space");
        else if (kind == 'p')
            status = take_problem_line(lines, lines->text + 1, graph, &promised);
        else if (kind == 'a')
            status = take_arc_line(lines, lines->text + 1, graph, promised);
        else if (kind != 'c' && !at_end(lines->text))
            status = lab_line_reader_complain(lines, "a line begins with c, p or a");
    } while (status == LAB_EXIT_OK && lab_line_reader_next(lines, &status));
    if (status == LAB_EXIT_OK && !graph->n)
        status = lab_line_reader_complain(lines, "no line 'p sp VERTICES ARCS'");
    if (status == LAB_EXIT_OK && graph->arc_count != (size_t)promised)
        status = lab_line_reader_complain(lines, "%lld arcs are promised, the file ends after %zu",
                                          promised, graph->arc_count);
    return status;
}

/* --- Matrix Market: %%MatrixMarket matrix coordinate TYPE SYMMETRY, sizes, entries -------------*/

static const char BANNER[] = "%%MatrixMarket";

struct market {
    bool pattern, symmetric;
    long long entries, seen;
};

static int take_banner(const struct lab_line_reader *lines, struct market *market)
{
    char object[16], format[16], type[16], symmetry[32];
    if (sscanf(lines->text + strlen(BANNER), "%15s %15s %15s %31s", object, format, type,
               symmetry) != 4 ||
        strcasecmp(object, "matrix") != 0)
        return lab_line_reader_complain(lines,
                                        "not '%%%%MatrixMarket matrix coordinate TYPE SYMMETRY'");
    if (strcasecmp(format, "coordinate") != 0)
        return lab_line_reader_complain(lines, "'%s': only coordinate matrices are read", format);
    market->pattern = strcasecmp(type, "pattern") == 0;
    market->symmetric = strcasecmp(symmetry, "symmetric") == 0;
    if (!market->pattern && strcasecmp(type, "real") != 0 && strcasecmp(type, "integer") != 0)
        return lab_line_reader_complain(lines, "'%s': the type is integer, real or pattern", type);
    if (!market->symmetric && strcasecmp(symmetry, "general") != 0)
        return lab_line_reader_complain(lines, "'%s': a matrix is general or symmetric", symmetry);
    return LAB_EXIT_OK;
}

static int take_sizes(const struct lab_line_reader *lines, struct market *market,
                      struct lab_graph *graph)
{
    const char *at = lines->text;
    long long rows, columns;
    if (!take_integer(&at, 1, LAB_SIZE_MAX, &rows) ||
        !take_integer(&at, 1, LAB_SIZE_MAX, &columns) ||
        !take_integer(&at, 0, INT64_MAX, &market->entries) || !at_end(at))
        return lab_line_reader_complain(lines, "not 'ROWS COLUMNS ENTRIES' with 1 to %d rows",
                                        LAB_SIZE_MAX);
    if (rows != columns)
        return lab_line_reader_complain(
            lines, "%lld rows and %lld columns: a graph's matrix is square", rows, columns);
    graph->n = (int)rows;
    return LAB_EXIT_OK;
}

static int take_entry(const struct lab_line_reader *lines, struct market *market,
                      struct lab_graph *graph)
{
    const char *at = lines->text;
    long long from, to;
    double weight = 1.0;
    if (!take_integer(&at, 1, graph->n, &from) || !take_integer(&at, 1, graph->n, &to))
        return lab_line_reader_complain(lines, "not 'ROW COLUMN%s' from 1 to %d",
                                        market->pattern ? "" : " VALUE", graph->n);
    if ((!market->pattern && !take_weight(&at, &weight)) || !at_end(at))
        return lab_line_reader_complain(lines, market->pattern ? "a pattern has no values"
                                                               : "not one finite number");
    if (market->symmetric && from < to)
        return lab_line_reader_complain(lines,
                                        "a symmetric matrix has entries below the diagonal only");
    if (market->seen++ == market->entries)
        return lab_line_reader_complain(lines, "more entries than the %lld that are promised",
                                        market->entries);
    bool added = lab_graph_add(graph, (int)from - 1, (int)to - 1, weight);
    if (added && market->symmetric && from != to)
        added = lab_graph_add(graph, (int)to - 1, (int)from - 1, weight);
    return added ? LAB_EXIT_OK : out_of_memory(lines);
}

static int read_market(struct lab_line_reader *lines, struct lab_graph *graph)
{
    struct market market = {0};
    int status = take_banner(lines, &market);
    graph->label_base = 1;
    while (status == LAB_EXIT_OK && lab_line_reader_next(lines, &status)) {
        if (lines->text[0] == '%' || at_end(lines->text))
            continue;
        status = graph->n ? take_entry(lines, &market, graph) : take_sizes(lines, &market, graph);
    }
    if (status == LAB_EXIT_OK && !graph->n)
        status = lab_line_reader_complain(lines, "no line 'ROWS COLUMNS ENTRIES'");
    if (status == LAB_EXIT_OK && market.seen != market.entries)
        status =
            lab_line_reader_complain(lines, "%lld entries are promised, the file ends after %lld",
                                     market.entries, market.seen);
    return status;
}

/* --- SNAP: # comment, FROM TO, and perhaps a weight --------------------------------------------*/

/* Vertices may have any labels: arcs are kept here until all labels are known. */
struct ends {
    long long *labels; /* (2 * arcs) */
    size_t room;
};

static int take_edge(const struct lab_line_reader *lines, struct ends *ends,
                     struct lab_graph *graph)
{
    const char *at = lines->text;
    long long from, to;
    double weight = 1.0;
    if (!take_integer(&at, 0, INT64_MAX, &from) || !take_integer(&at, 0, INT64_MAX, &to))
        return lab_line_reader_complain(lines,
                                        "not 'FROM TO' or 'FROM TO WEIGHT' with vertices from 0");
    if (!at_end(at) && (!take_weight(&at, &weight) || !at_end(at)))
        return lab_line_reader_complain(lines, "the weight is not one finite number");
    if (!lab_graph_add(graph, 0, 0, weight))
        return out_of_memory(lines);
    if (2 * graph->room != ends->room) {
        long long *labels = realloc(ends->labels, 2 * graph->room * sizeof *labels);
        if (!labels)
            return out_of_memory(lines);
        ends->labels = labels;
        ends->room = 2 * graph->room;
    }
    ends->labels[2 * graph->arc_count - 2] = from;
    ends->labels[2 * graph->arc_count - 1] = to;
    return LAB_EXIT_OK;
}

static int by_value(const void *one, const void *other)
{
    long long a = *(const long long *)one, b = *(const long long *)other;
    return a < b ? -1 : a > b;
}

/* Numbers the vertices in the order of their labels. */
static int number_vertices(const struct lab_line_reader *lines, const struct ends *ends,
                           struct lab_graph *graph)
{
    size_t count = 2 * graph->arc_count, kept = 0;
    if (!count)
        return lab_line_reader_complain(lines, "the file holds no arc");
    graph->labels = malloc(count * sizeof *graph->labels);
    if (!graph->labels)
        return out_of_memory(lines);
    memcpy(graph->labels, ends->labels, count * sizeof *graph->labels);
    qsort(graph->labels, count, sizeof *graph->labels, by_value);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || graph->labels[i] != graph->labels[kept - 1])
            graph->labels[kept++] = graph->labels[i];
    if (kept > LAB_SIZE_MAX)
        return lab_line_reader_complain(lines, "more than %d vertices", LAB_SIZE_MAX);
    graph->n = (int)kept;
    for (size_t i = 0; i < graph->arc_count; i++) {
        graph->arcs[i].from = lab_graph_vertex(graph, ends->labels[2 * i]);
        graph->arcs[i].to = lab_graph_vertex(graph, ends->labels[2 * i + 1]);
    }
    return LAB_EXIT_OK;
}

static int read_snap(struct lab_line_reader *lines, struct lab_graph *graph)
{
    struct ends ends = {0};
    int status = LAB_EXIT_OK;
    do {
        if (lines->text[0] != '#' && !at_end(lines->text))
            status = take_edge(lines, &ends, graph);
    } while (status == LAB_EXIT_OK && lab_line_reader_next(lines, &status));
    if (status == LAB_EXIT_OK)
        status = number_vertices(lines, &ends, graph);
    free(ends.labels);
    return status;
}

/* --- which format ------------------------------------------------------------------------------*/

int lab_graph_read(const char *path, struct lab_graph *graph)
{
    struct lab_line_reader lines;
    *graph = (struct lab_graph){0};
    int status = lab_line_reader_open(&lines, path);
    if (status != LAB_EXIT_OK)
        return status;
    bool found = lab_line_reader_next(&lines, &status);
    while (found && at_end(lines.text))
        found = lab_line_reader_next(&lines, &status);
    if (!found) {
        if (status == LAB_EXIT_OK)
            status = lab_complain(LAB_EXIT_USAGE, "%s: the file is empty", path);
    } else if (strncasecmp(lines.text, BANNER, strlen(BANNER)) == 0) {
        status = read_market(&lines, graph);
    } else if (strchr("cpa", lines.text[0])) {
        status = read_dimacs(&lines, graph);
    } else {
        status = read_snap(&lines, graph);
    }
    lab_line_reader_close(&lines);
    return status;
}
