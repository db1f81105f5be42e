/* Wraps PTX bodies into kernels, runs them, and compares what the lanes of a warp computed. */
#include "sim_fixture.h"

#include "sim/memory/memory.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNWRITTEN = 0xdeadbeef, TEXT_SIZE = 1 << 16 };

static const char prologue[] =
    ".visible .entry test(.param .u64 param_out, .param .u64 param_in)\n{\n"
    ".reg .pred %%p<20>;\n.reg .b16 %%h<20>;\n.reg .b32 %%r<100>;\n.reg .f32 %%f<30>;\n"
    ".reg .b64 %%rd<60>;\n.reg .f64 %%fd<20>;\n"
    "%s\n"
    "ld.param.u64 %%rd1, [param_out];\nld.param.u64 %%rd2, [param_in];\n"
    "mov.u32 %%r1, %%tid.x;\nmov.u32 %%r2, %%ctaid.x;\nmov.u32 %%r3, %%ntid.x;\n"
    "mad.lo.s32 %%r2, %%r2, %%r3, %%r1;\nmad.wide.u32 %%rd3, %%r2, 8, %%rd1;\n"
    "%s\nret;\n}\n";

static struct sim_module *load(const struct fixture *fixture)
{
    static char text[TEXT_SIZE];
    char error[300];
    int length = snprintf(text, sizeof text, ".version 9.0\n.target sm_90\n.address_size 64\n%s\n",
                          fixture->module ? fixture->module : "");
    length += snprintf(text + length, sizeof text - (size_t)length, prologue,
                       fixture->declarations ? fixture->declarations : "", fixture->body);
    cr_assert_lt(length, TEXT_SIZE);
    struct sim_module *const module =
        sim_module_load(strdup(text), (size_t)length, error, sizeof error);
    cr_assert_not_null(module, "%s\n%s", error, text);
    return module;
}

void sim_fixture_run(const struct fixture *fixture, struct fixture_result *result)
{
    char error[300];
    struct sim_module *const module = load(fixture);
    struct sim_kernel *const kernel = sim_module_kernel(module, "test", error, sizeof error);
    cr_assert_not_null(kernel, "%s\n%s", error, fixture->body);
    const size_t out_bytes = FIXTURE_OUTPUTS * sizeof(uint64_t);
    const size_t in_bytes = fixture->in_count * sizeof(uint64_t);
    uint64_t out = sim_memory_allocate(out_bytes, SIM_MEMORY_DEVICE, "out");
    uint64_t in = sim_memory_allocate(in_bytes + 8, SIM_MEMORY_DEVICE, "in");
    uint64_t *const out_host = sim_memory_host(out, out_bytes);
    for (int i = 0; i < FIXTURE_OUTPUTS; i++)
        out_host[i] = UNWRITTEN;
    if (in_bytes)
        memcpy(sim_memory_host(in, in_bytes), fixture->in, in_bytes);
    if (fixture->in_protected)
        sim_memory_protect(in);
    void *args[] = {&out, &in};
    const struct sim_launch launch = {
        .kernel = kernel,
        .grid = {fixture->grid ? fixture->grid : 1, 1, 1},
        .block = {fixture->block ? fixture->block : 32, fixture->rows ? fixture->rows : 1, 1},
        .dynamic_shared = fixture->dynamic_shared,
        .args = args,
        .sm_count = 132,
        .registers = fixture->registers,
        .gpu = fixture->gpu,
        .workers = fixture->workers,
        .resident = fixture->resident};
    cr_assert_not_null(launch.kernel);
    sim_execute(&launch, &result->outcome);
    memcpy(result->out, out_host, out_bytes);
    sim_memory_free(out);
    sim_memory_free(in);
    sim_module_unload(module);
}

