# A file with one map: unknown keys are errors at every level, and paths in errors are those that
# --set takes. A tensor of rank 1 has no strides, and im2col_w128 no pixels_per_column.
cd "$SCRATCH" || exit
cat >map.yaml <<'YAML'
{data_type: float16, global_dim: [4096, 4096], box_dim: [64, 128], swizzle: 128b}
YAML
try() {
    echo "== $*"
    tmasim check "$@" 2>&1 | head -n 2
}
try map.yaml --set 'box_dim=[512]'
try map.yaml --set 'box_dmi=[512,1]'
tmasim encode map.yaml | tmasim decode --json >decoded.json
try decoded.json
try decoded.json --set 'box_dim=[512,1]'
try decoded.json --set 'tensor_map.box_dim=[512,1]'
try decoded.json --set 'tensor_map.box_dim=[512]'
try decoded.json --set 'tensor_map.box_dim[0]=512'
try decoded.json --set 'tensor_map.box_dim.0=512'
try decoded.json --set 'tensor_map.box_dim[7]=512'
try decoded.json --set 'tensor_map.box_dim[x]=512'
try decoded.json --set 'tensor_map.box_dmi=[512,1]'
try decoded.json --set 'findnigs=[]'
sed 's/^/  /; 1i name: x\ntensor_maps:\n map:' map.yaml >scenario.yaml
try scenario.yaml
try scenario.yaml --set 'worklaod={}'
try map.yaml --set 'global_dim=[512]' --set 'box_dim=[64]'
try map.yaml --set 'global_dim=[512]' --set 'box_dim=[64]' --set 'global_strides=[]'
try map.yaml --set 'global_dim=[512]' --set 'box_dim=[64]' --set 'global_strides=[1024]'
try map.yaml --set 'global_strides=[]'
cat >wide.yaml <<'YAML'
kind: im2col_w128
data_type: float16
global_dim: [64, 16, 16, 8]
lower_corner: [0]
upper_corner: [0]
channels_per_pixel: 64
swizzle: 128b
YAML
try wide.yaml --arch sm_100
try wide.yaml --arch sm_100 --set pixels_per_column=1025
try wide.yaml --arch sm_100 --set kind=im2col_w
try wide.yaml
echo "exit $(tmasim check wide.yaml >/dev/null; echo $?)"
