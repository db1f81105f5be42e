/* Family histogram: how often each of 256 keys occurs, compared exactly: the warm-up on atomic
 * additions, step 00d and exercise 00d. The expected counts are counted on the host. */
#include "families/histogram.h"
#include "diagnose/hypothesis.h"
#include "families/inputs.h"
#include "families/problem.h"
#include "families/family.h"

#include "options/family.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "families/histogram/options.h"

enum { KEYS, COUNTS, BINS = LAB_HISTOGRAM_BINS };

/* The most lanes, each with its own copy of the bins, that a block may have. */
enum { LANES = 64 };

/* What the family keeps of a problem. */
struct histogram {
    int expected[BINS];
    int of_lane[BINS][LANES]; /* keys of each bin, by their number modulo LANES */
};

static int begin(struct lab_problem *p, const struct lab_options *options, int size)
{
    struct lab_histogram *h = p->argument;
    h->n = lab_size_of(options, p->family->options, 'n', size);
    return LAB_EXIT_OK;
}

static int arrays(const void *argument, struct lab_array *list)
{
    const struct lab_histogram *h = argument;
    list[KEYS] = LAB_ARRAY(struct lab_histogram, keys, .name = "keys", .role = LAB_ROLE_INPUT,
                           .element = LAB_ELEMENT_S32, .count = (size_t)h->n);
    list[COUNTS] =
        LAB_ARRAY(struct lab_histogram, counts, .name = "counts", .role = LAB_ROLE_OUTPUT,
                  .element = LAB_ELEMENT_S32, .count = BINS, .blank = true);
    list[2] = LAB_ARRAY(struct lab_histogram, workspace, .role = LAB_ROLE_SCRATCH);
    return 3;
}

/* The sign of a random value decides whether a key is background. If not, its magnitude, from 1/2
 * to 1, chooses one of all 256 bins, the background's included. */
static void fill(const struct lab_problem *p, int which, void *to, size_t first, size_t count)
{
    enum { PIECE = 1024, RUN = 48 };
    float chance[PIECE];
    int *keys = to;
    const uint64_t seed = lab_inputs_seed(p->options->problem.seed, KEYS);
    const struct histogram_options *own = lab_own_options(p->options, p->family->options);
    (void)which;
    for (size_t at = 0; at < count; at += PIECE) {
        const size_t piece = count - at < PIECE ? count - at : PIECE;
        lab_inputs_fill(chance, first + at, piece, seed);
        for (size_t i = 0; i < piece && own->keys != HISTOGRAM_MIXED; i++)
            lab_inputs_fill(&chance[i], own->keys == HISTOGRAM_ONE ? 0 : (first + at + i) / RUN, 1,
                            seed);
        for (size_t i = 0; i < piece; i++)
            keys[at + i] = chance[i] < 0.0f ? 0 : (int)((chance[i] - 0.5f) * (2 * BINS));
    }
}

/* A warp whose lanes all have the same key, and the largest counts. */
static const char *vary(struct lab_options *options)
{
    const struct histogram_options *own = lab_own_options(options, &lab_histogram_options);
    if (own->keys != HISTOGRAM_MIXED)
        return NULL;
    lab_give_own_option(options, &lab_histogram_options, "keys", "one");
    return "where all keys are the same (--keys one)";
}

static int make_reference(struct lab_problem *p)
{
    enum { PIECE = LAB_STAGING_BYTES / sizeof(int) };
    struct histogram *state = p->state;
    const size_t n = p->arrays[KEYS].count;
    int *keys = p->staging;
    for (size_t first = 0; first < n; first += PIECE) {
        const size_t piece = n - first < PIECE ? n - first : PIECE;
        fill(p, KEYS, keys, first, piece);
        for (size_t i = 0; i < piece; i++) {
            state->expected[keys[i]]++;
            state->of_lane[keys[i]][(first + i) % LANES]++;
        }
    }
    return LAB_EXIT_OK;
}

