/**
 * @file tags.h
 * @brief What the checks remember: which threads used each word of shared and global memory last,
 * and which accesses of the lanes of a warp are ordered.
 */
#ifndef SIM_CHECK_TAGS_H
#define SIM_CHECK_TAGS_H

#include "sim/machine/warp.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Lanes of a warp ---- */

/** The last number of a turn of a warp (order_lanes.c); then turns are numbered from 0 again. */
enum { LANE_LAST_TURN = 63 };

/** The order of accesses between the lanes of one warp. */
struct lane_order {
    uint32_t turn;     /**< the current turn */
    uint32_t round;    /**< goes up when turns are numbered anew, and with every block */
    uint32_t full;     /**< all accesses of turns before this one are ordered before what follows */
    bool has_accesses; /**< the current turn has accesses */
    bool is_partial;   /**< some lanes have met without the others: known[] counts */
    /** known[i][j]: lane i comes after all that lane j did in turns before this one. */
    uint8_t known[WARP_LANES][WARP_LANES];
};

/* ---- Shared memory ---- */

/** The most units that a warp can access at once, each lane up to 32 bytes. */
enum { ACCESS_UNITS = WARP_LANES * 32 };

/** Fields of a tag, from the top: the stretch between two barriers of the block (epoch), the turn
 *  of the warp, the instruction, the warp. */
enum {
    TAG_WARP_BITS = 6,
    TAG_PLACE_BITS = 12,
    TAG_TURN_BITS = 6,
    TAG_TURN_SHIFT = TAG_WARP_BITS + TAG_PLACE_BITS,
    TAG_EPOCH_SHIFT = TAG_TURN_SHIFT + TAG_TURN_BITS,
    TAG_PENDING_EPOCH = (1 << (32 - TAG_EPOCH_SHIFT)) - 1, /**< of a pending copy; always current */
    TAG_LAST_EPOCH = TAG_PENDING_EPOCH - 1,
    TAG_WARP = (1 << (TAG_WARP_BITS - 1)) - 1,
    TAG_ATOMIC = 1 << (TAG_WARP_BITS - 1),     /**< in a writer's tag: an atomic operation */
    TAG_WARP_FIELD = (1 << TAG_WARP_BITS) - 1, /**< all ones in a reader's tag: several warps */
    TAG_FAR_PLACE = (1 << TAG_PLACE_BITS) - 1,
    TAG_PLACE_MASK = TAG_FAR_PLACE << TAG_WARP_BITS
};

/** log2 of the bytes of a word, which is the unit unless a kernel has smaller accesses. */
enum { WORD_SHIFT = 2 };

/** Values in place of the number of the lane that wrote. */
enum { LANE_SEVERAL = 32, LANE_SEVERAL_WARPS = 33, LANE_NONE = 34 };

/** A unit that two threads use unordered, kept until it is known whether the store changes its
 * value. */
struct clash {
    uint32_t tag;   /**< of the earlier access */
    uint32_t lanes; /**< the lanes of the earlier warp that made the access */
    uint32_t old;   /**< value before the store */
    uint32_t unit;
    uint8_t lane;
    bool was_write;
};

enum { STRONG_STORES = 256 };
/** A volatile store to shared memory. */
struct shared_store {
    uint32_t offset, tag;
};

/** A lock in shared memory that was tested and then set: fences are no order here, barriers are. */
struct shared_set {
    uint32_t offset, tag;
    uint32_t block, barrier; /**< as in struct shared_word */
};

/** The last volatile or atomic store of a word of shared memory; see shared_message.c. */
struct shared_word {
    uint32_t block;   /**< shared_tags.block_count when it was stored; 0: never */
    uint32_t barrier; /**< the stretch of the block's last barrier */
    uint32_t count;   /**< of the block's strong stores */
    uint32_t place;   /**< the instruction */
    uint32_t time;    /**< by the clocks of warps, if there are any */
    uint8_t warp;
    bool is_first; /**< the first such store of the word by this block */
};
/** A warp's last look at a word that another warp has set. */
struct shared_look {
    struct shared_word flag;
    uint32_t place; /**< the instruction that looked */
};

