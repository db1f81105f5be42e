#!/usr/bin/env bash
# Runs every step, or those given, on this machine's GPU on the problems that its family names, and
# closes with one plain line: "N passed, N failed". Needs no test framework, so that a GPU machine
# with a compiler and the toolkit alone can run it.
#
#   test_gpu.sh [STEP...]      such as step08; without, all steps and the broken kernels
set -u
cd "$(dirname "$0")/../.." || exit 1
runtime=${LAB_TEST_RUNTIME:-gpu} # sim: to try this script where there is no GPU
mapfile -t steps < <([ $# -gt 0 ] && printf '%s\n' "$@" || sed -n 's/^LAB_STEP("\([0-9]*\)".*/step\1/p' steps/steps.def)
if [ ${#steps[@]} = 0 ]; then
    echo "test_gpu: found no steps in steps/steps.def" >&2
    exit 1
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

for step in "${steps[@]}"; do
    mapfile -t problems < <("$LAB_TEST_BUILD/tests/family_tests" "$step")
    if [ ${#problems[@]} = 0 ]; then
        echo "test_gpu: no problems to try $step on" >&2
        exit 1
    fi
    for problem in "${problems[@]}"; do check "$step" "$problem"; done
    echo "$step: $passed passed, $failed failed so far"
done
if [ $# -gt 0 ]; then
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
    exit
fi

# Submissions that are right wherever the simulator looks, and something else where they are timed. Grading
# checks on the simulator first, so it must be there.
if [ "$runtime" = gpu ] && [ -e build/sim/libcudart.so.13 ] && [ -e build/solution/13.so ]; then
    ./run grade 13 harness/tests/submissions/timed --runtime "$runtime" --again --csv "$output.csv" > "$output" 2>&1
    for file in harness/tests/submissions/timed/*.cu; do
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
    echo "grading is not tried: it needs a GPU, the simulator and solution13 (make setup sim solution13)"
fi

# Kernels that must be caught; where a GPU tells less than the simulator, their second line says what.
# What comes of a race, a barrier or unwritten memory is chance there, and an endless loop has no end:
# those are for the simulator alone, unless their second line says otherwise.
for file in harness/tests/broken/*.cu; do
    expected=$(sed -n 's|^// on a GPU: \([a-z_]*\).*|\1|p' "$file")
    if [ -z "$expected" ] &&
        grep -qE '^// expect: (race|divergent_barrier|uninitialized|timeout)' "$file"; then continue; fi
    expected=${expected:-$(sed -n 's|^// expect: \([a-z_]*\).*|\1|p' "$file")}
    run=$(sed -n 's|^// run: ||p' "$file")
    # shellcheck disable=SC2086
    timeout 30 ./run ${run:-step01 -m 129} --runtime "$runtime" --check-only --source "$file" --json "$output.json" \
        > "$output" 2>&1 < /dev/null
    if grep -q "^  \"status\": \"$expected\"" "$output.json"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $file is not found to be $expected"
        cat "$output"
    fi
    rm -f "$output.json"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
