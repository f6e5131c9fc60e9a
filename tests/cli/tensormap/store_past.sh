# A store ends at a multiple of 16 bytes of a row: the bytes behind a shorter row are overwritten.
# check says so beforehand, and decode tells them from those that are not written.
cd "$SCRATCH" || exit
cat >map.yaml <<'YAML'
data_type: uint8
global_dim: [466, 32]
global_strides: [512]
box_dim: [128, 2]
YAML
tmasim check map.yaml
tmasim check map.yaml --json | sed -n '/"advice": "store_past_row"/,/}/p'
cat >scenario.yaml <<'YAML'
name: views
tensor_maps:
  out: {data_type: uint8, global_dim: [466, 32], global_strides: [512], box_dim: [128, 2]}
workload:
  ctas: 1
  iterations: 4
  pipeline: {depth: 1}
  operations: [{store: out}]
YAML
tmasim check scenario.yaml
tmasim check scenario.yaml --set 'workload.operations=[{load: out}]' | grep -c store_past
tmasim encode map.yaml >dump
for operation in '--store 384,0' '--store 256,31' '--store 480,0' '--load 384,0' '--prefetch 384,0'; do
    tmasim decode dump $operation | sed '1,/^$/d'
done
tmasim decode dump --store 384,0 --json | sed -n '/"operation"/,$p'
tmasim encode map.yaml --set data_type=float16 --set global_dim=[233,32] --set box_dim=[64,2] >halves
tmasim decode halves --reduce 192,0 --reduction max | sed '1,/^$/d'
tmasim decode dump --reduce 384,0 | tail -n 1
tmasim decode dump --reduce 384,0 --reduction maximum
echo "exit $?"
tmasim decode dump --store 384,0 --reduction max
echo "exit $?"
# The address 0 is legal, but seldom meant.
tmasim check map.yaml --set global_address=0 | grep null_address
# layout says what becomes of a byte.
tmasim layout scenario.yaml --set workload.operations.0.walk.start=[384,0] --at 90
tmasim layout scenario.yaml --set workload.operations.0.walk.start=[384,0] --at 40
