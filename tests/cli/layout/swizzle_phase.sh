# Hardware swizzles addresses. A tile that does not begin where the pattern does is said so by check,
# run and layout.
cd "$SCRATCH" || exit
cat >phase.yaml <<'YAML'
name: phase
tensor_maps:
  x: {data_type: float16, global_dim: [64, 64], box_dim: [64, 8], swizzle: 128b}
workload:
  ctas: 1
  iterations: 1
  pipeline: {depth: 1, shared_base: 128 B}
  operations: [{load: x}]
YAML
tmasim check phase.yaml
tmasim check phase.yaml --json | grep swizzle_phase
tmasim check phase.yaml gemm | head -n 2
tmasim layout phase.yaml 2>&1 | head -n 5
tmasim run phase.yaml --no-why 2>&1 >report
grep -c cycles report
quiet() {
    tmasim layout phase.yaml "$@" >/dev/null 2>&1 || echo refused
    tmasim check phase.yaml "$@" | grep -c note
}
quiet --set 'workload.pipeline.shared_base=1 KiB'
quiet --set tensor_maps.x.swizzle=none
quiet --set tensor_maps.x.swizzle=64b --set tensor_maps.x.box_dim=[32,8] --set 'workload.pipeline.shared_base=512 B'
# The second stage may be the one that is not aligned.
tmasim check phase.yaml --set workload.pipeline='{depth: 2, stage_bytes: 1152 B, shared_base: 0 B}' --set workload.iterations=2
# Boxes one behind the other are one tile.
quiet --set 'workload.pipeline.shared_base=0 B' --set tensor_maps.x.box_dim=[64,4] \
    --set 'workload.operations=[{load: x}, {load: x, shared_offset: 512 B}]'
quiet --set 'workload.pipeline.shared_base=0 B' --set tensor_maps.x.box_dim=[64,4] \
    --set 'workload.operations=[{load: x}, {load: x, shared_offset: 640 B}]'
