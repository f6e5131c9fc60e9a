# --stats writes every figure flat, each with a meaning and a unit; --details adds servers and series.
# The figures of servers and windows are those of the report.
for name in narrow_rows kernels/split_k; do
    tmasim run ../../configs/scenarios/$name.yaml --why --draws 2 --stats "$SCRATCH/stats" --format json \
        --details -o "$SCRATCH/report"
    echo "$name: exit $?, $(grep -c '# ? (?)' "$SCRATCH/stats") figures without a meaning"
    grep -E '^(tmasim|cycles|l2.sectors|latency_cycles.max|busy.dram|dram.read_sectors|servers.l2_slices.93|series.window_cycles) ' "$SCRATCH/stats"
    sum() { awk -v begin="$1" 'index($1, begin) == 1 { sum += $2 } END { print begin, sum }' "$SCRATCH/stats"; }
    sum series.l2_sectors.
    sum series.dram_read_sectors.
    sum latency_histogram.
    for kind in tma_units sm_ports shared_memory gpc_ports l2_slices dram_channels; do
        echo "$kind: $(grep -c "^servers.$kind." "$SCRATCH/stats")"
    done
    grep -E '^  "(servers|latency_histogram|series)"' "$SCRATCH/report"
done
cd "$SCRATCH" || exit
cp "$OLDPWD/../../configs/scenarios/narrow_rows.yaml" .
tmasim run narrow_rows.yaml --set gpu="$OLDPWD/../../configs/gpus/h200.yaml" --stats narrow_rows.yaml
echo "exit $?"
tmasim run narrow_rows.yaml --set gpu="$OLDPWD/../../configs/gpus/h200.yaml" --stats a --trace ./a
echo "exit $?"
tmasim run narrow_rows.yaml --set gpu="$OLDPWD/../../configs/gpus/h200.yaml" --stats /does/not/exist
echo "exit $?"
echo "-- waves of a kernel with several CTAs an SM"
tmasim run gemm --set kernel.sms=4 M=1152 N=1152 K=128 STAGES=2 --no-why --stats waves >/dev/null
grep -c '(?)' waves
grep '_place' waves
