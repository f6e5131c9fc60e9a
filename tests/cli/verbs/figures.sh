# Loads, stores, reductions and prefetches count apart. In every report the bytes add up, the shares of the
# time add up to 100 %, nothing is negative, and no resource is used for more than all of its time.
scenario=$SCRATCH/all_kinds.yaml
cat >"$scenario" <<END
name: all_kinds
gpu: $PWD/../../configs/gpus/h200.yaml
tensor_maps:
  A: {data_type: float16, global_dim: [64, 60], box_dim: [64, 8], swizzle: 128b}
  S: {data_type: float32, global_dim: [64, 64], box_dim: [16, 8]}
workload:
  ctas: 2
  iterations: 4
  pipeline: {depth: 2}
  operations:
    - {load: A, walk: {order: grid_strided, start: [0, 56], tiles: [1, 1], step: [0, 0]}}
    - {store: S}
    - {reduce: S, reduction: add}
    - {prefetch: A}
END
tmasim run --no-why --details "$scenario" | sed -n "/^bytes moved/,/^limits/p"
tmasim run --no-why --format json "$scenario" | sed -n '/^  "bytes"/,/^  }/p'
only() {
    sed "/^  operations:/,\$d" "$scenario" >"$SCRATCH/only.yaml"
    printf '  operations:\n    - {%s}\n' "$1" >>"$SCRATCH/only.yaml"
    echo "$SCRATCH/only.yaml"
}
check() {
    tmasim run --no-why --format json "$@" | awk -v name="$(basename "$1")" '
        function value() { line = $2; sub(/,/, "", line); return line + 0 }
        function fail(text) { print name ": " text }
        / -[0-9]/ { fail("negative: " $0) }
        $1 ~ /"(moved|loaded|from_tensor|out_of_bounds_fill|stored|reduced)":/ {
            gsub(/[":]/, "", $1)
            bytes[$1] = value()
        }
        $1 == "\"percent\":" { percent += value() }
        ($1 == "\"used\":" || $1 ~ /_fraction":/ || busy) && value() > 1.000001 { fail("more than all: " $0) }
        $1 == "\"busy\":" { busy = 1 }
        busy && $1 ~ /}/ { busy = 0 }
        END {
            if (bytes["moved"] != bytes["loaded"] + bytes["stored"] + bytes["reduced"])
                fail("the moved bytes do not add up")
            if (bytes["loaded"] != bytes["from_tensor"] + bytes["out_of_bounds_fill"])
                fail("the loaded bytes do not add up")
            if (percent < 99.95 || percent > 100.05)
                fail("the shares of the time are " percent " %")
        }'
}
for kind in 'store: S' 'reduce: S, reduction: add' 'prefetch: A'; do
    check "$(only "$kind")" --set workload.iterations=64
done
check "$scenario"
check "$scenario" --set workload.ctas=264 --set workload.iterations=64
for shipped in ../../configs/scenarios/*.yaml; do
    check "$shipped"
done
check ../../configs/scenarios/dram_stream.yaml --set 'workload.operations=[{prefetch: matrix}]'
check ../../configs/scenarios/store_stream.yaml --set workload.iterations=32
check ../../configs/scenarios/reduce_add.yaml --set workload.operations.0.walk.order=grid_strided
