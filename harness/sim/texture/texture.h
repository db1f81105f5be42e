/**
 * @file texture.h
 * @brief Textures and surfaces: the tables of their instructions, and what these share.
 *
 * A texture object says where texels lie and how they are read (memory/texture.h). An instruction
 * names it by a handle of 64 bits, as all programs since CUDA 12 do.
 */
#ifndef SIM_TEXTURE_TEXTURE_H
#define SIM_TEXTURE_TEXTURE_H

#include "sim/decoding/decode.h"
#include "sim/machine/lanes.h"
#include "sim/memory/texture.h"

extern const struct family sim_texture_families[], sim_surface_families[];

enum { TEXTURE_RANKS = 3, CHANNELS = 4 };

/** The operand [handle, {layer, x, y, z}], as decoded: slots. */
struct texel_operand {
    int rank; /**< of the coordinates: 3 for a cube map, whose faces have two */
    bool is_layered;
    bool is_cube; /**< the coordinates are a direction */
    int32_t handle, layer, coordinates[TEXTURE_RANKS];
};

/** Reads a part such as "a2d" (two dimensions and layers) or "cube"; false if it names no such
 * geometry. */
bool sim_read_geometry(const char *part, struct texel_operand *operand);

/** Reads operand `index`; its geometry must have been read. */
void sim_read_texel_operand(struct decoder *decoder, const struct ptx_instruction *source,
                            int index, struct texel_operand *operand);

/** The object that a lane's handle names. Faults unless it is a texture, or a surface, that has the
 *  geometry and whose memory is still there. */
const struct sim_texture *sim_texture_of(struct warp *warp, const struct instruction *at,
                                         unsigned lane, const struct texel_operand *operand,
                                         bool is_surface);

/** The address of byte x of a row; z: or a layer. */
static inline uint64_t sim_texel_address(const struct sim_texture *texture, uint64_t x_bytes,
                                         uint64_t y, uint64_t z)
{
    return texture->address + (z * texture->size[1] + y) * texture->pitch + x_bytes;
}

#endif
