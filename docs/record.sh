#!/usr/bin/env bash
# Times every step on this machine's GPU and keeps what `run` says, as JSON and as text, in
# docs/results/STEP-GPU-SIZE.{json,txt}. `make results` then rewrites the pages from them. What was recorded
# with the same machine code (docs/recorded.py) is left as it is, unless AGAIN=1.
#
#   record.sh                      times at 1024 2048 4096 8192, counters at 512 1024 2048 4096
#   record.sh SIZE...              times alone, at these sizes
#   record.sh --counters SIZE...   counters alone
#   record.sh --study              the kernel summation, step 08: its usual size, all stages at the largest M of
#                                  its paper, and its study, with energy and, where ncu is there, counters
#   record.sh --apsp               shortest paths, step 11: each type at its sizes, the table of the paper, all of
#                                  its 24 points, and the other semirings
#   record.sh --semirings          the other semirings alone
#   record.sh --instructions       what the compiler makes of each pair of operations (no GPU needed, but solutions built, nvdisasm)
#   record.sh --double             steps 09 and 10, in FP64, with copies, at the sizes of their pages, and,
#                                  where ncu is there, counters of their rows
#   record.sh --simulated SIZE...  the simulator's counters (no GPU needed; default 512 1024), in
#                                  docs/results/counters-sim-SIZE.json
#   record.sh --warm-ups           steps 00a to 00d, at the size of their pages
#   record.sh --simulated-warm-ups what the simulator counts of them (no GPU needed)
#   record.sh --shapes [SIZE...]   the block shapes, step 05's study, at 2048, with counters where ncu is
#                                  there, and at 8192
#   record.sh --report             the studies of steps 09 and 10, every version of the report's kernels at its sizes, with
#                                  copies, and with counters where ncu is there
#   record.sh --forms              step 12: its stages, in other forms and in double, too, with copies, and its study
#   record.sh --merging            step 13: its stages, whole steps and without forces, many of them, many particles, in a box; its
#                                  study and its plans
#   record.sh --past               step 14: its stages at cubes and at thin and tall products, and 50 sizes drawn by lot
#   record.sh --tensor             step 15: its stages at cubes, with a long k, and with values of many magnitudes
#   record.sh --simulated-merging  what the simulator counts of step 13 without forces (no GPU needed)
#   record.sh --simulated-forms    what the simulator counts of step 12 in each form and type, at 512 (no GPU needed)
#   record.sh --without-gpu        what `./run stepNN` prints without a GPU, of steps 01 to 12, 14 and 15: a minute (no GPU needed)
#   record.sh --simulated-study    the studies on the simulator: step 05's on a slice, as the GPUs of its paper, too; step 08's
#                                  as the GTX 970 of its paper, step 11's; step 13's as the GTX 480 of its
#                                  paper; steps 09's and 10's as the M2070 of the report
set -eu
cd "$(dirname "$0")/.."
steps() { # those that solve the matrix product
    sed -n 's/^LAB_STEP("\([0-9]*\)", "[^"]*", "gemm",.*/step\1/p' steps/steps.def
}

# Succeeds where FILE is of the kernels that are built: then it is left as it is. AGAIN=1 takes all anew.
is_fresh() { # FILE WORD...
    [ -z "${AGAIN:-}" ] && python3 -B docs/recorded.py fresh "$@" && echo "record: $1 is of these kernels already"
}

# FILE.json and FILE.txt of a run; kept only when the whole run was right.
keep() { # FILE TARGET OPTION...
    local file=$1
    shift
    if is_fresh "$file.json" "$@"; then return; fi
    ./run "$@" --runtime gpu --json "$file.json.new" < /dev/null > "$file.txt.new" || {
        cat "$file.txt.new" >&2
        rm -f "$file".*.new
        exit 1
    }
    python3 -B docs/recorded.py stamp "$file.json.new" "$@"
    for kind in json txt; do mv "$file.$kind.new" "$file.$kind"; done
    echo "record: $file.json"
}

# Counters of a target's rows, as FILE; kept only when the whole run was right.
count_rows() { # FILE TARGET OPTION...
    local file=$1
    shift
    if is_fresh "$file" "$@"; then return; fi
    ./run "$@" --check-only --profile --json "$file.new" < /dev/null > /dev/null || {
        rm -f "$file.new"
        exit 1
    }
    python3 -B docs/recorded.py stamp "$file.new" "$@"
    mv "$file.new" "$file"
    echo "record: $file"
}

