# Fields of a descriptor are replaced as cuTensorMapReplaceAddress and tensormap.replace do it, and
# what these refuse is refused.
cd "$SCRATCH" || exit
echo '{data_type: float16, global_dim: [4096, 4096], box_dim: [64, 128], swizzle: 128b}' >map.yaml
tmasim encode map.yaml >map.hex
echo '{kind: im2col, data_type: float16, global_dim: [64, 16, 16, 8], lower_corner: [0, 0], upper_corner: [0, 0], channels_per_pixel: 64, pixels_per_column: 32}' |
    tmasim encode >im2col.hex
try() {
    echo "== $*"
    tmasim replace "$@" >out.hex 2>err
    echo "exit $?"
    cat err
    if [ -s out.hex ]; then tmasim decode map.hex out.hex | grep '^\*'; fi
}
try map.hex address=0x7f0000001000
try map.hex address=0x7f0000001008
try map.hex global_address=4096 global_dim.0=8192 global_stride.0=16384
try map.hex box_dim.1=64 element_stride.1=2
try map.hex elemtype=bf16 fill_mode=nan
try map.hex elemtype=10 interleave_layout=16b
try map.hex swizzle_mode=64b
try map.hex rank=2
try map.hex rank=5
try map.hex rank.1=2
try map.hex box_dim.5=1
try map.hex box_dim=300
try map.hex global_stride.0=8
try map.hex elemtype=b4x16
try map.hex elemtype=b4x16 --arch sm_100
try map.hex swizzle_mode=96b --arch sm_100
try map.hex swizzle_mode=96b --arch sm_103
try map.hex swizzle_atomicity=32b
try map.hex swizzle_atomicity=16b --arch sm_100
try map.hex swizzle_atomicity=32b --arch sm_100
try map.hex swizle_mode=64b
try map.hex swizzle_mode=65b
try map.hex elemtype=CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ
try map.hex elemtype=CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B --arch sm_100
try map.hex elemtype=CU_TENSOR_MAP_DATA_TYPE_BFLOAT61
try map.hex swizzle_mode=CU_TENSOR_MAP_SWIZZLE_64B --names cuda
try map.hex swizzle_mode=CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B --arch sm_100
try map.hex fill_mode=CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
try map.hex interleave_layout=CU_TENSOR_MAP_INTERLEAVE_32B
try map.hex nonsense
try map.hex
try im2col.hex box_dim.0=8
try map.hex address=0x7f0000001000 --at 0x1040
try map.hex address=0x7f0000001000 --at 0x1020
try map.hex address=0x7f0000001000 --at here
tmasim decode map.hex --at 0x1020 2>&1
tmasim replace map.hex box_dim.1=64 --format c
tmasim replace map.hex address=4096 | tmasim replace - address=0x7f0000000000 | diff - map.hex && echo same
