# A sampled run simulates a part, says how large it is and how wrong the cycles may be, and is not more wrong than
# that. Its sums add up, no share is above 100 %, and the same run gives the same bytes.
figure() { awk -v key="\"$2\":" '$1 == key { value = $2; sub(/,$/, "", value); print value; exit }' "$1"; }

# Runs a scenario whole and sampled: the rest are its settings.
sample() {
    scenario=$1
    shift
    tmasim run "$scenario" --set "$@" --no-why --format json >"$SCRATCH/whole"
    tmasim run "$scenario" --set "$@" --sample --format json >"$SCRATCH/part"
    tmasim run "$scenario" --set "$@" --sample | grep -A 1 '^sampled' | grep -E '^sampled|--sample'
    whole=$(figure "$SCRATCH/whole" cycles) part=$(figure "$SCRATCH/part" cycles)
    error=$(figure "$SCRATCH/part" error_percent) simulated=$(figure "$SCRATCH/part" simulated_percent)
    awk -v whole="$whole" -v part="$part" -v error="$error" -v simulated="$simulated" 'BEGIN {
        off = 100 * (part - whole) / whole; if (off < 0) off = -off
        print (off <= error ? "within the error" : "off by " off " %"), (simulated < 100 ? "in part" : "whole") }'
    awk -v sectors="$(figure "$SCRATCH/part" sectors)" -v hits="$(figure "$SCRATCH/part" sector_hits)" \
        -v misses="$(figure "$SCRATCH/part" sector_misses)" \
        'BEGIN { if (sectors != hits + misses) print sectors " is not " hits " + " misses }'
    # Operations, bytes and rows, of which each window has its share, within a percent.
    for name in operations moved rows; do
        awk -v a="$(figure "$SCRATCH/whole" $name)" -v b="$(figure "$SCRATCH/part" $name)" -v name=$name \
            'BEGIN { if (b < 0.99 * a || b > 1.01 * a) print name ": " b " of " a }'
    done
    sed -n '/"busy": {/,/}/p' "$SCRATCH/part" | grep -E ': ([2-9]|1\.[0-9]*[1-9])' && echo "busy for longer than the run"
}
echo "-- CTAs of a grid"
sample gemm kernel.sms=4 M=2048 N=2048 K=512
sample l2_resident workload.ctas=7920 workload.iterations=4
echo "-- iterations of loops"
sample gemm_persistent CTAS=4 M=2048 N=2048 K=512
sample gemm_ws CTAS=8 M=2048 N=4096 K=512
sample ../../configs/scenarios/kernels/dynamic_tiles.yaml TILES=6000
sample l2_resident workload.ctas=8 workload.iterations=2048
echo "-- roles spend their time as in the whole run, within 2 % of it"
for option in --no-why --sample; do
    tmasim run gemm --set kernel.sms=4 M=2048 N=2048 K=512 $option |
        awk '/^time of/ { role = $3; sub(",", "", role); within = 1 } /^$/ { within = 0 } within && /^  / { print role, $1, $2 }'
done | awk '{ key = $1 " " $2; if (!(key in share)) { share[key] = $3; next }
    off = $3 - share[key]; print key, (off < 2 && off > -2 ? "good" : "off by " off) }'
echo "-- the same again"
tmasim run gemm --set kernel.sms=4 M=2048 N=2048 K=512 --sample --format json >"$SCRATCH/part"
tmasim run gemm --set kernel.sms=4 M=2048 N=2048 K=512 --sample --format json | cmp - "$SCRATCH/part"
echo "-- whole"
sample gemm M=512 N=512
sample l2_resident workload.ctas=8 workload.iterations=64
sample gemm kernel.sms=4 M=512 N=512 K=4096 # of few waves
echo "-- an estimate that may be more than 20 % off is none: the run is simulated whole, as without --sample"
set -- l2_resident --set workload.ctas=32 workload.iterations=640
tmasim run "$@" --sample | grep '^sampled'
tmasim run "$@" --sample --format json | sed '/"sampled": {/,/},/d' >"$SCRATCH/part"
tmasim run "$@" --no-why --format json | diff - "$SCRATCH/part" && echo "the same figures"
tmasim sweep "$1" "$2" "$3" --try workload.iterations=640 --sample --format jsonl | grep -o '"sampled": {[^}]*}'
tmasim report "$@" --no-why --sample >"$SCRATCH/page"
grep -A 3 '"refused": {' "$SCRATCH/page" | tr -d '\n' && echo
tmasim report "$@" --no-why --exact >"$SCRATCH/exact"
for page in page exact; do
    sed '/"refused": {/,/},/d; /^sampled  *not trusted/d' "$SCRATCH/$page" >"$SCRATCH/$page.rest"
done
cmp "$SCRATCH/exact.rest" "$SCRATCH/page.rest" && echo "else the same page"
echo "-- a page has a bounded amount of experiments, and names what was not tried"
tmasim report softmax >"$SCRATCH/page"
grep -A 30 '"not_tried"' "$SCRATCH/page" | sed '/\]/q'
grep -o 'not tried  .*--why tries all' "$SCRATCH/page" | sed 's/\\n.*//'
echo "-- careful"
tmasim run gemm_persistent --set CTAS=4 M=2048 N=2048 K=512 --sample=careful | grep '^sampled'
echo "-- what needs the whole run"
for option in "--trace x" "--timeline x" "--stats x" --details --why "--draws 2" --sample=fast; do
    # shellcheck disable=SC2086 # an option and its value
    tmasim run copy --sample $option 2>&1
    echo "exit $?"
done
[ ! -e x ]
