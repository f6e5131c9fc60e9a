# Operations that only newer architectures have are refused by a machine that lacks them, with the
# source; --arch tries another architecture.
cat >"$SCRATCH/wide.yaml" <<'YAML'
name: wide
description: one im2col::w operation
gpu: ../gpus/h200.yaml
tensor_maps:
  A:
    kind: im2col_w
    data_type: float16
    global_dim: [64, 16, 16, 8]
    lower_corner: [0]
    upper_corner: [0]
    channels_per_pixel: 64
    pixels_per_column: 32
    swizzle: 128b
  B: {data_type: float16, global_dim: [64, 256], box_dim: [64, 1], swizzle: 128b}
workload:
  ctas: 1
  iterations: 1
  pipeline: {depth: 1}
  operations:
    - load: A
      walk: {tiles: [1, 1, 1, 1], step: [0, 0, 0, 0]}
YAML
mkdir -p "$SCRATCH/gpus" "$SCRATCH/scenarios"
cp ../../configs/gpus/*.yaml "$SCRATCH/gpus"
mv "$SCRATCH/wide.yaml" "$SCRATCH/scenarios"
cd "$SCRATCH/scenarios" || exit
try() {
    echo "== $*"
    tmasim run wide.yaml --no-why "$@" 2>&1 | sed -n '1,2p'
}
try
try --arch sm_100
try --arch sm_120
try --set 'gpu=../gpus/b200.yaml'
gather='workload.operations.0={load: B, access: gather4, walk: {tiles: [1, 1, 1, 1, 1], step: [0, 0, 0, 0, 0]}}'
try --set "$gather"
try --set "$gather" --arch sm_120
try --set "${gather%load: B*}prefetch: B${gather#*load: B}" --arch sm_120
scatter='workload.operations.0={store: B, access: gather4, walk: {tiles: [1, 1, 1, 1, 1], step: [0, 0, 0, 0, 0]}}'
try --set "$scatter"
try --set "$scatter" --arch sm_120
try --set "$scatter" --arch sm_103
