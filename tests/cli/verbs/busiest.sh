# The busiest resource of a kernel may be one that computes: run, sweep, a table of runs, serve and
# tune say the same.
cat >"$SCRATCH/k.yaml" <<'KERNEL'
name: busiest
gpu: h200
parameters: {N: 8}
tensor_maps:
  A: {data_type: float16, global_dim: [64, 128], box_dim: [64, 128], swizzle: 128b}
kernel:
  ctas: 1
  rings:
    r: {stages: 1, operands: {a: 16 KiB}}
  roles:
    producer:
      program:
        - acquire: r
        - load: {map: A, into: r.a, at: [0, 0]}
    consumer:
      warps: 4
      program:
        - wait: r
        - for: {k: N}
          do: [{mma: {shape: [64, 128, 64], a: registers, b: r.a}}, {alu: 40000}, {sfu: 100}]
        - release: r
KERNEL
cd "$SCRATCH" || exit
tmasim run k.yaml | sed -n '/^busy/,/^$/p'
tmasim sweep k.yaml --try N=8 --format csv | cut -d, -f 10-12
tmasim run k.yaml k.yaml --format csv | cut -d, -f 1,10-12
echo '{"op": "run", "file": "k.yaml"}' | tmasim serve --stdio --files . | grep -o '"busy.*"busiest": "[a-z]*"'
tmasim tune k.yaml --try N=8 --format csv 2>&1 | cut -d, -f 1-12
