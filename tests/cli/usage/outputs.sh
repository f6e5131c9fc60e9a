# An output file is replaced completely or not at all.
scenario=../../configs/scenarios/narrow_rows.yaml
try() {
    "$@" 2>&1
    echo "exit $?"
}
run() { tmasim run "$scenario" --set workload.iterations=4 "$@"; }

try run -o "$SCRATCH/report"
run >"$SCRATCH/printed"
cmp "$SCRATCH/report" "$SCRATCH/printed" && echo "a file holds what standard output does"

echo "old" >"$SCRATCH/kept"
try tmasim run "$scenario" --set workload.pipeline.expect_tx='7 B' -o "$SCRATCH/kept" 2>&1 | tail -n 1
cat "$SCRATCH/kept"

echo "-- a directory, a missing folder, a full device, a closed stream"
try run -o / | sed 's/:.*:/:/'
try run -o /does/not/exist
try run -o /dev/full
try run --trace /dev/full
try run -o report --trace report
run >/dev/full 2>"$SCRATCH/said"
echo "exit $?" && cat "$SCRATCH/said"
run >&- 2>"$SCRATCH/said"
echo "exit $?" && cat "$SCRATCH/said"

echo "-- a reader that closes the pipe early"
{ run 2>"$SCRATCH/said"; echo "exit $?" >"$SCRATCH/status"; } | true
cat "$SCRATCH/said"

echo "-- a symbolic link stays a link, and a pipe receives the output"
ln -s target "$SCRATCH/link"
: >"$SCRATCH/target"
run -o "$SCRATCH/link" && test -L "$SCRATCH/link" && test -s "$SCRATCH/target" && echo "link kept"
run -o /dev/stdout | head -n 1
ls "$SCRATCH"
