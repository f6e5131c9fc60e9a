# Records and modes are simulated in worker processes, and the output does not depend on their number.
records=../hardware/h200/timing.tsv
head -n 1 $records >"$SCRATCH/few.tsv"
grep '^sm1_l2_d[124]_' $records | head -n 6 >>"$SCRATCH/few.tsv"
# The same, with a record in the middle that takes minutes.
sed '4s/ iters=[0-9]*/ iters=1000000/' "$SCRATCH/few.tsv" >"$SCRATCH/long.tsv"
cat ../hardware/h200/load_tile.tsv >"$SCRATCH/load_tile.tsv"
scenario=$PWD/../../configs/scenarios/narrow_rows.yaml
cd "$SCRATCH" || exit
tmasim validate --draws 2 --jobs 1 few.tsv load_tile.tsv >one
for jobs in 0 2 7; do
    tmasim validate --draws 2 --jobs $jobs few.tsv load_tile.tsv | cmp one - && echo "validate --jobs $jobs: the same"
done
tmasim compare --jobs 1 "$scenario" >one
tmasim compare -j 3 "$scenario" | cmp one - && echo "compare -j 3: the same"
echo "-- a worker that exceeds its processor time: its record is an error, the others are replayed"
sh -c 'ulimit -c 0; ulimit -t 2; exec tmasim validate --jobs 2 long.tsv' >out 2>&1
echo "exit $?"
grep -v '%' out
echo "-- Ctrl-C: the records replayed by then"
timeout --preserve-status -s INT 5 tmasim validate --jobs 2 -o out long.tsv
echo "exit $?"
grep -v '%' out
timeout --preserve-status -s INT 3 tmasim validate --jobs 2 --format json -o out long.tsv
echo "exit $?"
sed -E '4,$d; s/[0-9a-f]{16}/DIGEST/' out
ls
