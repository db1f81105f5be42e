/**
 * @file shape_paper.h
 * @brief The numbers that the paper of the shape study gives: its table I. The text gives no
 * numbers for the figures.
 */
#ifndef LAB_FAMILIES_GEMM_STUDY_SHAPE_PAPER_H
#define LAB_FAMILIES_GEMM_STUDY_SHAPE_PAPER_H

/** The lines of the table, and what the figures show. */
enum gemm_measured {
    GEMM_TIME,   /**< milliseconds */
    GEMM_GLOBAL, /**< load instructions of warps */
    GEMM_SHARED,
    GEMM_STALL,      /**< on memory, per cent */
    GEMM_EFFICIENCY, /**< of shared memory, per cent */
    GEMM_OCCUPANCY,  /**< per cent */
    GEMM_REGISTERS,  /**< per thread */
    GEMM_MEASURES
};

/** The paper's own best kernel, and cuBLAS beside it. */
struct gemm_paper {
    const char *best_row; /**< the row of the study that is that kernel */
    int size;             /**< m = n = k */
    const char *device;   /**< the device that the table must be of */
    double best[GEMM_MEASURES], cublas[GEMM_MEASURES];
};

extern const struct gemm_paper gemm_shape_paper;

#endif
