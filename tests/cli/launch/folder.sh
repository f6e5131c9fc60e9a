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
cd "$SCRATCH" || exit
try() {
    echo "\$ tmasim $*"
    tmasim "$@" 2>&1
    echo "exit $?"
}
tmasim run records/copy.yaml --no-why | grep -E '^(time|measured) '
tmasim run records/scale.yaml --no-why | grep -E '^(time|measured) '
try validate records
try validate records/copy.yaml
try validate records --functional
tmasim validate records --format json | grep -E '"(name|cycles|error_percent|file|mape)"'
mkdir empty
try validate empty
try validate empty records/../../none
try validate records wrong.tsv
