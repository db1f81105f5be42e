/**
 * @file options.h
 * @brief What the command line may say of shortest paths: graphs, types, paths, output.
 */
#ifndef LAB_APSP_OPTIONS_H
#define LAB_APSP_OPTIONS_H

#include "families/apsp.h"
#include "families/apsp/graph/graph.h"
#include "options/family.h"

/** Options of shortest paths. Strings belong to argv. */
struct apsp_options {
    enum lab_apsp_type type;
    bool type_given;
    enum lab_apsp_semiring semiring;
    const char *graph; /**< file; NULL: generate */
    enum lab_generator generator;
    double degree;         /**< arcs for each vertex */
    long long arcs;        /**< altogether; -1: by the degree */
    double probability;    /**< for G(n, p) */
    int low, high;         /**< least and largest weight that is generated */
    int products;          /**< 0: as many as needed */
    bool paths;            /**< find them */
    bool has_ends;         /**< print the path from `from` to `to` */
    long long from, to;    /**< labels, as in the file */
    const char *out;       /**< file for the distances; NULL: none */
    const char *next;      /**< file for the vertices after the first; NULL: none */
    const char *generates; /**< an option given that only generating heeds; NULL: none given */
    bool has_degree, has_probability, generator_given;
    int ends_given; /**< bits: 1: --from, 2: --to */
};

extern const struct lab_family_options lab_apsp_options;

#endif
