/**
 * @file meeting.h
 * @brief Which elements of A meet each row of B in a kernel's products, and of B each column of A,
 * and how that is said; products.h finds it.
 */
#ifndef LAB_MEETING_H
#define LAB_MEETING_H

#include "families/check.h"
#include "families/problem.h"

/** Sums of products: element (i, j) of C has A's element (i, l) times B's element (l, j) for all
 *  l. */
struct lab_products {
    int a, b, c; /**< which arrays */
    int m, n, k;
    bool has_factors; /**< others than 1 and 0, which a sum has beside its products */
    /** Where in an array element (i, j) of op(A), op(B) or C is. */
    size_t (*place)(const struct lab_problem *problem, int which, size_t i, size_t j);
};

/** What meets an index of k, in place of an element's place in its array; from the last two on
 * down, the right one so many times, and the sum of so many. */
enum {
    LAB_MET_NOTHING = -1,
    LAB_MET_UNKNOWN = -2,
    LAB_MET_TIMES = -3,
    LAB_MET_MOST = 1000,
    LAB_MET_SUM = LAB_MET_TIMES - LAB_MET_MOST
};

/** One of the operands as the other one meets it. */
struct lab_meeting {
    int which; /**< array: that is told by its numbers */
    int *met;  /**< (m, n, k): which element of it meets index l of the other */
};

/** Where the element of an operand is that belongs in product l of element (i, j) of C. */
static inline size_t lab_meeting_place(const struct lab_problem *p, const struct lab_products *s,
                                       int which, size_t i, size_t j, size_t l)
{
    return which == s->a ? s->place(p, which, i, l) : s->place(p, which, l, j);
}

/** Says of the element that `check` shows which products it has that are not right; both operands
 * have been asked. `has_tile`: an operand may have been read from shared memory. */
void lab_meeting_say(const struct lab_problem *problem, const struct lab_products *products,
                     const struct lab_meeting *a, const struct lab_meeting *b, bool has_tile,
                     struct lab_check *check);

#endif
