/**
 * @file lab_sim.h
 * @brief What the simulator offers beyond CUDA; exported by its libcudart.so.13. The one public
 * header: it needs no other file of the simulator.
 *
 * A program that also runs on a GPU looks the functions up with dlsym(), since a real
 * libcudart.so.13 has none of them:
 *
 *     __typeof__(lab_sim_counters) *counters = dlsym(RTLD_DEFAULT, "lab_sim_counters");
 */
#ifndef LAB_SIM_H
#define LAB_SIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- How a launch ended ---- */

/** Whether a launch ran to its end, and if not, why. */
enum sim_status {
    SIM_OK,
    SIM_OUT_OF_BOUNDS,
    SIM_MISALIGNED,
    SIM_DIVERGENT_BARRIER, /**< also a block that can make no progress */
    SIM_ASSERT,
    SIM_TRAP,
    SIM_UNSUPPORTED,    /**< an opcode, modifier or call that the simulator does not know */
    SIM_UNINITIALIZED,  /**< a read of memory that nothing has written */
    SIM_INPUT_MODIFIED, /**< a write to memory that kernels may only read */
    SIM_RACE,           /**< two threads use a word in an order that nothing fixes */
    SIM_UNORDERED_SUM,  /**< the last bits depend on who comes first: see lab_sim_check_sums() */
    SIM_TIMEOUT,        /**< a block runs on and on */
    SIM_BAD_LAUNCH      /**< block too large, too much shared memory ... */
};

/** How a launch ended. On a fault: what, where, and the first offending thread. */
struct sim_outcome {
    enum sim_status status;
    char message[1024]; /**< one line for people: what happened and what usually causes it */
    char kernel[256];   /**< demangled name */
    char file[512];     /**< user's source file, or "" */
    int line;           /**< 0 if unknown */
    unsigned block[3], thread[3];
    uint64_t address;             /**< of a memory fault */
    uint64_t warp_instructions;   /**< PTX instructions executed, one per warp */
    uint64_t thread_instructions; /**< the same, counted per active lane */
};

/** How the last launch of this process ended; status SIM_OK before the first. Never NULL; the
 *  contents change with the next launch. */
const struct sim_outcome *lab_sim_last_outcome(void);

/** Nonzero: nothing is printed on standard error about faults; the caller reports them. */
void lab_sim_set_quiet(int quiet);

/** Prints `library (simulator): text` on standard error unless quiet. */
void lab_sim_report(const char *library, const char *text);

/* ---- What is checked ---- */

/**
 * @brief Narrows what kernels may touch of an allocation to [device_pointer, device_pointer +
 * size), so that guard zones around it are guarded exactly, and names it for messages.
 * @param name  copied; NULL leaves the name as it is
 * @return 1, or 0 when the range does not lie inside one allocation.
 */
int lab_sim_guard(const void *device_pointer, size_t size, const char *name);

/**
 * @brief Messages name elements of the allocation that holds the address by row and column.
 * @param element  bytes of one
 * @param row      elements from one row to the next
 * @param columns  of these, those that count
 * @return 1, or 0 when no allocation holds it.
 */
int lab_sim_rows(const void *device_pointer, size_t element, size_t row, size_t columns);

/**
 * @brief Kernels may only read the allocation that holds the address from now on: a write, whatever
 * the value, stops them.
 * @return 1, or 0 when no allocation holds it.
 */
int lab_sim_protect(const void *device_pointer);

/**
 * @brief Fills memory with ones and forgets that it was ever written: a kernel that reads it before
 * something writes it is stopped.
 * @return 1, or 0 when the range does not lie inside one allocation.
 */
int lab_sim_mark_unwritten(const void *device_pointer, size_t size);

/** Memory that a library running on the host has written, or was given to read: its storage is
 *  lab_sim_memory_host()'s. */
void lab_sim_mark_written(const void *device_pointer, size_t size);

/** 0: the launches that follow are checked for addresses and barriers only, not for reads of
 *  unwritten memory and races. Returns what puts them back as they were. */
int lab_sim_set_checks(int on);

/** Nonzero: where checks are made at all, sums of floats whose order nothing fixes are found from
 *  now on, too: the kernels promise the same bits in every launch. */
void lab_sim_check_sums(int on);

/**
 * @brief Nonzero: launches from now on begin with the last block of the grid and end with its
 * first; those of kernels in which a block may wait for another one take eight at a time in
 * reverse. The warps of a block come in reverse, too, and the lanes of a warp at a lock.
 * @return how many launches did, since the last call.
 */
int lab_sim_reverse_blocks(int on);

