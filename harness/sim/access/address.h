/**
 * @file address.h
 * @brief The address operand of memory instructions, as decoded (decode.c).
 */
#ifndef SIM_ACCESS_ADDRESS_H
#define SIM_ACCESS_ADDRESS_H

#include "sim/decoding/decode.h"

/** A slot and an offset, or a constant offset in the local frame or the entry's parameters. */
struct where {
    int32_t slot;
    int64_t offset;
    bool is_wide;  /**< 64-bit slot */
    bool is_fixed; /**< no slot: `offset` is in the function's local frame or the parameters */
    bool is_entry; /**< `offset` is in the entry's parameters */
    size_t limit;
};

/** Reads operand `index`, an address in brackets. A variable's name sets the space where the opcode
 *  names none. */
struct where sim_read_address(struct decoder *decoder, const struct ptx_instruction *source,
                              enum ptx_space *space, int index);

/** Emits a poll after a load or an atomic operation that may wait for what others write there. */
void sim_emit_poll(struct decoder *decoder, const struct ptx_instruction *source,
                   const struct where *where);

/** Finds a state space by its name in an opcode; false if `part` names none. */
bool sim_read_space(const char *part, enum ptx_space *space);

/** Whether a part of an opcode only says how memory is ordered or cached. */
bool sim_is_memory_hint(const char *part);

#endif
