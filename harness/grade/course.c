/* A course's commands: starts harness/course. */
#include "grade/course.h"

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

int lab_course(int argc, char **argv)
{
    char root[LAB_PATH_BYTES], package[LAB_PATH_BYTES + 32], run[LAB_PATH_BYTES];
    char **words = calloc((size_t)argc + 3, sizeof *words);
    int count = 0;
    if (lab_registry_is_handout())
        return lab_complain(LAB_EXIT_MISSING, "a hand-out has no solutions and no hidden tests: "
                                              "grade in the lab that it was made of");
    if (!words)
        return lab_complain(LAB_EXIT_MISSING, "out of memory");
    lab_root(root);
    snprintf(package, sizeof package, "%s/harness/course", root);
    lab_build_path(run, "run");
    setenv("LAB_RUN", run, 1);
    words[count++] = "python3";
    words[count++] = "-B";
    words[count++] = package;
    for (int i = strcmp(argv[1], "course") == 0 ? 2 : 1; i < argc; i++)
        words[count++] = argv[i];
    fflush(NULL);
    execvp(words[0], words);
    return lab_complain(LAB_EXIT_MISSING, "python3: %s; a course takes version 3.11 or newer",
                        strerror(errno));
}
