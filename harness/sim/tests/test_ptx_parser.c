/* The PTX parser: declarations, initial values, operands, calls, scopes, source lines, and that no
 * malformed text does any harm. */
#include "sim/ptx/parser.h"
#include "sim/ptx/ptx.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER ".version 9.0\n.target sm_90\n.address_size 64\n"

/* From the heap and without a terminator, so that a checker sees every read past the end. */
static struct ptx_module *parse_bytes(const char *text, size_t length, struct ptx_error *error)
{
    char *copy = malloc(length ? length : 1);
    memcpy(copy, text, length);
    struct ptx_module *module = ptx_parse(copy, length, error);
    free(copy);
    return module;
}

static struct ptx_module *parse(const char *text)
{
    struct ptx_error error;
    struct ptx_module *module = parse_bytes(text, strlen(text), &error);
    cr_assert_not_null(module, "line %d: %s", error.line, error.message);
    return module;
}

/* The text must be refused on this line with a message that contains `what`. */
static void refuse(const char *text, int line, const char *what)
{
    struct ptx_error error;
    struct ptx_module *module = parse_bytes(text, strlen(text), &error);
    cr_assert_null(module, "accepted: %s", text);
    cr_assert(strstr(error.message, what), "'%s' does not say '%s'", error.message, what);
    cr_assert_eq(error.line, line, "line %d instead of %d: %s", error.line, line, error.message);
}

/* One kernel with some registers around `code`. */
static struct ptx_module *parse_code(const char *code)
{
    char text[8192];
    int length = snprintf(text, sizeof text,
                          HEADER ".global .align 4 .b8 table[64];\n"
                                 ".func (.param .b32 result) helper(.param .b32 a);\n"
                                 ".extern .func (.param .b32 result) vprintf(.param .b64 f);\n"
                                 ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n"
                                 ".reg .pred %%p<9>;\n.reg .b32 %%r<9>;\n.reg .f32 %%f<20>;\n"
                                 ".reg .b64 %%rd<9>;\n%s\nret;\n}\n"
                                 ".func (.param .b32 result) helper(.param .b32 a) { ret; }\n",
                          code);
    cr_assert(length > 0 && (size_t)length < sizeof text);
    return parse(text);
}

static const struct ptx_instruction *first(const struct ptx_module *module)
{
    return ptx_find_function(module, "k")->instructions;
}

static const char *register_name(const struct ptx_module *module, const struct ptx_operand *operand)
{
    cr_assert_eq(operand->kind, PTX_OPERAND_REGISTER);
    return ptx_find_function(module, "k")->registers[operand->reg].name;
}

/* --- the module level --- */

Test(ptx_module, header)
{
    struct ptx_module *module = parse("// made by hand\n.version 8.7\n.target sm_90a, debug\n"
                                      ".address_size 64\n");
    cr_assert_eq(module->version, 87);
    cr_assert_str_eq(module->target, "sm_90a");
    cr_assert_eq(module->function_count, 0);
    ptx_free(module);
    ptx_free(NULL);
}

Test(ptx_module, refusals_of_the_header)
{
    refuse("", 1, "expected .version");
    refuse(".target sm_90\n", 1, "expected .version");
    refuse(".version 9.0\n", 2, "no .target");
    refuse(".version x\n", 1, "expected a version");
    refuse(".version 9.0\n.target sm_90\n.address_size 32\n", 4, "address_size 64");
}

Test(ptx_module, variables)
{
    struct ptx_module *module =
        parse(HEADER ".global .align 16 .b8 raw[40];\n"
                     ".visible .const .f64 pi = 0d400921FB54442D18;\n"
                     ".extern .shared .align 16 .b8 dynamic[];\n"
                     ".global .attribute(.managed) .align 4 .u32 managed = 4;\n"
                     ".shared .align 8 .b8 fixed[24];\n"
                     ".global .v4 .f32 quad;\n"
                     ".global .u16 grid[2][3], single;\n");
    const struct ptx_variable *raw = ptx_find_variable(module, "raw");
    cr_assert_eq(module->variable_count, 8);
    cr_assert_eq(raw->space, PTX_GLOBAL);
    cr_assert_eq(raw->size, 40);
    cr_assert_eq(raw->align, 16);
    cr_assert_null(raw->data);
    double pi;
    memcpy(&pi, ptx_find_variable(module, "pi")->data, sizeof pi);
    cr_assert_eq(pi, 3.14159265358979311600);
    cr_assert_eq(ptx_find_variable(module, "pi")->align, 8);
    const struct ptx_variable *dynamic = ptx_find_variable(module, "dynamic");
    cr_assert(dynamic->is_extern && dynamic->size == 0 && dynamic->space == PTX_SHARED);
    cr_assert_eq(ptx_find_variable(module, "managed")->data[0], 4);
    cr_assert_eq(ptx_find_variable(module, "quad")->size, 16);
    cr_assert_eq(ptx_find_variable(module, "quad")->align, 16);
    cr_assert_eq(ptx_find_variable(module, "grid")->size, 12);
    cr_assert_eq(ptx_find_variable(module, "single")->size, 2);
    cr_assert_null(ptx_find_variable(module, "missing"));
    ptx_free(module);
}

static void expect_bytes(const struct ptx_module *module, const char *name, const void *bytes,
                         size_t size)
{
    const struct ptx_variable *variable = ptx_find_variable(module, name);
    cr_assert_eq(variable->size, size, "%s has %zu bytes", name, variable->size);
    cr_assert_not_null(variable->data, "%s has no initial value", name);
    cr_assert_arr_eq(variable->data, bytes, size, "initial value of %s", name);
}

