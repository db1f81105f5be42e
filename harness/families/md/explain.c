/* What wrong particles and energies come from: each mistake of mistakes.def is made here, on the
 * host. The mistakes that give all values found are named. */
#include "families/md/md.h"

#include "diagnose/explanation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COMPONENTS = 1 << 22 }; /* of all steps: the host would take long for more */

#define UPDATE(name, ...) name,
#define ENERGY(name, ...) name,
enum mistake {
#include "families/md/mistakes.def"
    MISTAKES
};
#undef UPDATE
#undef ENERGY

#define UPDATE(name, words, ...) {.text = words},
#define ENERGY(name, words, ...) {.text = words},
static const struct lab_explanation all_mistakes[MISTAKES] = {
#include "families/md/mistakes.def"
};
#undef UPDATE
#undef ENERGY

/* A component of a particle before a step. */
struct component {
    double x, v, a, f; /* f: force divided by mass */
};

/* Takes one step; returns the velocity for the kinetic energy. `first`: component x. */
static double take_component(const struct md *md, enum mistake mistake, int step, int axis,
                             const struct component *first, struct component *c)
{
    const double dt = (double)md->problem->dt, mass = (double)md->problem->mass;
    const double x = c->x, v = c->v, a = c->a, f = c->f;
    const int steps = md->problem->steps;
    double x1 = x + dt * v + 0.5 * dt * dt * a, v1 = v + 0.5 * dt * (f + a), a1 = f, counted = v;
#define UPDATE(name, words, ...)                                                                   \
    case name:                                                                                     \
        __VA_ARGS__;                                                                               \
        break;
#define ENERGY(name, words, ...)
    switch (mistake) {
#include "families/md/mistakes.def"
    default:
        break;
    }
#undef UPDATE
#undef ENERGY
    *c = (struct component){x1, v1, a1, f};
    return counted;
}

/* `counted`: the velocities for the kinetic energy. */
static void take_step(const struct md *md, enum mistake mistake, int step, struct component c[3],
                      double counted[3])
{
    const struct component before[3] = {c[0], c[1], c[2]};
    for (int axis = 0; axis < 3; axis++)
        counted[axis] = take_component(md, mistake, step, axis, &before[0], &c[axis]);
    for (int axis = 1; axis < 3 && mistake == X_TAKES_ALL; axis++) {
        c[0].x += c[axis].x - before[axis].x;
        c[axis].x = before[axis].x;
    }
}

/* Forces do not change: either they are given, or there is only one step. */
static struct component component_of(const struct md *md, int axis, int i)
{
    const double force = md->expected[MD_FORCE].value[axis * (size_t)md->problem->n + i];
    return (struct component){
        (double)md_start(md, MD_POSITION, axis, i), (double)md_start(md, MD_VELOCITY, axis, i),
        (double)md_start(md, MD_ACCELERATION, axis, i), force / (double)md->problem->mass};
}

static bool is_of_energies(enum mistake mistake)
{
    return mistake >= NO_KINETIC && mistake < A_FIRST;
}

/* `counted`: for each component the velocity for the kinetic energy. */
static void add_wrongly(const struct md *md, enum mistake mistake, int i, int step,
                        const double counted[3], double *energies)
{
    const double mass = (double)md->problem->mass;
    const double of[3] = {0.5 * mass * counted[0] * counted[0],
                          0.5 * mass * counted[1] * counted[1],
                          0.5 * mass * counted[2] * counted[2]};
    const int n = md->problem->n, steps = md->problem->steps;
    double potential = md->expected[MD_POTENTIAL].value[i], kinetic = of[0] + of[1] + of[2];
    int first = 2 * step, second = 2 * step + 1;
#define UPDATE(name, words, ...)
#define ENERGY(name, words, ...)                                                                   \
    case name:                                                                                     \
        __VA_ARGS__;                                                                               \
        break;
    switch (mistake) {
#include "families/md/mistakes.def"
    default:
        break;
    }
#undef UPDATE
#undef ENERGY
    energies[first] += md->problem->kernels & LAB_MD_K2 ? potential : 0.0;
    energies[second] += md->problem->kernels & LAB_MD_K3 ? kinetic : 0.0;
}

