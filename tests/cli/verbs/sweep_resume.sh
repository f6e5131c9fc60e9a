# A journal has the rows that are done, whatever ended the sweep, and they are not simulated again. The
# output is that of a sweep without a journal.
scenario=$PWD/../../configs/scenarios/narrow_rows.yaml
cp "$scenario" "$SCRATCH/rows.yaml"
machine=$PWD/../../configs/gpus/h200.yaml
cd "$SCRATCH" || exit
sed -i "s|^gpu: .*|gpu: $machine|" rows.yaml
try() {
    tmasim sweep rows.yaml --try workload.iterations=1:6 --try workload.pipeline.depth=1,99 --format jsonl "$@"
}
try >whole
echo "-- a new journal"
try --resume journal | cmp - whole
sed 's/"digest": "[0-9a-f]*"/"digest": "..."/; s/"tmasim": .*/.../' journal | cut -c 1-90
echo "-- half of it, with a line that is not whole"
head -n 6 journal >half
printf '{"row": 7, "se' >>half
sed -i '2s/"cycles": [0-9]*/"cycles": 42/; 4s/.*/{"row": 99}/' half # both are done again
try --resume half >out
echo "exit $?"
cmp whole out
grep -c 'se$' half
wc -l <half
echo "-- the same again: only rows that failed are simulated"
try --resume journal | cmp - whole
wc -l <journal
echo "-- what is no file"
mkfifo fifo
for other in /dev/zero fifo .; do
    timeout 20 tmasim sweep rows.yaml --try workload.iterations=1 --resume $other
    echo "exit $?"
done
echo "-- another sweep"
try --resume journal --set workload.ctas=2
echo "exit $?"
sed -i 's/warm/cold/' rows.yaml
try --resume journal
echo "exit $?"
echo "-- more rows: those of the journal fit where their number and settings do"
sed -i 's/cold/warm/' rows.yaml
tmasim sweep rows.yaml --try workload.iterations=1:7 --try workload.pipeline.depth=1,99 --format jsonl --resume journal >more
head -n 12 more | cmp - whole
echo "-- Ctrl-C"
rm -f journal
tmasim sweep rows.yaml --set workload.pipeline.depth=2 --try workload.iterations=1,4,2 --format csv >few
timeout --preserve-status -s INT 5 tmasim sweep rows.yaml --set workload.pipeline.depth=2 \
    --try workload.iterations=1,4,100000000,2 --jobs 2 --resume journal -o out
echo "exit $?"
sed 's/  */ /g' out | cut -d ' ' -f 1-3
timeout --preserve-status -s TERM 2 tmasim sweep rows.yaml --set workload.pipeline.depth=2 \
    --try workload.iterations=1,4,100000000,2 --jobs 2 --resume journal -o other
echo "exit $?"
ls
