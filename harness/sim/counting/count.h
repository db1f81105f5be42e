/**
 * @file count.h
 * @brief Exact counts of what a launch does to memory, by the rules of the hardware.
 *
 * While counting is on, the handlers of memory instructions and branches of a program are replaced
 * by ones that count and then do the same; while it is off nothing is there to slow a run down.
 */
#ifndef SIM_COUNTING_COUNT_H
#define SIM_COUNTING_COUNT_H

#include "sim/cache/replay.h"
#include "sim/lab_sim.h"
#include "sim/machine/warp.h"

/** Where an access went. */
enum counted_space { COUNTED_GLOBAL, COUNTED_SHARED, COUNTED_LOCAL, COUNTED_SPACES };

/** What an access does. A reduction is an atomic without a result; copies are cp.async, through the
 *  L1 cache (.ca) or past it (.cg). */
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
    unsigned bytes;          /**< of a lane, as PTX has it */
    enum trace_kind request; /**< of global memory, for the caches */
    bool is_wide;            /**< 64-bit address row */
    bool is_swap;            /**< compare and swap: two passes in place of one */
    bool is_elected;         /**< one lane does it for all */
    bool is_float;           /**< an atomic that adds or compares floats */
    bool is_increment;     /**< adds 1 and drops the result: in shared memory lanes share a pass */
    bool is_loop;          /**< in shared memory: compare and swap until nobody came between */
    bool is_absorbed;      /**< part of another access of the machine code */
    unsigned merged_bytes; /**< of a lane in the machine code */
    int64_t merged_offset; /**< to be added to the address for the merged access's start */
};

/** Sums of one access instruction, for a space that it went to. */
struct access_total {
    uint64_t requests, sectors, lines;
    uint64_t bytes;  /**< that were asked for, each once a request */
    uint64_t needed; /**< sectors that would hold as many bytes, of each request */
    uint64_t wavefronts, conflicts;
    uint64_t atomic_passes;   /**< of the data pipe, of atomics in shared memory */
    uint64_t loop_turns;      /**< of atomics there that are a loop in machine code */
    uint64_t lowest, highest; /**< addresses of the first lanes, where it is placed */
    bool is_placed;
};

/** What the warps of a function wait for: times that they stop for loads, instructions that they
 *  execute between those loads and their uses, and instructions of the longest chains. */
struct counted_waits {
    uint64_t global, shared, ahead_of_global, ahead_of_shared, chain;
};

/** What the warps of a launch wait for of asynchronous copies. */
struct counted_copies {
    uint64_t waits;       /**< times that they wait for groups that read something */
    uint64_t ahead;       /**< instructions between the last copy of these and the wait */
    uint64_t bytes;       /**< that were waited for */
    uint64_t bytes_ahead; /**< the same instructions, of each byte by its own copy */
};

/** What is known and counted for a program; indexed by instruction.cache. */
struct counting {
    bool is_patched;
    bool has_copies;          /**< asynchronous ones */
    bool has_record;          /**< while patched: what a block executes is recorded */
    struct segment *segments; /**< of all functions, by number; NULL without such copies */
    _Atomic bool has_failed;  /**< no memory */
    struct access_plan *plans;
    struct counted_worker *_Atomic *workers;
    struct cache_model *caches; /**< of the launch that runs; NULL: not modelled */
};

/* ---- rules.c ---- */

/**
 * @brief Distinct 32-byte sectors that the active lanes' accesses touch.
 * @param bytes  of a lane: up to 32
 * @param used   receives the number of bytes in them that some lane asks for
 */
unsigned sim_count_sectors(const uint64_t *address, uint32_t active, unsigned bytes,
                           unsigned *used);

/** Distinct lines of 128 bytes, likewise. */
unsigned sim_count_cache_lines(const uint64_t *address, uint32_t active, unsigned bytes);

/**
 * @brief Turns that an atomic takes at each sector: lanes with the same address come one after the
 * other.
 * @param sector, turns  receive up to 32 sectors, by number, and the turns at each
 * @return how many sectors there are
 */
unsigned sim_count_atomic_turns(const uint64_t *address, uint32_t active, uint64_t *sector,
                                unsigned *turns);

/** Sectors of an asynchronous copy of 16 bytes past L1: halves of one are fetched each for itself
 *  unless neighbouring lanes fill it at both ends. */
unsigned sim_count_bypass_sectors(const uint64_t *from, const uint64_t *to, uint32_t active);

/**
 * @brief Passes through shared memory that a warp's access takes.
 * @param kind       what it does; no copy
 * @param bytes      of a lane: up to 16
 * @param conflicts  receives how many of them a conflict-free access would not need
 */
unsigned sim_count_wavefronts(enum counted_kind kind, const uint64_t *address, uint32_t active,
                              unsigned bytes, unsigned *conflicts);

/** Which of those passes serves each word of four bytes of each active lane. */
void sim_place_in_wavefronts(enum counted_kind kind, const uint64_t *address, uint32_t active,
                             unsigned bytes, unsigned char (*pass)[4]);

/** Passes of an asynchronous copy, as sim_count_wavefronts(); `active` are the lanes that read. */
unsigned sim_count_copy_wavefronts(enum counted_kind kind, const uint64_t *from, const uint64_t *to,
                                   uint32_t active, unsigned bytes, unsigned *conflicts);

/* ---- atomic.c ---- */

/** Completes the plan of an atomic; others are left as they are. */
void sim_count_plan_atomic(struct access_plan *plan, const struct ptx_function *function);

/* ---- turns.c ---- */

struct atomic_turns; /**< at each part of L2, of one worker or of a launch */

struct atomic_turns *sim_turns_create(void);
/** Adds the turns of an atomic access of a warp. @return their number */
unsigned sim_turns_add(struct atomic_turns *turns, const uint64_t *address, uint32_t active,
                       bool is_float);
