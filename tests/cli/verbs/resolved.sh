# The resolved configuration of a run is a scenario that runs alike: same report, same trace.
configs=$PWD/../../configs/scenarios
cd "$SCRATCH" || exit
again() {
    tmasim run "$@" --no-why --trace first.trace --resolved resolved.yaml -o first.txt &&
        tmasim run resolved.yaml --no-why --trace second.trace -o second.txt &&
        cmp first.txt second.txt && cmp first.trace second.trace && echo "$1: the same" | sed 's#.*/##'
}
again $configs/transpose.yaml --set workload.ctas=4 gpu.l2.capacity='40 MiB'
again $configs/conv_halo.yaml --set workload.iterations=4
again $configs/reduce_add.yaml --set workload.iterations=4
again $configs/kernels/attention.yaml
again $configs/kernels/dynamic_tiles.yaml
echo "# names that YAML would take for something else"
printf 'name: "- a: b # \\u202e"\nextends: %s\n' "$configs/transpose.yaml" >named.yaml
again named.yaml --set workload.ctas=4
grep '^name' resolved.yaml
echo "# a machine within a scenario"
machine() {
    printf 'name: x\nextends: %s\ngpu: %s\n' "$configs/transpose.yaml" "$1" >inline.yaml
    tmasim run inline.yaml --no-why 2>&1 | grep -E "^machine|error" | head -n 3 | sed "s#$SCRATCH/##"
}
machine '{extends: h200}'
machine '{extends: h200, l2: {capacity: 40 MiB}, sm_clock: 1500 MHz}'
machine '{extends: h200, l2: {capacity: 40, wys: 3}}'
machine '{l2: {ways: 16}}'
machine '{extends: nowhere}'
machine '[h200]'
machine '{}'
machine '""'
tmasim check inline.yaml 2>&1 | sed "s#$SCRATCH/##"
machine '[h200]'
tmasim check inline.yaml 2>&1 | sed "s#$SCRATCH/##"
