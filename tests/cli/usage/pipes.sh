# Pipes, FIFOs and standard input are read once, however often a verb reads its input, and messages call
# them by their own names.
repository=$PWD/../..
cd "$SCRATCH" || exit
scenario=$repository/configs/scenarios/narrow_rows.yaml
sed "s|^gpu:.*|gpu: $repository/configs/gpus/h200.yaml|" "$scenario" >scenario.yaml
mkfifo fifo other
fill() { cat "$1" >"${2:-fifo}" & }
ran() {
    status=$?
    echo "exit $status"
    cmp got expected
}

echo "-- a scenario that is read for each combination"
tmasim sweep scenario.yaml --try workload.iterations=1,2 -q >expected
fill scenario.yaml
tmasim sweep fifo --try workload.iterations=1,2 -q >got
ran
echo "-- traces, of which diff reads the first line before the others"
tmasim run scenario.yaml --set workload.iterations=1 --no-why --trace one >/dev/null
tmasim diff one one >expected
fill one
fill one other
tmasim diff fifo other >got
ran
echo "-- records"
cp "$repository/tests/faults/timing.tsv" fifo.tsv
tmasim validate fifo.tsv -q | sed 's/^fifo.tsv:/fifo:/' >expected
fill fifo.tsv
tmasim validate fifo -q >got
ran

echo "-- what is wrong in them"
head -n 160 one >cut
fill cut
fill one other
tmasim diff fifo other
echo "name: [" >wrong.yaml
fill wrong.yaml
tmasim run fifo
tmasim validate - <wrong.yaml
sed 's/ctas:/ctaz:/' scenario.yaml | tmasim sweep - --try workload.iterations=1 | tail -n 3

echo "-- an interrupt while nothing is written"
timeout --preserve-status -k 5 -s INT 1 tmasim validate fifo
echo "exit $?"
