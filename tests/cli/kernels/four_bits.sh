# Products of 4-bit types take half as long on a B200 as those of 8 bits. Other GPUs have none.
cd "$SCRATCH" || exit
cat >products.yaml <<'YAML'
name: products
tensor_maps: {a: {data_type: uint8, global_dim: [128, 64], box_dim: [128, 64]}}
kernel:
  ctas: 1
  buffers: {tile: 32768}
  roles:
    multiply:
      warps: 4
      program:
        - for: {i: 1000}
          do: [{mma: {shape: [64, 256, 128], type: TYPE, in_flight: 1, a: registers, b: tile}}]
        - wait_mma: 0
YAML
for type in float8 float4; do
    sed "s/TYPE/$type/" products.yaml >$type.yaml
    for gpu in b200 h200; do
        tmasim run $type.yaml --set gpu=$gpu --no-why | grep '^time  '
    done
done