static void facts(const struct lab_problem *p, struct lab_problem_facts *facts)
{
    const struct lab_histogram *h = p->argument;
    /* counting is no floating-point operation: bytes are what counts */
    *facts = (struct lab_problem_facts){
        .sizes = {{"n", h->n}}, .size_count = 1, .bytes = 4.0 * ((double)h->n + BINS)};
}

/* Whether a block's counts have only `bits` bits, which are too few. Each wrong count then lacks a
 * multiple of 2^bits; or, if several counts share a word, the next count has the carry. */
static bool are_of(int bits, const int *expected, const int *got)
{
    const int in_a_word = 32 / bits;
    bool each = true, words = true;
    for (int bin = 0; bin < BINS; bin += in_a_word) {
        uint32_t word = 0;
        for (int i = 0; i < in_a_word; i++) {
            const int error = got[bin + i] - expected[bin + i];
            each = each && error % (1 << bits) == 0 && error <= 0;
            word += (uint32_t)error << (bits * i);
        }
        words = words && word == 0;
    }
    return each || words;
}

/* Whether each bin has what `lanes` counts of each bin give if they are added at [lane][bin] and
 * read at [bin][lane], or the other way round. */
static bool are_turned(const struct histogram *state, int lanes, bool by_lane, const int *got)
{
    for (int bin = 0; bin < BINS; bin++) {
        int sum = 0;
        for (int lane = 0; lane < lanes; lane++) {
            const int place = by_lane ? bin * lanes + lane : lane * BINS + bin;
            const int of_bin = by_lane ? place % BINS : place / lanes;
            for (int i = by_lane ? place / BINS : place % lanes; i < LANES; i += lanes)
                sum += state->of_lane[of_bin][i];
        }
        if (sum != got[bin])
            return false;
    }
    return true;
}

/* With few keys either way may fit, or the wrong one; both are named then. */
static bool say_turned(const struct histogram *state, const int *got, char *text, size_t size)
{
    enum { FEW = 1000 };
    bool fits[2] = {false};
    int keys = 0;
    for (int bin = 0; bin < BINS; bin++)
        keys += state->expected[bin];
    for (int lanes = 2; lanes <= LANES; lanes *= 2)
        for (int by_lane = 0; by_lane < 2; by_lane++)
            fits[by_lane] = fits[by_lane] || are_turned(state, lanes, by_lane, got);
    if ((fits[0] && fits[1]) || keys < FEW)
        snprintf(
            text, size,
            "this is as if each bin's counts were added at one index and read at another, such "
            "as bin * lanes + lane and bin + lane * bins: both must be the same");
    else
        snprintf(text, size,
                 "this is as if each bin's counts were added at index %s and read at %s: both must "
                 "be the same",
                 fits[1] ? "bin + lane * bins" : "bin * lanes + lane",
                 fits[1] ? "bin * lanes + lane" : "bin + lane * bins");
    return fits[0] || fits[1];
}

/* Whether each bin lacks what `count` lanes of each 32, from `from` on, have counted. is_rotated:
 * `from` is relative to the bin's own lane, where a loop over the bin's counts begins. */
static bool lacks_lanes(const struct histogram *state, int from, int count, bool is_rotated,
                        const int *got)
{
    enum { WARP = 32 };
    for (int bin = 0; bin < BINS; bin++) {
        int missing = 0;
        for (int i = 0; i < LANES; i++) {
            const int turn = (i + (is_rotated ? WARP * BINS - bin : 0)) % WARP;
            missing += turn >= from && turn < from + count ? state->of_lane[bin][i] : 0;
        }
        if (state->expected[bin] - got[bin] != missing)
            return false;
    }
    return true;
}

/* Whether exactly the first, or the last, `missing` keys are missing. */
static bool lacks_end(const struct lab_problem *p, bool is_first, size_t missing, const int *got)
{
    const struct histogram *state = p->state;
    int *const keys = p->staging, counts[BINS];
    memcpy(counts, got, sizeof counts);
    fill(p, KEYS, keys, is_first ? 0 : p->arrays[KEYS].count - missing, missing);
    for (size_t i = 0; i < missing; i++)
        counts[keys[i]]++;
    return memcmp(counts, state->expected, sizeof counts) == 0;
}

