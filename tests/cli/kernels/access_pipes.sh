# What limits kernels whose warps access memory themselves: the load/store unit, L1's storage, the
# requests that it keeps, the links of a cluster, atomics; and what each percentage divides.
kernel() {
    printf 'name: %s\ngpu: h100_sxm\ntensor_maps:\n  X: {data_type: float32, global_dim: [%s], box_dim: [%s]}\n' \
        "$1" "$2" "$3"
    printf 'kernel:\n  %s\n  roles:\n    one:\n      warps: 8\n      program:\n%s\n        - wait_loads: 0\n' \
        "$4" "$5"
}
try() {
    file=$1.yaml
    kernel "$1" "$2" "$3" "$4" "$5" >"$SCRATCH/$file"
    shift 5
    echo "== $file $*"
    (cd "$SCRATCH" && tmasim run "$file" --why --details "$@") |
        sed -n '/^limited/,/^$/p; /sectors loaded/p; /^  lsu\|^  l1_misses\|^  dsmem\|^  atomics/p; /^limits/,/^operation/p' |
        grep -v '^$\|^operation\|SM port:\|GPC ports\|L2 slices: busy\|DRAM bus'
}
loop() {
    printf '        - for: {i: %s}\n          do:\n            - %s' "$1" "$2"
}
try lsu 256,256 8,32 'ctas: 8' \
    "$(loop 60 'load: {map: X, by: warps, at: [0, 0], lanes: strided, lane_bytes: 4}')"
try l1 64,1024 64,128 'ctas: 132' \
    "$(loop 16 'load: {map: X, by: warps, at: [0, i % 8*128]}'; printf '\n            - wait_loads: 0')" \
    --set gpu.l1.capacity=252KiB
try misses 64,8192 64,32 'ctas: 8' \
    "$(loop 16 'load: {map: X, by: warps, at: [0, (cta*16 + i)*32], cache: l2}')" --set gpu.l1.misses=64
try dsmem 256,64 64,8 "$(printf 'ctas: 2\n  cluster: 2\n  buffers: {c: 16384}')" \
    "$(loop 10 'dsmem: {rank: 1 - rank, read: c}')"
try atomics 256,64 8,1 'ctas: 32' \
    "$(loop 4 'atomic: {map: X, reduction: add, at: [0, 0], lanes: same, returns: value}')"
