# Requests read scenarios of the folder that --files names, and of no other; nothing that a request says takes the
# requests behind it away, or makes serve wait; replies are JSON; no error has a word of a file that is no scenario.
mkdir "$SCRATCH/in" "$SCRATCH/out"
cp ../faults/small.yaml "$SCRATCH/out/"
sed 's,^gpu: .*,gpu: h200,' ../../configs/scenarios/narrow_rows.yaml >"$SCRATCH/in/rows.yaml"
cd "$SCRATCH" || exit
mkfifo in/fifo
printf 'secret_token_abc123: hunter2\npassword: "x y z"\n' >in/secret.txt
printf 'secret: [hunter2\n' >in/broken.txt
ln -s ../out/small.yaml in/link.yaml
cat >requests <<'REQUESTS'
{"id": 1, "op": "run", "scenario": "name: x\nextends: /dev/stdin\n"}
{"id": 2, "op": "run", "scenario": "name: x\nextends: in/fifo\n"}
{"id": 3, "op": "run", "file": "in/fifo"}
{"id": 4, "op": "run", "file": "/dev/zero"}
{"id": 5, "op": "run", "scenario": "name: x\nextends: in/secret.txt\n"}
{"id": 6, "op": "run", "scenario": "name: x\nextends: in/broken.txt\n"}
{"id": 7, "op": "run", "file": "in/secret.txt"}
{"id": 8, "op": "run", "scenario": "name: x\ngpu: in/secret.txt\ntensor_maps: {}\n"}
{"id": 9, "op": "run", "file": "in/missing.yaml"}
{"id": 10, "op": "run", "file": "out/small.yaml"}
{"id": 11, "op": "run", "file": "in/../out/small.yaml"}
{"id": 12, "op": "run", "file": "in/link.yaml"}
{"id": 13, "op": "run", "file": "in/rows.yaml", "set": ["gpu=out/small.yaml"]}
{"id": 14, "op": "run", "scenario": "name: x\nextends: in/rows.yaml\nworkload: {iterations: 2}\n"}
{"id": 15, "op": "check", "data_type": "float16", "global_dim": [64], "box_dim": [64]}
REQUESTS
for files in "" "--files in"; do
    echo "-- $files"
    # shellcheck disable=SC2086 # an option and its value, or nothing
    timeout 60 tmasim serve --stdio $files <requests
    echo "exit $?"
done
echo "-- ids"
printf '{"op": "check", "id": "\303("}\n{"id": "\303\244", "op": "check"}\n' | tmasim serve --stdio
for length in 1022 1023 66000; do
    printf '{"op": "check", "id": "%0*d"}\n' $length 1 | tmasim serve --stdio | tr -d 0
done
echo "-- the same of a command"
for scenario in in/secret.txt in/broken.txt in/fifo /dev/zero; do
    printf 'name: x\nextends: %s\n' "$scenario" >x.yaml
    timeout 60 tmasim run x.yaml
    echo "exit $?"
done 2>&1
