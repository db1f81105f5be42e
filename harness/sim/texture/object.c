/* The operand [handle, {coordinates}] of the instructions of textures and surfaces: how it is
 * decoded, and the object that a handle names. */
#include "texture.h"

#include "sim/access/access.h"
#include "sim/memory/memory.h"

#include <inttypes.h>
#include <stdio.h>

bool sim_read_geometry(const char *part, struct texel_operand *operand)
{
    operand->is_layered = part[0] == 'a';
    part += operand->is_layered;
    operand->is_cube = strcmp(part, "cube") == 0;
    if (operand->is_cube) {
        operand->rank = TEXTURE_RANKS;
        return true;
    }
    operand->rank = part[0] - '0';
    return operand->rank >= 1 && operand->rank <= (operand->is_layered ? 2 : TEXTURE_RANKS) &&
           strcmp(part + 1, "d") == 0;
}

/* Lists of three have a fourth element, which is ignored. */
void sim_read_texel_operand(struct decoder *decoder, const struct ptx_instruction *source,
                            int index, struct texel_operand *operand)
{
    enum ptx_space space = PTX_GLOBAL;
    const struct where where = sim_read_address(decoder, source, &space, index);
    const struct ptx_operand *const address = sim_operand(decoder, source, index);
    if (where.is_fixed || !where.is_wide || address->reg < 0 || where.offset)
        sim_refuse(decoder, source, "%s needs the handle of a texture object or a surface object",
                   source->opcode);
    if (address->element_count != 1)
        sim_refuse_opcode(decoder, source); /* a sampler of its own, which no runtime call makes */
    const struct ptx_operand *list = address->elements;
    const int count = operand->is_layered + operand->rank;
    const bool is_list = list->kind == PTX_OPERAND_VECTOR;
    if ((is_list ? list->element_count : 1) != (count == 3 ? 4 : count))
        sim_refuse(decoder, source, "%s needs %d coordinates", source->opcode, count);
    if (is_list)
        list = list->elements;
    operand->handle = where.slot;
    if (operand->is_layered)
        operand->layer = sim_source_slot(decoder, source, list++, 'w');
    for (int d = 0; d < operand->rank; d++)
        operand->coordinates[d] = sim_source_slot(decoder, source, &list[d], 'w');
}

static void describe(const struct sim_texture *texture, char *text, size_t size)
{
    if (texture->is_linear)
        snprintf(text, size, "linear memory");
    else
        snprintf(text, size, "%s%s%u dimension%s (%u x %u x %u texels)",
                 texture->layers ? "layers of " : "", texture->is_cube ? "cube maps of " : "",
                 texture->rank, texture->rank > 1 ? "s" : "", texture->size[0], texture->size[1],
                 texture->layers ? texture->layers : texture->size[2]);
}

/* A texture of one row has one dimension or two, as one likes. */
static bool fits(const struct sim_texture *texture, const struct texel_operand *operand)
{
    const bool is_row = texture->rank < 3 && texture->size[1] == 1 && operand->rank < 3;
    if (texture->is_cube != operand->is_cube)
        return false;
    return (texture->rank == operand->rank || is_row || operand->is_cube) &&
           (texture->layers > 0) == operand->is_layered;
}

const struct sim_texture *sim_texture_of(struct warp *warp, const struct instruction *at,
                                         unsigned lane, const struct texel_operand *operand,
                                         bool is_surface)
{
    const char *const opcode = sim_source(warp, at)->opcode;
    const uint64_t handle = ((const uint64_t *)sim_slot(warp, operand->handle))[lane];
    const struct sim_texture *const texture = sim_texture_find(handle);
    if (!texture || texture->is_surface != is_surface)
        sim_fault(warp, at, (int)lane, SIM_OUT_OF_BOUNDS, handle,
                  "%s: its handle, %" PRIu64 ", is that of no %s object%s", opcode, handle,
                  is_surface ? "surface" : "texture",
                  !texture     ? ": cudaCreate...Object() has not made it, or it was destroyed"
                  : is_surface ? ", but of a texture object"
                               : ", but of a surface object");
    const struct sim_allocation *const memory = sim_memory_find(texture->address);
    if (!memory || memory->serial != texture->serial)
        sim_fault(warp, at, (int)lane, SIM_OUT_OF_BOUNDS, texture->address,
                  "%s: the memory of the %s object was freed before the kernel that uses it",
                  opcode, is_surface ? "surface" : "texture");
    if (!fits(texture, operand)) {
        char what[120];
        describe(texture, what, sizeof what);
        sim_fault(warp, at, (int)lane, SIM_OUT_OF_BOUNDS, texture->address,
                  "%s reads %s%s%d dimension%s, and the object was made of %s", opcode,
                  operand->is_layered ? "layers of " : "", operand->is_cube ? "cube maps by " : "",
                  operand->rank, operand->rank > 1 ? "s" : "", what);
    }
    return texture;
}