Test(ptx_module, initial_values)
{
    struct ptx_module *module =
        parse(HEADER ".global .u32 short_list[4] = {1, 2};\n"
                     ".global .s16 rows[2][3] = {{1}, {-2, 3}};\n"
                     ".global .u8 flat[2][2] = {1, 2, 3, 4};\n"
                     ".global .b8 open[] = {7, 8, 9};\n"
                     ".global .f32 floats[3] = {0f3F800000, -0f40000000, 1.5};\n"
                     ".global .f64 wide[2] = {0d4000000000000000, -3};\n"
                     ".global .u64 numbers[4] = {0x10, 010, 0b101U, -1};\n"
                     ".global .u32 zero[3] = {0, 0, 0};\n");
    expect_bytes(module, "short_list", (uint32_t[]){1, 2, 0, 0}, 16);
    expect_bytes(module, "rows", (int16_t[]){1, 0, 0, -2, 3, 0}, 12);
    expect_bytes(module, "flat", (uint8_t[]){1, 2, 3, 4}, 4);
    expect_bytes(module, "open", (uint8_t[]){7, 8, 9}, 3);
    expect_bytes(module, "floats", (float[]){1, -2, 1.5f}, 12);
    expect_bytes(module, "wide", (double[]){2, -3}, 16);
    expect_bytes(module, "numbers", (uint64_t[]){16, 8, 5, UINT64_MAX}, 32);
    cr_assert_null(ptx_find_variable(module, "zero")->data);
    ptx_free(module);
}

static void expect_relocation(const struct ptx_relocation *relocation, size_t at,
                              const char *symbol, int64_t addend, int bytes, int shift)
{
    cr_assert_eq(relocation->at, at);
    cr_assert_str_eq(relocation->symbol, symbol);
    cr_assert_eq(relocation->addend, addend);
    cr_assert_eq(relocation->bytes, bytes);
    cr_assert_eq(relocation->shift, shift);
}

Test(ptx_module, initial_values_that_are_addresses)
{
    struct ptx_module *module =
        parse(HEADER ".global .b8 text[8];\n.func f();\n"
                     ".global .u64 pointers[4] = {text, generic(text)+4, 5, f};\n"
                     ".global .align 1 .u8 packed[3] = {97, 0XFF(generic(text)+2), 0xFF00(f)};\n");
    const struct ptx_variable *pointers = ptx_find_variable(module, "pointers");
    cr_assert_eq(pointers->relocation_count, 3);
    expect_relocation(&pointers->relocations[0], 0, "text", 0, 8, 0);
    expect_relocation(&pointers->relocations[1], 8, "text", 4, 8, 0);
    expect_relocation(&pointers->relocations[2], 24, "f", 0, 8, 0);
    cr_assert_eq(pointers->data[16], 5);
    const struct ptx_variable *packed = ptx_find_variable(module, "packed");
    cr_assert_eq(packed->relocation_count, 2);
    expect_relocation(&packed->relocations[0], 1, "text", 2, 1, 0);
    expect_relocation(&packed->relocations[1], 2, "f", 0, 1, 8);
    ptx_free(module);
}

Test(ptx_module, refusals_of_variables)
{
    refuse(HEADER ".global .u32 a[2] = {1, 2, 3};", 4, "more initial values");
    refuse(HEADER ".global .u32 a[2][2] = {{1, 2, 3}};", 4, "too many initial values in a row");
    refuse(HEADER ".global .u32 a = {1};", 4, "braces nested deeper");
    refuse(HEADER ".global .u32 a;\n.global .u32 a;", 5, "defined twice");
    refuse(HEADER ".global .u64 a = b;", 4, "unknown name 'b'");
    refuse(HEADER ".global .u32 a = a;", 4, "does not fit");
    refuse(HEADER ".global .align 3 .u32 a;", 4, "power of two");
    refuse(HEADER ".global .u32 a[4294967296][4294967296];", 4, "too large");
    refuse(HEADER ".global .u32 a[99999999999999999999];", 4, "64 bits");
    refuse(HEADER ".global .texref a;", 4, "expected a type");
    refuse(HEADER ".global .u32 a = 08;", 4, "out of range");
    refuse(HEADER ".global .f32 a = 0f12;", 4, "8 hexadecimal digits");
    refuse(HEADER ".shared .u32 a = 1;", 4, "initial values");
}

/* --- functions --- */

Test(ptx_function, head_of_a_kernel)
{
    struct ptx_module *module =
        parse(HEADER ".visible .entry k(\n.param .u8 a,\n"
                     ".param .u64 .ptr .global .align 128 b,\n.param .align 8 .b8 c[40],\n"
                     ".param .f32 d)\n.maxntid 32, 8\n.minnctapersm 2\n{ ret; }\n"
                     ".entry fixed() .reqntid 16, 4, 2 { ret; }\n");
    const struct ptx_function *kernel = ptx_find_function(module, "k");
    cr_assert(kernel->is_entry && kernel->has_body);
    cr_assert_eq(kernel->param_count, 4);
    cr_assert_eq(kernel->params[1].offset, 8);
    cr_assert_eq(kernel->params[1].align, 8, "the alignment is that of what is pointed at");
    cr_assert_eq(kernel->params[2].offset, 16);
    cr_assert_eq(kernel->params[3].offset, 56);
    cr_assert_eq(kernel->param_bytes, 60);
    cr_assert_eq(kernel->max_threads, 256);
    cr_assert_eq(kernel->required_block[0], 0);
    const struct ptx_function *fixed = ptx_find_function(module, "fixed");
    cr_assert_arr_eq(fixed->required_block, ((int[]){16, 4, 2}), 3 * sizeof(int));
    ptx_free(module);
}