struct pending_copies;
struct warp_clocks;
struct sim_beside;
struct block_flags;

/** What a worker remembers of the accesses to the shared memory of its block. */
struct shared_tags {
    uint32_t epoch; /**< changes with every barrier and block; 0 is never current */
    unsigned shift; /**< log2 of a unit's bytes */
    bool is_fine;   /**< units are smaller than words, or there are clocks of warps */
    size_t units;
    uint32_t *writer, *reader; /**< tags by unit */
    uint32_t *reader_lanes;    /**< lanes of the reader's warp */
    uint8_t *writer_lane;
    struct lane_order orders[MAX_BLOCK_WARPS];
    struct pending_copies *pending;
    unsigned on_their_way; /**< asynchronous copies of the block that are pending */
    int clash_count;
    struct clash clashes[ACCESS_UNITS];
    /** The last volatile stores, by address; new stores replace old stores (lost_update.c). */
    struct shared_store strong_stores[STRONG_STORES];
    struct shared_set test_sets[STRONG_STORES]; /**< of these, of FLAG_TEST_SET */
    uint32_t block_count, strong_count; /**< blocks so far, and strong stores of this block */
    struct shared_word *words;
    struct shared_look looks[MAX_BLOCK_WARPS];
};

/** Tags from this value up are of the current epoch, or of pending copies. */
ALWAYS_INLINE uint32_t tag_floor(const struct shared_tags *tags)
{
    return tags->epoch << TAG_EPOCH_SHIFT;
}

ALWAYS_INLINE bool is_pending(uint32_t tag)
{
    return tag >> TAG_EPOCH_SHIFT == TAG_PENDING_EPOCH;
}

ALWAYS_INLINE uint32_t place_field(const struct instruction *at)
{
    return (at->cache < TAG_FAR_PLACE ? at->cache : TAG_FAR_PLACE) << TAG_WARP_BITS;
}

/** The tag of an access that is being made. */
ALWAYS_INLINE uint32_t new_tag(const struct warp *warp, const struct instruction *at,
                               struct shared_tags *tags)
{
    struct lane_order *const order = &tags->orders[warp->index];
    order->has_accesses = true;
    return tag_floor(tags) | order->turn << TAG_TURN_SHIFT | place_field(at) | warp->index;
}

/* ---- Global memory ---- */

/** Fields of a tag, from the top: block, stretch, place, whether the block changed the word before
 *  (GLOBAL_CHANGED), whether the value stayed (GLOBAL_SAME), warp. */
enum {
    GLOBAL_SEVERAL_WARPS = 63, /**< in place of a warp */
    GLOBAL_SAME_SHIFT = 6,
    GLOBAL_CHANGED_SHIFT = 7,
    GLOBAL_PLACE_SHIFT = 8,
    GLOBAL_PLACE_BITS = 12,
    GLOBAL_FAR_PLACE = (1 << GLOBAL_PLACE_BITS) - 1,
    GLOBAL_EPOCH_SHIFT = GLOBAL_PLACE_SHIFT + GLOBAL_PLACE_BITS,
    GLOBAL_EPOCH_BITS = 18,
    GLOBAL_BLOCK_SHIFT = GLOBAL_EPOCH_SHIFT + GLOBAL_EPOCH_BITS,
    GLOBAL_SEVERAL_BLOCKS = (1 << 26) - 1, /**< in place of a block's number + 1 */
    GLOBAL_MOST_BLOCKS = (1 << 26) - 2,
    GLOBAL_WORDS = WARP_LANES * 8 /**< the most words that a warp can write at once */
};
/** A write that left the value as it was. */
#define GLOBAL_SAME (UINT64_C(1) << GLOBAL_SAME_SHIFT)
/** In a writer's tag: its block has written another value to the word before, or changed the word
 *  atomically since. In a reader's tag: the reader has added to the word atomically. */
