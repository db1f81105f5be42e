/* What a wrong V comes from: the distance, its factor, K or the weight is taken for another, or
 * targets are left out. Each mistake is computed for some wrong elements. */
#include "families/pairwise/pairwise.h"

#include "diagnose/explanation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Samples are fewer where their sums are long. MOST_WORK: values computed for one mistake. */
enum { MOST_SAMPLES = 32, LEAST_SAMPLES = 4, MOST_MISTAKES = 8, MOST_WORK = 1 << 21 };
enum { MOST_VALUES = 1 << 24, SMALLEST_TILE = 4, LARGEST_TILE = 256 };

#define MISTAKE(name, ...) name,
enum mistake {
#include "families/pairwise/mistakes.def"
    OF_KERNEL, /* and those behind it */
    MISTAKES = OF_KERNEL + MOST_MISTAKES
};
#undef MISTAKE

#define MISTAKE(name, words, where) {.text = words, .hint = where},
static const struct lab_explanation all_mistakes[MISTAKES] = {
#include "families/pairwise/mistakes.def"
};
#undef MISTAKE

/* None of them. */
static const enum mistake RIGHT = MISTAKES;

struct points {
    const struct pairwise_state *s;
    float *a, *b, *w; /* of all points */
};

/* A coordinate; 0 past the last point or dimension, as in a tile. */
static double at(const struct points *p, const float *points, int count, int point, int d)
{
    return point < count && d < p->s->k ? points[(size_t)point * p->s->k + d] : 0.0;
}

/* The squared distance from tiles of `tile` targets and as many dimensions, whose indices are
 * exchanged: those of b, or that of the target for which the sum is kept. */
static double distance_by_tiles(const struct points *p, int i, int j, enum mistake which, int tile)
{
    const int first = j / tile * tile;
    double sum = 0.0;
    for (int first_k = 0; first_k < p->s->k; first_k += tile)
        for (int other = 0; other < tile; other++) {
            const int d = which == EXCHANGED ? other : j - first;
            const int target = first + other;
            const int of_b = first_k + j - first;
            const double difference =
                at(p, p->a, p->s->m, i, first_k + d) - at(p, p->b, p->s->n, target, of_b);
            sum += difference * difference;
        }
    return sum;
}

/* The squared distance from pieces of `tile` dimensions, of a or b always the first. */
static double distance_by_pieces(const struct points *p, int i, int j, enum mistake which, int tile)
{
    double sum = 0.0;
    for (int first_k = 0; first_k < p->s->k; first_k += tile)
        for (int d = 0; d < tile; d++) {
            const int of_a = which == PIECE_OF_A ? d : first_k + d;
            const int of_b = which == PIECE_OF_B ? d : first_k + d;
            const double difference = at(p, p->a, p->s->m, i, of_a) - at(p, p->b, p->s->n, j, of_b);
            sum += difference * difference;
        }
    return sum;
}

static double distance_of(const struct points *p, int i, int j, enum mistake which, int tile)
{
    if (which == EXCHANGED || which == OF_DIMENSION)
        return distance_by_tiles(p, i, j, which, tile);
    if (which == PIECE_OF_A || which == PIECE_OF_B)
        return distance_by_pieces(p, i, j, which, tile);
    const int k = p->s->k;
    const size_t source = which == SOURCES_OF_FIRST ? i % tile : i;
    const size_t target = which == TARGETS_OF_FIRST ? j % tile : j;
    const float *const a = p->a + source * k, *const b = p->b + target * k;
    double sum = 0.0;
    const int first = which == LAST_DIMENSION ? k - 1
                      : which == LAST_PIECE   ? (k - 1) / tile * tile
                                              : 0;
    for (int d = first; d < (which == NO_LAST ? k - 1 : k); d++) {
        const double difference = (double)a[d] - b[d], both = (double)a[d] + b[d];
        sum += which == ABSOLUTE  ? fabs(difference)
               : which == SIGNED  ? difference
               : which == OF_SUMS ? both * both
               : which == PRODUCT ? (double)a[d] * b[d]
                                  : difference * difference;
    }
    return which == ROOT ? sqrt(sum) : which == SQUARE ? sum * sum : sum;
}

static double factor_of(double h, enum mistake which)
{
    return which == NO_HALF        ? 1.0 / (h * h)
           : which == NO_FACTOR    ? 1.0
           : which == NOT_SQUARED  ? 0.5 / h
           : which == TWICE_HALF   ? 0.25 / (h * h)
           : which == TWICE_FACTOR ? 0.25 / (h * h * h * h)
           : which == WITH_H_ABOVE ? 0.5 * h * h
           : which == DIVIDED_BY   ? 2.0 * h * h
                                   : 0.5 / (h * h);
}

static double weight_of(const struct points *p, int i, int j, enum mistake which, int tile)
{
    return which == NONE        ? 1.0
           : which == OF_TILE   ? p->w[j % tile]
           : which == OF_SOURCE ? p->w[i % p->s->n]
                                : p->w[j];
}

