# SMs that load boxes of 64 rows from L2, and store or reduce boxes besides: cycles of one time
# around of the median SM, here and on an H100. depth: loads of an SM that are on their way.
printf '%-16s %4s %5s %8s %8s\n' what SMs depth cycles H100
for row in load:0 store_load:1 store_wait_load:2 load_store:4 reduce_load:3 store:5 reduce:6; do
    for sms in 1 132; do
        for depth in 1 4; do
            measured=$(awk -v what="${row%:*}" -v sms="$sms" -v depth="$depth" \
                '$1 == what && $2 == "l2" && $3 == sms && $4 == depth && $5 == 64 { print $7 }' ../hardware/h100/load_turns.tsv)
            [ -n "$measured" ] || continue
            tmasim run launch/data/load_turns.yaml --no-why --sanitize 0 --outputs "$SCRATCH/cycles" --set \
                kernel="_Z10load_turnsILi${row#*:}EEv14CUtensorMap_stS0_S0_4WorkPj" grid="$sms" \
                parameters.3.patches.0.s32="$depth" >/dev/null
            printf '%-16s %4s %5s %8.1f %8s\n' "${row%:*}" "$sms" "$depth" \
                "$(od -A n -v -w4 -t u4 -N $((4 * sms)) "$SCRATCH/cycles/out.bin" | sort -n | awk -v at=$((sms / 2 + 1)) 'NR == at { print $1 / 64 }')" "$measured"
        done
    done
done
