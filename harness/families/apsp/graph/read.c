/* Reads graphs from files: DIMACS, Matrix Market and SNAP, plain or gzip. Nothing in a file is
 * trusted: an error is refused with the number of its line. zlib is loaded only when the first gzip
 * file comes. */
#include "families/apsp/graph/graph.h"

#include "step.h"

#include "base/files.h"
#include "base/status.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- lines of a file ---------------------------------------------------------------------------*/

enum { LINE_BYTES = 4096 };

/* An open file and its current line. */
struct lines {
    const char *path;
    FILE *plain;
    void *gzip; /* zlib's gzFile, if the file is gzip */
    void *zlib; /* the library, loaded only for gzip */
    long number;
    char text[LINE_BYTES]; /* without the newline */
};

typedef void *open_fn(const char *path, const char *mode);
typedef char *gets_fn(void *file, char *text, int size);
typedef int close_fn(void *file);
typedef int eof_fn(void *file);
typedef const char *error_fn(void *file, int *number);

/* Complains about the current line; LAB_EXIT_USAGE. */
__attribute__((format(printf, 2, 3))) static int complain(const struct lines *lines,
                                                          const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return lab_complain(LAB_EXIT_USAGE, "%s, line %ld: %s", lines->path, lines->number, what);
}

static int open_gzip(struct lines *lines)
{
    fclose(lines->plain);
    lines->plain = NULL;
    lines->zlib = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!lines->zlib)
        return lab_complain(LAB_EXIT_MISSING,
                            "%s is compressed and zlib is not here: install zlib1g, or gunzip it",
                            lines->path);
    open_fn *open = (open_fn *)dlsym(lines->zlib, "gzopen");
    lines->gzip = open ? open(lines->path, "rb") : NULL;
    return lines->gzip ? LAB_EXIT_OK
                       : lab_complain(LAB_EXIT_USAGE, "%s cannot be read: %s", lines->path,
                                      strerror(errno));
}

/* Opens a file; an exit status. */
static int open_lines(struct lines *lines, const char *path)
{
    *lines = (struct lines){.path = path};
    const char *why;
    lines->plain = lab_open_text(path, &why);
    if (!lines->plain)
        return lab_complain(LAB_EXIT_USAGE, "%s cannot be read: %s", path, why);
    int first = getc(lines->plain), second = getc(lines->plain);
    if (first == 0x1F && second == 0x8B)
        return open_gzip(lines);
    if (ferror(lines->plain)) {
        fclose(lines->plain);
        return lab_complain(LAB_EXIT_USAGE, "%s cannot be read: %s", path, strerror(errno));
    }
    rewind(lines->plain);
    return LAB_EXIT_OK;
}

static char *get_line(struct lines *lines)
{
    if (lines->plain)
        return fgets(lines->text, sizeof lines->text, lines->plain);
    gets_fn *gets = (gets_fn *)dlsym(lines->zlib, "gzgets");
    return gets(lines->gzip, lines->text, sizeof lines->text);
}

/* Damaged data and the end of the file look alike to a reader of lines; zlib tells them apart. */
static bool is_damaged(struct lines *lines)
{
    int number = 0;
    if (lines->plain)
        return ferror(lines->plain);
    error_fn *error = (error_fn *)dlsym(lines->zlib, "gzerror");
    error(lines->gzip, &number);
    return number < 0;
}

static bool is_at_end(const struct lines *lines)
{
    if (lines->plain)
        return feof(lines->plain);
    eof_fn *eof = (eof_fn *)dlsym(lines->zlib, "gzeof");
    return eof(lines->gzip);
}

/* Reads the next line. False at the end, or with *status set after an error. */
static bool next_line(struct lines *lines, int *status)
{
    if (!get_line(lines)) {
        lines->text[0] = '\0';
        if (is_damaged(lines))
            *status = complain(lines, "the file is damaged after this line");
        return false;
    }
    lines->number++;
    size_t length = strlen(lines->text);
    if (length == sizeof lines->text - 1 && lines->text[length - 1] != '\n') {
        *status = complain(lines, "longer than %zu bytes", length);
        return false;
    }
    if (length && lines->text[length - 1] == '\n') {
        lines->text[length - 1] = '\0';
    } else if (is_damaged(lines) || !is_at_end(lines)) {
        *status = complain(lines, is_damaged(lines) ? "the file is damaged in this line"
                                                    : "a byte 0 in it: this is no text");
        return false;
    }
    return true;
}

static void close_lines(struct lines *lines)
{
    if (lines->plain)
        fclose(lines->plain);
    if (lines->gzip)
        ((close_fn *)dlsym(lines->zlib, "gzclose"))(lines->gzip);
    if (lines->zlib)
        dlclose(lines->zlib);
}

/* Reads graphs from files: DIMACS, Matrix Market and SNAP, plain or gzip. Nothing in a file is
 * trusted: an error is refused with the number of its line. */

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

