# What check says of the over-fetch of each map, from the loops of a scenario, and what a run
# measures for all maps together.
configs=../../configs/scenarios

both() {
    echo "$(basename "$1" .yaml):$(tmasim check "$@" | sed -n 's/.*\(over_fetch\|partial_fill\).*an over-fetch of \([0-9.]* %\).*/ \1 \2,/p' |
        tr -d '\n') run $(tmasim run "$@" --no-why --details | sed -n 's/.*(\([0-9.]* %\)) never used.*/\1/p')"
}

for scenario in "$configs"/*.yaml "$configs"/kernels/*.yaml; do
    both "$scenario"
done
# A reads one line of each row, then four.
both gemm_tile --set workload.operations.0.walk.tiles=[1,32]
both gemm_tile --set workload.operations.0.walk.tiles=[4,32]
# Columns of one dimension depend on the row: the rest of a fill is not used.
both gemm_tile --set workload.operations.0.walk.step=[128,128] workload.operations.0.walk.tiles=[16,32]
