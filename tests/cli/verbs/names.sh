# Scenarios and machines by name, where a scenario extends another one, standard input, empty lists,
# and the configuration with its origins.
cd "$SCRATCH" || exit
try() {
    echo "\$ tmasim $*"
    tmasim "$@" 2>&1
    echo "exit $?"
}
short() { try run "$@" --no-why --set workload.iterations=1 | grep -E '^(\$|scenario|machine|workload|exit)|error'; }
cat >shallow.yaml <<'END'
name: shallow
extends: gemm_tile
workload:
  pipeline: {depth: 2}
END
cat >deep.yaml <<'END'
name: deep
extends: shallow.yaml
workload:
  pipeline: {depth: 3}
END
short shallow.yaml
short deep.yaml
short deep.yaml --set gpu=b200
short deep.yaml --set gpu=nothing
mkdir -p mine/gpus mine/scenarios
cp deep.yaml shallow.yaml mine/scenarios
echo 'name: by_name
extends: deep
gpu: other' >mine/scenarios/by_name.yaml
cp "$OLDPWD/../../configs/gpus/h100_sxm.yaml" mine/gpus/other.yaml
TMASIM_PATH=/does/not/exist:$SCRATCH/mine
export TMASIM_PATH
short by_name
try check mine/scenarios/by_name.yaml | sed 's/l2_promotion.*//'
try run by_name --no-why -o mine/gpus/other.yaml | sed "s#$SCRATCH/##"
try run by_name --no-why -o mine/scenarios/deep.yaml | sed "s#$SCRATCH/##"
echo "# circles, and what is not there"
printf 'name: a\nextends: b.yaml\n' >a.yaml
printf 'name: b\nextends: a.yaml\n' >b.yaml
short a.yaml
printf 'name: a\nextends: [b]\n' >list.yaml
short list.yaml
printf 'name: a\nextends: missing.yaml\n' >missing_base.yaml
short missing_base.yaml
echo "# standard input"
tmasim run - --no-why --set workload.iterations=1 <deep.yaml | grep ^workload
tmasim sweep - --set workload.iterations=1 --try workload.pipeline.depth=2,3 --jobs 2 <deep.yaml | grep -c sm_port
tmasim compare - --set workload.iterations=1 <deep.yaml | grep -c ^128b
echo 'name: x' | tmasim run - 2>&1
tmasim run deep.yaml --no-why --format json -o report.json
tmasim diff report.json - <report.json | tail -n 1
echo "# lists can be empty"
tmasim run deep.yaml --no-why --set 'workload.consumers=[]' --format json | grep -A 1 '"consumers"'
tmasim run deep.yaml --no-why --set 'workload.operations=[]' 2>&1
echo "# origins"
tmasim run by_name --no-why --set workload.iterations=1 --resolved resolved -o report.json
grep -E '^ *(iterations|depth|ctas|shared_base|ways):' resolved | sed "s#$SCRATCH/##; s#/.*/configs#configs#"
try run by_name --resolved by_name --trace ./by_name
echo "# each verb has an example"
for verb in $(tmasim help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    [ "$(tmasim "$verb" --help | grep -c "^  tmasim $verb ")" = 1 ] || echo "$verb has none"
done
