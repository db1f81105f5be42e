/* Textures and surfaces: what each mistake is told. A texture of 8 x 4 floats, whose handle is
 * %rd5; what they give is compared by programs/textures.cu. Concerns sim/texture. */
#include "sim_fixture.h"

#include "sim/memory/memory.h"
#include "sim/memory/texture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 8, HEIGHT = 4, BYTES = 4 * WIDTH * HEIGHT };

static struct fixture_result result;

#define TEX2D   "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd5, {%f0, %f0}];\n"
#define TEX1D   "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd5, {%f0}];\n"
#define FETCH   "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd5, {%r1}];\n"
#define LAYERED "tex.a2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd5, {%r0, %f0, %f0, %f0}];\n"
#define CUBE    "tex.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd5, {%f0, %f0, %f0, %f0}];\n"
#define SET     "mov.u32 %r0, 0;\nmov.f32 %f0, 0f00000000;\n"
#define COLUMN  "and.b32 %r10, %r1, 7;\nshl.b32 %r10, %r10, 2;\nshr.u32 %r11, %r1, 3;\n"
#define LOAD    "suld.b.2d.b32.trap {%r12}, [%rd5, {%r10, %r11}];\n"
#define STORE   "sust.b.2d.b32.trap [%rd5, {%r10, %r11}], {%r1};\n"
#define RIGHT   "add.s32 %r10, %r10, 4;\n"
#define BETWEEN "add.s32 %r10, %r10, 2;\n"

/* How the object differs from a texture of two dimensions. */
enum variant { PLAIN, LINEAR, SURFACE, UNWRITTEN, FREED, DESTROYED, ABSENT };

static void expect(enum sim_status status, const char *text, enum variant variant, const char *body)
{
    struct sim_texture texture = {.address =
                                      sim_memory_allocate(BYTES, SIM_MEMORY_DEVICE, "texels"),
                                  .pitch = 4 * WIDTH,
                                  .size = {WIDTH, variant == LINEAR ? 1 : HEIGHT, 1},
                                  .rank = variant == LINEAR ? 1 : 2,
                                  .channels = 1,
                                  .texel_bytes = 4,
                                  .kind = TEXTURE_FLOAT,
                                  .is_linear = variant == LINEAR,
                                  .is_surface = variant == SURFACE};
    char whole[1000];
    texture.serial = sim_memory_find(texture.address)->serial;
    if (variant == UNWRITTEN)
        sim_memory_mark_unwritten(texture.address, BYTES);
    else
        memset(sim_memory_host(texture.address, BYTES), 0, BYTES);
    const uint64_t handle = sim_texture_add(&texture);
    if (variant == FREED)
        sim_memory_free(texture.address);
    if (variant == DESTROYED)
        sim_texture_remove(handle);
    snprintf(whole, sizeof whole, "mov.u64 %%rd5, %d;\n%s%s",
             (int)handle + (variant == ABSENT ? 1 : 0), SET, body);
    sim_fixture_run(&(struct fixture){.body = whole}, &result);
    cr_expect_eq(result.outcome.status, status, "status %d, not %d: %s\n%s", result.outcome.status,
                 status, result.outcome.message, body);
    cr_expect(strstr(result.outcome.message, text), "not \"%s\" in: %s", text,
              result.outcome.message);
    sim_memory_free(texture.address);
}

Test(sim_texture, needs_an_object_whose_memory_is_there)
{
    expect(SIM_OK, "", PLAIN, TEX2D);
    expect(SIM_OUT_OF_BOUNDS, "no texture object", ABSENT, TEX2D);
    expect(SIM_OUT_OF_BOUNDS, "or it was destroyed", DESTROYED, TEX2D);
    expect(SIM_OUT_OF_BOUNDS, "was freed", FREED, TEX2D);
    expect(SIM_OUT_OF_BOUNDS, "of a surface object", SURFACE, TEX2D);
    expect(SIM_OUT_OF_BOUNDS, "of a texture object", PLAIN, COLUMN LOAD);
    expect(SIM_UNINITIALIZED, "texels", UNWRITTEN, TEX2D);
}

Test(sim_texture, is_read_as_it_was_made)
{
    expect(SIM_OK, "", LINEAR, FETCH);
    expect(SIM_OUT_OF_BOUNDS, "tex1Dfetch", LINEAR, TEX1D);
    expect(SIM_OUT_OF_BOUNDS, "2 dimensions (8 x 4 x 1 texels)", PLAIN, TEX1D);
    expect(SIM_OUT_OF_BOUNDS, "reads layers of 2 dimensions", PLAIN, LAYERED);
    expect(SIM_OUT_OF_BOUNDS, "reads cube maps by 3 dimensions", PLAIN, CUBE);
}

Test(sim_texture, of_gathers_are_refused_by_name)
{
    expect(SIM_UNSUPPORTED, "tld4", PLAIN,
           "tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd5, {%f0, %f0}];\n");
    expect(SIM_UNSUPPORTED, "sust.p", SURFACE,
           COLUMN "sust.p.2d.b32.trap [%rd5, {%r10, %r11}], {%r1};\n");
}

Test(sim_texture, surfaces_trap_outside_and_between_elements)
{
    expect(SIM_OK, "", SURFACE, COLUMN STORE LOAD);
    expect(SIM_OUT_OF_BOUNDS, "bytes 32 to 35 of row 0", SURFACE, COLUMN RIGHT LOAD);
    expect(SIM_OUT_OF_BOUNDS, "32 bytes in a row, 4 rows", SURFACE, COLUMN RIGHT STORE);
    expect(SIM_MISALIGNED, "x counts bytes", SURFACE, COLUMN BETWEEN STORE);
}

/* Two lanes write to one place; a texel that another lane has written is read. */
Test(sim_texture, surfaces_are_memory_in_which_threads_race)
{
    expect(SIM_RACE, "texels", SURFACE, COLUMN "mov.u32 %r11, 0;\n" STORE);
    expect(SIM_RACE, "texels", SURFACE, COLUMN STORE "xor.b32 %r10, %r10, 4;\n" LOAD);
}

Test(sim_texture, sizes_can_be_asked_for)
{
    expect(SIM_OK, "", PLAIN,
           "txq.width.b32 %r10, [%rd5];\ntxq.height.b32 %r11, [%rd5];\nmad.lo.u32 %r10, %r10, 10, "
           "%r11;\nst.global.u32 [%rd3], %r10;\n");
    cr_expect_eq((uint32_t)result.out[0], 84);
    expect(SIM_UNSUPPORTED, "txq.channel_order", PLAIN, "txq.channel_order.b32 %r10, [%rd5];\n");
}