static bool are_sums(int which)
{
    return which == MD_ENERGIES || which == MD_SUMS;
}

/* What a mistake makes of an array. */
static void make_wrongly(const struct md *md, int which, enum mistake mistake, double *values)
{
    const int n = md->problem->n, steps = md->problem->steps;
    if (are_sums(which))
        memset(values, 0, 2 * (size_t)steps * sizeof *values);
    for (int i = 0; i < n; i++) {
        struct component c[3];
        double counted[3];
        for (int axis = 0; axis < 3; axis++)
            c[axis] = component_of(md, axis, i);
        for (int step = 0; step < steps; step++) {
            take_step(md, mistake, step, c, counted);
            if (are_sums(which))
                add_wrongly(md, mistake, i, step, counted, values);
        }
        for (int axis = 0; axis < 3 && !are_sums(which); axis++)
            values[axis * n + i] = which == MD_POSITION   ? c[axis].x
                                   : which == MD_VELOCITY ? c[axis].v
                                                          : c[axis].a;
    }
}

/* By how much element `at` may differ from what is expected. */
static double bound_of(const struct md *md, int which, size_t at)
{
    return md->expected[which].bound[are_sums(which) ? at : at % md_columns(md, which)];
}

/* --- comparison --------------------------------------------------------------------------------*/

/* A mistake explains all elements, right ones included; or only the wrong elements, if it is made
 * in some places alone. */
struct fits {
    struct lab_explanation of_all, of_wrong;
};

/* A mistake that tells components apart, in some particles alone, is made in all of their
 * components. */
static bool is_of_axes(enum mistake mistake)
{
    return mistake >= NEW_V_OF_X && mistake <= X_TAKES_ALL;
}

static bool is_wrong(const struct md *md, int which, const double *got, size_t at)
{
    return !(fabs(got[at] - md->expected[which].value[at]) <= bound_of(md, which, at));
}

static bool has_wrong_axis(const struct md *md, int which, const double *got, size_t at)
{
    const size_t n = (size_t)md->problem->n, i = at % n;
    return is_wrong(md, which, got, i) || is_wrong(md, which, got, n + i) ||
           is_wrong(md, which, got, 2 * n + i);
}

static void compare(const struct md *md, int which, enum mistake mistake, const double *got,
                    const double *values, struct fits *found)
{
    const struct md_expected *expected = &md->expected[which];
    const size_t columns = md_columns(md, which), count = md_rows(md, which) * columns;
    const double U = 0x1p-24; /* one rounding: a mistake may give values larger than expected */
    for (size_t at = 0; at < count; at++) {
        const double bound = bound_of(md, which, at);
        const struct lab_mismatch wrong = {at / columns, at % columns, expected->value[at],
                                           got[at]};
        const double larger = fmax(fabs(values[at]) - fabs(wrong.expected), 0.0);
        const double tolerance = bound + 8.0 * U * (are_sums(which) ? fabs(values[at]) : larger);
        const bool differs = fabs(values[at] - expected->value[at]) > bound;
        lab_explain_note(&found->of_all, values[at], &wrong, tolerance);
        found->of_all.fits -= !found->of_all.is_refuted && !differs;
        if (lab_explain_counts(&wrong, bound))
            lab_explain_note(&found->of_wrong, values[at], &wrong, tolerance);
        else if (is_wrong(md, which, got, at) ||
                 (differs && is_of_axes(mistake) && !are_sums(which) &&
                  has_wrong_axis(md, which, got, at)))
            found->of_wrong.is_refuted = true;
    }
}

static bool say(const struct fits *found, int from, int to, bool of_all, char *text, size_t size)
{
    struct lab_explanation list[MISTAKES] = {{0}};
    for (int i = from; i < to; i++)
        list[i - from] = of_all ? found[i].of_all : found[i].of_wrong;
    return lab_explain_say(list, (size_t)(to - from), NULL, text, size);
}

/* Whether one mistake by itself gives all elements: then there is no need of several at once. */
static bool has_single(const struct fits *found)
{
    int fits = 0;
    for (int i = 0; i < A_FIRST; i++)
        fits += !found[i].of_all.is_refuted && found[i].of_all.fits > 0;
    return fits > 0;
}

