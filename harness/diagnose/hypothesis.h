/**
 * @file hypothesis.h
 * @brief What wrong elements come of: a table of hypotheses that are tried in order. The first that
 * explains all wrong elements says so. A family adds hypotheses of its own.
 */
#ifndef LAB_DIAGNOSE_HYPOTHESIS_H
#define LAB_DIAGNOSE_HYPOTHESIS_H

#include "diagnose/check.h"
#include "diagnose/mismatch.h"
#include "diagnose/pattern.h"

#include <stdbool.h>
#include <stddef.h>

/* Right values in the wrong place: which elements of a wrong matrix belong in the place of another
 * element. */

/** A matrix with all of its values, row by row. */
struct lab_compared {
    const char *name;
    size_t rows, columns;
    double tolerance;               /**< of each element */
    const char *row_of, *column_of; /**< input whose rows go into rows; likewise columns; or NULL */
    double *expected, *got;
};

/** Says how the values are moved, and which index moves them so; false: they are not. */
bool lab_permutation_say(const struct lab_compared *values, char *text, size_t size);

struct lab_hypothesis;

/** What a family says of its outputs. */
struct lab_advice {
    const char *of_unwritten; /**< if elements were never written */
    const char *of_nans;
    bool nans_are_of_memory; /**< of_nans asks about reads of memory: the simulator finds these */
    bool nans_are_expected;  /**< NaN are values like others: a cause of those is theirs, too */
    const char *of_most;     /**< if most elements are wrong */
    const char *of_some;     /**< if some are wrong, in no shape; NULL: the words for any family */
    const char *of_special;  /**< if all that is wrong should be no number; NULL: nothing */
    /** If elements are several times what is expected; NULL: nothing more. */
    const char *(*of_several)(double times);
    const char *row_of, *column_of; /**< see struct lab_compared */
    double term;   /**< the least error that a missing term makes; 0: it may be tiny */
    bool is_exact; /**< nothing is rounded */
    const struct lab_hypothesis
        *hypotheses;    /**< of the family, up to one without a name; or NULL */
    void *family;       /**< for these */
    const char *length; /**< of a vector, such as "m"; NULL: of no size of the problem */
    const char *const *other_names; /**< the problem's other sizes, up to NULL */
    const int *other_sizes;
    struct lab_grid grid; /**< of the launch, if its threads take elements in order */
    const float *stored;  /**< on the device, what they store; or NULL */
    /** The part of an element that belongs to its place, whatever is stored there; NULL: none. */
    double (*of_place)(const void *family, size_t row, size_t column);
    /** A value as messages show it; NULL: as it is. */
    double (*shown)(const void *family, double value);
};

/** What a diagnosis goes by, and how its message begins: "C[1][2]: expected 3, got 4; 5 of 6
 * elements wrong". Callers set the members before `kind`. */
struct lab_evidence {
    const struct lab_mismatches *mismatches;
    size_t counted;              /**< elements that were compared */
    struct lab_compared *values; /**< NULL: they were not kept */
    const struct lab_advice *advice;
    const char *name;           /**< of the array; or of the element, if there are no indices */
    int indices, digits;        /**< that a message gives of an element, and of a value */
    const char *noun;           /**< " elements", counted; NULL: there is only one */
    char behind[96];            /**< what follows if they were written: ", tolerance 0.1" */
    enum lab_pattern_kind kind; /**< the shape of the wrong elements */
    char where[400];            /**< their places, in words; "": they tell nothing */
};

/** Which words on the places of wrong elements come before what a hypothesis says. If they have no
 * shape, none do. */
enum lab_place_said {
    LAB_PLACE_UNSAID,
    LAB_PLACE_FIRST,
    LAB_PLACE_SHORT,   /**< without their advice: the values have told more */
    LAB_PLACE_OF_PART, /**< the same, but only of a part of the matrix */
    LAB_PLACE_INSTEAD  /**< the place alone, if there is one, tells more */
};

/** A hypothesis. */
struct lab_hypothesis {
    const char *name; /**< for readers of the table */
    /** Whether it explains all wrong elements; if so, says what is to be said. */
    bool (*explains)(struct lab_evidence *evidence, char *text, size_t size);
    enum lab_certainty certainty;
    enum lab_place_said place;
    bool may_be_race; /**< a race may leave the same */
};

/**
 * @brief Sets the status. If elements are wrong, writes a message: one of them, how many are, and
 * after "; " what the first hypothesis says that explains them. `max_error` is NaN if there is one.
 */
void lab_diagnose(struct lab_evidence *evidence, struct lab_check *check);

/** Turns the finished comparison of matrix `name` into a verdict with a message, and ends it. */
void lab_compare_verdict(struct lab_comparison *comparison, const char *name,
                         const struct lab_advice *advice, struct lab_check *check);

#endif