Test(ptx_function, a_definition_completes_a_declaration)
{
    struct ptx_module *module =
        parse(HEADER ".func (.param .align 8 .b8 r[16]) f(.param .b64 a)\n;\n"
                     ".func (.param .align 8 .b8 r[16]) f(.param .b64 a)\n{\nret;\n}\n"
                     ".weak .func g()\n.noreturn;\n.alias g, f;\n");
    const struct ptx_function *function = ptx_find_function(module, "f");
    cr_assert_eq(module->function_count, 2);
    cr_assert(function->has_body && !function->is_entry);
    cr_assert_eq(function->return_count, 1);
    cr_assert_eq(function->returns[0].size, 16);
    cr_assert_eq(ptx_find_function(module, "g")->instructions, function->instructions);
    refuse(HEADER ".func f() { ret; }\n.func f() { ret; }", 5, "defined twice");
    ptx_free(module);
}

Test(ptx_function, memory_of_a_function)
{
    struct ptx_module *module = parse_code(".shared .b8 s1;\n.shared .align 8 .b8 s2[16];\n"
                                           ".local .align 16 .b8 depot[20];\n"
                                           "{ .param .b32 a; .param .align 8 .b8 b[16]; }\n"
                                           "{ .param .b64 a; { .param .b32 c; } }\n");
    const struct ptx_function *kernel = ptx_find_function(module, "k");
    cr_assert_eq(kernel->shared_bytes, 24);
    cr_assert_eq(kernel->variables[1].offset, 8);
    cr_assert_eq(kernel->local_bytes, 20);
    /* Call sequences follow one another, so they share their memory. */
    cr_assert_eq(kernel->callparam_bytes, 24);
    cr_assert_eq(kernel->variables[4].offset, 8);
    cr_assert_eq(kernel->variables[5].offset, 0);
    cr_assert_eq(kernel->variables[6].offset, 8);
    ptx_free(module);
}

Test(ptx_function, running_into_the_end_returns)
{
    struct ptx_module *module =
        parse(HEADER ".entry empty() { }\n"
                     ".entry open() { .reg .b32 %r<2>; mov.u32 %r1, 1; }\n"
                     ".entry jump() { .reg .pred %p<2>; @%p1 bra END; ret; END: }\n"
                     ".entry closed() { ret; END: }\n");
    static const char *const names[] = {"empty", "open", "jump", "closed"};
    static const int counts[] = {1, 2, 3, 1};
    for (int i = 0; i < 4; i++) {
        const struct ptx_function *function = ptx_find_function(module, names[i]);
        cr_assert_eq(function->instruction_count, counts[i], "%s", names[i]);
        cr_assert_str_eq(function->instructions[counts[i] - 1].opcode, "ret");
    }
    cr_assert_eq(ptx_find_function(module, "jump")->instructions[0].operands[0].target, 2);
    ptx_free(module);
}

/* --- instructions and operands --- */

Test(ptx_operand, opcode_and_guard)
{
    struct ptx_module *module =
        parse_code("@!%p2 cp.async.ca.shared::cta.global.L2::128B [%rd1+-8], [table+4], 16;\n");
    const struct ptx_instruction *instruction = first(module);
    static const char *const parts[] = {"cp", "async", "ca", "shared::cta", "global", "L2::128B"};
    cr_assert_str_eq(instruction->opcode, "cp.async.ca.shared::cta.global.L2::128B");
    cr_assert_eq(instruction->part_count, 6);
    for (int i = 0; i < 6; i++)
        cr_assert_str_eq(instruction->parts[i], parts[i]);
    cr_assert(instruction->guard_negated);
    cr_assert_str_eq(ptx_find_function(module, "k")->registers[instruction->guard].name, "%p2");
    cr_assert_eq(instruction->operands[0].kind, PTX_OPERAND_ADDRESS);
    cr_assert_geq(instruction->operands[0].reg, 0);
    cr_assert_eq(instruction->operands[0].offset, -8);
    cr_assert_eq(instruction->operands[1].variable, ptx_find_variable(module, "table"));
    cr_assert_eq(instruction->operands[1].reg, -1);
    cr_assert_eq(instruction->operands[1].offset, 4);
    cr_assert_eq(instruction->operands[2].imm, 16);
    ptx_free(module);
}

Test(ptx_operand, immediates)
{
    struct ptx_module *module =
        parse_code("mov.b64 %rd1, -9223372036854775808;\nmov.b32 %r1, 0x7FU;\n"
                   "mov.f32 %f1, 0fBF800000;\nmov.f32 %f1, -0f3F800000;\n"
                   "mov.f64 %rd1, 0d3FF0000000000000;\nmov.u32 %r1, WARP_SZ;\n");
    const struct ptx_instruction *code = first(module);
    static const uint64_t bits[] = {1ull << 63, 127, 0xBF800000, 0xBF800000, 0x3FFull << 52, 32};
    static const enum ptx_immediate_kind kinds[] = {
        PTX_IMMEDIATE_INTEGER, PTX_IMMEDIATE_INTEGER, PTX_IMMEDIATE_F32,
        PTX_IMMEDIATE_F32,     PTX_IMMEDIATE_F64,     PTX_IMMEDIATE_INTEGER,
    };
    for (int i = 0; i < 6; i++) {
        cr_assert_eq(code[i].operands[1].kind, PTX_OPERAND_IMMEDIATE);
        cr_assert_eq(code[i].operands[1].imm, bits[i], "immediate %d", i);
        cr_assert_eq(code[i].operands[1].imm_kind, kinds[i], "immediate %d", i);
    }
    ptx_free(module);
}

