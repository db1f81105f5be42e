/**
 * @file count.h
 * @brief Exact counts of what a launch does to memory, by the rules of the hardware.
 *
 * While counting is on, the handlers of a program's memory instructions and branches are replaced
 * by handlers that count and then do the same. While counting is off, nothing slows a launch down.
 */
#ifndef SIM_COUNTING_COUNT_H
#define SIM_COUNTING_COUNT_H

#include "sim/cache/cache.h"
#include "sim/lab_sim.h"
#include "sim/machine/warp.h"

/** Where an access went. */
enum counted_space { COUNTED_GLOBAL, COUNTED_SHARED, COUNTED_LOCAL, COUNTED_SPACES };

/** What an access does. A reduction is an atomic without a result. A copy is a cp.async, through
 *  the L1 cache (.ca) or past it (.cg: COUNTED_COPY_BYPASS). */
enum counted_kind {
    COUNTED_LOAD,
    COUNTED_STORE,
    COUNTED_ATOMIC,
    COUNTED_REDUCTION,
    COUNTED_COPY,
    COUNTED_COPY_BYPASS,
    COUNTED_KINDS
};

/** What an access instruction is, and what ptxas makes of it. */
struct access_plan {
    exec_handler *run; /**< NULL for what is not counted: parameters, constants */
    const struct ptx_instruction *source;
    enum counted_kind kind;
    enum ptx_space space;
    unsigned bytes;          /**< of a lane in PTX */
    enum trace_kind request; /**< to global memory, for the caches */
    bool is_wide;            /**< 64-bit address slot */
    bool is_swap;            /**< compare and swap, which takes two passes */
    bool is_elected;         /**< one lane does the access for all */
    bool is_float;           /**< an atomic that adds or compares floats */
    bool is_increment;       /**< adds 1 without a result: lanes share a pass in shared memory */
    bool is_loop;            /**< in shared memory: repeats a compare and swap until it succeeds */
    bool is_matrix;          /**< several accesses, whose addresses tensor/ knows */
    bool is_ldmatrix;        /**< rows of 16 bytes, eight to a matrix */
    bool is_noted;         /**< no access of lanes: a bulk copy, or of a barrier in shared memory */
    bool is_absorbed;      /**< part of another access of the machine code */
    unsigned merged_bytes; /**< of a lane in the machine code */
    int64_t merged_offset; /**< from the address to the start of the merged access */
};

/** What the rules say of the last access, which holds for the next one, too, if its addresses
 * differ from these by one multiple of what sectors, lines and banks repeat after. */
struct access_shape {
    uint64_t relative[WARP_LANES]; /**< addresses from a boundary; 0 for idle lanes */
    uint32_t lanes;                /**< 0: none yet */
    unsigned sectors, lines, used, wavefronts, conflicts;
    uint32_t patterns[4]; /**< for the caches, by the sector that the first address lies in; 0: not
                             known */
};

/** Sums of one access instruction, for a space that it went to. */
struct access_total {
    struct access_shape shape;
    uint64_t requests, sectors, lines;
    uint64_t filled;     /**< of copies past L1: see struct bypass_count */
    uint64_t bytes;      /**< that lanes asked for, each counted once in a request */
    uint64_t lane_bytes; /**< of shared memory: each as often as lanes asked for it */
    uint64_t needed;     /**< fewest sectors that would hold the bytes of each request */
    uint64_t wavefronts, conflicts;
    uint64_t atomic_passes;   /**< of the data pipe, for atomics in shared memory */
    uint64_t loop_turns;      /**< of such atomics that are loops in machine code */
    uint64_t lowest, highest; /**< of the addresses of the first lanes; if is_placed */
    bool is_placed;
    struct noted_box box; /**< of a copy by a tensor map */
};

/** What the warps of a function wait for: how often they stop for loads; how many instructions they
 *  execute between these loads and their uses; and the instructions of the longest chains. */
struct counted_waits {
    uint64_t global, shared, ahead_of_global, ahead_of_shared, chain;
};

/** How the warps of a launch wait for asynchronous copies. */
struct counted_copies {
    uint64_t waits;       /**< for groups that read something */
    uint64_t ahead;       /**< instructions between the last copy of these groups and the wait */
    uint64_t bytes;       /**< that the waits were for */
    uint64_t bytes_ahead; /**< for each byte, instructions between its own copy and the wait */
};

/** What bulk copies and barriers in shared memory did. */
struct counted_bulk {
    uint64_t copies, loaded, stored; /**< loaded, stored: bytes */
    uint64_t waits;                  /**< of warps for a phase, without those in vain */
};

/** What is known and counted for a program; indexed by instruction.cache. */
struct counting {
    bool is_patched;
    bool has_copies;          /**< has asynchronous copies */
    bool has_record;          /**< while patched: records what a block executes */
    struct segment *segments; /**< of all functions, by number; NULL without copies */
    _Atomic bool has_failed;  /**< ran out of memory */
    struct access_plan *plans;
    struct counted_worker *_Atomic *workers;
    struct cache_model *caches; /**< of the launch that runs; NULL: not modelled */
};