static int out_of_memory(const struct lines *lines)
{
    return complain(lines, "no memory on the host for more arcs");
}

static int take_problem_line(const struct lines *lines, const char *at, struct lab_graph *graph,
                             long long *promised)
{
    long long n;
    if (graph->n)
        return complain(lines, "a second line that begins with p");
    at = skip_space(at);
    if (strncmp(at, "sp", 2) != 0 || !strchr(" \t", at[2]))
        return complain(lines, "not 'p sp VERTICES ARCS'");
    at += 2;
    if (!take_integer(&at, 1, LAB_SIZE_MAX, &n) || !take_integer(&at, 0, INT64_MAX, promised) ||
        !at_end(at))
        return complain(lines, "not 'p sp VERTICES ARCS' with 1 to %d vertices", LAB_SIZE_MAX);
    graph->n = (int)n;
    return LAB_EXIT_OK;
}

static int take_arc_line(const struct lines *lines, const char *at, struct lab_graph *graph,
                         long long promised)
{
    long long from, to;
    double weight;
    if (!graph->n)
        return complain(lines, "an arc before the line 'p sp VERTICES ARCS'");
    if (!take_integer(&at, 1, graph->n, &from) || !take_integer(&at, 1, graph->n, &to))
        return complain(lines, "not 'a FROM TO WEIGHT' with vertices from 1 to %d", graph->n);
    if (!take_weight(&at, &weight) || !at_end(at))
        return complain(lines, "the weight is not one finite number");
    if (graph->arc_count == (size_t)promised)
        return complain(lines, "more arcs than the %lld that are promised", promised);
    return lab_graph_add(graph, (int)from - 1, (int)to - 1, weight) ? LAB_EXIT_OK
                                                                    : out_of_memory(lines);
}

static int read_dimacs(struct lines *lines, struct lab_graph *graph)
{
    long long promised = 0;
    int status = LAB_EXIT_OK;
    graph->label_base = 1;
    do {
        const char kind = lines->text[0];
        if (kind && kind != 'c' && !strchr(" \t\r", lines->text[1]))
            status = complain(lines, "a line begins with c, p or a, and a space");
        else if (kind == 'p')
            status = take_problem_line(lines, lines->text + 1, graph, &promised);
        else if (kind == 'a')
            status = take_arc_line(lines, lines->text + 1, graph, promised);
        else if (kind != 'c' && !at_end(lines->text))
            status = complain(lines, "a line begins with c, p or a");
    } while (status == LAB_EXIT_OK && next_line(lines, &status));
    if (status == LAB_EXIT_OK && !graph->n)
        status = complain(lines, "no line 'p sp VERTICES ARCS'");
    if (status == LAB_EXIT_OK && graph->arc_count != (size_t)promised)
        status = complain(lines, "%lld arcs are promised, the file ends after %zu", promised,
                          graph->arc_count);
    return status;
}

/* --- Matrix Market: %%MatrixMarket matrix coordinate TYPE SYMMETRY, sizes, entries -------------*/

static const char BANNER[] = "%%MatrixMarket";

struct market {
    bool pattern, symmetric;
    long long entries, seen;
};

static int take_banner(const struct lines *lines, struct market *market)
{
    char object[16], format[16], type[16], symmetry[32];
    if (sscanf(lines->text + strlen(BANNER), "%15s %15s %15s %31s", object, format, type,
               symmetry) != 4 ||
        strcasecmp(object, "matrix") != 0)
        return complain(lines, "not '%%%%MatrixMarket matrix coordinate TYPE SYMMETRY'");
    if (strcasecmp(format, "coordinate") != 0)
        return complain(lines, "'%s': only coordinate matrices are read", format);
    market->pattern = strcasecmp(type, "pattern") == 0;
    market->symmetric = strcasecmp(symmetry, "symmetric") == 0;
    if (!market->pattern && strcasecmp(type, "real") != 0 && strcasecmp(type, "integer") != 0)
        return complain(lines, "'%s': the type is integer, real or pattern", type);
    if (!market->symmetric && strcasecmp(symmetry, "general") != 0)
        return complain(lines, "'%s': a matrix is general or symmetric", symmetry);
    return LAB_EXIT_OK;
}

static int take_sizes(const struct lines *lines, struct market *market, struct lab_graph *graph)
{
    const char *at = lines->text;
    long long rows, columns;
    if (!take_integer(&at, 1, LAB_SIZE_MAX, &rows) ||
        !take_integer(&at, 1, LAB_SIZE_MAX, &columns) ||
        !take_integer(&at, 0, INT64_MAX, &market->entries) || !at_end(at))
        return complain(lines, "not 'ROWS COLUMNS ENTRIES' with 1 to %d rows", LAB_SIZE_MAX);
    if (rows != columns)
        return complain(lines, "%lld rows and %lld columns: a graph's matrix is square", rows,
                        columns);
    graph->n = (int)rows;
    return LAB_EXIT_OK;
}