Test(ptx_operand, vectors_pairs_and_sinks)
{
    struct ptx_module *module =
        parse_code("ld.global.v4.f32 {%f1, %f2, _, %f3}, [%rd1];\n"
                   "setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3;\n"
                   "shfl.sync.bfly.b32 %r1|_, %r2, 1, 31, -1;\n"
                   "cp.async.bulk.tensor.2d.global.shared::cta [%rd1, {%r1, %r2}], [%rd2];\n");
    const struct ptx_instruction *code = first(module);
    cr_assert_eq(code[0].operands[0].kind, PTX_OPERAND_VECTOR);
    cr_assert_eq(code[0].operands[0].element_count, 4);
    cr_assert_eq(code[0].operands[0].elements[2].kind, PTX_OPERAND_SINK);
    cr_assert_str_eq(register_name(module, &code[0].operands[0].elements[3]), "%f3");
    cr_assert_eq(code[1].operands[0].kind, PTX_OPERAND_PAIR);
    cr_assert_str_eq(register_name(module, &code[1].operands[0].elements[1]), "%p2");
    cr_assert(code[1].operands[3].negated);
    cr_assert_eq(code[2].operands[0].elements[1].kind, PTX_OPERAND_SINK);
    cr_assert_eq(code[3].operands[0].elements[0].element_count, 2);
    ptx_free(module);
}

Test(ptx_operand, special_registers_and_parameters)
{
    struct ptx_module *module = parse_code("mov.u32 %r1, %tid.x;\nmov.u64 %rd1, %clock64;\n"
                                           "mov.u32 %r2, %envreg3;\nld.param.u32 %r3, [n];\n"
                                           "mov.u64 %rd2, table+8;\nmov.u64 %rd3, helper;\n");
    const struct ptx_instruction *code = first(module);
    static const char *const names[] = {"%tid.x", "%clock64", "%envreg3"};
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(code[i].operands[1].kind, PTX_OPERAND_SPECIAL);
        cr_assert_str_eq(code[i].operands[1].name, names[i]);
    }
    cr_assert_eq(code[3].operands[1].variable, &ptx_find_function(module, "k")->params[1]);
    cr_assert_eq(code[4].operands[1].kind, PTX_OPERAND_VARIABLE);
    cr_assert_eq(code[4].operands[1].offset, 8);
    cr_assert_eq(code[5].operands[1].kind, PTX_OPERAND_FUNCTION);
    cr_assert_eq(code[5].operands[1].function, ptx_find_function(module, "helper"));
    ptx_free(module);
}

Test(ptx_operand, calls_always_have_the_same_operands)
{
    struct ptx_module *module = parse_code(
        "call helper;\n"
        "{ .param .b32 param0; .param .b32 retval0;\n"
        "call.uni (retval0), helper, (param0);\n"
        "call (retval0), vprintf, (param0); }\n"
        "{ .param .b32 param0;\n"
        "prototype_2 : .callprototype (.param .b32 _) _ (.param .b64 _, .param .b32 _);\n"
        "call %rd1, (param0), prototype_2; }\n");
    const struct ptx_instruction *code = first(module);
    const struct ptx_function *kernel = ptx_find_function(module, "k");
    cr_assert_eq(code[0].operand_count, 3);
    cr_assert_eq(code[0].operands[0].element_count, 0);
    cr_assert_eq(code[0].operands[1].function, ptx_find_function(module, "helper"));
    cr_assert_eq(code[1].operands[0].elements[0].variable, &kernel->variables[1]);
    cr_assert_eq(code[1].operands[2].elements[0].variable, &kernel->variables[0]);
    cr_assert_null(code[2].operands[1].function, "vprintf has no body");
    cr_assert_str_eq(code[2].operands[1].name, "vprintf");
    cr_assert_eq(code[3].operand_count, 4);
    cr_assert_eq(code[3].operands[1].kind, PTX_OPERAND_REGISTER);
    cr_assert_eq(code[3].operands[2].elements[0].variable, &kernel->variables[2]);
    cr_assert_eq(code[3].operands[3].function->param_count, 2);
    cr_assert_eq(code[3].operands[3].function->params[1].offset, 8);
    ptx_free(module);
}

Test(ptx_operand, inner_scopes_hide_outer_names)
{
    struct ptx_module *module =
        parse_code("mov.u32 %r1, 1;\n"
                   "{ .reg .u32 %r0, %r1; .reg .pred p; mov.u32 %r1, 2; @p bra DONE;\n"
                   "mov.u32 %r1, 3; DONE: }\n"
                   "{ .reg .pred p; @p bra DONE; mov.u32 %r1, 4; DONE: }\nmov.u32 %r1, 5;\n");
    const struct ptx_instruction *code = first(module);
    int outer = code[0].operands[0].reg, inner = code[1].operands[0].reg;
    cr_assert_neq(outer, inner);
    cr_assert_eq(code[3].operands[0].reg, inner);
    cr_assert_eq(code[5].operands[0].reg, outer);
    cr_assert_eq(code[6].operands[0].reg, outer);
    cr_assert_eq(code[2].operands[0].target, 4);
    cr_assert_eq(code[4].operands[0].target, 6);
    cr_assert_neq(code[2].guard, code[4].guard);
    ptx_free(module);
}

