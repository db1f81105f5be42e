/* The analyses of the PTX parser: basic blocks and reconvergence on hand-worked graphs, and that
 * registers that share a slot never destroy each other. */
#include "sim/ptx/ptx.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ptx_module *parse_body(const char *code)
{
    static const char frame[] = ".version 9.0\n.target sm_90\n.address_size 64\n"
                                ".entry k(.param .u64 out) {\n.reg .pred %%p<99>;\n"
                                ".reg .b32 %%r<999>;\n.reg .b64 %%rd<99>;\n%s\n}\n";
    size_t size = sizeof frame + strlen(code);
    char *text = malloc(size);
    struct ptx_error error;
    snprintf(text, size, frame, code);
    struct ptx_module *module = ptx_parse(text, strlen(text), &error);
    cr_assert_not_null(module, "line %d: %s", error.line, error.message);
    free(text);
    return module;
}

/* Index of `mov.u32 %r0, number;`, by which the tests name places. */
static int place(const struct ptx_function *function, uint64_t number)
{
    for (int i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *instruction = &function->instructions[i];
        if (strcmp(instruction->opcode, "mov.u32") == 0 && instruction->operands[1].imm == number)
            return i;
    }
    cr_assert_fail("no mov %d", (int)number);
    return -1;
}

enum { EXIT = -2, NEVER = -1 };

/*
 * Analyses `code` and compares the reconvergence of its bra, brx and guarded ret, in order, with
 * the places given: numbers of mov instructions, EXIT or NEVER.
 */
static void expect_joins(const char *code, int count, ...)
{
    struct ptx_module *module = parse_body(code);
    const struct ptx_function *function = ptx_find_function(module, "k");
    bool *joins = calloc((size_t)function->instruction_count, sizeof *joins);
    int seen = 0;
    va_list places;
    va_start(places, count);
    for (int i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *instruction = &function->instructions[i];
        bool branch = strncmp(instruction->opcode, "br", 2) == 0;
        int wanted = -1;
        if (branch || instruction->guard >= 0) {
            cr_assert_lt(seen++, count);
            wanted = va_arg(places, int);
            if (wanted == EXIT)
                wanted = function->instruction_count;
            else if (wanted != NEVER)
                wanted = place(function, (uint64_t)wanted);
        }
        cr_assert_eq(instruction->reconvergence, wanted, "branch %d: %d instead of %d in\n%s", seen,
                     instruction->reconvergence, wanted, code);
        if (wanted >= 0 && wanted < function->instruction_count)
            joins[wanted] = true;
    }
    va_end(places);
    cr_assert_eq(seen, count);
    for (int i = 0; i < function->instruction_count; i++)
        cr_assert_eq(function->instructions[i].is_join, joins[i], "join at %d", i);
    free(joins);
    ptx_free(module);
}

#define AT(number) "mov.u32 %r0, " #number ";\n"
#define STORE      "st.global.u32 [%rd1], %r0;\n"

Test(ptx_flow, blocks)
{
    struct ptx_module *module = parse_body(AT(0) "@%p1 bra A;\n" AT(2) "@%p2 ret;\n" AT(4)
                                               AT(5) "bra B;\n"
                                                     "A:\n" AT(7) "B: C:\n" AT(8) "ret;");
    const struct ptx_function *function = ptx_find_function(module, "k");
    static const bool starts[] = {1, 0, 1, 0, 1, 0, 0, 1, 1, 0};
    cr_assert_eq(function->instruction_count, 10);
    for (int i = 0; i < 10; i++)
        cr_assert_eq(function->instructions[i].is_block_start, starts[i], "instruction %d", i);
    ptx_free(module);
}

