/* Options of family apsp. */
#include "families/apsp/options.h"

#include "families/apsp/semirings.h"
#include "options/values.h"
#include "base/status.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum apsp_option {
    OPTION_TYPE = 256,
    OPTION_SEMIRING,
    OPTION_GRAPH,
    OPTION_GENERATE,
    OPTION_DEGREE,
    OPTION_ARCS,
    OPTION_PROBABILITY,
    OPTION_WEIGHT_RANGE,
    OPTION_PRODUCTS,
    OPTION_PATHS,
    OPTION_FROM,
    OPTION_TO,
    OPTION_OUT,
    OPTION_NEXT
};

#define TYPE_WORDS     "f32|s32|u16"
#define GENERATE_WORDS "gnm|gnp|rmat|chain|potential|dag"

static const struct argp_option table[] = {
    {"type", OPTION_TYPE, TYPE_WORDS, 0, "type of weights and distances (f32)", 0},
    {"semiring", OPTION_SEMIRING, LAB_APSP_SEMIRING_WORDS, 0,
     "min-plus: shortest paths; max-plus: longest paths (f32; of a graph without cycles); or-and: "
     "whether there is a path (u16)",
     0},
    {"graph", OPTION_GRAPH, "FILE", 0,
     "read a graph: DIMACS .gr, Matrix Market or SNAP, plain or gzip", 0},
    {"generate", OPTION_GENERATE, GENERATE_WORDS, 0,
     "gnm: a fixed number of random arcs; gnp: each possible arc by chance; rmat: unlike degrees; "
     "chain: long paths; potential: weights below 0; dag: no cycles (gnm; max-plus: dag)",
     0},
    {"degree", OPTION_DEGREE, "X", 0, "generate this number of arcs for each vertex (10)", 0},
    {"arcs", OPTION_ARCS, "M", 0, "generate this number of arcs in all", 0},
    {"probability", OPTION_PROBABILITY, "P", 0, "probability of an arc, with --generate=gnp (0.01)",
     0},
    {"weight-range", OPTION_WEIGHT_RANGE, "LOW..HIGH", 0,
     "generated weights are whole numbers from LOW to HIGH (1..100)", 0},
    {"products", OPTION_PRODUCTS, "P", 0,
     "run only the variants that square, with P products: paths of at most 2^P arcs", 0},
    {"paths", OPTION_PATHS, 0, 0, "also find the paths", 0},
    {"from", OPTION_FROM, "U", 0, "print the path from vertex U ...", 0},
    {"to", OPTION_TO, "V", 0, "... to vertex V, as the file numbers them", 0},
    {"out", OPTION_OUT, "FILE", 0,
     "write the distances: as text if FILE ends in .csv, otherwise raw after a header", 0},
    {"next", OPTION_NEXT, "FILE", 0,
     "find the paths, and write the vertex after the first of each in the same form", 0},
    {0},
};

static void parse_range(const char *text, struct apsp_options *apsp)
{
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

/* Options of what to solve and what to show; false: the key is another option. */
static bool parse_task(int key, const char *text, struct apsp_options *apsp)
{
    switch (key) {
    case OPTION_TYPE:
        apsp->type = lab_parse_word("type", text, TYPE_WORDS);
        apsp->type_given = true;
        return true;
    case OPTION_SEMIRING:
        apsp->semiring = lab_parse_word("semiring", text, LAB_APSP_SEMIRING_WORDS);
        return true;
    case OPTION_GRAPH:
        apsp->graph = text;
        return true;
    case OPTION_PRODUCTS:
        apsp->products = (int)lab_parse_integer("products", text, 1, 31);
        return true;
    case OPTION_PATHS:
        apsp->paths = true;
        return true;
    case OPTION_FROM:
        apsp->from = lab_parse_integer("from", text, 0, LLONG_MAX);
        apsp->ends_given |= 1;
        return true;
    case OPTION_TO:
        apsp->to = lab_parse_integer("to", text, 0, LLONG_MAX);
        apsp->ends_given |= 2;
        return true;
    case OPTION_OUT:
        apsp->out = text;
        return true;
    case OPTION_NEXT:
        apsp->next = text;
        return true;
    default:
        return false;
    }
}

static bool parse_generator(int key, const char *text, struct apsp_options *apsp)
{
    switch (key) {
    case OPTION_GENERATE:
        apsp->generates = "generate";
        apsp->generator = lab_parse_word("generate", text, GENERATE_WORDS);
        apsp->generator_given = true;
        return true;
    case OPTION_DEGREE:
        apsp->generates = "degree";
        apsp->degree = lab_parse_number("degree", text, 1e6);
        apsp->has_degree = true;
        return true;
    case OPTION_ARCS:
        apsp->generates = "arcs";
        apsp->arcs = lab_parse_integer("arcs", text, 0, 1ll << 40);
        return true;
    case OPTION_PROBABILITY:
        apsp->generates = "probability";
        apsp->probability = lab_parse_number("probability", text, 1.0);
        apsp->has_probability = true;
        return true;
    case OPTION_WEIGHT_RANGE:
        apsp->generates = "weight-range";
        parse_range(text, apsp);
        return true;
    default:
        return false;
    }
}

static void parse(int key, const char *text, void *own)
{
    struct apsp_options *apsp = own;
    if (!parse_task(key, text, apsp))
        parse_generator(key, text, apsp);
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
    .parse = parse,
    .check = check,
    .study = "paths",
    .check_study = check_study,
};
