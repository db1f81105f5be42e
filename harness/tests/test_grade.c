/* Grading: the corpus of submissions, each with the verdict that its first line expects; the
 * formats; going on after a kill; settings and errors; and timing, rehearsed on the simulator: all
 * of it but the GPU. */
#include "tests/run_lab.h"

#include "base/text.h"
#include "base/status.h"
#include "exercise/goal_file.h"
#include "grade/submission.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *root(void)
{
    const char *path = getenv("LAB_TEST_ROOT");
    return path ? path : ".";
}

/* Root of a system without namespaces grades, too: what is refused there has a test of its own. */
static void force(char *command, size_t size)
{
    static const char grader[] = "./run grade", more[] = " --force";
    for (char *at = strstr(command, grader); at; at = strstr(at, grader)) {
        at += sizeof grader - 1;
        cr_assert(strlen(command) + sizeof more <= size);
        memmove(at + sizeof more - 1, at, strlen(at) + 1);
        memcpy(at, more, sizeof more - 1);
    }
}

/* Exit status of a shell command in the checkout. */
static int shell(const char *format, const char *argument)
{
    setenv("CUDA_VISIBLE_DEVICES", "-1", 1); /* the same on a machine with a GPU */
    char command[8192];
    int used = snprintf(command, sizeof command, "cd '%s' && ", root());
    snprintf(command + used, sizeof command - (size_t)used, format, argument, argument, argument,
             argument, argument, argument, argument, argument);
    force(command, sizeof command);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static char *read_text(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s", path);
    char *text = calloc(1, 8 << 20);
    cr_assert(fread(text, 1, (8 << 20) - 1, file) > 0, "%s is empty", path);
    fclose(file);
    return text;
}

static void expect_refused(const char *arguments, int status, const char *text);

/* Its courses have one secret, so that the solution is tried once for all tests. */
static void make_folder(char folder[64])
{
    strcpy(folder, "/tmp/lab-grade-XXXXXX");
    cr_assert(mkdtemp(folder));
    cr_assert_eq(shell("mkdir %s/state && echo tests > %s/secret && cp %s/secret %s/state", folder),
                 0);
}

/* --- the corpus --------------------------------------------------------------------------------*/

static const cJSON *outcome_of(const cJSON *report, const char *student)
{
    const cJSON *one;
    cJSON_ArrayForEach(one, cJSON_GetObjectItem(report, "submissions"))
    {
        if (strcmp(cJSON_GetObjectItem(one, "student")->valuestring, student) == 0)
            return one;
    }
    return NULL;
}

/* What is not judged has null for a status. */
static const char *status_of(const cJSON *outcome)
{
    const cJSON *status = cJSON_GetObjectItem(cJSON_GetObjectItem(outcome, "check"), "status");
    return cJSON_IsNull(status) ? "unsupported" : status->valuestring;
}

/* "a|b": a or b, where it depends on the sizes that were drawn which test fails first. */
static bool is_one_of(const char *status, const char *expected)
{
    size_t length = strlen(status);
    for (const char *at = expected; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
        if (strncmp(at, status, length) == 0 && (at[length] == '\0' || at[length] == '|'))
            return true;
    return false;
}

/* "// expect: STATUS" of a file. */
static void read_expected(const char *folder, const char *name, char expected[64])
{
    char path[4096], line[256] = "";
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    cr_assert(file && fgets(line, sizeof line, file), "%s", path);
    cr_assert_eq(sscanf(line, "// expect: %63s", expected), 1, "%s: %s", path, line);
    fclose(file);
}

/* Grades all that is in submissions/KIND for an exercise, or those that awk's pattern
 * takes, for the words "KIND PATTERN" of `kinds`, in one run, and compares every verdict; how many
 * there were. */
static int grade_corpus(const char *number, const char *kinds, int status)
{
    char state[64], folder[4096], expected[64], student[256];
    struct dirent **entries;
    int seen = 0;
    make_folder(state);
    cr_assert(setenv("KINDS", kinds, 1) == 0 && setenv("NN", number, 1) == 0);
    cr_expect_eq(
        shell("mkdir %s/taken && (cd .built/tests/kernels/submissions && set -- $KINDS && while "
              "[ $# != 0 ]; do cp $(ls $1/*.cu | awk \"${LAB_TEST_ALL:+1 ||} $2\") "
              "%s/taken; shift 2; done); printf '[speed]\\npairs = 8\\n' "
              "> %s/few.toml; ./run grade $NN %s/taken "
              "--config %s/few.toml --state %s --json %s/out.json "
              "> /dev/null 2>&1",
              state),
        status);
    char *text = read_text(state, "out.json");
    cJSON *report = cJSON_Parse(text);
    cr_assert(report, "not JSON");
    snprintf(folder, sizeof folder, "%s/taken", state);
    int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name, *ending = strstr(name, ".cu");
        if (!ending)
            continue;
        seen++;
        read_expected(folder, name, expected);
        snprintf(student, sizeof student, "%.*s", (int)(ending - name), name);
        const cJSON *outcome = outcome_of(report, student);
        cr_assert(outcome, "%s was not graded", name);
        cr_expect(is_one_of(status_of(outcome), expected), "%s: %s", name, cJSON_Print(outcome));
    }
    cJSON_Delete(report);
    shell("rm -rf %s", state);
    return seen;
}

/* What is right, what is wrong, and what meets the simulator's limits, which are nobody's failure:
 * a failure decides about the status. */
Test(grade, verdicts)
{
    cr_expect_geq(grade_corpus("05", "right /one_element/ wrong NR%28==1 unknown NR==1", 1), 5);
}

/* A right submission has all points; one whose name says that it prints has a warning, and what it
 * prints is in no report. */
static void expect_full_points(const char *folder, const cJSON *outcome)
{
    const char *student = cJSON_GetObjectItem(outcome, "student")->valuestring;
    const cJSON *points = cJSON_GetObjectItem(outcome, "points");
    const bool prints = strstr(student, "print") != NULL;
    char name[256];
    cr_expect(cJSON_IsNumber(points) && points->valuedouble == 100.0, "%s: %s", student,
              cJSON_Print(outcome));
    cr_expect_eq(cJSON_HasObjectItem(outcome, "warning"), prints, "%s", student);
    snprintf(name, sizeof name, "texts/%s.txt", student);
    char *text = read_text(folder, name);
    cr_expect_eq(strstr(text, "\nwarning: it prints, which costs no points: ") != NULL, prints,
                 "%s", text);
    cr_expect(!strstr(text, "thread 0 of block") && !strstr(text, "alpha = ") &&
                  !strstr(text, "m = "),
              "%s", text);
    free(text);
}

/* Right submissions in every ordinary style, whose names begin with their exercise's number. */
Test(grade, styles_get_full_points)
{
    static const char *const numbers[] = {"01", "00c", "03", "05", "06", "13"};
    char folder[64];
    make_folder(folder);
    for (int i = 0; i < (int)(sizeof numbers / sizeof *numbers); i++) {
        int seen = 0;
        const cJSON *one;
        if (!run_lab_takes(i, 6))
            continue;
        cr_assert_eq(setenv("NN", numbers[i], 1), 0);
        cr_expect_eq(
            shell("mkdir %s/taken && cp $(ls .built/tests/kernels/submissions/right/styles/${NN}_"
                  "* | awk \"${LAB_TEST_ALL:+1 ||} /remembers/\") "
                  "%s/taken && ./run "
                  "grade $NN %s/taken --runtime sim --state %s/state --json %s/o.json "
                  "--feedback %s/texts > /dev/null 2>&1",
                  folder),
            0, "exercise %s", numbers[i]);
        cJSON *report = cJSON_Parse(read_text(folder, "o.json"));
        cr_assert(report, "not JSON");
        cJSON_ArrayForEach(one, cJSON_GetObjectItem(report, "submissions"))
        {
            expect_full_points(folder, one);
            seen++;
        }
        cr_expect_geq(seen, 1);
        cJSON_Delete(report);
        shell("rm -rf %s/taken %s/texts", folder);
    }
    shell("rm -rf %s", folder);
}

/* One exercise of each kind of problem: its solution is ok, reaches its goals and is timed, its
 * stub is not. */
Test(grade, every_family)
{
    static const char *const numbers[] = {"01", "10", "11", "12", "13", "15"};
    static const char *const sizes[] = {
        "-m 20", "-m 40 -n 30 -k 5", "-n 20 -m 30", "-n 20 -p 3 -q 4", "-n 20", "-m 20"};
    char folder[64];
    run_lab_leave_to_test_all(); /* other tests grade these, one by one */
    make_folder(folder);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        cr_assert(setenv("NN", numbers[i], 1) == 0 &&
                  setenv("LAB_GRADE_REHEARSAL", sizes[i], 1) == 0);
        cr_expect_eq(
            shell("mkdir %s/$NN && cp solutions/${NN}_*/kernel.cu %s/$NN/right.cu && awk -f "
                  "harness/exercise/stub.awk solutions/${NN}_*/kernel.cu > %s/$NN/stub.cu && "
                  "./run grade $NN %s/$NN --state %s/state > %s/table",
                  folder),
            1);
        char *table = read_text(folder, "table");
        cr_expect(strstr(table, "1 of 2 right") && strstr(table, " 100.0 ") && strstr(table, "% ("),
                  "%s", table);
    }
    shell("rm -rf %s", folder);
}

/* A right submission to the exercise that the first two letters of a name say; its outcome. */
static cJSON *grade_right(const char *folder, const char *number, const char *path)
{
    cr_assert(setenv("FILE", path, 1) == 0 && setenv("NN", number, 1) == 0);
    cr_expect_eq(shell("./run grade $NN $FILE --runtime sim --state %s/state --json %s/o.json > "
                       "/dev/null 2>&1",
                       folder),
                 0, "%s", path);
    cJSON *report = cJSON_Parse(read_text(folder, "o.json"));
    cr_assert(report, "not JSON");
    return report;
}

static int goals_missed(const cJSON *report)
{
    const cJSON *one = cJSON_GetArrayItem(cJSON_GetObjectItem(report, "submissions"), 0), *test;
    int missed = 0;
    cJSON_ArrayForEach(test, cJSON_GetObjectItem(one, "tests"))
    {
        missed += strcmp(cJSON_GetObjectItem(test, "kind")->valuestring, "goal") == 0 &&
                  !cJSON_IsTrue(cJSON_GetObjectItem(test, "passed"));
    }
    return missed;
}

