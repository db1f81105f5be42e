/* Family reduction: the sum of n floats: the warm-up on threads that work together, step 00c and
 * exercise 00c. What is expected is summed on the host in double precision. */
#include "families/reduction.h"
#include "diagnose/explanation.h"
#include "diagnose/hypothesis.h"
#include "families/problem.h"
#include "families/family.h"
#include "families/values.h"

#include "options/family.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>

extern const struct lab_family_options lab_reduction_options;

enum { X, SUM };

/* What the family keeps of a problem. */
struct reduction {
    double expected, tolerance;
};

static int begin(struct lab_problem *p, const struct lab_options *options, int size)
{
    struct lab_reduction *r = p->argument;
    r->n = lab_size_of(options, p->family->options, 'n', size);
    return LAB_EXIT_OK;
}

static int arrays(const void *argument, struct lab_array *list)
{
    const struct lab_reduction *r = argument;
    list[X] = LAB_ARRAY(struct lab_reduction, x, .name = "x", .role = LAB_ROLE_INPUT,
                        .count = (size_t)r->n);
    list[SUM] = LAB_ARRAY(struct lab_reduction, sum, .name = "sum", .role = LAB_ROLE_OUTPUT,
                          .count = 1, .blank = true);
    list[2] = LAB_ARRAY(struct lab_reduction, workspace, .role = LAB_ROLE_SCRATCH);
    return 3;
}

/*
 * The tolerance on |got - expected|; u = 2^-24. The sum may be taken in any order, one element
 * after the other, too. Elements have magnitude uniform in [1/2, 1) and random sign: the square of
 * one has mean 7/12, so a partial sum of j of them has standard deviation 0.76 sqrt(j). Each
 * addition rounds with an error of standard deviation below u |sum| / sqrt(3). Over n additions in
 * the worst order, one after another, that adds up to u / sqrt(3) * 0.76 * n / sqrt(2) = 0.31 u n,
 * and 6.1 standard deviations of it are 1.9 u n. We allow about twice: 4 u n. The other term covers
 * small n, where errors are not yet Gaussian. An element that is missing or doubled moves the sum
 * by at least 1/2, so it shows for every n below 2 million.
 */
static double tolerance_of(double n)
{
    return ldexp(4.0 * n + 16.0 * sqrt(n), -24);
}

static int make_reference(struct lab_problem *p)
{
    enum { PIECE = LAB_STAGING_BYTES / sizeof(float) };
    struct reduction *state = p->state;
    const size_t n = p->arrays[X].count;
    float *values = p->staging;
    for (size_t first = 0; first < n; first += PIECE) {
        const size_t piece = n - first < PIECE ? n - first : PIECE;
        lab_values_fill(p, X, values, first, piece);
        double sum = 0.0;
        for (size_t i = 0; i < piece; i++)
            sum += values[i];
        state->expected += sum;
    }
    state->tolerance = lab_values_scaled(p, tolerance_of((double)n));
    return LAB_EXIT_OK;
}

static void facts(const struct lab_problem *p, struct lab_problem_facts *facts)
{
    const struct lab_reduction *r = p->argument;
    /* bytes count: one addition for each 4 bytes is never the limit */
    *facts = (struct lab_problem_facts){
        .sizes = {{"n", r->n}}, .size_count = 1, .bytes = 4.0 * (r->n + 1.0)};
}

/* --- what a wrong sum comes of -----------------------------------------------------------------*/

/* Sums are tried that leave out a level of the tree, a warp or the last elements, or that count
 * lanes which must not count. */

/* The largest block and the levels of its tree; the threads of the smallest block with more than a
 * warp (FEWEST); the longest sum that is fine enough to tell (MOST). */
enum { FINE = 100 }; /* so much finer than the error, or one of many trees fits by chance */
enum { BLOCK = 1024, LEVELS = 10, WARP_LEVELS = 5, WARP = 32, FEWEST = 64, MOST = 1 << 17 };

struct sum {
    const float *x;
    size_t n;
    double tolerance, all;
    double of_thread[BLOCK]; /* of the elements with each number modulo BLOCK */
    struct lab_mismatch wrong;
};

/* The sum of threads `first` to `end` - 1 of each `block`. */
static double sum_of_threads(const struct sum *s, int block, int first, int end)
{
    double sum = 0.0;
    for (int i = 0; i < BLOCK; i++)
        sum += i % block >= first && i % block < end ? s->of_thread[i] : 0.0;
    return sum;
}

static bool fits(const struct sum *s, double value, const char *text,
                 struct lab_explanation *explanation)
{
    *explanation = (struct lab_explanation){.text = text};
    lab_explain_note(explanation, value, &s->wrong, s->tolerance);
    return !explanation->is_refuted;
}

