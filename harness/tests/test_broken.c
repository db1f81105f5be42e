/* Kernels that must be caught. Each file of broken/ begins with `// expect: STATUS`, followed by
 * `// on a GPU: STATUS` where the hardware cannot tell as much, and by `// run: TARGET OPTIONS`
 * where it is not for the usual ones; where lines are marked BUG, the verdict must name one of them
 * (on the simulator, which knows it). `// no line: WHY` where the status has one otherwise. There,
 * too, `// says: TEXT` stands in the message, and `// says not: TEXT` does not. */
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FILES = 1024, NAME_BYTES = 128, MOST_WORDS = 4, MOST_LINES = 2 };

static struct run_lab result;

struct expectation {
    char status[64];
    char run[128];                     /* target and options */
    int line_count, lines[MOST_LINES]; /* that are marked */
    bool no_line;                      /* and none is expected */
    int word_count, absent_count;
    char words[MOST_WORDS][128], absent[MOST_WORDS][128]; /* of the message */
};

static const char *folder(void)
{
    static char path[4096];
    const char *root = getenv("LAB_TEST_ROOT");
    snprintf(path, sizeof path, "%s/.built/tests/kernels/broken", root ? root : ".");
    return path;
}

static void read_expectation(const char *name, struct expectation *expected)
{
    char path[8192], line[512];
    snprintf(path, sizeof path, "%s/%s", folder(), name);
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s", path);
    cr_assert(fgets(line, sizeof line, file));
    cr_assert_eq(sscanf(line, "// expect: %63s", expected->status), 1, "%s: %s", name, line);
    const char *runtime = getenv("LAB_TEST_RUNTIME");
    const bool is_sim = runtime && strcmp(runtime, "sim") == 0;
    expected->line_count = 0;
    expected->no_line = false;
    expected->word_count = expected->absent_count = 0;
    strcpy(expected->run, "step01 -m 129");
    for (int number = 2; fgets(line, sizeof line, file); number++)
        if (strstr(line, "// BUG") && expected->line_count < MOST_LINES)
            expected->lines[expected->line_count++] = number;
        else if (sscanf(line, "// run: %127[^\n]", expected->run) == 1)
            continue;
        else if (expected->word_count < MOST_WORDS &&
                 sscanf(line, "// says: %127[^\n]", expected->words[expected->word_count]) == 1)
            expected->word_count++;
        else if (expected->absent_count < MOST_WORDS &&
                 sscanf(line, "// says not: %127[^\n]", expected->absent[expected->absent_count]) ==
                     1)
            expected->absent_count++;
        else if (strncmp(line, "// no line: ", 12) == 0)
            expected->no_line = true;
        else if (!is_sim)
            sscanf(line, "// on a GPU: %63s", expected->status);
    fclose(file);
}

/* Any size that no tile divides finds them all. */
static void expect_caught(const char *name)
{
    struct expectation expected;
    char text[128];
    read_expectation(name, &expected);
    char file[NAME_BYTES + 8];
    snprintf(file, sizeof file, "broken/%s", name);
    run_lab(&result, "%s --check-only --source %s --json -", expected.run, run_lab_source(file));
    char *const sources = strstr(result.out, "\"sources\": {"); /* which have the expectation */
    if (sources)
        *sources = '\0';
    const int wanted = strcmp(expected.status, "unsupported") == 0 ? 3 : 1; /* not judged */
    cr_expect_eq(result.status, wanted, "%s: exit status %d\n%s", name, result.status, result.err);
    snprintf(text, sizeof text, "\"status\": \"%s\"", expected.status);
    cr_expect(strstr(result.out, text), "%s: not %s but\n%s%s", name, expected.status, result.out,
              result.err);
    const char *runtime = getenv("LAB_TEST_RUNTIME");
    if (!runtime || strcmp(runtime, "sim") != 0)
        return;
    for (int i = 0; i < expected.word_count; i++)
        cr_expect(strstr(result.out, expected.words[i]), "%s: not \"%s\" but\n%s", name,
                  expected.words[i], result.out);
    const char *message = strstr(result.out, "\"message\": ");
    char *end = message ? strchr(message, '\n') : NULL;
    for (int i = 0; end && i < expected.absent_count; i++) {
        *end = '\0';
        cr_expect(!strstr(message, expected.absent[i]), "%s: %s", name, message);
        *end = '\n';
    }
    bool is_named = expected.line_count == 0;
    for (int i = 0; i < expected.line_count; i++) {
        snprintf(text, sizeof text, "\"line\": %d", expected.lines[i]);
        is_named = is_named || strstr(result.out, text);
    }
    cr_expect(is_named, "%s: not line %d but\n%s", name, expected.lines[0], result.out);
    if (expected.line_count == 0)
        return;
    cr_expect(strstr(result.out, name), "%s is not named in\n%s", name, result.out);
}

