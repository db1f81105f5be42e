/* What is expected of family md, in double precision, and by how much a variant may differ. The
 * errors of single precision are followed through the steps beside the values.
 *
 * U = 2^-24 is one rounding. Bounds are absolute, and hold for each component of a vector and for
 * sums in any order:
 *
 * Distance. A difference of two positions is off by their bounds and by U of itself, and in a box
 * by as much again for the image. e is the length of the vector of these errors.
 *
 * Force of a pair. Its evaluation loses EVALUATION roundings. For Lennard-Jones: 3 for the square
 * of the distance, 5 with an approximate reciprocal, thrice that and 2 for r^-6, twice that and 1
 * for r^-12, which makes 35 of the sum of both terms' amounts; 6 for another 1/r^2, 7 for the
 * difference, the factors and the components. For the sine: 24 where sin and cos are approximate
 * (each is off by 6 at most), 10 that the distance is off by, 6 for the root and the quotient, all
 * relative to 1. And e moves the force by e times the largest derivative that it can have there.
 *
 * Sum. With k terms it loses k roundings of the sum of their amounts.
 *
 * Cut-off. Pairs so near to it that errors decide count with all of their force, twice: if it is
 * half of the box's edge, the image may be the opposite one.
 *
 * Update. x' loses 2 roundings of itself and 4 of its increments, v' 1 and 4, a' 2. Each also takes
 * over the bounds of the values that it is computed from.
 *
 * Energies. Potentials are off by their bounds. A kinetic energy is off by what the velocity's
 * bound makes of it. If it is computed in single precision before it is summed in double, it loses
 * 5 roundings, too.
 *
 * For 1000 particles in open space, a bound of a Lennard-Jones force is about 1/100, so pairs at
 * less than 3 are noticed. A float's sum hardly sees farther ones. With the sine every pair adds
 * 1/2 to a potential, so a missing pair is noticed at any distance. A bound of a position is about
 * 10^-6: one time step's dt^2 a / 2 is more. */
#include "families/md/md.h"

#include "base/processes.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double U = 0x1p-24, U_OF_DOUBLES = 0x1p-53, EVALUATION = 48.0;

/* From a bound of each component of a vector to a bound of the vector's length. */
static const double ROOT_3 = 1.7320508075688773;

/* --- pairs -------------------------------------------------------------------------------------*/

/* For one pair: force divided by distance, half of its potential, and their bounds. */
struct interaction {
    double force_by_r, potential;
    double force_bound, potential_bound;
};

/* `nearest`: the least that r can be. */
static struct interaction lennard_jones(double r, double e)
{
    const double nearest = fmax(r - e, 0.5 * r);
    const double s6 = pow(r, -6.0), s12 = s6 * s6, n6 = pow(nearest, -6.0), n12 = n6 * n6;
    return (struct interaction){
        .force_by_r = 24.0 * (2.0 * s12 - s6) / (r * r),
        .potential = 2.0 * (s12 - s6),
        .force_bound = EVALUATION * U * 24.0 * (2.0 * s12 + s6) / r +
                       24.0 * (26.0 * n12 + 7.0 * n6) / (nearest * nearest) * e,
        .potential_bound =
            EVALUATION * U * 2.0 * (s12 + s6) + 12.0 * (2.0 * n12 + n6) / nearest * e,
    };
}

/* The force is sin(2 m), and its derivative is at most 2. */
static struct interaction sine(double r, double e)
{
    const double most = 2.0 * atan(1.0);
    const double m = fmin(r, most);
    return (struct interaction){
        .force_by_r = r < most ? -sin(2.0 * m) / r : 0.0,
        .potential = 0.5 * sin(m) * sin(m),
        .force_bound = EVALUATION * U + (r - e < most ? 2.0 * e : 0.0),
        .potential_bound = EVALUATION * U + (r - e < most ? 0.5 * e : 0.0),
    };
}

/* Sums over the neighbours of a particle. */
struct sums {
    double force[3], potential;
    double force_amount, potential_amount, terms;
    double force_bound, potential_bound;
};

