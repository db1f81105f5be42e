/* Runs nvcc on a kernel file, with the command that the makefile wrote down for the steps. */
#include "machine/toolchain.h"

#include "machine/compiled.h"

#include "base/text.h"
#include "base/files.h"
#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int lab_toolchain_command(char text[LAB_PATH_BYTES], char *words[LAB_TOOLCHAIN_WORDS])
{
    char path[LAB_PATH_BYTES];
    lab_build_path(path, "nvcc.command");
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    size_t length = fread(text, 1, LAB_PATH_BYTES - 1, file);
    fclose(file);
    text[length] = '\0';
    int count = 0;
    for (char *word = strtok(text, "\n"); word && count < LAB_TOOLCHAIN_WORDS - 8;
         word = strtok(NULL, "\n"))
        words[count++] = word;
    words[count] = NULL;
    return count;
}

/* The makefile defines it. */
#ifndef LAB_CUDA_LIB
#define LAB_CUDA_LIB "/usr/local/cuda/lib64"
#endif

const char *lab_toolkit_libraries(void)
{
    return LAB_CUDA_LIB;
}

int lab_toolchain_nvcc(char path[LAB_PATH_BYTES])
{
    char text[LAB_PATH_BYTES], *words[LAB_TOOLCHAIN_WORDS];
    if (lab_toolchain_command(text, words) < 1 || access(words[0], X_OK) != 0)
        return -1;
    snprintf(path, LAB_PATH_BYTES, "%s", words[0]);
    return 0;
}

int lab_toolchain_run(char *const words[], char *text, size_t size)
{
    int ends[2], status;
    pid_t child;
    posix_spawn_file_actions_t actions;
    text[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    fflush(NULL);
    int failed = posix_spawnp(&child, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    size_t length = 0;
    char piece[4096];
    ssize_t got;
    while (!failed && (got = read(ends[0], piece, sizeof piece)) > 0) {
        size_t keep = (size_t)got < size - 1 - length ? (size_t)got : size - 1 - length;
        memcpy(text + length, piece, keep);
        length += keep;
    }
    text[length] = '\0';
    close(ends[0]);
    if (failed || waitpid(child, &status, 0) < 0)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int check_readable(const char *source)
{
    struct stat info;
    int file = open(source, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* does not wait for a pipe */
    if (file < 0 || fstat(file, &info) != 0) {
        int reason = errno;
        if (file >= 0)
            close(file);
        return lab_complain(LAB_EXIT_USAGE, "--source %s: %s", source, strerror(reason));
    }
    close(file);
    if (!S_ISREG(info.st_mode))
        return lab_complain(LAB_EXIT_USAGE, "--source %s: not a file", source);
    if (strchr(source, '\n')) /* nvcc writes the name into what it compiles */
        return lab_complain(LAB_EXIT_USAGE,
                            "--source %s: nvcc compiles no file whose name has a newline", source);
    const char *ending = strrchr(source, '.');
    if (!ending || strcmp(ending, ".cu") != 0) /* nvcc looks at the ending */
        return lab_complain(LAB_EXIT_USAGE, "--source %s: a kernel file's name ends in .cu",
                            source);
    return LAB_EXIT_OK;
}

/* Instructions such as wgmma are of one architecture alone, whose name has an `a`: where ptxas
 * found one, names that architecture in the command, and says so. */
static bool take_own_architecture(char *words[], const char *messages, char word[static 96])
{
    char arch[16];
    for (int i = 0; words[i]; i++)
        if (strstr(messages, "not supported on .target 'sm_") &&
            sscanf(words[i], "arch=compute_%15[0-9],", arch) == 1) {
            snprintf(word, 96, "arch=compute_%sa,code=[sm_%sa,compute_%sa]", arch, arch, arch);
            words[i] = word;
            return true;
        }
    return false;
}

/* Runs the command of `count` words, unless what it would make is known. Most files need no special
 * functions of <cmath>, whose headers take long; where that fails, the whole command decides. */
static bool build_object(char *words[], int count, const char *source, const char *object,
                         const char *depends, char *messages, size_t size)
{
    char architecture[96], *known = NULL, *const place = realpath(source, NULL);
    struct lab_compilation compilation = {.words = words,
                                          .source = source,
                                          .place = place ? place : source,
                                          .object = object,
                                          .depends = depends};
    bool is_built = lab_compilation_known(&compilation, &known);
    if (is_built) {
        snprintf(messages, size, "%s", known);
    } else {
        words[count] = LAB_TOOLCHAIN_PLAIN_CMATH;
        words[count + 1] = NULL;
        int failed = lab_toolchain_run(words, messages, size);
        if (failed && take_own_architecture(words, messages, architecture))
            failed = lab_toolchain_run(words, messages, size);
        words[count] = NULL;
        is_built = !failed || lab_toolchain_run(words, messages, size) == 0;
        if (is_built)
            lab_compilation_keep(&compilation, messages);
    }
    unlink(depends);
    lab_compilation_end(&compilation);
    free(known);
    free(place);
    return is_built;
}

int lab_toolchain_compile(const char *source, const char *header, char object[LAB_PATH_BYTES],
                          char *messages, size_t size)
{
    char text[LAB_PATH_BYTES], include[LAB_PATH_BYTES + 16], root[LAB_PATH_BYTES];
    char first[LAB_PATH_BYTES + 64], depends[LAB_PATH_BYTES + 8];
    char *words[LAB_TOOLCHAIN_WORDS];
    int status = check_readable(source);
    if (status != LAB_EXIT_OK)
        return status;
    int count = lab_toolchain_command(text, words);
    if (count < 1 || access(words[0], X_OK) != 0)
        return lab_complain(LAB_EXIT_MISSING,
                            "--source needs nvcc, which is not there (%s); run "
                            "`make setup step01`",
                            count < 1 ? "steps not built" : words[0]);
    lab_scratch_path(object, "source-XXXXXX");
    int file = mkstemp(object);
    if (file < 0)
        return lab_complain(LAB_EXIT_MISSING, "cannot write %s: %s", object, strerror(errno));
    close(file);
    lab_root(root);
    snprintf(include, sizeof include, "-I%s/common", root);
    words[count++] = include;
    snprintf(first, sizeof first, "%s/%s", root, header ? header : "");
    if (header) {
        words[count++] = "-include";
        words[count++] = first;
    }
    snprintf(depends, sizeof depends, "%s.d", object);
    char *const files[] = {"-MD", "-MF", depends, (char *)source, "-o", object};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        words[count++] = files[i];
    words[count] = NULL;
    if (build_object(words, count, source, object, depends, messages, size))
        return LAB_EXIT_OK;
    unlink(object);
    char *const raw = strdup(messages); /* the file's name may have a terminal's escapes */
    if (raw)
        lab_printable(raw, true, messages, size);
    free(raw);
    lab_compiler_gather(messages);
    lab_compiler_explain(messages, size);
    return LAB_EXIT_FAILED;
}
