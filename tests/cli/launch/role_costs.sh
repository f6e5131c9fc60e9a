# What costs of the core make of the programs with which they were measured, and what an H200
# (role_costs.tsv) and an H100 (pipe_rates.tsv; h100/role_costs.tsv) took, in cycles.
run() {
    launch=launch/data/$1.yaml
    shift
    tmasim run "$launch" --no-why --sanitize 0 --outputs "$SCRATCH/cycles" --set "$@" >/dev/null
}
cycles() {
    what=$1 hardware=$2
    shift 2
    run role_costs "$@" &&
        printf '%-28s %8s %8s\n' "$what" "$(od -An -tf4 "$SCRATCH/cycles/out.bin" | tr -d ' ' | cut -c1-5)" "$hardware"
}
map_of() { # boxes of so many rows
    echo "{map: {data_type: float16, global_dim: [64, 128], box_dim: [64, $1], swizzle: 128b}, buffer: a}"
}
products() {
    cycles "$1" "$2" kernel=_Z8productsILi128EEvii14CUtensorMap_stPfS1_ block="$3" dynamic_shared=122880 \
        "parameters=[{s32: $4}, {s32: 0}, $(map_of 128), {pointer: out}, {pointer: sink}]"
}
alone() { # one thread: rows of a box that it loads and waits for, or 0: it arrives
    cycles "$1" "$2" gpu=h100 kernel=_Z13load_and_waitILi$(($3 > 0))EEv14CUtensorMap_stiPf block=1 dynamic_shared=20000 \
        "parameters=[$(map_of $(($3 > 0 ? $3 : 1))), {s32: $((128 * $3))}, {pointer: out}]"
}
seen() { # a warp sees what another one has done; rows as above
    cycles "$1" "$2" gpu=h100 kernel=_Z4seenILi$(($3 > 0))EEv14CUtensorMap_stiPf block=64 dynamic_shared=20000 \
        "parameters=[$(map_of $(($3 > 0 ? $3 : 1))), {s32: $((128 * $3))}, {pointer: out}]"
}
turns() { # what 16 times around a loop of so many TMA instructions take more than 8, for each
    what=$1 hardware=$2 form=$3 count=$4
    for times in 8 16; do
        run role_costs gpu=h100 kernel=_Z5turnsILi${form}ELi${count}EEv14CUtensorMap_stiPf block=32 dynamic_shared=20000 \
            "parameters=[$(map_of 1), {s32: $times}, {pointer: out}]" && od -An -tf4 "$SCRATCH/cycles/out.bin"
    done | awk -v what="$what" -v hardware="$hardware" '{took[NR] = $1} END {printf "%-28s %8.1f %8s\n", what, (took[2] - took[1]) / 8, hardware}'
}
meet() { # CTAs of a cluster at its barrier
    cycles "$1" "$2" gpu=h100 kernel=_Z13cluster_turnsiPf block=128 grid="$3" cluster="$3" "parameters=[{s32: $4}, {pointer: out}]"
}
softmax() { # of the last of the groups beside products
    run pipe_rates block=$((128 * (1 + $2))) &&
        printf '%-28s %8s %8s\n' "$1" "$(od -An -td8 -w16 -j $((16 * $2)) -N16 "$SCRATCH/cycles/out.bin" | awk '{printf "%.0f", $2 / $1}')" "$3"
}
cycles hand_over 82.0 block=64
cycles hand_over_cluster 216.6 kernel=_Z9hand_overILi1EEvPf block=32 grid=2 cluster=2
cycles 'barrier_hand_over, 2 warps' 51.2 kernel=_Z18hand_over_barriersPf block=64
alone arrive_and_wait 99.7 0
for rows in 1:394.1 8:416.8 64:479.2 128:548.2; do # the mean of two runs, in which the box had other places
    alone "load_and_wait, ${rows%:*} rows" ${rows#*:} ${rows%:*}
done
seen arrive_seen 89.0 0
for rows in 1:300.3 8:344.4 64:408.3 128:472.5; do
    seen "load_seen, ${rows%:*} rows" ${rows#*:} ${rows%:*}
done
turns 'turns_lane, 1 load' 73.0 0 1
turns 'turns_lane, 2 loads' 117.0 0 2
turns 'turns_lane, 4 loads' 205.0 0 4
turns 'turns_elected, 2 loads' 43.0 1 2
turns 'turns_elected_each, 2 loads' 49.0 2 2
turns 'turns_stored, 2 stores' 43.0 3 2
meet 'cluster_turns, 1 CTA' 816.4 1 0
meet 'cluster_turns, 2 CTAs' 835.2 2 0
meet 'cluster_turns, 8 CTAs' 890.4 8 0
meet 'cluster_turns_late_100' 1371.6 2 100
products mma128_leave0_groups1 384.3 128 0
products mma128_leave1_groups1 258.4 128 1
products mma128_leave0_groups2 515.5 256 0
products mma128_leave1_groups2 514.6 256 1
softmax 'softmax, n128, 1 group' 1 1162.6
softmax 'softmax, n128, 2 groups' 2 1815.7
