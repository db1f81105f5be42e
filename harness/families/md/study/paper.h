/**
 * @file paper.h
 * @brief What the paper on reuse and refactoring of kernels measured of its kernels, alone, merged
 * and at the same time: its tables I, III, IV and V, for 10,000 particles.
 */
#ifndef LAB_FAMILIES_MD_STUDY_PAPER_H
#define LAB_FAMILIES_MD_STUDY_PAPER_H

enum { MD_BLOCKS = 5, MD_PAPER_GPUS = 2 };

/** The threads of a block, in the order of the tables. */
extern const int md_blocks[MD_BLOCKS];

/** The paper's GPUs, "S1050" and "GTX 480". */
extern const char *const md_paper_gpus[MD_PAPER_GPUS];

/** What a launch takes on each GPU, as the paper says, in microseconds. */
extern const double md_paper_launch[MD_PAPER_GPUS];

/** A form of a kernel: a line of the paper for each GPU. */
struct md_form {
    const char *kernels;  /**< as --kernels has them, "56" */
    const char *name;     /**< of the study's rows, before the number of threads: "k56_1_global" */
    const char *of_paper; /**< "K56Mg1"; NULL: the paper has none */
    int registers[MD_PAPER_GPUS];                  /**< 0: not said */
    double microseconds[MD_PAPER_GPUS][MD_BLOCKS]; /**< 0: not measured */
};

/** All forms, up to one without a name. Forms of the same kernels are consecutive. */
extern const struct md_form md_forms[];

#endif