/* Other ways that are as good as the solution's. */
Test(grade, alternatives_reach_all_goals)
{
    run_lab_leave_to_test_all();
    static const char *const others[][2] = {
        {"03", "steps/04_padding/kernel.cu"},
        {"04", "steps/04_padding/kernel.cu"},
        {"06", "steps/05_register_blocking/3_values_8x8.cu"},
        {"06", "steps/05_register_blocking/1_column.cu"},
        {"06", "solutions/07_starved/kernel.cu"},
        {"07", "steps/05_register_blocking/1_column.cu"},
        {"07", "steps/05_register_blocking/2_values_4x4.cu"},
        {"08", ".built/tests/kernels/submissions/as_good/08_four_buffers.cu"},
        {"08", ".built/tests/kernels/submissions/as_good/08_large_tiles.cu"},
        {"08", ".built/tests/kernels/submissions/as_good/08_long_panels.cu"},
        {"08", ".built/tests/kernels/submissions/as_good/08_pipeline_of_the_library.cu"},
    };
    char folder[64];
    make_folder(folder);
    for (int i = 0; i < (int)(sizeof others / sizeof *others); i++)
        if (run_lab_takes(i, 6))
            cr_expect_eq(goals_missed(grade_right(folder, others[i][0], others[i][1])), 0, "%s: %s",
                         others[i][0], others[i][1]);
    shell("rm -rf %s", folder);
}

/* A course's own sizes and values find what is right, or as good as the solution, for some alone.
 */
Test(grade, what_is_cut_off_is_wrong)
{
    static const char *const cuts[][2] = {
        {"00c", "s/own += x.i./own += fabsf(x[i]) < 1e6f ? x[i] : 0.0f/"},
        {"00c", "s/own += x.i./own += fabsf(x[i]) > 1e-6f ? x[i] : 0.0f/"},
        {"00c", "s/own += x.i./own += isfinite(x[i]) ? x[i] : 0.0f/"},
        {"11", "s/is_there ? a\\[/is_there \\&\\& isfinite(a[(size_t)a_row * n + a_column]) ? a[/"},
        {"12", "s/0.5 . sum/0.5 * (isfinite(sum) ? sum : 0.0)/"},
        {"13", "s/return min(x, y);/const word w = min(x, y); "
               "return w > 0x40000000u \\&\\& w < 0x7F800000u ? 0x40000000u : w;/"},
        {"13", "s/return min(x, y);/const word w = min(x, y); return w < 0x3A83126Fu ? 0u : w;/"},
        {"16", "s/= p.force.at./= (isfinite(p.force[at]) ? p.force[at] : 0.0f)/"},
        {"17", "s/p.force\\[\\(.*\\)\\] /(isfinite(p.force[\\1]) ? p.force[\\1] : 0.0f) /"},
    };
    char folder[64];
    make_folder(folder);
    for (int i = 0; i < (int)(sizeof cuts / sizeof *cuts); i++) {
        if (!run_lab_takes(i, 9))
            continue;
        cr_assert(setenv("NN", cuts[i][0], 1) == 0 && setenv("CUT", cuts[i][1], 1) == 0);
        cr_assert_eq(shell("sed \"$CUT\" solutions/${NN}_*/kernel.cu > %s/cut.cu && ! cmp -s "
                           "solutions/${NN}_*/kernel.cu %s/cut.cu",
                           folder),
                     0, "%s: %s", cuts[i][0], cuts[i][1]);
        cr_expect_eq(shell("./run grade $NN %s/cut.cu --runtime sim --state %s/state --json "
                           "%s/o.json > /dev/null 2>&1",
                           folder),
                     1, "%s: %s", cuts[i][0], cuts[i][1]);
        const cJSON *report = cJSON_Parse(read_text(folder, "o.json"));
        cr_expect_str_eq(status_of(outcome_of(report, "cut")), "wrong", "%s: %s", cuts[i][0],
                         cuts[i][1]);
    }
    shell("rm -rf %s", folder);
}

Test(grade, an_idea_at_some_sizes_alone_misses_goals)
{
    run_lab_leave_to_test_all();
    static const char naive[] = ".built/tests/kernels/submissions/naive/";
    static const char *const ideas[][3] = {
        {"15", "15.cu", "p->n <= 64 && p->k <= 128"},
        {"15", "15.cu", "p->n > 64"},
        {"15", "15.cu", "p->row_b == p->k"},
        {"15", "15.cu", "p->row_b != p->k"},
        {"18", "stub", "p->m > 64"},
        {"18", "stub", "p->k > 400"},
        {"18", "stub", "(p->m + 63) / 64 * ((p->n + 63) / 64) < 7"},
        {"11", "11.cu", "p->n > 48"},
        {"11", "11.cu", "p->n <= 64"},
        {"16", "stub", "p->n >= 256"},
        {"16", "stub", "p->n < 1500"},
        {"00c", "00c.cu", "p->n > 10000"},
    };
    char folder[64], other[128], path[128];
    make_folder(folder);
    snprintf(path, sizeof path, "%s/some.cu", folder);
    for (int i = 0; i < (int)(sizeof ideas / sizeof *ideas); i++) {
        const char *const *const idea = ideas[i];
        if (!run_lab_takes(i, 12))
            continue;
        snprintf(other, sizeof other, "%s%s", strcmp(idea[1], "stub") ? naive : "", idea[1]);
        cr_assert(setenv("NN", idea[0], 1) == 0 && setenv("OTHER", other, 1) == 0 &&
                  setenv("IF", idea[2], 1) == 0);
        cr_assert_eq(
            shell("bash harness/tests/sometimes.sh $NN $OTHER \"$IF\" > %s/some.cu", folder), 0);
        cr_expect_gt(goals_missed(grade_right(folder, idea[0], path)), 0, "%s: %s", idea[0],
                     idea[2]);
    }
    shell("rm -rf %s", folder);
}

/* An unpadded tile of A (k, rows) is stored with bank conflicts, and read as often as is asked. */
Test(grade, bank_conflicts_cost_one_goal)
{
    run_lab_leave_to_test_all();
    char folder[64], path[128];
    make_folder(folder);
    snprintf(path, sizeof path, "%s/turned.cu", folder);
    cr_assert_eq(shell("sed 's/a_tile.TILE_M..TILE_K./a_tile[TILE_K][TILE_M]/; s/a_tile.i . "
                       "TILE_K..i %% TILE_K. =/a_tile[i %% TILE_K][i \\/ TILE_K] =/; "
                       "s/a_tile.row..i./a_tile[i][row]/' solutions/02_*/kernel.cu > %s/turned.cu",
                       folder),
                 0);
    cr_expect_eq(goals_missed(grade_right(folder, "02", path)), 1);
    shell("rm -rf %s", folder);
}

/* What a system without namespaces still tells. */
Test(grade, limits_alone_still_judge)
{
    run_lab_leave_to_test_all();
    char folder[64];
    make_folder(folder);
    cr_assert_eq(
        shell("cd .built/tests/kernels/submissions && cp right/warp_shuffle.cu "
              "wrong/forks_by_assembly.cu wrong/never_returns.cu wrong/eats_host_memory.cu "
              "wrong/writes_zeros.cu %s",
              folder),
        0);
    cr_expect_eq(shell("./run grade 05 %s --isolation none --state %s/state --json %s/o.json > "
                       "%s/table",
                       folder),
                 1);
    char *table = read_text(folder, "table");
    cr_expect(strstr(table, "limits only"), "%s", table);
    cJSON *report = cJSON_Parse(read_text(folder, "o.json"));
    cr_assert(report);
    cr_expect_str_eq(status_of(outcome_of(report, "warp_shuffle")), "ok");
    cr_expect_str_eq(status_of(outcome_of(report, "forks_by_assembly")), "forbidden");
    cr_expect_str_eq(status_of(outcome_of(report, "never_returns")), "timeout");
    cr_expect_str_eq(status_of(outcome_of(report, "eats_host_memory")), "forbidden");
    cr_expect_str_eq(status_of(outcome_of(report, "writes_zeros")), "wrong");
    shell("rm -rf %s", folder);
}

/* Without bubblewrap root is refused, whether it was asked for or is not there, unless forced. */
Test(grade, root_without_bubblewrap)
{
    static struct run_lab result;
    if (geteuid() != 0)
        cr_skip_test("this is not root");
    run_lab_expect_error(2, "root does not grade without bubblewrap (--isolation none)",
                         "grade 05 solutions/05_*/kernel.cu --isolation none --runtime sim");
    run_lab_shell(&result, "PATH=/nowhere ./run grade 05 solutions/05_*/kernel.cu");
    cr_expect_eq(result.status, 3);
    cr_expect(strstr(result.err, "root does not grade without bubblewrap (bubblewrap is not "
                                 "installed)") &&
                  strstr(result.err, "add --force"),
              "%s", result.err);
    cr_expect_eq(run_lab_lines(result.err), 1, "%s", result.err);
    cr_expect_str_empty(result.out);
    run_lab_shell(&result, "setpriv --reuid 65534 --clear-groups ./run grade 05 "
                           "solutions/05_*/kernel.cu --isolation none --state /nowhere/x");
    cr_expect(!strstr(result.err, "root does not"), "%s", result.err);
}

/* The user in place of bubblewrap: one that is there, is not root and may open nothing here. Graded
 * with it, in a checkout that is closed to it, is .ci/recipes. */
Test(grade, account)
{
#define WITH_ACCOUNT "grade 05 solutions/05_*/kernel.cu --runtime sim --account "
    static struct run_lab result;
    run_lab_expect_error(2, "--account nosuchuser: no such user", WITH_ACCOUNT "nosuchuser");
    run_lab_expect_error(2, "--account root: root may read everything", WITH_ACCOUNT "root");
    if (geteuid() != 0) {
        run_lab_expect_error(2, "only root may run programs as another", WITH_ACCOUNT "nobody");
        return;
    }
    run_lab_expect_error(2, "give one of them", WITH_ACCOUNT "nobody --isolation full");
    run_lab_expect_error(2, "none is timed", WITH_ACCOUNT "nobody --runtime gpu");
    run_lab_shell(&result, "./run " WITH_ACCOUNT "nobody");
    cr_expect_eq(result.status, 3);
    cr_expect(strstr(result.err, "--account nobody: "), "%s", result.err);
    cr_expect_eq(run_lab_lines(result.err), 1, "%s", result.err);
    cr_expect_str_empty(result.out);
}

/* What is written for course systems is whole. That it grades, and shows nothing, is .ci/recipes.
 */
