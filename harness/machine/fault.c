/* A handler of the signals that end a broken program. It looks at the stack, writes one line and
 * lets the signal end the process. */
#include "machine/fault.h"

#include "base/time.h"
#include "base/simulator.h"
#include "base/status.h"
#include "machine/toolchain.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { MOST_FRAMES = 64, MOST_KERNEL_FILES = 128, STACK_BYTES = 128 << 10 };

static const char ROOM[] = "LAB_FAULT"; /* names the descriptor of the note */
static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/* Where things are loaded; set before anything can crash, and read by the handler. */
static struct {
    int descriptor;
    bool is_loading;
    const void *own[3]; /* this program and the simulator's libraries */
    char program[LAB_PATH_BYTES];
    const void *kernel_files[MOST_KERNEL_FILES];
    int kernel_file_count;
} watched = {.descriptor = -1};

/* Without a parent's room the note is reported at once. */
static int room(void)
{
    const char *const text = getenv(ROOM);
    return text && *text ? atoi(text) : STDERR_FILENO;
}

void lab_fault_open(void)
{
    char text[16];
    const int descriptor = memfd_create("fault", 0);
    if (descriptor < 0)
        return;
    snprintf(text, sizeof text, "%d", descriptor);
    setenv(ROOM, text, 1);
}

void lab_fault_set_loading(bool is_loading)
{
    watched.is_loading = is_loading;
}

static const void *object_of(const void *address)
{
    Dl_info info;
    return address && dladdr(address, &info) ? info.dli_fbase : NULL;
}

void lab_fault_add_kernel_file(const void *address)
{
    if (watched.kernel_file_count < MOST_KERNEL_FILES)
        watched.kernel_files[watched.kernel_file_count++] = object_of(address);
}

/* ---- In the handler ---- */

enum owner { OTHER_LIBRARY, LAB, KERNEL_FILE, NO_OBJECT };

static enum owner owner_of(const void *address, Dl_info *info)
{
    if (!dladdr(address, info))
        return NO_OBJECT;
    for (int i = 0; i < watched.kernel_file_count; i++)
        if (info->dli_fbase == watched.kernel_files[i])
            return KERNEL_FILE;
    /* What `lab` exports are calls of kernel files, such as abort(), which it passes on. */
    if (info->dli_fbase == watched.own[0] && info->dli_sname)
        return OTHER_LIBRARY;
    for (size_t i = 0; i < sizeof watched.own / sizeof *watched.own; i++)
        if (info->dli_fbase == watched.own[i])
            return LAB;
    return OTHER_LIBRARY;
}

/* The address that the signal interrupted; or, where no code can be, the one that a call would have
 * returned to. */
static void *interrupted(const ucontext_t *context, bool by_call)
{
#if defined __x86_64__
    const greg_t *const registers = context->uc_mcontext.gregs;
    return by_call ? *(void **)registers[REG_RSP] : (void *)registers[REG_RIP];
#elif defined __aarch64__
    return (void *)(by_call ? context->uc_mcontext.regs[30] : context->uc_mcontext.pc);
#else
#error "say where this processor keeps the interrupted address"
#endif
}

static void leave_note(const struct lab_fault *fault)
{
    char text[2048];
    if (watched.descriptor != STDERR_FILENO) {
        (void)!pwrite(watched.descriptor, fault, sizeof *fault, 0);
        return;
    }
    lab_fault_explain(fault->signal, fault, text, sizeof text);
    _exit(lab_complain(LAB_EXIT_MISSING, "%s", text));
}

/* Finds whose code it was, from the inside out. An address in no object is where a damaged pointer
 * or stack led to: it says nothing, but that the function that runs is the culprit. */
