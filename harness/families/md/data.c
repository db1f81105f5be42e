/* Where the particles of family md begin: near the sites of a cubic lattice with the density of a
 * liquid, at a temperature, at rest as a whole. Values are functions of seed and index. */
#include "families/md/md.h"

#include "families/inputs.h"

#include <math.h>

/* Reduced units, near the triple point of Lennard-Jones liquids. */
static const double DENSITY = 0.8442, TEMPERATURE = 0.728;

/* Relative to the lattice's distance, along each axis: two particles are at least 0.9 of that
 * distance apart, where Lennard-Jones forces are some 60. */
static const double MOST_JITTER = 0.05;

/* Mean square of the values that lab_inputs_fill draws: magnitudes uniform from 1/2 to 1. */
static const double MEAN_SQUARE = 7.0 / 12.0;

/* Drawn, not computed: a variant cannot tell the first step from any other. */
static const double ACCELERATION = 1.0;

static float drawn(const struct md *md, int which, int axis, int i)
{
    float value;
    lab_inputs_fill(&value, (size_t)i, 1, lab_inputs_seed(md->seed, (unsigned)(3 * which + axis)));
    return value;
}

/* If there are more sites than particles, empty sites lie evenly among the others. */
static double site(const struct md *md, int axis, int i)
{
    const long long side = md->side, sites = side * side * side;
    long long at = i * sites / md->problem->n;
    for (int k = 0; k < axis; k++)
        at /= side;
    return ((double)(at % side) + 0.5) * md->apart;
}

static double thermal(const struct md *md, int axis, int i)
{
    const double speed = sqrt(TEMPERATURE / md->problem->mass / MEAN_SQUARE);
    return speed * (double)drawn(md, MD_VELOCITY, axis, i);
}

void md_begin_data(struct md *md)
{
    md->side = (int)ceil(cbrt(md->problem->n) - 1e-9);
    md->apart = cbrt(1.0 / DENSITY);
    for (int axis = 0; axis < 3; axis++) {
        double sum = 0.0;
        for (int i = 0; i < md->problem->n; i++)
            sum += thermal(md, axis, i);
        md->drift[axis] = sum / md->problem->n;
    }
}

/* One particle's force is infinite, and another's, where there are several, is NaN. What comes of
 * them stays theirs, but for energies of later steps. */
static double force_of(const struct md *md, int i, double plain)
{
    const size_t n = (size_t)md->problem->n, first = lab_inputs_place(md->seed, MD_FORCE, n);
    return !md->is_special                    ? plain
           : (size_t)i == first               ? (double)INFINITY
           : (size_t)i == (first + n / 2) % n ? (double)NAN
                                              : plain;
}

/* Draws forces and potentials, too, where they are given. */
float md_start(const struct md *md, int which, int axis, int i)
{
    which = which == MD_OLD_VELOCITY       ? MD_VELOCITY
            : which == MD_OLD_ACCELERATION ? MD_ACCELERATION
            : which == MD_OLD_FORCE        ? MD_FORCE
                                           : which;
    const double value = (double)drawn(md, which, axis, i);
    return (float)(which == MD_POSITION   ? site(md, axis, i) + MOST_JITTER * md->apart * value
                   : which == MD_VELOCITY ? thermal(md, axis, i) - md->drift[axis]
                   : which == MD_FORCE    ? force_of(md, i, ACCELERATION * value)
                                          : ACCELERATION * value);
}

/* Fills gaps. Positions there are NaN, which shows in every result that uses them. Other arrays
 * have ordinary values there, which change if a kernel computes with them. */
static float behind_the_last(const struct md *md, int which, int axis, int i)
{
    return which == MD_POSITION ? NAN : drawn(md, which, axis, i);
}

double md_given_sum(const struct md *md, size_t i)
{
    return (double)drawn(md, MD_SUMS, 0, (int)i);
}

/* Sums that K4 adds are given. Sums of K2 and K3 are 0 before a launch. */
static void fill_sums(const struct lab_problem *p, double *values, size_t first, size_t count)
{
    const bool are_given = p->arrays[MD_SUMS].role == LAB_ROLE_INPUT;
    for (size_t at = 0; at < count; at++)
        values[at] = are_given ? md_given_sum(p->state, first + at) : 0.0;
}

/* lab_problem_fill() overwrites the values of outputs that hold nothing before a launch. */
void md_fill(const struct lab_problem *p, int which, void *values, size_t first, size_t count)
{
    const struct md *md = p->state;
    const size_t n = (size_t)md->problem->n, row = md->problem->row;
    if (which == MD_SUMS) {
        fill_sums(p, values, first, count);
        return;
    }
    for (size_t at = 0; at < count; at++) {
        const int axis = (int)((first + at) / row), i = (int)((first + at) % row);
        ((float *)values)[at] =
            (size_t)i < n ? md_start(md, which, axis, i) : behind_the_last(md, which, axis, i);
    }
}

size_t md_rows(const struct md *md, int which)
{
    return which == MD_POTENTIAL || which == MD_SUMS ? 1
           : which == MD_ENERGIES                    ? (size_t)md->problem->steps
                                                     : 3;
}

size_t md_columns(const struct md *md, int which)
{
    return which == MD_ENERGIES || which == MD_SUMS ? 2 : (size_t)md->problem->n;
}
