/* Family widest: d[i][j] = the greatest width of a path from i to j, where a path is as wide as its
 * narrowest arc: exercise 13. It is the max-min counterpart of shortest paths. Nothing is rounded,
 * so results are compared exactly. */
#include "families/widest.h"
#include "families/runs.h"
#include "families/inputs.h"
#include "families/values.h"

#include "options/family.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct lab_family_options lab_widest_options;

enum { W, D };

/* What the family keeps of a problem. */
struct widest {
    float *expected; /* (n, n), on the host */
};

static int begin(struct lab_problem *p, const struct lab_options *options, int size)
{
    struct lab_widest *widest = p->argument;
    widest->n = lab_size_of(options, p->family->options, 'n', size);
    return LAB_EXIT_OK;
}

static void end(struct lab_problem *p)
{
    free(((struct widest *)p->state)->expected);
}

static int arrays(const void *argument, struct lab_array *list)
{
    const struct lab_widest *p = argument;
    const size_t n = (size_t)p->n;
    list[W] = LAB_ARRAY(struct lab_widest, w, .name = "w", .role = LAB_ROLE_INPUT, .count = n * n,
                        .row = n);
    list[D] = LAB_ARRAY(struct lab_widest, d, .name = "d", .role = LAB_ROLE_OUTPUT, .count = n * n,
                        .row = n, .blank = true);
    list[2] = LAB_ARRAY(struct lab_widest, workspace, .role = LAB_ROLE_SCRATCH);
    return 3;
}

/* About every fourth arc is there; the others have width 0. A path without arcs is infinitely wide.
 * The arcs to the next vertex are wider than all others, so a widest path has up to n - 1 arcs. */
static void fill(const struct lab_problem *p, int which, void *to, size_t first, size_t count)
{
    const size_t next = p->arrays[W].row + 1; /* from one element of the diagonal to the next */
    float *values = to, chance;
    lab_inputs_fill(values, first, count, lab_inputs_seed(p->options->problem.seed, 0));
    for (size_t i = 0; i < count; i++) {
        lab_inputs_fill(&chance, first + i, 1, lab_inputs_seed(p->options->problem.seed, 1));
        values[i] = (first + i) % next == 0   ? INFINITY
                    : (first + i) % next == 1 ? 1.0f + fabsf(values[i])
                    : fabsf(chance) < 0.625f  ? fabsf(values[i])
                                              : 0.0f;
    }
    lab_values_apply(p, which, values, first, count);
}

/* Floyd and Warshall, with max and min. */
static int make_reference(struct lab_problem *p)
{
    struct widest *state = p->state;
    const size_t n = p->arrays[W].row;
    float *expected = state->expected = malloc(n * n * sizeof *expected);
    if (!expected)
        return lab_complain(LAB_EXIT_USAGE, "no memory on the host for n=%zu; give a smaller -n",
                            n);
    fill(p, W, expected, 0, n * n);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++) {
            float first = expected[i * n + k];
            for (size_t j = 0; j < n; j++) {
                float second = expected[k * n + j];
                float through = first < second ? first : second;
                if (through > expected[i * n + j])
                    expected[i * n + j] = through;
            }
        }
    return LAB_EXIT_OK;
}

static void facts(const struct lab_problem *p, struct lab_problem_facts *facts)
{
    const struct lab_widest *widest = p->argument;
    const double n = widest->n;
    *facts = (struct lab_problem_facts){
        .sizes = {{"n", widest->n}},
        .size_count = 1,
        .flops = 2.0 * n * n * n,
        .bytes = 8.0 * n * n,
    };
}

static void expect(const struct lab_problem *p, float *expected, size_t first, size_t count)
{
    const struct widest *state = p->state;
    memcpy(expected, state->expected + first, count * sizeof *expected);
}

/* Extends paths from a vertex by one arc. */
static void extend(const float *w, size_t n, const float *from, float *to)
{
    for (size_t j = 0; j < n; j++)
        to[j] = from[j];
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < n; j++) {
            const float through = from[k] < w[k * n + j] ? from[k] : w[k * n + j];
            to[j] = through > to[j] ? through : to[j];
        }
}

