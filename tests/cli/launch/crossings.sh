# All SMs load and write lines whose home is next to them, or the other partition of L2: cycles that
# 4 MiB more take, mean of the SMs, here and on an H100.
cycles() { # write, state, loads, writes, MiB
    case $1 in st) kind=1 ;; red) kind=2 ;; atom) kind=3 ;; esac
    fresh=1
    [ "$2" = dram ] && fresh=0
    tmasim run launch/data/crossings.yaml --no-why --sanitize 0 --outputs "$SCRATCH/cycles" --set \
        kernel="_Z4moveILi${kind}EEvPcmm4workjjPjS2_S2_" parameters.3.patches.0.u8="$3" parameters.3.patches.1.u8="$4" \
        parameters.3.patches.2.u8="$3" parameters.3.patches.3.u8="$4" parameters.3.patches.4.u32=$(($5 * 128)) \
        parameters.4.u32="$fresh" >/dev/null
    od -A n -v -w4 -t u4 -N 528 "$SCRATCH/cycles/cycles.bin" | awk '{ sum += $1 } END { print sum / NR }'
}
number() { case $1 in near) echo 0 ;; far) echo 1 ;; any) echo 2 ;; none) echo 3 ;; esac; }
printf '%-6s %-6s %-6s %-6s %8s %8s\n' write lines loads writes cycles H100
while read -r write state loads writes; do
    few=$(cycles "$write" "$state" "$(number "$loads")" "$(number "$writes")" 4)
    many=$(cycles "$write" "$state" "$(number "$loads")" "$(number "$writes")" 8)
    measured=$(awk -v OFS=' ' -v a="$write $state $loads $writes $loads $writes" '$8 == 32 && $1 " " $2 " " $3 " " $4 " " $5 " " $6 == a {
        if ($7 == 4) few = $9; if ($7 == 8) print $9 - few }' ../hardware/h100/crossings.tsv)
    printf '%-6s %-6s %-6s %-6s %8.0f %8s\n' "$write" "$state" "$loads" "$writes" \
        "$(awk -v few="$few" -v many="$many" 'BEGIN { print many - few }')" "$measured"
done <<END
st fresh none near
st fresh none far
st fresh near none
st fresh far none
st fresh far near
st fresh far far
st dram near none
st dram far none
st dram far far
END
