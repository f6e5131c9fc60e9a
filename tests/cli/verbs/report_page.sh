# The page of `report`: complete, the same each time, with the origin of each value; errors leave the old file.
configs=$PWD/../../configs
cd "$SCRATCH" || exit
tmasim report "$configs/scenarios/transpose.yaml" --no-why --set workload.pipeline.depth=3 --set gpu.l2.lookup='200 cycles' \
    --set gpu.topology.draw=2 >page.html
echo "exit $?"
sed -n 's/.*\(<title>.*<\/title>\).*/\1/p' page.html
for part in '<!DOCTYPE html>' '.*<pre>scenario .*' 'id="data">' '</html>'; do grep -c "^$part\|$part\$" page.html; done
grep -o '\["workload.pipeline.depth".*\]' page.html
grep -o '\["gpu.l2.lookup".*\]' page.html
grep -o '\["gpu.tma.issue".*\]' page.html
grep -o '\["gpu.name".*\]' page.html
grep -o '\["tensor_maps.[A-Za-z]*.l2_promotion".*\]' page.html
tmasim report "$configs/scenarios/transpose.yaml" --no-why --set workload.pipeline.depth=3 --set gpu.l2.lookup='200 cycles' \
    --set gpu.topology.draw=2 -o again.html
cmp page.html again.html && echo same
echo "-- the figures of run"
tmasim run "$configs/scenarios/transpose.yaml" --no-why --format json | sed -n 's/^ *"cycles": \([0-9]*\),*/cycles \1/p' | head -n 1
tmasim report "$configs/scenarios/transpose.yaml" --no-why | sed -n 's/^  "cycles": \([0-9]*\),/cycles \1/p'
echo "-- kernels"
tmasim report copy >page.html
sed -n 's/.*\(<title>.*<\/title>\).*/\1/p' page.html
echo "-- a long run is sampled, another one on demand"
sampled() { grep '^sampled ' "$1" && sed -n '/^  "sampled": {/,/}/p' "$1"; }
tmasim report l2_resident --no-why --set workload.ctas=8 workload.iterations=2048 >page.html
sampled page.html
set -- gemm --no-why --set kernel.sms=4 M=2048 N=2048 K=512
for option in --sample --exact --quiet; do
    echo "$option"
    tmasim report "$@" $option >page.html
    sampled page.html
done
for option in --exact --why; do tmasim report gemm --sample $option; done
echo "-- the roofs: DRAM has the same peak at another clock of the SMs, and a multicast passes a port once"
for clock in single '1000 MHz'; do
    tmasim report gemm --no-why --exact --set M=2048 N=2048 K=256 "kernel.sm_clock=$clock" | sed -n '/^  "roofline"/,/]/p'
done
echo "-- errors"
echo old >old.html
tmasim report missing.yaml -o old.html
echo "exit $?"
tmasim report "$configs/scenarios/transpose.yaml" --why --no-why
echo "exit $?"
tmasim report "$configs/scenarios/transpose.yaml" --set workload.pipeline.expect_bytes=1 -o old.html
echo "exit $?"
cat old.html
