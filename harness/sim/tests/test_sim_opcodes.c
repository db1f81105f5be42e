/* opcodes.def and the decoders' tables name the same opcodes, and what is asked of an opcode has
 * one answer. */
#include "sim_fixture.h"

#include "sim/check/global_tags.h"
#include "sim/decoding/flags.h"
#include "sim/launch/launch.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static bool begins_with(const char *text, const char *name)
{
    const size_t length = strcspn(text, ".");
    return strlen(name) == length && memcmp(text, name, length) == 0;
}

static bool is_decoded(enum ptx_opcode opcode, const char *name)
{
    for (const struct rule *const *table = sim_opcodes.rules; *table; table++)
        for (const struct rule *rule = *table; rule->opcode; rule++)
            if (begins_with(rule->opcode, name))
                return true;
    for (const struct family *const *table = sim_opcodes.families; *table; table++)
        for (const struct family *family = *table; family->decode; family++)
            if (family->opcode == opcode)
                return true;
    return false;
}

/* What is decoded by its whole text; the opcode of a family is one of the list. */
Test(sim_opcodes, all_that_are_decoded_are_listed)
{
    for (const struct rule *const *table = sim_opcodes.rules; *table; table++)
        for (const struct rule *rule = *table; rule->opcode; rule++) {
            char name[32];
            snprintf(name, sizeof name, "%.*s", (int)strcspn(rule->opcode, "."), rule->opcode);
            cr_expect_neq(ptx_find_opcode(name), PTX_OP_UNKNOWN, "opcodes.def lacks %s", name);
        }
}

Test(sim_opcodes, all_that_are_listed_are_decoded)
{
    static const char *const listed[] = {
#define PTX_OPCODE(name, ...) #name,
#define PTX_PARSED(...)
#include "sim/ptx/opcodes.def"
    };
    for (size_t i = 0; i < sizeof listed / sizeof listed[0]; i++) {
        const enum ptx_opcode opcode = ptx_find_opcode(listed[i]);
        cr_expect_neq(opcode, PTX_OP_UNKNOWN, "%s", listed[i]);
        cr_expect(is_decoded(opcode, listed[i]), "no table of a decoder names %s", listed[i]);
    }
    cr_expect_eq(ptx_find_opcode("l"), PTX_OP_UNKNOWN);
    cr_expect_eq(ptx_find_opcode("ld"), PTX_OP_ld);
}

/* A kernel of which `text` is the first instruction. */
static struct ptx_module *parse(const char *text)
{
    char whole[600];
    struct ptx_error error;
    snprintf(whole, sizeof whole,
             ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 out) {\n"
             ".reg .pred %%p<9>;\n.reg .b32 %%r<9>;\n.reg .b64 %%rd<9>;\nTOP:\n%s\n}\n",
             text);
    struct ptx_module *const module = ptx_parse(whole, strlen(whole), &error);
    cr_assert_not_null(module, "%s: %s", text, error.message);
    return module;
}

Test(sim_opcodes, tell_which_instructions_write_a_register)
{
    static const struct {
        const char *text;
        bool writes;
    } cases[] = {{"ld.global.u32 %r1, [%rd1];", true},
                 {"st.global.u32 [%rd1], %r1;", false},
                 {"atom.global.add.u32 %r1, [%rd1], 1;", true},
                 {"red.global.add.u32 [%rd1], 1;", false},
                 {"bar.sync %r1;", false},
                 {"bar.red.popc.u32 %r1, 0, %p1;", true},
                 {"barrier.sync %r1;", false},
                 {"@%p1 bra TOP;", false},
                 {"nanosleep.u32 %r1;", false},
                 {"prefetch.global.L2 [%rd1];", false},
                 {"discard.global.L2 [%rd1], 128;", false},
                 {"cp.async.ca.shared.global [%r1], [%rd1], 4;", false},
                 {"mbarrier.init.shared.b64 [%r1], 1;", false},
                 {"mbarrier.arrive.shared.b64 %rd1, [%r1];", true},
                 {"nonesuch.u32 %r1, %r2;", true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ptx_module *const module = parse(cases[i].text);
        cr_expect_eq(ptx_writes_result(module->functions[0].instructions), cases[i].writes, "%s",
                     cases[i].text);
        ptx_free(module);
    }
}

Test(sim_opcodes, count_the_address_that_a_copy_writes_to_as_read)
{
    struct ptx_module *const module = parse("atom.global.add.u32 %r1, [%rd1], 1;\n"
                                            "cp.async.ca.shared.global [%r1], [%rd2], 4;");
    const struct ptx_function *const function = &module->functions[0];
    cr_expect(sim_is_read(function, &function->instructions[0].operands[0]));
    ptx_free(module);
}

Test(sim_opcodes, let_what_is_discarded_be_a_target)
{
    struct ptx_module *const module = parse("ld.param.u64 %rd1, [out];\n"
                                            "discard.global.L2 [%rd1], 128;");
    struct function function = {.ptx = &module->functions[0]};
    const struct program program = {.entry = &function};
    cr_expect_eq(sim_find_targets(&program), TARGET_KNOWN | 1);
    ptx_free(module);
}

/* Registers from %r20 and %rd20 on are set by nothing. */
Test(sim_opcodes, give_no_value_to_what_nothing_has_set)
{
    static const char *const bodies[] = {
        "nanosleep.u32 %r20;\nsetp.eq.u32 %p1, %r20, 0;\n@%p1 bra END;\nadd.u32 %r5, %r2, 1;\nEND:",
        "bar.sync %r20;\nsetp.eq.u32 %p1, %r20, 0;\n@%p1 bra END;\nadd.u32 %r5, %r2, 1;\nEND:",
        "cvta.to.global.u64 %rd21, %rd20;\nld.global.u32 %r5, [%rd21];",
        "ldu.global.u32 %r5, [%rd20];",
        "discard.global.L2 [%rd20], 128;",
        ("add.cc.u32 %r5, %r2, 1;\naddc.u32 %r6, %r20, 0;\nsetp.eq.u32 %p1, %r6, 0;\n"
         "@%p1 bra END;\nadd.u32 %r5, %r2, 1;\nEND:")};
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        static struct fixture_result result;
        sim_fixture_run(&(struct fixture){.body = bodies[i]}, &result);
        cr_expect_eq(result.outcome.status, SIM_UNINITIALIZED, "%s: %s", bodies[i],
                     result.outcome.message);
    }
}
