# `tensor_maps` has to hold maps by name. Anything else is an error, whatever the verb.
try() {
    printf '%s\n' "$1" >"$SCRATCH/maps.yaml"
    (cd "$SCRATCH" && tmasim $2 maps.yaml 2>&1)
    echo "exit $?"
}
for verb in check encode "check --set tensor_maps.A.rank=1" run; do
    echo "-- $verb"
    for maps in 'tensor_maps: [1]' 'tensor_maps: 3' 'tensor_maps: {}' 'tensor_maps:'; do
        try "$maps" "$verb" | grep -v ' is missing; '
    done
done
echo "-- parts of other kinds"
try 'tensor_map: 3' check
try 'tensor_maps: {A: 1}' check
try 'tensor_maps: {A: [1]}
gpu: [1]' check