#define GLOBAL_CHANGED (UINT64_C(1) << GLOBAL_CHANGED_SHIFT)

/** The block's number + 1. */
ALWAYS_INLINE uint64_t global_block(uint64_t tag)
{
    return tag >> GLOBAL_BLOCK_SHIFT;
}

ALWAYS_INLINE uint32_t global_stretch(uint64_t tag)
{
    return (uint32_t)(tag >> GLOBAL_EPOCH_SHIFT) & ((1 << GLOBAL_EPOCH_BITS) - 1);
}

ALWAYS_INLINE uint32_t global_place(uint64_t tag)
{
    return (uint32_t)(tag >> GLOBAL_PLACE_SHIFT) & GLOBAL_FAR_PLACE;
}

ALWAYS_INLINE bool is_same_block(uint64_t one, uint64_t other)
{
    return global_block(one) == global_block(other);
}

ALWAYS_INLINE bool is_of_several(uint64_t tag)
{
    return global_block(tag) == GLOBAL_SEVERAL_BLOCKS ||
           (tag & GLOBAL_SEVERAL_WARPS) == GLOBAL_SEVERAL_WARPS;
}

/** The last strong write of a word. */
struct strong_word {
    _Atomic uint64_t tag;  /**< 0: none, or being written */
    _Atomic uint64_t when; /**< the last barrier's stretch, above the block's count of strong
                              writes; STRONG_AGAIN if the word had a strong write before */
};
#define STRONG_AGAIN (UINT64_C(1) << 63)

/** Two readers of a word (global_readers.c), while its reader's tag is of several blocks. */
struct word_readers {
    uint64_t tags[2];
};

/** The tags of an allocation while a launch runs. */
struct global_tags {
    const char *host; /**< storage of word 0 */
    uint64_t *writer, *reader;
    size_t words;
    void *_Atomic strong;  /**< struct strong_word by word; made by the first strong write */
    void *_Atomic readers; /**< struct word_readers by word; made by a word's second block */
};

/** Tags of a word before a store that clashes with them. */
struct global_clash {
    uint64_t writer, reader;
};

enum { GRID_ARRIVALS = 4 };

/** How many releases of a block are remembered. The low bits of a release are its time; the bits
 * above are its stretch. */
enum { RELEASES = 8, RELEASE_TIME_BITS = 46 };

/** What a block has done that other blocks may be ordered after. A signal is an access that shows
 *  other threads how far a warp is: an atomic operation, or a volatile or ordered access. */
struct block_release {
    _Atomic uint32_t fenced;        /**< the last stretch that a fence has ended */
    _Atomic uint32_t fenced_inside; /**< the last stretch that a fence for the block alone ended */
    /** The first strong store or atomic operation after each fence. Only a block that has seen it
     *  is ordered after the stretches before that fence. */
    _Atomic uint64_t releases[RELEASES];
    _Atomic uint32_t release_count;
    /** The latest time that its warps had acquired before the last release; UINT64_MAX: all. */
    _Atomic uint64_t acquired;
    /** The stretch that the first barrier after the last signal began; 0: there was no barrier
     * since. */
    _Atomic uint32_t closed;
    /** From bit 32 on, the stretch that began at the last barrier before the last signal to other
     *  blocks. Below bit 32, a bit for each warp that has signalled since that barrier.
     *  SIGNALS_OTHERS is set if there was a signal to other blocks. */
    _Atomic uint64_t signals;
    /** For each of the last arrivals at the barrier of the grid, the first stretch that it leaves
     *  unordered. No block is more than two arrivals ahead of another's waits. */
    _Atomic uint32_t arrived[GRID_ARRIVALS];
};
#define SIGNALS_OTHERS (UINT64_C(1) << 63)

