/* What the lab says, command by command, and the machine code of its kernels, held to what is kept
 * in harness/tests/frozen: a restructuring that is to change nothing shows here what it changed.
 * With LAB_FREEZE=1 (make freeze) what is said now is kept in its place. */
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <regex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 400, THREADS = 2 };

/* What differs between runs and machines though nothing changed: the first bracket of each pattern
 * gives way. Before these the folders do: of the command, of what is built, of the checkout. */
static const struct {
    const char *pattern, *instead;
} varying[] = {
    {": (/.*)/(steps|solutions)/[0-9]", "ROOT"}, /* --lines: where the kernels were built */
    {"\"date\": \"([0-9-]+)\"", "DATE"},
    /* of the reference's rounding, which OpenBLAS does as the processor lets it */
    {"\"max_error\": ([0-9.e+-]+)", "E"},
    {": expected (-?[0-9.e+-]+), got", "X"},
    {"\"simulation_seconds\": ([0-9.e-]+)", "S"},
    {" at (0x[0-9a-f]+)", "ADDRESS"},
    {"(no NVIDIA driver \\(libcuda.so.1\\) on this machine|the NVIDIA driver finds no usable GPU "
     "\\(see nvidia-smi\\))",
     "NO GPU"},
    {"([0-9.]+) GiB are free", "N"},
    {"host's memory, which has ([0-9.]+)", "N"},
    {"([0-9]+ cores?) of the host", "N cores"}, /* sweep step11, with what the host takes: */
    {"^ +[0-9]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ \\|( +[0-9.]+ +[0-9.]+ +[0-9.]+ \\| +[0-9.]+ +[0-9.]+ "
     "+[0-9.]+)$",
     " MS"},
    {"( +[0-9.]+ s)  ", " S"},                                               /* grade */
    {"^[a-z]+[0-9a-d.]+ +[0-9a-d.-]+ +((gpu, sim|gpu|sim|-) +)", "PASSED "}, /* list */
    {"^([0-9]+) of [0-9]+ exercises passed", "N"},
    {"exercises passed((; next: exercise[0-9a-d]+, level [1-3], about [0-9]+ minutes)?)$",
     "; next: NEXT"},
};

struct frozen {
    const char *command; /* a line of `commands` */
    char *said;          /* its section of `outputs`, without the command */
};

static struct frozen commands[MOST];
static int command_count;
static atomic_int next_command;

static const char *environment(const char *name)
{
    const char *value = getenv(name);
    cr_assert(value, "%s is not set", name);
    return value;
}

static bool is_freezing(void)
{
    const char *freeze = getenv("LAB_FREEZE");
    return freeze && freeze[0];
}

/* Path of a file of the frozen ones. */
static const char *frozen_path(const char *name, char path[4096])
{
    snprintf(path, 4096, "%s/harness/tests/frozen/%s", environment("LAB_TEST_ROOT"), name);
    return path;
}

/* A whole file; NULL when it cannot be read. */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    if (!file)
        return NULL;
    if (getdelim(&text, &room, '\0', file) < 0)
        text = strdup("");
    fclose(file);
    return text;
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0, "cannot write %s", path);
}

/* `text`, which is freed, with `word` in the place of every `found`. */
static char *replace_word(char *text, const char *found, const char *word)
{
    char *replaced;
    size_t size;
    FILE *stream = open_memstream(&replaced, &size);
    const char *at = text;
    for (const char *next; (next = strstr(at, found)); at = next + strlen(found))
        fprintf(stream, "%.*s%s", (int)(next - at), at, word);
    fputs(at, stream);
    fclose(stream);
    free(text);
    return replaced;
}

static char *replace_pattern(char *text, const regex_t *pattern, const char *word)
{
    char *replaced;
    size_t size;
    FILE *stream = open_memstream(&replaced, &size);
    const char *at = text;
    regmatch_t match[2];
    while (regexec(pattern, at, 2, match, at > text && at[-1] != '\n' ? REG_NOTBOL : 0) == 0) {
        fprintf(stream, "%.*s%s", (int)match[1].rm_so, at, word);
        at += match[1].rm_eo;
    }
    fputs(at, stream);
    fclose(stream);
    free(text);
    return replaced;
}

