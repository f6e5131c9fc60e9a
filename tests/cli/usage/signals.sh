# A signal ends the command with status 128 + n, and leaves no file that is not whole.
scenario=../../configs/scenarios/narrow_rows.yaml
try() {
    mkdir "$SCRATCH/folder"
    echo old >"$SCRATCH/folder/report"
    "$@" --set workload.iterations=100000000 -o "$SCRATCH/folder/report" --trace "$SCRATCH/folder/trace"
    echo "exit $?"
    ls "$SCRATCH/folder" && cat "$SCRATCH/folder/report"
    rm -r "$SCRATCH/folder"
}
# when_running SIGNALS COMMAND...: the command gets the signals once its trace has bytes, so that it
# simulates by then however slow the machine is. The command takes the place of the shell, whose
# process the signals go to. It does not ignore an interrupt, as a job in the background would.
when_running() {
    sh -c 'signals=$1 && shift
        {
            until cat "$SCRATCH"/folder/trace.?* 2>/dev/null | head -c 1 | grep -q .; do sleep 0.1; done
            for signal in $signals; do kill -s "$signal" $$ && sleep 0.5; done
        } &
        ulimit -c 0
        exec env --default-signal=INT "$@"' sh "$@"
}
# A shell says on standard error how a command ended.
{
    for signal in TERM HUP; do
        echo "-- $signal"
        try when_running $signal tmasim run $scenario
    done
} 2>/dev/null
echo "-- INT: a report of what was done, and no trace"
try when_running INT tmasim run $scenario |
    sed 's/cycle [1-9][0-9]*:/cycle N:/; s/^limited by .*/limited by .../; /most likely/d; /^$/,$d' | grep -v '  *[0-9][0-9]*'
try when_running INT tmasim run $scenario --format json | sed -E '7,$d; s/[0-9a-f]{16}/DIGEST/g'
echo "-- INT: the same of a kernel with roles"
kernel=../../configs/scenarios/kernels/two_depths.yaml
mkdir "$SCRATCH/folder"
when_running INT tmasim run $kernel --set parameters.BLOCKS=20000000 --format json \
    -o "$SCRATCH/folder/report" --trace "$SCRATCH/folder/trace"
echo "exit $?"
sed -E '5,$d; s/[0-9a-f]{16}/DIGEST/g' "$SCRATCH/folder/report"
echo "-- INT: no page"
echo old >"$SCRATCH/page"
timeout --preserve-status -s INT 1 tmasim report --exact $scenario --set workload.iterations=100000000 -o "$SCRATCH/page" 2>/dev/null
echo "exit $?"
cat "$SCRATCH/page"
{
    echo "-- XFSZ: a trace larger than the limit of file sizes"
    try sh -c 'ulimit -c 0; ulimit -f 64; exec tmasim run "$@"' sh $scenario
    echo "-- ABRT: an assert"
    try when_running ABRT tmasim run $scenario
    echo "-- a signal that the caller ignores"
    hang_up() {
        (trap "" HUP && when_running "HUP TERM" "$@")
    }
    try hang_up tmasim run $scenario
} 2>/dev/null
