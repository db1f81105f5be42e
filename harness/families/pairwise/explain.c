/* What a wrong V comes from: the distance, its factor, K or the weight is taken for another, or
 * targets are left out. Each mistake is computed for some wrong elements. */
#include "families/explain.h"
#include "families/pairwise/pairwise.h"

#include <math.h>
#include <stdlib.h>

/* Samples are fewer where their sums are long. MOST_WORK: values computed for one mistake. */
enum { MOST_SAMPLES = 32, LEAST_SAMPLES = 4, MOST_MISTAKES = 8, MOST_WORK = 1 << 21 };
enum { MOST_VALUES = 1 << 24, SMALLEST_TILE = 4, LARGEST_TILE = 256 };

/* What a distance is taken for. */
enum distance {
    SQUARED,
    ABSOLUTE,
    SIGNED,
    OF_SUMS,
    PRODUCT,
    ROOT,
    LAST_DIMENSION,
    NO_LAST,
    KEPT,
    DISTANCES
};

static const struct lab_explanation distances[DISTANCES] = {
    [ABSOLUTE] = {.text = "the differences were not squared"},
    [SIGNED] = {.text = "the differences were added as they are, not squared"},
    [OF_SUMS] = {.text = "a and b were added in place of subtracted in the distance"},
    [PRODUCT] = {.text = "the product of a and b were taken in place of their squared distance"},
    [ROOT] = {.text = "the root of the squared distance were taken"},
    [LAST_DIMENSION] = {.text = "only the last dimension counted in the distance",
                        .hint = "is it assigned in place of added up?"},
    [NO_LAST] = {.text = "the last dimension were left out of the distance",
                 .hint = "where does the loop over dimensions end?"},
    [KEPT] = {.text = "the distances of each tile of targets began with those of the tile before",
              .hint = "are they set to 0 for each tile?"},
};

/* What 1 / (2 h^2) is taken for. */
enum factor {
    RIGHT,
    NO_HALF,
    NO_FACTOR,
    NOT_SQUARED,
    TWICE_HALF,
    WITH_H_ABOVE,
    DIVIDED_BY,
    FACTORS
};

static const struct lab_explanation factors[FACTORS] = {
    [NO_HALF] = {.text = "the 2 of 2 h^2 were left out"},
    [NO_FACTOR] = {.text = "the distance were not divided by 2 h^2"},
    [NOT_SQUARED] = {.text = "h were not squared in 2 h^2"},
    [TWICE_HALF] = {.text = "the distance were divided by 4 h^2"},
    [WITH_H_ABOVE] = {.text = "the distance were multiplied by h^2, by which it is to be divided"},
    [DIVIDED_BY] = {.text = "the distance were divided by 1 / (2 h^2), by which it is to be "
                            "multiplied"},
};

/* What w_j is taken for. */
enum weight { OWN, NONE, OF_TILE, OF_SOURCE, WEIGHTS };

static const struct lab_explanation weights[WEIGHTS] = {
    [NONE] = {.text = "the weights were left out"},
    [OF_TILE] = {.text = "each tile of targets had the weights of the first tile",
                 .hint = "does the index of w count from the first target of its tile?"},
    [OF_SOURCE] = {.text = "the weight of the source's number were taken in place of the target's"},
};

struct points {
    const struct pairwise_state *s;
    float *a, *b, *w; /* of all points */
};

static double distance_of(const struct points *p, int i, int j, enum distance which)
{
    const int k = p->s->k;
    const float *const a = p->a + (size_t)i * k, *const b = p->b + (size_t)j * k;
    double sum = 0.0;
    for (int d = which == LAST_DIMENSION ? k - 1 : 0; d < (which == NO_LAST ? k - 1 : k); d++) {
        const double difference = (double)a[d] - b[d], both = (double)a[d] + b[d];
        sum += which == ABSOLUTE  ? fabs(difference)
               : which == SIGNED  ? difference
               : which == OF_SUMS ? both * both
               : which == PRODUCT ? (double)a[d] * b[d]
                                  : difference * difference;
    }
    return which == ROOT ? sqrt(sum) : sum;
}

static double factor_of(double h, enum factor which)
{
    const double factors_of_h[FACTORS] = {0.5 / (h * h),  1.0 / (h * h), 1.0,        0.5 / h,
                                          0.25 / (h * h), 0.5 * h * h,   2.0 * h * h};
    return factors_of_h[which];
}

static double weight_of(const struct points *p, int i, int j, enum weight which, int tile)
{
    return which == NONE        ? 1.0
           : which == OF_TILE   ? p->w[j % tile]
           : which == OF_SOURCE ? p->w[i % p->s->n]
                                : p->w[j];
}

/* One sum, computed with these mistakes. */
static double sum_of(const struct points *p, int i, enum distance distance, enum factor factor,
                     enum weight weight, int tile, struct pairwise_mistake kernel)
{
    double sum = 0.0, kept[LARGEST_TILE] = {0.0};
    for (int j = 0; j < p->s->n; j++) {
        double own = distance_of(p, i, j, distance);
        if (distance == KEPT)
            own = kept[j % tile] += own;
        const double value = kernel.value(factor_of(p->s->h, factor) * own);
        const double of_target = weight_of(p, i, j, weight, tile);
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
        const double at = distance_of(p, i, j, SIGNED);
        const double by = rounding * distance_of(p, i, j, ABSOLUTE);
        sum += fabs(p->w[j] *
                    (p->s->kernel.value(factor * (at + by)) - p->s->kernel.value(factor * at)));
    }
    return sum;
}