Test(ptx_flow, if_and_if_else)
{
    expect_joins("@%p1 bra J;\n" AT(1) "J:\n" AT(2) "ret;", 1, 2);
    expect_joins("@%p1 bra E;\n" AT(1) "bra.uni J;\nE:\n" AT(2) "J:\n" AT(3) "ret;", 2, 3, NEVER);
    /* both sides, laid out away from the branch */
    expect_joins("@%p1 bra A;\nbra.uni B;\nA:\n" AT(1) "bra.uni J;\nB:\n" AT(2) "J:\n" AT(3) STORE
                 "ret;",
                 3, 3, NEVER, NEVER);
}

Test(ptx_flow, nested_ifs_and_conditions)
{
    expect_joins("@%p1 bra J;\n" AT(1) "@%p2 bra I;\n" AT(2) "I:\n" AT(3) "J:\n" AT(4) "ret;", 2, 4,
                 3);
    /* if (a && b) */
    expect_joins("@%p1 bra J;\n@%p2 bra J;\n" AT(1) "J:\n" AT(2) "ret;", 2, 2, 2);
    /* if (a || b) X else Y: X has two ways in and is no common end */
    expect_joins("@%p1 bra X;\n@%p2 bra X;\n" AT(1) "bra J;\nX:\n" AT(2) "J:\n" AT(3) "ret;", 3, 3,
                 3, NEVER);
}

Test(ptx_flow, loops)
{
    expect_joins("L:\n" AT(1) "@%p1 bra L;\n" AT(2) "ret;", 1, 2);
    /* tested at the top */
    expect_joins("L:\n@%p1 bra D;\n" AT(1) "bra.uni L;\nD:\n" AT(2) "ret;", 2, 2, NEVER);
    /* break in the middle: those who break wait for the others behind the loop */
    expect_joins("L:\n" AT(1) "@%p1 bra D;\n" AT(2) "@%p2 bra L;\nD:\n" AT(3) "ret;", 2, 3, 3);
    /* an if inside joins inside */
    expect_joins("L:\n@%p1 bra I;\n" AT(1) "I:\n" AT(2) "@%p2 bra L;\n" AT(3) "ret;", 2, 2, 3);
    /* continue */
    expect_joins(
        "L:\n@%p1 bra C;\n" AT(1) "@%p2 bra C;\n" AT(2) "C:\n" AT(3) "@%p3 bra L;\n" AT(4) "ret;",
        3, 3, 3, 4);
    /* two loops, and a way out of both */
    expect_joins("O:\n" AT(1) "I:\n@%p1 bra D;\n" AT(2) "@%p2 bra I;\n" AT(
                     3) "@%p3 bra O;\nD:\n" AT(4) "ret;",
                 3, 4, 4, 4);
}

Test(ptx_flow, switch_by_table)
{
    expect_joins("T: .branchtargets A, B, C;\n@%p1 bra C;\nbrx.idx %r1, T;\nA:\n" AT(1) "B:\n" AT(
                     2) "bra.uni J;\nC:\n" AT(3) "J:\n" AT(4) "ret;",
                 3, 4, 4, NEVER);
    expect_joins("T: .branchtargets A, B;\nbrx.idx.uni %r1, T;\nA:\n" AT(1) "B: ret;", 1, NEVER);
}

Test(ptx_flow, uniform_branches_never_diverge)
{
    expect_joins("@%p1 bra.uni J;\n" AT(1) "J:\n" AT(2) "ret;", 1, NEVER);
    expect_joins("bra J;\n" AT(1) "J:\n" AT(2) "ret;", 1, NEVER);
}

