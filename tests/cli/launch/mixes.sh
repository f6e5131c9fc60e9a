# All SMs load contiguous pieces, and store or reduce them, from an empty L2: microseconds, here and
# on an H100. MiB: of what is loaded, or stored; L2 writes lines back from 24 MiB on.
printf '%-6s %-16s %4s %6s %8s %8s\n' loads stores MiB slots us H100
while read -r loads stores mib slots; do
    case $stores in
    none) number=0 ;;
    store_in_place) number=1 ;;
    store) number=2 ;;
    reduce_in_place) number=3 ;;
    reduce) number=4 ;;
    esac
    load_mib=$mib store_mib=$mib
    [ "$loads" = none ] && load_mib=0
    [ "$stores" = none ] && store_mib=0
    measured=$(awk -v loads="$loads" -v stores="$stores" -v mib="$mib" -v slots="$slots" \
        '$1 == "each" && $2 == loads && $3 == stores && ($4 == mib || $5 == mib) && $6 == 8 && $7 == slots { print $8 }' ../hardware/h100/mixes.tsv)
    tmasim run launch/data/mixes.yaml --no-why --sanitize 0 --outputs "$SCRATCH/mixes" --set \
        kernel="_Z4eachILi${number}EEvPhS0_4WorkP5Times" block=$((32 * slots)) \
        parameters.2.patches.1.s32=$((load_mib * 128)) parameters.2.patches.2.s32=$((store_mib * 128)) >/dev/null
    od -A n -v -w24 -t u8 -N $((24 * 132 * slots)) "$SCRATCH/mixes/out.bin" |
        awk -v loads="$loads" -v stores="$stores" -v mib="$mib" -v slots="$slots" -v measured="$measured" '
            NR == 1 || $1 < begin { begin = $1 }
            $2 > end { end = $2 }
            END { printf "%-6s %-16s %4d %6d %8.1f %8.1f\n", loads, stores, mib, slots,
                         (end - begin) / 1980, measured / 1000 }'
done <<EOF
load none 24 4
none store 24 4
none reduce 24 4
load store_in_place 24 1
load store_in_place 24 4
load store 24 4
load reduce_in_place 24 4
load reduce 24 4
none reduce 64 4
load store 64 4
load reduce 64 4
EOF
