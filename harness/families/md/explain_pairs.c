/* What wrong forces and potentials of one step come from: pairs that are left out, and parts of a
 * pair's formula that are wrong. Each mistake is computed for some particles. */
#include "diagnose/explanation.h"
#include "families/md/md.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTICLES = 1 << 14, SAMPLES = 32 };

#define PAIR(name, words) name,
enum mistake {
    NONE,
#include "families/md/pairs.def"
    MISTAKES
};
#undef PAIR

#define PAIR(name, words) {.text = words},
static const struct lab_explanation all_mistakes[MISTAKES] = {
    {.text = NULL},
#include "families/md/pairs.def"
};
#undef PAIR

struct pairs {
    const struct md *md;
    const double *x; /* (3, n), before the step */
    int which;       /* the array that is explained */
};

/* A pair's force divided by its distance, or half of its potential. */
static double share_of(const struct pairs *p, enum mistake mistake, double r2)
{
    const double r = sqrt(r2), r6 = 1.0 / (r2 * r2 * r2), half_pi = 2.0 * atan(1.0);
    const double m = mistake == NO_MINIMUM ? r : fmin(r, half_pi);
    const double by = mistake == NOT_DIVIDED ? 1.0 : mistake == DIVIDED_ONCE ? r : r2;
    const double sign = mistake == OPPOSITE ? -1.0 : 1.0, minus = mistake == ADDED ? -1.0 : 1.0;
    const double two = mistake == NO_TWO ? 1.0 : 2.0;
    if (p->md->problem->law == LAB_MD_SINE)
        return sign * (p->which == MD_POTENTIAL
                           ? 0.5 * sin(m) * (mistake == NOT_SQUARED ? 1.0 : sin(m))
                           : -sin(two * m) / (mistake == NOT_DIVIDED ? 1.0 : r));
    return sign * (p->which == MD_POTENTIAL ? 2.0 * (r6 * r6 - minus * r6)
                                            : 24.0 * (two * r6 * r6 - minus * r6) / by);
}

/* What particle j adds to a component of particle i, or to its potential. */
static double term_of(const struct pairs *p, enum mistake mistake, int axis, int i, int j)
{
    const struct lab_md *md = p->md->problem;
    const size_t n = (size_t)md->n;
    const double box = (double)md->box, cutoff = (double)md->cutoff;
    double d[3], r2 = 0.0;
    for (int c = 0; c < 3; c++) {
        d[c] = p->x[c * n + i] - p->x[c * n + j];
        if (box > 0.0 && mistake != NO_IMAGE)
            d[c] -= box * rint(d[c] / box);
        r2 += d[c] * d[c];
    }
    const double limit = mistake == CUTOFF_NOT_SQUARED ? cutoff : cutoff * cutoff;
    const bool is_out = j == i || (mistake == FIRST_LEFT_OUT && j == 0) ||
                        (mistake == LAST_LEFT_OUT && j == md->n - 1) ||
                        (mistake == LOWER_ALONE && j > i) || (mistake == HIGHER_ALONE && j < i) ||
                        (cutoff > 0.0 && mistake != NO_CUTOFF && !(r2 < limit));
    return is_out ? 0.0 : share_of(p, mistake, r2) * (p->which == MD_POTENTIAL ? 1.0 : d[axis]);
}

static struct lab_mismatch element_of(const struct pairs *p, const double *got, int axis, int i)
{
    const size_t at = axis * (size_t)p->md->problem->n + i;
    return (struct lab_mismatch){(size_t)axis, (size_t)i, p->md->expected[p->which].value[at],
                                 got[at]};
}

static void note_particle(const struct pairs *p, const double *got, int i,
                          struct lab_explanation *found)
{
    const double bound = p->md->expected[p->which].bound[i];
    for (int axis = 0; axis < (p->which == MD_POTENTIAL ? 1 : 3); axis++) {
        const struct lab_mismatch wrong = element_of(p, got, axis, i);
        for (int mistake = NONE + 1; mistake < MISTAKES; mistake++) {
            double sum = 0.0;
            for (int j = 0; j < p->md->problem->n; j++)
                sum += term_of(p, (enum mistake)mistake, axis, i, j);
            lab_explain_note(&found[mistake], sum, &wrong, bound);
            found[mistake].fits -=
                !found[mistake].is_refuted && !(fabs(sum - wrong.expected) > bound);
        }
    }
}

/* Whether each particle has only the first `count` particles as neighbours. */
static bool have_first(const struct pairs *p, const double *got, int count)
{
    for (int i = 0; i < p->md->problem->n; i++)
        for (int axis = 0; axis < (p->which == MD_POTENTIAL ? 1 : 3); axis++) {
            double sum = 0.0;
            for (int j = 0; j < count; j++)
                sum += term_of(p, NONE, axis, i, j);
            if (!(fabs(sum - element_of(p, got, axis, i).got) <=
                  2.0 * p->md->expected[p->which].bound[i]))
                return false;
        }
    return true;
}

/* Says so if the loop over neighbours ends with the last whole tile. */
static bool say_end(const struct pairs *p, const double *got, char *text, size_t size)
{
    enum { SMALLEST = 8, LARGEST = 1024, MOST = 1 << 12 };
    const int n = p->md->problem->n;
    for (int tile = SMALLEST; tile <= LARGEST && n <= MOST; tile *= 2) {
        const int whole = (n - 1) / tile * tile;
        if (!have_first(p, got, whole))
            continue;
        snprintf(text, size,
                 "each of these is as if particles %d to %d were nobody's neighbours: does the "
                 "loop over neighbours end with the last whole tile of %d?",
                 whole, n - 1, tile);
        return true;
    }
    return false;
}

bool md_explain_pairs(const struct md *md, int which, const double *got, char *text, size_t size)
{
    const int n = md->problem->n, apart = (n - 1) / SAMPLES + 1;
    struct lab_explanation found[MISTAKES];
    double *const x = n <= MOST_PARTICLES ? malloc(3 * (size_t)n * sizeof *x) : NULL;
    const struct pairs p = {md, x, which};
    int wrong_ones = 0;
    for (int at = 0; x && at < 3 * n; at++)
        x[at] = (double)md_start(md, MD_POSITION, at / n, at % n);
    memcpy(found, all_mistakes, sizeof found);
    for (int i = 0; x && i < n; i++) {
        const struct lab_mismatch wrong = element_of(&p, got, 0, i);
        const bool is_wrong = lab_explain_counts(&wrong, md->expected[which].bound[i]);
        if (i % apart == 0 || (is_wrong && wrong_ones < SAMPLES))
            note_particle(&p, got, i, found);
        wrong_ones += is_wrong;
    }
    const bool is_said =
        x && (lab_explain_say(found, MISTAKES, NULL, text, size) || say_end(&p, got, text, size));
    free(x);
    return is_said;
}