static char *replace_varying(char *text, const char *folder)
{
    const size_t patterns = sizeof varying / sizeof *varying;
    text = replace_word(text, folder, "FOLDER");
    text = replace_word(text, getenv("LAB_TEST_BUILD"), "BUILD");
    text = replace_word(text, getenv("LAB_TEST_ROOT"), "ROOT");
    for (size_t i = 0; i < patterns; i++) {
        regex_t pattern;
        if (regcomp(&pattern, varying[i].pattern, REG_EXTENDED | REG_NEWLINE) != 0)
            abort();
        text = replace_pattern(text, &pattern, varying[i].instead);
        regfree(&pattern);
    }
    return text;
}

/* Runs one command in a folder of its own and describes what it gave. */
static char *take(const char *command, struct run_lab *result)
{
    char folder[] = "/tmp/lab-frozen-XXXXXX", *said;
    size_t size;
    if (!mkdtemp(folder))
        abort();
    run_lab_shell(result, "FOLDER=%s; %s", folder, command);
    FILE *stream = open_memstream(&said, &size);
    fprintf(stream, "status %d\n", result->status);
    const char *const streams[] = {result->out, result->err};
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(streams[i]);
        if (length)
            fprintf(stream, "--- standard %s\n%s%s", i ? "error" : "output", streams[i],
                    streams[i][length - 1] == '\n' ? ""
                    : length == RUN_LAB_BYTES - 1  ? "\n(cut off)\n"
                                                   : "\n(no newline)\n");
    }
    fclose(stream);
    run_lab_shell(result, "rm -rf %s", folder);
    return replace_varying(said, folder);
}

static void *work(void *unused)
{
    struct run_lab *result = malloc(sizeof *result);
    for (int i; result && (i = next_command++) < command_count;)
        commands[i].said = take(commands[i].command, result);
    free(result);
    return unused;
}

static void read_commands(void)
{
    char path[4096];
    char *text = read_file(frozen_path("commands", path));
    cr_assert(text, "no %s", path);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (line[0] != '#') {
            cr_assert_lt(command_count, MOST);
            commands[command_count++].command = line;
        }
}

