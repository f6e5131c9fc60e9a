# Bit 85 of a map is the mode of out-of-bounds bases. From sm_100 on drivers set it for tensors of 128
# KiB and more; one set it wrongly for smaller ones.
cd "$SCRATCH" || exit
echo '{data_type: float16, global_dim: [64, 128], global_strides: [256], box_dim: [64, 64], swizzle: 128b}' >small.yaml
tmasim encode small.yaml >sm_90
tmasim encode small.yaml --arch sm_100 2>&1 >sm_100
cmp sm_90 sm_100 && echo "clear for a small tensor"
sed 's/10630000/10632000/' sm_90 >wrong
tmasim decode wrong | grep -v '^[a-z0-9_]*  '
tmasim decode wrong --json | sed -n '/"findings"/,/]/p'
tmasim decode wrong sm_90 | tail -n 1
tmasim encode small.yaml --set global_dim=[1024,64] --set global_strides=[2048] --arch sm_100 2>&1 >large
tmasim decode large --arch sm_100 | grep -v '^[a-z0-9_]*  '
tmasim encode small.yaml --set global_dim=[1024,64] --set global_strides=[2048] --arch sm_90 | cmp - large
tmasim replace large global_address=0x7f0000000100 2>&1 | grep -c 'bit 85'
