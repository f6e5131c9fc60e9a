# tmasim check of a launch file: everything but the run.
try() {
    echo "\$ tmasim check $*"
    tmasim check "$@" 2>&1
    echo "exit $?"
}
try launch/data/good.yaml
try launch/data/good.yaml --set kernel=deadlock
try launch/data/good.yaml --set 'cluster=[3, 1, 1]'
try launch/data/good.yaml --set dynamic_shared=1MiB
try launch/data/good.yaml --set kernel=god
try launch/data/good.yaml --set parameters.0='{pointer: im}'
try launch/data/good.yaml --set parameters.0='{map: {data_type: int32, global_dim: [8, 8], box_dim: [3, 8]}, buffer: in}'
try launch/data/missing.yaml
try launch/data/good.yaml --set buffers.in.contents='{values: [2147483647, -1]}'
try launch/data/good.yaml --set gpu=h2000
sed 's|ptx: |ptx: launch/data/|' launch/data/good.yaml | try /dev/stdin
mkdir "$SCRATCH/own"
cp ../../configs/gpus/h200.yaml "$SCRATCH/own/mine.yaml"
{ sed 's|ptx: ptx/|ptx: |' launch/data/good.yaml; echo 'gpu: mine.yaml'; } >"$SCRATCH/own/launch.yaml"
cp launch/data/ptx/faults.ptx "$SCRATCH/own"
cd "$SCRATCH" || exit
try own/launch.yaml
