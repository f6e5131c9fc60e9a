# Reports and sweeps beside each other: tolerances, conditions, every format, wrong use.
scenario=../../configs/scenarios/gemm_tile.yaml
run() { tmasim run "$scenario" --set workload.iterations=4 --no-why --format json "$@"; }
run -o "$SCRATCH/base.json"
run -o "$SCRATCH/two.json" --set workload.pipeline.depth=2
run -o "$SCRATCH/slow.json" --set gpu.sm_clock='1700 MHz'
for format in csv jsonl; do
    tmasim sweep "$scenario" --set workload.iterations=4 --try workload.pipeline.depth=1:2 \
        --try tensor_maps.A.swizzle=none,128b --format $format -o "$SCRATCH/sweep.$format"
done
cd "$SCRATCH" || exit
try() {
    echo "\$ tmasim diff $*"
    tmasim diff "$@" >output 2>&1
    status=$?
    sed -E 's/[0-9a-f]{16}/DIGEST/g' output
    echo "exit $status"
}
figures="--figure cycles --figure rate.* --figure limited_by.key"
try base.json base.json
# shellcheck disable=SC2086 # a list of options
for format in text markdown github junit json; do
    try base.json two.json slow.json $figures --format $format
done
try base.json two.json --figure cycles --fail-if 'cycles > +2%' --format text
try base.json two.json --figure cycles --fail-if 'cycles > +300%'
try base.json two.json --figure cycles --fail-if 'cycles < +1' --all
try base.json two.json --figure cycles --fail-if 'limited_by.key changed'
try base.json two.json --figure cycles --tolerance 'cycles=300%'
try base.json two.json --figure cycles --tolerance 'cycles=10'
try base.json two.json --figure cycles --rel 0.9
try sweep.csv --figure cycles --figure busiest --base 2
try sweep.csv sweep.jsonl --figure cycles
try sweep.csv sweep.jsonl --figure l2_hit_fraction --tolerance '*=0.1%'
sed 's/^3,.*/3,"2","none",,,,,,,,,,,,deadlock/' sweep.csv >failed.csv
try sweep.csv failed.csv --fail-if 'cycles > +100%' --format junit
tmasim run "$OLDPWD/$scenario" --no-why --trace trace -o /dev/null
try trace trace --all
try trace base.json
try base.json
try base.json missing.json
try base.json two.json --fail-if 'cycle > 2'
try base.json two.json --fail-if 'cycles > 2x'
try base.json two.json --tolerance 'cycles=-1'
try base.json two.json --base 3
echo '{"a": 1' >broken.json
try base.json broken.json
echo 'row,"a",cycles' >broken.csv
echo '1,"2' >>broken.csv
try base.json broken.csv
try base.json ../../cli/verbs/diff_reports.sh