/* "lanes 2 to 4 of each 32", or lanes relative to the bin. */
static void name_lanes(int from, int count, bool is_rotated, char *text, size_t size)
{
    const int last = from + count - 1;
    if (is_rotated && last == 0)
        snprintf(text, size, "those of lane b %% 32 in bin b");
    else if (is_rotated && count == 1)
        snprintf(text, size, "those of lane (b + %d) %% 32 in bin b", from);
    else if (is_rotated)
        snprintf(text, size, "those of lanes (b + %d) %% 32 to (b + %d) %% 32 in bin b", from,
                 last);
    else if (count == 1)
        snprintf(text, size, "those of lane %d of each 32", from);
    else
        snprintf(text, size, "those of lanes %d to %d of each 32", from, last);
}

/* Says which keys are missing. Very few are not explained, since many rules fit. */
static bool say_missing(const struct lab_problem *p, const int *got, size_t missing, char *text,
                        size_t size)
{
    enum { LEAST = 4, MOST = LAB_STAGING_BYTES / sizeof(int), WARP = 32 };
    const struct histogram *state = p->state;
    size_t length = 0;
    if (missing < LEAST || missing == p->arrays[KEYS].count)
        return false;
    for (int is_first = 1; is_first >= 0 && missing <= MOST; is_first--)
        if (lacks_end(p, is_first, missing, got))
            length += (size_t)snprintf(text + length, size - length, "%sthe %s %zu",
                                       length ? ", or " : "", is_first ? "first" : "last", missing);
    for (int way = 0; way < 4 * (WARP - 1) && length < size; way++) {
        const bool is_rotated = way % 2, is_end = way / 2 % 2;
        const int count = way / 4 + 1, from = is_end ? WARP - count : 0;
        char lanes[80];
        if (!lacks_lanes(state, from, count, is_rotated, got))
            continue;
        name_lanes(from, count, is_rotated, lanes, sizeof lanes);
        length +=
            (size_t)snprintf(text + length, size - length, "%s%s", length ? ", or " : "", lanes);
    }
    return length > 0 && length < size;
}

/* Says what all counts together tell: whether each key was counted, or how many more or fewer. */
static void say_how_many(const struct lab_problem *p, const int *got, char *text, size_t size)
{
    char missing[200];
    const long long n = (long long)p->arrays[KEYS].count;
    long long sum = 0;
    for (int bin = 0; bin < BINS; bin++)
        sum += got[bin];
    if (sum == n)
        snprintf(text, size,
                 "all %lld keys are counted, but in other bins: look at the index where a key is "
                 "counted, and where counts are read and added up",
                 n);
    else if (sum < n && sum >= 0 && say_missing(p, got, (size_t)(n - sum), missing, sizeof missing))
        snprintf(
            text, size,
            "%lld of %lld keys are counted, all but %s: where do the loops over keys, and over the "
            "counts of a bin, begin and end?",
            sum, n, missing);
    else if (sum < n)
        snprintf(text, size,
                 "%lld of %lld keys are counted: is every key counted, the last ones too, and are "
                 "all parts of a bin added to it (+=)?",
                 sum, n);
    else
        snprintf(text, size,
                 "%lld are counted, of %lld keys: is a key counted twice, or a part added twice, "
                 "or are the counts not cleared before?",
                 sum, n);
}

/* An output that is wrong, for hypotheses. */
struct counts {
    const struct lab_problem *problem;
    const struct histogram *state;
    int got[BINS];
};

static bool is_of_times(const void *counts, const unsigned *times)
{
    const struct counts *const c = counts;
    const int *const keys = c->problem->staging;
    int left[BINS];
    memcpy(left, c->got, sizeof left);
    for (size_t i = 0; i < c->problem->arrays[KEYS].count; i++)
        left[keys[i]] -= (int)times[i];
    for (int bin = 0; bin < BINS; bin++)
        if (left[bin] != 0)
            return false;
    return true;
}

/* Threads take other keys than theirs. Of few keys, or where a single bin has nearly all of them,
 * that bin lacks some by any mistake. */
