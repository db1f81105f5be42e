/* opcodes.def and the decoders' tables name the same opcodes, and what is asked of an opcode has
 * one answer. */
#include "sim/launch/opcodes.h"

#include <criterion/criterion.h>
#include <string.h>

static bool begins_with(const char *text, const char *name)
{
    const size_t length = strcspn(text, ".");
    return strlen(name) == length && memcmp(text, name, length) == 0;
}

static bool is_decoded(const char *name)
{
    for (const struct rule *const *table = sim_opcodes.rules; *table; table++)
        for (const struct rule *rule = *table; rule->opcode; rule++)
            if (begins_with(rule->opcode, name))
                return true;
    for (const struct family *const *table = sim_opcodes.families; *table; table++)
        for (const struct family *family = *table; family->name; family++)
            if (strcmp(family->name, name) == 0)
                return true;
    return false;
}

static const char *const listed[] = {
#define PTX_OPCODE(name, ...) #name,
#define PTX_PARSED(...)
#include "sim/ptx/opcodes.def"
};

static bool is_listed(const char *text)
{
    for (size_t i = 0; i < sizeof listed / sizeof listed[0]; i++)
        if (begins_with(text, listed[i]))
            return true;
    return false;
}

Test(sim_opcodes, all_that_are_decoded_are_listed)
{
    for (const struct rule *const *table = sim_opcodes.rules; *table; table++)
        for (const struct rule *rule = *table; rule->opcode; rule++)
            cr_expect(is_listed(rule->opcode), "opcodes.def lacks %s", rule->opcode);
    for (const struct family *const *table = sim_opcodes.families; *table; table++)
        for (const struct family *family = *table; family->name; family++)
            cr_expect(is_listed(family->name), "opcodes.def lacks %s", family->name);
}

Test(sim_opcodes, all_that_are_listed_are_decoded)
{
    for (size_t i = 0; i < sizeof listed / sizeof listed[0]; i++) {
        cr_expect(is_decoded(listed[i]), "no table of a decoder names %s", listed[i]);
        cr_expect_neq(ptx_find_opcode(listed[i]), PTX_OP_UNKNOWN, "%s", listed[i]);
    }
    cr_expect_eq(ptx_find_opcode("l"), PTX_OP_UNKNOWN);
    cr_expect_eq(ptx_find_opcode("ld"), PTX_OP_ld);
}