/* The most arcs of the paths that a row of d is the widths of, if n - 1 arcs make wider paths; 0:
 * it is another row. `room`: w, then three rows. */
static size_t most_arcs(const struct lab_problem *p, size_t row, float *room)
{
    const size_t n = p->arrays[W].row, bytes = n * sizeof(float);
    float *const got = room + n * n, *from = got + n, *to = from + n;
    fill(p, W, room, 0, n * n);
    if (cudaMemcpy(got, (const float *)p->buffers[D].data + row * n, bytes,
                   cudaMemcpyDeviceToHost) != cudaSuccess)
        return 0;
    memcpy(from, room + row * n, bytes);
    for (size_t arcs = 1; arcs < n - 1; arcs++) {
        if (memcmp(from, got, bytes) == 0)
            return arcs;
        extend(room, n, from, to);
        memcpy(from, to, bytes);
    }
    return 0;
}

/* A wrong row has what fewer products give. */
static bool has_few_arcs(struct lab_evidence *e, char *text, size_t size)
{
    enum { LARGEST = 512 };
    const struct lab_problem *const p = e->advice->family;
    const size_t row = lab_mismatch_shown(e->mismatches)->row;
    const size_t n = p->arrays[W].row;
    float *const room = n <= LARGEST ? malloc((n + 3) * n * sizeof *room) : NULL;
    const size_t arcs = room ? most_arcs(p, row, room) : 0;
    free(room);
    if (arcs)
        snprintf(text, size,
                 "these are the widest paths of no more arcs than %zu, and paths may have n - 1 = "
                 "%zu: are there products (squarings) enough, and is the last one given out?",
                 arcs, n - 1);
    return arcs > 0;
}

/* One squaring through vertices `first`, `first + step` and so on alone. */
static void square_of_some(const float *from, size_t n, size_t first, size_t step, float *to)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            to[i * n + j] = 0.0f;
            for (size_t k = first; k < n; k += step) {
                const float a = from[i * n + k], b = from[k * n + j], through = a < b ? a : b;
                to[i * n + j] = through > to[i * n + j] ? through : to[i * n + j];
            }
        }
}

/* Whether squarings through these vertices alone give d. `room`: three matrices. */
static bool passes_some(const struct lab_problem *p, size_t first, size_t step, float *room)
{
    const size_t n = p->arrays[W].row, bytes = n * n * sizeof(float);
    float *const got = room, *from = got + n * n, *to = from + n * n;
    fill(p, W, from, 0, n * n);
    if (cudaMemcpy(got, p->buffers[D].data, bytes, cudaMemcpyDeviceToHost) != cudaSuccess)
        return false;
    for (size_t arcs = 1; arcs < n - 1 || arcs == 1; arcs *= 2) {
        float *const next = from;
        square_of_some(from, n, first, step, to);
        from = to;
        to = next;
    }
    return memcmp(from, got, bytes) == 0;
}

static bool have_some(struct lab_evidence *e, char *text, size_t size)
{
    enum { LARGEST = 160 };
    const struct lab_problem *const p = e->advice->family;
    const size_t n = p->arrays[W].row;
    float *const room = n > 1 && n <= LARGEST ? malloc(3 * n * n * sizeof *room) : NULL;
    const bool even = room && passes_some(p, 0, 2, room), odd = room && passes_some(p, 1, 2, room);
    free(room);
    if (even != odd)
        snprintf(text, size,
                 "these are the widest paths through vertices %s alone: does the maximum of three "
                 "take all three, and each product both of its k?",
                 even ? "0, 2, 4, ..." : "1, 3, 5, ...");
    return even != odd;
}

/* ---- Products with one fault, of a matrix of whole tiles ---- */

enum { WHOLE = 64, LARGEST_WHOLE = 128, PIECES = 3 };