/* Lanes that return are gone; the others must not be kept apart for it. */
Test(ptx_flow, early_returns)
{
    /* if (i >= n) return; in both ways that it is written */
    expect_joins("@%p1 ret;\n" AT(1) "ret;", 1, NEVER);
    expect_joins("@%p1 bra END;\n" AT(1) "END: ret;", 1, 1);
    expect_joins("@!%p1 bra GO;\nret;\nGO:\n" AT(1) STORE "ret;", 1, 1);
    /* if (a) { if (b) return; x } rest */
    expect_joins("@%p1 bra J;\n@%p2 bra END;\n" AT(1) "J:\n" AT(2) "END: ret;", 2, 2, 1);
    expect_joins("@%p1 bra J;\n" AT(1) "@%p2 ret;\n" AT(2) "J:\n" AT(3) "ret;", 2, 3, NEVER);
    /* inside a loop, and work behind it */
    expect_joins("L:\n@%p1 bra I;\n" AT(1) "@%p2 bra END;\n" AT(2) "I:\n" AT(3) "@%p3 bra L;\n" AT(
                     4) STORE "END: ret;",
                 3, 3, 2, 4);
    /* the loop is the last thing in the kernel */
    expect_joins("L:\n@%p1 bra I;\n" AT(1) "I:\n" AT(2) "@%p3 bra L;\nret;", 2, 2, EXIT);
    /* both sides return: whoever comes first leaves, nobody meets */
    expect_joins("@%p1 bra B;\n" AT(1) STORE "ret;\nB:\n" AT(2) STORE "ret;", 1, 2);
    expect_joins("@%p1 bra B;\nret;\nB: ret;", 1, EXIT);
    /* an error path that stores something before it leaves */
    expect_joins("@%p1 bra ERR;\nL:\n" AT(1) "@%p2 bra L;\nret;\nERR:\n" AT(2) STORE "ret;", 2, 1,
                 EXIT);
    /* a failed check that traps, laid out at the end or in between */
    expect_joins("@%p1 bra BAD;\n" AT(1) STORE "ret;\nBAD:\n" AT(2) "trap;", 1, 1);
    expect_joins("L:\n" AT(1) "@%p1 bra OK;\ntrap;\nOK:\n" AT(2) "@%p2 bra L;\n" AT(3) "ret;", 2, 2,
                 3);
}

Test(ptx_flow, loops_without_end)
{
    expect_joins("L: bra L;", 1, NEVER);
    expect_joins("L:\n@%p1 bra E;\n" AT(1) "bra J;\nE:\n" AT(2) "J:\n" AT(3) "bra L;", 3, 3, NEVER,
                 NEVER);
    /* spinning for ever on one side, code that nothing reaches */
    expect_joins("@%p1 bra J;\nL:\n" AT(1) "bra L;\n" AT(2) "J:\n" AT(3) "ret;", 2, 3, NEVER);
}

/* --- slots --- */

static const struct ptx_register *named(const struct ptx_function *function, const char *name)
{
    for (int i = 0; i < function->register_count; i++)
        if (strcmp(function->registers[i].name, name) == 0)
            return &function->registers[i];
    cr_assert_fail("no register %s", name);
    return NULL;
}

static int slot(const struct ptx_module *module, const char *name)
{
    return named(ptx_find_function(module, "k"), name)->slot;
}

Test(ptx_slots, a_chain_of_temporaries_needs_two)
{
    char code[8192] = "mov.u32 %r1, 0;\n";
    for (int i = 2; i < 200; i++)
        snprintf(code + strlen(code), sizeof code - strlen(code), "add.u32 %%r%d, %%r%d, 1;\n", i,
                 i - 1);
    struct ptx_module *module = parse_body(strcat(code, "ret;"));
    const struct ptx_function *function = ptx_find_function(module, "k");
    cr_assert_eq(function->register_count, 199);
    /* two, not one: a result shares no slot with the operands of its instruction */
    cr_assert_eq(function->slots32, 2);
    cr_assert_eq(function->slots64, 0);
    cr_assert_eq(function->predicate_slots, 0);
    ptx_free(module);
}

Test(ptx_slots, each_class_has_its_own)
{
    struct ptx_module *module =
        parse_body(".reg .f64 %fd<3>; .reg .b16 %rs<3>; .reg .f16x2 %h<3>;\n"
                   "ld.b64 %rd1, [%rd2];\nsetp.eq.u32 %p1, %r1, %r2;\nmov.f64 %fd1, %fd2;\n"
                   "mov.b16 %rs1, %rs2;\nmov.b32 %h1, %h2;\nret;");
    const struct ptx_function *function = ptx_find_function(module, "k");
    /* at once: %rd1, %rd2 and %fd2 in the load; %r1, %r2, %rs2 and %h2 on entry */
    cr_assert_eq(function->slots64, 3);
    cr_assert_eq(function->slots32, 4);
    cr_assert_eq(function->predicate_slots, 1);
    ptx_free(module);
}

