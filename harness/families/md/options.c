/* Options of family md: how particles interact, where, and for how long. */
#include "families/md/md.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 1000000 };

#define KERNELS_WORDS "all|rest|1|2|3|4|5|6|7|17|23|56|67|567"

static const unsigned sets[] = {LAB_MD_ALL,
                                LAB_MD_REST,
                                LAB_MD_K1,
                                LAB_MD_K2,
                                LAB_MD_K3,
                                LAB_MD_K4,
                                LAB_MD_K5,
                                LAB_MD_K6,
                                LAB_MD_K7,
                                LAB_MD_K1 | LAB_MD_K7,
                                LAB_MD_K2 | LAB_MD_K3,
                                LAB_MD_K5 | LAB_MD_K6,
                                LAB_MD_K6 | LAB_MD_K7,
                                LAB_MD_K5 | LAB_MD_K6 | LAB_MD_K7};

static void take_kernels(const char *text, void *own)
{
    ((struct md_options *)own)->kernels = sets[lab_parse_word("kernels", text, KERNELS_WORDS)];
}

static const struct lab_option table[] = {
    {"potential", "lj|sine", "lj: Lennard-Jones; sine: sin(min(r, pi/2))^2 (lj)",
     LAB_WORD(struct md_options, law)},
    {"periodic", NULL, "in a periodic box, a cube, instead of open space",
     LAB_FLAG(struct md_options, periodic)},
    {"cutoff", "R",
     "pairs farther apart do not interact (default: all do; in a box 2.5, or half its edge if that "
     "is less)",
     LAB_SCALAR(struct md_options, cutoff)},
    {"steps", "S", "time steps of a launch (1)",
     LAB_COUNT(struct md_options, steps, 1, MOST_STEPS)},
    {"dt", "T", "length of a time step (0.002)", LAB_SCALAR(struct md_options, dt)},
    {"mass", "M", "mass of a particle (1)", LAB_SCALAR(struct md_options, mass)},
    {"kernels", KERNELS_WORDS,
     "parts of a step: all of them, all but the forces, or some; 17: K7 beside the next step's K1 "
     "(all)",
     .take = take_kernels},
    {"values", "plain|special",
     "values of forces that are given: plain, or special: with NaN and infinity (plain)",
     LAB_WORD(struct md_options, is_special)},
    {0}};

/* A number is above 0; neither it nor its square leaves a float's range. */
static void follow(const char *name, const char *text, void *own)
{
    const struct md_options *md = own;
    const float value = strcmp(name, "cutoff") == 0 ? md->cutoff
                        : strcmp(name, "dt") == 0   ? md->dt
                                                    : md->mass;
    if (!(value >= 1e-6f && value <= 1e6f))
        exit(lab_complain(LAB_EXIT_USAGE, "--%s %s: give a number from 1e-6 to 1e6", name, text));
}

static int check(const struct lab_options *options, const void *own)
{
    const struct md_options *md = own;
    (void)options;
    if (md->is_special && md->kernels & LAB_MD_K1)
        return lab_complain(LAB_EXIT_USAGE,
                            "--values is of forces that are given: add --kernels rest");
    return md_is_apart(md->kernels) && md->steps > 1
               ? lab_complain(LAB_EXIT_USAGE,
                              "--kernels 1 to 567 are of one step: leave out --steps")
               : LAB_EXIT_OK;
}

/* For md_rest, where the forces are left out already. */
static int check_rest(const struct lab_options *options, const void *own)
{
    const struct md_options *md = own;
    (void)options;
    return md->kernels != LAB_MD_ALL
               ? lab_complain(LAB_EXIT_USAGE,
                              "--kernels is for the steps: this is all of a step but its forces")
               : LAB_EXIT_OK;
}

/* The study also has the parts that designs are made of. A plan has whole steps, or steps without
 * their forces. */
static int check_study(const struct lab_options *options, const void *own)
{
    const struct md_options *md = own;
    if (options->command == LAB_COMMAND_PLAN)
        return md_is_apart(md->kernels) || md->steps > 1
                   ? lab_complain(LAB_EXIT_USAGE,
                                  "plan is of one step, whole or with --kernels rest: leave out "
                                  "--steps and other --kernels")
                   : LAB_EXIT_OK;
    return md->kernels == LAB_MD_REST || md->steps > 1
               ? lab_complain(LAB_EXIT_USAGE, "sweep is of parts of one step: leave out --steps "
                                              "and --kernels rest")
               : LAB_EXIT_OK;
}

static const struct md_options defaults = {
    .steps = 1, .dt = 0.002f, .mass = 1.0f, .kernels = LAB_MD_ALL};

/* What the two families have in common. */
#define MD_OPTIONS                                                                                 \
    .heading = "Molecular dynamics", .sizes = {{'n', "the number of particles", 0}},               \
    .table = table, LAB_OWN(defaults), .follow = follow

const struct lab_family_options lab_md_options = {.name = "md",
                                                  .title = "molecular dynamics",
                                                  .check = check,
                                                  .study = "signatures",
                                                  .plan = "designs",
                                                  .check_study = check_study,
                                                  MD_OPTIONS};

const struct lab_family_options lab_md_rest_options = {.name = "md_rest",
                                                       .title = "molecular dynamics, forces given",
                                                       .check = check_rest,
                                                       MD_OPTIONS};
