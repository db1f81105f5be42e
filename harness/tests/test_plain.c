/* Which files the grader takes for the same program, and judges once: those that differ in comments
 * and blanks, and none besides. Concerns harness/grade. */
#include "grade/submission.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The plain text, to be freed with what it is. */
static struct lab_source plain_of(const char *text)
{
    struct lab_source plain;
    const struct lab_source source = {.bytes = (char *)text, .size = strlen(text)};
    cr_assert(lab_source_plain(&plain, &source));
    return plain;
}

static bool is_same(const char *one, const char *other)
{
    struct lab_source a = plain_of(one), b = plain_of(other);
    const bool same = a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
    lab_source_free(&a);
    lab_source_free(&b);
    return same;
}

Test(plain, comments_and_blanks)
{
    static const char *const same[][2] = {
        {"int a;\nint b;\n", "int a; // a\n\n\t int  b; /* b\n * and more */"},
        {"int a;\n", "/* // */ int a;"},
        {"int a;\r\nint b;\r\n", "int a;\nint b;\n"},
        {"f(1, 2)", "f(1, // one\n  2)"},
        {"a / b", "a /* by */ / b"},
        {"int a;", "int a; // it's a \"quote"},
        {"int a;\n#define X 1\nint b;", "int a; // x\n\n  #define X 1 // y\n\n /* z */ int b;"},
        {"#define X 1 + 2\n", "#define X 1 /* one\n and */ + 2\n"},
        {"#include \"families/gemm.h\"\nint a;", "// x\n#include \"families/gemm.h\" // y\nint a;"},
        {"#include <cstdio>\nint a;", "#include <cstdio> /* y */\nint a;"},
        {"#pragma unroll\nfor (;;)", "#pragma unroll // all\n    for (;;)"},
        {"s = \"//\" ;", "s = \"//\" /* not a comment */ ;"},
        {"c = '\"' ; d = '\\'' ;", "c = '\"' /* ' */ ; d = '\\'' /* \" */ ;"},
        {"s = \"a\\\\\" ;", "s = \"a\\\\\" // \"\n;"},
        {"/**/ int a;", "/***/ int a;"},
        {"static_assert(N == 4); int a;", "static_assert(N == 4); // four\nint a;"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        cr_expect(is_same(same[i][0], same[i][1]), "%s\nand\n%s", same[i][0], same[i][1]);
}

/* The compiler sees a difference. */
Test(plain, other_programs)
{
    static const char *const other[][2] = {
        {"a+ +b", "a++b"},
        {"a + +b", "a ++b"},
        {"x/**/y", "xy"},
        {"> >", ">>"},
        {"a / *b", "a /*b"},
        {"s = \"//\";", "s = \"/ /\";"},
        {"s = \"// x\";", "s = \"\";"},
        {"s = \"a  b\";", "s = \"a b\";"},
        {"s = \"/* x */\";", "s = \" \";"},
        {"c = '\"'; /* x */ d = '\"';", "c = '\"'; /* y */ d = '\"'; e"},
        {"c = '\"'; s = \"a  b\";", "c = '\"'; s = \"a b\";"},
        {"c = '  ';", "c = ' ';"},
        {"s = \"\\\"  \";", "s = \"\\\" \";"},
        {"#define A(x) x\n", "#define A (x) x\n"},
        {"#define A x\ny", "#define A x y"},
        {"#define A\nB", "#define A B\n"},
        {"int a;\n#define A", "int a; #define A"},
        {"#define A // b\nc", "#define A // b c"},
        {"#define A /* b */\nc", "#define A /* b\n*/ c"},
        {"#if A // b\nc\n#endif", "#if A // b c\n#endif"},
        {"#pragma unroll\nfor", "#pragma unroll for"},
        {"// a\nb", "// a b"},
        {"/* a */ b", "/* a * / b"},
        {"a //\nb", "a /*\nb"},
        {"#include <a//b>\nc", "#include <a//c>\nc"},
        {"1'0+'  '+1'0", "1'0+' '+1'0"},
        {"a\xC2\xA0z", "a z"},
    };
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        cr_expect(!is_same(other[i][0], other[i][1]), "%s\nand\n%s", other[i][0], other[i][1]);
}

/* Where it could matter at which place something stands, nothing is taken away. */
Test(plain, texts_that_stay)
{
    static const char *const stay[] = {
        "int a = __LINE__;",
        "s = __FILE__;",
        "int a = __COUNTER__;",
        "s = __TIME__;",
        "s = __DATE__;",
        "s = __TIMESTAMP__;",
        "s = __BASE_FILE__;",
        "int a = __builtin_LINE();",
        "s = __PRETTY_FUNCTION__;",
        "std::source_location::current();",
        "assert(n > 0);",
        "#define P(a, b) a##b\nint a = P(__LI, NE__);",
        "int a = __CONCAT(__LI, NE__);",
        "CubDebug(e);",
        "s = R\"(  // )\";",
        "s = u8R\"x(  )x\";",
        "#define A b \\\n  c\n",
        "// goes on \\\nint a;",
        "// goes on \\  \nint a;",
        "int a; \\",
        "// goes on ?\?/\nint a;",
        "int a<:3:>;",
        "<% %>",
        "%:define A\nB",
        "#line 7\nint a;",
        "# 7 \"x.cu\"\nint a;",
        "#import <cstdio>\nint a;",
        "#include NAME\nint a;",
        "#include <a b>\nint a;",
        "#include <a'b>\nint a;",
        "#include <a//b>\nint a;",
        "#include \"a/*b\"\nint a;",
        "#include \"a\\b\"\nint a;",
        "#include \"kernel.cu\"\nint a;",
        "#if __has_include(<a//b>)\n#endif",
        "#error don't\n",
        "#warning a  b\n",
        "s = \"without an end\n;",
        "x = 1'000;",
        "c = u8'a';",
        "int \\u00e4;",
        "a # b",
        "int a;\rint b;",
        "int a;\fint b;",
        "\xEF\xBB\xBF#define A\nB",
        "asm(\".incbin \\\"kernel.cu\\\"\");",
    };
    for (size_t i = 0; i < sizeof stay / sizeof *stay; i++) {
        char text[256];
        snprintf(text, sizeof text, "int  before; /* x */\n%s", stay[i]);
        struct lab_source plain = plain_of(text);
        cr_expect_eq(plain.size, strlen(text), "%s", stay[i]);
        cr_expect_arr_eq(plain.bytes, text, strlen(text), "%s", stay[i]);
        lab_source_free(&plain);
    }
}

/* Ends in the middle of anything, and what is plain stays so. */
Test(plain, texts_that_end_early)
{
    static const char text[] = "#define A(x) #x // a\n/* b\n */ s = \"a\\\" b\"; c = '\\'';\n"
                               "#include <cstdio> /* c */\n#if A\n#endif\nint  a; / 2";
    for (size_t size = 0; size < sizeof text; size++) {
        struct lab_source once, twice, source = {.bytes = malloc(size ? size : 1), .size = size};
        memcpy(source.bytes, text, size);
        cr_assert(lab_source_plain(&once, &source));
        cr_assert(lab_source_plain(&twice, &once));
        cr_expect_leq(once.size, size);
        cr_expect_eq(once.size, twice.size, "%zu bytes", size);
        cr_expect_arr_eq(once.bytes, twice.bytes, once.size, "%zu bytes", size);
        lab_source_free(&once);
        lab_source_free(&twice);
        lab_source_free(&source);
    }
}