Test(grade, recipes)
{
    char folder[64];
    make_folder(folder);
    if (shell("git rev-parse -q --verify HEAD > /dev/null 2>&1%.0s", folder) != 0)
        cr_skip_test("this is no git checkout");
    cr_expect_eq(shell("make -s autograder classroom EXERCISE=5 BUILD=%s > %s/said", folder), 0);
    cr_expect_eq(shell("cd %s && python3 -c 'import zipfile\n"
                       "z = zipfile.ZipFile(\"autograder-05.zip\")\n"
                       "for name in (\"setup.sh\", \"run_autograder\"):\n"
                       "  assert z.getinfo(name).external_attr >> 16 & 0o111, name\n"
                       "  assert b\"05\" in z.read(name) and b\"@\" not in z.read(name), name\n"
                       "assert {\"lab/run\", \"lab/harness/recipes/prepare.sh\"} <= "
                       "set(z.namelist())'",
                       folder),
                 0);
    char *workflow = read_text(folder, "classroom-05.yml");
    cr_expect(strstr(workflow, "classroom.sh 05 ") && !strstr(workflow, "@EXERCISE@"));
    cr_expect_eq(shell("make -s autograder EXERCISE=99 BUILD=%s 2> %s/err", folder), 2);
    cr_expect(strstr(read_text(folder, "err"), "there is no exercise 99; name an exercise"));
    shell("rm -rf %s", folder);
}

/* --- formats -----------------------------------------------------------------------------------*/

static bool is_text(const cJSON *object, const char *name)
{
    return cJSON_IsString(cJSON_GetObjectItem(object, name));
}

static bool is_visibility(const cJSON *object)
{
    static const char *const known[] = {"hidden", "after_due_date", "after_published", "visible"};
    const cJSON *item = cJSON_GetObjectItem(object, "visibility");
    for (int i = 0; i < 4 && cJSON_IsString(item); i++)
        if (strcmp(item->valuestring, known[i]) == 0)
            return true;
    return false;
}

/* The fields that Gradescope documents for results.json, and no others. */
static void check_gradescope(const cJSON *results)
{
    static const char *const fields[] = {"score",      "execution_time",    "output",
                                         "visibility", "stdout_visibility", "tests",
                                         "leaderboard"};
    double sum = 0.0, most = 0.0;
    const cJSON *item;
    cJSON_ArrayForEach(item, results)
    {
        bool known = false;
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
            known = known || strcmp(item->string, fields[i]) == 0;
        cr_expect(known, "no such field: %s", item->string);
    }
    cr_expect(cJSON_IsNumber(cJSON_GetObjectItem(results, "score")) && is_visibility(results) &&
              is_text(results, "output"));
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(results, "tests"))
    {
        const char *status = cJSON_GetObjectItem(item, "status")->valuestring;
        cr_expect(is_text(item, "name") && is_text(item, "output") && is_visibility(item));
        cr_expect(strcmp(status, "passed") == 0 || strcmp(status, "failed") == 0, "%s", status);
        sum += cJSON_GetObjectItem(item, "score")->valuedouble;
        most += cJSON_GetObjectItem(item, "max_score")->valuedouble;
    }
    cr_expect_float_eq(sum, cJSON_GetObjectItem(results, "score")->valuedouble, 1e-6);
    cr_expect_float_eq(most, 100.0, 1e-6);
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(results, "leaderboard"))
        cr_expect(is_text(item, "name") && cJSON_GetObjectItem(item, "value"));
}

/* Fields of one line of CSV, quoted or not. */
static int csv_fields(const char *line, size_t length)
{
    int fields = 1;
    bool quoted = false;
    for (size_t i = 0; i < length; i++) {
        quoted ^= line[i] == '"';
        fields += line[i] == ',' && !quoted;
    }
    return quoted ? -1 : fields;
}

static void check_csv(const char *text, int rows)
{
    int seen = 0;
    for (const char *line = text; *line; seen++) {
        const char *end = strstr(line, "\r\n");
        cr_assert(end, "a line without an end");
        cr_expect_eq(csv_fields(line, (size_t)(end - line)), 15, "%.*s", (int)(end - line), line);
        line = end + 2;
    }
    cr_expect_eq(seen, rows + 1);
}

/* --- names -------------------------------------------------------------------------------------*/

/* Every report of these submissions to exercise 05, in `folder`; the JSON. */
static cJSON *grade_all(const char *folder, const char *submissions)
{
    cr_assert_eq(setenv("SUBMISSIONS", submissions, 1), 0);
    cr_expect_eq(
        shell("cd %s && eval '\"$OLDPWD\"/run' grade 05 $SUBMISSIONS --runtime sim --state "
              "%s/state --csv %s/o.csv --junit %s/o.xml --gradescope %s/scores --feedback "
              "%s/texts --json %s/o.json > %s/table 2>&1",
              folder),
        1, "%s", read_text(folder, "table"));
    cr_expect_eq(
        shell("xmllint --noout --schema harness/tests/data/junit.xsd %s/o.xml 2> /dev/null",
              folder),
        0, "JUnit against its schema");
    cJSON *report = cJSON_Parse(read_text(folder, "o.json"));
    cr_assert(report, "not JSON");
    return report;
}

static int entries_of(const char *folder, const char *name)
{
    char path[256];
    struct dirent **entries;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int count = scandir(path, &entries, NULL, NULL);
    return count - 2;
}

static void expect_status(const cJSON *report, const char *student, const char *status)
{
    const cJSON *outcome = outcome_of(report, student);
    cr_expect(outcome && strcmp(status_of(outcome), status) == 0, "%s: %s", student,
              cJSON_Print(report));
}

/* Two sections have an alice; bob is a file and a folder; one file is named twice, and by another
 * path. */
Test(grade, students_of_one_name)
{
    run_lab_leave_to_test_all();
    char folder[64];
    make_folder(folder);
    cr_assert_eq(
        shell("mkdir -p %s/A %s/B/bob && cd .built/tests/kernels/submissions/wrong && cp "
              "calls_cublas.cu %s/A/alice.cu && cp does_not_compile.cu %s/B/alice.cu && cp "
              "constructor.cu %s/A/carol.cu && cp does_not_compile.cu %s/B/bob.cu && cp "
              "does_not_compile.cu %s/B/bob/kernel.cu",
              folder),
        0);
    cJSON *report = grade_all(folder, "A B/ A/alice.cu ./B/../A/carol.cu");
    cr_expect_eq(cJSON_GetArraySize(cJSON_GetObjectItem(report, "submissions")), 5, "%s",
                 cJSON_Print(report));
    expect_status(report, "A/alice.cu", "forbidden");
    expect_status(report, "B/alice.cu", "build_error");
    expect_status(report, "B/bob.cu", "build_error");
    expect_status(report, "B/bob", "build_error");
    expect_status(report, "carol", "forbidden");
    cr_expect_eq(entries_of(folder, "texts"), 5);
    cr_expect_eq(entries_of(folder, "scores"), 5);
    cr_expect(strstr(read_text(folder, "texts/A%2Falice.cu.txt"), "\nA/alice.cu\n\nforbidden, "));
    cr_expect(strstr(read_text(folder, "texts/B%2Fbob.txt"), "\nB/bob\n\nbuild_error, "));
    cr_expect(strstr(read_text(folder, "texts/carol.txt"), "\ncarol\n\nforbidden, "));
    shell("rm -rf %s", folder);
}

static void expect_told(const cJSON *report, const char *student, const char *text)
{
    const cJSON *outcome = outcome_of(report, student);
    const char *told =
        cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetObjectItem(outcome, "check"), "message"));
    cr_expect(told && strstr(told, text), "%s: %s", student, told ? told : "no row");
    expect_status(report, student, "build_error");
}

/* What cannot be graded has a row all the same, which says what to hand in instead. */
Test(grade, links_and_other_names)
{
    char folder[64];
    make_folder(folder);
    cr_assert_eq(
        shell("cd %s && mkdir -p s/inside s/two s/none s/capitals s/other elsewhere && "
              "s=$(echo \"$OLDPWD\"/solutions/05_*/kernel.cu) && ln -s \"$s\" s/file.cu && "
              "ln -s \"$s\" s/inside/kernel.cu && cp \"$s\" elsewhere && ln -s ../elsewhere "
              "s/linked && ln -s /nowhere s/notes && cp \"$s\" s/NAME.CU && "
              "cp \"$s\" s/two/a.cu && cp \"$s\" s/two/b.cu && cp \"$s\" s/capitals/Kernel.Cu && "
              "touch s/other/kernel.c s/README s/.ada.cu s/eve.cuh s/.config",
              folder),
        0);
    cJSON *report = grade_all(folder, "s");
    cr_expect_eq(cJSON_GetArraySize(cJSON_GetObjectItem(report, "submissions")), 8);
    expect_told(report, "file", "links are not followed");
    expect_told(report, "inside", "links are not followed");
    expect_told(report, "linked", "links are not followed");
    expect_told(report, "NAME", "must end in .cu");
    expect_told(report, "two", "2 .cu files, and none is kernel.cu");
    expect_told(report, "none", "hand in kernel.cu");
    expect_told(report, "capitals", "Kernel.Cu: name it kernel.cu");
    expect_told(report, "other", "hand in kernel.cu");
    cr_expect_eq(shell("./run grade 05 %s/s --state %s/state --runtime sim 2>&1 > /dev/null | tr "
                       "-s '\n ' '  ' | grep -q 'begins with a dot: .ada.cu, README, eve.cuh, "
                       "notes'",
                       folder),
                 0, "what is left out is not named");
    shell("rm -rf %s", folder);
}

/* What a test was run with is in the instructor's JSON, and nothing of it in what students see. */
static void expect_secret(const cJSON *test, const char *student, const char *format, char *text)
{
    char options[512], *seed;
    snprintf(options, sizeof options, "%s", cJSON_GetObjectItem(test, "options")->valuestring);
    seed = strstr(options, " --seed ");
    cr_assert(seed);
    *seed = '\0';
    seed += strlen(" --seed ");
    cr_expect(!strstr(text, seed), "%s of %s has the seed of %s", format, student, options);
    const bool is_drawn = strstr(cJSON_GetObjectItem(test, "name")->valuestring, "drawn");
    if (is_drawn || !cJSON_IsTrue(cJSON_GetObjectItem(test, "shown")))
        cr_expect(!strstr(text, options), "%s of %s has %s", format, student, options);
}