/* By the beginning of a file's name: those of no other family are gemm's. */
static const char *family_of(const char *name)
{
    static const char *const families[][2] = {{"summation_", "kernel_summation"},
                                              {"trmm_", "trmm"},
                                              {"syr2k_", "syr2k"},
                                              {"apsp_", "apsp"},
                                              {"md_", "md"},
                                              {"widest_", "widest"},
                                              {"copied_", "copy"},
                                              {"transpose_", "transpose"},
                                              {"histogram_", "histogram"}};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strncmp(name, families[i][0], strlen(families[i][0])) == 0)
            return families[i][1];
    return "gemm";
}

/* Of each class in the table of the folder's README, the first kernel of the first two families. */
static bool stands_for_its_class(const char *name)
{
    static const char *const prefixes[] = {"", "summation_", "trmm_", "syr2k_", "apsp_"};
    char path[8192], line[8192], first[NAME_BYTES], expected[2 * NAME_BYTES];
    bool found = false;
    const char *const root = getenv("LAB_TEST_ROOT");
    snprintf(path, sizeof path, "%s/harness/tests/broken/README.md", root ? root : ".");
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s", path);
    while (!found && fgets(line, sizeof line, file)) {
        char *rest = line;
        int families = 0;
        if (line[0] != '|')
            continue;
        strsep(&rest, "|"); /* before the table, then the class */
        strsep(&rest, "|");
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes && families < 2; i++) {
            const char *cell = strsep(&rest, "|");
            if (!cell || sscanf(cell, " `%100[a-z0-9_]`", first) != 1)
                continue;
            families++;
            snprintf(expected, sizeof expected, "%s%s.cu", prefixes[i], first);
            found = found || strcmp(name, expected) == 0;
        }
    }
    fclose(file);
    return found;
}

static int is_kernel(const struct dirent *entry)
{
    const char *ending = strrchr(entry->d_name, '.');
    return ending && strcmp(ending, ".cu") == 0;
}

ParameterizedTestParameters(broken, is_caught)
{
    static char names[MOST_FILES][NAME_BYTES];
    struct dirent **entries;
    int count = scandir(folder(), &entries, is_kernel, alphasort);
    size_t wanted = 0;
    for (int i = 0; i < count && wanted < MOST_FILES; i++)
        if (run_lab_wants(family_of(entries[i]->d_name)) &&
            (run_lab_takes_file(entries[i]->d_name, 12) ||
             stands_for_its_class(entries[i]->d_name)))
            snprintf(names[wanted++], NAME_BYTES, "%s", entries[i]->d_name);
    return cr_make_param_array(char[NAME_BYTES], names, wanted);
}

ParameterizedTest(char name[NAME_BYTES], broken, is_caught)
{
    expect_caught(name);
}

/* Which launch was wrong, and no advice for a kernel that is wrong at once. */
Test(broken, the_second_launch_is_named)
{
    static const char *const kept[][2] = {
        {"step01 -m 129", "broken/kept_sums.cu"},
        {"step08 -m 300 -n 70 -k 5", "broken/summation_counter_kept.cu"},
        {"step09 -n 20 -m 30", "broken/trmm_works_once.cu"}};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        run_lab(&result, "%s --check-only --source %s", kept[i][0], run_lab_source(kept[i][1]));
        cr_expect(strstr(result.out, "the first launch was right, the second is not: "), "%s",
                  result.out);
        cr_expect_not(strstr(result.out, "look at"), "%s", result.out);
    }
}

