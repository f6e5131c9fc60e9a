# A record of counters agrees if the model's figure lies in the range of several launches, which
# NAME_ranges.tsv beside it holds; without that file, if it is that of the record. --draws replays with
# several seeds.
records=$PWD/../hardware/h200
cd "$SCRATCH" || exit
# The requests of this record are 9442 to 10242, fewer in the model; widened by 1 %, and by what a launch adds.
keep() { sed -n "1p;/^im2col_l2_sm1_c64_p32	/p;/^sm1_l2_estride2	/p" "$1"; }
keep "$records/counters.tsv" >alone.tsv
cp alone.tsv both.tsv
keep "$records/counters_ranges.tsv" >both_ranges.tsv
tmasim validate alone.tsv both.tsv --draws 3
tmasim validate both.tsv --draws 3 --format json | grep -E 'agree|by_ranges|count'
echo "name	broken" >both_ranges.tsv
echo "one cell" >>both_ranges.tsv
tmasim validate both.tsv
echo "exit $?"
