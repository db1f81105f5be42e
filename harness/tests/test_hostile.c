/* Submissions that are after something else than a right product: code that runs when it is loaded,
 * names that others call, system calls, files. The walls of every system alone stand here, without
 * bubblewrap; and the recorder stands by itself, should the object file have told a lie. */
#include "tests/run_lab.h"

#include "grade/recorded_launches/protocol.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct run_lab result;

static void make_folder(char folder[64])
{
    strcpy(folder, "/tmp/lab-hostile-XXXXXX");
    cr_assert(mkdtemp(folder));
}

static void remove_folder(const char *folder)
{
    run_lab_shell(&result, "rm -rf %s", folder);
}

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

/* "// expect: STATUS" of the first line. */
static void read_expected(const char *folder, const char *name, char expected[64])
{
    char path[4096], line[256] = "";
    snprintf(path, sizeof path, "%.3000s/%.255s", folder, name);
    FILE *file = fopen(path, "r");
    cr_assert(file && fgets(line, sizeof line, file), "%s", path);
    cr_assert_eq(sscanf(line, "// expect: %63s", expected), 1, "%s: %s", path, line);
    fclose(file);
}

static cJSON *read_json(const char *folder)
{
    static char text[8 << 20]; /* of the report that is read last */
    char path[128];
    snprintf(path, sizeof path, "%s/report", folder);
    FILE *file = fopen(path, "r");
    cr_assert(file, "no report");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    cJSON *report = cJSON_Parse(text);
    cr_assert(report, "no JSON");
    return report;
}

/* Grades a folder without bubblewrap, and compares every verdict; how many there were. */
static int expect_verdicts(const char *submissions)
{
    char state[64], expected[64], student[256];
    struct dirent **entries;
    int seen = 0;
    make_folder(state);
    /* The secret of all tests, so that the solution is tried once for them. */
    run_lab_shell(&result, "mkdir %s/state && echo tests > %s/state/secret", state, state);
    run_lab_shell(&result,
                  "exec 9>> %s/inherited; CUDA_VISIBLE_DEVICES=-1 ./run grade 05 '%s' --isolation "
                  "none --force --state %s/state --json %s/report > /dev/null 2>&1; s=$?; test -s "
                  "%s/inherited && exit 99; exit $s",
                  state, submissions, state, state, state);
    cr_expect_eq(result.status, 1, "%d", result.status);
    cJSON *report = read_json(state);
    int count = scandir(submissions, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name, *ending = strstr(name, ".cu");
        if (!ending)
            continue;
        seen++;
        read_expected(submissions, name, expected);
        snprintf(student, sizeof student, "%.*s", (int)(ending - name), name);
        const cJSON *outcome = outcome_of(report, student);
        cr_assert(outcome, "%s was not graded", name);
        const cJSON *check = cJSON_GetObjectItem(outcome, "check");
        cr_expect_str_eq(cJSON_GetObjectItem(check, "status")->valuestring, expected, "%s: %s",
                         name, cJSON_Print(check));
    }
    cJSON_Delete(report);
    remove_folder(state);
    return seen;
}

Test(hostile, the_corpus)
{
    char folder[4096];
    const char *root = getenv("LAB_TEST_ROOT");
    snprintf(folder, sizeof folder, "%s/.built/tests/kernels/submissions/hostile",
             root ? root : ".");
    if (run_lab_tries_all()) {
        cr_expect_geq(expect_verdicts(folder), 40);
        return;
    }
    /* Of every other kind of attack, which is the first word of its name, one. */
    char taken[64];
    make_folder(taken);
    run_lab_shell(
        &result,
        "for f in '%s'/*.cu; do n=$(basename \"$f\" .cu); [ -e %s/${n%%%%_*}.cu ] || cp \"$f\" "
        "%s/${n%%%%_*}.cu; done; cd %s && rm $(ls | awk 'NR %% 2 == 0')",
        folder, taken, taken, taken);
    cr_expect_geq(expect_verdicts(taken), 10);
    remove_folder(taken);
}

/* --- system calls ------------------------------------------------------------------------------*/

#ifdef __x86_64__
/* Made in a launch function by inline assembly: what the kernel ends, and what it has no harm in.
 */