/* A problem of 3 x 3 has no use for the time that one of 512 may take. */
Test(broken, an_endless_loop_is_told_soon)
{
    const char *runtime = getenv("LAB_TEST_RUNTIME");
    if (!runtime || strcmp(runtime, "sim") != 0)
        cr_skip_test("a GPU has no budget");
    run_lab(&result, "step01 -n 3 --check-only --source %s",
            run_lab_source("broken/endless_loop.cu"));
    cr_expect(strstr(result.out, "has executed 4 million basic blocks"), "%s", result.out);
}

/* What is seen in the result alone, or before the kernel runs, has no line; all else must have. */
static bool has_no_line(const char *status)
{
    static const char *const without[] = {"wrong",        "nan",         "unwritten",  "forbidden",
                                          "launch_error", "build_error", "unsupported"};
    for (size_t i = 0; i < sizeof without / sizeof without[0]; i++)
        if (strcmp(status, without[i]) == 0)
            return true;
    return false;
}

Test(broken, corpus_is_there_and_names_lines)
{
    struct dirent **entries;
    struct expectation expected;
    const int count = scandir(folder(), &entries, is_kernel, alphasort);
    cr_assert_geq(count, 40);
    for (int i = 0; i < count; i++) {
        char right[4096];
        snprintf(right, sizeof right, "%s/../right/%s", folder(), entries[i]->d_name);
        cr_expect_neq(access(right, F_OK), 0, "%s: both corpora are built under one name", right);
        read_expectation(entries[i]->d_name, &expected);
        cr_expect(expected.line_count || expected.no_line || has_no_line(expected.status),
                  "%s: %s, but no line is marked", entries[i]->d_name, expected.status);
    }
}

static bool on_simulator(void)
{
    const char *runtime = getenv("LAB_TEST_RUNTIME");
    return runtime && strcmp(runtime, "sim") == 0;
}

/* A barrier is said to be missing only where that was not looked for. */
Test(broken, a_barrier_is_suspected_without_checks)
{
    if (!on_simulator())
        return;
    run_lab(&result, "step01 -m 129 --check-only --fast --json - --source %s",
            run_lab_source("broken/fourth_column_wrong.cu"));
    cr_expect(strstr(result.out, "a __syncthreads() is missing"), "%s", result.out);
    run_lab(&result, "step01 -m 129 --check-only --fast --json - --source %s",
            run_lab_source("broken/operands_cut_off.cu"));
    cr_expect(!strstr(result.out, "__syncthreads"), "%s", result.out);
}

/* A host pointer in place of one of cudaMalloc(): a GPU may be able to read it. */
Test(broken, host_pointer_is_called_so)
{
    if (!on_simulator())
        return;
    run_lab(&result,
            "step01 -m 33 --check-only --json - --source harness/tests/data/host_pointer.cu");
    cr_expect_eq(result.status, 1);
    cr_expect(strstr(result.out, "that is a host pointer"), "%s", result.out);
}

/* With JSON on standard output nothing else is there, whatever a kernel prints. */
Test(broken, what_kernels_print_is_beside_json)
{
    run_lab(&result, "step01 -m 33 --check-only --json - --source harness/tests/data/prints.cu");
    cr_expect_eq(result.status, 0, "%s", result.err);
    cr_expect_eq(result.out[0], '{', "%s", result.out);
    cr_expect(!strstr(result.out, "printed by a kernel"), "%s", result.out);
    cr_expect(strstr(result.err, "printed by a kernel"), "%s", result.err);
    run_lab(&result, "step01 -m 33 --check-only --source harness/tests/data/prints.cu");
    cr_expect(strstr(result.out, "printed by a kernel"), "%s", result.out);
}
