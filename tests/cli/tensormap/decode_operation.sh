# decode with an operation: it faults, or where its bytes go; wrong use; the index of faults.
tmasim encode ../../configs/scenarios/narrow_rows.yaml -o "$SCRATCH/dump"
cd "$SCRATCH" || exit
try() {
    echo "\$ decode $*"
    tmasim decode dump "$@" 2>&1 | sed '1,/^  costly.*partial/d'
}
try --load 0,0
try --load 1016,4092 --shared 0x400
tmasim decode dump --load -8,0 --json | sed -n '/"operation"/,/"transaction_bytes"/p'
try --load 4,0
try --store -8,0
try --prefetch 8,8 | head -n 6
try --load 0,0 --shared 8
tmasim decode dump --load 4,0 >out
echo "exit $?"
wrong() {
    echo "\$ decode $*"
    tmasim decode "$@" 2>&1
    echo "exit $?"
}
wrong dump --load 0 2>&1
wrong dump --load 0,x
wrong dump --load 0,0 --store 0,0
wrong dump --shared 0
wrong dump dump --load 0,0
tmasim help faults | grep '^## '
tmasim help faults | grep -c column_alignment