static const struct {
    const char *name, *arguments, *status;
    int number;
} calls[] = {
    {"open", "(long)path, 0, 0", "forbidden", SYS_open},
    {"openat", "-100, (long)path, 0", "forbidden", SYS_openat},
    {"openat_itself", "-100, (long)\"/proc/self/exe\", 0", "forbidden", SYS_openat},
    {"openat_descriptors", "-100, (long)\"/proc/self/fd/0\", 0", "forbidden", SYS_openat},
    {"openat_memory", "-100, (long)\"/proc/self/mem\", 2", "forbidden", SYS_openat},
    {"openat_folder", "-100, (long)\".\", 0200000", "forbidden", SYS_openat},
    {"openat2", "-100, (long)path, 0", "forbidden", 437},
    {"creat", "(long)\"created\", 0600, 0", "forbidden", SYS_creat},
    {"open_by_handle", "0, 0, 0", "forbidden", SYS_open_by_handle_at},
    {"memfd", "(long)path, 0, 0", "forbidden", SYS_memfd_create},
    {"stat", "(long)path, (long)page, 0", "forbidden", SYS_stat},
    {"newfstatat", "-100, (long)path, (long)page", "forbidden", SYS_newfstatat},
    {"access", "(long)path, 0, 0", "forbidden", SYS_access},
    {"readlink", "(long)\"/proc/self/exe\", (long)page, 100", "forbidden", SYS_readlink},
    {"getcwd", "(long)page, 100, 0", "forbidden", SYS_getcwd},
    {"read", "0, (long)page, 10", "forbidden", SYS_read},
    {"pread", "4, (long)page, 10", "forbidden", SYS_pread64},
    {"map_a_descriptor", "0, 4096, 1", "forbidden", SYS_mmap},
    {"dup", "3, 0, 0", "forbidden", SYS_dup},
    {"fcntl", "3, 0, 0", "forbidden", SYS_fcntl},
    {"ioctl", "1, 0x5412, (long)path", "forbidden", SYS_ioctl},
    {"socket", "1, 1, 0", "forbidden", SYS_socket},
    {"socketpair", "1, 1, 0", "forbidden", SYS_socketpair},
    {"pipe", "(long)page, 0, 0", "forbidden", SYS_pipe},
    {"fork", "0, 0, 0", "forbidden", SYS_fork},
    {"vfork", "0, 0, 0", "forbidden", SYS_vfork},
    {"clone", "17, 0, 0", "forbidden", SYS_clone},
    {"clone3", "0, 0, 0", "forbidden", SYS_clone3},
    {"execve", "(long)\"/bin/sh\", 0, 0", "forbidden", SYS_execve},
    {"execveat", "-100, (long)\"/bin/sh\", 0", "forbidden", SYS_execveat},
    {"ptrace", "0, 0, 0", "forbidden", SYS_ptrace},
    {"read_another", "1, 0, 0", "forbidden", SYS_process_vm_readv},
    {"kill_parent", "-1, 9, 0", "forbidden", SYS_kill},
    {"io_uring", "1, (long)page, 0", "forbidden", SYS_io_uring_setup},
    {"bpf", "0, (long)page, 0", "forbidden", SYS_bpf},
    {"userfaultfd", "0, 0, 0", "forbidden", SYS_userfaultfd},
    {"prctl", "4, 1, 0", "forbidden", SYS_prctl},
    {"seccomp", "1, 0, (long)page", "forbidden", SYS_seccomp},
    {"handle_signals", "11, 0, 0", "forbidden", SYS_rt_sigaction},
    {"shared_memory", "1, 4096, 01600", "forbidden", SYS_shmget},
    {"mount", "0, 0, 0", "forbidden", SYS_mount},
    {"unlink", "(long)path, 0, 0", "forbidden", SYS_unlink},
    {"clock", "0, (long)page, 0", "forbidden", SYS_clock_gettime},
    {"sleep", "(long)page, 0, 0", "forbidden", SYS_nanosleep},
    {"who", "0, 0, 0", "forbidden", SYS_getuid},
    {"limits", "0, 7, 0", "forbidden", SYS_prlimit64},
    {"no_such_call", "0, 0, 0", "forbidden", 1 << 20},
    {"inherited_descriptor", "9, (long)path, 5", "unwritten", SYS_write},
};

