/* Options of family md: how particles interact, where, and for how long. */
#include "families/md/options.h"

#include "options/values.h"
#include "base/status.h"

#include <stdlib.h>

enum {
    OPTION_POTENTIAL = 256,
    OPTION_PERIODIC,
    OPTION_CUTOFF,
    OPTION_STEPS,
    OPTION_DT,
    OPTION_MASS,
    OPTION_KERNELS,
    OPTION_VALUES
};

enum { MOST_STEPS = 1000000 };

#define POTENTIAL_WORDS "lj|sine"
#define VALUES_WORDS    "plain|special"
#define KERNELS_WORDS   "all|rest|1|2|3|4|5|6|7|17|23|56|67|567"

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

static const struct argp_option table[] = {
    {"potential", OPTION_POTENTIAL, POTENTIAL_WORDS, 0,
     "lj: Lennard-Jones; sine: sin(min(r, pi/2))^2 (lj)", 0},
    {"periodic", OPTION_PERIODIC, 0, 0, "in a periodic box, a cube, instead of open space", 0},
    {"cutoff", OPTION_CUTOFF, "R", 0,
     "pairs farther apart do not interact (default: all do; in a box 2.5, or half its edge if that "
     "is less)",
     0},
    {"steps", OPTION_STEPS, "S", 0, "time steps of a launch (1)", 0},
    {"dt", OPTION_DT, "T", 0, "length of a time step (0.002)", 0},
    {"mass", OPTION_MASS, "M", 0, "mass of a particle (1)", 0},
    {"kernels", OPTION_KERNELS, KERNELS_WORDS, 0,
     "parts of a step: all of them, all but the forces, or some; 17: K7 beside the next step's K1 "
     "(all)",
     0},
    {"values", OPTION_VALUES, VALUES_WORDS, 0,
     "values of forces that are given: plain, or special: with NaN and infinity (plain)", 0},
    {0}};

/* A number above 0; neither it nor its square leaves a float's range. */
static float positive(const char *name, const char *text)
{
    const float value = lab_parse_scalar(name, text);
    if (!(value >= 1e-6f && value <= 1e6f))
        exit(lab_complain(LAB_EXIT_USAGE, "--%s %s: give a number from 1e-6 to 1e6", name, text));
    return value;
}

static void parse(int key, const char *text, void *own)
{
    struct md_options *md = own;
    if (key == OPTION_POTENTIAL)
        md->law = lab_parse_word("potential", text, POTENTIAL_WORDS);
    else if (key == OPTION_PERIODIC)
        md->periodic = true;
    else if (key == OPTION_CUTOFF)
        md->cutoff = positive("cutoff", text);
    else if (key == OPTION_STEPS)
        md->steps = (int)lab_parse_integer("steps", text, 1, MOST_STEPS);
    else if (key == OPTION_DT)
        md->dt = positive("dt", text);
    else if (key == OPTION_KERNELS)
        md->kernels = sets[lab_parse_word("kernels", text, KERNELS_WORDS)];
    else if (key == OPTION_VALUES)
        md->is_special = lab_parse_word("values", text, VALUES_WORDS) == 1;
    else
        md->mass = positive("mass", text);
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
    .table = table, LAB_OWN(defaults), .parse = parse

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