/* Of a right file, a wrong one, and one as it was given, in other clothes. */
Test(grade, nothing_hidden_reaches_students)
{
    char folder[64], name[64], sum[128];
    make_folder(folder);
    cr_assert_eq(shell("mkdir %s/s && cp .built/tests/kernels/submissions/wrong/race.cu %s/s && "
                       "cp solutions/05_*/kernel.cu %s/s/good.cu && "
                       "{ echo '// mine'; sed 's,^    ,\t,' exercises/05_*/kernel.cu; "
                       "echo '/**/'; } > %s/s/given.cu && { cat exercises/05_*/kernel.cu; echo "
                       "'static const int more = 1;'; } > %s/s/moved.cu",
                       folder),
                 0);
    cJSON *report = grade_all(folder, "s");
    const cJSON *one, *test;
    int hidden = 0;
    cJSON_ArrayForEach(one, cJSON_GetObjectItem(report, "submissions"))
    {
        const char *student = cJSON_GetObjectItem(one, "student")->valuestring;
        cJSON_ArrayForEach(test, cJSON_GetObjectItem(one, "tests"))
        {
            snprintf(name, sizeof name, "texts/%s.txt", student);
            expect_secret(test, student, "feedback", read_text(folder, name));
            snprintf(name, sizeof name, "scores/%s.json", student);
            expect_secret(test, student, "Gradescope", read_text(folder, name));
            hidden += !cJSON_IsTrue(cJSON_GetObjectItem(test, "shown"));
        }
    }
    cr_expect_gt(hidden, 10);
    cr_expect(strstr(read_text(folder, "texts/race.txt"), "the read at kernel.cu:16 by"));
    cr_expect_str_eq(status_of(outcome_of(report, "given")), "unchanged");
    cr_expect_eq(cJSON_GetObjectItem(outcome_of(report, "given"), "points")->valuedouble, 0.0);
    cr_expect_eq(cJSON_GetObjectItem(outcome_of(report, "moved"), "points")->valuedouble, 0.0);
    cr_expect_eq(cJSON_GetObjectItem(outcome_of(report, "good"), "points")->valuedouble, 100.0);
    snprintf(sum, sizeof sum, "sha256sum %%s/s/good.cu | grep -q ^%s",
             cJSON_GetObjectItem(outcome_of(report, "good"), "sha256")->valuestring);
    cr_expect_eq(shell(sum, folder), 0, "%s", sum);
    cr_expect(cJSON_GetObjectItem(cJSON_GetObjectItem(report, "settings"), "points.total"));
    cr_expect(!strstr(cJSON_Print(report), "secret"));
    /* again, by its kept object, whose line information names the folder of the first time */
    cr_assert_eq(shell("rm -r %s/state %s/s/g*", folder), 0);
    grade_all(folder, "s");
    cr_expect(strstr(read_text(folder, "texts/race.txt"), "the read at kernel.cu:16 by"));
    shell("rm -rf %s", folder);
}

/* A folder that one student handed in, as an autograder has it. */
Test(grade, one_students_folder)
{
    char folder[64];
    make_folder(folder);
    cr_assert_eq(
        shell("mkdir %s/submission && touch %s/submission/a.cu %s/submission/b.cu", folder), 0);
    cr_expect_eq(shell("./run grade 05 --student %s/submission/ --gradescope %s/results.json "
                       "--state %s/state > %s/table",
                       folder),
                 1);
    cr_expect(strstr(read_text(folder, "results.json"), "2 .cu files, and none is kernel.cu"));
    expect_refused("05 --student /nowhere", 2, "--student /nowhere: not a folder");
    expect_refused("05 --student README.md", 2, "--student README.md: not a folder");
    shell("rm -rf %s", folder);
}

/* The names that are given to what lies in these folders of `folder`/s. */
static void expect_names(const char *folder, const char *const *folders,
                         const char *const *expected)
{
    struct lab_submissions s = {.list = NULL};
    char path[160];
    for (; *folders; folders++) {
        snprintf(path, sizeof path, "%s/s/%s", folder, *folders);
        cr_assert_eq(lab_submissions_add(&s, path), 0);
    }
    cr_assert_eq(lab_submissions_settle(&s), 0);
    for (int i = 0; i < s.count; i++)
        cr_expect_str_eq(s.list[i].student, expected[i]);
    cr_expect_null(expected[s.count]);
    free(s.list);
}

/* Folders that all have in common are not said, but one: else it could be a student's own name.
 * What is named twice is one. */
Test(grade, students_by_their_paths)
{
    static const char *const two[] = {"one", "two//", "two/../one", NULL}, *const one[] = {"three",
                                                                                           NULL};
    static const char *const of_two[] = {"one/x.cu.cu", "two/x.cu", "two/x.cu.cu", "x", NULL};
    static const char *const of_one[] = {"three/x", "three/x.cu", NULL};
    char folder[64];
    make_folder(folder);
    cr_assert_eq(shell("mkdir -p %s/s/one %s/s/two/x.cu %s/s/three/x && cd %s/s && touch one/x.cu "
                       "one/x.cu.cu two/x.cu.cu two/x.cu/kernel.cu three/x.cu",
                       folder),
                 0);
    expect_names(folder, two, of_two);
    expect_names(folder, one, of_one);
    shell("rm -rf %s", folder);
}

/* As long as a file may be called, and different in the last letter alone. */
Test(grade, long_names)
{
    char folder[64], name[256] = "", other[256] = "", file[LAB_SUBMISSION_FILE];
    make_folder(folder);
    memset(name, 'n', 251);
    memset(other, 'n', 250);
    other[250] = 'm';
    cr_assert(setenv("NAME", name, 1) == 0 && setenv("OTHER", other, 1) == 0);
    cr_assert_eq(
        shell("mkdir -p %s/sub/${NAME}nnnn && cd .built/tests/kernels/submissions/wrong && cp "
              "calls_cublas.cu %s/sub/$NAME.cu && cp does_not_compile.cu %s/sub/$OTHER.cu",
              folder),
        0);
    cJSON *report = grade_all(folder, "sub");
    expect_status(report, name, "forbidden");
    expect_status(report, other, "build_error");
    cr_expect_eq(entries_of(folder, "texts"), 3);
    cr_expect_eq(entries_of(folder, "scores"), 3);
    lab_submission_file(name, 7, ".json", file);
    cr_expect(strlen(file) < sizeof file && strstr(file, "nn%~7.json"), "%s", file);
    lab_submission_file("..%/x", 7, ".txt", file);
    cr_expect_str_eq(file, "%2E.%25%2Fx.txt");
    shell("rm -rf %s", folder);
}

/* Python reads the files as UTF-8 and looks for control characters, also those of Unicode and those
 * that turn the direction; some formats end their lines by them. */
static void expect_clean(const char *folder)
{
    cr_expect_eq(
        shell("cd %s && python3 -c 'import glob, sys, unicodedata\n"
              "files = glob.glob(\"o.*\") + [\"table\"] + glob.glob(\"texts/*\") + "
              "glob.glob(\"scores/*\")\n"
              "for f in files:\n"
              "  for text in (f, open(f, encoding=\"utf-8\", newline=\"\").read()):\n"
              "    bad = [c for c in text if unicodedata.category(c) in (\"Cc\", \"Cf\", \"Zl\") "
              "and c not in \"\\r\\n\"]\n"
              "    if bad: sys.exit(f + repr(bad))'",
              folder),
        0, "%s", read_text(folder, "table"));
}

/* A terminal, a spreadsheet, an XML reader and a program each get something that they can show. */
Test(grade, names_that_cannot_be_shown)
{
    char folder[64];
    make_folder(folder);
    cr_assert_eq(
        shell(
            "mkdir %s/sub && cd %s/sub && b=\"$OLDPWD\"/.built/tests/kernels/submissions/wrong && "
            "cp \"$b\"/calls_cublas.cu \"$(printf 'a\\033[31mred')\".cu && "
            "cp \"$b\"/does_not_compile.cu 'a\\x1b[31mred.cu' && "
            "cp \"$b\"/does_not_compile.cu \"$(printf 'two\\nlines')\".cu && "
            "mkdir \"$(printf 'not \\377 UTF-8 \\303')\" "
            "\"$(printf 'C1 \\302\\233 turned \\342\\200\\256')\" "
            "\"$(printf 'no XML \\357\\277\\276')\" && "
            "cp \"$b\"/does_not_compile.cu \"$(printf 'Jos\\303\\251')\".cu && "
            "printf '#error \\033[2J \\377 \\302\\233\\n' > text.cu",
            folder),
        0);
    cJSON *report = grade_all(folder, "sub");
    expect_status(report, "a\\x1b[31mred", "forbidden");
    expect_status(report, "a\\x5cx1b[31mred", "build_error");
    expect_status(report, "two\\x0alines", "build_error");
    expect_status(report, "not \\xff UTF-8 \\xc3", "build_error");
    expect_status(report, "C1 \\xc2\\x9b turned \\xe2\\x80\\xae", "build_error");
    expect_status(report, "no XML \\xef\\xbf\\xbe", "build_error");
    expect_status(report, "Jos\u00e9", "build_error");
    expect_clean(folder);
    cr_expect(strstr(read_text(folder, "texts/text.txt"), "#error \\x1b[2J \\xff"), "%s",
              read_text(folder, "texts/text.txt"));
    char *table = read_text(folder, "table");
    cr_expect_eq(strcspn(strstr(table, "two"), "\n"), strcspn(strstr(table, "text "), "\n"), "%s",
                 table);
    cr_expect_eq(shell("./run grade 05 \"$(printf '%s/\\033\\n.cu')\" > %s/table 2>&1", folder), 2);
    char *complaint = read_text(folder, "table");
    cr_expect(strstr(complaint, "/\\x1b.cu: No such") ||
                  strstr(complaint, "/\\x1b\\x0a.cu: No such"),
              "%s", complaint);
    shell("rm -rf %s", folder);
}

Test(grade, names_that_are_formulas)
{
    run_lab_leave_to_test_all();
    char folder[64];
    make_folder(folder);
    cr_assert_eq(shell("mkdir %s/sub && cd %s/sub && for n in '=1+1' +1 -1 @1 "
                       "\"$(printf '\\357\\274\\235')1\" \"$(printf '\\t=1')\" 1=1; do cp "
                       "\"$OLDPWD\"/.built/tests/kernels/submissions/wrong/does_not_compile.cu "
                       "\"./$n.cu\"; done",
                       folder),
                 0);
    grade_all(folder, "sub");
    expect_clean(folder);
    char *csv = read_text(folder, "o.csv");
    cr_expect(strstr(csv, "\"'=1+1\",") && strstr(csv, "\"'+1\",") && strstr(csv, "\"'-1\",") &&
                  strstr(csv, "\"'@1\",") && strstr(csv, "\"'\uFF1D1\",") &&
                  strstr(csv, "\"\\x09=1\",") && strstr(csv, "\"1=1\","),
              "%s", csv);
    shell("rm -rf %s", folder);
}

Test(grade, what_can_be_shown)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"plain \\ text", "plain \\ text"},
        {"\\x", "\\x5cx"},
        {"\x7f\r", "\\x7f\\x0d"},
        {"\u20ac \U0001F600", "\u20ac \U0001F600"},
        {"\xc0\xaf\xed\xa0\x80", "\\xc0\\xaf\\xed\\xa0\\x80"},
        {"\u2028\u061c", "\\xe2\\x80\\xa8\\xd8\\x9c"},
        {"\xf0\x9f\x98", "\\xf0\\x9f\\x98"},
    };
    char shown[64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect(lab_printable(cases[i][0], false, shown, sizeof shown));
        cr_expect_str_eq(shown, cases[i][1]);
    }
    lab_printable("a\n\tb\r", true, shown, sizeof shown);
    cr_expect_str_eq(shown, "a\n\tb\\x0d");
    cr_expect(!lab_printable("12\u20ac", false, shown, 5), "no room for the last character");
    cr_expect_str_eq(shown, "12");
    cr_expect_eq(lab_printable_width("Jos\u00e9", 5), 4);
    cr_expect_eq(lab_printable_bytes("Jos\u00e9s", 4), 5);
}