static void add_pair(const struct md *md, int i, int j, struct sums *sums)
{
    const struct lab_md *p = md->problem;
    const size_t n = (size_t)p->n;
    const double *x = md->expected[MD_POSITION].value, *off = md->expected[MD_POSITION].bound;
    const double box = (double)p->box, cutoff = (double)p->cutoff;
    double d[3], widest = box, r2 = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        d[axis] = x[axis * n + i] - x[axis * n + j];
        widest = fmax(widest, fabs(d[axis]));
        if (box > 0.0)
            d[axis] -= box * rint(d[axis] / box);
        r2 += d[axis] * d[axis];
    }
    const double r = sqrt(r2);
    const double e = ROOT_3 * (off[i] + off[j] + 2.0 * U * widest);
    const double band = e + 4.0 * U * (cutoff + widest);
    if (cutoff > 0.0 && r > cutoff + band)
        return;
    const struct interaction pair = p->law == LAB_MD_SINE ? sine(r, e) : lennard_jones(r, e);
    if (cutoff > 0.0 && r > cutoff - band) {
        sums->force_bound += 2.0 * fabs(pair.force_by_r) * r;
        sums->potential_bound += fabs(pair.potential);
    }
    sums->terms += 1.0;
    sums->force_bound += pair.force_bound;
    sums->potential_bound += pair.potential_bound;
    sums->force_amount += fabs(pair.force_by_r) * r;
    sums->potential_amount += fabs(pair.potential);
    if (cutoff > 0.0 && !(r < cutoff))
        return;
    sums->potential += pair.potential;
    for (int axis = 0; axis < 3; axis++)
        sums->force[axis] += pair.force_by_r * d[axis];
}

static void store_sums(const struct md *md, int i, const struct sums *sums)
{
    const struct md_expected *force = &md->expected[MD_FORCE];
    const struct md_expected *potential = &md->expected[MD_POTENTIAL];
    for (int axis = 0; axis < 3; axis++)
        force->value[axis * (size_t)md->problem->n + i] = sums->force[axis];
    potential->value[i] = sums->potential;
    force->bound[i] = sums->force_bound + sums->terms * U * sums->force_amount;
    potential->bound[i] = sums->potential_bound + sums->terms * U * sums->potential_amount;
}

/* --- cells -------------------------------------------------------------------------------------*/

/* The particles of a box in cells a little wider than the cut-off; side 0: too few cells. */
struct cells {
    const struct md *md;
    int side;
    int *first;          /* (side^3 + 1): where a cell's particles begin in `members` */
    int *members, *cell; /* (n) */
};

static int cell_of(const struct cells *cells, int i)
{
    const double box = (double)cells->md->problem->box;
    const size_t n = (size_t)cells->md->problem->n;
    int cell = 0;
    for (int axis = 2; axis >= 0; axis--) {
        const double x = cells->md->expected[MD_POSITION].value[axis * n + i] / box;
        const int at = (int)((x - floor(x)) * cells->side);
        cell = cell * cells->side + (at < cells->side ? at : cells->side - 1);
    }
    return cell;
}

/* Counts, then places: each cell's `first` is its end until its members are in. */
static void sort_into_cells(struct cells *cells)
{
    const int n = cells->md->problem->n, count = cells->side * cells->side * cells->side;
    memset(cells->first, 0, (size_t)(count + 1) * sizeof *cells->first);
    for (int i = 0; i < n; i++)
        cells->first[cells->cell[i] = cell_of(cells, i)]++;
    for (int c = 1; c <= count; c++)
        cells->first[c] += cells->first[c - 1];
    for (int i = n - 1; i >= 0; i--)
        cells->members[--cells->first[cells->cell[i]]] = i;
}

