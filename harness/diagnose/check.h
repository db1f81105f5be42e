/**
 * @file check.h
 * @brief What came of checking a kernel's output.
 */
#ifndef LAB_CHECK_H
#define LAB_CHECK_H

#include "base/status.h"
#include "diagnose/pattern.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Where an output is wrong. Each cell is one element if there are enough cells, else several. */
struct lab_check_map {
    size_t rows, columns; /**< of the output; 0: not known */
    unsigned char share[LAB_PATTERN_CELLS]
                       [LAB_PATTERN_CELLS]; /**< share of wrong elements in a cell; 255: all */
};

/** How sure a message is of the cause of what is wrong. */
enum lab_certainty {
    LAB_CAUSE_UNKNOWN,   /**< the message says where to look */
    LAB_CAUSE_SUSPECTED, /**< it says a cause, which may be the wrong one */
    LAB_CAUSE_SEEN,      /**< the values themselves show it, but it comes of several mistakes */
    LAB_CAUSE_PROVED     /**< the values themselves prove it */
};

/** Verdict on one variant. */
struct lab_check {
    enum lab_check_status status;
    double max_error;   /**< largest |got - expected|; NaN when some element is NaN */
    double tolerance;   /**< what the error may be */
    double exact_error; /**< of a sample of elements: the largest |got - exact sum|, in units of the
                           tolerance of the problem's type; 0: not taken */
    char message[1024]; /**< one line for people; "" when all is well */
    size_t advice_at;   /**< where in it the advice begins, after what was found; 0: none */
    char file[512];     /**< source line of a fault, where the runtime knows it; "" otherwise */
    int line;
    uint64_t address; /**< of a fault in memory; 0: none */
    bool may_be_race; /**< wrong as a race may leave it; whether a race is possible is unknown */
    enum lab_certainty certainty;
    bool is_imprecise; /**< the advice asks about precision */
    bool has_place;    /**< the advice begins with where wrong elements are, up to a colon */
    bool has_element;  /**< `row` and `column` are those of the element that the message shows */
    size_t row, column;
    struct lab_check_map map;
    bool
        is_of_second; /**< a second launch is wrong after a right first one; not yet in `message` */
    bool is_of_replay; /**< the graph is wrong when replayed, and was right at its first launch */
    bool is_of_order;  /**< the second launch is wrong because its blocks came in reverse order */
};

#endif
