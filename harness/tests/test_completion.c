/* What shells complete: every word of the program's own tables, and each where it belongs. */
#include "series/registry.h"
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct run_lab result, script;

/* What bash offers behind this command line, with a blank behind each word. */
static const char *offered(const char *line)
{
    run_lab_shell(&result, "bash harness/tests/complete.bash %s", line);
    cr_assert_eq(result.status, 0, "%s: %s", line, result.err);
    cr_expect_str_empty(result.err, "%s: %s", line, result.err);
    return result.out;
}

static void expect_offered(const char *line, const char *words)
{
    const char *all = offered(line);
    cr_expect_str_eq(all, words, "%s: offers '%s'", line, all);
}

Test(completion, commands_and_targets)
{
    expect_offered("./run swe", "sweep ");
    expect_offered("build/run swe", "sweep ");
    expect_offered("./run step07", "step07 ");
    expect_offered("./run step07.", "step07.1 step07.2 step07.3 ");
    expect_offered("./run help gra", "grade ");
    expect_offered("./run --runtime sim -n 64 lis", "list ");
    expect_offered("./run compare step01 step06", "step06 ");
    expect_offered("./run sweep step08", "step08 ");
    expect_offered("./run sweep step00a", "");
    expect_offered("./run completion ''", "bash zsh fish ");
    expect_offered("./run list step07.", "step07.1 step07.2 step07.3 ");
    expect_offered("./run step01 ''", "");
    expect_offered("./run sweep step01 st", "");
}

/* Each exercise for hint and watch, and its number for grade; no steps there. */
Test(completion, exercises)
{
    char all[1024] = "", numbers[1024] = "";
    int count;
    const struct lab_registry_entry *exercises = lab_registry_exercises(&count);
    for (int i = 0; i < count; i++) {
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s ", exercises[i].target);
        snprintf(numbers + strlen(numbers), sizeof numbers - strlen(numbers), "%s ",
                 exercises[i].number);
    }
    expect_offered("./run hint ''", all);
    expect_offered("./run watch ''", all);
    expect_offered("./run grade ''", numbers);
    expect_offered("./run watch 02", "02 ");
    expect_offered("./run hint 00", "00a 00b 00c 00d 00e 00f 00g 00h 00i 00j 00k 00l 00m ");
    expect_offered("./run 02", "");
    expect_offered("./run grade 01 LICEN", "LICENSE ");
    expect_offered("./run hint exercise01 ''", "");
}

Test(completion, options_of_a_command)
{
    expect_offered("./run step01 --ru", "--runtime ");
    expect_offered("./run sweep --chec", "--check-only ");
    expect_offered("./run hint --", "--all --again ");
    expect_offered("./run watch exercise01 --", "--source ");
    expect_offered("./run grade --iso", "--isolation ");
    expect_offered("./run step01 --iso", "");
    expect_offered("./run step01 --under", ""); /* the program's own */
}

/* Bash takes --runtime=s for one word or for three. */
Test(completion, values)
{
    expect_offered("./run step01 --runtime ''", "auto gpu sim ");
    expect_offered("./run step01 --runtime = s", "sim ");
    expect_offered("./run step01 --runtime =", "auto gpu sim ");
    expect_offered("./run step01 --runtime=s", "--runtime=sim ");
    expect_offered("./run --runtime = sim swe", "sweep ");
    expect_offered("./run step11 --type ''", "f32 f64 s32 u16 "); /* of all families */
    expect_offered("./run step11 --semiring ''", "min-plus max-plus or-and ");
    expect_offered("./run step01 --arch h", "h200 ");
    expect_offered("./run step01 --profile = s", "sim ");
    expect_offered("./run step01 --profile ''", ""); /* what it takes comes behind = */
    expect_offered("./run step01 --json LICEN", "LICENSE ");
    expect_offered("./run step01 --source=LICEN", "--source=LICENSE ");
    expect_offered("./run grade 01 --isolation ''", "auto full none ");
    expect_offered("./run step01 --reps ''", "");
}

static void read_script(const char *shell)
{
    run_lab_shell(&script, "./run completion %s", shell);
    cr_assert_eq(script.status, 0, "%s", script.err);
}

/* Each long option that --help shows of a command. */
static void expect_options(const char *shell, const char *command)
{
    int count = 0;
    run_lab_shell(&result, "./run %s --help | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE -- '--.*'",
                  command);
    for (char *name = strtok(result.out, "\n"); name; name = strtok(NULL, "\n"), count++) {
        char cell[64];
        snprintf(cell, sizeof cell, "\t%s\t", name);
        cr_expect(strstr(script.out, cell), "%s: no %s", shell, name);
    }
    cr_expect_geq(count, 10, "%s: %d options", command, count);
}

Test(completion, every_word_in_every_shell)
{
    static const char *const shells[] = {"bash", "zsh", "fish"};
    for (int s = 0; s < 3; s++) {
        int count;
        char cell[64];
        read_script(shells[s]);
        expect_options(shells[s], "");
        expect_options(shells[s], "grade");
        const struct lab_registry_entry *steps = lab_registry(&count);
        for (int i = 0; i < count; i++) {
            snprintf(cell, sizeof cell, "\t%s\t", steps[i].target);
            cr_expect(strstr(script.out, cell), "%s: no %s", shells[s], steps[i].target);
        }
    }
}

/* As far as the shells are here. */
Test(completion, scripts_are_read)
{
    static const char *const shells[] = {"bash", "zsh", "fish"};
    for (int s = 0; s < 3; s++) {
        run_lab_shell(&result,
                      "command -v %s > /dev/null || exit 0; file=$(mktemp) && "
                      "./run completion %s > $file && %s -n $file; status=$?; rm -f $file; exit "
                      "$status",
                      shells[s], shells[s], shells[s]);
        cr_expect(result.status == 0 && !result.err[0], "%s: %s", shells[s], result.err);
    }
    run_lab_shell(&result,
                  "command -v fish > /dev/null || { echo 'step08 is not asked'; exit 0; }; "
                  "./run completion fish | fish -N -c 'source -; complete -C \"./run sweep "
                  "step08\"'");
    cr_expect(strncmp(result.out, "step08", 6) == 0, "%s%s", result.out, result.err);
}

Test(completion, bad_input)
{
    static const char *const wrong[] = {"", "tcsh", "bash zsh", "--help"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        run_lab_shell(&result, "./run completion %s", wrong[i]);
        cr_expect_eq(result.status, 2);
        cr_expect(strstr(result.err, "bash, zsh or fish") && run_lab_lines(result.err) == 1, "%s",
                  result.err);
        cr_expect_str_empty(result.out);
    }
}
