/**
 * @file texture.h
 * @brief What texture objects and surface objects stand for. The runtime makes them, and the
 * instructions of textures and surfaces find them by their handles.
 */
#ifndef SIM_MEMORY_TEXTURE_H
#define SIM_MEMORY_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

/** How integers outside a texture are treated, with the numbers of cudaTextureAddressMode. */
enum texture_address_mode { TEXTURE_WRAP, TEXTURE_CLAMP, TEXTURE_MIRROR, TEXTURE_BORDER };

/** What a channel of a texel holds, with the numbers of cudaChannelFormatKind. */
enum texture_kind { TEXTURE_SIGNED, TEXTURE_UNSIGNED, TEXTURE_FLOAT };

/** Texel (x, y, z) of layer l is at address + ((l * size[1] + y) * pitch) + x * texel_bytes; z
 *  counts like l. */
struct sim_texture {
    bool is_surface;
    uint64_t address;
    uint64_t serial;  /**< of the allocation there: another one has another */
    uint64_t pitch;   /**< bytes from row to row */
    uint32_t size[3]; /**< in texels; 1 in dimensions that it does not have */
    uint32_t layers;  /**< 0: it is not layered */
    bool is_cube;     /**< six faces for each layer: "layers" that a direction chooses among */
    uint8_t rank;
    uint8_t channels, texel_bytes;
    enum texture_kind kind;
    /* Of a texture: */
    bool is_linear;          /**< plain memory, which only tex1Dfetch() reads */
    bool gives_fractions;    /**< integers of 8 and 16 bits become floats in [0, 1] or [-1, 1] */
    bool has_normalized;     /**< coordinates go from 0 to 1 */
    bool filters;            /**< linearly, between texels */
    uint8_t address_mode[3]; /**< by dimension: enum texture_address_mode */
    uint32_t border[4];      /**< bits of the channels outside, with TEXTURE_BORDER */
};

/** The handle of a new object; 0: memory has run out. The object must stay until it is removed. */
uint64_t sim_texture_add(const struct sim_texture *texture);

/** The object of a handle; NULL: there is none, or it was removed. */
const struct sim_texture *sim_texture_find(uint64_t handle);

/** From now on the handle names nothing; it is not given again. */
void sim_texture_remove(uint64_t handle);

#endif
