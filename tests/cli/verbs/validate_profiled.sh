# scripts/capture/counters makes records of a profiler's output: here two launches of one kernel, whose
# requests differ. `validate` finds the ranges beside the records.
counters=$PWD/../../scripts/capture/counters
cd "$SCRATCH" || exit
{
    printf 'name\tscenario\n'
    printf 'rows\tmode=0 op=0 rank=2 dtype=6 dim=64,64 stride=128 box=64,64 estride=1,1 swizzle=3 grid=1 depth=1 '
    printf 'iters=1 nt=1,1 step=0,0 tx=8192 stage=8192\n'
} >scenarios.tsv
requests=lts__t_requests_srcunit_tex.sum
columns=$(sed -n 's/^    "\(.*\)",$/\1/p;/^)/q' "$counters" | sed 's/", "/ /g')
# profiled REQUESTS...: what ncu prints, with these requests of each launch
profiled() {
    echo '==PROF== Connected to process 1'
    printf '"ID"' && for column in $columns; do printf ',"%s"' "$column"; done && echo
    printf '""' && for column in $columns; do printf ',"unit"'; done && echo
    for count in "$@"; do
        printf '"0"'
        for column in $columns; do
            case $column in
            "$requests") printf ',"%s"' "$count" ;;
            *write_sectors*) printf ',"0"' ;;
            *bank_writes*) printf ',"2,048"' ;;
            *) printf ',"256"' ;;
            esac
        done
        echo
    done
}
profiled 60 1,070 >profile.csv
"$counters" scenarios.tsv --folder . --launches 2 --profile profile.csv
tr '\t' '\n' <counters_ranges.tsv | grep -c "^$requests"
cut -f2 counters_ranges.tsv
tmasim validate counters.tsv
echo "one launch is missing:"
"$counters" scenarios.tsv --folder . --launches 3 --profile profile.csv
echo "exit $?"
profiled 600 >profile.csv
"$counters" scenarios.tsv --folder . --launches 1 --profile profile.csv
tmasim validate counters.tsv
