/**
 * @file shape_paper.h
 * @brief What the paper of the shape study gives in numbers: its table I. Of its figures the text
 * gives no numbers.
 */
#ifndef LAB_FAMILIES_GEMM_STUDY_SHAPE_PAPER_H
#define LAB_FAMILIES_GEMM_STUDY_SHAPE_PAPER_H

/** A column of the table. */
struct gemm_paper_kernel {
    double milliseconds;
    double global_load, shared_load;     /**< load instructions of warps */
    double stall_memory_dependency;      /**< per cent */
    double shared_efficiency, occupancy; /**< per cent */
    double registers;                    /**< per thread */
};

/** The paper's own best kernel, and cuBLAS beside it. */
struct gemm_paper {
    const char *best_row; /**< the row of the study that is that kernel */
    int size;             /**< m = n = k */
    const char *device;   /**< that the table must be of */
    struct gemm_paper_kernel best, cublas;
};

extern const struct gemm_paper gemm_shape_paper;

#endif