/* A fault in each product, for pieces of 8, 16 and 32 vertices; tiles are WHOLE wide. */
enum fault {
    LAST_PIECE_LEFT_OUT,
    B_OF_ROWS_TILE,
    A_OF_COLUMNS_TILE,
    FOURS_TRANSPOSED,
    TILES_TRANSPOSED,
    B_GOES_ON_ALONG_A_ROW,
    A_GOES_ON_DOWN_A_COLUMN,
    FAULTS
};

static const char *const of_fault[FAULTS] = {
    "these are the widest paths that pass through none of the last %zu of %zu vertices, as counted "
    "in "
    "whole tiles: does the loop over k end one tile too soon?",
    "of the second factor the columns are loaded that the tile's rows have the numbers of: is row "
    "taken for col there?",
    "of the first factor the rows are loaded that the tile's columns have the numbers of: is col "
    "taken for row there?",
    "each product is right, and its groups of 4 x 4 stand in each other's place: tx and ty are "
    "exchanged where they are stored",
    "each product is right, and each tile is stored transposed: row and column are exchanged in "
    "the tile",
    "from the second piece of %zu vertices on, the second factor is read further along its first "
    "rows: by how much does its pointer go on, and is that times n?",
    "from the second piece of %zu vertices on, the first factor is read further down its first "
    "columns: by how much does its pointer go on, and not times n?",
};

/* to = from from with the fault, n x n, for pieces of `piece` vertices. */
static void square_with(enum fault fault, size_t piece, const float *from, size_t n, float *to)
{
    const size_t vertices = fault == LAST_PIECE_LEFT_OUT ? n - piece : n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const size_t row = fault == A_OF_COLUMNS_TILE ? j / WHOLE * WHOLE + i % WHOLE : i;
            const size_t col = fault == B_OF_ROWS_TILE ? i / WHOLE * WHOLE + j % WHOLE : j;
            float sum = 0.0f;
            for (size_t k = 0; k < vertices; k++) {
                const size_t along = fault == B_GOES_ON_ALONG_A_ROW ? k / piece * piece : 0;
                const size_t down = fault == A_GOES_ON_DOWN_A_COLUMN ? k / piece * piece : 0;
                const float a = from[(row + down) * n % (n * n) + k - down],
                            b = from[((k - along) * n + col + along) % (n * n)];
                const float through = a < b ? a : b;
                sum = through > sum ? through : sum;
            }
            const size_t r = i % WHOLE, q = j % WHOLE;
            const bool is_turned = fault == TILES_TRANSPOSED, in_fours = fault == FOURS_TRANSPOSED;
            to[(i - r +
                (is_turned  ? q
                 : in_fours ? q / 4 * 4 + r % 4
                            : r)) *
                   n +
               j - q +
               (is_turned  ? r
                : in_fours ? r / 4 * 4 + q % 4
                           : q)] = sum;
        }
}

/* Whether squarings with the fault give d. `room`: three matrices of whole tiles. */
static bool gives(const struct lab_problem *p, enum fault fault, size_t piece, const float *got,
                  size_t whole, float *room)
{
    const size_t n = p->arrays[W].row;
    float *from = room, *to = room + whole * whole;
    memset(room, 0, 2 * whole * whole * sizeof *room);
    for (size_t i = 0; i < n; i++)
        fill(p, W, from + i * whole, i * n, n);
    for (size_t arcs = 1; arcs < n - 1 || arcs == 1; arcs *= 2) {
        float *const next = from;
        square_with(fault, piece, from, whole, to);
        from = to;
        to = next;
    }
    for (size_t i = 0; i < n; i++)
        if (memcmp(from + i * whole, got + i * n, n * sizeof *got) != 0)
            return false;
    return true;
}

