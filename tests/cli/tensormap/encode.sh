# The bytes of tensor maps in each format. Illegal maps and ambiguous calls give no bytes.
. ./tensormap/maps.inc
try() {
    tmasim encode "$@" 2>&1
    echo "exit $?"
}
try maps.yaml --map good
try maps.yaml --map image --format c
tmasim encode maps.yaml --map narrow --format binary | od -A d -t x4 | head -n 5
try maps.yaml --map broken
try maps.yaml --map god
try maps.yaml --format binary -o never
ls
try maps.yaml --map good --set tensor_maps.good.data_type=16u4_align8b --arch sm_100
