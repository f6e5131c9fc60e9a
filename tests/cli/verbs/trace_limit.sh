# A trace that would exceed its limit ends there, and says so; so do run and diff.
scenario=$PWD/../../configs/scenarios/transpose.yaml
cd "$SCRATCH" || exit
tmasim run --no-why "$scenario" --trace whole >/dev/null
tmasim run --no-why "$scenario" --trace cut --trace-limit 10000 >/dev/null
echo "exit $?, $(wc -c <cut) bytes"
tail -n 2 cut
events=$(grep -c -v '^#' cut)
grep -v '^#' whole | head -n "$events" >first
grep -v '^#' cut | cmp first - && echo "the events of the cut trace are the first ones of the whole trace"
tmasim diff cut cut
echo "exit $?"
tmasim diff whole cut | head -n 4
echo "-- no limit"
tmasim run --no-why "$scenario" --trace other --trace-limit 0 >/dev/null && cmp whole other && echo same
echo "-- a line that is not one of dropped events"
sed 's/^# dropped .*/# dropped some events/' cut >bad
tmasim diff bad cut
echo "exit $?"
