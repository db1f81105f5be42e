/**
 * @file access.h
 * @brief What the files of memory instructions offer: their tables for the decoder, the operand
 * that is an address, and accesses of one lane.
 */
#ifndef SIM_ACCESS_ACCESS_H
#define SIM_ACCESS_ACCESS_H

#include "sim/decoding/decode.h"
#include "sim/memory/places.h"

/* ---- Opcodes that access memory: tables for the decoder ---- */

extern const struct family sim_memory_families[], sim_atomic_families[], sim_copy_families[],
    sim_discard_families[], sim_mbarrier_families[], sim_async_families[];

/** cp.async.mbarrier.arrive; cp.async.bulk and cp.reduce.async.bulk, without and with tensor maps.
 *  `first` is the part of the text behind `bulk`. */
void sim_decode_copy_arrive(struct decoder *decoder, const struct ptx_instruction *source);
void sim_decode_bulk_copy(struct decoder *decoder, const struct ptx_instruction *source, int first);
void sim_decode_tensor_copy(struct decoder *decoder, const struct ptx_instruction *source,
                            int first);

/** A barrier in shared memory that a copy of a lane names: what is known of those who arrive there
 * (see sim_clocks_release()), which faults where there is no such barrier; then the arrival of
 * bytes.
 */
uint32_t *sim_mbarrier_brought(struct warp *warp, const struct instruction *at, unsigned lane,
                               uint64_t address);
void sim_mbarrier_complete(struct warp *warp, const struct instruction *at, unsigned lane,
                           uint64_t address, uint32_t bytes);

/** Writes what a warp that polls waits for, if that is a barrier in shared memory; else false. */
bool sim_describe_mbarrier(const struct warp *warp, char *text, size_t size);
/** Whether a warp that polls waits at such a barrier for the rest of its arrivals or bytes. */
bool sim_waits_for_the_rest(const struct warp *warp);

/** Where the lanes of a cp.async read and write. @return the lanes that read. */
uint32_t sim_copy_lanes(const struct warp *warp, const struct instruction *at, uint64_t *from,
                        uint64_t *to);
/** Bytes that a lane of a cp.async reads; it writes zeros for the rest. */
uint32_t sim_copy_bytes(const struct warp *warp, const struct instruction *at, unsigned lane);

/** cp.async.commit_group, .wait_group (its number is the instruction's value) and .wait_all. */
const struct instruction *sim_run_copy_commit(struct warp *warp, const struct instruction *at);
const struct instruction *sim_run_copy_wait(struct warp *warp, const struct instruction *at);
const struct instruction *sim_run_copy_wait_all(struct warp *warp, const struct instruction *at);

/* ---- The address operand of memory instructions, as decoded (decode.c) ---- */

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

/** Emits, behind a strong load or an atomic operation of global memory, what learns from the value
 * in operand 0. */
void sim_emit_learn(struct decoder *decoder, const struct ptx_instruction *source);

/** Finds a state space by its name in an opcode; false if `part` names none. */
bool sim_read_space(const char *part, enum ptx_space *space);

/** Whether a part of an opcode only says how memory is ordered or cached. */
bool sim_is_memory_hint(const char *part);

/** An atomic operation on an element: its new value from the old one and the operands (the second
 *  is cas's). */
typedef uint64_t sim_apply(uint64_t old, uint64_t b, uint64_t c);
/** An operation of cp.reduce or red on an element. */
struct reduction {
    sim_apply *apply;
    unsigned bytes; /**< of an element */
    bool counts;    /**< as an addition does: to do it twice gives another result than once */
};

/** Finds an operation such as "add" of a type such as "u32", "ftz.f32"; false if there is none that
 *  reduces. */
bool sim_find_reduction(const char *operation, const char *type, struct reduction *reduction);

/** Reduces one element of shared or global memory with a value, for the copy engine. */
void sim_lane_reduce(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                     const struct reduction *reduction, const void *value);

/* Reads and writes of one lane, where a whole warp's access cannot be done at once. */

/** Copies one lane's bytes between a buffer and memory of any space. */
void sim_lane_read(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                   void *buffer, unsigned bytes);
void sim_lane_write(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                    const void *buffer, unsigned bytes);

/* --- bulk copies -------------------------------------------------------------------------------*/

/* What bulk copies share, with and without tensor maps (bulk_copy.c, tensor_copy.c). */

enum { PIECE = 16 }; /* the copy engine's smallest unit of shared memory */

/** One end of a copy, or its barrier. */
struct bulk_end {
    struct where where;
    uint64_t window;
};

/** Reads operand `index`, in shared memory, or with a 64-bit address in global memory. */
struct bulk_end sim_read_bulk_end(struct decoder *decoder, const struct ptx_instruction *source,
                                  int index, bool is_shared);
uint64_t sim_bulk_address(const struct warp *warp, const struct bulk_end *end, unsigned lane);

/** Faults unless `value`, an address or a size, is a multiple. */
void sim_check_multiple(struct warp *warp, const struct instruction *at, unsigned lane,
                        uint64_t value, unsigned multiple, const char *what);

/** Around all accesses of one lane's copy: they are the copy engine's. `barrier` 0: the copy
 * belongs to the thread's open group; else `bytes` arrive at that address. The end gets what the
 * start has returned. `reads_all`: no fence.proxy.async is needed for what ordinary stores have
 * written. */
uint32_t *sim_begin_bulk(struct warp *warp, const struct instruction *at, unsigned lane,
                         uint64_t barrier, bool reads_all);
void sim_end_bulk(struct warp *warp, const struct instruction *at, unsigned lane, uint64_t barrier,
                  uint32_t *brought, uint32_t bytes);

/** Notes what a copy reads or writes of global memory, for counting; in shared memory: nothing. */
void sim_note_row(struct warp *warp, const struct instruction *at, unsigned lane, uint64_t address,
                  uint32_t bytes);

/** The ranks of the blocks that receive a copy with .multicast::cluster, a bit for each; 0 without:
 *  the addresses say it. `slot` is that of the mask; -1: none. */
uint32_t sim_bulk_blocks(struct warp *warp, const struct instruction *at, unsigned lane,
                         int32_t slot);
/** An address of a target or barrier in the first of these blocks. */
uint64_t sim_in_first_block(const struct warp *warp, uint64_t address, uint32_t blocks);

/** Notes what a kernel with such copies needs, and emits one. `other` is the slot of an address
 * that a message may look at. */
void sim_emit_bulk(struct decoder *decoder, const struct ptx_instruction *source, exec_handler *run,
                   const void *copy, int32_t slot, int32_t other);

#endif
