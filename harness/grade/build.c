/* The compiler reads what a student wrote: it may include a file of the system, expand a template
 * without end, or print a megabyte of errors. So it runs confined, like all that reads a
 * submission. */
#include "grade/judge.h"

#include "grade/sandbox/sandbox.h"
#include "base/text.h"
#include "base/files.h"
#include "base/status.h"
#include "machine/compiled.h"
#include "machine/toolchain.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OBJECT_BYTES = 64 << 20, MESSAGES = 1 << 20 };

/* Keeps the compiler messages that interest the student, without this machine's paths. */
static void keep_messages(struct lab_outcome *outcome, const char *folder, const char *text)
{
    size_t used = 0, length = strlen(folder);
    while (*text && used < sizeof outcome->compiler - 1) {
        if (strncmp(text, folder, length) == 0 && text[length] == '/') {
            text += length + 1;
            continue;
        }
        outcome->compiler[used++] = *text++;
    }
    outcome->compiler[used] = '\0';
}

static bool refuse(struct lab_outcome *outcome, enum lab_check_status status, const char *message)
{
    outcome->status = status;
    snprintf(outcome->message, sizeof outcome->message, "%s", message);
    return false;
}

/* Runs first a command that takes less time for most files. If that ends and fails, the whole
 * command decides. */
static void run_shortened(struct lab_confine *what, const char *shortcut, struct lab_confined *how)
{
    struct lab_confine shortened = *what;
    lab_confine_word(&shortened, shortcut);
    lab_confine_run(&shortened, how);
    if (!how->started || how->status == 0 || how->timed_out || how->too_much_output)
        return;
    lab_confined_free(how);
    lab_confine_run(what, how);
}

/* Runs a compiler command in the folder, with `shortcut` first unless that is NULL; false with the
 * outcome set when it failed. */
static bool run_compiler(const struct lab_build_terms *terms, struct lab_confine *what,
                         const char *shortcut, const char *folder, struct lab_outcome *outcome)
{
    char temporary[LAB_PATH_BYTES + 16], path[] = "PATH=/usr/local/bin:/usr/bin:/bin";
    const char *environment[] = {path, "HOME=/tmp", "LC_ALL=C", temporary, NULL};
    struct lab_confined how;
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", terms->isolate ? "/tmp" : folder);
    what->environment = environment;
    what->isolate = terms->isolate;
    what->account = terms->account;
    what->seconds = terms->seconds;
    what->file_bytes = OBJECT_BYTES;
    what->memory_bytes = (size_t)8 << 30;
    what->output_bytes = MESSAGES;
    lab_confine_bind(what, folder, true);
    if (shortcut)
        run_shortened(what, shortcut, &how);
    else
        lab_confine_run(what, &how);
    if (how.output)
        lab_compiler_gather(how.output);
    keep_messages(outcome, folder, how.output);
    bool good = how.started && how.status == 0;
    if (!how.started)
        refuse(outcome, LAB_CHECK_NOT_RUN, "the compiler cannot be started");
    else if (how.timed_out)
        refuse(outcome, LAB_CHECK_BUILD_ERROR, "the compiler takes longer than its limit");
    else if (how.too_much_output)
        refuse(outcome, LAB_CHECK_BUILD_ERROR, "the compiler prints without end");
    else if (!good)
        refuse(outcome, LAB_CHECK_BUILD_ERROR, "it does not compile");
    lab_confined_free(&how);
    return good && !how.timed_out;
}

bool lab_build_object(const struct lab_build_terms *terms, const char *folder,
                      struct lab_outcome *outcome)
{
    char text[LAB_PATH_BYTES], *words[LAB_TOOLCHAIN_WORDS], root[LAB_PATH_BYTES];
    char include[LAB_PATH_BYTES + 16];
    char quiet[LAB_PATH_BYTES + 16]; /* has <iostream> without code that runs at loading */
    char common[LAB_PATH_BYTES], toolkit[LAB_PATH_BYTES], nvcc[LAB_PATH_BYTES] = "";
    char source[LAB_PATH_BYTES], object[LAB_PATH_BYTES], depends[LAB_PATH_BYTES];
    struct lab_confine what = {.words = {NULL}};
    if (lab_toolchain_command(text, words) < 1 || lab_toolchain_nvcc(nvcc) != 0)
        return refuse(outcome, LAB_CHECK_NOT_RUN, "nvcc is not there; run `make setup`");
    lab_root(root);
    snprintf(common, sizeof common, "%.4000s/common", root);
    snprintf(include, sizeof include, "-I%s", common);
    snprintf(quiet, sizeof quiet, "-I%s/quiet", common);
    snprintf(source, sizeof source, "%.4000s/kernel.cu", folder);
    snprintf(object, sizeof object, "%.4000s/kernel.o", folder);
    snprintf(depends, sizeof depends, "%.4000s/kernel.d", folder);
    for (char **word = words; *word && strcmp(*word, "-shared") != 0; word++) /* no linking */
        lab_confine_word(&what, *word);
    /* NVTX, which cub includes, is for profilers: its host code loads libraries */
    const char *const more[] = {include, quiet, "-DNVTX_DISABLE", "-MD", "-MF",
                                depends, "-c",  source,           "-o",  object};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        lab_confine_word(&what, more[i]);
    lab_confine_bind(&what, common, false);
    lab_build_path(toolkit, "toolkit");
    lab_confine_bind(&what, toolkit, false);
    char *home = dirname(dirname(nvcc));
    if (strncmp(home, "/usr", 4) != 0)
        lab_confine_bind(&what, home, false);
    struct lab_compilation compilation = {.words = (char *const *)what.words,
                                          .source = source,
                                          .place = "",
                                          .object = object,
                                          .depends = depends};
    char *messages = NULL;
    bool good = lab_compilation_known(&compilation, &messages);
    if (good) {
        snprintf(outcome->compiler, sizeof outcome->compiler, "%s", messages);
    } else {
        good = run_compiler(terms, &what, LAB_TOOLCHAIN_PLAIN_CMATH, folder, outcome);
        if (good)
            lab_compilation_keep(&compilation, outcome->compiler);
    }
    free(messages);
    lab_compilation_end(&compilation);
    return good;
}

bool lab_build_shared(const struct lab_build_terms *terms, const char *folder,
                      struct lab_outcome *outcome)
{
    char object[LAB_PATH_BYTES], shared[LAB_PATH_BYTES];
    snprintf(object, sizeof object, "%.4000s/kernel.o", folder);
    snprintf(shared, sizeof shared, "%.4000s/kernel.o.so", folder);
    struct lab_confine what = {.words = {"c++", "-shared", "-o", shared, object}};
    return run_compiler(terms, &what, NULL, folder, outcome);
}
