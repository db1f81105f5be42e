/**
 * @file semirings.h
 * @brief What a product of matrices adds and multiplies with: a struct type for each pair of
 *        operations and type of elements, which a kernel takes as the parameter of its template.
 *
 * Most of these types have the following members:
 *
 *  - `element`: what a matrix in memory holds; `word`: what is computed with;
 *  - `PER_WORD`: how many neighbours of a row a word holds;
 *  - `zero`: no path; the neutral element of add(). Multiplied by anything it is never better than
 *    no path, except in min_plus_s32_signed: see there;
 *  - `add(x, y)` and `multiply(x, y)`; `multiply_add(sum, x, y)`, the two together, perhaps in one
 *    instruction;
 *  - `ADDS_THREE`: there is `add3(x, y, z)`, one instruction for two additions;
 *  - `better(x, y)`: add(x, y) is x, and not y. Of two paths x is the one to keep;
 *  - `load(e)` and `store(w)`: an element to a word and back;
 *  - `load4(from)` and `store4(to, w)`: four words of a row, moved at once, as a `four`;
 *  - `spread4(from)`: four elements of a row, each in all places of a word. All neighbours in a
 *    word of one matrix are multiplied by the same element of the other;
 *  - `enter(e)` and `leave(e)`: from an element as the problem has it to one as kernels have it,
 *    and back; `CONVERTS` says that the two differ.
 *
 * A new pair of operations is a struct that takes its loads and stores from whole_words or widened,
 * A new pair of operations is a struct that takes its loads and stores from whole_words or widened,
 * and has `zero`, `better` and the three operations. A pair that `--semiring` asks for has a number
 * and a name here, too, and a line in harness/families/apsp/semirings.c. Addition is idempotent
 * except in plus_times: add(x, x) is x. Floyd-Warshall relies on that: it adds a path more than
 * once.
 */
#ifndef LAB_SEMIRINGS_H
#define LAB_SEMIRINGS_H

/** The pairs that a problem of family apsp may ask for. */
enum lab_apsp_semiring {
    LAB_APSP_MIN_PLUS, /**< shortest paths */
    LAB_APSP_MAX_PLUS, /**< longest paths, f32; -infinity: no path */
    LAB_APSP_OR_AND,   /**< whether there is a path, u16; 1: there is, 0: there is none */
    LAB_APSP_SEMIRINGS /**< how many there are */
};

/** Their names on the command line, in the same order. */
#define LAB_APSP_SEMIRING_WORDS "min-plus|max-plus|or-and"

#ifdef __CUDACC__
#include <cuda_runtime.h>

#include <limits.h>

/** Four words, moved at once. */
struct quad {
    alignas(16) unsigned v[4]; /**< neighbours in a row */
};

/** Elements of 32 bits, which are words as they are. */
struct whole_words {
    typedef unsigned element;                 /**< in a matrix */
    typedef unsigned word;                    /**< in a register */
    typedef struct quad four;                 /**< four words, moved at once */
    static constexpr int PER_WORD = 1;        /**< elements */
    static constexpr bool ADDS_THREE = false; /**< no add3() */
    static constexpr bool CONVERTS = false;   /**< enter() and leave() change nothing */
    /** An element as a word. */
    static __device__ __forceinline__ word load(element e)
    {
        return e;
    }
    /** A word as an element. */
    static __device__ __forceinline__ element store(word w)
    {
        return w;
    }
    /** Four words of a row. */
    static __device__ __forceinline__ struct quad load4(const element *from)
    {
        return *(const struct quad *)from;
    }
    /** Four elements of a row, each in all places of a word. */
    static __device__ __forceinline__ struct quad spread4(const element *from)
    {
        return load4(from);
    }
    /** Stores four words of a row. */
    static __device__ __forceinline__ void store4(element *to, const word *w)
    {
        *(struct quad *)to = {w[0], w[1], w[2], w[3]};
    }
    /** An element as kernels have it. */
    static __device__ __forceinline__ element enter(element e)
    {
        return e;
    }
    /** An element as the problem has it. */
    static __device__ __forceinline__ element leave(element e)
    {
        return e;
    }
};

/** Elements of 16 bits: half of the bytes in memory. To be computed with, each is widened to a
 * word. */
