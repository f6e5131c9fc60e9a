# Each tensor map of a file with the rules that it breaks and their lines.
. ./tensormap/maps.inc
tmasim check maps.yaml
echo "exit $?"
tmasim check maps.yaml --arch sm_100 --set 'tensor_maps.broken={data_type: 16u4_align16b, global_dim: [256, 8], box_dim: [64, 8]}' | tail -n 9
