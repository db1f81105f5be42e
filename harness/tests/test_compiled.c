/* What nvcc made is taken again for the same command, text and included files, and for nothing
 * else. No compiler is run here: a file that says what it made stands for it. */
#include "machine/compiled.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/lab-compiled-XXXXXX";
static char source[64], object[64], depends[64], header[64];
static char *words[] = {"/bin/sh", "-O3", "-MF", depends, source, "-o", object, NULL};

static void write_text(const char *path, const char *text)
{
    FILE *const file = fopen(path, "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s", path);
}

/* A file that was last changed `seconds` ago. */
static void write_old(const char *path, const char *text, int seconds)
{
    struct timespec times[2];
    write_text(path, text);
    cr_assert(clock_gettime(CLOCK_REALTIME, &times[0]) == 0);
    times[0].tv_sec -= seconds;
    times[1] = times[0];
    cr_assert(utimensat(AT_FDCWD, path, times, 0) == 0);
}

static void begin(void)
{
    char list[256];
    cr_assert(mkdtemp(folder));
    snprintf(source, sizeof source, "%s/k.cu", folder);
    snprintf(object, sizeof object, "%s/k.o", folder);
    snprintf(depends, sizeof depends, "%s/k.d", folder);
    snprintf(header, sizeof header, "%s/a b.h", folder);
    snprintf(list, sizeof list, "%s : %s \\\n    %s/a\\ b.h \\\n    /bin/sh\n", object, source,
             folder);
    write_text(source, "kernel");
    write_text(object, "made");
    write_text(depends, list);
    write_old(header, "header", 100);
}

static void end(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    cr_assert(system(command) == 0);
}

/* Whether what a compilation makes is known; if not, it is kept, with a message. */
static bool is_known(const char *place)
{
    char *messages = NULL, made[16] = "";
    struct lab_compilation compilation = {
        .words = words, .source = source, .place = place, .object = object, .depends = depends};
    const bool result = lab_compilation_known(&compilation, &messages);
    if (result) {
        FILE *const file = fopen(object, "r");
        cr_assert(file && fgets(made, sizeof made, file) && fclose(file) == 0);
        cr_expect_str_eq(made, "made");
        cr_expect_str_eq(messages, "a warning");
        cr_expect(access(depends, R_OK) == 0);
    } else {
        lab_compilation_keep(&compilation, "a warning");
    }
    lab_compilation_end(&compilation);
    free(messages);
    return result;
}

Test(compiled, the_same_is_known, .init = begin, .fini = end)
{
    cr_expect_not(is_known(folder));
    unlink(object);
    unlink(depends);
    cr_expect(is_known(folder));
}

Test(compiled, another_is_not, .init = begin, .fini = end)
{
    cr_expect_not(is_known(folder));
    cr_expect(is_known(folder));
    cr_expect_not(is_known("elsewhere"));
    words[1] = "-O0";
    cr_expect_not(is_known(folder), "another command");
    words[1] = "-O3";
    write_text(source, "Kernel");
    cr_expect_not(is_known(folder), "another text");
    cr_expect(is_known(folder));
    setenv("NVCC_APPEND_FLAGS", "-G", 1);
    cr_expect_not(is_known(folder), "another environment");
    unsetenv("NVCC_APPEND_FLAGS");
    write_old(header, "header", 50);
    cr_expect_not(is_known(folder), "a header that was written again");
    cr_expect(is_known(folder));
    unlink(header);
    cr_expect_not(is_known(folder), "a header that is gone");
}

/* What changes while the compiler runs has been read before or after: nobody knows. */
Test(compiled, a_young_header_is_not_kept, .init = begin, .fini = end)
{
    write_text(header, "header");
    cr_expect_not(is_known(folder));
    cr_expect_not(is_known(folder));
    write_old(header, "header", 100);
    cr_expect_not(is_known(folder));
    cr_expect(is_known(folder));
}

/* A file that is cut off, or that another text of the same place has left, is none. */
Test(compiled, a_broken_one_is_not_taken, .init = begin, .fini = end)
{
    char *messages = NULL;
    struct lab_compilation one = {
        .words = words, .source = source, .place = folder, .object = object, .depends = depends};
    cr_expect_not(is_known(folder));
    cr_assert(lab_compilation_known(&one, &messages));
    struct stat info;
    cr_assert(stat(one.path, &info) == 0);
    for (off_t size = info.st_size; size-- > 0;) {
        cr_assert(truncate(one.path, size) == 0);
        char *none = NULL;
        struct lab_compilation again = one;
        cr_expect_not(lab_compilation_known(&again, &none), "cut off at %ld", (long)size);
        lab_compilation_end(&again);
        free(none);
    }
    lab_compilation_end(&one);
    free(messages);
}
