# An output file is replaced completely or not at all.
scenario=../../configs/scenarios/narrow_rows.yaml
try() {
    "$@" 2>&1
    echo "exit $?"
}
run() { tmasim run "$scenario" --no-why --set workload.iterations=4 "$@"; }

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

echo "-- an output never replaces a file that the command reads, or the other output"
cp $scenario "$SCRATCH/scenario.yaml"
cp ../../configs/gpus/h200.yaml "$SCRATCH/gpu.yaml"
cp "$SCRATCH/gpu.yaml" "$SCRATCH/old.yaml"
ln -s gpu.yaml "$SCRATCH/machine"
ln "$SCRATCH/scenario.yaml" "$SCRATCH/hard_link.yaml"
ln -s missing "$SCRATCH/dangling"
refuse() { (cd "$SCRATCH" && try tmasim "$@"); }
refuse run scenario.yaml -o ./scenario.yaml
refuse run scenario.yaml -o hard_link.yaml
refuse run scenario.yaml --set gpu=gpu.yaml -o machine
refuse run scenario.yaml --set gpu=gpu.yaml --trace gpu.yaml
refuse run scenario.yaml --set gpu=gpu.yaml --trace ../work/scenario.yaml
refuse check scenario.yaml --set gpu=gpu.yaml -o gpu.yaml
refuse compare scenario.yaml --set gpu=gpu.yaml -o gpu.yaml
refuse validate --gpu gpu.yaml scenario.yaml -o machine
refuse diff gpu.yaml scenario.yaml -o scenario.yaml
refuse run scenario.yaml --set gpu=gpu.yaml -o ./x --trace x
refuse run scenario.yaml --set gpu=gpu.yaml -o missing --trace dangling
cmp "$SCRATCH/gpu.yaml" "$SCRATCH/old.yaml" && cmp $scenario "$SCRATCH/scenario.yaml" && echo "inputs kept"

echo "-- a symbolic link to a file that does not exist yet stays a link"
run -o "$SCRATCH/dangling" && test -L "$SCRATCH/dangling" && test -s "$SCRATCH/missing" && echo "link kept"
ln -s circle "$SCRATCH/circle"
try run -o "$SCRATCH/circle" 2>&1 | sed 's/.*circle/circle/'
(cd "$SCRATCH" && rm circle dangling missing machine hard_link.yaml scenario.yaml gpu.yaml old.yaml)

echo "-- a symbolic link stays a link, and a pipe receives the output"
ln -s target "$SCRATCH/link"
: >"$SCRATCH/target"
run -o "$SCRATCH/link" && test -L "$SCRATCH/link" && test -s "$SCRATCH/target" && echo "link kept"
run -o /dev/stdout | head -n 1
ls "$SCRATCH"

echo "-- a page on a terminal"
script -qec "NO_COLOR=1 tmasim report gemm_tile" /dev/null | tr -d '\r'
