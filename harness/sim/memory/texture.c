/* Handles of texture objects and surface objects: numbers from 1 on, as a GPU's driver gives them.
 * None is given twice, so that a handle whose object was destroyed is known. The runtime calls
 * these under its lock, and no kernel runs then. */
#include "texture.h"

#include <stdlib.h>

static const struct sim_texture **textures;
static uint64_t count;

uint64_t sim_texture_add(const struct sim_texture *texture)
{
    if ((count & (count + 1)) == 0) { /* the room is always a power of two */
        const struct sim_texture **const grown =
            realloc(textures, 2 * (count + 1) * sizeof(const struct sim_texture *));
        if (!grown)
            return 0;
        textures = grown;
    }
    textures[count] = texture;
    return ++count;
}

const struct sim_texture *sim_texture_find(uint64_t handle)
{
    return handle - 1 < count ? textures[handle - 1] : NULL;
}

void sim_texture_remove(uint64_t handle)
{
    if (handle - 1 < count)
        textures[handle - 1] = NULL;
}