static void sum_neighbour_cells(const struct cells *cells, int i, struct sums *sums)
{
    const int side = cells->side, own = cells->cell[i];
    const int x = own % side, y = own / side % side, z = own / side / side;
    for (int k = 0; k < 27; k++) {
        const int cell =
            ((z + k / 9 + side - 1) % side * side + (y + k / 3 % 3 + side - 1) % side) * side +
            (x + k % 3 + side - 1) % side;
        for (int m = cells->first[cell]; m < cells->first[cell + 1]; m++)
            if (cells->members[m] != i)
                add_pair(cells->md, i, cells->members[m], sums);
    }
}

/* Each share takes every `shares`-th particle, and writes only the values of that particle. */
static void compute_forces(void *context, int share, int shares)
{
    const struct cells *cells = context;
    const int n = cells->md->problem->n;
    for (int i = share; i < n; i += shares) {
        struct sums sums = {0};
        if (cells->side)
            sum_neighbour_cells(cells, i, &sums);
        for (int j = 0; j < n && !cells->side; j++)
            if (j != i)
                add_pair(cells->md, i, j, &sums);
        store_sums(cells->md, i, &sums);
    }
}

/* --- steps -------------------------------------------------------------------------------------*/

static double widest(const double *vector, size_t n, size_t i)
{
    return fmax(fabs(vector[i]), fmax(fabs(vector[n + i]), fabs(vector[2 * n + i])));
}

static void add_energies(struct md *md, int step)
{
    const size_t n = (size_t)md->problem->n;
    const double m = (double)md->problem->mass;
    const struct md_expected *v = &md->expected[MD_VELOCITY],
                             *potential = &md->expected[MD_POTENTIAL];
    const unsigned does = md->problem->kernels;
    const struct md_expected *sums = &md->expected[does & LAB_MD_K4 ? MD_ENERGIES : MD_SUMS];
    double *value = sums->value + 2 * (size_t)step, *bound = sums->bound + 2 * (size_t)step;
    double amount = 0.0;
    for (size_t i = 0; i < n; i++) {
        value[0] += potential->value[i];
        bound[0] += potential->bound[i];
        amount += fabs(potential->value[i]);
        for (int axis = 0; axis < 3; axis++) {
            const double speed = fabs(v->value[axis * n + i]), off = v->bound[i];
            value[1] += 0.5 * m * speed * speed;
            bound[1] += m * off * (speed + 0.5 * off);
        }
    }
    bound[0] += (double)n * U_OF_DOUBLES * amount;
    bound[1] += (5.0 * U + (double)n * U_OF_DOUBLES) * value[1];
    for (int kind = 0; kind < 2; kind++) /* a part that the problem lacks writes no sum */
        if (!(does & LAB_MD_K2 << kind))
            value[kind] = bound[kind] = 0.0;
}

/* For K4 alone: adds all sums of each kind. */
static void add_given_sums(struct md *md)
{
    const struct md_expected *energies = &md->expected[MD_ENERGIES];
    const int count = md->problem->sum_count;
    for (int i = 0; i < 2 * count; i++) {
        const double sum = md_given_sum(md, (size_t)i);
        energies->value[i / count] += sum;
        energies->bound[i / count] += count * U_OF_DOUBLES * fabs(sum);
    }
}

static void update(struct md *md)
{
    const size_t n = (size_t)md->problem->n;
    const double dt = (double)md->problem->dt, m = (double)md->problem->mass;
    const struct md_expected *x = &md->expected[MD_POSITION], *v = &md->expected[MD_VELOCITY],
                             *a = &md->expected[MD_ACCELERATION], *f = &md->expected[MD_FORCE];
    const bool moves = md->problem->kernels & LAB_MD_K5;
    for (size_t i = 0; i < n; i++) {
        const double speed = widest(v->value, n, i), old = widest(a->value, n, i),
                     force = widest(f->value, n, i) / m;
        for (size_t c = i; c < 3 * n; c += n) {
            if (moves)
                x->value[c] += dt * v->value[c] + 0.5 * dt * dt * a->value[c];
            v->value[c] += 0.5 * dt * (f->value[c] / m + a->value[c]);
            a->value[c] = f->value[c] / m;
        }
        if (moves)
            x->bound[i] += dt * v->bound[i] + 0.5 * dt * dt * a->bound[i] +
                           2.0 * U * widest(x->value, n, i) +
                           4.0 * U * (dt * speed + 0.5 * dt * dt * old);
        v->bound[i] += 0.5 * dt * (f->bound[i] / m + a->bound[i]) + U * widest(v->value, n, i) +
                       4.0 * U * 0.5 * dt * (force + old);
        a->bound[i] = f->bound[i] / m + 2.0 * U * force;
    }
}

