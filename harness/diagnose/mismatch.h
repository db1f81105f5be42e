/**
 * @file mismatch.h
 * @brief Comparing an output with what is expected, element by element; what the elements that are
 * wrong have in common.
 */
#ifndef LAB_MISMATCH_H
#define LAB_MISMATCH_H

#include "base/array.h"
#include "diagnose/pattern.h"

/** One wrong element. */
struct lab_mismatch {
    size_t row, column;
    double expected, got;
};

/** All wrong elements. All zero at the start, except for the first members of `pattern`. */
struct lab_mismatches {
    struct lab_pattern pattern;      /**< of all wrong elements; `wrong` is their number */
    struct lab_pattern of_unwritten; /**< of the elements that nobody wrote */
    size_t unwritten, nans;          /**< nans: NaN that somebody wrote */
    struct lab_mismatch first, first_unwritten, first_nan;
    double worst, scale; /**< largest error, and largest scale, of elements that are numbers */
    size_t specials;     /**< elements for which an infinity or NaN is expected */
    size_t unsigned_zeros, flushed; /**< 0 in place of -0; in place of a subnormal float */
    /** Sums over all wrong elements, which tell whether all are scaled. */
    double expected, expected_squares, got_squares, products, errors;
    double least_ratio, most_ratio; /**< of got / expected; NaN if an element has no ratio */
    double least, most;             /**< of the expected values */
    double least_error, most_error; /**< of got - expected */
    size_t whole, zero;             /**< whole: whole numbers where none is expected; zero: zeros */
    bool is_untouched;              /**< all hold what was there before */
    bool is_unstored;               /**< and that is because nobody has stored them */
};

/** Takes in a wrong element. `scale`: the value that its error is relative to. */
void lab_mismatch_note(struct lab_mismatches *mismatches, struct lab_mismatch mismatch,
                       double scale, bool is_unwritten);

/** The wrong element to show: the first that was never written, else the first NaN, which may come
 * of unwritten ones, else the first of all. */
const struct lab_mismatch *lab_mismatch_shown(const struct lab_mismatches *mismatches);

/** Elements of the largest matrix whose values are kept. */
enum { LAB_COMPARISON_KEEPS = 512 * 512 };

/** Running result over a row-major matrix that is compared in pieces. All zero at the start, except
 * for the members before `at`. */
struct lab_comparison {
    size_t rows, columns;
    bool is_one;              /**< a single value: messages give no index */
    bool is_vector;           /**< has one row: messages name an element by its column alone */
    enum lab_element element; /**< floats or doubles */
    double tolerance;
    bool has_signs; /**< 0 and -0 differ */
    size_t at;      /**< the next element; elements that do not count are skipped */
    size_t seen;    /**< elements compared so far */
    struct lab_mismatches mismatches; /**< the elements that are not within the tolerance */
    double max_error;                 /**< over errors that are numbers */
    double *expected, *got;           /**< all values, if there are few; owned; or NULL */
};

/**
 * @brief Compares the next `count` elements.
 *
 * An element is right when |got - expected| <= tolerance, written so that NaN fails. An expected
 * infinity or NaN must be exactly that. Bits that are all ones are the poison that outputs are
 * filled with.
 */
void lab_compare(struct lab_comparison *comparison, const void *expected, const void *got,
                 size_t count);

/** Frees the values. */
void lab_comparison_end(struct lab_comparison *comparison);

#endif