static void run_commands(void)
{
    pthread_t threads[THREADS];
    setenv("BUILD", environment("LAB_TEST_BUILD"), 1);
    setenv("CUDA_VISIBLE_DEVICES", "-1", 1); /* the same on a machine with a GPU */
    setenv("LC_ALL", "C", 1);
    unsetenv("LAB_SIM_GPU");
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, work, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* What makes the machine code: the release of nvcc and the architecture, as one line. */
static const char *compiler(void)
{
    static struct run_lab result;
    run_lab_shell(&result,
                  "echo $(\"$(head -n 1 '%s/nvcc.command')\" --version | "
                  "sed -n 's/^Cuda comp.* V/nvcc /p') $(grep -o 'code=.sm_[0-9a-z]*' "
                  "'%s/nvcc.command' | cut -d [ -f 2)",
                  environment("LAB_TEST_BUILD"), environment("LAB_TEST_BUILD"));
    cr_assert(strstr(result.out, "nvcc ") && strstr(result.out, " sm_"), "%s%s", result.out,
              result.err);
    return result.out;
}

/* The same, with what else the outputs depend on: how the C library prints --help, and whether
 * there is anything to plot with. */
static const char *surroundings(void)
{
    static struct run_lab result;
    char made_by[256];
    snprintf(made_by, sizeof made_by, "%.200s", compiler());
    made_by[strcspn(made_by, "\n")] = '\0';
    run_lab_shell(&result,
                  "echo '%s' $(getconf GNU_LIBC_VERSION) "
                  "$(command -v gnuplot > /dev/null && echo gnuplot)",
                  made_by);
    return result.out;
}

/* Lines that differ between two texts, "-" before what was kept. */
static const char *differences(const char *kept, const char *now)
{
    static struct run_lab result;
    char folder[] = "/tmp/lab-frozen-XXXXXX", path[64];
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/kept", folder);
    write_file(path, kept);
    snprintf(path, sizeof path, "%s/now", folder);
    write_file(path, now);
    run_lab_shell(&result, "cd %s && diff -U0 kept now | sed -n '/^@@/,$p'; rm -rf %s", folder,
                  folder);
    return result.out;
}

/* All sections, behind the line that says what compiled the kernels. */
static char *describe_all(void)
{
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    fputs(surroundings(), stream);
    for (int i = 0; i < command_count; i++)
        fprintf(stream, "\n$ %s\n%s", commands[i].command, commands[i].said);
    fclose(stream);
    return text;
}

/* The section of a command in `outputs`; NULL when it has none. */
static char *kept_section(const char *outputs, const char *command)
{
    size_t length = strlen(command);
    for (const char *at = outputs; (at = strstr(at, "\n\n$ ")); at++)
        if (strncmp(at + 4, command, length) == 0 && at[4 + length] == '\n') {
            const char *begin = at + 4 + length + 1, *end = strstr(begin, "\n\n$ ");
            return strndup(begin, end ? (size_t)(end - begin) + 1 : strlen(begin));
        }
    return NULL;
}

static int count_sections(const char *outputs)
{
    int count = 0;
    for (const char *at = outputs; (at = strstr(at, "\n\n$ ")); at++)
        count++;
    return count;
}

/* Another nvcc makes other kernels, which need other registers and instructions: then only what is
 * refused can be compared. */
Test(frozen, outputs, .timeout = 600)
{
    char path[4096];
    read_commands();
    run_commands();
    frozen_path("outputs", path);
    if (is_freezing()) {
        write_file(path, describe_all());
        return;
    }
    char *outputs = read_file(path);
    cr_assert(outputs, "no %s; run `make freeze`", path);
    const bool is_same = strncmp(outputs, surroundings(), strlen(surroundings())) == 0;
    if (!is_same)
        fprintf(stderr, "only what is refused is compared: kept with %.*s, here is %s",
                (int)strcspn(outputs, "\n"), outputs, surroundings());
    cr_expect_eq(count_sections(outputs), command_count, "%s is not of these commands", path);
    for (int i = 0; i < command_count; i++) {
        char *kept = kept_section(outputs, commands[i].command);
        if (!kept)
            cr_expect(kept, "nothing is kept of: %s", commands[i].command);
        else if (is_same || strncmp(kept, "status 2", 8) == 0)
            cr_expect(strcmp(kept, commands[i].said) == 0, "%s\n%s", commands[i].command,
                      differences(kept, commands[i].said));
        free(kept);
    }
}

Test(frozen, machine_code, .timeout = 60)
{
    static struct run_lab result;
    char path[4096], *now;
    frozen_path("machine_code", path);
    run_lab_shell(&result, "command -v python3 > /dev/null");
    if (result.status != 0)
        cr_skip_test("python3 is not here");
    run_lab_shell(&result,
                  "root=$PWD; cd '%s/..' && python3 -B \"$root/harness/tests/machine_code.py\" "
                  /* what steps.def lists: an older build may have left others there */
                  "$(awk -F'\"' -v build=\"$(basename '%s')\" '/^LAB_(STAGE|STUDY)/ {print build "
                  "\"/steps/\" $2 "
                  "\".so\"}' \"$root/steps/steps.def\") $(basename '%s')/solution/*.so",
                  environment("LAB_TEST_BUILD"), environment("LAB_TEST_BUILD"),
                  environment("LAB_TEST_BUILD"));
    cr_assert_eq(result.status, 0, "%s", result.err);
    cr_assert_geq(asprintf(&now, "%s%s", compiler(), result.out), 0);
    if (is_freezing()) {
        write_file(path, now);
        return;
    }
    char *kept = read_file(path);
    cr_assert(kept, "no %s; run `make freeze`", path);
    if (strncmp(kept, compiler(), strlen(compiler())) != 0)
        cr_skip_test("kept with %.*s, here is %s", (int)strcspn(kept, "\n"), kept, compiler());
    cr_expect(strcmp(kept, now) == 0, "the machine code differs:\n%s", differences(kept, now));
}
