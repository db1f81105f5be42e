#!/usr/bin/env bash
# Runs every step, or those given, on this machine's GPU at the sizes and scalars of test_steps.c, and
# closes with one plain line: "N passed, N failed". Needs no test framework, so that a GPU machine
# with a compiler and the toolkit alone can run it.
#
#   test_gpu.sh [STEP...]      such as step08; without, all steps and the broken kernels
set -u
cd "$(dirname "$0")/../.." || exit 1
cases=harness/tests/test_steps.c
own_cases=harness/tests/test_kernel_summation.c
runtime=${LAB_TEST_RUNTIME:-gpu} # sim: to try this script where there is no GPU
types=${LAB_TEST_TYPES:-f32 s32 u16} # of shortest paths

# strings ARRAY FILE: the strings of that array in a test, one a line.
strings() {
    sed -n "/$1\[\] = {/,/};/p" "$2" | grep -o '"[^"]*"' | tr -d '"'
}
mapfile -t sizes < <(strings sizes "$cases")
mapfile -t scalars < <(strings scalars "$cases")
mapfile -t summations < <(strings summations "$cases")
mapfile -t triangles < <(strings triangles "$cases")
mapfile -t sums < <(strings sums "$cases")
mapfile -t summation_sizes < <(strings sizes "$own_cases")
mapfile -t bandwidths < <(strings bandwidths "$own_cases")
mapfile -t steps < <([ $# -gt 0 ] && printf '%s\n' "$@" || sed -n 's/^LAB_STEP("\([0-9]*\)".*/step\1/p' steps/steps.def)
if [ ${#sizes[@]} = 0 ] || [ ${#scalars[@]} -lt 2 ] || [ ${#steps[@]} = 0 ] ||
    [ ${#summation_sizes[@]} = 0 ] || [ ${#bandwidths[@]} = 0 ] ||
    [ ${#triangles[@]} = 0 ] || [ ${#sums[@]} = 0 ]; then
    echo "test_gpu: found no sizes, scalars or steps in $cases, $own_cases and steps/steps.def" >&2
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

# family STEP: the problem that it solves.
family() {
    sed -n "s/^LAB_STEP(\"${1#step}\", \"[^\"]*\", \"[^\"]*\", \"\([^\"]*\)\".*/\1/p" steps/steps.def
}

for step in "${steps[@]}"; do
    case $(family "$step") in
    trmm)
        for size in "${triangles[@]}" "-n 1000" "-n 1023 -m 2047" "-n 2048" "-n 4097 -m 129" "-n 67 -m 70001"; do
            check "$step" "$size"
        done
        continue
        ;;
    apsp)
        for type in $types; do
            for n in 1 2 3 17 63 64 65 127 128 129 193 500 1023 1024 1025 1153 2048; do
                check "$step" "-n $n --type $type"
                check "$step" "-n $n --type $type --weight-range 0..2 --degree 3 --paths"
            done
            check "$step" "-n 8192 --type $type --variant floyd_warshall_blocked"
            check "$step" "-n 8192 --type $type --products 1"
        done
        for type in ${types/u16/}; do
            check "$step" "-n 1500 --type $type --weight-range -1..90 --degree 1.1"
            check "$step" "-n 200 --type $type --weight-range -20..3 --degree 2"
        done
        continue
        ;;
    syr2k)
        for size in "${sums[@]}" "-n 128" "-n 129 -p 127 -q 131" "-n 1023 -p 5 -q 7" "-n 2 -p 1000 -q 1001"; do
            check "$step" "$size"
        done
        continue
        ;;
    esac
    others=("${scalars[@]}")
    if grep -q "^LAB_STEP(\"${step#step}\", .* \"kernel summation\"," steps/steps.def; then others=("${summations[@]}"); fi
    # Every size with the plain problem, and with one of the other scalars in turn.
    for i in "${!sizes[@]}"; do
        check "$step" "${sizes[$i]}"
        check "$step" "${sizes[$i]} ${others[$((1 + i % (${#others[@]} - 1)))]}"
    done
    # And some that only a GPU does in reasonable time.
    for size in "-m 1000" "-m 1023" "-m 2048 -n 1 -k 2048" "-m 8191 -n 129 -k 65" "-m 70000 -n 33 -k 17"; do
        check "$step" "$size"
    done
    if [ "${others[*]}" = "${summations[*]}" ]; then
        for size in "${summation_sizes[@]}"; do check "$step" "$size --weights mixed --deterministic"; done
        for h in "${bandwidths[@]}"; do check "$step" "-m 133 -n 137 -k 5 --weights mixed --deterministic --bandwidth $h"; done
    fi
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
