# Swizzle modes of a kernel with roles: those of the tiles that its access statements read. Two CTAs read 12 tiles of
# 128 rows of 128 bytes each: 12 * 2 * 128 wavefronts without conflicts, and eight times as many without a swizzle.
# Its product, which reads no tile without a swizzle, gives way to a number of cycles.
kernel=$SCRATCH/two_readers.yaml
sed 's/mma: .*/cycles: 256/' ../../configs/scenarios/kernels/two_readers.yaml >"$kernel"
tmasim compare $kernel --draws 1 --pad --jobs 1 >"$SCRATCH/one"
tmasim compare $kernel --draws 1 --pad -j 5 | cmp - "$SCRATCH/one"
cat "$SCRATCH/one"
echo "-- the cycles of a mode are those of a run"
tmasim run $kernel --set tensor_maps.A.swizzle=none --no-why | grep '^time  '
echo "-- a sweep has their excess wavefronts, too"
tmasim sweep $kernel --try tensor_maps.A.swizzle=none,128b | sed -n '/^ *[r0-9]/p'
echo "-- other maps keep their modes: 96 bytes a row fit no span of 64"
cat >"$SCRATCH/two_maps.yaml" <<YAML
name: two_maps
gpu: $PWD/../../configs/gpus/h200.yaml
tensor_maps:
  A: {data_type: float16, global_dim: [32, 256], box_dim: [32, 64]}
  B: {data_type: float16, global_dim: [48, 256], box_dim: [48, 64], swizzle: 128b}
kernel:
  ctas: 1
  rings:
    ab: {stages: 2, operands: {a: 4096, b: 8192}}
  barriers: [all_warps]
  roles:
    program:
      warps: 4
      program:
        - for: {i: 4}
          do:
            - acquire: ab
            - load: {map: A, into: ab.a, at: [0, 64*i]}
            - load: {map: B, into: ab.b, at: [0, 64*i]}
            - wait: ab
            - access: {tile: ab.a, instruction: ldmatrix.x4, lanes: matrix}
            - sync: all_warps
            - release: ab
YAML
tmasim compare "$SCRATCH/two_maps.yaml" | sed -n '/^swizzle/,/^$/p'
echo "-- nothing to compare"
tmasim compare gemm 2>&1
echo "exit $?"
sed -e 's/ctas: 1/ctas: 2/' -e 's/- load: \({map: A.*}\)/- {if: cta > 0, then: [{load: \1}]}/' \
    "$SCRATCH/two_maps.yaml" >"$SCRATCH/second.yaml"
tmasim compare "$SCRATCH/second.yaml" 2>&1
echo "exit $?"
awk '/access:/ { for (i = 0; i < 17; i++) print; next } { print }' "$SCRATCH/two_maps.yaml" >"$SCRATCH/many.yaml"
tmasim compare "$SCRATCH/many.yaml" 2>&1
echo "exit $?"
