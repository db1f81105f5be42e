/**
 * @file contract.h
 * @brief The rows of any family as one shape: what grading needs to know of common/step.h.
 */
#ifndef LAB_CONTRACT_H
#define LAB_CONTRACT_H

#include "step.h"

#include <stdbool.h>

/** A launch function of some family; it takes that family's struct. */
typedef cudaError_t lab_any_launch(const void *problem, cudaStream_t stream);

/** A workspace function of some family. */
typedef size_t lab_any_workspace(const void *problem);

/** A row of some family. */
struct lab_any_row {
    const char *name;
    lab_any_launch *launch;
    lab_any_workspace *workspace;
};

/** Bytes of the struct that describes a problem of this family; 0 for an unknown one. */
size_t lab_contract_bytes(enum lab_family_id family);

/** A row of a step; all NULL for an unknown family. */
struct lab_any_row lab_contract_row(const struct lab_step *step, int row);

/** What a launch function does with a buffer of its problem. */
enum lab_buffer_role {
    LAB_ROLE_INPUT,
    LAB_ROLE_OUTPUT, /**< what stands in it before may count, too */
    LAB_ROLE_SCRATCH,
};

/** A device pointer in the struct of some family's problem. */
struct lab_any_buffer {
    size_t offset; /**< of the pointer in the struct */
    size_t bytes;  /**< behind it; of scratch memory 0: the row says how many */
    enum lab_buffer_role role;
};

enum { LAB_ANY_BUFFERS = 8 };

/** Lists a problem's buffers; how many, 0 for an unknown family. */
int lab_contract_buffers(enum lab_family_id family, const void *problem,
                         struct lab_any_buffer list[LAB_ANY_BUFFERS]);

/** Room for a row of any family. */
struct lab_contract_row_storage {
    void *words[8];
};

/** Makes a step of one row, which lies in `storage`; false for an unknown family. */
bool lab_contract_step(struct lab_step *step, struct lab_contract_row_storage *storage,
                       enum lab_family_id family, struct lab_any_row row);

#endif