struct widened {
    typedef unsigned short element;           /**< in a matrix */
    typedef unsigned word;                    /**< in a register */
    typedef struct quad four;                 /**< four words, moved at once */
    static constexpr int PER_WORD = 1;        /**< elements */
    static constexpr bool ADDS_THREE = false; /**< no add3() */
    static constexpr bool CONVERTS = false;   /**< enter() and leave() change nothing */
    /** An element as a word. */
    static __device__ __forceinline__ word load(element e)
    {
        return e;
    }
    /** A word as an element. */
    static __device__ __forceinline__ element store(word w)
    {
        return w;
    }
    /** Four words of a row. */
    static __device__ __forceinline__ struct quad load4(const element *from)
    {
        const uint2 v = *(const uint2 *)from;
        return {v.x & 0xFFFF, v.x >> 16, v.y & 0xFFFF, v.y >> 16};
    }
    /** Four elements of a row, each in all places of a word. */
    static __device__ __forceinline__ struct quad spread4(const element *from)
    {
        return load4(from);
    }
    /** Stores four words of a row. */
    static __device__ __forceinline__ void store4(element *to, const word *w)
    {
        *(uint2 *)to = make_uint2(w[0] | w[1] << 16, w[2] | w[3] << 16);
    }
    /** An element as kernels have it. */
    static __device__ __forceinline__ element enter(element e)
    {
        return e;
    }
    /** An element as the problem has it. */
    static __device__ __forceinline__ element leave(element e)
    {
        return e;
    }
};

/** The usual product of matrices, of float or double, which all others are modelled on. No term is
 * better than another: a sum has all its terms, and each may be added only once. */
template <class REAL> struct plus_times {
    typedef REAL element;           /**< in a matrix */
    typedef REAL word;              /**< in a register */
    static constexpr word zero = 0; /**< added to anything it changes nothing */
    /** The sum. */
    static __device__ __forceinline__ word add(word x, word y)
    {
        return x + y;
    }
    /** The product. */
    static __device__ __forceinline__ word multiply(word x, word y)
    {
        return x * y;
    }
    /** The product and the sum, rounded once: one instruction, FFMA or DFMA. */
    static __device__ __forceinline__ word multiply_add(word sum, word x, word y)
    {
        return fma(x, y, sum);
    }
};

/** Shortest paths of floats, any weights. Words are bits of floats. */
struct min_plus_f32 : whole_words {
    static constexpr word zero = 0x7F800000; /**< +infinity: no less when anything is added to it */
    /** True when add(x, y) is x, and not y. */
    static __device__ __forceinline__ bool better(word x, word y)
    {
        return __uint_as_float(x) < __uint_as_float(y);
    }
    /** The lesser one. */
    static __device__ __forceinline__ word add(word x, word y)
    {
        return __float_as_uint(fminf(__uint_as_float(x), __uint_as_float(y)));
    }
    /** The length of x followed by y. */
    static __device__ __forceinline__ word multiply(word x, word y)
    {
        return __float_as_uint(__uint_as_float(x) + __uint_as_float(y));
    }
    /** Both operations: add(sum, multiply(x, y)). */
    static __device__ __forceinline__ word multiply_add(word sum, word x, word y)
    {
        return add(sum, multiply(x, y));
    }
};

/** The same where no weight is negative. Such floats have the order of their bits as integers. One
 * instruction for integers, VIMNMX3, finds the least of three; floats take two. */
struct min_plus_f32_bits : min_plus_f32 {
    static constexpr bool ADDS_THREE = true; /**< has add3() */
    /** The sum of three, one instruction. */
    static __device__ __forceinline__ word add3(word x, word y, word z)
    {
        return __vimin3_s32(x, y, z);
    }
};

/** Shortest paths of ints that are not negative. As an unsigned number, twice "no path" does not
 * overflow. The two operations together are one instruction, VIADDMNMX. */
struct min_plus_s32 : whole_words {
    static constexpr word zero = INT_MAX; /**< no less when anything is added to it */
    /** True when add(x, y) is x, and not y. */
    static __device__ __forceinline__ bool better(word x, word y)
    {
        return x < y;
    }
    /** The lesser one. */
    static __device__ __forceinline__ word add(word x, word y)
    {
        return min(x, y);
    }
    /** The length of x followed by y. */
    static __device__ __forceinline__ word multiply(word x, word y)
    {
        return x + y;
    }
    /** Both operations: add(sum, multiply(x, y)). */
    static __device__ __forceinline__ word multiply_add(word sum, word x, word y)
    {
        return __viaddmin_u32(x, y, sum);
    }
};

/** Shortest paths of any ints. Twice INT_MAX overflows, twice 2^30 - 1 does not, so 2^30 - 1 is "no
 * path" here. Negative lengths may lower it, so leave() takes 2^29 - 1 and more for no path.
 * Distances have to be below 2^29 - 1. */