/** Nonzero: blocks of launches from now on let others go first once they have drawn a number by an
 *  atomic addition: where one block would draw them all, several do. */
void lab_sim_share_draws(int on);

/** Work of any stream from now on is to come behind what is on `stream`, a cudaStream_t, and before
 *  what follows there after lab_sim_streams_end(). */
void lab_sim_streams_begin(const void *stream);

/** Which work may come earlier or later than that on a GPU, or may find memory that the host
 * changed behind it, to follow the word "race"; NULL: none. Valid until the next call. */
const char *lab_sim_streams_end(void);

enum { LAB_SIM_STREAMS = 32 };

/** Where the work that was enqueued last stands among that of all streams. */
struct lab_sim_order {
    int stream;      /**< its own; negative: further ones, that are not told apart */
    uint64_t number; /**< of the stream's work, from 1 on */
    uint64_t known[LAB_SIM_STREAMS]; /**< work of each stream that comes before it on a GPU, too */
};
void lab_sim_last_order(struct lab_sim_order *order);

/** A library enqueues work on a stream, a cudaStream_t. @return a cudaError_t, as a call would. */
int lab_sim_stream_work(const void *stream, const char *what);

/** Nonzero: `text` says which store of the last launch, and whose, wrote the word at an address. */
int lab_sim_writer(const void *device_pointer, char *text, size_t size);

/** From now on what this process has warned of, or those that it forks one after the other, is said
 *  by none of them again. */
void lab_sim_share_warnings(void);

/** How many processes had shared warning `i`, from 0 on, after the one that said it, and of which
 *  kernel and line it is; -1: there are no more. */
int lab_sim_warning_again(int i, const char **place);

/** Bytes that kernels have from malloc() and have not freed. */
size_t lab_sim_heap_used(void);

/** How many basic blocks a thread block may execute before it counts as endless; 0: no limit. At
 *  first 256 million. LAB_SIM_BUDGET, in millions, wins over both. */
void lab_sim_set_budget(uint64_t basic_blocks);

/** Nonzero if launches from now on are checked for that: "race" or "uninitialized". */
int lab_sim_checks_for(const char *check);

/**
 * @brief Storage of device memory that a library running on the host may use like a kernel would.
 * @return NULL unless [device_pointer, device_pointer + size) lies inside what kernels may touch of
 *         one allocation. Valid until that is freed.
 */
void *lab_sim_memory_host(const void *device_pointer, size_t size);

/* ---- What a program holds ---- */

/** A kernel in the PTX of a program. */
struct lab_sim_entry {
    const char *name; /**< mangled */
    int param_count;
    const size_t *param_sizes; /**< bytes of each; a launch passes them by pointer only */
};

/** Why there is no list of kernels. */
enum lab_sim_entries_error {
    LAB_SIM_ENTRIES_DAMAGED = -1, /**< it is no fat binary, or has no PTX */
    LAB_SIM_ENTRIES_UNKNOWN = -2  /**< the simulator cannot read its PTX */
};

/**
 * @brief The kernels in the fat binary [fatbin, fatbin + available), of the PTX that a device of
 * compute capability `arch` (90) is given, read as a launch reads it. Nothing in it is trusted.
 *
 * It needs no device. Programs that also run on a GPU are linked with it: sim/ptx/ and sim/fatbin/.
 * @param list   receives the kernels, to be freed by one free()
 * @param error  receives one line on failure (error_size bytes)
 * @return how many, or an enum lab_sim_entries_error.
 */
int lab_sim_entries(const void *fatbin, size_t available, int arch, struct lab_sim_entry **list,
                    char *error, size_t error_size);

/* ---- What is counted ---- */

/** What kernels executed since the start or the last lab_sim_reset_totals(). */
struct lab_sim_totals {
    uint64_t launches;            /**< that ran, whether or not to the end */
    uint64_t warp_instructions;   /**< PTX instructions, one per warp */
    uint64_t thread_instructions; /**< the same, counted per active lane */
    double seconds;               /**< time that the simulation took */
};

/** Executed instructions since the start or the last reset. */
void lab_sim_get_totals(struct lab_sim_totals *totals);

/** Sets all totals to 0. */
void lab_sim_reset_totals(void);

/** One counter, named as Nsight Compute names it; lab__ptx_... where it is of PTX, whose
 *  instructions are not those of the machine code one by one. */
struct lab_sim_counter {
    const char *name; /**< valid for good */
    double value;
};

/**
 * @brief Counts what the launches from now on do, from zero; 0 stops counting.
 *
 * Off at first. Counting slows launches down several times.
 */
void lab_sim_set_counting(int on);