/** Adds those of a worker. */
void sim_turns_merge(struct atomic_turns *sum, const struct atomic_turns *turns);
/** Most turns of one slice of L2, and most of floats at one sector. */
void sim_turns_busiest(const struct atomic_turns *turns, uint64_t *slice, uint64_t *floats);

/* ---- copies.c ---- */

struct copies_ahead; /**< asynchronous copies on their way, of one worker's block */

struct copies_ahead *sim_copies_create(void);
/** A warp begins to execute a segment. */
void sim_copies_segment(struct copies_ahead *copies, const struct warp *warp,
                        const struct segment *segment);
/** The active lanes begin a copy that reads so many bytes. */
void sim_copies_start(struct copies_ahead *copies, const struct warp *warp,
                      const struct instruction *at, uint64_t bytes);
/** Their copies so far are a group. */
void sim_copies_commit(struct copies_ahead *copies, const struct warp *warp);
/** They wait for all groups but the latest `latest`. */
void sim_copies_wait(struct copies_ahead *copies, const struct warp *warp,
                     const struct instruction *at, uint32_t latest);
/** They wait for all copies. */
void sim_copies_wait_all(struct copies_ahead *copies, const struct warp *warp,
                         const struct instruction *at);
/** What is on its way when a block ends nobody waits for. */
void sim_copies_end_block(struct copies_ahead *copies);
const struct counted_copies *sim_copies_sum(const struct copies_ahead *copies);

/* ---- merge.c ---- */

/** Finds the neighbouring shared accesses of a function that ptxas makes one access. `plans` has
 *  one entry for each PTX instruction; those without a run are ignored. */
void sim_count_merge(const struct program *program, const struct ptx_function *function,
                     struct access_plan **plans);

/* ---- caches.c ---- */

/** Before a launch that counts: prepares the model of the caches, where the request names them. */
void sim_count_caches_begin(const struct launch *launch);
/** What a worker records requests with; NULL where caches are not modelled. */
struct trace_recorder *sim_count_recorder(const struct counting *counting);
/** After a block: hands its requests to the model. */
void sim_count_caches_block(const struct worker *worker, struct trace_recorder *recorder,
                            uint64_t *executed_before);
/** After a launch: adds up what the caches did. */
void sim_count_caches_finish(const struct launch *launch);

/** Marks what ptxas makes predicated instructions: 1 for those inside a short `if`, 2 for the one
 *  after it. `marks` has one zeroed entry for each instruction. */
void sim_count_mark_ifs(const struct ptx_function *function, unsigned char *marks);

/* ---- waits.c ---- */

/** Whether it brings something from memory, parameters and constants left out. */
bool sim_count_is_load(const struct ptx_instruction *source);
bool sim_count_is_shared(const struct ptx_instruction *source);

/** Adds what warps wait for; `warps` says how many executed each instruction, `registers` how many
 *  a thread has in machine code (0: not known). */
void sim_count_waits(const struct ptx_function *function, const uint64_t *warps, int registers,
                     struct counted_waits *waits);

/* ---- count.c: used by launch/grid.c ---- */

/** Before a launch of a decoded program: replaces its handlers, or puts them back. */
void sim_count_prepare(struct program *program);
/** After a block that ran to its end. */
void sim_count_block(const struct worker *worker);
/** After a launch: adds up what its workers counted. */
void sim_count_finish(struct launch *launch);

/* ---- report.c ---- */

/** Switches counting on (from zero) or off. */
void sim_count_set(bool on);
bool sim_count_is_on(void);

/** Adds what one access instruction did; the kind and the source line are the plan's. */
void sim_count_add_access(const struct access_plan *plan, enum counted_space space,
                          const struct access_total *total);
/** Adds executions of a PTX instruction by warps and by threads. */
void sim_count_add_instruction(const struct ptx_instruction *source, uint64_t warps,
                               uint64_t threads);
void sim_count_add_divergent(uint64_t branches);
/** Adds what the caches did in a launch; NULL: it could not be modelled, and there is no sum. */
void sim_count_add_caches(const struct cache_counts *counts);
void sim_count_add_absorbed(uint64_t accesses);
/** Adds the most turns that atomics of a launch took at one place: see sim_turns_busiest(). */
void sim_count_add_turns(uint64_t slice, uint64_t floats);
void sim_count_add_waits(const struct counted_waits *waits);
void sim_count_add_copies(const struct counted_copies *copies);

/** A text that is valid for good; NULL without memory. */
const char *sim_count_intern(const char *text);

/* ---- operands.c ---- */

/** The same as sim_count_add_access(), by line and array. While the launch's memory is there. */
void sim_count_add_operand(const struct program *program, const struct access_plan *plan,
                           enum counted_space space, const struct access_total *total);
void sim_count_forget_operands(void);
/** "A", "a_tile": what holds both addresses; valid for good, NULL without memory. */
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
bool sim_watches_block(const struct warp *warp); /**< that the watched warp is of */
/** Keeps an access of the watched warp: one address for each lane, and the sectors or wavefronts
 *  that it takes. */
void sim_watch_access(const struct warp *warp, const struct access_plan *plan,
                      enum counted_space space, const uint64_t *address, uint32_t lanes,
                      unsigned cost);
/** Behind the accesses of an instruction: keeps what is in memory now. */
void sim_watch_values(const struct warp *warp);
/** See lab_sim_accesses(). */
int sim_watch_list(const struct lab_sim_access **list);

/** See lab_sim_counters() and lab_sim_lines(). */
int sim_count_counters(const struct lab_sim_counter **list);
int sim_count_lines(const struct lab_sim_line **list);

#endif