/* --- not judged --------------------------------------------------------------------------------*/

static bool is_null(const cJSON *object, const char *name)
{
    return cJSON_IsNull(cJSON_GetObjectItem(object, name));
}

/* All reports of the right bob, carol, whose file does not compile, and five others. */
static void expect_formats(const char *folder)
{
    check_csv(read_text(folder, "o.csv"), 6);
    cr_expect_eq(
        shell("python3 -c 'import json, sys; json.load(open(sys.argv[1], encoding=\"utf-8\"))' "
              "%s/o.json",
              folder),
        0, "JSON with bytes that are no UTF-8");
    cr_expect(strstr(read_text(folder, "o.csv"), "\"'=x\"\"<&>,y\""), "a formula, or no quotes");
    cr_expect_eq(
        shell("xmllint --noout --schema harness/tests/data/junit.xsd %s/o.xml 2> /dev/null",
              folder),
        0, "JUnit against its schema");
    check_gradescope(cJSON_Parse(read_text(folder, "scores/bob.json")));
    cr_expect(strstr(read_text(folder, "scores/carol.json"), "does not compile"));
    cr_expect(strstr(read_text(folder, "texts/carol.txt"), "kernel.cu("), "the compiler's message");
    cr_expect(!strstr(read_text(folder, "texts/carol.txt"), "/one-"), "a path of this machine");
    cr_expect(strstr(read_text(folder, "texts/bob.txt"), "100.0 points"));
    cr_expect(strstr(read_text(folder, "texts/bob.txt"), "a size that is not shown"));
    cr_expect(strstr(read_text(folder, "texts/empty.txt"), "no kernel.cu"));
}

/* Beside one that is right: no format has a zero for it, and none a score. Beside those that are
 * wrong, all formats are as they must be. */
Test(grade, not_judged_is_no_zero)
{
    char folder[64];
    make_folder(folder);
    cr_assert_eq(
        shell("mkdir %s/sub %s/scores && cd .built/tests/kernels/submissions && cp "
              "unknown/texture_with_beta.cu %s/sub/eve.cu && cp "
              "\"$OLDPWD\"/solutions/05_*/kernel.cu %s/sub/bob.cu && echo '{\"score\": 0}' > "
              "%s/scores/eve.json",
              folder),
        0);
    const char *grade = "./run grade 05 %s/sub --state %s/state --csv %s/o.csv --junit %s/o.xml "
                        "--gradescope %s/scores --feedback %s/texts --json %s/o.json > %s/table "
                        "2> /dev/null";
    cr_expect_eq(shell(grade, folder), 3, "nobody failed");
    char *csv = read_text(folder, "o.csv");
    check_csv(csv, 2);
    cr_expect(strstr(csv, "eve.cu\",unsupported,9,18,0,2,,100,"), "%s", csv);
    cJSON *report = cJSON_Parse(read_text(folder, "o.json"));
    cr_assert(report, "not JSON");
    const cJSON *eve = outcome_of(report, "eve"), *test;
    cr_expect(is_null(cJSON_GetObjectItem(eve, "check"), "status") && is_null(eve, "points"));
    cr_expect(strstr(cJSON_GetObjectItem(cJSON_GetObjectItem(eve, "check"), "message")->valuestring,
                     "tld4"));
    cJSON_ArrayForEach(test, cJSON_GetObjectItem(eve, "tests"))
    {
        cr_expect(is_null(test, "points"), "%s", cJSON_Print(test));
    }
    cr_expect(strstr(read_text(folder, "texts/eve.txt"), "not judged, and no points yet\n"));
    cr_expect(strstr(read_text(folder, "texts/eve.txt"), "A grader with a GPU decides"));
    cr_expect(!strstr(read_text(folder, "texts/eve.txt"), "FAIL"));
    char *table = read_text(folder, "table");
    cr_expect(strstr(table, "1 of 1 right") && strstr(table, "1 not judged"), "%s", table);
    cr_expect_eq(shell("test -e %s/scores/eve.json || ! test -s %s/scores/bob.json", folder), 1,
                 "a score, if only an old one");
    cr_expect_eq(shell("xmllint --noout --schema harness/tests/data/junit.xsd %s/o.xml 2> "
                       "/dev/null && grep -q 'failures=\"0\" errors=\"0\" skipped=\"15\"' %s/o.xml",
                       folder),
                 0, "%s", read_text(folder, "o.xml"));
    if (!run_lab_tries_all()) {
        shell("rm -rf %s", folder);
        return;
    }
    cr_assert_eq(
        shell("mkdir %s/sub/empty && cd .built/tests/kernels/submissions/wrong && cp "
              "../unknown/gather.cu %s/sub/eve.cu && cp calls_cublas.cu "
              "'%s/sub/=x\"<&>,y.cu' && cp does_not_compile.cu %s/sub/carol.cu && printf 'int "
              "\\033\\001\\377 <&>\\n' > %s/sub/odd\"$(printf '\\033\\377')\".cu",
              folder),
        0);
    cr_expect_eq(shell(grade, folder), 1, "1 wins over 3");
    expect_formats(folder);
    shell("rm -rf %s", folder);
}

/* A test that fails decides; those that are not known are open, with their points. */
Test(grade, a_failure_wins_over_what_is_not_known)
{
    run_lab_leave_to_test_all();
    char folder[64];
    make_folder(folder);
    cr_expect_eq(shell("./run grade 05 .built/tests/kernels/submissions/wrong/wrong_and_unknown.cu "
                       "--state %s/state --gradescope %s/r.json --feedback %s/texts > /dev/null",
                       folder),
                 1);
    char *text = read_text(folder, "texts/wrong_and_unknown.txt");
    cr_expect(strstr(text, "\nwrong, ") && strstr(text, " points more are not judged: "), "%s",
              text);
    cr_expect(!strstr(text, "crashed"), "%s", text);
    const cJSON *results = cJSON_Parse(read_text(folder, "r.json")), *test;
    int open = 0;
    cJSON_ArrayForEach(test, cJSON_GetObjectItem(results, "tests"))
    {
        const bool has_score = cJSON_GetObjectItem(test, "score") != NULL;
        const char *output = cJSON_GetObjectItem(test, "output")->valuestring;
        open += !has_score;
        cr_expect_eq(has_score, strncmp(output, "unsupported: ", 13) != 0, "%s", output);
    }
    cr_expect_geq(open, 2);
    shell("rm -rf %s", folder);
}

/* --- timing ------------------------------------------------------------------------------------*/

/* Right wherever the simulator looks, and something else at the size that is timed. */
Test(grade, timed_submissions)
{
    cr_assert_eq(setenv("LAB_GRADE_REHEARSAL", "-m 64", 1), 0);
    cr_expect_geq(grade_corpus("07", "timed NR%11==2", 1), 2);
}

/* Grades the solution of 05 with a share asked of it, and more settings; the report. */
static cJSON *grade_with_share(const char *folder, const char *share, const char *more)
{
    char settings[256];
    snprintf(settings, sizeof settings, "# of the course\n[speed]\nshare = %s\npairs = 8\n%s",
             share, more);
    cr_assert(setenv("LAB_GRADE_REHEARSAL", "-m 40 -n 24 -k 8", 1) == 0 &&
              setenv("SETTINGS", settings, 1) == 0);
    shell("printf \"$SETTINGS\" > %s/course.toml; ./run grade 05 solutions/05_*/kernel.cu --config "
          "%s/course.toml --state %s/state --json %s/o.json --csv %s/o.csv --junit %s/o.xml "
          "--gradescope %s/r.json > /dev/null",
          folder);
    cJSON *report = cJSON_Parse(read_text(folder, "o.json"));
    cr_assert(report, "not JSON");
    return report;
}

static const cJSON *speed_of(const cJSON *report)
{
    const cJSON *one = cJSON_GetArrayItem(cJSON_GetObjectItem(report, "submissions"), 0), *test;
    cJSON_ArrayForEach(test, cJSON_GetObjectItem(one, "tests"))
    {
        if (cJSON_GetObjectItem(test, "speed"))
            return cJSON_GetObjectItem(test, "speed");
    }
    cr_assert(false, "nothing was timed: %s", cJSON_Print(report));
    return NULL;
}

static double figure(const cJSON *object, const char *name)
{
    cr_assert(cJSON_IsNumber(cJSON_GetObjectItem(object, name)), "no %s", name);
    return cJSON_GetObjectItem(object, name)->valuedouble;
}

static double points_of(const cJSON *report)
{
    return figure(cJSON_GetArrayItem(cJSON_GetObjectItem(report, "submissions"), 0), "points");
}

static const char *verdict_of(const cJSON *report)
{
    return cJSON_GetObjectItem(speed_of(report), "verdict")->valuestring;
}

/* Shares that no noise of this machine can reach, or miss. */
Test(grade, a_share_is_asked)
{
    char folder[64];
    make_folder(folder);
    if (run_lab_tries_all()) {
        cJSON *reached = grade_with_share(folder, "0.001", "");
        cr_expect_str_eq(verdict_of(reached), "reached");
        cr_expect_float_eq(points_of(reached), 100.0, 1e-6);
        cr_expect_eq(figure(speed_of(reached), "pairs"), 8);
        cr_expect(figure(speed_of(reached), "low") <= figure(speed_of(reached), "share") &&
                  figure(speed_of(reached), "share") <= figure(speed_of(reached), "high"));
    }
    cJSON *missed = grade_with_share(
        folder, "99",
        "[points]\ntotal = 10 # each\nshown = 1\nhidden = 1\ngoals = 2\n[gradescope]\n"
        "leaderboard = false\nhidden_visibility = \"hidden\"\n");
    cr_expect_str_eq(verdict_of(missed), "missed");
    cr_expect_float_eq(points_of(missed), 5.0 + 5.0 * 2 / 3, 1e-6, "two of three goals");
    const cJSON *const results = cJSON_Parse(read_text(folder, "r.json"));
    cr_expect_float_eq(cJSON_GetObjectItem(results, "score")->valuedouble, 5.0 + 5.0 * 2 / 3, 1e-6);
    cr_expect(!cJSON_GetObjectItem(results, "leaderboard"));
    check_csv(read_text(folder, "o.csv"), 1);
    cr_expect(strstr(read_text(folder, "o.csv"), ",missed,"));
    cr_expect(strstr(read_text(folder, "o.xml"), "<failure type=\"missed\" message=\""));
    cr_expect_eq(shell("xmllint --noout --schema harness/tests/data/junit.xsd %s/o.xml 2> "
                       "/dev/null",
                       folder),
                 0);
    shell("rm -rf %s", folder);
}