Test(ptx_operand, branch_targets)
{
    struct ptx_module *module =
        parse_code("ts: .branchtargets A, B, A;\nbrx.idx %r1, ts;\nA: mov.u32 %r1, 1;\n"
                   "B: bra.uni A;\n");
    const struct ptx_operand *targets = &first(module)[0].operands[1];
    cr_assert_eq(targets->kind, PTX_OPERAND_VECTOR);
    cr_assert_eq(targets->element_count, 3);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(targets->elements[i].kind, PTX_OPERAND_LABEL);
        cr_assert_eq(targets->elements[i].target, i == 1 ? 2 : 1);
    }
    cr_assert_eq(first(module)[2].operands[0].target, 1);
    ptx_free(module);
}

#define BODY(code)                                                                                 \
    HEADER ".entry k(.param .u32 n) { .reg .b32 %r<4>; .reg .pred %p<2>;\n" code "\n}"

Test(ptx_operand, refusals_in_bodies)
{
    refuse(BODY("mov.u32 %r4, 1;"), 5, "unknown register '%r4'");
    refuse(BODY("mov.u32 %r01, 1;"), 5, "unknown register '%r01'");
    refuse(BODY("mov.u32 %r1, nothing;"), 5, "unknown name 'nothing'");
    refuse(BODY("ld.u32 %r1, [nothing];"), 5, "unknown name 'nothing'");
    refuse(BODY("ld.u32 %r1, [%tid.x];"), 5, "not an address");
    refuse(BODY("bra AWAY;"), 5, "unknown name 'AWAY'");
    refuse(BODY("{ HERE: } bra HERE;"), 5, "unknown name 'HERE'");
    refuse(BODY("HERE: HERE: ret;"), 5, "declared twice");
    refuse(BODY("@%r1 ret;"), 5, "not a predicate");
    refuse(BODY("mov.u32 %r1, 1"), 6, "expected ';', found '}'");
    refuse(BODY("%r1 = 4;"), 5, "expected an instruction");
    refuse(BODY("call (%r1), 7;"), 5, "a function or a register to call");
    refuse(BODY("mov.u32 {{{{{{{{{%r1"), 5, "nested too deeply");
    refuse(BODY(".reg .b128 %q;"), 5, "128-bit");
    refuse(BODY("a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q;"), 5, "more than 16 parts");
}

/* --- source lines --- */

static void expect_line(const struct ptx_instruction *instruction, const char *file, int line)
{
    cr_assert_eq(instruction->line, line, "line %d instead of %d", instruction->line, line);
    if (file)
        cr_assert_str_eq(instruction->file, file);
    else
        cr_assert_null(instruction->file);
}

Test(ptx_location, chains_lead_out_of_the_toolkit)
{
    struct ptx_module *module = parse(
        HEADER ".entry k() { .reg .b32 %r<2>;\nmov.u32 %r1, 0;\n.loc 1 10 5\nmov.u32 %r1, 1;\n"
               /* a user's inline function: its own line */
               ".loc 1 3 9, function_name $L__info_string0, inlined_at 1 10 5\nmov.u32 %r1, 2;\n"
               /* the toolkit inside that: the line of the inline function */
               ".loc 2 449 9, function_name $L__info_string1+4, inlined_at 1 3 9\nmov.u32 %r1, 3;\n"
               /* the toolkit inside the toolkit */
               ".loc 3 7 1, function_name $L__info_string2, inlined_at 2 449 9\nmov.u32 %r1, 4;\n"
               /* the same header line from another place */
               ".loc 1 20 5\n.loc 2 449 9, function_name x, inlined_at 1 20 5\nmov.u32 %r1, 5;\n"
               /* the toolkit alone */
               ".loc 3 8 1\nmov.u32 %r1, 6;\nret;\n}\n"
               ".file 1 \"/home/me/cuda-lab/kernel.cu\"\n"
               ".file 2 \"/usr/local/cuda/bin/../targets/x86_64-linux/include/sm_30.hpp\"\n"
               ".file 3 \"/opt/venv/nvidia/cu13/include/crt/x.hpp\", 12345, 678\n");
    const struct ptx_instruction *code = first(module);
    expect_line(&code[0], NULL, 0);
    expect_line(&code[1], "/home/me/cuda-lab/kernel.cu", 10);
    expect_line(&code[2], "/home/me/cuda-lab/kernel.cu", 3);
    expect_line(&code[3], "/home/me/cuda-lab/kernel.cu", 3);
    expect_line(&code[4], "/home/me/cuda-lab/kernel.cu", 3);
    expect_line(&code[5], "/home/me/cuda-lab/kernel.cu", 20);
    expect_line(&code[6], "/opt/venv/nvidia/cu13/include/crt/x.hpp", 8);
    cr_assert_eq(code[1].ptx_line, 7);
    cr_expect_eq(code[1].call_line, 0);
    cr_expect_eq(code[2].call_line, 10, "where the inline function is called");
    cr_expect_str_eq(code[2].call_file, "/home/me/cuda-lab/kernel.cu");
    cr_expect_eq(code[3].call_line, 10);
    cr_expect_eq(code[5].call_line, 0, "a function of the toolkit is none of the user's");
    ptx_free(module);
}

