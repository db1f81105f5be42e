/* Options of family apsp. */
#include "families/apsp/apsp.h"

#include "base/status.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void take_range(const char *text, void *own)
{
    struct apsp_options *apsp = own;
    const char *dots = strstr(text, "..");
    char *end = NULL;
    long long low = strtoll(text, &end, 10), high = 0;
    bool right = dots && end == dots && end != text;
    if (right) {
        high = strtoll(dots + 2, &end, 10);
        right = end != dots + 2 && *end == '\0';
    }
    if (!right || low > high || low < -1000000000 || high > 1000000000)
        exit(lab_complain(LAB_EXIT_USAGE,
                          "--weight-range %s: give LOW..HIGH, whole numbers of at most 1000000000 "
                          "in amount, such as 0..99",
                          text));
    apsp->low = (int)low;
    apsp->high = (int)high;
}

static const struct lab_option table[] = {
    {"type", "f32|s32|u16", "type of weights and distances (f32)",
     LAB_WORD(struct apsp_options, type)},
    {"semiring", LAB_APSP_SEMIRING_WORDS,
     "min-plus: shortest paths; max-plus: longest paths (f32; of a graph without cycles); or-and: "
     "whether there is a path (u16)",
     LAB_WORD(struct apsp_options, semiring)},
    {"graph", "FILE", "read a graph: DIMACS .gr, Matrix Market or SNAP, plain or gzip",
     LAB_TEXT(struct apsp_options, graph)},
    {"generate", "gnm|gnp|rmat|chain|potential|dag",
     "gnm: a fixed number of random arcs; gnp: each possible arc by chance; rmat: unlike degrees; "
     "chain: long paths; potential: weights below 0; dag: no cycles (gnm; max-plus: dag)",
     LAB_WORD(struct apsp_options, generator)},
    {"degree", "X", "generate this number of arcs for each vertex (10)",
     LAB_NUMBER(struct apsp_options, degree, 1000000)},
    {"arcs", "M", "generate this number of arcs in all",
     LAB_COUNT(struct apsp_options, arcs, 0, 1ll << 40)},
    {"probability", "P", "probability of an arc, with --generate=gnp (0.01)",
     LAB_NUMBER(struct apsp_options, probability, 1)},
    {"weight-range", "LOW..HIGH", "generated weights are whole numbers from LOW to HIGH (1..100)",
     .take = take_range},
    {"products", "P",
     "run only the variants that square, with P products: paths of at most 2^P arcs",
     LAB_COUNT(struct apsp_options, products, 1, 31)},
    {"paths", NULL, "also find the paths", LAB_FLAG(struct apsp_options, paths)},
    {"from", "U", "print the path from vertex U ...",
     LAB_COUNT(struct apsp_options, from, 0, LLONG_MAX)},
    {"to", "V", "... to vertex V, as the file numbers them",
     LAB_COUNT(struct apsp_options, to, 0, LLONG_MAX)},
    {"out", "FILE",
     "write the distances: as text if FILE ends in .csv, otherwise raw after a header",
     LAB_TEXT(struct apsp_options, out)},
    {"next", "FILE",
     "find the paths, and write the vertex after the first of each in the same form",
     LAB_TEXT(struct apsp_options, next)},
    {0},
};

/* Notes which options were given, and what these choose of the others. */
static void follow(const char *name, const char *text, void *own)
{
    static const char *const generates[] = {"generate", "degree", "arcs", "probability",
                                            "weight-range"};
    struct apsp_options *apsp = own;
    (void)text;
    for (size_t i = 0; i < sizeof generates / sizeof *generates; i++)
        if (strcmp(name, generates[i]) == 0)
            apsp->generates = generates[i];
    apsp->type_given |= strcmp(name, "type") == 0;
    apsp->generator_given |= strcmp(name, "generate") == 0;
    apsp->has_degree |= strcmp(name, "degree") == 0;
    apsp->has_probability |= strcmp(name, "probability") == 0;
    apsp->ends_given |= strcmp(name, "from") == 0 ? 1 : strcmp(name, "to") == 0 ? 2 : 0;
    apsp->has_ends = apsp->ends_given == 3;
    apsp->paths |= apsp->has_ends || apsp->next;
    if (!apsp->type_given)
        apsp->type = apsp_semirings[apsp->semiring].type;
    if (apsp->semiring == LAB_APSP_MAX_PLUS && !apsp->generator_given)
        apsp->generator = LAB_GENERATE_DAG;
}