/* All mistakes, which are tried one at a time. */
struct mistakes {
    struct lab_explanation distance[DISTANCES], factor[FACTORS], weight[WEIGHTS],
        kernel[MOST_MISTAKES];
};
enum { MISTAKES = sizeof(struct mistakes) / sizeof(struct lab_explanation) };

static void note_source(const struct points *p, int i, int tile, struct mistakes *m)
{
    const struct pairwise_state *const s = p->s;
    const struct pairwise_element *const e = &s->expected[i];
    const struct lab_finding finding = {0, (size_t)i, e->value, (double)s->got[i]};
    const struct pairwise_mistake right = {.value = s->kernel.value};
    for (enum distance d = SQUARED + 1; d < DISTANCES; d++)
        lab_explain_note(&m->distance[d], sum_of(p, i, d, RIGHT, OWN, tile, right), &finding,
                         e->allowed + (d == SIGNED ? blur_of(p, i) : 0.0));
    for (enum factor f = RIGHT + 1; f < FACTORS; f++)
        lab_explain_note(&m->factor[f], sum_of(p, i, SQUARED, f, OWN, tile, right), &finding,
                         e->allowed);
    for (enum weight w = OWN + 1; w < WEIGHTS; w++)
        lab_explain_note(&m->weight[w], sum_of(p, i, SQUARED, RIGHT, w, tile, right), &finding,
                         e->allowed);
    for (int x = 0; x < MOST_MISTAKES && s->kernel.mistakes[x].value; x++)
        lab_explain_note(&m->kernel[x],
                         sum_of(p, i, SQUARED, RIGHT, OWN, tile, s->kernel.mistakes[x]), &finding,
                         e->allowed);
}

/* Chooses the first elements that are not wrong by rounding; returns their number. */
static int choose(const struct pairwise_state *s, int most, int *sources)
{
    int found = 0;
    for (int i = 0; i < s->m && found < most; i++)
        if (lab_explain_counts(
                &(struct lab_finding){0, (size_t)i, s->expected[i].value, (double)s->got[i]},
                s->expected[i].allowed))
            sources[found++] = i;
    return found;
}

static bool say_mistake(const struct points *p, const int *sources, int count, char *text,
                        size_t size)
{
    for (int tile = SMALLEST_TILE; tile <= LARGEST_TILE; tile *= 2) {
        struct mistakes m = {.distance = {{0}}};
        for (int i = 0; i < DISTANCES; i++)
            m.distance[i] = distances[i];
        for (int i = 0; i < FACTORS; i++)
            m.factor[i] = factors[i];
        for (int i = 0; i < WEIGHTS; i++)
            m.weight[i] = weights[i];
        for (int i = 0; i < MOST_MISTAKES && p->s->kernel.mistakes[i].value; i++)
            m.kernel[i].text = p->s->kernel.mistakes[i].text;
        for (int i = 0; i < count; i++)
            note_source(p, sources[i], tile, &m);
        if (lab_explain_say(m.distance, MISTAKES, NULL, text, size))
            return true;
    }
    return false;
}

/* Says which targets the first few elements lack, or have twice. */
static bool say_run(const struct points *p, const int *sources, int count, char *text, size_t size)
{
    enum { ELEMENTS = 4 };
    const int n = p->s->n;
    double *const sums = malloc(ELEMENTS * ((size_t)n + 1) * sizeof *sums);
    struct lab_sums run = {.index = "j", .terms = "targets", .count = n};
    for (int e = 0; sums && e < count && e < ELEMENTS; e++, run.elements++) {
        const struct pairwise_element *const expected = &p->s->expected[sources[e]];
        double *const own = sums + e * ((size_t)n + 1);
        own[0] = 0.0;
        for (int j = 0; j < n; j++)
            own[j + 1] =
                own[j] + p->w[j] * p->s->kernel.value(factor_of(p->s->h, RIGHT) *
                                                      distance_of(p, sources[e], j, SQUARED));
        run.sums[e] = own;
        run.error[e] = (double)p->s->got[sources[e]] - expected->value;
        run.tolerance[e] = expected->allowed;
    }
    const bool is_said = run.elements > 0 && lab_sums_say_run(&run, text, size);
    free(sums);
    return is_said;
}

bool pairwise_explain(const struct lab_problem *problem, char *text, size_t size)
{
    const struct pairwise_state *const s = problem->state;
    const size_t m = (size_t)s->m, n = (size_t)s->n, k = (size_t)s->k;
    int sources[MOST_SAMPLES];
    const size_t most = MOST_WORK / (n * k);
    const int count = choose(s, most < MOST_SAMPLES ? (int)most : MOST_SAMPLES, sources);
    if (count == 0 || most < LEAST_SAMPLES || m * k > MOST_VALUES)
        return false;
    float *const a = malloc((m * k + n * k + n) * sizeof *a);
    const struct points p = {s, a, a ? a + m * k : NULL, a ? a + m * k + n * k : NULL};
    if (!a)
        return false;
    pairwise_fill(problem, PAIRWISE_A, p.a, 0, m * k);
    pairwise_fill(problem, PAIRWISE_B, p.b, 0, n * k);
    pairwise_fill(problem, PAIRWISE_W, p.w, 0, n);
    const bool is_said =
        say_mistake(&p, sources, count, text, size) || say_run(&p, sources, count, text, size);
    free(a);
    return is_said;
}
