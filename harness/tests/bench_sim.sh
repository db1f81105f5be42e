#!/usr/bin/env bash
# Prints how many warp instructions a second the simulator executes in whole runs of some steps:
# instructions of all rows over wall-clock time, the reference, checks and start included.
#
#   bench_sim.sh [SIZE]       (default 512)
set -eu
cd "$(dirname "$0")/../.."
size=${1:-512}
json=$(mktemp)
trap 'rm -f "$json"' EXIT
printf '%-8s %6s %14s %9s %16s\n' step size 'warp instr.' seconds 'million a second'
for step in step01 step03 step05 step07; do
    start=$(date +%s.%N)
    ./run "$step" --runtime sim --check-only -n "$size" --json "$json" > /dev/null < /dev/null
    end=$(date +%s.%N)
    grep -o '"ptx_warp_instructions": [0-9]*' "$json" |
        awk -v step="$step" -v size="$size" -v seconds="$(echo "$start $end" | awk '{print $2 - $1}')" \
            '{sum += $2} END {printf "%-8s %6d %14d %9.2f %16.1f\n", step, size, sum, seconds, sum / seconds / 1e6}'
done
