/* Families md and md_rest: time steps of molecular dynamics, a program of seven kernels, and the
 * same program without its first kernel. The reference is the host, in double precision. */
#include "families/md/md.h"

#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROW_MULTIPLE = 64 }; /* floats: each row begins at 256 bytes */

enum { SUM_PARTICLES = 32 }; /* the fewest in a block */

static const double BOX_CUTOFF = 2.5; /* unless another cut-off is given */

static int create_streams(struct lab_md *md)
{
    cudaError_t status = cudaSuccess;
    for (int i = 0; i < LAB_MD_STREAMS && status == cudaSuccess; i++)
        status = cudaStreamCreateWithFlags(&md->streams[i], cudaStreamNonBlocking);
    for (int i = 0; i < LAB_MD_EVENTS && status == cudaSuccess; i++)
        status = cudaEventCreateWithFlags(&md->events[i], cudaEventDisableTiming);
    return status == cudaSuccess ? LAB_EXIT_OK
                                 : lab_complain(LAB_EXIT_MISSING, "no streams or events: %s",
                                                cudaGetErrorString(status));
}

static int begin_with(struct lab_problem *p, const struct lab_options *options, int size,
                      unsigned kernels)
{
    struct lab_md *problem = p->argument;
    struct md *md = p->state;
    const struct md_options *own = lab_own_options(options, p->family->options);
    const int n = lab_size_of(options, p->family->options, 'n', size);
    *problem = (struct lab_md){.n = n,
                               .steps = own->steps,
                               .kernels = kernels,
                               .law = own->law,
                               .dt = own->dt,
                               .mass = own->mass,
                               .cutoff = own->cutoff,
                               .sum_count = (n - 1) / SUM_PARTICLES + 1,
                               .row = ((size_t)n + ROW_MULTIPLE - 1) / ROW_MULTIPLE * ROW_MULTIPLE};
    md->problem = problem;
    md->seed = options->problem.seed;
    md->is_special = own->is_special;
    md_begin_data(md);
    if (own->periodic) {
        problem->box = (float)(md->side * md->apart);
        if (own->cutoff > 0.5f * problem->box)
            return lab_complain(LAB_EXIT_USAGE,
                                "--cutoff %g: with n=%d the box has an edge of %.4g, and the "
                                "cut-off is at most half of it; give a smaller one, or a larger n",
                                (double)own->cutoff, n, (double)problem->box);
        if (own->cutoff == 0.0f)
            problem->cutoff = fminf((float)BOX_CUTOFF, 0.5f * problem->box);
    }
    return create_streams(problem);
}

static int begin(struct lab_problem *p, const struct lab_options *options, int size)
{
    const struct md_options *own = lab_own_options(options, p->family->options);
    return begin_with(p, options, size, own->kernels);
}

static int begin_rest(struct lab_problem *p, const struct lab_options *options, int size)
{
    return begin_with(p, options, size, LAB_MD_REST);
}

static void end(struct lab_problem *p)
{
    struct lab_md *problem = p->argument;
    for (int i = 0; i < LAB_MD_STREAMS && problem->streams[i]; i++)
        cudaStreamDestroy(problem->streams[i]);
    for (int i = 0; i < LAB_MD_EVENTS && problem->events[i]; i++)
        cudaEventDestroy(problem->events[i]);
    md_free_reference(p->state);
}

/* For a part of a step: an array that it writes is an output, an array that it only reads is an
 * input, and an array that it does not use is absent. */
