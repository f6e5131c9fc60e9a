# A file with one tensor map alone is a load of its first tile for those who look at tiles.
cd "$SCRATCH" || exit
echo '{data_type: float16, global_dim: [1024, 1024], box_dim: [128, 64], swizzle: 128b}' >map.yaml
ask() {
    echo "\$ tmasim $*"
    tmasim "$@" 2>&1 || echo "exit $?"
}
ask layout map.yaml
ask run map.yaml
ask layout map.yaml --set 'box_dim=[64,64]' --element 5,9
ask descriptor map.yaml --set 'box_dim=[64,64]' | head -n 3
ask cute map.yaml --set 'box_dim=[32,64]' swizzle=64b
tmasim layout - --set 'box_dim=[64,64]' --at 0x49a <map.yaml
echo '{data_type: 16u4_align8b, global_dim: [1024, 64], box_dim: [128, 2]}' >narrow.yaml
ask layout narrow.yaml
ask layout narrow.yaml --arch sm_100