static void note(int number, siginfo_t *signal_info, void *context)
{
    void *frames[MOST_FRAMES], *const at_fault = interrupted(context, false);
    Dl_info info, first = {0};
    (void)signal_info;
    enum owner owner = owner_of(at_fault, &first);
    const void *place = at_fault;
    info = first;
    if (owner == NO_OBJECT) {
        place = interrupted(context, true);
        owner = owner_of(place, &info);
    }
    if (owner == OTHER_LIBRARY) {
        const int count = backtrace(frames, MOST_FRAMES);
        int at = 0;
        while (at < count && frames[at] != at_fault)
            at++;
        for (; at < count && owner == OTHER_LIBRARY; at++) {
            place = (char *)frames[at] - 1; /* inside of the call */
            const enum owner found = owner_of(place, &info);
            owner = found == NO_OBJECT ? OTHER_LIBRARY : found;
        }
    }
    const bool runs_kernel_file = watched.is_loading || lab_host_limit_is_on();
    const bool is_of_lab =
        owner == LAB && !(watched.is_loading && info.dli_fbase == watched.own[0]);
    if (owner != LAB && owner != KERNEL_FILE) {
        place = at_fault;
        info = first;
    }
    struct lab_fault fault = {
        .signal = number,
        .is_of_kernel_file = owner == KERNEL_FILE || (runs_kernel_file && !is_of_lab),
        .offset = (unsigned long)((uintptr_t)place - (uintptr_t)info.dli_fbase)};
    snprintf(fault.object, sizeof fault.object, "%s",
             info.dli_fbase == watched.own[0] ? watched.program /* its name is what argv says */
             : info.dli_fname                 ? info.dli_fname
                                              : "?");
    leave_note(&fault);
    signal(number, SIG_DFL);
    raise(number); /* when this handler has returned */
}

/* ---- Watching ---- */

/* The simulator's libraries, known by a function of each. */
static void find_own(void)
{
    static const char *const names[] = {"lab_sim_last_outcome", "cublasCreate_v2"};
    watched.own[0] = object_of((const void *)(uintptr_t)lab_fault_watch);
    for (size_t i = 0; i < sizeof names / sizeof *names && lab_simulator(); i++)
        watched.own[1 + i] = object_of(dlsym(RTLD_DEFAULT, names[i]));
}

void lab_fault_watch(bool reports)
{
    static char stack[STACK_BYTES]; /* the program's may have overflowed */
    void *frame;
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    const stack_t place = {.ss_sp = stack, .ss_size = sizeof stack};
    watched.descriptor = reports ? STDERR_FILENO : room();
    find_own();
    const ssize_t length = readlink("/proc/self/exe", watched.program, sizeof watched.program - 1);
    watched.program[length < 0 ? 0 : length] = '\0';
    backtrace(&frame, 1); /* loads what it needs */
    sigaltstack(&place, NULL);
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        sigaction(deadly[i], &action, NULL);
}

/* ---- The report ---- */

bool lab_fault_take(struct lab_fault *fault)
{
    *fault = (struct lab_fault){.signal = 0};
    return pread(room(), fault, sizeof *fault, 0) == sizeof *fault && ftruncate(room(), 0) == 0;
}

/* "sim_checks_create, worker_checks.c:27"; "" where there are no binutils. */
static void name_function(const struct lab_fault *fault, char *text, size_t size)
{
    char offset[32], object[LAB_PATH_BYTES], answer[1024], program[] = "/usr/bin/addr2line";
    char *const words[] = {program, "-f", "-s", "-e", object, offset, NULL};
    snprintf(offset, sizeof offset, "0x%lx", fault->offset);
    snprintf(object, sizeof object, "%s", fault->object);
    text[0] = '\0';
    if (access(program, X_OK) != 0 || lab_toolchain_run(words, answer, sizeof answer) != 0)
        return;
    const size_t length = strcspn(answer, "\n");
    if (answer[0] != '?' && answer[length])
        snprintf(text, size, "%.*s (%.*s), ", (int)length, answer,
                 (int)strcspn(answer + length + 1, " \n"), answer + length + 1);
}

void lab_fault_explain(int number, const struct lab_fault *fault, char *text, size_t size)
{
    char function[512] = "", place[1024] = "a place that is not known";
    if (fault) {
        const char *const slash = strrchr(fault->object, '/');
        name_function(fault, function, sizeof function);
        snprintf(place, sizeof place, "%s, %soffset 0x%lx", slash ? slash + 1 : fault->object,
                 function, fault->offset);
    }
    snprintf(text, size,
             "this is a fault of the lab, not of your kernel: %s in %s. Please report it, with "
             "this line, the command, the kernel file, and what `./run doctor` prints",
             strsignal(number), place);
}
