# A scenario has room for 32 tensor maps, whether it has a kernel or a workload.
scenario() { # scenario MAPS FILE
    {
        echo 'name: many_maps'
        echo "gpu: $OLDPWD/../../configs/gpus/h200.yaml"
        echo 'tensor_maps:'
        for i in $(seq "$1"); do
            echo "  m$i: {data_type: uint8, global_dim: [64, 64], box_dim: [64, 8]}"
        done
        echo 'kernel:'
        echo '  ctas: 1'
        echo '  rings: {a: {stages: 2, operands: {t: 512}}}'
        echo '  roles:'
        echo '    producer:'
        echo '      program:'
        for i in $(seq "$1"); do
            echo "        - acquire: a"
            echo "        - load: {map: m$i, into: a, at: [0, 0]}"
        done
        echo '    consumer:'
        echo '      program:'
        for i in $(seq "$1"); do
            echo "        - wait: a"
            echo "        - release: a"
        done
    } >"$2"
}
cd "$SCRATCH" || exit 2
scenario 32 most.yaml
scenario 33 more.yaml
tmasim run most.yaml --no-why --details | grep '^TMA'
tmasim run more.yaml
