# What a fence of the GPU takes behind other operations of its warp, here and on an H100.
printf '%-12s %5s %8s %8s\n' what lines cycles H100
for row in nothing:0:0 stores:1:1 stores:1:64 stores_other:2:64 reds:3:64 bulk_store:6:32 bulk_load:5:32 bulk_load:5:512 bulk_store:6:512; do
    IFS=: read -r what number lines <<END
$row
END
    tmasim run launch/data/fences.yaml --no-why --sanitize 0 --outputs "$SCRATCH/cycles" --set \
        kernel="_Z5fenceILi${number}EEvPciiiPjS1_" parameters.1.s32="$lines" >/dev/null
    printf '%-12s %5s %8s %8s\n' "$what" "$lines" "$(od -A n -t u4 -N 4 "$SCRATCH/cycles/cycles.bin" | tr -d ' ')" \
        "$(awk -v what="$what" -v lines="$lines" '$1 == what && $2 == lines && $3 == 0 && $4 == 0 { print $5 }' ../hardware/h100/fences.tsv)"
done
