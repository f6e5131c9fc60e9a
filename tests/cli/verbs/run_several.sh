# Several scenarios give a table; what cannot be read or run is a row with its reason.
for file in scenarios/copy scenarios/narrow_rows scenarios/volume_3d gpus/h200; do
    cp ../../configs/$file.yaml "$SCRATCH"
done
cd "$SCRATCH" || exit
sed -i 's,^gpu: .*,gpu: h200.yaml,' ./*_*.yaml copy.yaml
few="--set workload.ctas=2"
echo "-- text"
tmasim run copy.yaml narrow_rows none.yaml copy.yaml $few
echo "exit $?"
echo "-- the rows are those of single runs"
tmasim run copy.yaml volume_3d --format jsonl | sed 's/.*"scenario": "\([^"]*\)".*"cycles": \([0-9]*\).*/\1 \2/'
for one in copy.yaml volume_3d; do tmasim run $one --no-why --format json | sed -n "s/^  \"cycles\": \([0-9]*\).*/$one \1/p"; done
echo "-- standard input, in CSV"
tmasim run copy.yaml - $few --format csv <narrow_rows.yaml
echo "exit $?"
echo "-- one scenario as a table"
tmasim run gemm_tile $few --format markdown
echo "-- jobs"
tmasim run copy.yaml narrow_rows.yaml volume_3d.yaml $few --jobs 1 --format csv >"one"
tmasim run copy.yaml narrow_rows.yaml volume_3d.yaml $few --jobs 3 --format csv -o "three"
cmp "one" "three"
echo "-- a table is compared like a sweep"
tmasim run copy.yaml narrow_rows.yaml volume_3d.yaml --set workload.ctas=4 --format csv -o "four"
tmasim diff one four | cut -c 1-100
echo "-- what a table has not"
tmasim run copy.yaml narrow_rows.yaml --trace "trace"
tmasim run copy.yaml narrow_rows.yaml --format json
tmasim run copy.yaml narrow_rows.yaml --draws 2
tmasim run copy.yaml --why --format csv
tmasim run copy.yaml narrow_rows.yaml -o narrow_rows.yaml
tmasim run copy.yaml narrow_rows.yaml -o h200.yaml
echo "exit $?"
ls
