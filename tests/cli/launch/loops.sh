# Small loops: cycles of one time around, here and on an H100. n: how often it stands in the loop.
printf '%-20s %2s %5s %8s %8s\n' what n warps cycles H100
number=-1
tail -n +2 ../hardware/h100/loops.tsv | while read -r what n warps measured; do
    [ "$n" = 1 ] && [ "$warps" = 1 ] && number=$((number + 1))
    [ "$n" = 2 ] && continue
    tmasim run launch/data/loops.yaml --no-why --sanitize 0 --outputs "$SCRATCH/cycles" --set \
        kernel="_Z4loopILi${number}ELi${n}EEviPj" block=$((32 * warps)) >/dev/null
    printf '%-20s %2s %5s %8.1f %8s\n' "$what" "$n" "$warps" \
        "$(od -A n -t u4 -N 4 "$SCRATCH/cycles/out.bin" | awk '{ print $1 / 256 }')" "$measured"
done