static bool have_other_index(struct lab_evidence *e, char *text, size_t size)
{
    const double most = 0.75;
    enum { FEW = 64 };
    const struct counts *const c = e->advice->family;
    const size_t n = c->problem->arrays[KEYS].count;
    char index[300];
    const char *hint;
    const bool is_single = e->mismatches->pattern.wrong == 1;
    if (is_single && e->mismatches->first.expected > most * (double)n)
        return false;
    if (is_single && n < FEW && e->mismatches->first.got < e->mismatches->first.expected) {
        snprintf(text, size, "keys of a single bin are not counted: of more keys more can be said");
        return true;
    }
    if (n > LAB_STAGING_BYTES / sizeof(int))
        return false;
    fill(c->problem, KEYS, c->problem->staging, 0, n);
    if (!lab_threads_say(c->problem->grid, n, is_of_times, c, index, sizeof index, &hint))
        return false;
    snprintf(text, size, "this is as if %s%s%s", index, hint ? ": " : "", hint ? hint : "");
    return true;
}

/* What is lacking are the keys of warps whose 32 keys are all the same. */
static bool lack_whole_warps(struct lab_evidence *e, char *text, size_t size)
{
    enum { WARP = 32 };
    const struct counts *const c = e->advice->family;
    const size_t n = c->problem->arrays[KEYS].count;
    int *const keys = c->problem->staging, missing[BINS] = {0};
    if (n > LAB_STAGING_BYTES / sizeof(int))
        return false;
    fill(c->problem, KEYS, keys, 0, n);
    for (size_t first = 0; first + WARP <= n; first += WARP) {
        int same = 1;
        while (same < WARP && keys[first + (size_t)same] == keys[first])
            same++;
        missing[keys[first]] += same == WARP ? WARP : 0;
    }
    for (int bin = 0; bin < BINS; bin++)
        if (c->state->expected[bin] - c->got[bin] != missing[bin])
            return false;
    snprintf(text, size,
             "what is lacking are the keys of each 32 in a row that are all the same: does a warp "
             "whose lanes have one key count them, all 32?");
    return true;
}

static bool have_few_bits(struct lab_evidence *e, char *text, size_t size)
{
    const struct counts *c = e->advice->family;
    for (int bits = 16; bits >= 8; bits -= 8) {
        snprintf(text, size, "what is lacking is a multiple of %d: are counts kept in %d bits%s?",
                 1 << bits, bits, bits == 16 ? " or fewer" : "");
        if (are_of(bits, c->state->expected, c->got))
            return true;
    }
    return false;
}

static bool have_index_turned(struct lab_evidence *e, char *text, size_t size)
{
    const struct counts *c = e->advice->family;
    return say_turned(c->state, c->got, text, size);
}

/* Fewer keys fit too much. */
enum { LEAST_KEYS = 8 };

/* Whether a bin's counts, one for each lane, are added, or read, at bin + lane, and lie at bin *
 * lanes + lane. */
static bool have_no_factor(const struct histogram *state, int lanes, bool at_reading,
                           const int *got)
{
    int places[BINS * LANES] = {0};
    for (int i = 0; i < BINS * LANES; i++) {
        const int bin = i / LANES, lane = i % LANES % lanes;
        places[at_reading ? bin * lanes + lane : bin + lane] += state->of_lane[bin][i % LANES];
    }
    for (int bin = 0; bin < BINS; bin++) {
        int sum = 0;
        for (int lane = 0; lane < lanes; lane++)
            sum += places[at_reading ? bin + lane : bin * lanes + lane];
        if (sum != got[bin])
            return false;
    }
    return true;
}

static bool have_bins_too_near(struct lab_evidence *e, char *text, size_t size)
{
    const struct counts *const c = e->advice->family;
    for (int lanes = 2; lanes <= LANES && c->problem->arrays[KEYS].count >= LEAST_KEYS; lanes *= 2)
        for (int at_reading = 0; at_reading < 2; at_reading++)
            if (have_no_factor(c->state, lanes, at_reading, c->got)) {
                snprintf(text, size,
                         "this is as if counts were %s at index bin + lane, where a bin has %d of "
                         "them, so that it is to be bin * %d + lane",
                         at_reading ? "read" : "added", lanes, lanes);
                return true;
            }
    return false;
}

