# A trace that would exceed its limit ends there, and says so; so do run and diff. The limit leaves
# 7000 bytes for events, however long the header is.
scenario=$PWD/../../configs/scenarios/transpose.yaml
cd "$SCRATCH" || exit
tmasim run --no-why "$scenario" --trace whole >/dev/null
header=$(grep '^#' whole | sed '$d' | wc -c)
limit=$((header + 7100)) # 100 of them for the last lines
tmasim run --no-why "$scenario" --trace cut --trace-limit $limit 2>&1 >/dev/null |
    sed "s/ $limit bytes/ LIMIT bytes/"
[ "$(wc -c <cut)" -le $limit ] && echo "the trace keeps to its limit"
tail -n 2 cut
events=$(grep -c -v '^#' cut)
grep -v '^#' whole | head -n "$events" >first
grep -v '^#' cut | cmp first - && echo "the events of the cut trace are the first ones of the whole trace"
tmasim diff cut cut
echo "exit $?"
tmasim diff whole cut | head -n 4 | sed 's/:[0-9]*: /:LINE: /'
echo "-- less than a header"
tmasim run --no-why "$scenario" --trace cut --trace-limit 100 2>&1 >/dev/null | sed 's/[0-9]* bytes or more/N bytes or more/'
echo "-- no limit"
tmasim run --no-why "$scenario" --trace other --trace-limit 0 >/dev/null && cmp whole other && echo same
echo "-- a line that is not one of dropped events"
sed 's/^# dropped .*/# dropped some events/' cut >bad
tmasim diff bad cut 2>&1 | sed 's/:[0-9]*: /:LINE: /'
