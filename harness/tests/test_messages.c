/* Text for people: broken at blanks to the width of a window, and what a compiler says many times
 * told once. */
#include "base/text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- wrapped -----------------------------------------------------------------------------------*/

static void expect_wrapped(int columns, int indent, const char *text, const char *wrapped, int rows)
{
    char *shown = NULL;
    size_t length;
    FILE *stream = open_memstream(&shown, &length);
    cr_assert(stream);
    lab_wrap_to(columns);
    cr_expect_eq(lab_print_wrapped(stream, indent, text), rows, "%s", text);
    fclose(stream);
    cr_expect_str_eq(shown, wrapped);
    free(shown);
    if (columns)
        cr_expect_eq(lab_print_wrapped(NULL, indent, text), rows, "measured: %s", text);
}

Test(messages, lines_end_at_words)
{
    expect_wrapped(0, 4, "one line that is as long as it is, which a file keeps\nso\n",
                   "one line that is as long as it is, which a file keeps\nso\n", 1);
    expect_wrapped(20, 0, "twenty columns it is", "twenty columns it is", 1);
    expect_wrapped(20, 0, "twenty columns it is.", "twenty columns it\nis.", 2);
    expect_wrapped(20, 4, "twenty columns it is", "twenty columns\n    it is", 2);
    expect_wrapped(20, 0, "\xc3\xa4\xc3\xb6\xc3\xbc columns it's \xc3\xa4\xc3\xb6",
                   "\xc3\xa4\xc3\xb6\xc3\xbc columns it's \xc3\xa4\xc3\xb6", 1);
    expect_wrapped(20, 0, "a a_word_of_more_than_a_row b", "a\na_word_of_more_than_a_row\nb", 4);
    expect_wrapped(20, 0, "lines of one\nparagraph\nare filled\n\nand\n  others stay\n",
                   "lines of one\nparagraph are filled\n\nand\n  others stay\n", 5);
}

/* --- of a compiler -----------------------------------------------------------------------------*/

static void expect_gathered(const char *text, const char *gathered)
{
    char buffer[4096];
    snprintf(buffer, sizeof buffer, "%s", text);
    lab_compiler_gather(buffer);
    cr_expect_str_eq(buffer, gathered);
}

#define UNUSED(line, name)                                                                         \
    "k.cu(" line "): warning #177-D: variable \"" name "\" was declared but never referenced\n"    \
    "      int " name ";\n          ^\n"

Test(messages, alike_ones_of_a_compiler_are_one)
{
    expect_gathered(UNUSED("3", "a1") "\n" UNUSED("14", "a1") "\n" UNUSED("20", "a1") "\n" UNUSED(
                        "14", "a1") "\n1 error\n",
                    UNUSED("3", "a1") "    and 3 more like it, lines 14, 20\n\n1 error\n");
    expect_gathered(UNUSED("3", "a1") "\n" UNUSED("4", "a2") "\n",
                    UNUSED("3", "a1") "\n" UNUSED("4", "a2") "\n");
    expect_gathered(UNUSED("3", "t<1>") "\n" UNUSED("3", "t<16>") "\n",
                    UNUSED("3", "t<1>") "    and 1 more like it on this line\n\n");
    expect_gathered(
        "k.cu(3): error: no\n  x\nk.cu(4): warning: no\n  x\nh.cu(3): error: no\n  x\n",
        "k.cu(3): error: no\n  x\nk.cu(4): warning: no\n  x\nh.cu(3): error: no\n  x\n");
    expect_gathered("k.cu: In function 'f':\nk.cu:3:5: warning: unused 8\n    3 | x\n"
                    "k.cu: In function 'g':\nk.cu:4:5: warning: unused 16\n    4 | x\n"
                    "k.cu:4:9: note: here\nmake: *** [k] Error 1\n",
                    "k.cu: In function 'f':\nk.cu:3:5: warning: unused 8\n    3 | x\n"
                    "    and 1 more like it, line 4\nmake: *** [k] Error 1\n");
    expect_gathered("no message: of any kind,\nwarning: nowhere\n\nx:",
                    "no message: of any kind,\nwarning: nowhere\n\nx:");
}

/* Of a build that went well its warnings are shown, and not how they are switched off. */
Test(messages, warnings_of_a_build)
{
    char text[] = "NVCC k.cu\n" UNUSED(
        "3", "a1") "\nRemark: The warnings can be suppressed "
                   "with \"-diag-suppress <warning-number>\"\n\n" UNUSED("3", "a1") "\ndone\n";
    lab_compiler_keep_messages(text);
    cr_expect_str_eq(text, UNUSED("3", "a1") "    and 1 more like it on this line\n");
}

/* Hexadecimal numbers, and what a compiler calls an array of no elements; where there is room. */
Test(messages, hard_ones_of_a_compiler_in_plain_words)
{
    static const char shared[] = "ptxas error   : Entry function 'f' uses too much shared data "
                                 "(0x15100 bytes, 0xc000 max)\n";
    static const char empty[] =
        "k.cu(3): error: zero-sized variable \"x\" is not allowed in device code\n      x\n";
    char text[600], room[sizeof shared];
    snprintf(text, sizeof text, "%s%send\n", shared, empty);
    lab_compiler_explain(text, sizeof text);
    cr_expect(strstr(text, "max)\n    that is 86272 bytes, of 49152 that there may be: make the "
                           "arrays of shared memory"),
              "%s", text);
    cr_expect(strstr(text, "code\n    an array of no elements: does its size come out as 0, as 1 / "
                           "2 of ints does?\n      x\nend\n"),
              "%s", text);
    snprintf(room, sizeof room, "%s", shared);
    lab_compiler_explain(room, sizeof room);
    cr_expect_str_eq(room, shared);
}

/* More than are listed, and more than are held. */
Test(messages, many_of_a_compiler)
{
    enum { BYTES = 1 << 17 };
    char *text = malloc(BYTES), *at = text;
    cr_assert(text);
    for (int i = 1; i <= 1000; i++)
        at += sprintf(at, "k.cu(%d): warning: alike, whatever it is\n    x\n\n", i);
    lab_compiler_gather(text);
    cr_expect(strstr(text, "    and 510 more like it, lines 2, 3, 4, 5, 6, 7 ...\n\n"), "%.300s",
              text);
    cr_expect(strstr(text, "\nk.cu(1000): warning"), "the rest stays");
    free(text);
}