/* Whether each bin's keys are counted in the one `shift` after it, modulo all. */
static bool are_shifted(const struct counts *c, int shift)
{
    for (int bin = 0; bin < BINS; bin++)
        if (c->got[(bin + shift) % BINS] != c->state->expected[bin])
            return false;
    return true;
}

static bool are_next_to_theirs(struct lab_evidence *e, char *text, size_t size)
{
    const struct counts *const c = e->advice->family;
    for (int shift = 1; shift < BINS && c->problem->arrays[KEYS].count >= LEAST_KEYS; shift++)
        if (are_shifted(c, shift)) {
            snprintf(text, size, "this is as if each key were counted %d bin%s %s its own",
                     shift <= BINS / 2 ? shift : BINS - shift,
                     shift == 1 || shift == BINS - 1 ? "" : "s",
                     shift <= BINS / 2 ? "after" : "before");
            return true;
        }
    return false;
}

/* The place of a key, or its value, in the place of what it is to be. */
static bool are_of_other_value(struct lab_evidence *e, char *text, size_t size)
{
    const struct counts *const c = e->advice->family;
    const long long n = (long long)c->problem->arrays[KEYS].count;
    bool of_place = true, of_value = true;
    for (int bin = 0; bin < BINS; bin++) {
        of_place = of_place && c->got[bin] == n / BINS + (bin < n % BINS);
        of_value = of_value && c->got[bin] == (long long)bin * c->state->expected[bin];
    }
    snprintf(text, size, "%s",
             of_place ? "this is as if keys were counted by their place i, modulo the bins, in "
                        "place of their value, keys[i]"
                      : "this is as if the value of each key were added to its bin, in place of 1");
    return n >= LEAST_KEYS && (of_place || of_value);
}

/* Of the counts that a bin has, one for each lane, the first or the last alone. */
static bool are_of_one_lane(struct lab_evidence *e, char *text, size_t size)
{
    enum { OTHERS = 31 };
    const struct counts *const c = e->advice->family;
    bool is_last = false, is_first = false;
    for (int is_rotated = 0; is_rotated < 2; is_rotated++) {
        is_last = is_last || lacks_lanes(c->state, 0, OTHERS, is_rotated, c->got);
        is_first = is_first || lacks_lanes(c->state, 1, OTHERS, is_rotated, c->got);
    }
    snprintf(text, size, "each bin has the %s of its %d counts alone: %s",
             is_last ? "last" : "first", OTHERS + 1,
             is_last ? "is each put there by =, in place of added by +=?"
                     : "does the loop over them end too soon?");
    return is_last != is_first && c->problem->arrays[KEYS].count >= LEAST_KEYS;
}

/* Bins without a count, at an end, and all others are right. */
static bool are_bins_left_out(struct lab_evidence *e, char *text, size_t size)
{
    const struct counts *const c = e->advice->family;
    const struct lab_pattern_side *const side = &e->mismatches->pattern.column;
    bool is_end = true, is_start = true;
    for (int bin = 0; bin < BINS; bin++) {
        is_end = is_end && ((size_t)bin < side->first || c->got[bin] == 0);
        is_start = is_start && ((size_t)bin > side->last || c->got[bin] == 0);
    }
    if (!(is_end || is_start))
        return false;
    if (e->mismatches->zero == e->mismatches->pattern.wrong && is_end && is_start)
        snprintf(text, size,
                 "all bins hold 0: are the counts of each block added to the result, and where "
                 "does that loop begin and end?");
    else if (is_end)
        snprintf(text, size,
                 "from bin %zu on all hold 0, and all before are right: where does the loop over "
                 "bins end, and is there a thread for each?",
                 side->first);
    else
        snprintf(text, size,
                 "up to bin %zu all hold 0, and all behind are right: where does the loop over "
                 "bins begin?",
                 side->last);
    return true;
}

