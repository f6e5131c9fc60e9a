# The differences of two descriptors, field by field.
. ./tensormap/maps.inc
tmasim encode maps.yaml --map good >a.hex
tmasim encode maps.yaml --map good --set tensor_maps.good.box_dim='[64, 64]' --set tensor_maps.good.oob_fill=nan >b.hex
tmasim decode a.hex b.hex
echo "exit $?"
tmasim decode --json a.hex b.hex | tail -n 17
echo "--- the same, in another form"
tmasim encode maps.yaml --map good --format c >a.c
tmasim decode a.hex a.c | tail -n 2
echo "exit $?"
echo "--- maps of two kinds"
tmasim encode maps.yaml --map image | tmasim decode a.hex - | head -n 14