/* Names the operands, runs `body` where lane_mask says so, and stores the register of `kind`. */
static const char value_body[] =
    ".reg .b16 %%ha, %%hb, %%hc, %%h;\n.reg .b32 %%ra, %%rb, %%rc, %%r;\n"
    ".reg .f32 %%fa, %%fb, %%fc, %%f;\n.reg .f64 %%da, %%db, %%dc, %%d;\n"
    ".reg .b64 %%la, %%lb, %%lc, %%l;\n.reg .pred %%pa, %%pb, %%pc, %%p;\n"
    "ld.global.u64 %%la, [%%rd2];\nld.global.u64 %%lb, [%%rd2+8];\nld.global.u64 %%lc, "
    "[%%rd2+16];\n"
    "ld.global.u32 %%r4, [%%rd2+24];\n"
    "cvt.u32.u64 %%ra, %%la;\ncvt.u32.u64 %%rb, %%lb;\ncvt.u32.u64 %%rc, %%lc;\n"
    "cvt.u16.u64 %%ha, %%la;\ncvt.u16.u64 %%hb, %%lb;\ncvt.u16.u64 %%hc, %%lc;\n"
    "mov.b32 %%fa, %%ra;\nmov.b32 %%fb, %%rb;\nmov.b32 %%fc, %%rc;\n"
    "mov.b64 %%da, %%la;\nmov.b64 %%db, %%lb;\nmov.b64 %%dc, %%lc;\n"
    "and.b32 %%r5, %%ra, 1;\nsetp.ne.u32 %%pa, %%r5, 0;\n"
    "and.b32 %%r5, %%rb, 1;\nsetp.ne.u32 %%pb, %%r5, 0;\n"
    "and.b32 %%r5, %%rc, 1;\nsetp.ne.u32 %%pc, %%r5, 0;\n"
    "mov.u16 %%h, 0x5a5a;\nmov.u32 %%r, 0x5a5a5a5a;\nmov.b32 %%f, 0x5a5a5a5a;\n"
    "mov.u64 %%l, 0x5a5a5a5a;\nmov.b64 %%d, 0x5a5a5a5a;\nsetp.ne.u32 %%p, %%r, %%r;\n"
    "shr.u32 %%r5, %%r4, %%r1;\nand.b32 %%r5, %%r5, 1;\nsetp.eq.u32 %%p19, %%r5, 0;\n"
    "@%%p19 bra SKIP;\n%s\nSKIP:\n%s\nst.global.u64 [%%rd3], %%l;\n";

static const char *store_text(char kind)
{
    switch (kind) {
    case 'h':
        return "cvt.u64.u16 %l, %h;";
    case 'f':
        return "mov.b32 %r, %f; cvt.u64.u32 %l, %r;";
    case 'd':
        return "mov.b64 %l, %d;";
    case 'p':
        return "selp.u64 %l, 1, 0, %p;";
    case 'w':
        return "cvt.u64.u32 %l, %r;";
    default:
        return "";
    }
}

uint64_t sim_fixture_value(char kind, const char *body, uint64_t a, uint64_t b, uint64_t c)
{
    static struct fixture_result result;
    static char text[TEXT_SIZE / 2];
    static const uint32_t masks[] = {UINT32_MAX, 0x80f00f51};
    const uint64_t kept = kind == 'p' ? 0 : kind == 'h' ? 0x5a5a : 0x5a5a5a5a;
    uint64_t value = 0;
    snprintf(text, sizeof text, value_body, body, store_text(kind));
    for (int run = 0; run < 2; run++) {
        const uint64_t in[] = {a, b, c, masks[run]};
        sim_fixture_run(&(struct fixture){.body = text, .in = in, .in_count = 4}, &result);
        cr_assert_eq(result.outcome.status, SIM_OK, "%s: %s", body, result.outcome.message);
        value = run == 0 ? result.out[0] : value;
        for (int lane = 0; lane < 32; lane++)
            cr_assert_eq(result.out[lane], masks[run] >> lane & 1 ? value : kept,
                         "%s of %llx, %llx, %llx: lane %d of mask %x has %llx, not %llx", body,
                         (unsigned long long)a, (unsigned long long)b, (unsigned long long)c, lane,
                         masks[run], (unsigned long long)result.out[lane],
                         (unsigned long long)value);
    }
    return value;
}

uint32_t sim_fixture_bits32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

uint64_t sim_fixture_bits64(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

float sim_fixture_float(uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

double sim_fixture_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
