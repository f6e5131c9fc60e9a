# The example in the help of each verb does what it says, in a folder with the files that examples name.
files=$PWD
cd "$SCRATCH" || exit
export HOME=$SCRATCH
mkdir perf
printf 'extends: narrow_rows\nname: rows\nworkload: {ctas: 2}\n' >perf/rows.yaml
tmasim golden record perf >/dev/null
tmasim run perf/rows.yaml --no-why --format json -o before.json
cp before.json after.json
cp "$files/../unit/records/store.tsv" records.tsv
echo '{data_type: float16, global_dim: [64, 64], box_dim: [64, 8], swizzle: 128b}' >map.json
tmasim encode map.json -o dump.txt
cp "$files/../../examples/launches/copy.ptx" .
cp "$files/../../examples/requests.jsonl" requests.jsonl
sed -i '/"file"/d' requests.jsonl
mkdir -p .local/share/bash-completion/completions
for verb in $(tmasim completion query -- '' | cut -f 1 | grep -v '^-'); do
    example=$(tmasim "$verb" --help | sed -n '/^example:/,/^$/s/^  tmasim/tmasim/p')
    eval "$example" >output 2>errors
    status=$?
    [ -s output ] && wrote=output || wrote=
    echo "$example: exit $status${wrote:+, writes}"
    head -n 3 errors
done
ls
