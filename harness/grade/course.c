/* A course's commands: starts harness/course. */
#include "grade/grade.h"

#include "base/files.h"
#include "base/status.h"
#include "series/registry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool lab_course_is_meant(int argc, char **argv)
{
    bool is_meant = strcmp(argv[1], "course") == 0;
    for (int i = 2; i < argc && strcmp(argv[1], "grade") == 0; i++)
        is_meant = is_meant || strncmp(argv[i], "--course", 8) == 0;
    return is_meant;
}

/* Becomes harness/course; `words` has room for three more in front. */
static int become(char **words)
{
    char root[LAB_PATH_BYTES], package[LAB_PATH_BYTES + 32], run[LAB_PATH_BYTES];
    lab_root(root);
    snprintf(package, sizeof package, "%s/harness/course", root);
    lab_build_path(run, "run");
    setenv("LAB_RUN", run, 1);
    words[0] = "python3";
    words[1] = "-B";
    words[2] = package;
    fflush(NULL);
    execvp(words[0], words);
    return lab_complain(LAB_EXIT_MISSING, "python3: %s; a course takes version 3.11 or newer",
                        strerror(errno));
}

int lab_course(int argc, char **argv)
{
    char **words = calloc((size_t)argc + 4, sizeof *words);
    int count = 3;
    if (lab_registry_is_handout())
        return lab_complain(LAB_EXIT_MISSING, "a hand-out has no solutions and no hidden tests: "
                                              "grade in the lab that it was made of");
    if (!words)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    for (int i = strcmp(argv[1], "course") == 0 ? 2 : 1; i < argc; i++)
        words[count++] = argv[i];
    return become(words);
}

int lab_course_slurm(const struct lab_course_slurm *run)
{
    char shards[16];
    size_t given = 0;
    while (run->words[given])
        given++;
    char **words = calloc(given + 9, sizeof *words);
    if (!words)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    snprintf(shards, sizeof shards, "%d",
             run->shards < run->submissions ? run->shards : run->submissions);
    words[3] = "slurm";
    words[4] = (char *)run->state;
    words[5] = shards;
    words[6] = run->sbatch ? (char *)run->sbatch : "";
    memcpy(words + 7, run->words, given * sizeof *words);
    return become(words);
}
