# Every call fails and leaves no file.
scenario=../../configs/scenarios/gemm_tile.yaml
try() {
    tmasim layout "$scenario" -o "$SCRATCH/layout" "$@" 2>&1
    echo "exit $?, $(ls "$SCRATCH" | wc -l) files"
}
try --at 0x
try --at -1
try --at 4294967296
try --element 8
try --element 8,1,0
try --element 8,x
try --operation 9
try --at 0 --element 0,0
try --format svg
try --set 'workload.operations.0.walk.start=[1, 0]'
