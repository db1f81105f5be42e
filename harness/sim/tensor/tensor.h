/**
 * @file tensor.h
 * @brief Tensor cores: the products of mma.sync and wmma, and the instructions that move matrices
 * between shared memory and the registers of a warp.
 *
 * A matrix of an instruction is divided over the lanes of a warp: what one lane holds is its
 * fragment (fragments.c). The arithmetic is an H200's, bit for bit (products.c).
 */
#ifndef SIM_TENSOR_H
#define SIM_TENSOR_H

#include "sim/decoding/decode.h"
#include "sim/machine/warp.h"

/** Types of elements. */
enum tensor_type {
    TENSOR_F16,
    TENSOR_BF16,
    TENSOR_TF32,
    TENSOR_E4M3,
    TENSOR_E5M2,
    TENSOR_F32,
    TENSOR_F64,
    TENSOR_S8,
    TENSOR_U8,
    TENSOR_S4,
    TENSOR_U4,
    TENSOR_B1,
    TENSOR_S32,
    TENSOR_TYPES
};

/** How lanes hold the elements of a matrix. */
enum tensor_layout {
    TENSOR_BY_GROUPS, /**< mma.sync: four lanes share a row of A and of C, or a column of B */
    TENSOR_BY_QUADS   /**< mma.m8n8k4 of f16: four products, each of two groups of four lanes */
};

/** In what order an element's products and C are added. */
enum tensor_sum {
    TENSOR_FUSED,       /**< `fused` products and the sum so far at once, group after group */
    TENSOR_FUSED_APART, /**< likewise from 0; C is added at the end, rounded to nearest */
    TENSOR_CHAIN,       /**< one FP32 multiply-add after the other from 0; then C is added */
    TENSOR_PAIRS        /**< two such chains of two products; C is added to each in turn */
};

/** What the bits of two binary factors become before their ones are counted. */
enum tensor_bits { TENSOR_XOR, TENSOR_AND };

/** One matrix of an instruction, as the lanes hold it. */
struct tensor_matrix {
    enum tensor_type type;
    int registers;        /**< of a lane */
    bool is_column_major; /**< counts for TENSOR_BY_QUADS alone */
};

/** One product, D = A B + C: A is m x k, B is k x n, C and D are m x n. */
struct tensor_product {
    int m, n, k;
    enum tensor_layout layout;
    struct tensor_matrix a, b, c, d;
    bool saturates;        /**< sums of integers */
    enum tensor_bits bits; /**< of TENSOR_B1 */
    enum tensor_sum sum;
    int fused;    /**< as many products are summed at once, with one truncation */
    int fraction; /**< bits below the largest exponent that take part in that sum */
};

enum {
    TENSOR_MOST_REGISTERS = 8,
    TENSOR_MOST_ROWS = 32,
    TENSOR_MOST_FACTORS = 16 * 256,
    TENSOR_K_BYTES = 32 /**< of a row of A, or a column of B, of a wgmma */
};

/** A or B of a wgmma in shared memory: its rows (or columns), and whether neighbours along k lie
 * side by side. */
struct tensor_operand {
    char name;
    int across;
    bool is_k_major;
};

/** Bits of one element of a type. */
int sim_tensor_bits(enum tensor_type type);

/** Row and column of an element. `item` counts the elements of a lane's registers in order. */
struct tensor_place {
    int row, column;
};
struct tensor_place sim_tensor_place(const struct tensor_product *product,
                                     const struct tensor_matrix *matrix, int lane, int item);

/** Computes a product for a whole warp. Each pointer is to a register's 32 lanes: uint32_t, for
 * TENSOR_F64 uint64_t. D may be C. */
void sim_tensor_multiply(const struct tensor_product *product, const void *const *a,
                         const void *const *b, const void *const *c, void *const *d);

/** The type or shape that a part of an opcode names; false: it names none. */
bool sim_find_tensor_type(const char *name, enum tensor_type *type);
bool sim_find_tensor_shape(const char *part, int *m, int *n, int *k);

/** Waits for all 32 lanes of a warp, and faults if some have ended. `all_lanes`: a slot with the
 * mask of all lanes. @return where to go on instead; NULL when all are here. */
const struct instruction *sim_gather_warp(struct warp *warp, const struct instruction *at,
                                          int32_t all_lanes);

/** Access `i` of an instruction that moves a matrix: the address of each lane, with the window of
 * its space. @return the lanes that take part; 0: there are only `i` accesses */
uint32_t sim_matrix_access(const struct warp *warp, const struct instruction *at, int i,
                           uint64_t *address);
/** Bytes of a lane in each of these accesses. */
unsigned sim_matrix_bytes(const struct warp *warp, const struct instruction *at);

/** Reads an operand of a wgmma by its matrix descriptor, row by row (of B: column by column). */
void sim_descriptor_read(struct warp *warp, const struct instruction *at, uint64_t descriptor,
                         const struct tensor_operand *operand, char (*rows)[TENSOR_K_BYTES]);

extern const struct family sim_tensor_families[], sim_matrix_families[], sim_wgmma_families[];

#endif
