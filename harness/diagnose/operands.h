/**
 * @file operands.h
 * @brief Which elements of A meet each row of B in a kernel's products, which elements of B meet
 * each column of A, and how to say so.
 */
#ifndef LAB_OPERANDS_H
#define LAB_OPERANDS_H

#include "diagnose/check.h"
#include "base/array.h"

/** Sums of products: element (i, j) of C has A's element (i, l) times B's element (l, j) for all
 *  l. */
struct lab_products {
    int a, b, c; /**< which arrays */
    int m, n, k;
    bool has_factors; /**< the problem has factors besides the products, which were not 1 and 0 */
    bool may_round;   /**< operands may be rounded to a narrower type */
    const struct lab_array *arrays;
    /** The place in its array of element (i, j) of op(A), op(B) or C. */
    size_t (*place)(const void *argument, int which, size_t i, size_t j);
    const void *argument;
};

/** What meets an index of k, if it is not an element's place in its array. From TIMES and SUM on
 * down: the right element that many times, and the sum of that many elements. */
enum {
    LAB_MET_NOTHING = -1,
    LAB_MET_UNKNOWN = -2,
    LAB_MET_CHANGED = -3, /**< one element, whose number did not come back as it was given */
    LAB_MET_TIMES = -4,
    LAB_MET_MOST = 1000,
    LAB_MET_SUM = LAB_MET_TIMES - LAB_MET_MOST
};

/** One operand as the other one meets it. */
struct lab_meeting {
    int which;       /**< the operand's array; its numbers tell its elements */
    int *met;        /**< (m, n, k): which of its elements meets index l of the other operand */
    float *sums;     /**< (m, n, k): what came back in the place of its number, less the first's */
    bool is_changed; /**< its numbers do not come back as they were given */
};

/** The place of the operand's element that belongs in product l of element (i, j) of C. */
static inline size_t lab_meeting_place(const struct lab_products *s, int which, size_t i, size_t j,
                                       size_t l)
{
    return which == s->a ? s->place(s->argument, which, i, l) : s->place(s->argument, which, l, j);
}

/** Says which products of the element that `check` shows are wrong, after both operands have been
 * asked. `has_tile`: an operand may have been read from shared memory. */
void lab_meeting_say(const struct lab_products *products, const struct lab_meeting *a,
                     const struct lab_meeting *b, bool has_tile, struct lab_check *check);

#endif