static int arrays(const void *argument, struct lab_array *list)
{
    const struct lab_md *md = argument;
    const size_t n = (size_t)md->n, row = md->row, steps = (size_t)md->steps;
    const unsigned does = md->kernels;
    const bool apart = md_is_apart(does), first = does & LAB_MD_K1;
#define VECTOR(field, is_there, ...)                                                               \
    LAB_ARRAY(struct lab_md, field, .name = #field, .element = LAB_ELEMENT_F32,                    \
              .count = (is_there) ? 3 * row : 0, .row = row, .columns = n, __VA_ARGS__)
    list[MD_POSITION] = VECTOR(position, does & (LAB_MD_K1 | LAB_MD_K5),
                               .role = does & LAB_MD_K5 ? LAB_ROLE_OUTPUT : LAB_ROLE_INPUT);
    list[MD_VELOCITY] = VECTOR(velocity, does & (LAB_MD_K3 | LAB_MD_K6),
                               .role = does & LAB_MD_K6 ? LAB_ROLE_OUTPUT : LAB_ROLE_INPUT,
                               .blank = apart && does & LAB_MD_K6);
    list[MD_ACCELERATION] =
        VECTOR(acceleration, does & LAB_MD_K7, .role = LAB_ROLE_OUTPUT, .blank = apart);
    list[MD_FORCE] = VECTOR(force, does & (LAB_MD_K1 | LAB_MD_K6 | LAB_MD_K7),
                            .role = first ? LAB_ROLE_OUTPUT : LAB_ROLE_INPUT, .blank = first);
    list[MD_OLD_VELOCITY] =
        VECTOR(old_velocity, apart && does & (LAB_MD_K5 | LAB_MD_K6), .role = LAB_ROLE_INPUT);
    list[MD_OLD_ACCELERATION] =
        VECTOR(old_acceleration, apart && does & (LAB_MD_K5 | LAB_MD_K6), .role = LAB_ROLE_INPUT);
    list[MD_OLD_FORCE] = VECTOR(old_force, md_reads_old_force(does), .role = LAB_ROLE_INPUT);
#undef VECTOR
    list[MD_POTENTIAL] =
        LAB_ARRAY(struct lab_md, potential, .name = "potential",
                  .role = first ? LAB_ROLE_OUTPUT : LAB_ROLE_INPUT, .element = LAB_ELEMENT_F32,
                  .count = does & (LAB_MD_K1 | LAB_MD_K2) ? n : 0, .blank = first);
    list[MD_ENERGIES] =
        LAB_ARRAY(struct lab_md, energies, .name = "energies", .role = LAB_ROLE_OUTPUT,
                  .element = LAB_ELEMENT_F64, .count = does & LAB_MD_K4 ? 2 * steps : 0, .row = 2,
                  .blank = true);
    list[MD_SUMS] = LAB_ARRAY(
        struct lab_md, sums, .name = "sums",
        .role = does & LAB_MD_K4 ? LAB_ROLE_INPUT : LAB_ROLE_OUTPUT, .element = LAB_ELEMENT_F64,
        .count = apart && does & MD_ENERGY_KERNELS ? 2 * (size_t)md->sum_count : 0,
        .row = (size_t)md->sum_count);
    list[MD_SCRATCH] = LAB_ARRAY(struct lab_md, workspace, .role = LAB_ROLE_SCRATCH);
    return MD_ARRAYS;
}

/* Variants without flags of their own do a whole step, or all but its K1. */
static bool variant_fits(const struct lab_options *options, const struct lab_step *step,
                         int variant)
{
    const struct md_options *own = lab_own_options(options, &lab_md_options);
    const unsigned flags = lab_variant_of(step, variant)->flags, does = flags & LAB_MD_ALL;
    if (flags & LAB_MD_CUTOFF && !own->periodic)
        return false;
    return does ? does == own->kernels : !md_is_apart(own->kernels);
}

static void variant_options(const struct lab_step *step, int variant, char *text, size_t size)
{
    const unsigned flags = lab_variant_of(step, variant)->flags;
    char kernels[8] = "";
    for (int k = 0; k < 7; k++)
        if (flags & LAB_MD_K1 << k)
            snprintf(kernels + strlen(kernels), sizeof kernels - strlen(kernels), "%d", 1 + k);
    snprintf(text, size, "%s%s", *kernels ? "--kernels " : "", kernels);
    if (flags & LAB_MD_CUTOFF)
        snprintf(text, size, "--periodic");
}

/* Neighbours that interact with a particle: all others, or as many as a sphere with the cut-off's
 * radius holds at the lattice's density. */
static double neighbours(const struct md *md)
{
    const double r = (double)md->problem->cutoff, volume = pow(md->apart, 3.0);
    const double sphere = 4.0 / 3.0 * acos(-1.0) * r * r * r / volume,
                 others = md->problem->n - 1.0;
    return r > 0.0 && sphere < others ? sphere : others;
}

/* What each part does for a particle: operations, values read and values written. K1 does 24
 * operations for each neighbour (3 differences, 5 for the square of the distance, 1 division, 6 for
 * force and potential from it, 3 to scale the distance, 4 to add, and the 2 of a minimum and a
 * comparison), whatever a variant does in fact. Vectors have three values, potentials one. K1 comes
 * first. */
enum { X = 1, V = 2, A = 4, F = 8, POTENTIAL = 16 };
static const struct {
    unsigned part;
    double operations;
    unsigned reads, writes;
} needs[] = {
    {LAB_MD_K1, 0.0, X, F | POTENTIAL}, {LAB_MD_K2, 1.0, POTENTIAL, 0},  {LAB_MD_K3, 7.0, V, 0},
    {LAB_MD_K5, 12.0, X | V | A, X},    {LAB_MD_K6, 12.0, V | F | A, V}, {LAB_MD_K7, 3.0, F, A}};

