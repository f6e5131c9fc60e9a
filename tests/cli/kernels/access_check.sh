# What check says of accesses of warps, with the line of the statement: sectors that their bytes do
# not fill, and atomics of one address. The others are as they should be.
cat >"$SCRATCH/accesses.yaml" <<'END'
name: accesses
gpu: h100_sxm
tensor_maps:
  X: {data_type: float32, global_dim: [256, 256], box_dim: [64, 32]}
  S: {data_type: float32, global_dim: [256, 256], box_dim: [32, 1]}
kernel:
  ctas: 8
  rings: {t: {stages: 1}}
  tables: {ids: {count: 32, below: 256}}
  roles:
    one:
      warps: 8
      program:
        - load: {map: X, by: warps, at: [0, 0], lanes: strided, lane_bytes: 4}
        - load: {map: X, by: warps, at: [0, 0], lane_bytes: 4}
        - store: {map: X, by: warps, at: [0, 0], lanes: strided}
        - acquire: t
        - cp_async: {map: X, into: t, at: [0, 0], table: ids}
        - atomic: {map: S, reduction: add, at: [0, 0], lanes: same}
        - atomic: {map: S, reduction: add, at: [0, 0]}
        - wait: t
        - wait_loads: 0
END
cd "$SCRATCH" || exit
tmasim check accesses.yaml
tmasim check accesses.yaml --json | sed -n '/"accesses": \[/,$p'
