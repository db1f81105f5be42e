/**
 * @file bulk.h
 * @brief What bulk copies share, with and without tensor maps (bulk_copy.c, tensor_copy.c).
 */
#ifndef SIM_ACCESS_BULK_H
#define SIM_ACCESS_BULK_H

#include "access.h"

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
