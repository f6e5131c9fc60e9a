# check looks at the operations of a scenario, too: gather4 needs sm_100.
cd "$SCRATCH" || exit
try() {
    tmasim "$@" 2>&1
    echo "exit $?"
}
cat >gather.yaml <<'YAML'
name: gather
tensor_maps:
  A: {data_type: float16, global_dim: [1024, 4096], global_strides: [2048], box_dim: [64, 1]}
  B: {data_type: float16, global_dim: [1024, 4096], global_strides: [2048], box_dim: [64, 1]}
workload:
  operations:
    - {load: B, walk: {tiles: [1]}}
    - {load: A, access: gather4, walk: {tiles: [1]}}
YAML
try check gather.yaml
try check --arch sm_100 gather.yaml
try check --json gather.yaml
