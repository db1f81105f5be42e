/**
 * @file program.h
 * @brief What the decoder produces and the executor runs: instructions with resolved operands.
 *
 * A kernel and every function that it can reach are decoded into one program. Registers are slots
 * of 32 lanes in a frame; an instruction holds the offsets of its slots in bytes from the frame's
 * start. Immediates are slots too: they are copied once to the end of the frame.
 */
#ifndef SIM_MACHINE_PROGRAM_H
#define SIM_MACHINE_PROGRAM_H

#include "request.h"

#include "sim/lab_sim.h"
#include "sim/ptx/ptx.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { WARP_LANES = 32, SLOT32_BYTES = 128, SLOT64_BYTES = 256 };

/** Generic addresses of the spaces that are not device memory. No allocation can have these. */
#define SHARED_WINDOW   UINT64_C(0x0100000000000000)
#define LOCAL_WINDOW    UINT64_C(0x0200000000000000)
#define PARAM_WINDOW    UINT64_C(0x0300000000000000)
#define FUNCTION_WINDOW UINT64_C(0x0400000000000000)
/** In the shared window: an address in another block of the cluster has that block's rank + 1 above
 *  this bit, and below it the offset in that block's shared memory. */
#define CLUSTER_SHIFT 24
/** The bits of an address that name its window; zero for device memory. */
#define WINDOW_MASK UINT64_C(0xff00000000000000)
/** Distance of two function addresses. */
#define FUNCTION_STRIDE 16

struct warp;
struct worker;
struct instruction;
struct function;

/** Executes one instruction for the active lanes of a warp.
 *  @return the instruction to go on with; NULL when the warp stops for now (see warp.h). */
typedef const struct instruction *exec_handler(struct warp *warp, const struct instruction *at);

/** Bits of instruction.flags below the opcode's own mode. */
enum {
    FLAG_GUARD_NEGATED = 1, /**< executes where the guard is false */
    FLAG_NEGATE_A = 2,      /**< the operand is a predicate written as !p */
    FLAG_NEGATE_B = 4,
    FLAG_NEGATE_C = 8,
    FLAG_STRONG = 16,   /**< volatile, relaxed, acquire ...: may be used to talk to other threads */
    FLAG_RELEASE = 32,  /**< release, acq_rel: a thread that sees it may see what was done before */
    FLAG_CONSTANT = 64, /**< ld.global.nc: the memory must not change while the kernel runs */
    FLAG_VOLATILE = 128, /**< volatile data in shared memory: checked like other data */
    FLAG_ACQUIRE = 256,  /**< acquire, acq_rel: what follows comes after what it has seen */
    FLAG_BLOCK = 512,    /**< .cta: other blocks take no part */
    /** A look at what another thread set, by which this thread waits or decides. If fences order
     *  it, this thread goes on after what the other thread did before it set that. */
    FLAG_LOOK = 1024,
    FLAG_UPDATE = 2048,          /**< depends on an earlier read there (decoding/updates.c) */
    FLAG_READ_FOR_UPDATE = 4096, /**< is this read */
    FLAG_COMPUTED = 8192,        /**< the value that is written was computed from the read one */
    FLAG_EARLY = 16384,          /**< a read before a look; its value is used after the look */
    FLAG_WHOLE = 32768,          /**< a strong access of 32 bits, whose value is in slot d */
    FLAG_LEARNS = 65536,         /**< an atomic operation whose result is used */
    FLAG_TEST_SET = 131072,      /**< a constant, put there after a wait for another constant */
    FLAG_CLAIM = 262144,         /**< a read by which alone a thread claims the word */
    FLAG_SUCCESSOR = 524288, /**< a read that only a swap's success makes valid (decoding/pops.c) */
    FLAG_MODE_SHIFT = 20     /**< the bits from here on belong to the opcode's file */
};

/** One decoded instruction, a cache line. */
struct instruction {
    exec_handler *run;  /**< what the dispatch loop calls */
    exec_handler *body; /**< the opcode itself, where run only evaluates the guard */
    int32_t d, a, b, c; /**< byte offsets of slots or predicates in the frame */
    int32_t guard;      /**< of the guard predicate; -1: none */
    uint32_t flags;
    union {
        int64_t offset;                   /**< of an address */
        uint64_t value;                   /**< an immediate that is no slot */
        const struct instruction *target; /**< of a branch */
    };
    union {
        const int32_t *slots; /**< further slot offsets */
        const void *extra;
    };
    uint32_t source; /**< index of its PTX instruction; of a pseudo-operation, the next one's */
    uint32_t cache;  /**< its place in the worker's allocation cache (0: no memory access) */
};

/** A run of instructions that is always executed as a whole by the same lanes. */
struct segment {
    int first, count; /**< PTX instructions */
};