static bool make_room(struct md *md, struct cells *cells)
{
    const struct lab_md *p = md->problem;
    const size_t count = (size_t)cells->side * cells->side * cells->side;
    bool there = true;
    for (int which = 0; which < MD_EXPECTED; which++) {
        const size_t rows = md_rows(md, which), columns = md_columns(md, which);
        struct md_expected *expected = &md->expected[which];
        expected->value = calloc(rows * columns, sizeof(double));
        expected->bound = calloc(which == MD_ENERGIES ? rows * columns : columns, sizeof(double));
        there = there && expected->value && expected->bound;
    }
    if (cells->side) {
        cells->first = malloc((count + 1) * sizeof(int));
        cells->members = malloc((size_t)p->n * sizeof(int));
        cells->cell = malloc((size_t)p->n * sizeof(int));
        there = there && cells->first && cells->members && cells->cell;
    }
    return there;
}

static void start(struct md *md)
{
    const int n = md->problem->n;
    for (int which = MD_POSITION; which <= MD_POTENTIAL; which++)
        for (int axis = 0; axis < (int)md_rows(md, which); axis++)
            for (int i = 0; i < n; i++)
                md->expected[which].value[axis * (size_t)n + i] =
                    (double)md_start(md, which, axis, i);
}

/* Cells are a hundredth wider than the cut-off. Fewer than four along an edge would save
 * nothing. */
static int cells_along(const struct lab_md *p)
{
    const int most = 512, along = (int)fmin(most, (double)p->box / (1.01 * (double)p->cutoff));
    return p->box > 0.0f && along >= 4 ? along : 0;
}

/* Bounds grow exponentially, as the program's own errors do. Beyond a hundredth of the distance
 * between neighbours they hardly tell right from wrong. */
static bool are_loose(const struct md *md)
{
    const double most = 0.01 * md->apart;
    for (int i = 0; i < md->problem->n; i++)
        if (!(md->expected[MD_POSITION].bound[i] <= most))
            return true;
    return false;
}

/* Takes the parts of a step that there are. K7 with K1 comes first: K1 is the next step's. */
static void take_step(struct md *md, struct cells *cells, int step)
{
    const unsigned does = md->problem->kernels;
    const bool updates_first = md_reads_old_force(does);
    if (updates_first)
        update(md);
    if (does & LAB_MD_K1 && cells->side)
        sort_into_cells(cells);
    if (does & LAB_MD_K1)
        lab_share_out(compute_forces, cells, lab_shares_of_cores());
    if (does == LAB_MD_K4)
        add_given_sums(md);
    else if (does & MD_ENERGY_KERNELS)
        add_energies(md, step);
    if (!updates_first)
        update(md);
}

int md_make_reference(struct lab_problem *p)
{
    struct md *md = p->state;
    struct cells cells = {.md = md, .side = cells_along(md->problem)};
    const bool there = make_room(md, &cells);
    if (there)
        start(md);
    for (int step = 0; step < md->problem->steps && there; step++)
        take_step(md, &cells, step);
    md->is_loose = there && are_loose(md);
    free(cells.first);
    free(cells.members);
    free(cells.cell);
    return there ? LAB_EXIT_OK
                 : lab_complain(LAB_EXIT_USAGE,
                                "no memory on the host for %d particles; give a smaller n",
                                md->problem->n);
}

void md_free_reference(struct md *md)
{
    for (int which = 0; which < MD_EXPECTED; which++) {
        free(md->expected[which].value);
        free(md->expected[which].bound);
    }
}
