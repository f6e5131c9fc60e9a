# Lanes of a warp issue copies without a map one after the other, each in a turn of ptxas's loop over
# lanes: cycles of the warp.
for lanes in 1 2 16 32; do
    tmasim run launch/data/lanes.yaml --no-why --outputs "$SCRATCH/cycles" --set parameters.1.u32=$lanes >/dev/null &&
        printf '%s\t%s\n' $lanes "$(od -An -tu4 "$SCRATCH/cycles/out.bin" | tr -d ' ')"
done
