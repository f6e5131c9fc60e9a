# Text that means one thing to one reader and something else to another is refused, with its place.
cd "$SCRATCH" || exit
try() {
    printf "$1" >text.yaml
    tmasim check text.yaml 2>&1 | grep -v 'is missing'
}
echo "-- NUL in a value, a key, a path and a setting"
try 'tensor_map: "mi\\0ni"\n'
try '"tensor_map\\0": {}\n'
try 'gpu: "h200.yaml\\0/etc/passwd"\ntensor_maps: {}\n'
try 'tensor_map: {}\n'
tmasim check text.yaml --set 'tensor_map="\0"' 2>&1 | grep NUL
echo "-- bytes that are no text"
try 'name: a\nb\303\251: \200\n'
try 'name: a\nb: \001\n'
echo "-- numbers with a leading zero"
for value in 010 -010 00 0x10 0 0.5; do
    try "tensor_map: {data_type: uint8, global_dim: [64], box_dim: [$value]}\n" | grep -o 'box_dim\.0.*'
done
echo "-- aliases and anchors"
try 'a: &x 1\na: &y 2\nb: [*x, *y]\n&k tensor_map: *k\n'
try 'a: *none\n'
try 'a: &x 1\nb: &x 2\n'
