# Accesses to the tile of a tensor map alone.
map='{data_type: bfloat16, global_dim: [4096, 4096], box_dim: [64, 64]}'
try() {
    echo "\$ tmasim $*"
    echo "$map" | tmasim "$@" 2>&1 | head -n 12
}
try explain - --access ldmatrix.x4
try explain - --access ldmatrix.x4 --set box_dim=[72,64] | head -n 5
try explain - --access ldmatrix.x4.trans --set swizzle=128b | head -n 5
try compare - --access ldmatrix.x4 --gpu h100 -j 1
try compare - --access st.shared.b32:column
try explain - --access wgmma
try explain - --access wgmma --set swizzle=128b | head -n 5
# What does not go.
try explain - --access ldmatrix
try explain - --access ld.shared.b32:col
try explain - --access ld.shared.b128 --set swizzle=64b
try compare -
try explain gemm --access wgmma
# A tile of im2col: its first pixels.
map='{kind: im2col, data_type: float16, global_dim: [64, 32, 32, 8], lower_corner: [-1, -1], upper_corner: [-1, -1], channels_per_pixel: 64, pixels_per_column: 128, swizzle: 128b}'
try layout - | head -n 5
try explain - --access ldmatrix.x4 | head -n 5
try cute -
try descriptor - | head -n 4