static int check_semiring(const struct apsp_options *apsp)
{
    const struct apsp_semiring *ring = &apsp_semirings[apsp->semiring];
    if (!(ring->types >> apsp->type & 1))
        return lab_complain(LAB_EXIT_USAGE, "--semiring=%s takes --type %s", ring->name,
                            ring->takes);
    if (apsp->semiring != LAB_APSP_MIN_PLUS && apsp->paths)
        return lab_complain(LAB_EXIT_USAGE,
                            "paths are found with --semiring=min-plus alone: leave out --paths, "
                            "--from, --to and --next");
    return LAB_EXIT_OK;
}

static int check(const struct lab_options *options, const void *own)
{
    const struct apsp_options *apsp = own;
    const bool gnp = apsp->generator == LAB_GENERATE_GNP;
    if (apsp->graph && apsp->generates)
        return lab_complain(LAB_EXIT_USAGE, "--%s generates a graph: not with --graph",
                            apsp->generates);
    if (apsp->graph && options->problem.sizes['n' - 'a'])
        return lab_complain(LAB_EXIT_USAGE, "-n is in the file: not with --graph");
    if (apsp->has_probability && !gnp)
        return lab_complain(LAB_EXIT_USAGE, "--probability goes with --generate=gnp");
    if (gnp && (apsp->arcs >= 0 || apsp->has_degree))
        return lab_complain(LAB_EXIT_USAGE,
                            "--generate=gnp goes with --probability, not --arcs or --degree");
    if (apsp->generator == LAB_GENERATE_POTENTIAL && apsp->low < 0)
        return lab_complain(LAB_EXIT_USAGE,
                            "--generate=potential takes a --weight-range from 0 on, "
                            "so that no cycle is negative");
    if (apsp->generator == LAB_GENERATE_POTENTIAL && apsp->type == LAB_APSP_U16)
        return lab_complain(LAB_EXIT_USAGE, "--generate=potential has weights below 0: not with "
                                            "--type u16");
    if (apsp->arcs >= 0 && apsp->has_degree)
        return lab_complain(LAB_EXIT_USAGE, "give --arcs or --degree, not both");
    if (apsp->ends_given == 1 || apsp->ends_given == 2)
        return lab_complain(LAB_EXIT_USAGE, "a path has two ends: give --from and --to");
    if (apsp->products && (apsp->paths || apsp->out))
        return lab_complain(LAB_EXIT_USAGE,
                            "--products leaves distances unfinished: not with paths or --out");
    return check_semiring(apsp);
}

static int check_study(const struct lab_options *options, const void *own)
{
    const struct apsp_options *apsp = own;
    (void)options;
    if (apsp->graph || apsp->semiring != LAB_APSP_MIN_PLUS || apsp->paths || apsp->out ||
        apsp->products || apsp->has_degree || apsp->arcs >= 0 ||
        (apsp->generator != LAB_GENERATE_GNM && apsp->generator != LAB_GENERATE_RMAT))
        return lab_complain(LAB_EXIT_USAGE,
                            "sweep generates its graphs: of their options it takes -n, --type, "
                            "--weight-range and --generate=rmat");
    return LAB_EXIT_OK;
}

static const struct apsp_options defaults = {
    .degree = 10.0, .arcs = -1, .probability = 0.01, .low = 1, .high = 100};

const struct lab_family_options lab_apsp_options = {
    .name = "apsp",
    .title = "apsp",
    .heading = "Shortest paths",
    .sizes = {{'n', "the number of vertices", 0}},
    .table = table,
    LAB_OWN(defaults),
    .follow = follow,
    .check = check,
    .study = "paths",
    .check_study = check_study,
};