/** A volatile, relaxed or releasing store: its tag, and its time within its block. */
struct strong_store {
    const char *_Atomic storage;
    _Atomic uint64_t tag;
    _Atomic uint64_t when; /**< as in message_passing.c */
};

enum { LIST_HEADS = 16, LIST_POPPED = 64, LIST_POPPERS = 256 };

/** A value of a list's first element that was popped. */
struct popped {
    uint64_t value;
    unsigned times;  /**< that it was popped */
    uint64_t pusher; /**< the tag of the last push of it; 0: none */
};

/** A list's first element (comes_back.c). Old values and blocks make room for new ones. */
struct list_head {
    const char *storage; /**< NULL: none */
    struct popped popped[LIST_POPPED];
    uint64_t poppers[LIST_POPPERS]; /**< blocks */
    unsigned popped_count, popper_count;
    uint64_t pusher; /**< the tag of a push that has brought a value back; 0: none */
};

/** What the workers of a launch share. */
struct global_launch {
    _Atomic bool has_releases;
    _Atomic uint64_t time;   /**< counts releases */
    _Atomic bool has_narrow; /**< there were atomic operations for a block alone */
    _Atomic bool has_strong_stores;
    struct strong_store strong_stores[STRONG_STORES]; /**< by address; new stores replace old */
    struct strong_store test_sets[STRONG_STORES];     /**< of these, of FLAG_TEST_SET */
    void *_Atomic released; /**< struct block_release for each block; made by the first fence */
    void *_Atomic heads;    /**< struct list_head; made by the first pop */
};

/** The number of words for which the accessing lane is remembered. */
enum { GLOBAL_LANE_WORDS = 2048 };

/** The lane that last wrote, or read, a word. */
struct lane_word {
    const char *storage;
    uint64_t tag;
    uint32_t round; /**< of the warp's turns */
    uint8_t turn, lane;
};

/** When a block wrote a word; see message_passing.c. */
struct written {
    uint64_t tag;            /**< of the write; 0: unknown */
    uint32_t barrier, count; /**< when it wrote: the stretch of the block's last barrier, and the
                                count of the block's strong writes */
    bool is_first; /**< the first write of the word in this launch, and no other has followed */
};

enum { LOOKS = 32 };

/** A look by warps of this block at a word that a block has set. */
struct look {
    struct written flag;
    uint32_t warps;  /**< a bit for each warp that has looked, or waited for such a warp since */
    uint32_t fenced; /**< a bit for each of these warps that has a fence after the look */
    uint32_t place;  /**< the instruction that looked */
    uint32_t time;   /**< counts looks */
};

enum { EARLY_DATA = 16 };
/** A read of data that another block has written, before a look at a flag that this block set after
 * the data. */
struct early_data {
    const char *storage;
    struct written data;
    uint32_t warp, place;
    int lane;
};

enum { UPDATE_READS = 64 };
/** A read of a word that the thread will write back changed; see lost_update.c. */
struct update_read {
    const char *storage;
    uint64_t acquired; /**< acquired_at of the warp before the read */
    uint64_t reader;   /**< the word's reader tag before the read, since a plain read replaces it */
    uint32_t warp;
    uint32_t grid_waits; /**< of the block, before the read */
};

/** What is wrong with data and the flag that announces them. */
enum message_order {
    MESSAGE_UNORDERED, /**< they are set and read in order, but without release and acquire */
    MESSAGE_SET_LATE,  /**< the flag was set before the data, which are written once */
    MESSAGE_READ_EARLY /**< the data were read before the look at the flag */
};

/** Data that a thread reads because of a look at their writer's flag. */
struct message {
    uint64_t data, flag; /**< tags of the stores */
    uint32_t look;       /**< the place where the flag was read */
    bool is_acquired;    /**< a fence follows the look, or the look acquires */
    enum message_order order;
    const char *storage; /**< of the data */
    uint32_t read;       /**< the place where the data were read */
    int lane;            /**< the lane that read the data */
};

