/**
 * @file check.h
 * @brief What came of checking a kernel's output.
 */
#ifndef LAB_CHECK_H
#define LAB_CHECK_H

#include "base/status.h"
#include "families/pattern.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Where an output is wrong: a matrix in cells, an element each as long as there are enough. */
struct lab_check_map {
    size_t rows, columns; /**< of the output; 0: not known */
    unsigned char share[LAB_PATTERN_CELLS]
                       [LAB_PATTERN_CELLS]; /**< wrong ones of a cell: 255 are all */
};

/** Verdict on one row. */
struct lab_check {
    enum lab_check_status status;
    double max_error;   /**< largest |got - expected|; NaN when some element is NaN */
    double tolerance;   /**< that it may be */
    char message[1024]; /**< one line for people; "" when all is well */
    size_t advice_at;   /**< in it, where to look at begins, behind what was found; 0: nowhere */
    char file[512];     /**< source line of a fault, where the runtime knows it; "" otherwise */
    int line;
    uint64_t address; /**< of a fault in memory; 0: none */
    bool
        may_be_race; /**< wrong in a way that a race may leave; whether one could be is not known */
    bool is_explained; /**< the values themselves tell a cause, which was said */
    bool has_cause;    /**< one was said, though it may be another */
    bool has_place;    /**< the advice begins with where wrong elements are, up to a colon */
    bool has_element;  /**< row and column are those of the element that is shown */
    size_t row, column;
    struct lab_check_map map;
    bool is_of_second; /**< a second launch is wrong after a right first one; not said yet */
    bool is_of_replay; /**< of a graph that was right when it was launched for the first time */
    bool is_of_order;  /**< that one is wrong because its blocks came the other way round */
};

#endif
