/* tex: a texel, or a mean of neighbouring texels with linear filtering, as the CUDA programming
 * guide's section on texture fetching has it, with the precision of an H200, where it was measured:
 * normalized coordinates have 21 bits behind the point, weights 8, products of weights, too.
 * Fractions are filtered as integers of 16 bits, and a mean of FP16 is an FP16. There are no
 * mipmaps, so that a level of detail or gradients change nothing. A direction in a cube map chooses
 * a face, and a place in it by normalized coordinates; a mean does not reach beyond the face. */
#include "texture.h"

#include "sim/access/access.h"
#include "sim/arithmetic/rounding.h"

#include <math.h>

enum { WEIGHT_ONE = 256, COORDINATE_ONE = 1 << 21, CUBE_FACES = 6 };

struct fetch {
    struct texel_operand at;
    bool is_integer;           /* coordinates: of tex1Dfetch(), not filtered */
    int32_t results[CHANNELS]; /* slots */
    int32_t resident;          /* a predicate, which is always true; -1: it is not wanted */
};

/* The two texels that a coordinate lies between, and the weight of the second; -1: the border. */
struct between {
    int64_t texel[2];
    int weight;
};

/* ---- Where ---- */

static int64_t inside(enum texture_address_mode mode, int64_t texel, int64_t size)
{
    if (texel >= 0 && texel < size)
        return texel;
    if (mode == TEXTURE_BORDER)
        return -1;
    if (mode == TEXTURE_WRAP)
        return (texel % size + size) % size;
    if (mode == TEXTURE_MIRROR) {
        const int64_t place = (texel % (2 * size) + 2 * size) % (2 * size);
        return place < size ? place : 2 * size - 1 - place;
    }
    return texel < 0 ? 0 : size - 1;
}

static struct between locate(const struct sim_texture *texture, int dimension, float coordinate)
{
    const double limit = 1 << 30; /* of coordinates: no texture is as large */
    const enum texture_address_mode mode = texture->address_mode[dimension];
    const int64_t size = texture->size[dimension];
    struct between found = {.weight = 0};
    double x = coordinate, first;
    if (texture->has_normalized)
        x = floor(x * COORDINATE_ONE) / COORDINATE_ONE;
    if (mode == TEXTURE_WRAP)
        x -= floor(x);
    x = isnan(x) ? 0 : fmin(fmax(texture->has_normalized ? x * (double)size : x, -limit), limit);
    if (texture->filters) {
        const double fixed = floor((x - 0.5) * WEIGHT_ONE + 0.5);
        first = floor(fixed / WEIGHT_ONE);
        found.weight = (int)(fixed - first * WEIGHT_ONE);
    } else {
        first = floor(x);
    }
    for (int i = 0; i < 2; i++)
        found.texel[i] = inside(mode, (int64_t)first + i, size);
    return found;
}

static struct between locate_integer(const struct sim_texture *texture, int dimension, int32_t x)
{
    return (struct between){{inside(TEXTURE_BORDER, x, texture->size[dimension]), -1}, 0};
}

/* The face of a cube map that a direction leads to; the direction becomes the place there. */
static uint32_t find_face(float *direction)
{
    const float x = direction[0], y = direction[1], z = direction[2];
    const float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    const int axis = ax >= ay && ax >= az ? 0 : ay >= az ? 1 : 2;
    const bool is_negative = signbit(direction[axis]);
    const float along = fabsf(direction[axis]);
    const float s = axis == 0 ? (is_negative ? z : -z) : axis == 2 && is_negative ? -x : x;
    const float t = axis != 1 ? -y : is_negative ? -z : z;
    direction[0] = along > 0 ? (s / along + 1) / 2 : 0.5f;
    direction[1] = along > 0 ? (t / along + 1) / 2 : 0.5f;
    return 2 * (uint32_t)axis + is_negative;
}

/* ---- What ---- */

static uint32_t float_bits(double value)
{
    const float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return bits;
}

