# --set changes any field: lists, elements, whole mappings, the machine. A message names the --set that
# is wrong.
scenario=../../configs/scenarios/conv_halo.yaml
try() {
    tmasim run "$scenario" --no-why -o /dev/null --trace "$SCRATCH/trace" "$@" 2>&1
    echo "exit $?"
}
said() { grep -E "^# ($1) " "$SCRATCH/trace"; }
try --set 'tensor_maps.image.box_dim=[32,10,10]' --set workload.operations.0.walk.step.1=8
said 'tensor_maps.image.box_dim|workload.operations.0.walk.step'
try --set 'workload.consumers=[{instruction: ld.shared.b64, lanes: row, repeat: 3}]' --set gpu.sm_clock='1.2 GHz'
said 'workload.consumers.0.*|gpu.sm_clock'
try --set workload.ctas=3 --set workload.pipelin.depth=2
try --set workload.operations.4.load=image
try --set workload.ctas
try --set gpu.tma.isue='3 cycles'