/* Texts of separately compiled units, one after the other. */
Test(ptx_location, several_units)
{
    struct ptx_module *module = parse(
        HEADER ".extern .func (.param .b32 r) other();\n.extern .global .u32 theirs;\n"
               ".global .u32 mine = 1;\n.global .u64 to_mine = mine;\n"
               ".weak .func inlined() { ret; }\n.weak .global .u32 once = 7;\n"
               ".visible .entry k() { .reg .b64 %d<2>;\n.loc 1 10 0\nmov.u64 %d1, mine;\nret; }\n"
               ".file 1 \"first.cu\"\n" HEADER ".visible .global .u32 theirs = 3;\n"
               ".global .u32 mine = 2;\n.weak .func inlined() { ret; }\n"
               ".weak .global .u32 once = 8;\n.visible .func (.param .b32 r) other() {\n"
               ".reg .b64 %d<2>;\n.loc 1 20 0\nmov.u64 %d1, mine;\nret; }\n"
               ".file 1 \"second.cu\"\n");
    const struct ptx_instruction *const one = ptx_find_function(module, "k")->instructions;
    const struct ptx_instruction *const two = ptx_find_function(module, "other")->instructions;
    cr_expect_eq(one->operands[1].variable->data[0], 1);
    cr_expect_eq(two->operands[1].variable->data[0], 2);
    cr_expect_str_eq(ptx_find_variable(module, "to_mine")->relocations[0].symbol,
                     one->operands[1].variable->name);
    cr_expect_eq(ptx_find_variable(module, "theirs")->data[0], 3);
    cr_expect_eq(ptx_find_variable(module, "once")->data[0], 7);
    expect_line(one, "first.cu", 10);
    expect_line(two, "second.cu", 20);
    ptx_free(module);
    refuse(HEADER ".visible .global .u32 a;\n" HEADER ".visible .global .u32 a;", 8,
           "defined twice");
    refuse(HEADER ".visible .func f() { ret; }\n" HEADER ".visible .func f() { ret; }", 8,
           "defined twice");
}

Test(ptx_location, a_chain_that_bites_its_tail_ends)
{
    struct ptx_module *module =
        parse(HEADER ".file 1 \"/usr/include/a.h\"\n.entry k() {\n"
                     ".loc 1 1 1, function_name f, inlined_at 1 1 1\nret; }\n");
    expect_line(&first(module)[0], "/usr/include/a.h", 1);
    ptx_free(module);
}

