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