static double without_levels(const struct sum *s, int mask)
{
    double sum = 0.0;
    for (int i = 0; i < BLOCK; i++)
        sum += (i & mask) == 0 ? s->of_thread[i] : 0.0;
    return sum;
}

/* Names levels `low` to `high` of the tree; of_both: of the sum over warps, too. */
static void write_levels(int low, int high, bool of_both, char *text, size_t size)
{
    const int block = 2 << high;
    if (low == WARP_LEVELS && !of_both && high > low)
        snprintf(text, size, "of each block of %d threads the first warp alone were added", block);
    else if (low == high)
        snprintf(text, size, "the level were left out that adds what is %d apart%s", 1 << low,
                 of_both ? ", in the sum of a warp and in that of its warps" : "");
    else
        snprintf(text, size, "the levels were left out that add what is %d to %d apart%s",
                 1 << high, 1 << low,
                 of_both ? ", in the sum of a warp and in that of its warps" : "");
}

static bool find_levels(const struct sum *s, struct lab_explanation *found, char *text, size_t size)
{
    for (int of_both = 0; of_both < 2; of_both++)
        for (int width = 1; width <= (of_both ? WARP_LEVELS : LEVELS); width++)
            for (int low = 0; low + width <= (of_both ? WARP_LEVELS : LEVELS); low++) {
                const int range = ((1 << width) - 1) << low;
                if (!fits(s, without_levels(s, of_both ? range | range << WARP_LEVELS : range),
                          text, found))
                    continue;
                write_levels(low, low + width - 1, of_both, text, size);
                found->hint = low == WARP_LEVELS && !of_both
                                  ? "are the parts of the other warps added?"
                                  : "where does the loop over levels begin and end, and do all "
                                    "lanes that have a part bring it?";
                return true;
            }
    return false;
}

/* Tries warps left out, and warp w added w + 1 times. */
static bool find_warps(const struct sum *s, struct lab_explanation *found, char *text, size_t size)
{
    for (int block = FEWEST; block <= BLOCK; block *= 2) {
        double by_number = 0.0;
        for (int first = 0; first < block; first += WARP)
            by_number += (first / WARP + 1) * sum_of_threads(s, block, first, first + WARP);
        if (fits(s, s->all - sum_of_threads(s, block, block - WARP, block), text, found))
            snprintf(text, size, "of each block of %d threads the last warp were left out", block);
        else if (fits(s, s->all - sum_of_threads(s, block, 0, WARP), text, found))
            snprintf(text, size, "of each block of %d threads the first warp were left out", block);
        else if (fits(s, s->all + sum_of_threads(s, block, 0, WARP), text, found))
            snprintf(text, size, "of each block of %d threads the first warp were added twice",
                     block),
                found->hint = "does the thread that adds the parts of all warps begin with its "
                              "own, which is among them, in place of 0?";
        else if (fits(s, block / WARP * sum_of_threads(s, block, 0, WARP), text, found))
            snprintf(text, size,
                     "of each block of %d threads the first warp were added %d times, and no other",
                     block, block / WARP),
                found->hint = "in the sum over warps, does each lane take the part of its own "
                              "number, or all the same one?";
        else if (fits(s, by_number, text, found))
            snprintf(text, size,
                     "of each block of %d threads the part of warp w were added w + 1 times",
                     block),
                found->hint = "do all lanes of the last sum over warps add theirs, where lane 0 "
                              "alone is to?";
        else
            continue;
        return true;
    }
    return false;
}

/* How often each lane's value comes into those of the first `kept` lanes together. Each level adds
 * what is so many lanes away. In a warp all lanes add, and those that have no such lane within
 * `width` add their own; in a block the lower threads add, as many as the level is apart. */
static void count_times(const int *levels, int count, int lanes, int width, int kept, bool in_warp,
                        double times[BLOCK])
{
    for (int i = 0; i < lanes; i++)
        times[i] = i < kept;
    while (count-- > 0)
        for (int i = lanes - 1, apart = levels[count]; i >= 0; i--)
            times[i] +=
                (i % width >= apart && (in_warp || i < 2 * apart) ? times[i - apart] : 0.0) +
                (in_warp && i % width + apart >= width ? times[i] : 0.0);
}

/* Tries trees that do not halve, of each warp and then of its block's warps, or of the block; and a
 * tree that moves in place of adding, so that the last thread's value arrives. Such trees count
 * some elements often, whose rounding counts as often. */
