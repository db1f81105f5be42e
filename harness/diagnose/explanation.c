/* A cause is named if it explains all elements that were looked at, and at most two other causes do
 * so as well. Where sizes are small, or a factor is 1, several causes leave the same values. */
#include "diagnose/explanation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Up to the first count every run is tried, up to the second runs that begin or end the sum. */
enum { MOST_CAUSES = 3, LARGEST_OF_ALL = 2048, LARGEST_OF_ENDS = 1 << 16, LARGEST_TILE = 128 };

bool lab_explain_counts(const struct lab_mismatch *wrong, double tolerance)
{
    return fabs(wrong->got - wrong->expected) > 4.0 * tolerance;
}

void lab_explain_note(struct lab_explanation *e, double value, const struct lab_mismatch *wrong,
                      double tolerance)
{
    if (fabs(value - wrong->got) <= 2.0 * tolerance || value == wrong->got ||
        (isnan(value) && isnan(wrong->got)))
        e->fits++;
    else
        e->is_refuted = true;
}

bool lab_explain_say(const struct lab_explanation *explanations, size_t count, const char *what,
                     char *text, size_t size)
{
    const struct lab_explanation *fitting[MOST_CAUSES] = {NULL};
    size_t fits = 0, length;
    for (size_t i = 0; i < count; i++)
        if (explanations[i].text && !explanations[i].is_refuted && explanations[i].fits > 0) {
            if (fits == MOST_CAUSES)
                return false;
            fitting[fits++] = &explanations[i];
        }
    length = (size_t)snprintf(text, size, "%s is as if ",
                              what                                ? what
                              : fits > 0 && fitting[0]->fits == 1 ? "this"
                                                                  : "each of these");
    for (size_t i = 0; i < fits && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%s", i ? ", or " : "",
                                   fitting[i]->text);
    if (fits == 1 && fitting[0]->hint && length < size)
        snprintf(text + length, size - length, ": %s", fitting[0]->hint);
    return fits > 0;
}

/* --- runs of terms -----------------------------------------------------------------------------*/

bool lab_sums_add(struct lab_sums *s, lab_term_fn *term, const void *context)
{
    const size_t across = (size_t)s->count + 1;
    s->sums = malloc((size_t)s->elements * across * sizeof *s->sums);
    for (int e = 0; s->sums && e < s->elements; e++) {
        double *const sums = s->sums + e * across;
        sums[0] = 0.0;
        for (int i = 0; i < s->count; i++)
            sums[i + 1] = sums[i] + term(context, e, i);
    }
    return s->sums != NULL;
}

/* Whether all elements are too large by `times` the terms of [from, to). */
static bool explains(const struct lab_sums *s, int times, int from, int to)
{
    for (int e = 0; e < s->elements; e++)
        if (!(fabs(s->error[e] - times * lab_sums_part(s, e, from, to)) <= 2.0 * s->tolerance[e]))
            return false;
    return true;
}

/* Whether the terms from `from` on may be the share of one block or of several blocks. A share has
 * whole panels; only the last panel may be partial. */
static bool may_be_share(const struct lab_sums *s, int from)
{
    enum { LEAST_PANEL = 8, LEAST_SHARE = 16 };
    return from % LEAST_PANEL == 0 && (s->has_scratch || s->count - from >= LEAST_SHARE);
}

/* Whether the missing terms are the rest after the last whole vector or tile. */
static bool is_rest(const struct lab_sums *s, int from)
{
    enum { VECTOR = 4 };
    for (int tile = VECTOR; tile <= LARGEST_TILE && !s->has_scratch; tile *= 2)
        if (from > 0 && from < s->count && from == s->count / tile * tile)
            return true;
    return false;
}

