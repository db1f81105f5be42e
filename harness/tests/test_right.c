/* Kernels that are right, each in a way that a check might take for wrong: nothing may be said of
 * them. Each file of right/ begins with `// run: TARGET`, whose awkward problems it must all solve;
 * `// warns: TEXT` where a warning is due. */
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 256, NAME_BYTES = 128 };

static struct run_lab result;

static const char *root(void)
{
    const char *given = getenv("LAB_TEST_ROOT");
    return given ? given : ".";
}

static int is_kernel(const struct dirent *entry)
{
    const char *ending = strrchr(entry->d_name, '.');
    return ending && strcmp(ending, ".cu") == 0;
}

ParameterizedTestParameters(right, is_not_called_wrong)
{
    static char names[MOST_FILES][NAME_BYTES];
    char folder[4096];
    struct dirent **entries;
    snprintf(folder, sizeof folder, "%s/.built/tests/kernels/right", root());
    int count = scandir(folder, &entries, is_kernel, alphasort);
    size_t taken = 0;
    for (int i = 0; i < count && taken < MOST_FILES; i++)
        if (run_lab_takes_file(entries[i]->d_name, 7))
            snprintf(names[taken++], NAME_BYTES, "%s", entries[i]->d_name);
    return cr_make_param_array(char[NAME_BYTES], names, taken);
}

ParameterizedTest(char name[NAME_BYTES], right, is_not_called_wrong)
{
    char path[8192], line[512], target[128] = "", warning[128] = "";
    const char *runtime = getenv("LAB_TEST_RUNTIME");
    snprintf(path, sizeof path, "%s/.built/tests/kernels/right/%s", root(), name);
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s", path);
    while (fgets(line, sizeof line, file)) {
        sscanf(line, "// run: %127[^\n]", target);
        sscanf(line, "// warns: %127[^\n]", warning);
    }
    fclose(file);
    cr_assert(*target, "%s does not say what to run", name);
    char kernel[NAME_BYTES + 8];
    snprintf(kernel, sizeof kernel, "right/%s", name);
    const bool is_one = strchr(target, ' '); /* a problem of its own, of a type say */
    run_lab(&result, "%s --check-only %s --source %s", target, is_one ? "" : "--thorough",
            run_lab_source(kernel));
    cr_expect_eq(result.status, 0, "%s: exit status %d\n%s%s", name, result.status, result.out,
                 result.err);
    cr_expect(strstr(result.out, is_one ? "  ok\n" : "problems solved by all variants"), "%s: %s",
              name, result.out);
    cr_expect(!strstr(result.out, "0 of 0"), "%s: nothing was tried\n%s", name, result.out);
    if (!runtime || strcmp(runtime, "sim") != 0)
        return;
    const char *warned = strstr(result.err, "warning: kernel ");
    cr_expect(*warning ? warned && strstr(warned, warning) : !warned, "%s: %s", name, result.err);
}
