# One access of a consumer, lane by lane: the worst one, one of another consumer in another swizzle
# mode, and one of each family of instructions.
scenarios=../../configs/scenarios
explain() {
    consumer=$1
    shift
    echo "\$ $consumer $*"
    tmasim explain $scenarios/gemm_unswizzled.yaml --set "workload.consumers=[{$consumer}]" "$@" | head -n 16
    echo
}
tmasim explain $scenarios/transpose.yaml
tmasim explain $scenarios/gemm_unswizzled.yaml --consumer 1 --instruction 3 --set tensor_maps.B.swizzle=128b
explain "instruction: ldmatrix.x4, lanes: fragment_b, transposed: true"
explain "instruction: stmatrix.x2, lanes: fragment_a"
explain "instruction: ld.shared.b16, lanes: row"
explain "instruction: red.shared.b32, lanes: strided, stride: 32"
explain "instruction: ld.shared.b128, lanes: distribution, distribution: {raking: warp_raked, block_size: 128}"
explain "instruction: wgmma, lanes: descriptor" --set tensor_maps.A.swizzle=128b
explain "instruction: ld.shared.b128, lanes: column" --format csv
explain "instruction: ld.shared.b128, lanes: column" --format json
