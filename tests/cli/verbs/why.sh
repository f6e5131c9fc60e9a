# What limits a run, and what would help: found by running it again with one thing relieved at a time.
configs=../../configs/scenarios

why() {
    echo "== $*"
    scenario=$1
    shift
    tmasim run "$configs/$scenario.yaml" "$@" 2>&1 | sed -n '/^time .*:/p; /^  waves/p; /launches/p; /^limited by/,/^$/{/^$/!p;}; /^tmasim/p'
}

why narrow_rows
why conv_halo --no-why
why tile_distribution --draws 3
why tile_distribution --draws 3 --no-why
why gemm_unswizzled --set workload.ctas=2 --set workload.iterations=8
why l2_resident --set workload.ctas=3 --set workload.sms=2
# One more stage saves as much as twice as many: it is the advice.
why volume_3d --set workload.pipeline.depth=3
# A long run is asked about only when the user says so.
why stream_1d --set workload.iterations=100000
why tile_distribution --why --no-why
why tile_distribution --draws 0
# A mode is better only if the launches do not overlap.
tmasim compare $configs/strided_sampling.yaml --draws 3 --set workload.ctas=2 | sed -n '/^cycles/,/^$/p; /^recommendation/p'
tmasim compare $configs/strided_sampling.yaml --draws 1001
# Each experiment in JSON. The saving follows from the cycles, and what helps saves 2 % or more.
tmasim run $configs/tile_distribution.yaml --format json |
    sed -n '/^  "limited_by"/,$p'
