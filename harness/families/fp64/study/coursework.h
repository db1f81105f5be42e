/**
 * @file coursework.h
 * @brief What the course report of steps 09 and 10 gives in numbers, and the rows of their studies.
 */
#ifndef LAB_FAMILIES_FP64_STUDY_COURSEWORK_H
#define LAB_FAMILIES_FP64_STUDY_COURSEWORK_H

/** A row of a study: a version of one of the report's kernels. */
struct fp64_version {
    const char *row;
    const char *over;      /**< the row that it changes; NULL: none */
    double with_copies;    /**< GFLOPS of the report; 0: it gives none */
    double without_copies; /**< the same without the copies; 0: it gives none */
};

/** One of its two problems. */
struct fp64_coursework {
    const char *family; /**< that solves it here */
    const char *device;
    const struct fp64_version *versions; /**< in the order of the study, up to one without a name */
    int on_gpu[4], on_sim[2];            /**< sizes of the study, up to a 0 */
};

/** The report's problem that a family solves; never NULL for families with this study. */
const struct fp64_coursework *fp64_coursework_find(const char *family);

/** A version by the name of its row; NULL: the row is of no study. */
const struct fp64_version *fp64_version_find(const struct fp64_coursework *report, const char *row);

#endif