/** One call: who is called, and where arguments and results lie in local memory. */
struct call_site {
    const struct function *callee;    /**< NULL for an indirect call */
    const struct system_call *system; /**< NULL unless the simulator itself does the call */
    const struct instruction *after;  /**< where the caller goes on */
    int argument_count;
    int32_t *argument_offsets; /**< in the caller's local frame */
    int32_t *argument_bytes;
    int32_t result_offset, result_bytes; /**< -1 when there is none */
};

/** A decoded function. */
struct function {
    const struct ptx_function *ptx;
    const struct instruction *code;
    int code_count;
    struct segment *segments;
    int segment_count, first_segment; /**< numbered through the program */
    const char *constants;            /**< slots to copy into every frame, at constants_at */
    int32_t constants_at;
    int32_t register_bytes; /**< the front of every frame, zero at the start */
    size_t constant_bytes;
    size_t frame_bytes;
    /* A thread's local memory of one call: variables, call parameters, own parameters, result. */
    size_t local_bytes;
    int32_t *variable_offsets; /**< of each variable of ptx: .local and .param ones */
    int32_t *param_offsets;    /**< of each parameter; an entry's are in the launch's buffer */
    int32_t *return_offsets;
    int32_t carry;        /**< offset of the carry mask */
    uint32_t stack_bytes; /**< that a call takes on the stack of a GPU, at least */
};

/** A variable in the shared memory of a block. */
struct shared_variable {
    const struct ptx_variable *ptx;
    uint32_t offset;
};

/** A kernel with all that it can call. */
struct program {
    struct function **functions; /**< by index in the PTX module; NULL where not reachable */
    int function_count;
    const struct function *entry;
    int segment_count;                      /**< of all functions */
    uint32_t cache_count;                   /**< memory-accessing instructions of all functions */
    const struct ptx_instruction **sources; /**< of these, by their numbers */
    uint8_t *element_bytes;                 /**< of these: of the type that is accessed */
    _Atomic uint8_t *answers;               /**< of these: see check/cause.h */
    size_t shared_bytes;                    /**< static shared memory */
    uint32_t dynamic_shared;                /**< where dynamic shared memory starts */
    struct shared_variable *shared;
    int shared_count;
    unsigned shared_shift; /**< log2 of the smallest access to shared memory; 2 at most */
    size_t param_bytes;
    unsigned coordinates;  /**< reads %tid.x (bit 0), .y, .z, %ntid.x (3), ..., %ctaid.x (6), ... */
    bool has_grid_barrier; /**< asks for the address of a cooperative launch's barrier */
    bool has_calls;        /**< calls functions with a body */
    bool has_part_barriers;      /**< bar.arrive, barriers with a number of threads, flags in shared
                                    memory */
    bool has_cluster_barriers;   /**< barrier.cluster */
    bool has_pops;               /**< takes elements from lists (decoding/pops.c) */
    bool has_flags;              /**< may wait for what other threads write (decoding/flags.h) */
    bool reads_messages;         /**< has volatile or relaxed loads */
    bool may_recurse;            /**< or calls through addresses, whose targets are unknown */
    size_t stack_frame_bytes;    /**< register frames of the deepest chain of calls */
    size_t stack_local_bytes;    /**< a thread's local bytes in the deepest chain of calls */
    size_t declared_local_bytes; /**< of these, what the PTX declares: arrays, printf's buffers */
    bool is_decoded;
    uint64_t targets; /**< what it may write (check/global_targets.c); 0: not known yet */
    enum {
        PROGRAM_WAITS_UNKNOWN,
        PROGRAM_WAITS,
        PROGRAM_NEVER_WAITS
    } waits;                   /**< whether a block may wait for others (launch/turn.h) */
    struct counting *counting; /**< NULL until counters are first wanted (counting/count.h) */
    struct ptx_arena *arena;
};

/** A loaded module and what was made of it. */
struct sim_module {
    char *text; /**< what the bodies of kernels are parsed from that are not launched yet */
    struct ptx_module *ptx;
    uint64_t *addresses; /**< of each module variable; 0 for shared ones */
    struct sim_kernel *kernels;
    int kernel_count;
    size_t constant_bytes;
    pthread_mutex_t decoding; /**< held while a kernel is decoded */
};

/** A kernel of a module, ready to be launched. */
struct sim_kernel {
    struct sim_module *module;
    const struct ptx_function *ptx;
    size_t *param_sizes;
    char *title;                /**< demangled name */
    struct program *program;    /**< laid out when first asked for, decoded when first launched */
    struct sim_outcome refusal; /**< why it could not be decoded; SIM_OK: it could */
    _Atomic(struct worker *) idle; /**< a worker kept for the next launch */
};

#endif
