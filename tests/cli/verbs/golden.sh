# A set of scenarios: recorded, checked, changed, broken.
mkdir "$SCRATCH/perf" "$SCRATCH/perf/gpus"
cp ../../configs/gpus/h200.yaml "$SCRATCH/perf/gpus"
for name in gemm_tile narrow_rows kernels/split_k; do
    sed 's#^gpu: .*#gpu: gpus/h200.yaml#' ../../configs/scenarios/$name.yaml >"$SCRATCH/perf/${name##*/}.yaml"
done
cd "$SCRATCH" || exit
try() {
    echo "\$ tmasim golden $*"
    tmasim golden "$@" 2>&1
    echo "exit $?"
}
try check perf
try record perf --jobs 2
ls perf
try check perf --jobs 1
sed 's/sm_clock: 1980 MHz/sm_clock: 1900 MHz/' perf/gpus/h200.yaml >changed
mv changed perf/gpus/h200.yaml
for format in text github junit; do
    try check perf --figure cycles --figure machine.sm_clock_mhz --fail-if 'cycles > +0.1%' --format $format
done
sed 's/^workload:/workloads:/' perf/gemm_tile.yaml >changed
mv changed perf/gemm_tile.yaml
try check perf --figure cycles --fail-if 'cycles > +50%'
try record perf
try check missing
try check perf/gpus --format xml
mkdir empty
try check empty
try forget perf
