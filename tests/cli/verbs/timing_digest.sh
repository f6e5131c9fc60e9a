# The timing is validated only with the values that were compared with hardware: not with --set, not in an
# edited copy. The seed and the name change no value of the timing.
configs=$PWD/../../configs
machine() {
    tmasim run "$configs/scenarios/conv_halo.yaml" --no-why "$@" | sed -n 's/^machine *//p'
    tmasim run "$configs/scenarios/conv_halo.yaml" --no-why "$@" --format json | grep -E '"timing_(validated|edited)"'
}
machine
machine --set gpu.topology.draw=5
machine --set gpu.l2.ways=8
tmasim compare "$configs/scenarios/conv_halo.yaml" --set gpu.dram.access='1 cycle' | sed -n 2p
sed 's/lookup: [0-9]*/lookup: 1/' "$configs/gpus/h200.yaml" >"$SCRATCH/edited.yaml"
machine --set gpu="$SCRATCH/edited.yaml"
sed '/^validated_digest/d' "$configs/gpus/h200.yaml" >"$SCRATCH/without.yaml"
machine --set gpu="$SCRATCH/without.yaml"

# validate says what belongs into the file.
for file in "$configs/gpus/h200.yaml" "$SCRATCH/edited.yaml"; do
    written=$(sed -n 's/^validated_digest: *\([0-9a-f]*\).*/\1/p' "$file")
    found=$(tmasim validate --format json --gpu "$file" ../hardware/h200/banks.tsv | sed -n 's/^  "timing_digest": "\(.*\)",/\1/p')
    [ "$written" = "$found" ] && echo "the digest is that of the values" || echo "the values have another digest"
done
