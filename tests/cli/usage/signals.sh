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
for signal in TERM HUP; do
    echo "-- $signal"
    try timeout --preserve-status -s $signal 1 tmasim run $scenario
done
echo "-- INT: a report of what was done, and no trace"
try timeout --preserve-status -s INT 1 tmasim run $scenario |
    sed 's/cycle [1-9][0-9]*:/cycle N:/; s/^limited by .*/limited by .../' | grep -v '  *[0-9][0-9]*'
try timeout --preserve-status -s INT 1 tmasim run $scenario --format json | sed '5,$d'
echo "-- INT: the same of a kernel with roles"
kernel=../../configs/scenarios/kernels/two_depths.yaml
timeout --preserve-status -s INT 1 tmasim run $kernel --set parameters.BLOCKS=20000000 --format json \
    -o "$SCRATCH/report"
echo "exit $?"
sed -E '5,$d; s/[0-9a-f]{16}/DIGEST/g' "$SCRATCH/report"
echo "-- INT: no page"
echo old >"$SCRATCH/page"
timeout --preserve-status -s INT 1 tmasim report $scenario --set workload.iterations=100000000 -o "$SCRATCH/page" 2>/dev/null
echo "exit $?"
cat "$SCRATCH/page"
# A shell says on standard error how a command ended.
{
    echo "-- XFSZ: a trace larger than the limit of file sizes"
    try sh -c 'ulimit -c 0; ulimit -f 64; exec tmasim run "$@"' sh $scenario
    echo "-- ABRT: an assert"
    try timeout --preserve-status -s ABRT 1 sh -c 'ulimit -c 0; exec tmasim run "$@"' sh $scenario
    echo "-- a signal that the caller ignores"
    hang_up() {
        sh -c 'trap "" HUP; exec tmasim run "$@"' sh "$@" &
        sleep 1 && kill -HUP $! && sleep 1 && kill -TERM $!
        wait $!
    }
    try hang_up $scenario
} 2>/dev/null