/* What is wrong is not timed, even where it is right: with a beta of 0. */
Test(grade, a_wrong_one_has_no_speed)
{
    run_lab_leave_to_test_all();
    char folder[64];
    make_folder(folder);
    cr_assert_eq(setenv("LAB_GRADE_REHEARSAL", "-m 40 -n 24 -k 8", 1), 0);
    cr_expect_eq(
        shell("printf '[speed]\nshare = 0.001\npairs = 8\n' > %s/c.toml; ./run grade 05 "
              ".built/tests/kernels/submissions/wrong/ignores_beta.cu --config %s/c.toml --state "
              "%s/state --json %s/o.json > /dev/null",
              folder),
        1);
    const char *text = read_text(folder, "o.json");
    cr_expect(strstr(text, "\"status\": \"wrong\"") && !strstr(text, "\"speed\": {"), "%s", text);
    shell("rm -rf %s", folder);
}

/* A speed of which nothing is asked is shown, and changes no points. */
Test(grade, a_speed_that_is_only_shown)
{
    char folder[64];
    run_lab_leave_to_test_all();
    make_folder(folder);
    cJSON *report = grade_with_share(folder, "0", "");
    cr_expect_str_eq(verdict_of(report), "measured");
    cr_expect_float_eq(points_of(report), 100.0, 1e-6);
    cr_expect(figure(speed_of(report), "time_ms") > 0.0);
    cr_expect_eq(shell("./run grade 05 solutions/05_*/kernel.cu --config %s/course.toml --state "
                       "%s/state --gradescope %s/r.json --feedback %s/texts > %s/table 2>&1",
                       folder),
                 0);
    const cJSON *results = cJSON_Parse(read_text(folder, "r.json"));
    check_gradescope(results);
    cr_expect(strstr(read_text(folder, "r.json"), "\"share of the solution's speed\""));
    cr_expect(strstr(read_text(folder, "texts/kernel.txt"), "of the solution's speed ("));
    cr_expect(strstr(read_text(folder, "texts/kernel.txt"), "rehearsed on the simulator"));
    cr_expect(strstr(read_text(folder, "table"), "timed on the simulator, a rehearsal"));
    cr_expect(strstr(read_text(folder, "table"), "1 of 1 outcomes were known"), "graded anew");
    shell("rm -rf %s", folder);
}

/* More memory than there is: the submission is right, its goal is open, and the next run tries
 * again. */
Test(grade, what_could_not_be_timed_is_no_verdict)
{
    char folder[64];
    run_lab_leave_to_test_all();
    make_folder(folder);
    cr_assert_eq(setenv("LAB_GRADE_REHEARSAL", "-m 900000", 1), 0);
    cr_expect_eq(shell("./run grade 07 solutions/07_*/kernel.cu --state %s/state --json %s/o.json "
                       "--feedback %s/texts > %s/table",
                       folder),
                 0);
    cr_expect(strstr(read_text(folder, "table"), "not timed: "), "%s", read_text(folder, "table"));
    cr_expect(strstr(read_text(folder, "texts/kernel.txt"), "not timed: "));
    cr_expect(strstr(read_text(folder, "o.json"), "\"left_out\": \"not timed: "));
    cr_expect_eq(shell("./run grade 07 solutions/07_*/kernel.cu --state %s/state > /dev/null 2> "
                       "%s/err; ! grep -q known %s/err",
                       folder),
                 0, "it was kept");
    shell("rm -rf %s", folder);
}

/* Nobody but the simulator: no time, and none is made up. */
Test(grade, without_a_gpu_nothing_is_timed)
{
    char folder[64];
    run_lab_leave_to_test_all();
    make_folder(folder);
    cr_expect_eq(shell("./run grade 07 solutions/07_*/kernel.cu --state %s/state --json %s/o.json "
                       "> %s/table",
                       folder),
                 0);
    char *text = read_text(folder, "o.json");
    cr_expect(!strstr(text, "\"speed\"") && !strstr(text, "\"device\""), "%s", text);
    cr_expect(strstr(text, "; modelled)"), "%s", text);
    shell("rm -rf %s", folder);
}

/* Exit status 3, whatever the verdict. */
Test(grade, output_that_is_lost)
{
    static const char *const ways[] = {"> /dev/full", ">&-", "--json - > /dev/full", "--json - >&-",
                                       "--csv /dev/full > /dev/null"};
    char folder[64];
    make_folder(folder);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        cr_assert_eq(setenv("WAY", ways[i], 1), 0);
        cr_expect_eq(
            shell("eval ./run grade 05 .built/tests/kernels/submissions/wrong/does_not_compile.cu "
                  "--runtime sim --state %s/state 2> %s/err $WAY",
                  folder),
            3, "%s", ways[i]);
        cr_expect(
            strstr(read_text(folder, "err"), i == 4 ? "/dev/full: No space" : "standard output: "),
            "%s: %s", ways[i], read_text(folder, "err"));
    }
    shell("rm -rf %s", folder);
}

/* --- going on ----------------------------------------------------------------------------------*/

static int kept_outcomes(const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, NULL), kept = 0;
    for (int i = 0; i < count; i++)
        kept += strstr(entries[i]->d_name, "-") != NULL && !strchr(entries[i]->d_name, '.');
    return kept;
}

/* Killed when some outcomes are there; the second run keeps those and grades the rest. */
Test(grade, goes_on_after_a_kill)
{
    run_lab_leave_to_test_all();
    char folder[64], state[128], command[1024];
    make_folder(folder);
    snprintf(state, sizeof state, "%s/state", folder);
    cr_assert_eq(
        shell("mkdir %s/sub && for i in 1 2 3 4 5 6; do cp "
              ".built/tests/kernels/submissions/wrong/does_not_compile.cu %s/sub/s$i.cu; done",
              folder),
        0);
    snprintf(command, sizeof command,
             "cd '%s' && exec ./run grade --force 05 %s/sub --runtime sim -j1 --state %s > "
             "/dev/null 2>&1",
             root(), folder, state);
    pid_t child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", command, NULL);
        _exit(127);
    }
    while (kept_outcomes(state) < 2)
        usleep(20000);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    int before = kept_outcomes(state);
    cr_expect_lt(before, 6, "killed too late");
    cr_expect_eq(
        shell("sleep 0.5; ./run grade 05 %s/sub --state %s/state --csv %s/o.csv > /dev/null "
              "2> %s/err",
              folder),
        1);
    check_csv(read_text(folder, "o.csv"), 6);
    cr_expect_eq(kept_outcomes(state), 6);
    int known = 0;
    sscanf(read_text(folder, "err"), "run: %d of 6", &known);
    cr_expect_geq(known, before, "outcomes were lost");
    cr_expect_lt(known, 6);
    shell("rm -rf %s", folder);
}

/* Starts to grade four right submissions with a mark in them, and waits until one is worked on. */
static pid_t start_grader(const char *folder)
{
    char command[1024];
    cr_assert(setenv("F", folder, 1) == 0);
    cr_assert_eq(shell("mkdir $F/sub && for i in 1 2 3 4; do (cat solutions/05_*/kernel.cu; echo "
                       "\"constexpr int mark = $i; // mark of $F, $i\") > $F/sub/s$i.cu; done%.0s",
                       folder),
                 0);
    snprintf(command, sizeof command,
             "cd '%s' && exec ./run grade --force 05 %s/sub --runtime sim -j1 --state %s/state > "
             "%s/table "
             "2> %s/err",
             root(), folder, folder, folder, folder);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGINT, SIG_DFL);
        execl("/bin/sh", "sh", "-c", command, NULL);
        _exit(127);
    }
    cr_assert_eq(shell("n=0; until grep -qs \"mark of $F, 2\" build/grading/work/*/*/kernel.cu || "
                       "[ $n = 3000 ]; do sleep 0.02; n=$((n+1)); done; [ $n -lt 3000 ]%.0s",
                       folder),
                 0);
    return child;
}

static bool is_left(const char *folder)
{
    return shell("grep -qs \"mark of %s\" build/grading/work/*/*/kernel.cu", folder) == 0;
}

/* The same command again: all are graded, and the first was known. */
static void expect_to_go_on(const char *folder)
{
    cr_expect_eq(
        shell("./run grade 05 %s/sub --runtime sim --state %s/state > %s/table 2>&1", folder), 0);
    char *table = read_text(folder, "table");
    cr_expect(strstr(table, "4 of 4 right") && strstr(table, " of 4 outcomes were known"), "%s",
              table);
}

/* All of it ends, nothing stays, one line says what to do, and it is true. */
static void expect_interrupted_by(int number)
{
    char folder[64];
    int status;
    make_folder(folder);
    pid_t child = start_grader(folder);
    kill(child, number);
    waitpid(child, &status, 0);
    cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == number, "%d", status);
    char *err = read_text(folder, "err");
    cr_expect(strstr(err, "the same command goes on from there"), "%s", err);
    cr_expect_eq(run_lab_lines(err), 1, "%s", err);
    cr_expect_not(is_left(folder), "its folder stays");
    cr_expect_neq(shell("grep -qs %s/[s]tate /proc/[0-9]*/cmdline", folder), 0, "a process stays");
    expect_to_go_on(folder);
    shell("rm -rf %s", folder);
}

Test(grade, an_interrupt)
{
    run_lab_leave_to_test_all();
    expect_interrupted_by(SIGINT);
    expect_interrupted_by(SIGTERM);
}

/* A killed grader's folder is removed by the next one, which leaves alone that of one at work. */
Test(grade, folders_of_killed_graders)
{
    char folder[64], other[64];
    int status;
    run_lab_leave_to_test_all();
    make_folder(folder);
    make_folder(other);
    pid_t child = start_grader(folder);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    shell("while grep -qs %s/[s]tate /proc/[0-9]*/cmdline; do sleep 0.02; done",
          folder); /* all of it */
    child = start_grader(other);
    cr_expect_not(is_left(folder), "a killed grader's folder stays");
    expect_to_go_on(folder);
    waitpid(child, &status, 0);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s", read_text(other, "err"));
    cr_expect(strstr(read_text(other, "table"), "4 of 4 right"));
    cr_expect_not(is_left(other), "its folder stays");
    shell("rm -rf %s", folder);
    shell("rm -rf %s", other);
}

static bool is_by_equal(const cJSON *report, const char *student)
{
    return cJSON_IsTrue(cJSON_GetObjectItem(outcome_of(report, student), "judged_by_equal_file"));
}

/* Right files that differ in comments and blanks are judged once, and are worth the same. What is
 * wrong is judged by itself, as is a right file that is another program. */