/* ---- rules.c ---- */

/**
 * @brief Distinct 32-byte sectors that the active lanes' accesses touch.
 * @param bytes  of a lane: up to 32
 * @param used   receives the number of bytes in these sectors that some lane asks for
 */
unsigned sim_count_sectors(const uint64_t *address, uint32_t active, unsigned bytes,
                           unsigned *used);

/** Distinct lines of 128 bytes that the accesses touch. */
unsigned sim_count_cache_lines(const uint64_t *address, uint32_t active, unsigned bytes);

/**
 * @brief Turns that an atomic takes at each sector: lanes with the same address come one after the
 * other.
 * @param sector, turns  receive up to 32 sectors, as address / 32, and the turns at each
 * @return how many sectors there are
 */
unsigned sim_count_atomic_turns(const uint64_t *address, uint32_t active, uint64_t *sector,
                                unsigned *turns);

/** Passes that ldmatrix takes: each matrix by itself, as many as rows of it begin in one place of
 * the banks; equal rows save nothing. `conflicts` receives how many more than there are matrices.
 */
unsigned sim_count_matrix_wavefronts(const uint64_t *address, uint32_t active, unsigned *conflicts);

/** What an asynchronous copy of 16 bytes a lane past L1 does, as an H200 counts it. */
struct bypass_count {
    unsigned packets; /**< sectors fetched from L2: each as often as a sector of shared memory
                           gets some of it at another place */
    unsigned filled;  /**< sectors of shared memory, by quarter of the warp and line of the source:
                           what Nsight Compute has in its sectors of global loads */
    unsigned wavefronts; /**< there are no conflicts */
    uint32_t again;      /**< lanes that fetch what another one of their quarter has fetched */
};
void sim_count_bypass(const uint64_t *from, const uint64_t *to, uint32_t active,
                      struct bypass_count *counts);

/**
 * @brief Passes through shared memory that a warp's access takes.
 * @param kind       what the access does; it is no copy
 * @param bytes      of a lane: up to 16
 * @param conflicts  receives how many of the passes a conflict-free access would not need
 */
unsigned sim_count_wavefronts(enum counted_kind kind, const uint64_t *address, uint32_t active,
                              unsigned bytes, unsigned *conflicts);

/** Finds which of these passes serves each word of four bytes of each active lane. */
void sim_place_in_wavefronts(enum counted_kind kind, const uint64_t *address, uint32_t active,
                             unsigned bytes, unsigned char (*pass)[4]);

/** As sim_count_wavefronts(), for an asynchronous copy through L1; `active`: the lanes that read.
 */
unsigned sim_count_copy_wavefronts(const uint64_t *from, const uint64_t *to, uint32_t active,
                                   unsigned bytes, unsigned *conflicts);

/* ---- atomic.c ---- */

/** Completes the plan of an atomic; changes no other plan. */
void sim_count_plan_atomic(struct access_plan *plan, const struct ptx_function *function);

/* ---- turns.c ---- */

struct atomic_turns; /**< turns at each part of L2, of one worker or of a launch */

struct atomic_turns *sim_turns_create(void);
/** Adds the turns of a warp's atomic access. @return how many these are */
unsigned sim_turns_add(struct atomic_turns *turns, const uint64_t *address, uint32_t active,
                       bool is_float);
/** Adds the turns of a worker. */
void sim_turns_merge(struct atomic_turns *sum, const struct atomic_turns *turns);
/** The most turns in one slice of L2, and the most turns on floats at one sector. */
void sim_turns_busiest(const struct atomic_turns *turns, uint64_t *slice, uint64_t *floats);

/* ---- copies.c ---- */

struct copies_ahead; /**< asynchronous copies on their way, of one worker's block */

struct copies_ahead *sim_copies_create(void);
/** A warp begins to execute a segment. */
void sim_copies_segment(struct copies_ahead *copies, const struct warp *warp,
                        const struct segment *segment);
/** The active lanes begin a copy that reads `bytes`. */
void sim_copies_start(struct copies_ahead *copies, const struct warp *warp,
                      const struct instruction *at, uint64_t bytes);
/** The active lanes commit their copies so far as a group. */
void sim_copies_commit(struct copies_ahead *copies, const struct warp *warp);
/** The active lanes wait for all groups except the latest `latest`. */
void sim_copies_wait(struct copies_ahead *copies, const struct warp *warp,
                     const struct instruction *at, uint32_t latest);
/** The active lanes wait for all copies. */
void sim_copies_wait_all(struct copies_ahead *copies, const struct warp *warp,
                         const struct instruction *at);
/** A block ends: forgets copies that no warp has waited for. */
void sim_copies_end_block(struct copies_ahead *copies);
const struct counted_copies *sim_copies_sum(const struct copies_ahead *copies);

/* ---- merge.c ---- */

/** Finds the neighbouring shared accesses of a function that ptxas merges into one. `plans` has one
 *  entry for each PTX instruction; NULL: it is no access. */
void sim_count_merge(const struct program *program, const struct ptx_function *function,
                     struct access_plan **plans);

/* ---- caches.c ---- */

