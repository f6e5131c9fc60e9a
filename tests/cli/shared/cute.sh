# Layouts in CuTe's notation, both ways.
ask() {
    echo "\$ tmasim $*" | sed 's,\.\./\.\./configs/scenarios/,,'
    tmasim "$@" 2>&1 || echo "exit $?"
}
ask cute ../../configs/scenarios/gemm_tile.yaml
ask cute ../../configs/scenarios/wgmma_operands.yaml
for layout in 'Swizzle<3,4,3> o smem_ptr[16b] o (8,64):(64,1)' '((8,2),64):((64,512),1)' \
    'Sw<3,4,3> o smem_ptr[16b] o (64,128):(128,1)' '(8,8):(1,9)' '(8,8:(1,9)' 'Sw<3,4,3> o (8,64):(64,1)'; do
    ask cute "$layout"
done
# CUTLASS's atoms, and where one element lies.
ask cute Layout_K_SW128_Atom | head -n 2
ask cute 'GMMA::Layout_MN_SW64_Atom<cutlass::float_e4m3_t>' | head -n 2
ask cute 'Layout_K_INTER_Atom<tfloat32_t>' | head -n 2
ask cute Layout_K_SW128_Atom --element 3,5
ask cute '(8,(4,16)):(64,(1,4))' --element '(3,5)'
ask cute '(8,64):(64,1)' --element 8,0
ask cute '(8,64):(64,1)' --element 1
ask cute gemm_tile --element 1,1
ask cute
ask cute gemm_tile '(8,8):(8,1)'
