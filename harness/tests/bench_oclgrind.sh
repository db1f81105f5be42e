#!/usr/bin/env bash
# Prints the simulator's speed beside Oclgrind's: the same product of 192-cubed matrices by the same
# algorithm, each on one core with its checks for races and uninitialised reads, in the same run.
#
# The work is counted once for both, since each compiler makes other instructions of it: the warp
# instructions of the step's PTX. Oclgrind's time is that of its process less that of one in which
# k is 0 (start-up, compilation, writing C); the simulator's is the median of five launches.
set -eu
cd "$(dirname "$0")/../.."
size=192
if ! command -v oclgrind-kernel > /dev/null; then
    echo 'Oclgrind is not installed, so it is not compared: apt-get install oclgrind (Debian, Ubuntu)'
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What oclgrind-kernel reads: file, kernel, shape, then the arguments. A is 1, B is 2, C unwritten.
simulation() { # KERNEL GLOBAL LOCAL K
    local bytes=$((size * size * 4))
    printf '%s\n' "$PWD/harness/tests/bench_gemm.cl" "$1" "$2" "$3"
    printf '<size=4 int>\n%d\n' "$size" "$size" "$4"
    printf '<size=4 float>\n1\n<size=%d fill=1 float>\n<size=%d fill=2 float>\n' $bytes $bytes
    printf '<size=4 float>\n0\n<size=%d noinit dump float>\n' $bytes
}

oclgrind_seconds() { # K
    local start end
    simulation "$kernel" "$global" "$local_size" "$1" > "$work/gemm.sim"
    start=$(date +%s.%N)
    taskset -c 0 oclgrind-kernel --data-races --uninitialized --num-threads 1 "$work/gemm.sim" \
        > "$work/out" 2> "$work/errors"
    end=$(date +%s.%N)
    # Not a speed unless the product is right and nothing was found.
    if [ "$(grep -c "\] = $((2 * $1))\$" "$work/out")" != $((size * size)) ] || [ -s "$work/errors" ]; then
        echo "oclgrind-kernel: $kernel went wrong with k = $1:" >&2
        head -n 5 "$work/errors" >&2
        return 1
    fi
    awk -v a="$start" -v b="$end" 'BEGIN {print b - a}'
}

# Of the step's row: warp instructions and seconds, of the run with the median time.
simulated() { # STEP ROW
    for _ in 1 2 3 4 5; do
        taskset -c 0 ./run "$1" --runtime sim --check-only -n "$size" --json "$work/json" > /dev/null < /dev/null
        awk -F': |,' -v row="\"$2\"" '
            /"name":/ {mine = $2 == row}
            mine && /"ptx_warp_instructions":/ {instructions = $2}
            mine && /"simulation_seconds":/ {print instructions + 0, $2 + 0}' "$work/json"
    done | sort -k 2 -g | sed -n 3p
}

compare() { # STEP ROW KERNEL GLOBAL LOCAL
    local step=$1 row=$2 kernel=$3 global=$4 local_size=$5 full start ours
    start=$(oclgrind_seconds 0)
    full=$(oclgrind_seconds $size)
    ours=$(simulated "$step" "$row")
    # shellcheck disable=SC2086
    set -- $ours
    awk -v name="$step.$row" -v n="$1" -v s="$2" -v o="$full" -v idle="$start" 'BEGIN {
        o -= idle
        printf "%-20s %12.0f %12.4f %12.2f %12.1f %12.4f %8.0f\n", name, n, s, o, n / s / 1e6, n / o / 1e6, o / s}'
}

printf '\nBeside %s, %d-cubed, one core, all checks (takes some minutes):\n' \
    "$(oclgrind-kernel --version | sed -n 's/.*Oclgrind/Oclgrind/p' | head -n 1)" $size
printf '%-20s %12s %12s %12s %12s %12s %8s\n' '' 'warp' 'simulator' 'Oclgrind' 'simulator' 'Oclgrind' 'times'
printf '%-20s %12s %12s %12s %12s %12s %8s\n' kernel instr. seconds seconds million/s million/s faster
compare step01 coalesced naive "$((size * size)) 1 1" '256 1 1'
compare step03 block_32x32 tiled "$((size * size / 32)) 32 1" '32 32 1'
