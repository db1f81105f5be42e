/**
 * @file apsp.h
 * @brief Family apsp: all-pairs shortest paths.
 */
#ifndef LAB_APSP_PROBLEM_H
#define LAB_APSP_PROBLEM_H

#include "semirings.h"
#include "step.h"

/** Flags of a variant. With no type it does all types. With neither LAB_APSP_LENGTHS nor
 * LAB_APSP_PATHS it does both. With none of the last three it does LAB_APSP_MIN_PLUS. */
enum lab_apsp_variant_flags {
    LAB_APSP_SQUARES = LAB_OWN_FLAG,       /**< works by products, and heeds `products` */
    LAB_APSP_FLOATS = LAB_OWN_FLAG << 1,   /**< does LAB_APSP_F32 */
    LAB_APSP_INTS = LAB_OWN_FLAG << 2,     /**< does LAB_APSP_S32 */
    LAB_APSP_SHORTS = LAB_OWN_FLAG << 3,   /**< does LAB_APSP_U16 */
    LAB_APSP_LENGTHS = LAB_OWN_FLAG << 4,  /**< does problems without `next` */
    LAB_APSP_PATHS = LAB_OWN_FLAG << 5,    /**< does problems with `next` */
    LAB_APSP_SHORTEST = LAB_OWN_FLAG << 6, /**< does LAB_APSP_MIN_PLUS; others by their number: */
    LAB_APSP_LONGEST = LAB_APSP_SHORTEST << LAB_APSP_MAX_PLUS, /**< does LAB_APSP_MAX_PLUS */
    LAB_APSP_REACHES = LAB_APSP_SHORTEST << LAB_APSP_OR_AND,   /**< does LAB_APSP_OR_AND */
    LAB_APSP_ALL_SEMIRINGS = LAB_APSP_SHORTEST * ((1 << LAB_APSP_SEMIRINGS) - 1)
};

/** Types of weights and distances. */
enum lab_apsp_type {
    LAB_APSP_F32, /**< float; +infinity: no path */
    LAB_APSP_S32, /**< int; INT_MAX: no path, or none shorter than that */
    LAB_APSP_U16, /**< unsigned short; 65535: no path, or none shorter than that */
};

/** Bytes of an element of a type. */
__attribute__((unused)) static inline size_t lab_apsp_bytes(enum lab_apsp_type type)
{
    return type == LAB_APSP_U16 ? 2 : 4;
}

/** A variant reports its progress to this. The harness shows a report when the work gets there. */
struct lab_progress {
    void *state; /**< the harness's own */
    /** Enqueues, after the work on `stream`, the news that `done` of `total` parts are done. */
    cudaError_t (*mark)(const struct lab_progress *progress, int done, int total,
                        cudaStream_t stream);
};

/**
 * @brief d[i][j] = length of the shortest path from vertex i to vertex j.
 *
 * All pointers are device pointers that the harness owns, aligned to 256 bytes at their first
 * element; matrices are row-major, without gaps between rows. w[i][i] is 0. If a cycle is
 * negative, some d[v][v] must be below 0. Distances of s32 with negative weights stay below 2^29
 * in amount.
 *
 * LAB_APSP_MAX_PLUS: the length of the longest path; if a cycle is positive, some d[v][v] must be
 * above 0. LAB_APSP_OR_AND: 1 where there is a path, else 0; w[i][i] is 1.
 */
struct lab_apsp {
    int n;                           /**< vertices, from 1 to LAB_SIZE_MAX */
    enum lab_apsp_type type;         /**< of w and d */
    enum lab_apsp_semiring semiring; /**< operations of a product */
    int negative;                    /**< not 0: some weight is below 0 */
    int products;                    /**< not 0: variants that square do at most so many products */
    const void *w;   /**< (n, n), weights of the arcs; "no path" where there is none */
    void *d;         /**< (n, n), distances */
    int *next;       /**< NULL, or (n, n): the vertex after i on the path to j, -1 for none */
    void *workspace; /**< as many bytes as the variant's workspace function says, else NULL; `next`
                          counts */
    const struct lab_progress *progress; /**< NULL: nobody asks */
};

/** Returns the status of the launch before. If the launch succeeded and progress is asked for, also
 * reports that `done` of `total` parts are enqueued. */
__attribute__((unused)) static inline cudaError_t lab_apsp_tell(const struct lab_apsp *p, int done,
                                                                int total, cudaStream_t stream)
{
    const cudaError_t status = cudaGetLastError();
    return status == cudaSuccess && p->progress
               ? p->progress->mark(p->progress, done, total, stream)
               : status;
}

/** Most products that lab_apsp_products() asks for, with the largest n that an int can hold. */
#define LAB_APSP_MOST_PRODUCTS 32

/** Products of the matrix of arcs with itself that find paths of n - 1 arcs, ceil(log2(n - 1)), or
 *  as many as the problem allows. A negative cycle, or a positive one, may have n arcs. */
__attribute__((unused)) static inline int lab_apsp_products(const struct lab_apsp *p)
{
    const long long arcs = p->negative || p->semiring == LAB_APSP_MAX_PLUS ? p->n : p->n - 1;
    int products = 0;
    while (products < LAB_APSP_MOST_PRODUCTS && 1LL << products < arcs)
        ++products;
    return p->products > 0 && p->products < products ? p->products : products;
}

LAB_FAMILY(apsp, struct lab_apsp);

#endif