static bool find_trees(const struct sum *s, struct lab_explanation *found, char *text, size_t size)
{
    static const struct {
        int by;
        bool divides;
    } steps[] = {{2, false}, {1, false}, {4, false}, {8, false}, {4, true}};
    double times[BLOCK];
    struct sum rough = *s;
    for (size_t i = 0; i < 2 * sizeof steps / sizeof *steps; i++)
        for (int block = WARP; block <= BLOCK; block *= 2) {
            const bool in_warp = i % 2 == 0;
            const int by = steps[i / 2].by, lanes = in_warp ? WARP : block;
            if (s->n <= (size_t)lanes / 2)
                continue; // of so few elements any tree is the same as many others
            double sum = 0.0, most = 1.0;
            int levels[BLOCK], count = 0;
            for (int apart = lanes / 2; apart > 0;
                 apart = steps[i / 2].divides ? apart / by : apart - by)
                levels[count++] = apart;
            count_times(levels, count, lanes, lanes, 1, in_warp, times);
            for (int thread = 0; thread < BLOCK; thread++) {
                const double of_warp = in_warp ? times[thread % block / WARP] : 1.0;
                sum += s->of_thread[thread] * times[thread % lanes] * of_warp;
                most = fmax(most, times[thread % lanes] * of_warp);
            }
            rough.tolerance = s->tolerance * most;
            if (!lab_explain_counts(&s->wrong, FINE * rough.tolerance) ||
                !fits(&rough, sum, text, found))
                continue;
            snprintf(text, size, "the levels of the tree added what is %d, %d, ... apart",
                     lanes / 2, steps[i / 2].divides ? lanes / 2 / by : lanes / 2 - by);
            found->hint = "does each level have half of the level before?";
            return true;
        }
    for (int block = FEWEST; block <= BLOCK; block *= 2) {
        if (!fits(s, sum_of_threads(s, block, block - 1, block), text, found))
            continue;
        snprintf(text, size, "of each block of %d threads the last alone were added", block);
        found->hint = "does the tree put what it reads in the place of the sum (=), where it is to "
                      "be added (+=)?";
        return true;
    }
    return false;
}

/* Tries shuffles that are all 1 apart, or of half a warp's width, in the sum of a warp and in that
 * of its block's warps; and the first warp's own values in place of the parts of all warps. */
static bool find_shuffles(const struct sum *s, struct lab_explanation *found, char *text,
                          size_t size)
{
    enum { ONES, NARROW, OWN, KINDS };
    static const int halves[WARP_LEVELS] = {16, 8, 4, 2, 1}, ones[WARP_LEVELS] = {1, 1, 1, 1, 1};
    static const char *const texts[KINDS] = {
        "each level of a warp's sum added what is 1 apart",
        "in a warp's sum lanes took values of their own half of the warp alone",
        "in the sum over warps the first warp's lanes brought their own values"};
    static const char *const hints[KINDS] = {
        "is the distance of a shuffle the loop's: 16, 8, 4, 2, 1?",
        "is a shuffle's width 16, where a warp has 32 lanes?",
        "does each lane bring the part of the warp of its number?"};
    struct sum rough = *s;
    for (int kind = 0; kind < KINDS && s->n > WARP / 2; kind++)
        for (int block = FEWEST; block <= BLOCK; block *= 2) {
            double times[BLOCK], sum = 0.0, most = 1.0;
            count_times(kind == ONES ? ones : halves, WARP_LEVELS, WARP,
                        kind == NARROW ? WARP / 2 : WARP, kind == OWN ? block / WARP : 1, true,
                        times);
            for (int thread = 0; thread < BLOCK; thread++) {
                const int warp = thread % block / WARP;
                const double each = times[thread % WARP] * (kind != OWN ? times[warp] : warp == 0);
                sum += each * s->of_thread[thread];
                most = fmax(most, each);
            }
            rough.tolerance = s->tolerance * most;
            if (!lab_explain_counts(&s->wrong, FINE * rough.tolerance) ||
                !fits(&rough, sum, text, found))
                continue;
            snprintf(text, size, "%s", texts[kind]);
            found->hint = hints[kind];
            return true;
        }
    return false;
}

/* Lane 0 has no lower lane: if lanes take from lower ones, it takes its own value at each level. So
 * does the last one, which has no higher lane, of a tree that is right. */
