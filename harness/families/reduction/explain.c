/* What a wrong sum comes from: sums are tried that leave out a level of the tree, a warp or the
 * last elements, or that count lanes which must not count. */
#include "families/reduction/explain.h"

#include "diagnose/explanation.h"

#include <stdio.h>
#include <stdlib.h>

/* The largest block and the levels of its tree; the threads of the smallest block with more than a
 * warp (FEWEST); the longest sum that is fine enough to tell (MOST). */
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
                                  : "where does the loop over levels begin and end?";
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

/* Lane 0 has no lower lane: if lanes take from lower ones, it takes its own value at each level. */
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
    return false;
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

bool reduction_explain(const float *x, size_t n, int sms, double expected, double got,
                       double tolerance, char *text, size_t size)
{
    enum { KINDS = 5, ROOM = 250 };
    char texts[KINDS][ROOM];
    struct lab_explanation found[KINDS] = {{0}};
    struct sum s = {
        .x = x, .n = n, .tolerance = tolerance, .all = expected, .wrong = {0, 0, expected, got}};
    if (n > MOST || got == 0.0 || !lab_explain_counts(&s.wrong, tolerance))
        return false;
    for (size_t i = 0; i < n; i++)
        s.of_thread[i % BLOCK] += x[i];
    find_ends(&s, &found[0], texts[0], ROOM);
    find_levels(&s, &found[1], texts[1], ROOM);
    find_warps(&s, &found[2], texts[2], ROOM);
    find_lower_lanes(&s, &found[3], texts[3], ROOM);
    find_last_of_threads(&s, sms, &found[4], texts[4], ROOM);
    return lab_explain_say(found, KINDS, "this", text, size);
}