/* One sum, computed with this mistake. */
static double sum_of(const struct points *p, int i, enum mistake which, int tile)
{
    const struct pairwise_mistake right = {.value = p->s->kernel.value};
    const struct pairwise_mistake kernel =
        which >= OF_KERNEL && which < MISTAKES ? p->s->kernel.mistakes[which - OF_KERNEL] : right;
    double sum = 0.0, kept[LARGEST_TILE] = {0.0};
    for (int j = 0; j < p->s->n; j++) {
        double own = distance_of(p, i, j, which, tile);
        if (which == KEPT)
            own = kept[j % tile] += own;
        const double value = kernel.value(factor_of(p->s->h, which) * own);
        const double of_target = weight_of(p, i, j, which, tile);
        sum += kernel.adds_weight ? of_target + value : of_target * value;
    }
    return sum;
}

/* How far roundings of signed differences move a sum: a kernel may have a pole below 0. */
static double blur_of(const struct points *p, int i)
{
    const double rounding = 8.0 * 0x1p-24, factor = factor_of(p->s->h, RIGHT);
    double sum = 0.0;
    for (int j = 0; j < p->s->n; j++) {
        const double at = distance_of(p, i, j, SIGNED, 1);
        const double by = rounding * distance_of(p, i, j, ABSOLUTE, 1);
        sum += fabs(p->w[j] *
                    (p->s->kernel.value(factor * (at + by)) - p->s->kernel.value(factor * at)));
    }
    return sum;
}

/* Chooses the first elements that are not wrong by rounding; returns their number. */
static int choose(const struct pairwise_state *s, int most, int *sources)
{
    int found = 0;
    for (int i = 0; i < s->m && found < most; i++)
        if (lab_explain_counts(
                &(struct lab_mismatch){0, (size_t)i, s->expected[i].value, (double)s->got[i]},
                s->expected[i].allowed))
            sources[found++] = i;
    return found;
}

/* Mistakes are tried one at a time. */
static bool say_mistake(const struct points *p, const int *sources, int count, char *text,
                        size_t size)
{
    const struct pairwise_mistake *const of_kernel = p->s->kernel.mistakes;
    int mistakes = OF_KERNEL;
    while (mistakes < MISTAKES && of_kernel[mistakes - OF_KERNEL].value)
        mistakes++;
    for (int tile = SMALLEST_TILE; tile <= LARGEST_TILE; tile *= 2) {
        struct lab_explanation found[MISTAKES];
        memcpy(found, all_mistakes, sizeof found);
        for (int m = 0; m < mistakes; m++) {
            found[m].text = m < OF_KERNEL ? found[m].text : of_kernel[m - OF_KERNEL].text;
            for (int at = 0; at < count; at++) {
                const struct pairwise_element *const e = &p->s->expected[sources[at]];
                const struct lab_mismatch wrong = {0, (size_t)sources[at], e->value,
                                                   (double)p->s->got[sources[at]]};
                lab_explain_note(&found[m], sum_of(p, sources[at], (enum mistake)m, tile), &wrong,
                                 e->allowed + (m == SIGNED ? blur_of(p, sources[at]) : 0.0));
            }
        }
        if (lab_explain_say(found, MISTAKES, NULL, text, size))
            return true;
    }
    return false;
}

/* Some wrong elements. */
struct samples {
    const struct points *p;
    int count, sources[MOST_SAMPLES];
};

static double term(const void *samples, int element, int j)
{
    const struct samples *s = samples;
    const struct points *const p = s->p;
    return p->w[j] * p->s->kernel.value(factor_of(p->s->h, RIGHT) *
                                        distance_of(p, s->sources[element], j, RIGHT, 1));
}

/* Says which targets the first few elements lack, or have twice. */
static bool say_run(const struct samples *samples, char *text, size_t size)
{
    enum { ELEMENTS = 4 };
    const struct pairwise_state *const s = samples->p->s;
    struct lab_sums run = {.index = "j", .terms = "targets", .count = s->n};
    for (; run.elements < samples->count && run.elements < ELEMENTS; run.elements++) {
        const int source = samples->sources[run.elements];
        run.error[run.elements] = (double)s->got[source] - s->expected[source].value;
        run.tolerance[run.elements] = s->expected[source].allowed;
    }
    return lab_sums_explain(&run, term, samples, text, size);
}

static bool are_explained(struct lab_evidence *e, char *text, size_t size)
{
    const struct lab_problem *const problem = e->advice->family;
    const struct pairwise_state *const s = problem->state;
    const size_t m = (size_t)s->m, n = (size_t)s->n, k = (size_t)s->k;
    const size_t most = MOST_WORK / (n * k);
    struct samples samples = {.count = 0};
    samples.count = choose(s, most < MOST_SAMPLES ? (int)most : MOST_SAMPLES, samples.sources);
    if (samples.count == 0 || most < LEAST_SAMPLES || m * k > MOST_VALUES)
        return false;
    float *const a = malloc((m * k + n * k + n) * sizeof *a);
    if (!a)
        return false;
    const struct points p = {s, a, a + m * k, a + m * k + n * k};
    samples.p = &p;
    pairwise_fill(problem, PAIRWISE_A, p.a, 0, m * k);
    pairwise_fill(problem, PAIRWISE_B, p.b, 0, n * k);
    pairwise_fill(problem, PAIRWISE_W, p.w, 0, n);
    const bool is_said = say_mistake(&p, samples.sources, samples.count, text, size) ||
                         say_run(&samples, text, size);
    free(a);
    return is_said;
}

const struct lab_hypothesis pairwise_hypotheses[] = {
    {"mistakes in sums", are_explained, LAB_CAUSE_PROVED, LAB_PLACE_SHORT, false},
    {.name = NULL},
};
