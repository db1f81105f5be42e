/**
 * @file step.h
 * @brief The contract between a kernel file and the harness: variants, and the line that exports
 * them.
 *
 * A kernel file includes the header of its problem, `families/NAME.h`, which includes this one. Of
 * the lab's other files it may include semirings.h, wrappers of PTX instructions, `ptx/NAME.h`, and
 * what earlier steps have taught, `tile/NAME.h`. It defines its kernels (`static __global__`), one
 * host function per variant that launches them, and ends in the line that exports the variants:
 *
 *     LAB_EXPORT(gemm, {"coalesced", launch}, ...);
 *
 * A launch function enqueues work on the given stream and returns the launch status. It does not
 * allocate, synchronise, time, print or exit. It uses no other stream, but for those that its
 * problem may bring.
 */
#ifndef LAB_STEP_H
#define LAB_STEP_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdio.h> // a kernel may print, to be looked at

#ifdef __cplusplus
extern "C" {
#endif

/** Version of this contract; a shared object built for another one is refused. */
#define LAB_ABI 5

/** Largest size of any dimension: rounded up to a tile of up to 1024, it still fits an int. */
#define LAB_SIZE_MAX (0x7FFFFFFF - 1023)

/** What a variant says of itself; 0 for most. The low bits mean the same in every family. */
enum lab_variant_flags {
    LAB_REPEATABLE = 1, /**< promises the same bits in every run, and is held to it */
    /** Adds floats atomically, and has a form that does not, for problems that ask for it. */
    LAB_ADDS_ATOMICALLY = 2,
    /** What it enqueues is captured in a CUDA graph before timing starts, and the graph is timed:
     * nothing may depend on the contents of an array. */
    LAB_GRAPH = 4,
    LAB_SHOWS_ERROR = 8, /**< of a step about accuracy, whose table has a column of errors */
    /** Cuts what it multiplies to TF32, to show what that costs: it is held to the tolerance of
     * such products. Of no effect in an exercise. */
    LAB_CUTS_TO_TF32 = 16,
    LAB_TENSOR_DOUBLES = 32, /**< multiplies doubles on tensor cores: what it reaches is relative
                                to their peak */
    LAB_OWN_FLAG = 256,      /**< this flag and those above it mean what the family's header says */
};

/** Enqueues the work of a variant; returns the launch status (usually cudaGetLastError()).
 * `problem` points to the struct of the variant's family. */
typedef cudaError_t lab_launch(const void *problem, cudaStream_t stream);

/** Bytes of scratch memory that a variant needs for this problem. */
typedef size_t lab_workspace(const void *problem);

/** A way to solve the family's problem, with a row in the result table. The harness uses this type
 * for struct lab_NAME_variant of any family. */
struct lab_variant {
    const char *name;         /**< lower case, words joined by `_`; unique in the step */
    lab_launch *launch;       /**< never NULL */
    lab_workspace *workspace; /**< NULL: none needed */
    unsigned flags;           /**< enum lab_variant_flags */
};

/** What a kernel file exports. */
struct lab_step {
    int abi;                            /**< LAB_ABI */
    const char *family;                 /**< the name of its problem */
    size_t problem_bytes;               /**< of that problem's struct, as the file was compiled */
    int variant_count;                  /**< at least 1 */
    const struct lab_variant *variants; /**< the last one is compared with other steps */
};

/** An attribute of the current device, such as cudaDevAttrMultiProcessorCount; 0: unknown. */
__attribute__((unused)) static inline int lab_device_attribute(enum cudaDeviceAttr what)
{
    int device = 0, value = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
                   cudaDeviceGetAttribute(&value, what, device) == cudaSuccess
               ? value
               : 0;
}

/** Name of the exported symbol, of type `struct lab_step`. Where several kernel files become one
 * object, each has a LAB_STEP_NAME of its own, and `--source OBJECT.so:NAME` chooses one. */
#define LAB_STEP_SYMBOL "lab_step"
#ifndef LAB_STEP_NAME
#define LAB_STEP_NAME lab_step
#endif

/**
 * Last line of a family's header: problems of the family `name` are described by `type`. Makes
 * struct lab_NAME_variant, which is struct lab_variant with the family's own type in place of void,
 * so that a launch function of another family does not compile.
 */
#define LAB_FAMILY(name, type)                                                                     \
    typedef type lab_##name##_problem;                                                             \
    typedef cudaError_t lab_##name##_launch(const type *problem, cudaStream_t stream);             \
    typedef size_t lab_##name##_workspace(const type *problem);                                    \
    struct lab_##name##_variant {                                                                  \
        const char *name;                                                                          \
        lab_##name##_launch *launch;                                                               \
        lab_##name##_workspace *workspace;                                                         \
        unsigned flags;                                                                            \
    }

#ifdef __cplusplus
}

/** Last line of a kernel file: the family, then its variants, {"name", launch, workspace, flags}
 *  each; what is not needed at the end of a variant may be left out. */
#define LAB_EXPORT(family, ...)                                                                    \
    static const struct lab_##family##_variant lab_variants[] = {__VA_ARGS__};                     \
    extern "C" __attribute__((visibility("default")))                                              \
    const struct lab_step LAB_STEP_NAME = {LAB_ABI, #family, sizeof(lab_##family##_problem),       \
                                           (int)(sizeof lab_variants / sizeof lab_variants[0]),    \
                                           (const struct lab_variant *)(lab_variants)}
#endif

#endif
