# Loads of padded sub-byte types fill all of their tile in shared memory, and complete packed bytes
# on the mbarrier: 8 of 16 for 4 bits, 12 of 16 for 6. Kernels for sm_100 expect that, and sm_120 has
# such loads, too, but for multicast.
cd "$SCRATCH" || exit
cat >fp4.yaml <<'YAML'
name: fp4
gpu: b200
tensor_maps:
  b: {data_type: 16u4_align16b, global_dim: [7168, 4096], global_strides: [3584], box_dim: [128, 128], swizzle: 128b, l2_promotion: 256b}
workload:
  ctas: 8
  iterations: 8
  pipeline: {depth: 4, expect_tx: 8 KiB}
  operations: [{load: b}]
YAML
bytes() {
    tmasim run fp4.yaml --no-why --details "$@" 2>&1 | grep -E 'workload|moved|loaded|^rate|SM port|sectors of|error'
    echo "exit $?"
}
bytes
bytes --set 'workload.pipeline.expect_tx=16 KiB'
bytes --set tensor_maps.b.data_type=16u6_align16b --set tensor_maps.b.global_strides=[5376] --set 'workload.pipeline.expect_tx=12 KiB'
bytes --set gpu=h100_sxm --arch sm_120
multicast='workload.operations.0={load: b, multicast: all}'
bytes --set "$multicast" --set workload.cluster=2
bytes --set "$multicast" --set workload.cluster=2 --set gpu=h100_sxm --arch sm_120
tmasim check fp4.yaml --set "$multicast" --set workload.cluster=2 --arch sm_120
echo "exit $?"
echo '{data_type: 16u4_align16b, global_dim: [128, 128], global_strides: [64], box_dim: [128, 128], swizzle: 128b}' >map.yaml
tmasim check map.yaml --arch sm_120
tmasim encode map.yaml --arch sm_120 >dump
tmasim decode dump --arch sm_120 --load 0,127 | tail -n 18 | sed '/127 more/d' | head -n 5
