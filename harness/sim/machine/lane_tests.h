/**
 * @file lane_tests.h
 * @brief Questions about all 32 addresses of a warp at once, and reads of words from these places.
 *
 * These tests precede every access to memory. With AVX-512 each test is a comparison into a mask
 * register, which is many times faster than a reduction. Other machines use plain loops.
 */
#ifndef SIM_MACHINE_LANE_TESTS_H
#define SIM_MACHINE_LANE_TESTS_H

#include "program.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

/** Whether some value[i] is not first + i * step. */
ALWAYS_INLINE bool lanes_differ32(const uint32_t *value, uint32_t first, uint32_t step)
{
#ifdef __AVX512F__
    const __m512i numbers = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i steps = _mm512_mullo_epi32(numbers, _mm512_set1_epi32((int)step));
    const __m512i low = _mm512_add_epi32(steps, _mm512_set1_epi32((int)first));
    const __m512i high = _mm512_add_epi32(steps, _mm512_set1_epi32((int)(first + 16 * step)));
    return (_mm512_cmpneq_epi32_mask(_mm512_loadu_si512(value), low) |
            _mm512_cmpneq_epi32_mask(_mm512_loadu_si512(value + 16), high)) != 0;
#else
    uint32_t differ = 0;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        differ |= value[lane] ^ (first + lane * step);
    return differ != 0;
#endif
}

/** As lanes_differ32(), for 16 values. */
ALWAYS_INLINE bool halves_differ32(const uint32_t *value, uint32_t first, uint32_t step)
{
#ifdef __AVX512F__
    const __m512i numbers = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i steps = _mm512_mullo_epi32(numbers, _mm512_set1_epi32((int)step));
    const __m512i expected = _mm512_add_epi32(steps, _mm512_set1_epi32((int)first));
    return _mm512_cmpneq_epi32_mask(_mm512_loadu_si512(value), expected) != 0;
#else
    uint32_t differ = 0;
    for (uint32_t lane = 0; lane < WARP_LANES / 2; lane++)
        differ |= value[lane] ^ (first + lane * step);
    return differ != 0;
#endif
}

/** Lanes of `rest` with the same value as its first lane: all of these lanes with AVX-512, else
 *  only those that follow without a gap. */
ALWAYS_INLINE uint32_t lanes_like_first32(const uint32_t *value, uint32_t rest)
{
    const int first = __builtin_ctz(rest);
#ifdef __AVX512F__
    const __m512i wanted = _mm512_set1_epi32((int)value[first]);
    const uint32_t low = _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(value), wanted);
    const uint32_t high = _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(value + 16), wanted);
    return (low | high << 16) & rest;
#else
    uint32_t same = UINT32_C(1) << first;
    for (int lane = first + 1; lane < WARP_LANES && value[lane] == value[first]; lane++)
        same |= UINT32_C(1) << lane;
    return same & rest;
#endif
}

/** Whether each value is at least `bytes` above the one before, and less than 2^30 more: a value
 * that wraps is below. */
ALWAYS_INLINE bool lanes_ascend32(const uint32_t *value, uint32_t bytes)
{
    uint32_t fails = 0;
    for (int lane = 0; lane + 1 < WARP_LANES; lane++)
        fails |= value[lane + 1] - value[lane] - bytes >= UINT32_C(1) << 30 ? 1u : 0;
    return fails == 0;
}

ALWAYS_INLINE bool lanes_ascend64(const uint64_t *value, uint64_t bytes)
{
    uint64_t fails = 0;
    for (int lane = 0; lane + 1 < WARP_LANES; lane++)
        fails |= value[lane + 1] - value[lane] - bytes >= UINT64_C(1) << 50 ? 1u : 0;
    return fails == 0;
}

ALWAYS_INLINE bool lanes_differ64(const uint64_t *value, uint64_t first, uint64_t step)
{
#ifdef __AVX512F__
    const __m512i numbers = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i eight = _mm512_set1_epi64((long long)(8 * step));
    __m512i expected =
        _mm512_add_epi64(_mm512_mul_epu32(numbers, _mm512_set1_epi64((long long)step)),
                         _mm512_set1_epi64((long long)first));
    unsigned differ = 0;
    for (int part = 0; part < 4; part++) {
        differ |= _mm512_cmpneq_epi64_mask(_mm512_loadu_si512(value + 8 * part), expected);
        expected = _mm512_add_epi64(expected, eight);
    }
    return differ != 0;
#else
    uint64_t differ = 0;
    for (uint64_t lane = 0; lane < WARP_LANES; lane++)
        differ |= value[lane] ^ (first + lane * step);
    return differ != 0;
#endif
}

/** Whether some value[i] is above `limit` or not a multiple of `bytes`, a power of two. */
ALWAYS_INLINE bool lanes_misplaced32(const uint32_t *value, uint32_t limit, uint32_t bytes)
{
#ifdef __AVX512F__
    const __m512i low = _mm512_loadu_si512(value), high = _mm512_loadu_si512(value + 16);
    const __m512i most = _mm512_set1_epi32((int)limit);
    return (_mm512_cmpgt_epu32_mask(low, most) | _mm512_cmpgt_epu32_mask(high, most) |
            _mm512_test_epi32_mask(_mm512_or_si512(low, high),
                                   _mm512_set1_epi32((int)bytes - 1))) != 0;
#else
    uint32_t above = 0, all = 0;
    for (int lane = 0; lane < WARP_LANES; lane++) {
        above |= value[lane] > limit;
        all |= value[lane];
    }
    return above || (all & (bytes - 1)) != 0;
#endif
}