static bool find_lower_lanes(const struct sum *s, struct lab_explanation *found, char *text,
                             size_t size)
{
    for (int block = WARP; block <= BLOCK; block *= 2) {
        const int times = block == WARP ? WARP : WARP * WARP;
        if (!fits(s, times * sum_of_threads(s, block, 0, 1), text, found))
            continue;
        snprintf(text, size, "of each %d elements the first alone were added, %d times", block,
                 times);
        found->hint = "does a lane take from lower lanes (up, or its own) what it is to take from "
                      "higher ones (down)?";
        return true;
    }
    snprintf(text, size, "of each %d elements the last alone were added, %d times", WARP, WARP);
    const double of_last = WARP * sum_of_threads(s, WARP, WARP - 1, WARP);
    const bool is_last = s->n > WARP && fits(s, of_last, text, found);
    found->hint = "does the last lane hand on a warp's sum, which the first one has?";
    return is_last;
}

/* Tries without the first element, and without the last ones. */
static bool find_ends(const struct sum *s, struct lab_explanation *found, char *text, size_t size)
{
    double rest = 0.0;
    size_t from = s->n;
    if (fits(s, s->all - s->x[0], text, found)) {
        snprintf(text, size, "the first element were left out");
        return true;
    }
    for (size_t group = 1; group <= BLOCK && group <= s->n; group *= 2) {
        const size_t begin = group == 1 ? s->n - 1 : s->n / group * group;
        while (from > begin)
            rest += s->x[--from];
        if (from != begin || begin == s->n || !fits(s, s->all - rest, text, found))
            continue;
        if (begin + 1 == s->n)
            snprintf(text, size, "the last element were left out");
        else
            snprintf(text, size,
                     "the last %zu elements were left out, those after the last whole %zu",
                     s->n - begin, group);
        return true;
    }
    return false;
}

/* Tries the first half, quarter or eighth of the elements: n / 2 taken for n, or a step too large.
 */
static bool find_first_part(const struct sum *s, struct lab_explanation *found, char *text,
                            size_t size)
{
    for (size_t divisor = 2; divisor <= 8 && divisor <= s->n; divisor *= 2) {
        double sum = 0.0;
        for (size_t i = 0; i < s->n / divisor; i++)
            sum += s->x[i];
        if (!fits(s, sum, text, found))
            continue;
        snprintf(text, size, "the first %zu elements alone were added, n / %zu", s->n / divisor,
                 divisor);
        found->hint = "where does the loop over elements end?";
        return true;
    }
    return false;
}

/* If each thread keeps only its last element, the sum has the last elements of all, as many as
 * there are threads: a few usual blocks on each SM, or a power of two. */
static bool find_last_of_threads(const struct sum *s, int sms, struct lab_explanation *found,
                                 char *text, size_t size)
{
    enum { HELD = 2048, LEAST_HELD = 128, LEAST = 64, LARGEST = 1 << 16 };
    for (int by_sm = 1; by_sm >= 0; by_sm--)
        for (size_t threads = by_sm ? LEAST_HELD : LEAST; threads <= (by_sm ? HELD : LARGEST);
             threads *= 2) {
            const size_t stride = by_sm ? threads * (size_t)sms : threads;
            double sum = 0.0;
            if (stride >= s->n)
                continue;
            for (size_t i = s->n - stride; i < s->n; i++)
                sum += s->x[i];
            if (!fits(s, sum, text, found))
                continue;
            snprintf(text, size, "the last %zu elements alone were added", stride);
            found->hint = "does each thread keep its last element, put there by = in place of "
                          "added by +=?";
            return true;
        }
    return false;
}

static bool is_of_times(const void *sum, const unsigned *times)
{
    const struct sum *const s = sum;
    double all = 0.0;
    for (size_t i = 0; i < s->n; i++)
        all += times[i] * (double)s->x[i];
    return fabs(all - s->wrong.got) <= 2.0 * s->tolerance;
}

/* With few elements several of them may fit: all are named then. */
static bool are_left_out(struct lab_evidence *e, char *text, size_t size)
{
    enum { KINDS = 9, ROOM = 250 };
    const struct lab_problem *const p = e->advice->family;
    const struct reduction *state = p->state;
    char texts[KINDS][ROOM];
    struct lab_explanation found[KINDS] = {{0}};
    struct sum s = {.x = p->staging,
                    .n = p->arrays[X].count,
                    .tolerance = state->tolerance,
                    .all = state->expected,
                    .wrong = {0, 0, state->expected, e->mismatches->first.got}};
    int sms = 0;
    if (!isfinite(s.wrong.got) || !isfinite(s.wrong.expected) || s.wrong.got == 0.0 || s.n > MOST ||
        !lab_explain_counts(&s.wrong, s.tolerance) ||
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0) != cudaSuccess)
        return false;
    lab_values_fill(p, X, p->staging, 0, s.n);
    for (size_t i = 0; i < s.n; i++)
        s.of_thread[i % BLOCK] += s.x[i];
    if (lab_threads_say(p->grid, s.n, is_of_times, &s, texts[0], ROOM, &found[0].hint))
        found[0].text = texts[0], found[0].fits = 1;
    find_ends(&s, &found[1], texts[1], ROOM);
    find_levels(&s, &found[2], texts[2], ROOM);
    find_warps(&s, &found[3], texts[3], ROOM);
    find_lower_lanes(&s, &found[4], texts[4], ROOM);
    find_last_of_threads(&s, sms, &found[5], texts[5], ROOM);
    find_first_part(&s, &found[6], texts[6], ROOM);
    find_trees(&s, &found[7], texts[7], ROOM);
    find_shuffles(&s, &found[8], texts[8], ROOM);
    return lab_explain_say(found, KINDS, "this", text, size);
}