Test(hostile, system_calls)
{
    char folder[64], path[256];
    const int count = sizeof calls / sizeof *calls;
    make_folder(folder);
    int taken = 0;
    for (int i = 0; i < count; i++) {
        if (!run_lab_takes(count - 1 - i, 16)) /* the last one, which is allowed, too */
            continue;
        taken++;
        snprintf(path, sizeof path, "%s/%s.cu", folder, calls[i].name);
        FILE *file = fopen(path, "w");
        cr_assert(file);
        fprintf(file,
                "// expect: %s\n#include \"families/gemm.h\"\n"
                "static __global__ void gemm() {}\nstatic char page[4096];\n"
                "static long call(long number, long a, long b, long c)\n{\n    long result;\n"
                "    asm volatile(\"xor %%%%r10d, %%%%r10d; xor %%%%r8d, %%%%r8d; xor %%%%r9d, "
                "%%%%r9d; syscall\" : \"=a\"(result) : \"a\"(number), \"D\"(a), \"S\"(b), "
                "\"d\"(c) : \"rcx\", \"r11\", \"r10\", \"r8\", \"r9\", \"memory\");\n"
                "    return result;\n}\n"
                "static cudaError_t launch(const struct lab_gemm *, cudaStream_t stream)\n{\n"
                "    const char *path = \"%s/secret\";\n    page[0] = *path;\n    call(%d, %s);\n"
                "    gemm<<<1, 1, 0, stream>>>();\n    return cudaGetLastError();\n}\n"
                "LAB_EXPORT(gemm, {\"submission\", launch});\n",
                calls[i].status, folder, calls[i].number, calls[i].arguments);
        fclose(file);
    }
    snprintf(path, sizeof path, "echo mine > %s/secret", folder);
    cr_assert_eq(system(path), 0);
    cr_expect_eq(expect_verdicts(folder), taken);
    run_lab_shell(&result, "cat %s/secret; ls %s | wc -l; ls created", folder, folder);
    char left[32];
    snprintf(left, sizeof left, "mine\n%d\n", taken + 1);
    cr_expect_str_eq(result.out, left);
    remove_folder(folder);
}
#endif

/* --- the recorder ------------------------------------------------------------------------------*/

/* A shared object of C, as no submission's object file would be let through, asked what it exports;
 * the recorder's exit status as a shell has it: 159 when a system call ended it. */
static int load(const char *folder, const char *code, const char *flags)
{
    setenv("CODE", code, 1);
    run_lab_shell(&result,
                  "echo \"$CODE\" > %s/x.c && cc -shared -fPIC -o %s/x.so %s/x.c %s && head -c %zu "
                  "/dev/zero | \"$LAB_TEST_BUILD\"/recorder %s/x.so 3> %s/answer > /dev/null",
                  folder, folder, folder, flags, sizeof(struct lab_record_request), folder, folder);
    int status = result.status;
    run_lab_shell(&result, "grep -ao 'it [a-z ]*' %s/answer | head -n 1", folder);
    return status;
}

/* Nothing is opened from the moment on that the first of its code could run. */
Test(hostile, the_recorder_by_itself)
{
    static const char *const early[] = {
        "__attribute__((constructor)) static void early(void) { open(\"/etc/passwd\", 0); }",
        "void __gmon_start__(void) { open(\"/etc/passwd\", 0); }",
        "void _ITM_registerTMCloneTable(void *a, long b) { open(\"/etc/passwd\", 0); }"
        "__attribute__((section(\".tm_clone_table\"))) void *table[2];",
#ifdef __x86_64__
        "static void f(void) {} static void *choose(void) { long r; __asm__ volatile(\"syscall\" : "
        "\"=a\"(r) : \"a\"(257), \"D\"(-100), \"S\"(\"/etc/passwd\"), \"d\"(0) : \"rcx\", \"r11\", "
        "\"memory\"); return f; } void g(void) __attribute__((ifunc(\"choose\"))); void *use = g;",
#endif
        "__attribute__((constructor)) static void early(void) { open(PATH, 0); }",
        "__attribute__((constructor)) static void early(void) { close(4); }",
        "__attribute__((constructor)) static void early(void) { mmap(0, 4096, 1, 2, 4, 0); }",
    };
    char folder[64], code[1024];
    make_folder(folder);
    cr_expect_eq(load(folder, "int nothing;", ""), 0);
    cr_expect(strstr(result.out, "it exports no variant"), "%s", result.out);
    cr_expect_eq(load(folder, "double sqrt(double); double f(double x) { return sqrt(x); }", "-lm"),
                 0);
    cr_expect(strstr(result.out, "it exports no variant"), "%s", result.out);
    for (size_t i = 0; i < sizeof early / sizeof *early; i++) {
        snprintf(code, sizeof code,
                 "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <sys/mman.h>\n#include "
                 "<sys/syscall.h>\n#include <unistd.h>\n#define PATH \"%s/x.so\"\n%s",
                 folder, early[i]);
        int status = load(folder, code, "");
        cr_expect_eq(status, 159, "%s: %d", early[i], status);
    }
    cr_expect_eq(load(folder, "int nothing;", "-Wl,--no-as-needed -l:libz.so.1 -lcrypt"), 159,
                 "another library");
    remove_folder(folder);
}
