# gather4 and scatter4: check judges the four rows that they take, and refuses a box of more than one
# row; decode says where the rows go.
cd "$SCRATCH" || exit
cat >gather.yaml <<'YAML'
name: gather
gpu: b200
tensor_maps:
  tokens: {data_type: float16, global_dim: [4096, 8192], box_dim: [64, 1], swizzle: 128b}
workload:
  ctas: 8
  iterations: 16
  pipeline: {depth: 4}
  operations: [{load: tokens, access: gather4, walk: {tiles: [1, 2048]}}]
YAML
try() {
    tmasim "$@"
    echo "exit $?"
}
try check gather.yaml
try check gather.yaml --set tensor_maps.tokens.box_dim=[64,4]
try check gather.yaml --set tensor_maps.tokens.box_dim=[16,1] --set tensor_maps.tokens.swizzle=fit
try check gather.yaml --set tensor_maps.tokens.box_dim=[64,4] --set workload.operations.0.access=tile
try check gather.yaml --set 'tensor_maps.tokens={data_type: float16, global_dim: [4096, 8192, 2], box_dim: [64, 1, 1]}'
tmasim encode gather.yaml >dump 2>&-
decode() {
    echo "\$ decode $*"
    tmasim decode dump --arch sm_100 "$@" 2>&1 | sed '1,/^$/d'
}
decode --gather4 0,5,17,9000,1
decode --gather4 0,5,17,9000,1 --json | sed -n '/"operation"/,/"transaction/p'
decode --scatter4 4032,5,17,9000,1 --shared 0x400
decode --prefetch 0,5,17,9000,1
tmasim decode dump --gather4 0,5,17,9000,1 | tail -n 1
tmasim decode dump --gather4 0,5
echo "exit $?"
# Rows of 96 bytes have the narrowest swizzle that holds them.
echo '{data_type: float16, global_dim: [96, 512], box_dim: [48, 64], swizzle: fit}' >rows.yaml
try check rows.yaml
for inner in 8 16 24 32 40 64; do
    tmasim encode rows.yaml --set "box_dim=[$inner,64]" | tmasim decode | grep -E '^(box_dim|swizzle)'
done
# A walk has no default, and the message shows one.
cat >walk.yaml <<'YAML'
name: walk
gpu: b200
tensor_maps:
  A: {data_type: float16, global_dim: [1024, 65536], box_dim: [64, 1]}
workload:
  ctas: 1
  iterations: 4
  pipeline: {depth: 4}
  operations: [{load: A, access: gather4}]
YAML
tmasim run walk.yaml 2>&1
sed -i 's/gather4}/gather4, walk: {start: [0, 3, 17, 5, 9], tiles: [4, 1, 1, 1, 1], step: [64, 0, 0, 0, 0]}}/' walk.yaml
tmasim run walk.yaml --no-why | grep '^workload'
