# The machine or --arch chooses the rules; rules also reject sizes beyond every limit.
scenario=../../configs/scenarios/gemm_tile.yaml
tmasim check $scenario --set tensor_maps.A.swizzle=128b_atom_32b | head -n 2
tmasim check $scenario --set tensor_maps.A.swizzle=128b_atom_32b --set gpu.architecture=sm_100 | head -n 1
tmasim check $scenario --set tensor_maps.A.swizzle=128b_atom_32b --arch sm_100 | head -n 1
tmasim check $scenario --set tensor_maps.A.global_dim='[0, 4294967297]' \
    --set tensor_maps.A.global_strides='[1099511627776]' | grep 'must be'
tmasim check $scenario --set gpu=missing.yaml 2>&1
echo "exit $?"