# Those of all matrix products at a size.
count() { # FILE SIZE OPTION...
    local file=$1 size=$2
    shift 2
    # shellcheck disable=SC2046
    count_rows "$file" compare $(steps) "$@" -n "$size"
}

mkdir -p docs/results
if [ "${1:-}" = --simulated ]; then
    shift
    [ $# -gt 0 ] || set -- 512 1024
    for size in "$@"; do count "docs/results/counters-sim-$size.json" "$size" --runtime sim; done
    for step in step12 step15; do count_rows "docs/results/agreement-$step-sim-512.json" "$step" -n 512 --runtime sim; done
    exit 0
fi
warm_ups() {
    sed -n 's/^LAB_STEP("\(00[a-z]\)".*/step\1/p' steps/steps.def
}
if [ "${1:-}" = --simulated-warm-ups ]; then
    for step in $(warm_ups); do
        file=docs/results/warm-up-$step.json
        if is_fresh "$file" "$step"; then continue; fi
        ./run "$step" --runtime sim --sms 3 --profile --json "$file.new" < /dev/null > /dev/null
        python3 -B docs/recorded.py stamp "$file.new" "$step"
        mv "$file.new" "$file"
        echo "record: $file"
    done
    exit 0
fi
if [ "${1:-}" = --without-gpu ]; then # always anew: kernels do not say whether the model is another
    python3 -B docs/without_gpu.py record
    # shellcheck disable=SC2046
    python3 -B docs/recorded.py stamp docs/results/without-gpu.json $(sed -n 's/.*"target": "\(.*\)",/\1/p' docs/results/without-gpu.json)
    exit 0
fi
if [ "${1:-}" = --simulated-forms ]; then
    for type in f32 f64; do
        for form in nn nt tn tt; do
            count_rows "docs/results/forms-sim-$form-$type.json" step12 -n 512 --trans $form --type $type --runtime sim
        done
    done
    exit 0
fi
if [ "${1:-}" = --simulated-merging ]; then
    count_rows docs/results/merging-sim-rest.json step13 -n 1024 --kernels rest --runtime sim
    exit 0
fi
if [ "${1:-}" = --simulated-study ]; then
    # Step 05's at 512: of a GPU with many SMs a slice, which is as full as all of it at the paper's size.
    for study in "step05 h200 --sms 3" "step05 t4 --sms 3" "step05 gtx1050" "step08 gtx970" "step11 h200" "step13 gtx480"; do
        read -r step gpu slice <<< "$study"
        file=docs/results/sweep-$step-sim-$gpu.json
        if is_fresh "$file" "$step"; then continue; fi
        # shellcheck disable=SC2086
        ./run sweep "$step" --runtime sim --arch "$gpu" $slice --json "$file.new" < /dev/null > "${file%.json}.txt.new"
        python3 -B docs/recorded.py stamp "$file.new" "$step"
        if [ "$step" = step13 ]; then mv "${file%.json}.txt.new" "${file%.json}.txt"; else rm "${file%.json}.txt.new"; fi
        mv "$file.new" "$file"
        echo "record: $file"
    done
    # As the GPU of the report, at its sizes; without the checks, which the tests make. Of step 09 a quarter of the rows, too, with
    # the grids of its size: the whole takes half an hour.
    for study in "step09 512 -m 2048" "step10 96" "step10 128" "step09 2048"; do
        read -r step size columns <<< "$study"
        file=docs/results/sweep-$step-sim-m2070-$size.json
        if is_fresh "$file" "$step"; then continue; fi
        # shellcheck disable=SC2086
        ./run sweep "$step" --runtime sim --arch m2070 -n "$size" $columns --fast --json "$file.new" < /dev/null > /dev/null
        python3 -B docs/recorded.py stamp "$file.new" "$step"
        mv "$file.new" "$file"
        echo "record: $file"
    done
    exit 0
fi
if [ "${1:-}" = --instructions ]; then
    NVCC=$(sed -n 's/^NVCC ?= //p' build/config.mk) python3 docs/instructions.py
    exit 0
fi
gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1 | awk '{print tolower($2)}')
if [ -z "$gpu" ]; then
    echo "record: no GPU here; figures are recorded on a GPU only" >&2
    exit 3
fi
if [ "${1:-}" = --warm-ups ]; then
    for step in $(warm_ups); do keep "docs/results/$step-$gpu" "$step"; done
    exit 0