Test(ptx_slots, a_result_nobody_reads_still_needs_a_slot)
{
    struct ptx_module *module = parse_body("mov.u32 %r1, 1;\nmov.u32 %r2, 2;\nmov.u32 %r3, 3;\n"
                                           "ld.v2.u32 {%r4, %r5}, [%rd1];\n"
                                           "st.v2.u32 [%rd1], {%r1, %r3};\nret;");
    cr_assert_neq(slot(module, "%r2"), slot(module, "%r1"));
    cr_assert_neq(slot(module, "%r4"), slot(module, "%r1"));
    cr_assert_neq(slot(module, "%r4"), slot(module, "%r3"));
    cr_assert_neq(slot(module, "%r4"), slot(module, "%r5"));
    ptx_free(module);
}

/* Of values over an instruction, in 32 bits: %r1 and %rd2 over the addition, and its result. */
Test(ptx_slots, live_registers_are_counted)
{
    struct ptx_module *module = parse_body(
        "ld.param.u64 %rd1, [out];\ncvta.to.global.u64 %rd1, %rd1;\nmov.u32 %r1, %tid.x;\n"
        "mul.wide.u32 %rd2, %r1, 4;\nadd.u32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n"
        "@%p1 st.u32 [%rd2], %r1;\nst.u64 [%rd2], %rd1;\nret;");
    const struct ptx_function *function = ptx_find_function(module, "k");
    const int expected[] = {0, 0, 1, 3, 4, 4, 3, 2, 0}; /* no argument, no predicate */
    for (int i = 0; i < (int)(sizeof expected / sizeof expected[0]); i++)
        cr_expect_eq(function->instructions[i].live_words, expected[i], "%s: %d, not %d",
                     function->instructions[i].opcode, function->instructions[i].live_words,
                     expected[i]);
    ptx_free(module);
}

Test(ptx_slots, what_is_also_computed_is_no_argument)
{
    struct ptx_module *module = parse_body("ld.param.u64 %rd1, [out];\nadd.u64 %rd1, %rd1, 8;\n"
                                           "st.u64 [%rd1], %rd1;\nret;");
    cr_expect_eq(ptx_find_function(module, "k")->instructions[2].live_words, 2);
    ptx_free(module);
}

Test(ptx_slots, a_guarded_write_keeps_the_old_value)
{
    struct ptx_module *module =
        parse_body("mov.u32 %r1, 1;\nmov.u32 %r2, 2;\nadd.u32 %r2, %r2, 1;\n"
                   "@%p1 mov.u32 %r1, 7;\nst.u32 [%rd1], %r1;\nret;");
    cr_assert_neq(slot(module, "%r1"), slot(module, "%r2"));
    ptx_free(module);
}

Test(ptx_slots, stores_addresses_and_barriers_only_read)
{
    struct ptx_module *module =
        parse_body("mov.u32 %r1, 1;\nred.global.add.u32 [%rd1+4], %r1;\nmov.u32 %r2, 2;\n"
                   "st.u32 [%rd1], %r2;\nmov.u64 %rd2, 1;\nst.u64 [%rd2], %rd2;\n"
                   "bar.sync %r1, 64;\nst.u32 [%rd1], 0;\nret;");
    /* %r1 and %rd1 are needed to the end, so nothing may take their place in between */
    cr_assert_eq(ptx_find_function(module, "k")->slots32, 2);
    cr_assert_eq(ptx_find_function(module, "k")->slots64, 2);
    ptx_free(module);
}

/* --- random programs --- */

static uint32_t random_state;

static unsigned random_below(unsigned bound)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % bound;
}