static const struct lab_hypothesis hypotheses[] = {
    {"too few bits", have_few_bits, LAB_CAUSE_PROVED, LAB_PLACE_SHORT, false},
    {"whole warps", lack_whole_warps, LAB_CAUSE_PROVED, LAB_PLACE_SHORT, false},
    {"another index", have_other_index, LAB_CAUSE_PROVED, LAB_PLACE_SHORT, false},
    {"other bins", are_next_to_theirs, LAB_CAUSE_PROVED, LAB_PLACE_UNSAID, false},
    {"other value", are_of_other_value, LAB_CAUSE_PROVED, LAB_PLACE_UNSAID, false},
    {"one lane", are_of_one_lane, LAB_CAUSE_PROVED, LAB_PLACE_UNSAID, false},
    {"bins left out", are_bins_left_out, LAB_CAUSE_PROVED, LAB_PLACE_UNSAID, false},
    {"transposed index", have_index_turned, LAB_CAUSE_PROVED, LAB_PLACE_SHORT, false},
    {"bins too near", have_bins_too_near, LAB_CAUSE_PROVED, LAB_PLACE_SHORT, false},
    {.name = NULL},
};

/* Counts are whole numbers and are shown as such. Poison is -1. */
static cudaError_t check_output(struct lab_problem *p, struct lab_check *check)
{
    struct counts c = {.problem = p, .state = p->state};
    struct lab_mismatches found = {.pattern = {.rows = 1, .columns = BINS, .what = "bin"}};
    char many[400], some[420];
    const struct lab_advice advice = {.of_unwritten =
                                          "does every bin get its count, those without a key, too?",
                                      .of_most = many,
                                      .of_some = some,
                                      .is_exact = true,
                                      .hypotheses = hypotheses,
                                      .family = &c};
    struct lab_evidence evidence = {.mismatches = &found,
                                    .counted = BINS,
                                    .advice = &advice,
                                    .name = "counts",
                                    .indices = 1,
                                    .digits = 10,
                                    .noun = " bins"};
    double max_error = 0.0;
    cudaError_t status =
        cudaMemcpy(c.got, p->buffers[COUNTS].data, sizeof c.got, cudaMemcpyDeviceToHost);
    if (status != cudaSuccess)
        return status;
    for (int bin = 0; bin < BINS; bin++) {
        const double expected = c.state->expected[bin];
        const struct lab_mismatch wrong = {0, (size_t)bin, expected, c.got[bin]};
        if (c.got[bin] == c.state->expected[bin])
            continue;
        lab_mismatch_note(&found, wrong, expected, c.got[bin] == -1);
        max_error = fmax(max_error, fabs(c.got[bin] - expected));
    }
    if (found.pattern.wrong > 0)
        say_how_many(p, c.got, many, sizeof many);
    snprintf(some, sizeof some, "some bins only: %s", found.pattern.wrong > 0 ? many : "");
    check->tolerance = 0.0;
    lab_diagnose(&evidence, check);
    check->max_error = max_error;
    return cudaSuccess;
}

/* Up to more equal keys than 16 bits count, also in each of three blocks. */
static const char *const thorough[] = {"-n 1",
                                       "-n 3",
                                       "-n 33 --keys one",
                                       "-n 129",
                                       "-n 1000 --keys runs",
                                       "-n 2049",
                                       "-n 16390 --keys runs",
                                       "-n 200003 --keys one",
                                       NULL};

const struct lab_family lab_histogram_family = {
    .options = &lab_histogram_options,
    .problem_bytes = sizeof(struct lab_histogram),
    .state_bytes = sizeof(struct histogram),
    .type = "s32",
    .reference = "",
    .reference_in_step = true,
    .look_at = "the last keys, and the bins",
    .default_size = 1 << 26,
    .test_sizes = lab_test_lengths,
    .gpu_test_sizes = lab_gpu_test_lengths,
    .thorough = thorough,
    .vary = vary,
    .begin = begin,
    .arrays = arrays,
    .fill = fill,
    .make_reference = make_reference,
    .facts = facts,
    .check_output = check_output,
};