/** Whether some value[i] + offset is below `first`, above first + limit, or not a multiple of
 *  `bytes`, a power of two. */
ALWAYS_INLINE bool lanes_misplaced64(const uint64_t *value, uint64_t offset, uint64_t first,
                                     uint64_t limit, uint64_t bytes)
{
#ifdef __AVX512F__
    const __m512i plus = _mm512_set1_epi64((long long)offset);
    const __m512i low = _mm512_set1_epi64((long long)first);
    const __m512i most = _mm512_set1_epi64((long long)limit);
    const __m512i fraction = _mm512_set1_epi64((long long)(bytes - 1));
    unsigned misplaced = 0;
    for (int part = 0; part < 4; part++) {
        const __m512i address = _mm512_add_epi64(_mm512_loadu_si512(value + 8 * part), plus);
        misplaced |= _mm512_cmpgt_epu64_mask(_mm512_sub_epi64(address, low), most) |
                     _mm512_test_epi64_mask(address, fraction);
    }
    return misplaced != 0;
#else
    uint64_t above = 0, all = 0;
    for (int lane = 0; lane < WARP_LANES; lane++) {
        const uint64_t address = value[lane] + offset;
        above |= address - first > limit;
        all |= address;
    }
    return above || (all & (bytes - 1)) != 0;
#endif
}

/** The bits of `mask` that are set in some value[i] + offset. */
ALWAYS_INLINE uint64_t lanes_bits64(const uint64_t *value, uint64_t offset, uint64_t mask)
{
    uint64_t all = 0;
#ifdef __AVX512F__
    const __m512i plus = _mm512_set1_epi64((long long)offset);
    __m512i bits = _mm512_setzero_si512();
    for (int part = 0; part < 4; part++)
        bits = _mm512_or_si512(bits, _mm512_add_epi64(_mm512_loadu_si512(value + 8 * part), plus));
    if (!_mm512_test_epi64_mask(bits, _mm512_set1_epi64((long long)mask)))
        return 0;
#endif
    for (int lane = 0; lane < WARP_LANES; lane++)
        all |= value[lane] + offset;
    return all & mask;
}

/** Whether some of `count` words has all bits of `mask`. */
ALWAYS_INLINE bool words_have32(const uint32_t *word, unsigned count, uint32_t mask)
{
    uint32_t any = 0;
#ifdef __AVX512F__
    const __m512i wanted = _mm512_set1_epi32((int)mask);
    for (; count >= 16; count -= 16, word += 16)
        any |= _mm512_cmpeq_epi32_mask(_mm512_and_si512(_mm512_loadu_si512(word), wanted), wanted);
#endif
    _Pragma("GCC ivdep") for (unsigned i = 0; i < count; i++) any |=
        (word[i] & mask) == mask ? UINT32_C(1) : 0;
    return any != 0;
}

/** slot[i] = the word at base + offset[i]. */
ALWAYS_INLINE void gather_words(uint32_t *slot, const char *base, const uint32_t *offset)
{
#ifdef __AVX512F__
    /* Offsets are below 2^31, so that their sign does not matter. */
    _mm512_storeu_si512(slot, _mm512_i32gather_epi32(_mm512_loadu_si512(offset), base, 1));
    _mm512_storeu_si512(slot + 16,
                        _mm512_i32gather_epi32(_mm512_loadu_si512(offset + 16), base, 1));
#else
    for (int lane = 0; lane < WARP_LANES; lane++)
        slot[lane] = *(const uint32_t *)(base + offset[lane]);
#endif
}

/** slot[i] = the word at host address address[i] + bias; `slot` and `address` must not overlap. */
ALWAYS_INLINE void gather_words64(uint32_t *slot, const uint64_t *address, uint64_t bias)
{
#ifdef __AVX512F__
    const __m512i plus = _mm512_set1_epi64((long long)bias);
    for (int part = 0; part < 4; part++) {
        const __m512i place = _mm512_add_epi64(_mm512_loadu_si512(address + 8 * part), plus);
        _mm256_storeu_si256((__m256i *)(slot + 8 * part), _mm512_i64gather_epi32(place, NULL, 1));
    }
#else
    for (int lane = 0; lane < WARP_LANES; lane++)
        slot[lane] = *(const uint32_t *)(uintptr_t)(address[lane] + bias);
#endif
}

/** slot[i] = the word at base + i * stride. */
ALWAYS_INLINE void spread_words(uint32_t *slot, const char *base, unsigned stride)
{
#ifdef __AVX512F__
    const __m512i numbers = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i offsets = _mm512_mullo_epi32(numbers, _mm512_set1_epi32((int)stride));
    _mm512_storeu_si512(slot, _mm512_i32gather_epi32(offsets, base, 1));
    _mm512_storeu_si512(slot + 16, _mm512_i32gather_epi32(offsets, base + 16 * stride, 1));
#else
    for (unsigned lane = 0; lane < WARP_LANES; lane++)
        slot[lane] = *(const uint32_t *)(base + lane * stride);
#endif
}

#endif