/* Whether a mistake leaves what was checked before right: energies, positions, velocities. */
static bool leaves_what_is_right(const struct md *md, int which, enum mistake mistake,
                                 double *values)
{
    const unsigned does = md->problem->kernels;
    const struct {
        int which;
        bool is_there;
    } before[] = {{MD_ENERGIES, (does & MD_ENERGY_KERNELS) == MD_ENERGY_KERNELS},
                  {MD_POSITION, does & LAB_MD_K5},
                  {MD_VELOCITY, does & LAB_MD_K6}};
    for (size_t i = 0; i < sizeof before / sizeof *before && before[i].which != which; i++) {
        const int other = before[i].which;
        const size_t count = md_rows(md, other) * md_columns(md, other);
        if (!before[i].is_there)
            continue;
        make_wrongly(md, other, mistake, values);
        for (size_t at = 0; at < count; at++)
            if (!(fabs(values[at] - md->expected[other].value[at]) <=
                  2.0 * bound_of(md, other, at)))
                return false;
    }
    return true;
}

/* Says so if both energies of step 0 are those of some first particles, or of all others. */
static bool say_part_of_all(const struct md *md, int which, const double *got, char *text,
                            size_t size)
{
    const struct md_expected *expected = &md->expected[which];
    const int n = md->problem->n;
    double sums[2] = {0.0, 0.0};
    for (int i = 0; i < n - 1; i++) {
        bool are_first = true, are_last = true;
        sums[0] += md->expected[MD_POTENTIAL].value[i];
        for (int axis = 0; axis < 3; axis++) {
            const double v = (double)md_start(md, MD_VELOCITY, axis, i);
            sums[1] += 0.5 * (double)md->problem->mass * v * v;
        }
        for (int kind = 0; kind < 2; kind++) {
            const double allowed = 2.0 * expected->bound[kind];
            are_first = are_first && fabs(got[kind] - sums[kind]) <= allowed;
            are_last = are_last && fabs(expected->value[kind] - sums[kind] - got[kind]) <= allowed;
        }
        if (are_first || are_last) {
            snprintf(text, size,
                     "these are the energies of the %s %d of %d particles: does the grid have a "
                     "thread for every particle, and does each block add its sum?",
                     are_first ? "first" : "last", are_first ? i + 1 : n - 1 - i, n);
            return true;
        }
    }
    return false;
}

static bool explain_updates(const struct md *md, int which, const double *got, double *values,
                            char *text, size_t size)
{
    struct fits found[MISTAKES];
    for (int i = 0; i < MISTAKES; i++) {
        const enum mistake mistake = (enum mistake)i;
        found[i] = (struct fits){all_mistakes[i], all_mistakes[i]};
        if (!are_sums(which) &&
            (is_of_energies(mistake) || !leaves_what_is_right(md, which, mistake, values)))
            continue;
        make_wrongly(md, which, mistake, values);
        compare(md, which, mistake, got, values, &found[i]);
    }
    return say(found, 0, A_FIRST, true, text, size) ||
           (!has_single(found) && say(found, A_FIRST, MISTAKES, true, text, size)) ||
           say(found, 0, A_FIRST, false, text, size) ||
           (!has_single(found) && say(found, A_FIRST, MISTAKES, false, text, size)) ||
           (are_sums(which) && (md->problem->kernels & MD_ENERGY_KERNELS) == MD_ENERGY_KERNELS &&
            say_part_of_all(md, which, got, text, size));
}

bool md_explain(const struct md *md, int which, const double *got, char *text, size_t size)
{
    const struct lab_md *p = md->problem;
    const size_t count = 3 * (size_t)p->n + 2 * (size_t)p->steps;
    if ((p->kernels & LAB_MD_K1 && p->steps > 1) || md_reads_old_force(p->kernels))
        return false; /* forces change */
    if (which == MD_FORCE || which == MD_POTENTIAL)
        return md_explain_pairs(md, which, got, text, size);
    double *const values = malloc(count * sizeof *values);
    const bool is_said = values && p->kernels != LAB_MD_K4 &&
                         3.0 * p->n * p->steps <= MOST_COMPONENTS &&
                         explain_updates(md, which, got, values, text, size);
    free(values);
    return is_said;
}
