#!/usr/bin/env bash
# Runs every step, or those given, on this machine's GPU on the problems that its family names, and
# closes with one plain line: "N passed, N failed". Needs no test framework, so that a GPU machine
# with a compiler and the toolkit alone can run it.
#
#   test_gpu.sh [STEP...]      such as step08; without, all steps, timed submissions, broken and right kernels
#   test_gpu.sh FILE.cu...     these broken or right kernels
set -u
cd "$(dirname "$0")/../.." || exit 1
export LAB_TEST_BUILD=${LAB_TEST_BUILD:-build}
kernels=$LAB_TEST_BUILD/tests/kernels
runtime=${LAB_TEST_RUNTIME:-gpu} # sim: to try this script where there is no GPU
export runtime
steps=() files=()
for name in "$@"; do
    case $name in *.cu) files+=("$name") ;; *) steps+=("$name") ;; esac
done
if [ $# = 0 ]; then
    mapfile -t steps < <(sed -n 's/^LAB_STEP("\([0-9a-z]*\)".*/step\1/p' steps/steps.def)
    files=("$kernels"/right/*.cu "$kernels"/broken/*.cu)
    if [ ${#steps[@]} = 0 ]; then
        echo "test_gpu: found no steps in steps/steps.def" >&2
        exit 1
    fi
fi

passed=0 failed=0
output=$(mktemp)
trap 'rm -f "$output"' EXIT
check() { # check STEP OPTIONS: one run of the program; what failed is printed
    # shellcheck disable=SC2086
    if timeout 300 ./run "$1" --runtime "$runtime" --check-only $2 > "$output" 2>&1 < /dev/null; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: ./run %s --runtime %s --check-only %s\n' "$1" "$runtime" "$2"
        cat "$output"
    fi
}

check_broken() { # check_broken FILE: prints "passed" or "failed", and on standard error what it printed instead
    local expected output
    expected=$(sed -n 's|^// on a GPU: \([a-z_]*\).*|\1|p' "$1")
    if [ -z "$expected" ] &&
        grep -qE '^// expect: (race|divergent_barrier|uninitialized|timeout)' "$1"; then return; fi
    if [ "$expected" = varies ]; then return; fi # with the GPU, or from launch to launch
    expected=${expected:-$(sed -n 's|^// expect: \([a-z_]*\).*|\1|p' "$1")}
    output=$(mktemp)
    # shellcheck disable=SC2046
    timeout 60 ./run $(sed -n 's|^// run: ||p' "$1" | grep . || echo step01 -m 129) --runtime "$runtime" --check-only \
        --source "$1" --json "$output.json" > "$output" 2>&1 < /dev/null
    if grep -q "^  \"status\": \"$expected\"" "$output.json"; then
        echo passed
    else
        echo failed
        { echo "FAILED: $1 is not found to be $expected" && cat "$output"; } >&2
    fi
    rm -f "$output" "$output.json"
}
check_right() { # check_right FILE: likewise, of all awkward problems; compiled once
    local output
    output=$(mktemp)
    # shellcheck disable=SC2046
    if $(cat "$LAB_TEST_BUILD/nvcc.command") -Icommon "$1" -o "$output.so" > "$output" 2>&1 &&
        timeout 120 ./run $(sed -n 's|^// run: ||p' "$1") --runtime "$runtime" --check-only --thorough \
            --source "$output.so" > "$output" 2>&1 < /dev/null; then
        echo passed
    else
        echo failed
        { echo "FAILED: $1 is called wrong" && cat "$output"; } >&2
    fi
    rm -f "$output" "$output.so"
}

check_file() {
    case $1 in *right/*) check_right "$1" ;; *) check_broken "$1" ;; esac
}
export -f check_broken check_right check_file

for step in "${steps[@]}"; do
    mapfile -t problems < <("$LAB_TEST_BUILD/tests/family_tests" "$step")
    if [ ${#problems[@]} = 0 ]; then
        echo "test_gpu: no problems to try $step on" >&2
        exit 1
    fi
    for problem in "${problems[@]}"; do check "$step" "$problem"; done
    if grep -q "^LAB_STUDY(\"${step#step}\." steps/steps.def; then
        for problem in "${problems[@]}"; do check "$step" "--study $problem"; done
    fi
    echo "$step: $passed passed, $failed failed so far"
done

# Submissions that are right wherever the simulator looks, and something else where they are timed. Grading
# checks on the simulator first, so it must be there.
if [ $# -gt 0 ]; then
    : # what was named alone
elif [ "$runtime" = gpu ] && [ -e build/sim/libcudart.so.13 ] && [ -e build/solution/07.so ]; then
    ./run grade 07 "$kernels/submissions/timed" --runtime "$runtime" --again --csv "$output.csv" > "$output" 2>&1
    for file in "$kernels"/submissions/timed/*.cu; do
        name=$(basename "$file" .cu)
        got=$(sed -n "s/^\"$name\",\"[^\"]*\",\([a-z_]*\),.*/\1/p" "$output.csv")
        if sed -n 's|^// expect: ||p' "$file" | tr '|' '\n' | grep -qx "${got:-none}"; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAILED: $file is found to be ${got:-nothing}"
        fi
    done
    rm -f "$output.csv"
else
    echo "grading is not tried: it needs a GPU, the simulator and solution07 (make setup sim solution07)"
fi

# Kernels that are right, and kernels that must be caught; where a GPU tells less than the simulator, their second line says what.
# What comes of a race, a barrier or unwritten memory is chance there, and an endless loop has no end:
# those are for the simulator alone, unless their second line says otherwise.
while read -r verdict; do
    if [ "$verdict" = passed ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done < <([ ${#files[@]} = 0 ] || printf '%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -I FILE bash -c 'check_file FILE')
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