static double float_value(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A channel of a texel, as 32 bits: an integer or a float. */
static uint32_t channel(const struct sim_texture *texture, const char *from, unsigned bytes)
{
    const bool is_signed = texture->kind == TEXTURE_SIGNED;
    const unsigned unused = 32 - 8 * bytes;
    uint32_t bits = 0;
    memcpy(&bits, from, bytes);
    if (texture->kind == TEXTURE_FLOAT)
        return bytes == 2 ? float_bits(sim_half_value(bits, false)) : bits;
    if (is_signed && bits >> (8 * bytes - 1))
        bits |= ~(UINT32_MAX >> unused);
    if (!texture->gives_fractions)
        return bits;
    const double most = is_signed ? UINT32_MAX >> (unused + 1) : UINT32_MAX >> unused;
    return float_bits(is_signed ? fmax((int32_t)bits / most, -1) : bits / most);
}

static void read_texel(struct warp *warp, const struct instruction *at, int lane,
                       const struct sim_texture *texture, const int64_t *place, uint32_t layer,
                       uint32_t *texel)
{
    const struct fetch *const fetch = at->extra;
    const unsigned bytes = texture->texel_bytes / texture->channels;
    char buffer[CHANNELS * sizeof(uint32_t)];
    memset(texel, 0, CHANNELS * sizeof *texel);
    if (place[0] < 0 || place[1] < 0 || place[2] < 0) {
        if (!fetch->is_integer)
            memcpy(texel, texture->border, texture->channels * sizeof *texel);
        return;
    }
    const uint64_t z = texture->layers || texture->is_cube ? layer : (uint64_t)place[2];
    sim_lane_read(warp, at, lane,
                  sim_texel_address(texture, (uint64_t)place[0] * texture->texel_bytes,
                                    (uint64_t)place[1], z),
                  buffer, texture->texel_bytes);
    for (unsigned c = 0; c < texture->channels; c++)
        texel[c] = channel(texture, buffer + c * bytes, bytes);
}

/* What a fraction of 1 is when fractions are filtered; 0: floats are. */
static double unit_of(const struct sim_texture *texture)
{
    return !texture->gives_fractions ? 0 : texture->kind == TEXTURE_SIGNED ? INT16_MAX : UINT16_MAX;
}

/* The corners with a weight; the bits of their numbers say which texel of each dimension. The
 * weights of the second texels are rounded, and the first texels have the rest. */
static void filter(struct warp *warp, const struct instruction *at, int lane,
                   const struct sim_texture *texture, const struct between *between, uint32_t layer,
                   uint32_t *texel)
{
    const bool is_half = texture->texel_bytes == 2 * texture->channels;
    const double unit = unit_of(texture);
    double sum[CHANNELS] = {0};
    for (unsigned corner = 0; corner < 1u << TEXTURE_RANKS; corner++) {
        int64_t place[TEXTURE_RANKS];
        int weight = WEIGHT_ONE;
        for (int d = 0; d < TEXTURE_RANKS; d++) {
            const unsigned is_second = corner >> d & 1;
            const int second = (weight * between[d].weight + WEIGHT_ONE / 2 - 1) / WEIGHT_ONE;
            place[d] = between[d].texel[is_second];
            weight = is_second ? second : weight - second;
        }
        if (weight == 0)
            continue;
        read_texel(warp, at, lane, texture, place, layer, texel);
        for (int c = 0; c < CHANNELS; c++) {
            const double value = float_value(texel[c]);
            sum[c] += weight * (unit > 0 ? value * unit : value);
        }
    }
    for (int c = 0; c < CHANNELS; c++) {
        const double mean = sum[c] / WEIGHT_ONE;
        texel[c] = float_bits(unit > 0  ? floor(mean + 0.5) / unit
                              : is_half ? sim_half_value(sim_half_bits(mean, false), false)
                                        : mean);
    }
}

/* ---- The instruction ---- */

static void fetch_lane(struct warp *warp, const struct instruction *at, unsigned lane,
                       uint32_t *texel)
{
    const struct fetch *const fetch = at->extra;
    const struct sim_texture *const texture = sim_texture_of(warp, at, lane, &fetch->at, false);
    struct between between[TEXTURE_RANKS] = {{{0, 0}, 0}, {{0, 0}, 0}, {{0, 0}, 0}};
    uint32_t layer = 0;
    if (texture->is_linear && !fetch->is_integer)
        sim_fault(
            warp, at, (int)lane, SIM_OUT_OF_BOUNDS, texture->address,
            "%s: the texture object was made of linear memory, which only tex1Dfetch() reads, "
            "at an integer coordinate",
            sim_source(warp, at)->opcode);
    if (fetch->at.is_layered) { /* a layer that is not there is the nearest one */
        layer = ((const uint32_t *)sim_slot(warp, fetch->at.layer))[lane];
        layer = layer < texture->layers ? layer : texture->layers - 1;
    }
    float place[TEXTURE_RANKS];
    for (int d = 0; d < fetch->at.rank; d++)
        place[d] = ((const float *)sim_slot(warp, fetch->at.coordinates[d]))[lane];
    if (fetch->at.is_cube)
        layer = CUBE_FACES * layer + find_face(place);
    for (int d = 0; d < (fetch->at.is_cube ? 2 : fetch->at.rank); d++) {
        int32_t integer;
        memcpy(&integer, &place[d], sizeof integer);
        between[d] =
            fetch->is_integer ? locate_integer(texture, d, integer) : locate(texture, d, place[d]);
    }
    if (texture->filters && !fetch->is_integer) {
        filter(warp, at, (int)lane, texture, between, layer, texel);
    } else {
        const int64_t only[] = {between[0].texel[0], between[1].texel[0], between[2].texel[0]};
        read_texel(warp, at, (int)lane, texture, only, layer, texel);
    }
}

static const struct instruction *run_fetch(struct warp *warp, const struct instruction *at)
{
    const struct fetch *const fetch = at->extra;
    uint32_t results[CHANNELS][WARP_LANES];
    EACH_ACTIVE(lane, warp->active)
    {
        uint32_t texel[CHANNELS];
        fetch_lane(warp, at, lane, texel);
        for (int c = 0; c < CHANNELS; c++)
            results[c][lane] = texel[c];
    }
    for (int c = 0; c < CHANNELS; c++)
        sim_write32(warp, fetch->results[c], results[c]);
    if (fetch->resident >= 0)
        sim_set_predicate(warp, fetch->resident, ALL_LANES);
    return at + 1;
}

/* tex{.level, .grad, .base}.geometry.v4.type.type {d}|p, [handle, {c}] {, level} {, {dx}, {dy}} */
static void decode_fetch(struct decoder *decoder, const struct ptx_instruction *source)
{
    struct fetch *const fetch = sim_decoder_allocate(decoder, sizeof *fetch);
    const bool has_level = ptx_has_part(source, "level"),
               has_gradients = ptx_has_part(source, "grad");
    const int first = has_level || has_gradients || ptx_has_part(source, "base") ? 2 : 1;
    const char *const *const parts = source->parts + first;
    if (source->part_count != first + 4 || !sim_read_geometry(parts[0], &fetch->at) ||
        strcmp(parts[1], "v4") != 0 || !strstr("f32 s32 u32", parts[2]) ||
        !strstr("f32 s32", parts[3]) ||
        source->operand_count != 2 + (has_gradients ? 2
                                      : has_level   ? 1
                                                    : 0))
        sim_refuse_opcode(decoder, source);
    fetch->is_integer = strcmp(parts[3], "s32") == 0;
    if (fetch->at.is_cube && fetch->is_integer)
        sim_refuse_opcode(decoder, source);
    const struct ptx_operand *results = sim_operand(decoder, source, 0);
    fetch->resident = -1;
    if (results->kind == PTX_OPERAND_PAIR) {
        fetch->resident = sim_destination_slot(decoder, source, &results->elements[1], 'p');
        results = &results->elements[0];
    }
    if (results->kind != PTX_OPERAND_VECTOR || results->element_count != CHANNELS)
        sim_refuse_opcode(decoder, source);
    for (int c = 0; c < CHANNELS; c++)
        fetch->results[c] = sim_destination_slot(decoder, source, &results->elements[c], 'w');
    sim_read_texel_operand(decoder, source, 1, &fetch->at);
    struct instruction *const emitted = sim_emit(decoder, source, run_fetch);
    emitted->extra = fetch;
    emitted->a = fetch->at.handle;
    emitted->cache = sim_new_cache(decoder);
    emitted->flags |= FLAG_CONSTANT;
}

const struct family sim_texture_families[] = {
    {PTX_OP_tex, decode_fetch},
    {PTX_OP_UNKNOWN, NULL},
};