static const struct lab_hypothesis hypotheses[] = {
    {"elements left out", are_left_out, LAB_CAUSE_SUSPECTED, LAB_PLACE_INSTEAD, false},
    {.name = NULL},
};

/* With fewer than 32 warps, a last warp's 32 lanes may add each part several times. */
static const char *of_several(double times)
{
    return times == 2.0 || times == 4.0
               ? "in the sum over warps, does a lane without a part of its own add another's, "
                 "where "
                 "it must add 0, or does a shuffle by 32, more than a warp has, give each lane its "
                 "own value once more, or one whose width is below 32? The first of a warp's "
                 "levels is 16 apart"
           : times == 8.0 || times == 16.0 ? "in the sum over warps, does each lane add the part "
                                             "of its own number, and 0 if there is none?"
           : times > 64.0  ? "do all threads of a block add its sum, where one is to?"
           : times >= 32.0 ? "does a shuffle by 32 lanes or more, which a warp has not, give each "
                             "lane its own value once more? The first of a warp's levels is 16 "
                             "apart"
                           : NULL;
}

/* What is known of a sum that no hypothesis explains. */
static void say_difference(const struct lab_problem *p, double difference, char *text, size_t size)
{
    snprintf(text, size,
             "it is %.7g too %s%s: which elements does each thread add, and does each "
             "part that threads keep come into the sum once?",
             fabs(difference), difference < 0.0 ? "small" : "large",
             p->arrays[X].count > MOST ? ""
                                       : ", and no half, first or last elements, warp or level of "
                                         "the tree alone explains that");
}

static cudaError_t check_output(struct lab_problem *p, struct lab_check *check)
{
    const struct reduction *state = p->state;
    const float expected = (float)state->expected;
    float got;
    char off[250];
    const struct lab_advice advice = {
        .of_unwritten = "does the sum reach memory, and is the memory that it is added to cleared "
                        "before?",
        .of_nans = "NaN comes in by adding to memory that nobody cleared, by reading past the "
                   "array, or shared memory that nobody wrote",
        .nans_are_of_memory = true,
        .of_most = off,
        .of_special = LAB_VALUES_OF_SPECIAL,
        .of_several = of_several,
        .term = lab_values_scaled(p, 0.5),
        .hypotheses = hypotheses,
        .family = p};
    struct lab_comparison comparison = {
        .rows = 1, .columns = 1, .is_one = true, .tolerance = state->tolerance};
    cudaError_t status = cudaMemcpy(&got, p->buffers[SUM].data, sizeof got, cudaMemcpyDeviceToHost);
    if (status != cudaSuccess)
        return status;
    say_difference(p, (double)got - state->expected, off, sizeof off);
    lab_compare(&comparison, &expected, &got, 1);
    lab_compare_verdict(&comparison, "sum", &advice, check);
    return cudaSuccess;
}

/* No subnormal numbers: atomicAdd() of floats in global memory takes them for 0. */
static const char *const thorough[] = {"-n 1",
                                       "-n 3 --values large",
                                       "-n 33 --values special",
                                       "-n 129 --values special",
                                       "-n 1000 --values small",
                                       "-n 3000 --values special",
                                       "-n 2049 --values large",
                                       "-n 16390",
                                       "-n 65601",
                                       NULL};

const struct lab_family lab_reduction_family = {
    .options = &lab_reduction_options,
    .problem_bytes = sizeof(struct lab_reduction),
    .state_bytes = sizeof(struct reduction),
    .type = "f32",
    .reference = "",
    .reference_in_step = true,
    .look_at = "the last elements",
    .default_size = 1 << 26,
    .test_sizes = lab_test_lengths,
    .gpu_test_sizes = lab_gpu_test_lengths,
    .thorough = thorough,
    .begin = begin,
    .arrays = arrays,
    .fill = lab_values_fill,
    .make_reference = make_reference,
    .facts = facts,
    .check_output = check_output,
};
