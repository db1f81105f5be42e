/* What harness/setup finds out about a machine, on one that a test makes up. */
#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/lab-configure-XXXXXX", text[1 << 16];

/* A toolkit 13, one that lacks the runtime, and a GPU that answers `capability`. */
static void make_machine(const char *capability)
{
    char command[1024];
    cr_assert(mkdtemp(folder));
    setenv("F", folder, 1);
    snprintf(command, sizeof command,
             "mkdir -p $F/new/bin $F/new/lib64 $F/old/bin $F/old/lib64 $F/bin && cd $F && "
             "for t in new old; do printf '#!/bin/sh\\n' > $t/bin/nvcc; chmod +x $t/bin/nvcc; done "
             "&& touch new/lib64/libcudart.so.13 old/lib64/libcudart.so.12 && "
             "printf '#!/bin/sh\\necho %s\\n' > bin/nvidia-smi && chmod +x bin/nvidia-smi",
             capability);
    cr_assert_eq(system(command), 0);
}

/* Exit status of a shell command in the checkout; what it prints is in `text`. */
static int shell(const char *command)
{
    const char *root = getenv("LAB_TEST_ROOT");
    cr_assert_eq(chdir(root ? root : "."), 0);
    unsetenv("NVCC");
    FILE *stream = popen(command, "r");
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    const int status = pclose(stream);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void clear_machine(void)
{
    shell("rm -rf $F");
}

static void expect_said(const char *format)
{
    char line[256];
    snprintf(line, sizeof line, format, folder);
    cr_expect(strstr(text, line), "no '%s' in\n%s", line, text);
}

/* The first nvcc that has a runtime of CUDA 13 beside it; the architecture of the GPU. */
Test(configure, toolkit_and_gpu)
{
    make_machine("8.6");
    cr_expect_eq(
        shell("PATH=$F/old/bin:$F/bin:$PATH CUDA_HOME=$F/new bash harness/setup/configure.sh "
              "$F 2>&1"),
        0, "%s", text);
    expect_said("NVCC ?= %s/new/bin/nvcc\n");
    expect_said("CUDA_HOME := %s/new\n");
    expect_said("CUDA_LIB := %s/new/lib64\n");
    expect_said("CUBLAS_LIB := \n");
    expect_said("ARCH ?= 86\n");
    clear_machine();
}

/* What is no capability is none: an H200's is taken. */
Test(configure, a_gpu_that_does_not_say_what_it_is)
{
    make_machine("[N/A]");
    cr_expect_eq(
        shell("PATH=$F/bin:$PATH CUDA_HOME=$F/new bash harness/setup/configure.sh $F 2>&1"), 0);
    expect_said("ARCH ?= 90\n");
    clear_machine();
}

/* What the user names is used or refused, never replaced. */
Test(configure, an_nvcc_that_is_named)
{
    make_machine("9.0");
    cr_expect_eq(shell("NVCC=$F/new/bin/nvcc bash harness/setup/configure.sh $F 2>&1"), 0);
    expect_said("NVCC ?= %s/new/bin/nvcc\n");
    cr_expect_eq(shell("NVCC=$F/old/bin/nvcc bash harness/setup/configure.sh $F 2>&1"), 3);
    expect_said("%s/old has no libcudart.so.13");
    cr_expect_eq(shell("NVCC=$F/nvcc bash harness/setup/configure.sh $F 2>&1"), 3);
    expect_said("%s/nvcc cannot be run");
    clear_machine();
}

/* Vector levels: those that the dynamic linker searches and the C compiler knows. */
Test(configure, vector_levels)
{
    make_machine("9.0");
    cr_assert_eq(
        shell("printf '#!/bin/sh\\ncase \"$*\" in *x86-64-v4*) exit 1 ;; esac\\n' > $F/bin/cc && "
              "printf '#!/bin/sh\\necho \"  x86-64-v4\"; echo \"  x86-64-v3 (supported, "
              "searched)\"\\n' "
              "> $F/bin/linker && chmod +x $F/bin/cc $F/bin/linker"),
        0);
    cr_expect_eq(shell(". harness/setup/find.sh; dynamic_linker=$F/bin/linker; echo \"<$(CC=true "
                       "vector_levels)><$(CC=$F/bin/cc vector_levels)>\"; "
                       "dynamic_linker=$F/none; echo \"<$(CC=true vector_levels)>\""),
                 0);
    cr_expect_str_eq(text, "<x86-64-v4 x86-64-v3><x86-64-v3>\n<>\n");
    clear_machine();
}

Test(configure, compile_commands_are_json)
{
    cr_expect_eq(shell("bash harness/setup/compile_commands.sh 'cc -DX=\"a b\"' a.c b/c.c"), 0);
    cJSON *json = cJSON_Parse(text);
    cr_assert_eq(cJSON_GetArraySize(json), 2, "%s", text);
    const cJSON *last = cJSON_GetArrayItem(json, 1);
    cr_expect_str_eq(cJSON_GetObjectItem(last, "file")->valuestring, "b/c.c");
    cr_expect_str_eq(cJSON_GetObjectItem(last, "command")->valuestring, "cc -DX=\"a b\" -c b/c.c");
    cJSON_Delete(json);
}
