#!/usr/bin/env bash
# The simulator in other circumstances must say the same, bit for bit: on processors without this one's vector level, with
# another heap, other numbers of workers, another language, from a checkout that may not be written to. Runs a stage of each
# step and kernels of the corpora, and compares their JSON without times.
#
#   elsewhere.sh BUILD [NAME...]     NAME: of the circumstances below, or all; default: those that need no emulator
#                                    LAB_TEST_ALL=1: every stage, forty broken kernels
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(realpath "$1") && shift
work=$(mktemp -d "${TMPDIR:-/tmp}/lab elsewhere.XXXXXX")
trap 'rm -rf "$work"' EXIT
export OPENBLAS_CORETYPE=Nehalem LD_LIBRARY_PATH=$build/sim # one reference for all processors
emulator=$(command -v qemu-x86_64 qemu-x86_64-static | head -n 1)

# set_prefix NAME: how programs are started
set_prefix() {
    local mask=GLIBC_TUNABLES=glibc.cpu.hwcaps malloc=glibc.malloc
    case $1 in
        without-avx512) prefix=(env $mask=-AVX512F) ;;
        without-avx2) prefix=(env $mask=-AVX2) ;;
        heap) prefix=(env "GLIBC_TUNABLES=$malloc.perturb=165:$malloc.mmap_threshold=4096:$malloc.arena_max=1") ;;
        one-worker) prefix=(taskset -c 0) ;;
        three-workers) prefix=(env LAB_SIM_WORKERS=3) ;;
        sixteen-workers) prefix=(env LAB_SIM_WORKERS=16) ;;
        german) prefix=(env LC_ALL=de_DE.UTF-8 "LOCPATH=$work/locales") ;;
        umask) prefix=(sh -c 'umask 077; exec "$@"' sh) ;;
        emulated-without-avx) prefix=("$emulator" -cpu Nehalem) ;;
        emulated-avx2) prefix=("$emulator" -cpu Haswell) ;;
        *) echo "elsewhere.sh: no circumstance $1" >&2 && exit 2 ;;
    esac
}

targets() { # a line of arguments of `lab` for each
    local each=8 file name
    if [ -n "${LAB_TEST_ALL:-}" ]; then each=1; fi
    sed -n 's/^LAB_STAGE("\([^"]*\)".*/\1/p' steps/steps.def | awk -F. -v each=$each 'each == 1 || !seen[$1]++' |
        while read -r stage; do
            case $stage in 00a* | 00c* | 00d* | 11* | 13*) echo "step$stage -n 67" ;; *) echo "step$stage -m 67" ;; esac
        done
    ls "$build"/tests/kernels/broken/*.cu | awk -v each=$each 'NR % 12 == 0 && ++n <= 40 / each' | while read -r file; do
        name=$(basename "$file" .cu)
        file=$(sed -n 's|^// run: ||p' "$file")
        if [ -e "$build/tests/corpus/$name.so" ]; then echo "${file:-step01 -m 129} --source $build/tests/corpus/$name.so:lab_step_$name"; fi
    done
}

say_all() { # what the processor's operations give, and what each target says
    local target
    "${prefix[@]}" "$build/tests/programs/levels" print 2> /dev/null
    while read -r target; do
        echo "== ${target//$build/BUILD}"
        # Which block comes first may differ, how often one looks at a flag until it is set, and in which order floats are added
        # atomically. So of a broken kernel the verdict.
        "${prefix[@]}" "$build/lab" $target --check-only --json - 2> "$work/errors" < /dev/null |
            case $target in
                *--source*) sed -E 's/ [(][0-9]+, [0-9]+, [0-9]+[)]/ (#)/g; s/ element [0-9]+ / element # /; s/got -?[0-9.]+/got #/; s/C.* in one launch and -?[0-9.]+/# in one launch and #/
                    s/(come in any order);.*/\1/; /"(status|message|file|line)": /!d' ;;
                step08* | step09* | step10* | step13* | step14* | step15.6*)
                    sed -E '/"(date|simulation_seconds|ptx_warp_instructions|max_error)": /d' ;;
                *) sed -E '/"(date|simulation_seconds)": /d' ;;
            esac
        echo "exit ${PIPESTATUS[0]}"
        grep 'fault of the lab' "$work/errors"
    done < "$work/targets"
}

make_german() { mkdir -p "$work/locales" && localedef -i de_DE -f UTF-8 "$work/locales/de_DE.UTF-8" > "$work/said" 2>&1; }

failed=0 passed=0
targets > "$work/targets"
prefix=(env)
say_all > "$work/here"
if ! grep -q "^exit 1" "$work/here" || grep -q build_error "$work/here"; then
    echo "elsewhere.sh: not even here do the kernels run" && cat "$work/here" && exit 1
fi
without_emulator="without-avx512 without-avx2 heap one-worker three-workers sixteen-workers german umask"
case ${1:-} in
    '') set -- $without_emulator ;;
    all) set -- $without_emulator emulated-without-avx emulated-avx2 ;;
esac
for name in "$@"; do
    set_prefix "$name"
    if [ "$name" = german ] && ! make_german; then echo "german: not tried, for want of the package locales" && continue; fi
    if [ -z "${prefix[0]}" ]; then echo "$name: qemu-user is missing" && failed=$((failed + 1)) && continue; fi
    say_all > "$work/there"
    if diff "$work/here" "$work/there" > "$work/difference"; then
        passed=$((passed + 1)) && echo "$name: the same"
    else
        printf '\n== %s: %s\n' "$name" "${prefix[*]}" && head -n 40 "$work/difference"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
