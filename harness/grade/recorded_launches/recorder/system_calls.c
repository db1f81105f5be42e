/* Two filters of system calls. The first allows what loading a shared object needs. The file itself
 * was opened before, and the dynamic linker is given that descriptor. When it has mapped the file,
 * before any of its code runs, the second filter allows only memory and the answer. The kernel ends
 * a process that makes any other call with SIGSYS, also from inline assembly. */
#include "grade/recorded_launches/recorder/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* The processor's architecture, and where a call's arguments and its result are. */
#ifdef __x86_64__
#define MACHINE           AUDIT_ARCH_X86_64
#define FIRST(context)    (context)->uc_mcontext.gregs[REG_RDI]
#define SECOND(context)   (context)->uc_mcontext.gregs[REG_RSI]
#define RETURNED(context) (context)->uc_mcontext.gregs[REG_RAX]
#elif defined(__aarch64__)
#define MACHINE           AUDIT_ARCH_AARCH64
#define FIRST(context)    (context)->uc_mcontext.regs[0]
#define SECOND(context)   (context)->uc_mcontext.regs[1]
#define RETURNED(context) (context)->uc_mcontext.regs[0]
#else
#error "give the numbers of this processor's system calls here (linux/audit.h)"
#endif

/* Calls for memory, and for the answer. */
static const int always[] = {
    SYS_write,  SYS_writev, SYS_mprotect,   SYS_munmap, SYS_brk,          SYS_madvise,
    SYS_mremap, SYS_futex,  SYS_exit_group, SYS_exit,   SYS_rt_sigreturn,
};

/* Calls of the dynamic linker, before any code of the file runs. */
static const int while_loading[] = {
    SYS_read, SYS_pread64, SYS_lseek, SYS_fstat, SYS_newfstatat, SYS_mmap, SYS_prctl,
};

/* Calls that this program answers itself. */
static const int trapped[] = {SYS_openat, SYS_close};

#define COUNT(list) (sizeof(list) / sizeof *(list))

enum { MOST = 2 * (COUNT(always) + COUNT(while_loading) + COUNT(trapped)) + 16 };

#define LOAD(field)         BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(what)        BPF_STMT(BPF_RET | BPF_K, what)
#define UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)

static int add(struct sock_filter *code, int n, const int *calls, size_t count, unsigned what)
{
    for (size_t i = 0; i < count; i++) {
        code[n++] = (struct sock_filter)UNLESS((unsigned)calls[i], 1);
        code[n++] = (struct sock_filter)RETURN(what);
    }
    return n;
}

static int install(bool loading)
{
    struct sock_filter code[MOST];
    int n = 0;
    code[n++] = (struct sock_filter)LOAD(arch);
    code[n++] = (struct sock_filter)UNLESS(MACHINE, 1);
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0);
    code[n++] = (struct sock_filter)RETURN(SECCOMP_RET_KILL_PROCESS);
    code[n++] = (struct sock_filter)LOAD(nr);
    n = add(code, n, always, COUNT(always), SECCOMP_RET_ALLOW);
    if (loading) {
        n = add(code, n, while_loading, COUNT(while_loading), SECCOMP_RET_ALLOW);
        n = add(code, n, trapped, COUNT(trapped), SECCOMP_RET_TRAP);
    }
    /* memory of no file */
    code[n++] = (struct sock_filter)UNLESS(SYS_mmap, 4);
    code[n++] = (struct sock_filter)LOAD(args[3]);
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS, 0, 1);
    code[n++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
    code[n++] = (struct sock_filter)RETURN(SECCOMP_RET_KILL_PROCESS);
    code[n++] = (struct sock_filter)RETURN(SECCOMP_RET_KILL_PROCESS);
    struct sock_fprog program = {(unsigned short)n, code};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* The one file that may be opened. Set before the filter is in force, and by the handler. */
static struct {
    const char *path;
    int file;
    bool loaded;
} given;

/* The file is closed when all of it is mapped: from here on nothing is opened. */
static void answer_call(int number, siginfo_t *info, void *machine)
{
    ucontext_t *context = machine;
    (void)number;
    if (info->si_syscall == SYS_openat) {
        const char *path = (const char *)(uintptr_t)SECOND(context);
        RETURNED(context) = strcmp(path, given.path) == 0 ? given.file : -ENOENT;
        return;
    }
    if ((int)FIRST(context) == given.file) {
        if (install(false) != 0)
            _exit(70);
        given.loaded = true;
    }
    RETURNED(context) = 0;
}

bool recorder_filter_system_calls(const char *path)
{
    struct sigaction action = {.sa_sigaction = answer_call, .sa_flags = SA_SIGINFO};
    given.path = path;
    given.file = open(path, O_RDONLY | O_CLOEXEC);
    if (sigaction(SIGSYS, &action, NULL) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
        install(true) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS)
        _exit(70);
    return false; /* a system without filters */
}

bool recorder_opens_nothing(void)
{
    return given.loaded;
}
