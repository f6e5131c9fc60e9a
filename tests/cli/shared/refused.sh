# Consumers that do not fit their tile of 128 rows of 128 bytes: the message has the values and the
# rule.
try() {
    consumer=$1
    shift
    tmasim explain ../../configs/scenarios/gemm_unswizzled.yaml --set "workload.consumers=[{$consumer}]" "$@" 2>&1
    echo "exit $?"
}
try "instruction: ld.shared.b32, lanes: strided, stride: 7"
try "instruction: ldmatrix.x4, lanes: row"
try "instruction: ld.shared.b32, lanes: row, transposed: true"
try "instruction: ld.shared.b128, lanes: row" --set "tensor_maps.A.box_dim=[4, 128]"
try "instruction: ld.shared.b128, lanes: row" --set "tensor_maps.A.box_dim=[12, 128]"
try "instruction: ldmatrix.x4, lanes: fragment_a" --set "tensor_maps.A.box_dim=[64, 120]"
try "instruction: ld.shared.b128, lanes: distribution, distribution: {block_size: 96}"
try "instruction: ld.shared.b128, lanes: distribution, distribution: {block_size: 64, y_per_tile: 48}"
try "instruction: ld.shared.b128, lanes: distribution"
try "instruction: wgmma, lanes: descriptor"
try "instruction: wgmma, lanes: descriptor, descriptor: {swizzle: 128b_atom_64b}"
try "instruction: ldmatrix.x4, lanes: matrix" --consumer 1
try "instruction: ldmatrix.x4, lanes: matrix" --instruction 32
try "instruction: ldmatrix.x4, lanes: matrix" --instruction -1
try "instruction: ldmatrix.x4, lanes: matrix" -o /does/not/exist
