#!/usr/bin/env bash
# Prints how many warp instructions a second the simulator executes on one core: those of all rows
# of a step over the time that their simulation took. The whole run on all cores stands beside it.
# Then what checks cost where they must look closely (cliffs.cu), and the comparison with Oclgrind,
# where that is installed.
#
#   bench_sim.sh [SIZE]       (default 512)
set -eu
cd "$(dirname "$0")/../.."
size=${1:-512}
json=$(mktemp)
trap 'rm -f "$json"' EXIT

sum_of() { grep -o "\"$1\": [0-9.e+-]*" "$json" | awk '{sum += $2} END {print sum}'; }

printf '%-8s %6s %14s %22s %18s\n' step size 'warp instr.' 'million a second, core' 'whole run, seconds'
for step in step01 step03 step05 step07; do
    start=$(date +%s.%N)
    ./run "$step" --runtime sim --check-only -n "$size" --json "$json" > /dev/null < /dev/null
    end=$(date +%s.%N)
    taskset -c 0 ./run "$step" --runtime sim --check-only -n "$size" --json "$json" > /dev/null < /dev/null
    instructions=$(sum_of ptx_warp_instructions) seconds=$(sum_of simulation_seconds)
    awk -v step="$step" -v size="$size" -v n="$instructions" -v s="$seconds" -v a="$start" -v b="$end" \
        'BEGIN {printf "%-8s %6d %14.0f %22.1f %18.2f\n", step, size, n, n / s / 1e6, b - a}'
done

build=${LAB_TEST_BUILD:-build}
printf '\n'
LD_LIBRARY_PATH=$build/sim taskset -c 0 "$build/tests/cliffs"

bash harness/tests/bench_oclgrind.sh