static bool has_fault(struct lab_evidence *e, char *text, size_t size)
{
    const struct lab_problem *const p = e->advice->family;
    const size_t n = p->arrays[W].row, whole = (n + WHOLE - 1) / WHOLE * WHOLE;
    float *const room =
        n > 1 && whole <= LARGEST_WHOLE ? malloc(3 * whole * whole * sizeof *room) : NULL;
    float *const got = room + 2 * whole * whole;
    bool is_found = false;
    if (room && cudaMemcpy(got, p->buffers[D].data, n * n * sizeof *got, cudaMemcpyDeviceToHost) ==
                    cudaSuccess)
        for (int i = 0; !is_found && i < FAULTS * PIECES; i++) {
            const enum fault fault = (enum fault)(i / PIECES);
            const size_t piece = (size_t)8 << i % PIECES;
            const bool has_pieces = fault == LAST_PIECE_LEFT_OUT || fault > TILES_TRANSPOSED;
            if (has_pieces || i % PIECES == 0)
                is_found = gives(p, fault, piece, got, whole, room);
            if (is_found)
                snprintf(text, size, of_fault[fault], piece, whole);
        }
    free(room);
    return is_found;
}

/* What the wrong widths have in common, if nothing explains them. */
static bool is_wide_or_narrow(struct lab_evidence *e, char *text, size_t size)
{
    const struct lab_problem *const p = e->advice->family;
    const size_t n = p->arrays[W].row;
    const float *const expected = ((const struct widest *)p->state)->expected;
    float *const got = malloc(n * n * sizeof *got);
    size_t wide = 0, narrow = 0;
    const bool is_read = got && cudaMemcpy(got, p->buffers[D].data, n * n * sizeof *got,
                                           cudaMemcpyDeviceToHost) == cudaSuccess;
    for (size_t i = 0; is_read && i < n * n; i++) {
        wide += got[i] > expected[i];
        narrow += got[i] < expected[i];
    }
    free(got);
    snprintf(text, size, "%s",
             !narrow ? "all of these are wider than any path: something is taken in that is no "
                       "path from i to j; look at the indices of what is loaded and stored, and "
                       "at the order of max and min"
             : !wide ? "all of these are narrower than the widest path, so that paths are left "
                       "out: does each product take every k, each maximum the old one and every "
                       "product, and are there squarings enough?"
                     : "some of these are narrower than the widest path, and some wider than any: "
                       "look at the indices of what is loaded and stored");
    return is_read && wide + narrow > 0;
}

/* All that is wrong is alike. */
static bool are_alike(struct lab_evidence *e, char *text, size_t size)
{
    const struct lab_problem *const p = e->advice->family;
    const size_t n = p->arrays[W].row;
    const float *const expected = ((const struct widest *)p->state)->expected;
    float *const got = malloc(n * n * sizeof *got);
    bool are_inf = got && cudaMemcpy(got, p->buffers[D].data, n * n * sizeof *got,
                                     cudaMemcpyDeviceToHost) == cudaSuccess;
    bool are_zero = are_inf, are_near = are_inf, are_one = are_inf;
    for (size_t i = 0; are_inf + are_zero + are_near + are_one && i < n * n; i++) {
        are_one = are_one && n > 2 && got[i] == got[0] && !(got[i] >= 0.0f);
        if (got[i] != expected[i]) {
            are_near = are_near && isfinite(expected[i]) &&
                       fabsf(got[i] - expected[i]) <= 1e-5f * expected[i];
            are_inf = are_inf && isinf(got[i]) && got[i] > 0.0f;
            are_zero = are_zero && got[i] == 0.0f;
        }
    }
    const double one = are_one ? (double)got[0] : 0.0;
    free(got);
    snprintf(
        text, size, "%s",
        are_inf ? "each of these is infinite, as standing still alone is: a path is as wide as "
                  "the narrowest of its arcs, so that to go on is min, not max or +; and a "
                  "maximum begins with 0, not infinity"
        : are_zero && n > 2
            ? "each of these is 0, as if there were no path: of several paths the widest "
              "counts, max, not min, and a path is as wide as its narrowest arc, min; and has "
              "each maximum the old one and every product?"
        : are_near
            ? "each of these is nearly right: a float has 24 bits, and a word that is compared "
              "or kept as one loses its last 8"
            : "");
    if (are_one)
        snprintf(text, size,
                 "each element is %g, whatever paths there are: it is what a maximum began with, "
                 "or a zero that is set beforehand, if that wins against every width: widths are "
                 "0 or more, and a maximum begins with the least word, 0",
                 one);
    return *text;
}