/** Before a launch that counts: prepares the model of the caches, if the request has one. */
void sim_count_caches_begin(const struct launch *launch);
/** What a worker records requests with; NULL where caches are not modelled. */
struct trace_recorder *sim_count_recorder(const struct counting *counting);
/** After a block: hands its requests to the model. */
void sim_count_caches_block(const struct worker *worker, struct trace_recorder *recorder,
                            uint64_t *executed_before);
/** After a launch: adds up what the caches did. */
void sim_count_caches_finish(const struct launch *launch);

/** In merge.c: marks the short `if`s that ptxas turns into predicated instructions. 1: inside a
 *  short `if`; 2: the instruction after it. `marks` has a zeroed entry for each instruction. */
void sim_count_mark_ifs(const struct ptx_function *function, unsigned char *marks);

/* ---- waits.c ---- */

/** Whether an instruction reads memory other than parameters and constants. */
bool sim_count_is_load(const struct ptx_instruction *source);
bool sim_count_is_shared(const struct ptx_instruction *source);

/** Adds what warps wait for. `warps`: how many warps executed each instruction; `registers`: of a
 *  thread in machine code (0: not known). */
void sim_count_waits(const struct ptx_function *function, const uint64_t *warps, int registers,
                     struct counted_waits *waits);

/* ---- count.c: used by launch/grid.c ---- */

/** Before a launch of a decoded program: replaces its handlers, or restores them. */
void sim_count_prepare(struct program *program);
/** After a block that ran to its end. */
void sim_count_block(const struct worker *worker);
/** After a launch: adds up what its workers counted. */
void sim_count_finish(struct launch *launch);

/* ---- totals.c ---- */

/** Switches counting on (from zero) or off. */
void sim_count_set(bool on);
bool sim_count_is_on(void);

/** Adds what one access instruction did; the plan gives the kind and the source line. */
void sim_count_add_access(const struct access_plan *plan, enum counted_space space,
                          const struct access_total *total);
/** Adds executions of a PTX instruction by warps and by threads. */
void sim_count_add_instruction(const struct ptx_instruction *source, uint64_t warps,
                               uint64_t threads);
void sim_count_add_divergent(uint64_t branches);
/** Adds what the caches did in a launch. NULL: it could not be modelled, so there is no sum. */
void sim_count_add_caches(const struct cache_counts *counts);
void sim_count_add_absorbed(uint64_t accesses);
void sim_count_add_bulk(const struct counted_bulk *bulk);
/** Adds to a line what its copies by tensor map look like in shared memory. */
void sim_count_add_box(const struct access_plan *plan, const struct noted_box *box);
/** Adds the most turns of a launch's atomics at one place: see sim_turns_busiest(). */
void sim_count_add_turns(uint64_t slice, uint64_t floats);
void sim_count_add_waits(const struct counted_waits *waits);
void sim_count_add_copies(const struct counted_copies *copies);

/* ---- names.c ---- */

/** A copy of a text that is valid for good, and the same for the same text; NULL: out of memory. */
const char *sim_count_intern(const char *text);

/* ---- operands.c ---- */

/** As sim_count_add_access(), by line and array. Call it before the launch's memory may be freed.
 *  */
void sim_count_add_operand(const struct program *program, const struct access_plan *plan,
                           enum counted_space space, const struct access_total *total);
void sim_count_forget_operands(void);
/** "A", "a_tile": the array that holds both addresses; valid for good. NULL: out of memory. */
const char *sim_count_array_name(const struct program *program, enum counted_space space,
                                 uint64_t lowest, uint64_t highest);
/** See lab_sim_operands(). */
int sim_count_operands(const struct lab_sim_operand **list);

/* ---- line_opcodes.c ---- */

void sim_count_forget_opcodes(void);
void sim_count_add_opcode(const struct ptx_instruction *source, uint64_t warps);
/** See lab_sim_opcodes(). */
int sim_count_opcodes(const struct lab_sim_opcode **list);

/* ---- watched.c ---- */

/** See lab_sim_watch(). */
void sim_watch_set(bool on, uint64_t block, unsigned warp);
void sim_watch_forget(void);
bool sim_watches(const struct warp *warp);
bool sim_watch_is_on(void);
unsigned sim_watched_warp(void);                 /**< its number in the block */
bool sim_watches_block(const struct warp *warp); /**< the one of the watched warp */
/** Keeps an access of some lanes of the watched warp: one address for each lane, and the sectors or
 *  wavefronts that it takes. @return its place in sim_watch_list(); -1: it is not kept */
int sim_watch_access(const struct warp *warp, const struct access_plan *plan,
                     enum counted_space space, const uint64_t *address, uint32_t lanes,
                     unsigned cost);
/** After the accesses of an instruction: keeps the values that are in memory now. */
void sim_watch_values(const struct warp *warp);
/** See lab_sim_accesses(). */
int sim_watch_list(const struct lab_sim_access **list);

/** See lab_sim_counters() and lab_sim_lines(). */
int sim_count_counters(const struct lab_sim_counter **list);
int sim_count_lines(const struct lab_sim_line **list);

#endif
