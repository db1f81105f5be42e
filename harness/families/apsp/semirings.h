/**
 * @file semirings.h
 * @brief The one table of semirings of family apsp: what options, data, reference and check know of
 *        each. Kernels have theirs in common/semirings.h.
 */
#ifndef LAB_APSP_SEMIRINGS_H
#define LAB_APSP_SEMIRINGS_H

#include "families/apsp.h"

#include <stdbool.h>

/** A semiring. The host keeps all values as lengths, of which the shortest is wanted: see struct
 * apsp. `to_length` and `of_length` convert an element to a length and back. */
struct apsp_semiring {
    const char *name;
    unsigned types;          /**< bit t: takes enum lab_apsp_type t */
    enum lab_apsp_type type; /**< the type if none is given */
    const char *takes;       /**< what `--type` has to be; NULL: any */
    const char *shown;       /**< the problem's type in tables; NULL: the elements' type */
    const char *operation;   /**< sign of its multiplication in messages */
    double zero, one;        /**< no path; the way from a vertex to itself */
    double (*add)(double x, double y);
    double (*multiply)(double x, double y);
    /** As lengths, a product is a sum and the least counts. The host then finds what is expected by
     *  Floyd-Warshall and Dijkstra. False: it squares the matrix, at any size. */
    bool is_of_paths;
    double (*of_weight)(double weight); /**< length of an arc of that weight */
    double (*to_length)(double value);
    double (*of_length)(double length);
};

/** The table, by enum lab_apsp_semiring. */
extern const struct apsp_semiring apsp_semirings[LAB_APSP_SEMIRINGS];

#endif
