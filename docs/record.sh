#!/usr/bin/env bash
# Times every step on this machine's GPU and keeps what `run` says, as JSON and as text, in
# docs/results/STEP-GPU-SIZE.{json,txt}. `make results` then rewrites the pages from them.
#
#   record.sh [SIZE...]         (default: 1024 4096 8192)
#   record.sh --counters        the counters alone
set -eu
cd "$(dirname "$0")/.."
gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1 | awk '{print tolower($2)}')
if [ -z "$gpu" ]; then
    echo "record: no GPU here; figures are recorded on a GPU only" >&2
    exit 3
fi
[ $# -gt 0 ] || set -- 1024 4096 8192
if [ "$1" = --counters ]; then set --; fi
mkdir -p docs/results
sed -n 's/^LAB_STEP("\([0-9]*\)".*/step\1/p' steps/steps.def | while read -r step; do
    for size in "$@"; do
        file=docs/results/$step-$gpu-$size
        # Kept only when the whole run was right.
        ./run "$step" --runtime gpu -n "$size" --json "$file.json.new" < /dev/null > "$file.txt.new" || {
            cat "$file.txt.new" >&2
            rm -f "$file".*.new
            exit 1
        }
        for kind in json txt; do mv "$file.$kind.new" "$file.$kind"; done
        echo "record: $file.json"
    done
done

# Counters of every row at the middle size, where Nsight Compute is there. Clocks stay as they are.
if ! command -v ncu > /dev/null; then
    echo "record: no ncu here, so no counters were recorded" >&2
    exit 0
fi
metrics=gpu__time_duration.sum,sm__warps_active.avg.pct_of_peak_sustained_active
metrics+=,smsp__inst_executed.sum,smsp__sass_thread_inst_executed_op_ffma_pred_on.sum
metrics+=,smsp__inst_executed_op_global_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
metrics+=,smsp__inst_executed_op_shared_ld.sum,smsp__inst_executed_op_shared_st.sum
metrics+=,smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
metrics+=,smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum
metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
metrics+=,lts__t_sectors_op_read.sum,dram__bytes_read.sum,dram__bytes_write.sum
metrics+=,smsp__issue_active.avg.pct_of_peak_sustained_active
metrics+=,l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed
for reason in long_scoreboard short_scoreboard mio_throttle lg_throttle barrier dispatch_stall wait; do
    metrics+=,smsp__average_warps_issue_stalled_${reason}_per_issue_active.ratio
done
size=4096
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2046
ncu --clock-control none --csv --metrics "$metrics" --log-file "$work/ncu.csv" ./run compare \
    $(sed -n 's/^LAB_STEP("\([0-9]*\)".*/step\1/p' steps/steps.def) --runtime gpu --check-only -n $size \
    --json "$work/run.json" > /dev/null < /dev/null
python3 -B docs/counters.py "$work/ncu.csv" "$work/run.json" > "$work/counters.json"
mv "$work/counters.json" docs/results/counters-$gpu-$size.json
echo "record: docs/results/counters-$gpu-$size.json"
