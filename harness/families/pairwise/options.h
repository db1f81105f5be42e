/**
 * @file options.h
 * @brief What the command line may say of sums over pairs of points, besides their sizes.
 */
#ifndef LAB_PAIRWISE_OPTIONS_H
#define LAB_PAIRWISE_OPTIONS_H

#include "options/family.h"

/** Weights of the points. */
enum pairwise_weights {
    PAIRWISE_WEIGHTS_POSITIVE, /**< nothing cancels, a relative error says something */
    PAIRWISE_WEIGHTS_MIXED,    /**< of both signs, and some 0 */
};

/** Options of families that differ in the kernel function alone. */
struct pairwise_options {
    float bandwidth; /**< h, above 0 */
    float offset;    /**< added to all coordinates */
    enum pairwise_weights weights;
};

extern const struct lab_option pairwise_option_table[];
extern const struct pairwise_options pairwise_defaults;

/** `follow` of struct lab_family_options. */
void pairwise_follow(const char *name, const char *text, void *own);

/** What such families have in common. */
#define PAIRWISE_OPTIONS                                                                           \
    .heading = "Sums over pairs of points",                                                        \
    .sizes = {{'m', "sources", 0}, {'n', "targets (1024)", 1024}, {'k', "dimensions (32)", 32}},   \
    .table = pairwise_option_table, LAB_OWN(pairwise_defaults), .follow = pairwise_follow

#endif