static int take_entry(const struct lines *lines, struct market *market, struct lab_graph *graph)
{
    const char *at = lines->text;
    long long from, to;
    double weight = 1.0;
    if (!take_integer(&at, 1, graph->n, &from) || !take_integer(&at, 1, graph->n, &to))
        return complain(lines, "not 'ROW COLUMN%s' from 1 to %d", market->pattern ? "" : " VALUE",
                        graph->n);
    if ((!market->pattern && !take_weight(&at, &weight)) || !at_end(at))
        return complain(lines,
                        market->pattern ? "a pattern has no values" : "not one finite number");
    if (market->symmetric && from < to)
        return complain(lines, "a symmetric matrix has entries below the diagonal only");
    if (market->seen++ == market->entries)
        return complain(lines, "more entries than the %lld that are promised", market->entries);
    bool added = lab_graph_add(graph, (int)from - 1, (int)to - 1, weight);
    if (added && market->symmetric && from != to)
        added = lab_graph_add(graph, (int)to - 1, (int)from - 1, weight);
    return added ? LAB_EXIT_OK : out_of_memory(lines);
}

static int read_market(struct lines *lines, struct lab_graph *graph)
{
    struct market market = {0};
    int status = take_banner(lines, &market);
    graph->label_base = 1;
    while (status == LAB_EXIT_OK && next_line(lines, &status)) {
        if (lines->text[0] == '%' || at_end(lines->text))
            continue;
        status = graph->n ? take_entry(lines, &market, graph) : take_sizes(lines, &market, graph);
    }
    if (status == LAB_EXIT_OK && !graph->n)
        status = complain(lines, "no line 'ROWS COLUMNS ENTRIES'");
    if (status == LAB_EXIT_OK && market.seen != market.entries)
        status = complain(lines, "%lld entries are promised, the file ends after %lld",
                          market.entries, market.seen);
    return status;
}

/* --- SNAP: # comment, FROM TO, and perhaps a weight --------------------------------------------*/

/* Vertices may have any labels: arcs are kept here until all labels are known. */
struct ends {
    long long *labels; /* (2 * arcs) */
    size_t room;
};

static int take_edge(const struct lines *lines, struct ends *ends, struct lab_graph *graph)
{
    const char *at = lines->text;
    long long from, to;
    double weight = 1.0;
    if (!take_integer(&at, 0, INT64_MAX, &from) || !take_integer(&at, 0, INT64_MAX, &to))
        return complain(lines, "not 'FROM TO' or 'FROM TO WEIGHT' with vertices from 0");
    if (!at_end(at) && (!take_weight(&at, &weight) || !at_end(at)))
        return complain(lines, "the weight is not one finite number");
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
static int number_vertices(const struct lines *lines, const struct ends *ends,
                           struct lab_graph *graph)
{
    size_t count = 2 * graph->arc_count, kept = 0;
    if (!count)
        return complain(lines, "the file holds no arc");
    graph->labels = malloc(count * sizeof *graph->labels);
    if (!graph->labels)
        return out_of_memory(lines);
    memcpy(graph->labels, ends->labels, count * sizeof *graph->labels);
    qsort(graph->labels, count, sizeof *graph->labels, by_value);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || graph->labels[i] != graph->labels[kept - 1])
            graph->labels[kept++] = graph->labels[i];
    if (kept > LAB_SIZE_MAX)
        return complain(lines, "more than %d vertices", LAB_SIZE_MAX);
    graph->n = (int)kept;
    for (size_t i = 0; i < graph->arc_count; i++) {
        graph->arcs[i].from = lab_graph_vertex(graph, ends->labels[2 * i]);
        graph->arcs[i].to = lab_graph_vertex(graph, ends->labels[2 * i + 1]);
    }
    return LAB_EXIT_OK;
}

static int read_snap(struct lines *lines, struct lab_graph *graph)
{
    struct ends ends = {0};
    int status = LAB_EXIT_OK;
    do {
        if (lines->text[0] != '#' && !at_end(lines->text))
            status = take_edge(lines, &ends, graph);
    } while (status == LAB_EXIT_OK && next_line(lines, &status));
    if (status == LAB_EXIT_OK)
        status = number_vertices(lines, &ends, graph);
    free(ends.labels);
    return status;
}

/* --- which format ------------------------------------------------------------------------------*/

int lab_graph_read(const char *path, struct lab_graph *graph)
{
    struct lines lines;
    *graph = (struct lab_graph){0};
    int status = open_lines(&lines, path);
    if (status != LAB_EXIT_OK)
        return status;
    bool found = next_line(&lines, &status);
    while (found && at_end(lines.text))
        found = next_line(&lines, &status);
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
    close_lines(&lines);
    return status;
}
