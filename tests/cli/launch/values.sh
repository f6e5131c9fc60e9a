# Contents of a buffer as values: each must be a number of its type.
try() {
    echo "\$ tmasim run $*"
    tmasim run launch/data/good.yaml --output "$SCRATCH/report" "$@" 2>&1
    echo "exit $?"
}
try --set buffers.in.contents='{values: [2147483647, -1]}'
try --set buffers.in.contents='{values: [2147483648]}'
try --set buffers.in.contents='{values: [1.5]}'
try --set buffers.in.data_type=float64 --set buffers.in.contents='{values: [1e-320]}'