struct min_plus_s32_signed : whole_words {
    static constexpr word zero = 0x3FFFFFFF; /**< in place of INT_MAX */
    static constexpr bool CONVERTS = true;   /**< INT_MAX to zero, and back */
    /** True when add(x, y) is x, and not y. */
    static __device__ __forceinline__ bool better(word x, word y)
    {
        return (int)x < (int)y;
    }
    /** The lesser one. */
    static __device__ __forceinline__ word add(word x, word y)
    {
        return min((int)x, (int)y);
    }
    /** The length of x followed by y. */
    static __device__ __forceinline__ word multiply(word x, word y)
    {
        return x + y;
    }
    /** Both operations: add(sum, multiply(x, y)). */
    static __device__ __forceinline__ word multiply_add(word sum, word x, word y)
    {
        return __viaddmin_s32(x, y, sum);
    }
    /** An element as kernels have it. */
    static __device__ __forceinline__ element enter(element e)
    {
        return e == INT_MAX ? zero : e;
    }
    /** An element as the problem has it. */
    static __device__ __forceinline__ element leave(element e)
    {
        return (int)e >= (int)zero / 2 ? INT_MAX : e; // negative arcs may have lowered it
    }
};

/** Shortest paths of unsigned shorts, widened: a word has room for a sum of two. */
struct min_plus_u16 : widened {
    static constexpr word zero = 0xFFFF; /**< no less when anything is added to it */
    /** True when add(x, y) is x, and not y. */
    static __device__ __forceinline__ bool better(word x, word y)
    {
        return x < y;
    }
    /** The lesser one. */
    static __device__ __forceinline__ word add(word x, word y)
    {
        return min(x, y);
    }
    /** The length of x followed by y. */
    static __device__ __forceinline__ word multiply(word x, word y)
    {
        return x + y;
    }
    /** Both operations: add(sum, multiply(x, y)). */
    static __device__ __forceinline__ word multiply_add(word sum, word x, word y)
    {
        return __viaddmin_u32(x, y, sum);
    }
};

/** Longest paths of floats, any weights. */
struct max_plus_f32 : whole_words {
    static constexpr word zero = 0xFF800000; /**< -infinity: no greater when one adds to it */
    /** True when add(x, y) is x, and not y. */
    static __device__ __forceinline__ bool better(word x, word y)
    {
        return __uint_as_float(x) > __uint_as_float(y);
    }
    /** The greater one. */
    static __device__ __forceinline__ word add(word x, word y)
    {
        return __float_as_uint(fmaxf(__uint_as_float(x), __uint_as_float(y)));
    }
    /** The length of x followed by y. */
    static __device__ __forceinline__ word multiply(word x, word y)
    {
        return __float_as_uint(__uint_as_float(x) + __uint_as_float(y));
    }
    /** Both operations: add(sum, multiply(x, y)). */
    static __device__ __forceinline__ word multiply_add(word sum, word x, word y)
    {
        return add(sum, multiply(x, y));
    }
};

/** The same where no weight is negative: compared as ints, -infinity is less than any of them. */
struct max_plus_f32_bits : max_plus_f32 {
    static constexpr bool ADDS_THREE = true; /**< has add3() */
    /** The sum of three, one instruction. */
    static __device__ __forceinline__ word add3(word x, word y, word z)
    {
        return __vimax3_s32(x, y, z);
    }
};

/** Whether there is a path, 1 or 0. The two operations together are one instruction, LOP3. */
struct or_and_u16 : widened {
    static constexpr word zero = 0; /**< no path */
    /** True when add(x, y) is x, and not y. */
    static __device__ __forceinline__ bool better(word x, word y)
    {
        return x > y;
    }
    /** 1 where x or y is 1. */
    static __device__ __forceinline__ word add(word x, word y)
    {
        return x | y;
    }
    /** 1 where x and y are 1. */
    static __device__ __forceinline__ word multiply(word x, word y)
    {
        return x & y;
    }
    /** Both operations: add(sum, multiply(x, y)). */
    static __device__ __forceinline__ word multiply_add(word sum, word x, word y)
    {
        return sum | (x & y);
    }
};

/** Shortest paths of unsigned shorts, two in a word. One instruction, VIADDMNMX.U16x2, does the two
 * operations on both elements. The sum of two lengths below 2^14 is below "no path", 2^15 - 1;
 * kernels have to keep lengths below 2^14. In memory "no path" stays 65535. */