fi
if [ "${1:-}" = --study ]; then
    profile=
    if command -v ncu > /dev/null; then profile=--profile; fi
    keep "docs/results/step08-$gpu-131072" step08 --deterministic --energy
    for k in 32 64 128 256; do keep "docs/results/step08-$gpu-524288-$k" step08 -m 524288 -k "$k"; done
    for k in 32 64 128 256; do # each some minutes
        # shellcheck disable=SC2086
        keep "docs/results/sweep-step08-$gpu-$k" sweep step08 -k "$k" $profile
    done
    rm -f "docs/results/sweep-step08-$gpu".{json,txt} # of all K, as it once was
    exit 0
fi
if [ "${1:-}" = --shapes ]; then
    shift
    [ $# -gt 0 ] || set -- 2048 8192
    for size in "$@"; do
        options=
        if [ "$size" -gt 4096 ]; then # a launch takes a tenth of a second, and to count it a quarter of a minute
            options="--reps 5"
        elif command -v ncu > /dev/null; then
            options=--profile
        fi
        # shellcheck disable=SC2086
        keep "docs/results/sweep-step05-$gpu-$size" sweep step05 -n "$size" $options
    done
    exit 0
fi
semirings() {
    local semiring n
    for semiring in max-plus or-and; do
        for n in 512 2048 8192; do
            keep "docs/results/step11-$gpu-$n-$semiring" step11 --semiring $semiring -n $n --reps 5
        done
        keep "docs/results/step11-$gpu-8192-$semiring-product" step11 --semiring $semiring -n 8192 --reps 5 \
            --products 1
    done
}
if [ "${1:-}" = --semirings ]; then
    semirings
    exit 0
fi
if [ "${1:-}" = --report ]; then
    profile=
    if command -v ncu > /dev/null; then profile=--profile; fi
    for step in step09 step10; do
        # shellcheck disable=SC2086
        keep "docs/results/sweep-$step-$gpu" sweep "$step" --with-copies $profile
    done
    exit 0
fi
if [ "${1:-}" = --forms ]; then
    for size in 1024 2048 4096 8192; do keep "docs/results/step12-$gpu-$size" step12 -n "$size"; done
    keep "docs/results/step12-$gpu-4096-tt" step12 -n 4096 --trans tt --with-copies
    for form in nn nt tn tt; do
        keep "docs/results/step12-$gpu-4096-f64-$form" step12 -n 4096 --trans $form --type f64 --with-copies
    done
    for size in 2048 4096; do
        for form in nn tt; do
            keep "docs/results/study-step12-$gpu-$size-$form" step12 --study -n "$size" --trans $form
            keep "docs/results/study-step12-$gpu-$size-f64-$form" step12 --study -n "$size" --trans $form --type f64
        done
    done
    keep "docs/results/sweep-step12-$gpu" sweep step12
    exit 0
fi
if [ "${1:-}" = --past ]; then
    for size in 512 1024 2048 4096 8192; do keep "docs/results/step14-$gpu-$size" step14 -n "$size"; done
    keep "docs/results/step14-$gpu-64-rows" step14 -m 64 -n 4096 -k 4096
    keep "docs/results/step14-$gpu-64-columns" step14 -m 4096 -n 64 -k 4096
    keep "docs/results/step14-$gpu-64-deep" step14 -m 4096 -n 4096 -k 64
    keep "docs/results/sweep-step14-$gpu" sweep step14 --lot 50 --variant heuristics
    keep "docs/results/step14-$gpu-16384" step14 -n 16384 --reps 5 --variant heuristics
    exit 0
fi
if [ "${1:-}" = --tensor ]; then
    for size in 512 1024 2048 4096 8192; do keep "docs/results/step15-$gpu-$size" step15 -n "$size"; done
    for step in step12 step15; do count_rows "docs/results/agreement-$step-$gpu-512.json" "$step" -n 512; done
    keep "docs/results/step15-$gpu-deep" step15 -m 1024 -n 1024 -k 16384
    keep "docs/results/step15-$gpu-spread" step15 -n 2048 --values spread
    keep "docs/results/step15-$gpu-special" step15 -n 2048 --values special
    exit 0
fi
if [ "${1:-}" = --merging ]; then
    for n in 2000 10000; do
        keep "docs/results/step13-$gpu-$n" step13 -n "$n"
        keep "docs/results/step13-$gpu-$n-rest" step13 -n "$n" --kernels rest
        keep "docs/results/plan-step13-$gpu-$n" plan step13 -n "$n"
        keep "docs/results/plan-step13-$gpu-$n-rest" plan step13 -n "$n" --kernels rest
    done
    keep "docs/results/step13-$gpu-2000-steps" step13 -n 2000 --steps 100
    keep "docs/results/step13-$gpu-65536" step13 -n 65536 --variant seven,tiles,slices,all_steps
    keep "docs/results/step13-$gpu-1000000-box" step13 -n 1000000 --periodic --variant cells
    keep "docs/results/sweep-step13-$gpu" sweep step13
    keep "docs/results/step13-$gpu-16777216-k567" step13 --study -n 16777216 --kernels 567 --reps 10 \
        --variant k567_apart_256,k567_1_anew_256,k567_1_global_256,k567_1_shared_256
    exit 0
fi
if [ "${1:-}" = --apsp ]; then
    semirings
    for type in f32 s32 u16; do
        for n in 64 128 256 512 2048; do keep "docs/results/step11-$gpu-$n-$type" step11 --type $type -n $n; done
        keep "docs/results/step11-$gpu-8192-$type" step11 --type $type -n 8192 --reps 3
        keep "docs/results/step11-$gpu-8192-$type-product" step11 --type $type -n 8192 --reps 5 --products 1
        keep "docs/results/step11-$gpu-16384-$type" step11 --type $type -n 16384 --reps 2 \
            --variant floyd_warshall_blocked$([ $type = u16 ] && echo ,floyd_warshall_pairs)
    done
    keep "docs/results/step11-$gpu-2048-f32-paths" step11 -n 2048 --paths --degree 3
    # the forms of an instruction that the weights above do not ask for
    for type in f32 s32; do
        keep "docs/results/step11-$gpu-8192-$type-signed" step11 --type $type -n 8192 --reps 5 --products 1 \
            --degree 1.1 --weight-range -1..90
    done
    keep "docs/results/step11-$gpu-8192-u16-wide" step11 --type u16 -n 8192 --reps 5 --products 1 \
        --weight-range 17000..30000
    keep "docs/results/step11-$gpu-8192-u16-long" step11 --type u16 -n 8192 --reps 2 --weight-range 17000..30000 \
        --variant floyd_warshall_blocked,floyd_warshall_pairs
    keep "docs/results/sweep-step11-$gpu" sweep step11
    keep "docs/results/step11-$gpu-65536-f32" step11 -n 65536 --degree 3 --reps 1 \
        --variant floyd_warshall_blocked
    exit 0
fi
if [ "${1:-}" = --double ]; then
    for size in 1024 2048 4096; do
        keep "docs/results/step09-$gpu-$size" step09 -n "$size" --with-copies
    done
    # The rows before take seconds there.
    keep "docs/results/step09-$gpu-8192" step09 -n 8192 --with-copies --variant register_tile,tensor_tile
    keep "docs/results/step10-$gpu-96" step10 -n 96 --with-copies
    keep "docs/results/step10-$gpu-128" step10 -n 128 --with-copies
    keep "docs/results/step10-$gpu-256" step10 -n 256 --with-copies
    keep "docs/results/step10-$gpu-2048" step10 -n 2048 -p 32 -q 64 --with-copies
    keep "docs/results/step10-$gpu-4096" step10 -n 4096 -p 64 -q 64 --with-copies
    if command -v ncu > /dev/null; then
        count_rows "docs/results/profile-step09-$gpu-2048.json" step09 -n 2048
        count_rows "docs/results/profile-step10-$gpu-256.json" step10 -n 256
        count_rows "docs/results/profile-step10-$gpu-2048.json" step10 -n 2048 -p 32 -q 64
    fi
    exit 0
fi
counter_sizes=
if [ "${1:-}" = --counters ]; then
    shift
    counter_sizes=$*
    set --
elif [ $# -eq 0 ]; then
    counter_sizes="512 1024 2048 4096"
    set -- 1024 2048 4096 8192
fi
steps | while read -r step; do
    for size in "$@"; do keep "docs/results/$step-$gpu-$size" "$step" -n "$size"; done
done

# Counters of every row, where Nsight Compute is there. Clocks stay as they are.
[ -n "$counter_sizes" ] || exit 0
if ! command -v ncu > /dev/null; then
    echo "record: no ncu here, so no counters were recorded" >&2
    exit 0
fi
for size in $counter_sizes; do count "docs/results/counters-$gpu-$size.json" "$size" --runtime gpu; done