enum { NEEDS = sizeof needs / sizeof *needs };

static int count_values(unsigned set)
{
    return 3 * __builtin_popcount(set & (X | V | A | F)) + (set & POTENTIAL ? 1 : 0);
}

int md_values(unsigned kernels)
{
    unsigned reads = 0, writes = 0;
    for (int i = 1; i < NEEDS; i++)
        if (kernels & needs[i].part) {
            reads |= needs[i].reads;
            writes |= needs[i].writes;
        }
    const int of_forces = count_values(needs[0].reads) + count_values(needs[0].writes);
    return (kernels & LAB_MD_K1 ? of_forces : 0) + count_values(reads) + count_values(writes);
}

static void facts(const struct lab_problem *p, struct lab_problem_facts *facts)
{
    const struct md *md = p->state;
    const struct lab_md *problem = p->argument;
    double operations = problem->kernels & LAB_MD_K1 ? 24.0 * neighbours(md) : 0.0;
    for (int i = 0; i < NEEDS; i++)
        operations += problem->kernels & needs[i].part ? needs[i].operations : 0.0;
    const double particles = (double)problem->n * problem->steps; /* one for each step */
    *facts = (struct lab_problem_facts){
        .form = problem->law == LAB_MD_SINE ? (problem->box > 0.0f ? "sine_periodic" : "sine")
                                            : (problem->box > 0.0f ? "lj_periodic" : NULL),
        .sizes = {{"n", problem->n}, {"steps", problem->steps}},
        .size_count = 2,
        .factors = {{"dt", (double)problem->dt},
                    {"mass", (double)problem->mass},
                    {"box", (double)problem->box},
                    {"cutoff", (double)problem->cutoff}},
        .factor_count = 4,
        .flops = particles * operations,
        .bytes = particles * md_values(problem->kernels) * sizeof(float),
        .note = md->is_loose ? "so many steps that rounding may hide what is wrong; fewer show it"
                             : NULL,
    };
}

/* Numbers of particles around the blocks in use. */
static const char *const test_sizes[] = {"-n 1",   "-n 2",   "-n 31",  "-n 33",   "-n 64",
                                         "-n 127", "-n 129", "-n 257", "-n 1000", NULL};
static const char *const test_options[] = {"--steps 2 --mass 2.5",
                                           "--potential sine",
                                           "--periodic --steps 10",
                                           "--periodic --potential sine --steps 2",
                                           "--cutoff 2 --steps 10 --dt 0.001",
                                           NULL};
static const char *const test_forms[] = {"--kernels rest", "--kernels rest --steps 2 --mass 2.5",
                                         NULL};
static const char *const test_form_sizes[] = {"-n 1", "-n 33", "-n 257", NULL};
static const char *const gpu_test_sizes[] = {"-n 1000",
                                             "-n 1000 --potential sine --steps 10",
                                             "-n 4097 --periodic --steps 10",
                                             "-n 10000",
                                             "-n 10000 --steps 2",
                                             "-n 100000 --periodic --steps 2",
                                             NULL};
static const char *const thorough[] = {"-n 1 --steps 2",
                                       "-n 2 --periodic",
                                       "-n 31 --steps 10",
                                       "-n 65 --steps 3 --dt 0.001",
                                       "-n 33 --potential sine --mass 2.5",
                                       "-n 257 --periodic --steps 2 --mass 0.5",
                                       "-n 257 --potential sine --periodic --steps 10",
                                       "-n 1000 --cutoff 2.5",
                                       "-n 1000 --potential sine",
                                       NULL};

/* What the two families have in common: they differ in whether forces are given. */
#define MD_COMMON                                                                                  \
    .problem_bytes = sizeof(struct lab_md), .state_bytes = sizeof(struct md), .type = "f32",       \
    .reference = "", .reference_in_step = true, .work_varies = true,                               \
    .look_at = "the last particles", .default_size = 10000, .test_sizes = test_sizes,              \
    .test_options = test_options, .test_all_options = true, .gpu_test_sizes = gpu_test_sizes,      \
    .thorough = thorough, .variant_fits = variant_fits, .variant_options = variant_options,        \
    .arrays = arrays, .fill = md_fill, .make_reference = md_make_reference, .end = end,            \
    .facts = facts, .check_output = md_check_output

const struct lab_family lab_md_family = {.options = &lab_md_options,
                                         .test_forms = test_forms,
                                         .test_form_sizes = test_form_sizes,
                                         .begin = begin,
                                         MD_COMMON};

const struct lab_family lab_md_rest_family = {
    .options = &lab_md_rest_options, .begin = begin_rest, MD_COMMON};