/**
 * @brief Counters of the launches since counting was last switched on.
 *
 * Neighbouring accesses to shared memory count as the one access that ptxas makes of them. The
 * traffic of caches and DRAM is from a model; it is left out where a launch was too large for that.
 * @param list  receives the counters; valid until the next call of this function
 * @return how many there are.
 */
int lab_sim_counters(const struct lab_sim_counter **list);

/** Counts of the instructions of one source line, by file and line. Instructions are PTX ones;
 *  accesses are those of the machine code. */
struct lab_sim_line {
    const char *file; /**< as the compiler was given it; valid for good */
    int line;
    double warp_instructions;
    double global_requests; /**< loads, stores, atomics and asynchronous copies */
    double global_sectors;  /**< of 32 bytes */
    double global_needed;   /**< sectors that would hold the bytes that each request asks for */
    double shared_requests;
    double shared_wavefronts;
    double shared_conflicts; /**< wavefronts that a conflict-free access would not need */
};

/**
 * @brief Counts by source line of the launches since counting was last switched on.
 * @param list  receives the lines, sorted; valid until the next launch or call of this function
 * @return how many there are; 0 for kernels without line information.
 */
int lab_sim_lines(const struct lab_sim_line **list);

/** The accesses of one source line to one array. Its counts have no instructions; of a line's
 *  asynchronous copies, the shared side is no operand's. */
struct lab_sim_operand {
    const char
        *name; /**< "A", "a_tile": of lab_sim_guard(), or of a shared array; valid for good */
    struct lab_sim_line counts;
};

/** The same as lab_sim_lines(), by line and array. */
int lab_sim_operands(const struct lab_sim_operand **list);

/** What the compiler made of a source line in PTX: one opcode of it. */
struct lab_sim_opcode {
    const char *file; /**< as in struct lab_sim_line */
    int line;
    const char *opcode; /**< whole, such as "ld.global.nc.v4.f32"; valid for good */
    double warp_instructions;
};

/** The opcodes of all lines, by line, what was executed most first. See lab_sim_lines(). */
int lab_sim_opcodes(const struct lab_sim_opcode **list);

/** One access of one warp: where each of its lanes went. */
struct lab_sim_access {
    const char *file; /**< of its source line; valid for good */
    int line;
    const char *array;         /**< as in struct lab_sim_operand; valid for good */
    const char *kind;          /**< "load", "store", "atomic", or "copy": an asynchronous one, which
                                    has an access on each side */
    unsigned turn;             /**< how often this line had gone to this array before */
    int is_shared;             /**< in the block's shared memory; else in global memory */
    unsigned bytes;            /**< of a lane, in the machine code */
    unsigned lanes;            /**< that take part, a bit each */
    unsigned cost;             /**< wavefronts of shared memory, sectors of global memory */
    unsigned char pass[32][4]; /**< in shared memory: the wavefront of each word of each lane */
    uint64_t start;            /**< of the array in the block's shared memory; 0 in global memory */
    const char *type; /**< as PTX names that of an element: "f32"; valid for good, "" if none */
    unsigned char value[16]; /**< in memory behind the access, of the first lane that takes part */
    uint64_t place[32];      /**< of each lane: bytes from the start of the array in global memory,
                                  or of the block's shared memory */
};

/** Keeps the accesses of a warp of a block, while counting is on: the first ones of each line to
 *  each array. 0: of none, as at first. */
void lab_sim_watch(int on, uint64_t block, unsigned warp);

/** The accesses that were kept since counting was last switched on, in their order.
 *  @param list  valid until the next launch or until counting is switched on. @return how many */
int lab_sim_accesses(const struct lab_sim_access **list);

/** Instructions of the watched warp that come one after the other and are of one source line. */
struct lab_sim_step {
    const char *file; /**< valid for good */
    int line;
    int first_access, access_count; /**< those of the accesses that were kept */
    int more_accesses;              /**< that were not */
};

/** What the watched warp executed, in its order, in the first launch that has it since counting was
 *  last switched on.
 *  @param list  valid until it is switched on again. @return how many */
int lab_sim_steps(const struct lab_sim_step **list);

/** What a warp does for some cycles. */
enum lab_sim_span_kind {
    LAB_SIM_ISSUES,
    LAB_SIM_WAITS_FOR_GLOBAL, /**< for a load from global memory, or from local memory */
    LAB_SIM_WAITS_FOR_SHARED,
    LAB_SIM_WAITS_AT_BARRIER,
    LAB_SIM_WAITS_FOR_COPY, /**< an asynchronous one */
    LAB_SIM_WAITS_FOR_ARITHMETIC,
    LAB_SIM_WAITS_FOR_TURN,   /**< it could issue, and another warp of its scheduler does */
    LAB_SIM_COPY_IS_UNDER_WAY /**< beside what the warp does itself */
};
enum { LAB_SIM_SPAN_KINDS = LAB_SIM_COPY_IS_UNDER_WAY };

