# Bulk copies between two CTAs of a cluster, in turns: cycles of one, here and on an H100.
printf 'polls\tbytes\tcycles\tH100\n'
tail -n +2 ../hardware/h100/peer_copies.tsv | while read -r polls bytes measured; do
    [ "$bytes" -gt 0 ] || continue
    tmasim run launch/data/peer_copies.yaml --no-why --sanitize 0 --outputs "$SCRATCH/cycles" --set \
        parameters.0.u32="$bytes" parameters.1.s32=$([ "$polls" = try_wait ] && echo 0 || echo 1) >/dev/null
    printf '%s\t%s\t%.1f\t%s\n' "$polls" "$bytes" \
        "$(od -A n -t u4 "$SCRATCH/cycles/out.bin" | awk '{ print $1 / 10 }')" "$measured"
done >"$SCRATCH/rows"
cat "$SCRATCH/rows"
awk '{ off = ($3 - $4) / $4; off = off < 0 ? -off : off; sum += off; most = off > most ? off : most }
    END { printf "mean error %.1f %%, at most %.1f %%\n", 100 * sum / NR, 100 * most }' "$SCRATCH/rows"