/* Describes the run that explains all elements: at the end of a sum, at its beginning or within. */
static void write_run(const struct lab_sums *s, int from, int length, bool is_missing, char *text,
                      size_t size)
{
    char last[16] = "";
    int other = 0; /* the size that is as many as the terms that are there */
    const char *const rest =
        is_rest(s, from) ? ", or with the last whole vector or tile, so that nothing takes the rest"
                         : "";
    if (length > 1)
        snprintf(last, sizeof last, " to %d", from + length - 1);
    /* Of a number that is a tile's side, too, it is not known. */
    while (other < 2 && (s->other_sizes[other] != from || from % 8 == 0))
        other++;
    const bool is_either = s->other_sizes[0] == s->other_sizes[1];
    if (is_missing && from + length == s->count && from > 0 && other < 2 && is_either)
        snprintf(text, size,
                 "the sum has the first %d of %d %s alone, and %c and %c are %d: is one of them "
                 "taken for %s where a loop ends, or in a guard?",
                 from, s->count, s->terms, s->other_names[0], s->other_names[1], from, s->index);
    else if (is_missing && from + length == s->count && from == 1 && other < 2)
        snprintf(text, size,
                 "the sum has the first 1 of %d %s alone, and %c is 1: is %c taken for %s in a "
                 "loop or a guard, or is 0 read where an index leads past the only %s?",
                 s->count, s->terms, s->other_names[other], s->other_names[other], s->index,
                 s->other_names[other] == 'm' ? "row" : "column");
    else if (is_missing && from + length == s->count && from > 0 && other < 2)
        snprintf(text, size,
                 "the sum has the first %d of %d %s alone, and %c is %d: is %c taken for %s where "
                 "a loop ends, or in a guard?",
                 from, s->count, s->terms, s->other_names[other], from, s->other_names[other],
                 s->index);
    else if (is_missing && from + length == s->count && s->has_scratch && s->index[0] == 'k')
        snprintf(text, size,
                 "the sum has the first %d of %d %s alone: where blocks share k out, have their "
                 "shares together all of it, and is the last block's part added? Or is it read "
                 "from another place than it was stored in?",
                 from, s->count, s->terms);
    else if (is_missing && from + length == s->count)
        snprintf(text, size,
                 "the sum has the first %d of %d %s alone: does the loop over %s end too "
                 "soon%s?%s",
                 from, s->count, s->terms, s->index, rest,
                 !may_be_share(s, from) ? ""
                 : s->index[0] == 'k'   ? " Or, where blocks share k out, is the last part not "
                                          "added, or a share rounded down, so that no block has "
                                          "the last panels?"
                                        : " Or, where blocks share the sum out, is the last part "
                                          "not added, or a share rounded down?");
    else if (is_missing && from == 0 && length + 1 == s->count)
        snprintf(text, size,
                 "the sum has the last of %d %s alone: is each put there by =, in place of added "
                 "by +=, or does the sum begin anew on the way?",
                 s->count, s->terms);
    else if (is_missing && from == 0)
        snprintf(text, size,
                 "the sum has the last %d of %d %s alone: does the sum begin anew on the way, or "
                 "the loop over %s too late, or is the part of another block left out?",
                 s->count - length, s->count, s->terms, s->index);
    else
        snprintf(text, size, "the %s of %s = %d%s are %s%s%s", s->terms, s->index, from, last,
                 is_missing ? "missing from the first of these: does a loop over "
                            : "in the first of these twice: do two iterations of a loop over ",
                 s->index,
                 is_missing ? ", or a block's share of it, end too soon or begin too late?"
                            : ", or the shares of two blocks, have them?");
}

/* With one rounded element few runs are tried: the more are tried, the likelier one fits by chance.
 * They end where a tile does. */
static bool is_likely(const struct lab_sums *s, int from, int length)
{
    const int end = from + length;
    bool is_tile = (length == 1 || length + 1 == s->count) && (from == 0 || end == s->count);
    for (int tile = 8; tile <= LARGEST_TILE; tile *= 2)
        is_tile |= (from == 0 && length == tile) || (end == s->count && from == end / tile * tile);
    return s->elements > 1 || s->is_sure || is_tile;
}

/* All terms together are no run: the caller looks for a factor instead. */
bool lab_sums_say_run(const struct lab_sums *s, char *text, size_t size)
{
    for (int length = 1; length < s->count && s->count <= LARGEST_OF_ENDS; length++)
        for (int from = 0; from + length <= s->count;
             from += s->count > LARGEST_OF_ALL ? s->count - length : 1) {
            const bool is_missing = explains(s, -1, from, from + length);
            if ((!is_missing && !explains(s, 1, from, from + length)) ||
                !is_likely(s, from, length))
                continue;
            write_run(s, from, length, is_missing, text, size);
            return true;
        }
    return false;
}

bool lab_sums_explain(struct lab_sums *s, lab_term_fn *term, const void *context, char *text,
                      size_t size)
{
    const bool is_said = lab_sums_add(s, term, context) && lab_sums_say_run(s, text, size);
    free(s->sums);
    return is_said;
}
