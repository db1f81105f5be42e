/* Elements of matrices of any real type, as doubles, which hold all of them exactly. */
#include "handle.h"
#include "sim/arithmetic/rounding.h"

#include <math.h>
#include <string.h>

size_t sim_element_bytes(cudaDataType type)
{
    switch (type) {
    case CUDA_R_8I:
    case CUDA_R_8F_E4M3:
    case CUDA_R_8F_E5M2:
        return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return 2;
    case CUDA_R_32F:
    case CUDA_R_32I:
        return 4;
    case CUDA_R_64F:
        return 8;
    default:
        return 0;
    }
}

double sim_element_value(const void *from, int64_t i, cudaDataType type)
{
    const char *const at = (const char *)from + i * (int64_t)sim_element_bytes(type);
    union {
        int8_t i8;
        uint8_t u8;
        uint16_t half;
        int32_t i32;
        float f32;
        double f64;
    } bits;
    memcpy(&bits, at, sim_element_bytes(type));
    switch (type) {
    case CUDA_R_8I:
        return bits.i8;
    case CUDA_R_8F_E4M3:
    case CUDA_R_8F_E5M2:
        return sim_half_value(sim_half_of_float8(bits.u8, type == CUDA_R_8F_E5M2), false);
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return sim_half_value(bits.half, type == CUDA_R_16BF);
    case CUDA_R_32I:
        return bits.i32;
    case CUDA_R_64F:
        return bits.f64;
    default:
        return bits.f32;
    }
}

/* The bits of a value that is rounded to 8 or 16 bits; integers of 32 bits wrap, as on a GPU: they
 * are below 2^53 in size. */
static uint32_t bits_of(double value, cudaDataType type)
{
    switch (type) {
    case CUDA_R_8I:
        return (uint32_t)(int32_t)rint(fmin(fmax(value, -128), 127)) & 0xff;
    case CUDA_R_8F_E4M3:
    case CUDA_R_8F_E5M2:
        return sim_float8_bits(value, type == CUDA_R_8F_E5M2);
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return sim_half_bits(value, type == CUDA_R_16BF);
    default:
        return (uint32_t)(uint64_t)(int64_t)value;
    }
}

void sim_element_put(void *to, int64_t i, cudaDataType type, double value)
{
    char *const at = (char *)to + i * (int64_t)sim_element_bytes(type);
    if (type == CUDA_R_64F) {
        memcpy(at, &value, sizeof value);
    } else if (type == CUDA_R_32F) {
        const float single = (float)value;
        memcpy(at, &single, sizeof single);
    } else {
        const uint32_t bits = bits_of(value, type);
        memcpy(at, &bits, sim_element_bytes(type)); /* little-endian: the low bytes */
    }
}
