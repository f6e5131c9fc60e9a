# Launch files that say what a GPU measured: run compares, and validate of a folder has a row for each.
mkdir -p "$SCRATCH/records/ptx"
cp ../../examples/launches/copy.ptx ../../examples/launches/scale.ptx launch/data/ptx/faults.ptx "$SCRATCH/records/ptx"
{
    cat ../../examples/launches/copy.yaml
    echo 'measured: {h200: {cycles: 9000, ns: 5000, empty_ns: 900}}'
} >"$SCRATCH/records/copy.yaml"
{
    cat ../../examples/launches/scale.yaml
    echo 'measured: {h100: {cycles: 3000, ns: 1500}}'
} >"$SCRATCH/records/scale.yaml"
sed 's,ptx/,,' launch/data/good.yaml >"$SCRATCH/records/good.yaml"
# The time alone: of a record by CUPTI, whose cycles are none of the SMs, and of matrix products, whose
# clock is that of a single launch.
{
    cat ../../examples/launches/copy.yaml
    echo 'measured: {h200: {cycles: 9900, ns: 5000, warm_ns: 4000, empty_ns: 900, clock_mhz: 1980, by: cupti}}'
} >"$SCRATCH/records/time.yaml"
sed -i 's/^name: .*/name: the time alone/' "$SCRATCH/records/time.yaml"
cp launch/nvcc/products.ptx "$SCRATCH/records/ptx"
{
    sed 's/, expect: {[^}]*}//' launch/nvcc/ws.yaml
    echo 'measured: {h200: {ns: 5200, empty_ns: 900, launch_mhz: 1800}}'
} >"$SCRATCH/records/ws.yaml"
cd "$SCRATCH" || exit
try() {
    echo "\$ tmasim $*"
    tmasim "$@" 2>&1
    echo "exit $?"
}
tmasim run records/copy.yaml --no-why | grep -E '^(time|measured) '
tmasim run records/scale.yaml --no-why | grep -E '^(time|measured) '
tmasim run records/time.yaml --no-why | grep -E '^(time|measured)  '
tmasim run records/ws.yaml --no-why | grep -E '^(time|clock|measured)  '
tmasim run records/ws.yaml --no-why --set sm_clock=1500MHz | grep -E '^(time|clock|measured)  '
tmasim run records/ws.yaml --no-why --format json | grep -E '"(measured_[a-z]*|predicted_ns|time_ns|launch_cycles)"'
tmasim run records/ws.yaml --no-why --format github
tmasim sweep records/time.yaml records/copy.yaml
try validate records
try validate records/copy.yaml
try validate records --functional
tmasim validate records --format json | grep -E '"(name|cycles|time_ns|error_percent|clock_mhz|measured_mhz|file|mape|clock_mape)"'
mkdir empty
try validate empty
try validate empty records/../../none
try validate records wrong.tsv
