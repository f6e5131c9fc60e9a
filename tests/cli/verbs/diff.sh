# Exit statuses 0 same, 1 different, 2 error; tolerances.
scenario=../../configs/scenarios/narrow_rows.yaml
run() { tmasim run "$scenario" --set workload.iterations=2 --no-why -o /dev/null "$@"; }
run --trace "$SCRATCH/a"
run --trace "$SCRATCH/b"
run --trace "$SCRATCH/c" --set gpu.tma.complete='21 cycles'
cd "$SCRATCH" || exit
try() {
    tmasim diff "$@" 2>&1
    echo "exit $?"
}
try a b
try a c | grep -E '^(header|exit|first)'
try --abs 1000 a c | grep -E '^(header|exit|first)'
try a missing
head -n 20 a >cut
try a cut
try a a -o /does/not/exist
