# Bytes that an acquire expects: as many as its loads have, more, fewer, and other ones in each CTA.
cat >"$SCRATCH/expect.yaml" <<YAML
name: expect
gpu: $PWD/../../configs/gpus/h200.yaml
parameters: {EXPECT: 16384, OTHER: 0}
tensor_maps:
  A: {data_type: float16, global_dim: [64, 4096], box_dim: [64, 64], swizzle: 128b}
kernel:
  ctas: 2
  cluster: 2
  rings:
    a: {stages: 2, operands: [x, y]}
  roles:
    producer:
      program:
        - for: {k: 4}
          do:
            - acquire: {ring: a, expect: EXPECT + rank*OTHER}
            - load: {map: A, into: a.x, at: [0, 64*k]}
            - load: {map: A, into: a.y, at: [0, 64*k]}
    consumer:
      program:
        - for: {k: 4}
          do: [{wait: a}, {release: a}]
YAML
cd "$SCRATCH" || exit
for set in EXPECT=16384 EXPECT=16400 EXPECT=8192 EXPECT=0 OTHER=128 OTHER=-16384 EXPECT=-1; do
    echo "-- $set"
    tmasim run expect.yaml --set $set --no-why 2>&1 | grep -E '^time  |error'
done
echo "-- a pair whose loads complete on the leader's mbarrier, which expects the bytes of both, of one, of three"
sed -e '/^            - load/d' -e 's/x, y\]/x, y], release_to: all/' \
    -e "s/expect: .*}/expect: 'rank == 0 ? EXPECT : 0'}/" -e '/- acquire/a\
            - if: rank == 0\
              then: [{load: {map: A, into: a.x, at: [0, 64*k], multicast: [0]}}]\
              else: [{load: {map: A, into: a.y, at: [0, 64*k], multicast: [0]}}]' expect.yaml >pair.yaml
for set in EXPECT=16384 EXPECT=8192 EXPECT=24576; do
    tmasim run pair.yaml --set $set --no-why 2>&1 | grep -E '^time  |error'
done