/* As the packages and the wheels of a toolkit lay out their headers, and nvcc names them. */
Test(ptx_location, headers_of_a_toolkit_wherever_it_lies)
{
    static const struct {
        const char *path, *home;
        bool expected;
    } cases[] = {
        {"/usr/local/cuda-13.0/bin/../targets/x86_64-linux/include/sm_30.hpp", NULL, true},
        {"/usr/local/cuda/include/cuda_runtime.h", NULL, true},
        {"/usr/local/cuda-13.0/targets/sbsa-linux/include/crt/x.hpp", NULL, true},
        {"/home/me/lab/build/toolkit/nvidia/cu13/bin/..//include/device_atomic_functions.hpp", NULL,
         true},
        {"/home/me/lab/build/toolkit/nvidia/cu13/include/crt/x.hpp", NULL, true},
        {"/home/me/venv/lib/python3.11/site-packages/nvidia/cuda_runtime/include/x.h", NULL, true},
        {"/opt/sdk/bin/..//include/x.hpp", NULL, true},
        {"/opt/sdk/bin/../targets/x86_64-linux/include/x.hpp", NULL, true},
        {"/opt/sdk/include/x.hpp", "/opt/sdk", true},
        {"/opt/sdk/./bin/../include//x.hpp", "/opt/sdk/", true},
        {"/opt/other/../sdk/targets/sbsa-linux/include/x.hpp", "/opt/sdk", true},
        {"/usr/include/x86_64-linux-gnu/bits/math.h", NULL, true},
        {"/usr/lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/cmath", NULL, true},
        /* the user's, however much they look like it */
        {"/home/me/lab/steps/07_float4/kernel.cu", "/opt/sdk", false},
        {"/home/me/lab/common/step.h", "/home/me/lab/build/toolkit/nvidia/cu13", false},
        {"/opt/sdk/include/x.hpp", NULL, false},
        {"/opt/sdk2/include/x.hpp", "/opt/sdk", false},
        {"/opt/sdk/samples/kernel.cu", "/opt/sdk", false},
        {"/opt/sdk/samples/include/kernel.h", "/opt/sdk", false},
        {"/home/me/cuda-lab/include/tile.h", NULL, false},
        {"/home/me/cuda/kernel.cu", NULL, false},
        {"/usr/include/../../home/me/kernel.cu", NULL, false},
        {"kernel.cu", "/opt/sdk", false},
        {"../include/kernel.cu", "/opt/sdk", false},
        {"", "/opt/sdk", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(ptx_path_is_of_toolkit(cases[i].path, cases[i].home), cases[i].expected,
                     "%s, with the toolkit in %s", cases[i].path, cases[i].home);
}

Test(ptx_location, chains_lead_out_of_the_wheels_too)
{
    struct ptx_module *module = parse(
        HEADER
        ".entry k() { .reg .b32 %r<2>;\n"
        ".loc 1 10 5\n.loc 2 449 9, function_name x, inlined_at 1 10 5\nmov.u32 %r1, 1;\n"
        "ret;\n}\n"
        ".file 1 \"/home/me/lab/kernel.cu\"\n.file 2 \"/home/me/lab/build/toolkit/nvidia/cu13/"
        "bin/..//include/device_atomic_functions.hpp\"\n");
    expect_line(&first(module)[0], "/home/me/lab/kernel.cu", 10);
    ptx_free(module);
}

/* --- malformed text --- */

/* What nvcc 13 emits for a small kernel, shortened, with a bit of everything. */
static const char sample[] =
    "//\n// Generated by NVIDIA NVVM Compiler\n//\n\n.version 9.0\n.target sm_90\n"
    ".address_size 64\n\n\t// .globl\t_Z1kPfi\n"
    ".extern .func  (.param .b32 func_retval0) vprintf\n(\n\t.param .b64 vprintf_param_0,\n"
    "\t.param .b64 vprintf_param_1\n)\n;\n"
    ".func  (.param .b32 func_retval0) _Z3inci(\n\t.param .b32 _Z3inci_param_0\n)\n{\n"
    "\t.reg .b32 \t%r<3>;\n\t.loc\t1 12 0\n\n\tld.param.u32 \t%r1, [_Z3inci_param_0];\n"
    "\tadd.s32 \t%r2, %r1, 1;\n\tst.param.b32 \t[func_retval0+0], %r2;\n\tret;\n\n}\n"
    ".const .align 4 .b8 coef[16] = {0, 0, 128, 63, 0, 0, 0, 64};\n"
    ".global .align 8 .u64 table[2] = {_Z3inci, generic(coef)+8};\n"
    ".extern .shared .align 16 .b8 dyn[];\n"
    ".visible .entry _Z1kPfi(\n\t.param .u64 _Z1kPfi_param_0,\n\t.param .u32 _Z1kPfi_param_1\n)\n"
    ".maxntid 256, 1, 1\n{\n"
    "\t.local .align 16 .b8 \t__local_depot0[24];\n\t.reg .b64 \t%SP;\n\t.reg .b64 \t%SPL;\n"
    "\t.reg .pred \t%p<3>;\n\t.reg .f32 \t%f<4>;\n\t.reg .b32 \t%r<9>;\n\t.reg .b64 \t%rd<8>;\n"
    "\t// demoted variable\n\t.shared .align 4 .b8 _ZZ1kE1s[128];\n"
    "\tmov.u64 \t%SPL, __local_depot0;\n\tcvta.local.u64 \t%SP, %SPL;\n"
    "\tld.param.u64 \t%rd1, [_Z1kPfi_param_0];\n\t.loc\t1 19 30\n"
    "\tmov.u32 \t%r1, %tid.x;\n\tsetp.gt.s32 \t%p1, %r1, 7;\n\t@%p1 bra \t$L__BB1_3;\n\n"
    "\tmov.f32 \t%f1, 0f3F800000;\n\tst.shared.v2.f32 \t[_ZZ1kE1s+8], {%f1, %f1};\n"
    "\tbra.uni \t$L__BB1_2;\n\n$L__BB1_3:\n\tld.shared.f32 \t%f1, [dyn+4];\n"
    "\t.pragma \"nounroll\";\n\n$L__BB1_2:\n\t.loc\t2 107 3, function_name $L__info_string1, "
    "inlined_at 1 19 30\n\tatom.global.add.f32 \t%f2, [%rd1+-4], %f1;\n"
    "\t{ // callseq 0, 0\n\t.reg .b32 temp_param_reg;\n\t.param .b64 param0;\n"
    "\tst.param.b64 \t[param0+0], %rd1;\n\t.param .b32 retval0;\n"
    "\tprototype_0 : .callprototype (.param .b32 _) _ (.param .b64 _);\n"
    "\tcall (retval0), \n\t%rd2, \n\t(\n\tparam0\n\t)\n\t, prototype_0;\n"
    "\tld.param.b32 \t%r2, [retval0+0];\n\t} // callseq 0\n"
    "\t{\n\t.reg .b32 %temp; \n\tmov.b64 \t{%temp, %r5}, %rd1;\n\t}\n"
    "\tshfl.sync.bfly.b32 \t%r3|%p2, %r2, 1, 31, -1;\n"
    "\t@!%p2 st.global.u32 \t[%rd1], %r3;\n\tret;\n$L__func_end1:\n\n}\n"
    "\t.file\t1 \"/tmp/a.cu\"\n\t.file\t2 \"/usr/local/cuda/include/x.hpp\"\n"
    "\t.section\t.debug_str\n\t{\n$L__info_string1:\n.b8 95,90,78,51\n.b8 0\n\n\t}\n";

/* Either a module or a message of one line. */
static bool survive(const char *text, size_t length)
{
    struct ptx_error error;
    struct ptx_module *module = parse_bytes(text, length, &error);
    if (!module) {
        cr_assert(error.message[0] != '\0' && !strchr(error.message, '\n'));
        cr_assert_geq(error.line, 1);
    }
    ptx_free(module);
    return module != NULL;
}

Test(ptx_malformed, the_sample_itself_is_sound)
{
    struct ptx_module *module = parse(sample);
    cr_assert_eq(module->function_count, 3);
    cr_assert_eq(ptx_find_function(module, "_Z1kPfi")->instruction_count, 18);
    ptx_free(module);
}

Test(ptx_malformed, every_truncation)
{
    size_t length = strlen(sample);
    for (size_t i = 0; i < length; i++)
        survive(sample, i);
    cr_assert(survive(sample, length));
}

Test(ptx_malformed, every_byte_replaced_or_left_out)
{
    static const char replacements[] = {'{', '}', '(', ']', ';',  ',',
                                        '"', '.', '0', '%', '\0', '\n'};
    size_t length = strlen(sample);
    char *text = strdup(sample);
    int sound = 0;

    for (size_t i = 0; i < length; i++) {
        text[i] = replacements[i % sizeof replacements];
        survive(text, length);
        text[i] = replacements[(i / 3) % sizeof replacements];
        survive(text, length);
        memmove(text + i, sample + i + 1, length - i - 1);
        sound += survive(text, length - 1);
        memcpy(text, sample, length);
    }
    cr_assert_gt(sound, 100, "leaving out a blank does no harm");
    free(text);
}

Test(ptx_malformed, hostile_sizes)
{
    char deep[20000];
    refuse(HEADER ".global .b8 a[1099511627776] = {1};", 4, "too large to have an initial value");
    memset(deep, '{', sizeof deep);
    memcpy(deep, HEADER ".entry k() ", strlen(HEADER ".entry k() "));
    cr_assert_not(survive(deep, sizeof deep));
    memset(deep, '(', sizeof deep);
    memcpy(deep, HEADER ".entry k() {call ", strlen(HEADER ".entry k() {call "));
    cr_assert_not(survive(deep, sizeof deep));
    /* A range costs nothing until its registers are named. */
    struct ptx_module *module =
        parse(HEADER ".entry k() { .reg .b32 %r<2000000000>; mov.u32 %r1999999999, 1; }");
    cr_assert_not_null(module);
    ptx_free(module);
}

/* More than the hardware has is refused before anything makes room for it. */
Test(ptx_functions, local_memory_has_an_end)
{
    ptx_free(parse(HEADER ".entry f()\n{\n.local .b8 x[524288];\nret;\n}\n"));
    refuse(HEADER ".entry f()\n{\n.local .b8 x[524289];\nret;\n}\n", 9, "local memory");
    refuse(HEADER ".entry f()\n{\n.local .b8 x[4294967296];\nret;\n}\n", 9, "local memory");
    refuse(HEADER ".func (.param .b8 x[4294967296]) g()\n{\nret;\n}\n", 5, "parameters");
    refuse(HEADER ".func g(.param .b8 x[4294967296])\n{\nret;\n}\n", 5, "parameters");
}

/* --- bodies one by one --- */

/* The same instructions on the same lines as of the whole, in any order; one that cannot be parsed,
 * in the middle of its scopes, does the others no harm. */
Test(ptx_rest, bodies_are_parsed_when_asked_for)
{
    static const char text[] =
        HEADER ".global .b32 x;\n"
               ".entry a(.param .u32 n)\n{\n.reg .b32 %r<9>;\n// } in a comment\n.loc 1 7 1\n"
               "{ .reg .b32 %r1; mov.u32 %r1, 1; }\nld.global.u32 %r2, [x];\n}\n"
               ".entry bad()\n{\n.reg .b32 %r<9>;\n{ .reg .b32 %q; mov.u32 %q, %r1;\nmov.u32 %q, ?;"
               "\n}\n}\n"
               ".entry unknown()\n{\n.reg .b32 %r<9>;\nld.global.u32 %r1, [y];\nret;\n}\n"
               ".entry b()\n{\n.reg .b32 %r<9>, %q;\n.pragma \"a { string\";\nmov.u32 %q, %r1;\n"
               "call f;\nret;\n}\n"
               ".func f()\n{\nret;\n}\n.entry empty() { }\n"
               ".file 1 \"kernel.cu\"\n";
    struct ptx_error error;
    struct ptx_module *const module = ptx_parse_heads(text, strlen(text), &error);
    cr_assert_not_null(module, "line %d: %s", error.line, error.message);
    const struct ptx_function *const a = ptx_find_function(module, "a");
    const struct ptx_function *const b = ptx_find_function(module, "b");
    const struct ptx_function *const bad = ptx_find_function(module, "bad");
    cr_expect_eq(a->instruction_count + b->instruction_count, 0);
    cr_expect_eq(ptx_find_function(module, "f")->instruction_count, 1);
    for (int twice = 0; twice < 2; twice++) {
        cr_expect_not(ptx_complete(module, bad, &error));
        cr_expect_eq(error.line, 17, "%d: %s", error.line, error.message);
    }
    cr_expect_not(ptx_complete(module, ptx_find_function(module, "unknown"), &error));
    cr_expect(strstr(error.message, "unknown name 'y'"), "%s", error.message);
    cr_assert(ptx_complete(module, b, &error) && ptx_complete(module, a, &error));
    cr_assert(ptx_complete(module, ptx_find_function(module, "empty"), &error));
    cr_expect_eq(b->instruction_count, 3);
    cr_expect_eq(b->instructions[0].ptx_line, 30);
    cr_assert_eq(a->instruction_count, 3);
    cr_expect_eq(a->instructions[1].operands[1].variable, ptx_find_variable(module, "x"));
    cr_expect_eq(a->instructions[1].line, 7);
    cr_expect_str_eq(a->instructions[1].file, "kernel.cu");
    cr_expect(ptx_complete(module, a, &error), "once is enough");
    ptx_free(module);
}

/* An indirect call may reach what any body takes the address of: then all are parsed at once. */
Test(ptx_rest, bodies_that_others_depend_on_are_parsed_at_once)
{
    static const char text[] = HEADER ".entry a()\n{\nret;\n}\n.entry b()\n{\n.reg .b64 %rd<2>;\n"
                                      "p : .callprototype _ ();\ncall %rd1, (), p;\nret;\n}\n";
    struct ptx_error error;
    struct ptx_module *const module = ptx_parse_heads(text, strlen(text), &error);
    cr_assert_not_null(module, "line %d: %s", error.line, error.message);
    cr_expect_eq(ptx_find_function(module, "a")->instruction_count, 1);
    ptx_free(module);
}