/** Such data that are the successor of a list's first element: if the list has changed since, the
 *  swap that would put them in fails, and they are not used. */
struct successor_read {
    const struct instruction *at; /**< NULL: none */
    const char *storage;
    int lane;
    struct message message;
};

/** What a worker remembers of global memory for its block. */
struct global_checks {
    uint64_t tag;           /**< block and stretch; 0: the block is not checked, or no longer */
    uint32_t barrier;       /**< the stretch that began at the last barrier */
    uint32_t heard;         /**< warps that have signalled since, a bit each */
    uint32_t arrivals;      /**< at the barrier of the grid */
    uint32_t looked;        /**< warps that have read what other blocks may set, a bit each */
    uint32_t looked_inside; /**< warps that have read what other warps of the block may set */
    uint32_t looked_shared; /**< of these, in shared memory, or by accesses of the block alone */
    uint32_t looked_beyond; /**< of these, but in the block's own shared memory */
    /** For each warp, 1 + the time of the last release that it may have seen before a fence of its
     *  own; 0: it has executed no fence after a look. */
    uint64_t acquired_at[MAX_BLOCK_WARPS];
    const struct sim_beside
        *beside;       /**< the previous kernel, if this one may begin before its end */
    bool has_let_next; /**< the block has let the next kernel begin */
    uint32_t waited[MAX_BLOCK_WARPS]; /**< lanes that come after a wait for it (order_kernels.c) */
    bool is_fenced;                   /**< the block has executed a fence, and set nothing since */
    bool acquired;   /**< the block has made an access that may order it after others */
    bool was_read;   /**< this warp has read a word of the current store */
    bool clashes;    /**< the current store clashes, and `before` holds the tags of all its words */
    bool is_setting; /**< the current atomic operation is one that others may learn from */
    bool had_asked;  /**< `acquired` before the current atomic operation */
    uint32_t meets_same; /**< a bit for each word of the current atomic operation that another
                            thread has stored, unordered and with the value that it had */
    /** The last strong store to the word before the current atomic operation, and when it came. */
    uint64_t stored, stored_when;
    uint32_t strong_count; /**< strong writes of the block */
    uint32_t look_count, look_time;
    /** 1 + the time of the last look that is not in `looks`, and 1 + the time of the last such look
     *  with a fence after it. */
    uint64_t other_look, other_acquired;
    struct look looks[LOOKS];
    struct block_flags *flags; /**< see order_flags.c; NULL: none yet */
    uint32_t early_count;
    struct early_data early_data[EARLY_DATA];
    struct successor_read successors[MAX_BLOCK_WARPS]; /**< the last one of each warp */
    struct update_read update_reads[UPDATE_READS];     /**< by address */
    uint32_t old[GLOBAL_WORDS];                        /**< before the store, lane by lane */
    struct global_clash before[GLOBAL_WORDS];
    struct lane_word written[GLOBAL_LANE_WORDS], read[GLOBAL_LANE_WORDS]; /**< by address */
};

/* ---- A worker ---- */

/** A read of a word of shared memory that is not written yet. If another warp writes it before the
 *  next barrier, the fault is a race. */
struct early_read {
    struct warp *warp; /**< NULL: none */
    const struct function *function;
    const struct instruction *at;
    uint64_t address;
    unsigned bytes;
    int lane;
};

/** What a worker remembers for the checks of its block. */
struct sim_checks {
    struct shared_tags shared;
    size_t words;
    uint32_t *written; /**< a bit for each word of ones that was written */
    bool has_written;
    struct early_read early;
    struct global_checks global;
    struct warp_clocks *clocks; /**< NULL: all barriers are for all warps, and of one block */
    bool shares_clocks;         /**< they are those of the cluster's first block */
};

#endif