/* Max and min only choose: a value that is no width of an arc comes of another operation. */
static bool is_no_width(struct lab_evidence *e, char *text, size_t size)
{
    enum { LARGEST = 512 };
    const struct lab_problem *const p = e->advice->family;
    const size_t n = p->arrays[W].row, count = n <= LARGEST ? n * n : 0;
    const float got = (float)lab_mismatch_shown(e->mismatches)->got;
    float *const w = count ? malloc(count * sizeof *w) : NULL;
    bool is_width = !w || got == 0.0f;
    if (w)
        fill(p, W, w, 0, count);
    for (size_t i = 0; i < count && !is_width; i++)
        is_width = w[i] == got;
    free(w);
    snprintf(text, size,
             "%g is the width of no arc, and max and min only choose among these: does + or * "
             "compute here, in place of min, or does a maximum begin with it?",
             (double)got);
    return !is_width;
}

static const struct lab_hypothesis hypotheses[] = {
    {"paths through some vertices", have_some, LAB_CAUSE_PROVED, LAB_PLACE_SHORT, false},
    {"paths of few arcs", has_few_arcs, LAB_CAUSE_PROVED, LAB_PLACE_SHORT, false},
    {"all alike", are_alike, LAB_CAUSE_PROVED, LAB_PLACE_SHORT, false},
    {"no width", is_no_width, LAB_CAUSE_SEEN, LAB_PLACE_SHORT, false},
    {"one fault in each product", has_fault, LAB_CAUSE_PROVED, LAB_PLACE_SHORT, false},
    {"wide or narrow", is_wide_or_narrow, LAB_CAUSE_SEEN, LAB_PLACE_FIRST, false},
    {.name = NULL},
};

static cudaError_t check_output(struct lab_problem *p, struct lab_check *check)
{
    const struct lab_advice advice = {
        .of_unwritten = "does the grid cover the whole matrix, and does every thread reach its "
                        "store?",
        .of_nans =
            "NaN comes in where 0 is multiplied by infinity, or infinity taken from itself, or "
            "where the bits of widths are added or multiplied as integers: min and max "
            "alone make none; or by reading past a matrix, or memory that nobody wrote",
        .of_most = "look at the order of max and min, at what a maximum begins with, and at which "
                   "vertices paths pass through",
        .of_some = "some widths only, as of paths of many arcs: are there squarings enough, and is "
                   "the last product given out?",
        .hypotheses = hypotheses,
        .family = p};
    return lab_exact_check(p, D, expect, &advice, check);
}

/* Numbers of vertices around the tiles in use. */
static const char *const test_sizes[] = {"-n 1",  "-n 2",  "-n 17",  "-n 31",
                                         "-n 33", "-n 65", "-n 129", NULL};
static const char *const gpu_test_sizes[] = {"-n 500", "-n 1025", NULL};

static const char *const thorough[] = {"-n 1",  "-n 2",  "-n 17",  "-n 31", "-n 33",
                                       "-n 64", "-n 66", "-n 129", NULL};

const struct lab_family lab_widest_family = {
    .options = &lab_widest_options,
    .problem_bytes = sizeof(struct lab_widest),
    .state_bytes = sizeof(struct widest),
    .type = "f32",
    .reference = "",
    .reference_in_step = true,
    .work_varies = true,
    .look_at = "the last rows and columns",
    .default_size = 1024,
    .simulated = 3e8,
    .test_sizes = test_sizes,
    .gpu_test_sizes = gpu_test_sizes,
    .thorough = thorough,
    .begin = begin,
    .arrays = arrays,
    .fill = fill,
    .make_reference = make_reference,
    .end = end,
    .facts = facts,
    .check_output = check_output,
};