/** What a warp does from one cycle to another. */
struct lab_sim_span {
    uint32_t begin, length; /**< cycles */
    unsigned warp;
    enum lab_sim_span_kind kind;
    const char *file; /**< of the instruction that is issued first, that waits, or that copies;
                           valid for good, NULL where the compiler names none */
    int line;
};

/** The warps of a block over time, by a model: one block alone on an SM. */
struct lab_sim_timeline {
    uint64_t cycles;
    unsigned warps;
    int is_cut;                        /**< it ends before the block does */
    uint64_t sums[LAB_SIM_SPAN_KINDS]; /**< cycles of all warps, by what they do */
    struct lab_sim_span *spans; /**< by warp and begin; short ones may be part of a neighbour */
    int span_count;
};

/** The block of the watched warp over time, in the longest of the first launches that have it since
 *  counting was last switched on. NULL: none; valid until the next launch. */
const struct lab_sim_timeline *lab_sim_timeline(void);

/** How far the launch that runs is, or the last one: blocks begun, of all. For another thread that
 *  shows it. */
void lab_sim_progress(uint64_t *begun, uint64_t *all);

/* ---- The GPU that the simulator stands for ---- */

/** A GPU that the simulator can stand for; gpu/ holds one JSON file each. The first part is in the
 *  units of CUDA's device attributes; rates are those of one SM and cycle where nothing else is
 *  said. */
struct sim_gpu_profile {
    char name[64];                    /**< as the device calls itself */
    int compute_major, compute_minor; /**< compute capability */
    size_t memory_bytes;
    int sm_count;
    int clock_khz, memory_clock_khz;
    int memory_bus_bits;
    int l2_bytes, l2_persisting_bytes;
    int threads_per_sm, blocks_per_sm;
    int registers_per_sm, registers_per_block;
    int shared_per_sm;          /**< bytes */
    int shared_per_block;       /**< bytes, without opting in */
    int shared_per_block_optin; /**< bytes */
    int shared_reserved;        /**< bytes per block that the system keeps */
    int copy_engines;

    int schedulers;
    double issue_per_cycle; /**< warp instructions */
    int fp32_lanes, fp64_lanes, integer_lanes, mufu_lanes;
    int lsu_lanes;              /**< lanes of memory instructions */
    int shared_bytes_per_cycle; /**< that the data pipe of L1 and shared memory moves */
    int l1_bytes;               /**< L1 and shared memory together where they are one */

    /* These may be missing in a file: then the figures of the H200 stand in. */
    double l2_gb_per_s;   /**< read by all SMs; else the H200's bytes per cycle and SM */
    double dram_gb_per_s; /**< read */
    double shared_latency, l1_latency, l2_latency, dram_latency, arithmetic_latency; /**< cycles */
    double barrier_latency;      /**< cycles, of a barrier that nobody has to wait for */
    double launch_us;            /**< between two events around an empty kernel */
    double atomic_cycles;        /**< of a slice of L2, for a turn of atomics at a sector */
    double float_atomic_cycles;  /**< of a sector, for a turn of atomics on floats */
    double atomics_per_cycle;    /**< turns of all slices of L2 */
    double shared_atomic_cycles; /**< of an SM, for a turn of an atomic that is a loop */

    int whole_sm_count; /**< of a slice: SMs of the GPU that it is cut from; else sm_count */
};

/**
 * @brief Reads a profile; every mistake is named with file and field.
 * @param name   one of the built-in profiles (h200, a100, ..., in any case), or a path: what holds
 *               a slash or ends in .json
 * @param error  receives one line
 * @return 1, or 0 with `error` set.
 */
int lab_sim_gpu_read(const char *name, struct sim_gpu_profile *profile, char *error, size_t size);

/**
 * @brief Makes of a GPU a slice of it: some of its SMs with their share of L2, of its rate and of
 * DRAM's. SMs, latencies and clocks stay what they are.
 * @return 1; 0 when the GPU does not have that many SMs.
 */
int lab_sim_gpu_slice(struct sim_gpu_profile *profile, int sms);

/** Why the GPU that LAB_SIM_GPU and LAB_SIM_SMS name could not be used, behind the variable's name;
 *  NULL when it could. */
const char *lab_sim_gpu_error(void);

/** The GPU that the simulator stands for. */
const struct sim_gpu_profile *lab_sim_gpu(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