/* Blocks of a few instructions over a few registers, jumping anywhere. */
static void write_random_program(char *text, size_t size)
{
    unsigned blocks = 2 + random_below(30), registers = 3 + random_below(40);
    char *end = text;
#define EMIT(...) (end += snprintf(end, size - (size_t)(end - text), __VA_ARGS__))
    for (unsigned block = 0; block < blocks; block++) {
        EMIT("L%u:\n", block);
        for (unsigned i = random_below(8); i > 0; i--) {
            if (random_below(4) == 0)
                EMIT("@%%p%u ", random_below(3));
            if (random_below(5) == 0)
                EMIT("ld.v2.u32 {%%r%u, %%r%u}, [%%rd1];\n", random_below(registers), registers);
            else
                EMIT("add.u32 %%r%u, %%r%u, %%r%u;\n", random_below(registers),
                     random_below(registers), random_below(registers));
        }
        if (random_below(3))
            EMIT("@%%p%u bra L%u;\n", random_below(3), random_below(blocks));
        if (random_below(5) == 0)
            EMIT(random_below(3) ? "bra L%u;\n" : "ret;\n", random_below(blocks));
    }
    EMIT("ret;\n");
#undef EMIT
}

/* One lane: which register each slot belongs to, and which registers the lane has written. */
struct lane {
    const struct ptx_function *function;
    int owner[3][256];
    bool written[256];
    long checks;
};

static int *owner_of(struct lane *lane, int reg)
{
    const struct ptx_register *described = &lane->function->registers[reg];
    int class = described->type == PTX_PRED ? 0 : ptx_type_size(described->type) == 8 ? 2 : 1;
    return &lane->owner[class][described->slot];
}

static void read_register(struct lane *lane, int reg)
{
    if (reg < 0 || !lane->written[reg])
        return;
    cr_assert_eq(*owner_of(lane, reg), reg, "%s has been overwritten by %s",
                 lane->function->registers[reg].name,
                 lane->function->registers[*owner_of(lane, reg)].name);
    lane->checks++;
}

static void write_register(struct lane *lane, int reg)
{
    *owner_of(lane, reg) = reg;
    lane->written[reg] = true;
}

/* Executes one instruction of write_random_program() with a guard that is as chance has it. */
static int step(struct lane *lane, int at)
{
    const struct ptx_instruction *instruction = &lane->function->instructions[at];
    const struct ptx_operand *operands = instruction->operands;
    read_register(lane, instruction->guard);
    if (instruction->guard >= 0 && random_below(2))
        return at + 1;
    if (strcmp(instruction->opcode, "ret") == 0)
        return -1;
    if (strcmp(instruction->opcode, "bra") == 0)
        return operands[0].target;
    if (operands[0].kind == PTX_OPERAND_VECTOR) {
        read_register(lane, operands[1].reg);
        for (int i = 0; i < operands[0].element_count; i++)
            write_register(lane, operands[0].elements[i].reg);
    } else {
        read_register(lane, operands[1].reg);
        read_register(lane, operands[2].reg);
        write_register(lane, operands[0].reg);
    }
    return at + 1;
}

Test(ptx_slots, random_walks_read_what_they_wrote)
{
    long checks = 0, saved = 0;
    char *text = malloc(1 << 16);
    for (uint32_t seed = 1; seed <= 300; seed++) {
        random_state = seed;
        write_random_program(text, 1 << 16);
        struct ptx_module *module = parse_body(text);
        const struct ptx_function *function = ptx_find_function(module, "k");
        saved += function->register_count - function->slots32 - function->slots64 -
                 function->predicate_slots;
        for (int walk = 0; walk < 20; walk++) {
            struct lane lane = {.function = function};
            int at = 0;
            for (int i = 0; i < 500 && at >= 0; i++)
                at = step(&lane, at);
            checks += lane.checks;
        }
        ptx_free(module);
    }
    free(text);
    cr_assert_gt(checks, 100000, "only %ld reads", checks);
    cr_assert_gt(saved, 300, "only %ld registers share a slot", saved);
}