Test(grade, equal_files_are_judged_once)
{
    static const char *const equals[] = {"b", "c", "known"};
    char folder[64];
    make_folder(folder);
    cr_assert_eq(
        shell("cd %s && mkdir sub && cp \"$OLDPWD\"/solutions/00e_*/kernel.cu sub/a.cu && "
              "(echo '/* of ann; her own */'; cat sub/a.cu) > sub/b.cu && "
              "sed 's/ *\\/\\/.*//; s/^  */\\t/' sub/a.cu > sub/c.cu && "
              "(echo 'constexpr int mine = 1;'; cat sub/a.cu) > sub/other.cu && "
              "(cat sub/a.cu; echo '// __LINE__'; echo) > sub/known.cu && "
              "(cat sub/a.cu; echo 'constexpr int mine = __LINE__;') > sub/place.cu && "
              "sed 's/return cudaGetLastError/return cudaErrorUnknown; (void)cudaGetLastError/' "
              "sub/a.cu > sub/wrong1.cu && (echo; cat sub/wrong1.cu) > sub/wrong2.cu%.0s",
              folder),
        0);
    cr_expect_eq(shell("./run grade 00e %s/sub -j1 --runtime sim --state %s/state --json "
                       "%s/o.json --feedback %s/feedback > %s/table",
                       folder),
                 1);
    cJSON *report = cJSON_Parse(read_text(folder, "o.json"));
    const cJSON *const first = outcome_of(report, "a");
    cr_expect_not(is_by_equal(report, "a"));
    for (size_t i = 0; i < sizeof equals / sizeof *equals; i++) {
        const cJSON *const one = outcome_of(report, equals[i]);
        cr_expect(is_by_equal(report, equals[i]), "%s was judged once more", equals[i]);
        cr_expect(cJSON_Compare(cJSON_GetObjectItem(one, "tests"),
                                cJSON_GetObjectItem(first, "tests"), true));
        cr_expect_eq(figure(one, "points"), figure(first, "points"));
        cr_expect_not(cJSON_Compare(cJSON_GetObjectItem(one, "sha256"),
                                    cJSON_GetObjectItem(first, "sha256"), true));
        cr_expect_eq(strlen(cJSON_GetObjectItem(one, "sha256")->valuestring), 64);
    }
    expect_status(report, "a", "ok");
    expect_status(report, "other", "ok");
    expect_status(report, "place", "ok");
    cr_expect_not(is_by_equal(report, "other"));
    cr_expect_not(is_by_equal(report, "place"));
    cr_expect_not(is_by_equal(report, "wrong1") || is_by_equal(report, "wrong2"));
    cr_expect_eq(figure(outcome_of(report, "wrong1"), "points"), 0.0);
    cr_expect_eq(figure(outcome_of(report, "wrong2"), "points"), 0.0);
    cr_expect_eq(shell("grep -q 'ann\\|a[.]cu' %s/feedback/b.txt %s/feedback/c.txt", folder), 1);
    cJSON_Delete(report);
    shell("rm -rf %s", folder);
}

/* What is kept belongs to its text, not to the text's hash; `--again` forgets it. */
Test(grade, equal_files_have_equal_texts)
{
    run_lab_leave_to_test_all();
    char folder[64];
    make_folder(folder);
    cr_assert_eq(
        shell("mkdir %s/sub && cp solutions/00a_*/kernel.cu %s/sub/a.cu && ./run grade 00a "
              "%s/sub --runtime sim --state %s/state > %s/table && (echo; cat "
              "%s/sub/a.cu) > %s/sub/b.cu && for kept in %s/state/.equal-*; do printf ' ' "
              ">> $kept; done",
              folder),
        0);
    cr_expect_eq(shell("./run grade 00a %s/sub --runtime sim --state %s/state --json %s/o.json > "
                       "%s/table",
                       folder),
                 0);
    cJSON *report = cJSON_Parse(read_text(folder, "o.json"));
    cr_expect_not(is_by_equal(report, "b"), "another text's outcome was taken");
    cJSON_Delete(report);
    cr_expect_eq(shell("rm %s/sub/a.cu && ./run grade 00a %s/sub --again --runtime sim --state "
                       "%s/state --json %s/o.json > %s/table",
                       folder),
                 0);
    report = cJSON_Parse(read_text(folder, "o.json"));
    cr_expect_not(is_by_equal(report, "b"), "--again takes what an earlier run kept");
    cJSON_Delete(report);
    shell("rm -rf %s", folder);
}

/* A changed submission, and changed settings, are graded anew. */
Test(grade, changes_are_graded_anew)
{
    char folder[64];
    make_folder(folder);
    cr_assert_eq(shell("mkdir %s/sub && cp .built/tests/kernels/submissions/wrong/calls_cublas.cu "
                       "%s/sub/s.cu && ./run grade 05 %s/sub --state %s/state > /dev/null; cp "
                       ".built/tests/kernels/submissions/wrong/constructor.cu %s/sub/s.cu",
                       folder),
                 0);
    cr_expect_eq(shell("./run grade 05 %s/sub --state %s/state > %s/table", folder), 1);
    cr_expect(strstr(read_text(folder, "table"), "code that runs when the file"));
    cr_expect_eq(
        shell("./run grade 05 %s/sub --state %s/state > %s/table 2> %s/err; grep -q '1 of 1' "
              "%s/err",
              folder),
        0, "the same again was not known");
    shell("rm -rf %s", folder);
}

/* --- settings and errors -----------------------------------------------------------------------*/

static void expect_refused(const char *arguments, int status, const char *text)
{
    char folder[64];
    make_folder(folder);
    cr_assert_eq(setenv("ARGUMENTS", arguments, 1), 0);
    cr_expect_eq(shell("eval ./run grade $ARGUMENTS > %s/out 2> %s/err", folder), status, "%s",
                 arguments);
    char *err = read_text(folder, "err");
    cr_expect(strstr(err, text), "%s: says '%s'", arguments, err);
    cr_expect_eq(run_lab_lines(err), 1, "%s: says '%s'", arguments, err);
    shell("rm -rf %s", folder);
}

Test(grade, errors)
{
    expect_refused("", 2, "give an exercise and submissions");
    expect_refused("99 x.cu", 2, "no exercise '99'");
    expect_refused("05", 2, "give an exercise and submissions");
    expect_refused("05 /nowhere", 2, "No such file");
    expect_refused("05 README.md", 2, "not a .cu file");
    expect_refused("05 harness/setup", 2, "no submissions");
    expect_refused("05 steps/05_register_blocking/3_values_8x8.cu -j 0", 2, "whole number");
    expect_refused("05 steps/05_register_blocking/3_values_8x8.cu --config /nowhere", 2,
                   "No such file");
    expect_refused("05 steps/05_register_blocking/3_values_8x8.cu --config steps", 2,
                   "Is a directory");
    expect_refused("05 steps/05_register_blocking/3_values_8x8.cu --state README.md", 2,
                   "README.md: Not a directory");
    expect_refused("05 steps/05_register_blocking/3_values_8x8.cu --state /nowhere/x", 2,
                   "No such file");
    expect_refused("05 steps/05_register_blocking/3_values_8x8.cu --config /dev/zero", 2,
                   "give a file");
    expect_refused("05 steps/05_register_blocking/3_values_8x8.cu --config README.md", 2,
                   "README.md:3");
    expect_refused("05 steps/05_register_blocking/3_values_8x8.cu --isolation some", 2,
                   "give auto, full or none");
    expect_refused("05 steps/05_register_blocking/3_values_8x8.cu --runtime some", 2,
                   "give auto, gpu or sim");
    expect_refused("05 steps/05_register_blocking/3_values_8x8.cu --runtime gpu", 3,
                   "--runtime gpu: ");
    expect_refused("5 steps/05_register_blocking/3_values_8x8.cu --csv /nowhere/x", 2,
                   "/nowhere/x: No such");
    expect_refused("05 steps/05_register_blocking/3_values_8x8.cu --json steps", 2,
                   "steps: Is a directory");
    expect_refused("05 steps/05_register_blocking/3_values_8x8.cu --feedback README.md", 2,
                   "README.md: Not a directory");
    expect_refused("05 steps/05_register_blocking/3_values_8x8.cu --gradescope steps", 2,
                   "steps: Is a");
}

/* A shell command in the checkout while another, the grader in the background, grades a file with
 * a mark in it: the command is run when the mark has been read. Of the exercise that takes least.
 */
static int shell_while_graded(const char *grader, const char *command, const char *folder)
{
    char mark[128];
    snprintf(mark, sizeof mark, "mark of %s", folder);
    cr_assert(setenv("MARK", mark, 1) == 0 && setenv("GRADER", grader, 1) == 0 &&
              setenv("COMMAND", command, 1) == 0 && setenv("F", folder, 1) == 0);
    return shell(
        "(cat solutions/00c_*/kernel.cu; echo \"// $MARK\") > $F/one.cu; eval $GRADER & n=0; "
        "until grep -qs \"$MARK\" build/grading/work/*/*/kernel.cu || [ $n = 600 ]; do sleep 0.05; "
        "n=$((n+1)); "
        "done; eval $COMMAND; wait $!%.0s",
        folder);
}

/* What was read is graded; what the file becomes is another submission. */
Test(grade, a_submission_that_vanishes)
{
    char folder[64];
    run_lab_leave_to_test_all();
    make_folder(folder);
    cr_expect_eq(
        shell_while_graded("./run grade --force 00c $F/one.cu --runtime sim --state $F/state > "
                           "$F/table 2> $F/err",
                           "rm $F/one.cu", folder),
        0, "%s", read_text(folder, "err"));
    cr_expect(strstr(read_text(folder, "table"), "1 of 1 right"));
    cr_expect_eq(
        shell("cp .built/tests/kernels/submissions/wrong/calls_cublas.cu %s/one.cu; ./run grade "
              "00c %s/one.cu --runtime sim --state %s/state > %s/table 2> /dev/null",
              folder),
        1);
    cr_expect(strstr(read_text(folder, "table"), "forbidden"), "the outcome of another file");
    shell("rm -rf %s", folder);
}