struct min_plus_u16_pair : widened {
    static constexpr int PER_WORD = 2;       /**< elements */
    static constexpr word zero = 0x7FFF7FFF; /**< 2^15 - 1 twice; a place has room for its double */
    /** The lesser one. */
    static __device__ __forceinline__ word add(word x, word y)
    {
        return __vminu2(x, y);
    }
    /** The length of x followed by y. */
    static __device__ __forceinline__ word multiply(word x, word y)
    {
        return __vadd2(x, y);
    }
    /** Both operations: add(sum, multiply(x, y)). */
    static __device__ __forceinline__ word multiply_add(word sum, word x, word y)
    {
        return __viaddmin_u16x2(x, y, sum);
    }
    /** Four elements of a row, each in all places of a word. */
    static __device__ __forceinline__ struct quad spread4(const element *from)
    {
        uint2 v = *(const uint2 *)from;
        v = make_uint2(__vminu2(v.x, zero), __vminu2(v.y, zero));
        return {__byte_perm(v.x, 0, 0x1010), __byte_perm(v.x, 0, 0x3232),
                __byte_perm(v.y, 0, 0x1010), __byte_perm(v.y, 0, 0x3232)};
    }
    /** Four words of a row. */
    static __device__ __forceinline__ struct quad load4(const element *from)
    {
        const uint4 v = *(const uint4 *)from;
        return {__vminu2(v.x, zero), __vminu2(v.y, zero), __vminu2(v.z, zero), __vminu2(v.w, zero)};
    }
    /** An element that has reached 2^15 - 1 is no path: it becomes all ones. */
    static __device__ __forceinline__ word ends(word w)
    {
        return w | __vcmpeq2(w, zero);
    }
    /** Stores four words of a row. */
    static __device__ __forceinline__ void store4(element *to, const word *w)
    {
        *(uint4 *)to = make_uint4(ends(w[0]), ends(w[1]), ends(w[2]), ends(w[3]));
    }
};

/** 32 truth values in a word, the first in the lowest bit. Matrices hold such words. Kernels of
 * their own pack the problem's matrices and unpack them. */
struct or_and_bits : whole_words {
    static constexpr int PER_WORD = 32; /**< elements */
    static constexpr word zero = 0;     /**< no paths */
    /** Or, of 32. */
    static __device__ __forceinline__ word add(word x, word y)
    {
        return x | y;
    }
    /** And, of 32. */
    static __device__ __forceinline__ word multiply(word x, word y)
    {
        return x & y;
    }
    /** Both operations: add(sum, multiply(x, y)). */
    static __device__ __forceinline__ word multiply_add(word sum, word x, word y)
    {
        return sum | (x & y);
    }
    /** Elements k to k + 3 of a row: all bits of a word where there is a path, else none. */
    static __device__ __forceinline__ struct quad spread4(const word *row, int k)
    {
        const word bits = row[k / 32] >> k % 32; // all four in one word: k is a multiple of 4
        return {0 - (bits & 1), 0 - (bits >> 1 & 1), 0 - (bits >> 2 & 1), 0 - (bits >> 3 & 1)};
    }
};

/** Shortest paths with lengths as in S and their numbers of arcs: the length is the upper half of a
 * word, the number the lower. Arcs decide between paths of the same length: else arcs of weight 0
 * could lead back and forth. A kernel keeps the last vertex passed beside it. */
template <class S> struct counted {
    typedef typename S::element element;              /**< in a matrix of the problem: a length */
    typedef unsigned long long word;                  /**< a length and a number of arcs */
    typedef typename S::word length_word;             /**< the upper half */
    static constexpr int PER_WORD = 1;                /**< elements */
    static constexpr bool ADDS_THREE = false;         /**< no add3() */
    static constexpr word zero = (word)S::zero << 32; /**< no path, of no arcs */
    /** Four words, moved at once. */
    struct four {
        alignas(16) word v[4]; /**< neighbours in a row */
    };
    /** Four words of a row. */
    static __device__ __forceinline__ four load4(const word *from)
    {
        return *(const four *)from;
    }
    /** The same: a word has one element. */
    static __device__ __forceinline__ four spread4(const word *from)
    {
        return load4(from);
    }
    /** True when add(x, y) is x, and not y. */
    static __device__ __forceinline__ bool better(word x, word y)
    {
        const length_word x_length = x >> 32, y_length = y >> 32;
        const bool is_better = S::better(x_length, y_length),
                   is_worse = S::better(y_length, x_length);
        return is_better | (!is_worse & ((unsigned)x < (unsigned)y)); // no branches
    }
    /** The better of the two paths. */
    static __device__ __forceinline__ word add(word x, word y)
    {
        return better(y, x) ? y : x;
    }
    /** x followed by y: lengths and arcs are added. */
    static __device__ __forceinline__ word multiply(word x, word y)
    {
        const length_word length = S::multiply((unsigned)(x >> 32), (unsigned)(y >> 32));
        return (word)length << 32 | ((unsigned)x + (unsigned)y);
    }
    /** An element as kernels have it. */
    static __device__ __forceinline__ word enter(element e, bool is_arc)
    {
        const length_word length = S::load(S::enter(e));
        return (word)length << 32 | (is_arc && length != S::zero);
    }
    /** An element as the problem has it. */
    static __device__ __forceinline__ element leave(word w)
    {
        return S::leave(S::store(w >> 32));
    }
};

#endif // __CUDACC__

#endif
