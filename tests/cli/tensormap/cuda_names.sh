# CUDA's constants are read wherever names are, and written by --names=cuda.
cd "$SCRATCH" || exit
cat >map.yaml <<'YAML'
data_type: CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
global_dim: [4096, 4096]
box_dim: [64, 128]
interleave: CU_TENSOR_MAP_INTERLEAVE_NONE
swizzle: CU_TENSOR_MAP_SWIZZLE_128B
l2_promotion: CU_TENSOR_MAP_L2_PROMOTION_L2_128B
oob_fill: CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
YAML
tmasim check map.yaml
tmasim encode map.yaml >map.hex
tmasim decode map.hex --names=cuda
tmasim decode map.hex --names=cuda --json >map.json
grep CU_ map.json
tmasim check map.json
tmasim encode map.json | diff - map.hex && echo same
tmasim check map.yaml --set swizzle=CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B --names cuda | sed -n 2p
tmasim check map.yaml --set swizzle=CU_TENSOR_MAP_SWIZLE_128B 2>&1
tmasim check map.yaml --set data_type=CU_TENSOR_MAP_DATA_TYPE_FLOAT17 2>&1
tmasim check map.yaml --arch sm_100 --set 'kind=CU_TENSOR_MAP_IM2COL_WIDE_MODE_W' 2>&1 | head -n 1
tmasim decode map.hex --names=ptx 2>&1