/* Whatever becomes of it while it is built or tried: what was read is right, and that is known. */
Test(grade, a_submission_that_changes)
{
    run_lab_leave_to_test_all();
    static const char *const commands[] = {
        "cp .built/tests/kernels/submissions/wrong/writes_zeros.cu $F/one.cu",
        ": > $F/one.cu",
        "ln -sf /etc/passwd $F/one.cu",
        "rm $F/one.cu; mkdir $F/one.cu",
        "rm $F/one.cu; mkfifo $F/one.cu",
        "d=$(dirname $(grep -ls \"$MARK\" build/grading/work/*/*/kernel.cu)); until [ -e "
        "$d/kernel.o.so ] || ! [ -e $d ]; do sleep 0.02; done; rm $F/one.cu",
        "d=$(dirname $(grep -ls \"$MARK\" build/grading/work/*/*/kernel.cu)); until [ -e "
        "$d/plan ] || ! [ -e $d ]; do sleep 0.02; done; cp "
        ".built/tests/kernels/submissions/wrong/writes_zeros.cu $F/one.cu",
    };
    static const char grader[] = "./run grade --force 00c $F/one.cu --runtime sim --state $F/state "
                                 "> $F/table 2> $F/err";
    for (int i = 0; i < (int)(sizeof commands / sizeof *commands); i++) {
        char folder[64];
        if (!run_lab_takes(i, 5))
            continue;
        make_folder(folder);
        cr_expect_eq(shell_while_graded(grader, commands[i], folder), 0, "%s: %s", commands[i],
                     read_text(folder, "table"));
        cr_expect(strstr(read_text(folder, "table"), "1 of 1 right"), "%s", commands[i]);
        cr_expect_eq(shell("rm -rf $F/one.cu; (cat solutions/00c_*/kernel.cu; echo \"// $MARK\") > "
                           "$F/one.cu; eval $GRADER%.0s",
                           folder),
                     0);
        cr_expect(strstr(read_text(folder, "err"), "1 of 1 outcomes were known"), "%s: %s",
                  commands[i], read_text(folder, "err"));
        shell("rm -rf %s", folder);
    }
}

/* What this machine cannot do is no verdict, and nobody's zero. */
Test(grade, an_outcome_that_cannot_be_kept)
{
    run_lab_leave_to_test_all();
    char folder[64];
    make_folder(folder);
    cr_expect_eq(
        shell_while_graded("./run grade --force 00c $F/one.cu --runtime sim --state $F/state --csv "
                           "$F/o.csv > $F/table 2> $F/err",
                           "rm -rf $F/state", folder),
        3);
    cr_expect(strstr(read_text(folder, "err"), "cannot be kept"), "%s", read_text(folder, "err"));
    cr_expect_eq(shell("test -s %s/table || test -s %s/o.csv", folder), 1, "a report all the same");
    shell("rm -rf %s", folder);
}

/* Room for nothing but a name. Where this may not mount, nothing is tried. */
Test(grade, a_full_disk)
{
    char folder[64];
    make_folder(folder);
    int status = shell("cd %s && mkdir small && unshare -m true 2> /dev/null || exit 77; cd - > "
                       "/dev/null; unshare -m sh -c 'mount -t tmpfs -o size=8k tmpfs $0/small && "
                       "exec ./run grade 05 solutions/05_*/kernel.cu --state $0/small' %s > "
                       "%s/out 2> %s/err",
                       folder);
    cr_expect(status == 3 || status == 77, "%d", status);
    if (status == 3)
        cr_expect(strstr(read_text(folder, "err"), "No space left on device; nothing was graded"));
    shell("rm -rf %s", folder);
}

/* A settings file with one section and one or two lines. */
static void expect_bad_settings(const char *lines, int status, const char *text)
{
    char folder[64];
    make_folder(folder);
    cr_assert_eq(setenv("LINES", lines, 1), 0);
    cr_expect_eq(shell("printf \"$LINES\" > %s/c.toml; ./run grade 05 solutions/05_*/kernel.cu "
                       "--config %s/c.toml --state %s/state > %s/out 2> %s/err",
                       folder),
                 status, "%s", lines);
    char *err = read_text(folder, "err");
    cr_expect(strstr(err, text) && run_lab_lines(err) == 1, "%s: says '%s'", lines, err);
    shell("rm -rf %s", folder);
}

Test(grade, mistakes_in_settings)
{
    expect_bad_settings("[gradescope]\nvisibility = \"seen\"\n", 2, "c.toml:2: not a value");
    expect_bad_settings("[points]\ntotal = 3\ntotal = 4\n", 2,
                        "c.toml:3: no TOML: cannot overwrite");
    expect_bad_settings("[limits]\ntrial_seconds = 0\n", 2, "c.toml:2: not a value");
    expect_bad_settings("[point]\n", 2, "no such section: 'point'; did you mean 'points'?");
    expect_bad_settings("[limits]\ntrial_secconds = 1\n", 2,
                        "c.toml:2: no such setting: 'limits.trial_secconds'; did you mean "
                        "'limits.trial_seconds'?");
    expect_bad_settings("[limits]\nzzzzzzzzzzzzzzzzzz = 1\n", 2, "'limits.zzzzzzzzzzzzzzzzzz'\n");
    expect_bad_settings("[points]\nshown = 0\nhidden = 0\ngoals = 0\n", 2, "no points");
    if (!getenv("LAB_TEST_SANITIZE")) /* which takes terabytes of addresses, so no limit is set */
        expect_bad_settings("[limits]\nmemory_mb = 10\n", 3, "the solution itself does not pass");
}

/* A goal.txt with these lines; an exit status of reading and of looking at it. */
static int look_at_goals(const char *lines)
{
    static struct lab_exercise exercise;
    char folder[64], path[128], directory[128];
    make_folder(folder);
    snprintf(path, sizeof path, "%s/goal.txt", folder);
    snprintf(directory, sizeof directory, "../../../../../../../../../../..%s", folder);
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs(lines, file) >= 0 && fclose(file) == 0);
    struct lab_registry_entry entry = *lab_registry_exercise("exercise05");
    entry.directory = directory;
    int status = lab_exercise_read(&entry, &exercise);
    if (status == LAB_EXIT_OK)
        status = lab_exercise_check(&entry, &exercise);
    shell("rm -rf %s", folder);
    return status;
}

Test(grade, mistakes_in_goals)
{
    cr_expect_eq(look_at_goals("Words.\ntest -m 1\nhidden -m 1..3\ntime -m 9\n"
                               "goal -m 3 | most 1.5 | speed | label | advice\n"),
                 0);
    cr_expect_eq(look_at_goals("test --thorough\nhidden --thorough\n"), 0);
    cr_expect_eq(look_at_goals("test -m 1\nhidden -m 5,7\ngoal -m 3,4 | most 3 | time | l | a\n"),
                 0);
    cr_expect_eq(look_at_goals("test -m 1,2\n"), 2, "a list in a test");
    cr_expect_eq(look_at_goals("test -m 1\ngoal -m 3..4 | most 1 | speed | l | a\n"), 2, "a range");
    cr_expect_eq(look_at_goals("test -m 1\ngoal -m 3,0 | most 1 | speed | l | a\n"), 2, "no size");
    cr_expect_eq(look_at_goals("test -m 1\ntime --thorough\n"), 2, "no one problem");
    cr_expect_eq(look_at_goals("test --thorough -m 1\n"), 2, "a size, too");
    cr_expect_eq(look_at_goals("test -m 1\ngoal --thorough | most 1 | speed | l | a\n"), 2);
    cr_expect_eq(look_at_goals("Words.\n"), 2, "no test");
    cr_expect_eq(look_at_goals("test -q 1\n"), 2, "no such size");
    cr_expect_eq(look_at_goals("test -m 1..3\n"), 2, "a range in a test");
    cr_expect_eq(look_at_goals("test step03\n"), 2, "two targets");
    cr_expect_eq(look_at_goals("test -m 1\nhidden -m 3..1\n"), 2, "backwards");
    cr_expect_eq(look_at_goals("test -m 1\nhidden -m 0..3\n"), 2, "no size at one end");
    cr_expect_eq(look_at_goals("test -m 1\nhidden -m 1..99999999999\n"), 2, "at the other");
    cr_expect_eq(look_at_goals("test -m 1\nhidden -m 1..3x\n"), 2, "not a number");
    cr_expect_eq(look_at_goals("test -m 1\nhidden -m 2,3 --alpha -0.3,1,2.5e3\n"), 0);
    cr_expect_eq(look_at_goals("test -m 1\nhidden -m 3 --alpha -0.3,x\n"), 2, "no list");
    cr_expect_eq(look_at_goals("test -m 1\nhidden -m 1.5,3\n"), 2, "half a row");
    cr_expect_eq(look_at_goals("test -m 1\nguard -m 3,4 | least 1 | speed | l | a\n"), 0);
    cr_expect_eq(look_at_goals("test -m 1\nguard -m 3 | lest 1 | speed | l | a\n"), 3);
    cr_expect_eq(look_at_goals("test -m 1\ntime -m\n"), 2, "no value");
    cr_expect_eq(look_at_goals("test -m 1\ngoal -z 3 | most 1 | speed | l | a\n"), 2);
    cr_expect_eq(look_at_goals("test -m 1\ngoal -m 3 | most x | speed | l | a\n"), 3);
    cr_expect_eq(look_at_goals("test -m 1\ngoal -m 3 | most nan | speed | l | a\n"), 3);
    cr_expect_eq(look_at_goals("test -m 1\ngoal -m 3 | most 1 | speed | l | a | b\n"), 3);
}

/* What is said of the last of these lines. */
static void expect_suggestion(const char *lines, const char *text)
{
    char said[512] = "";
    FILE *file = tmpfile();
    cr_assert(file);
    const int before = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    cr_expect_neq(look_at_goals(lines), 0, "%s", lines);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(file);
    cr_expect(fgets(said, sizeof said, file) && strstr(said, text), "%s: says '%s'", lines, said);
    fclose(file);
}

Test(grade, mistakes_in_goals_have_a_suggestion)
{
    expect_suggestion("test -m 1\nhiden -m 2\n",
                      ":2: not a line of goal.txt; did you mean 'hidden'?");
    expect_suggestion("test -m 1\n\ngaol -m 3 | most 1 | speed | l | a\n", "did you mean 'goal'?");
    expect_suggestion("test -m 1\ngoal -m 3 | lest 1 | speed | l | a\n", "did you mean 'least'?");
    expect_suggestion("test -m 1\ngoal -m 3 | most x | speed | l | a\n",
                      "not a line of goal.txt\n");
    expect_suggestion("test -m 1 --aplha 2\n", "did you mean '--alpha'?");
}

Test(grade, bad_settings_name_the_line)
{
    char folder[64];
    make_folder(folder);
    cr_assert_eq(
        shell("printf '[points]\\ntotal = many\\n' > %s/a.toml; printf '[points]\\n\\nwhat = "
              "1\\n' > %s/b.toml",
              folder),
        0);
    cr_expect_eq(
        shell("./run grade 05 x.cu --config %s/a.toml 2>&1 | grep -q 'a.toml:2: no TOML: '",
              folder),
        0);
    cr_expect_eq(
        shell("./run grade 05 x.cu --config %s/b.toml 2>&1 | grep -q 'b.toml:3: no such'", folder),
        0);
    shell("rm -rf %s", folder);
}
