# Timelines: every event has what viewers need, slices of a track follow each other, and they add up to the
# figures of the report.
configs=$PWD/../../configs/scenarios
cd "$SCRATCH" || exit

# Checks the form of each event, and that no slice of a thread begins before the one before it has ended.
check_form() {
    sed -n '/^  "traceEvents": \[$/,/^  \]$/p' timeline.json | sed '1d;$d' >events
    text='"[^"\\]*"' number='[0-9]+\.[0-9][0-9][0-9]'
    slice="^    \\{\"name\": $text, \"cat\": $text, \"ph\": \"X\", \"pid\": $text, \"tid\": $text, \"ts\": $number, \"dur\": $number, \"args\": \\{[^}]*\\}\\},?\$"
    counter="^    \\{\"name\": $text, \"cat\": $text, \"ph\": \"C\", \"pid\": $text, \"ts\": $number, \"args\": \\{$text: $number\\}\\},?\$"
    grep -vE "$slice" events | grep -vE "$counter" | head -n 3
    head -n 2 timeline.json && tail -n 2 timeline.json
    awk -F'"' '/"ph": "X"/ {
        track = $16 " " $20; start = $23; end = $25
        gsub(/[^0-9.]/, "", start); gsub(/[^0-9.]/, "", end)
        if (start + 0.0001 < ends[track]) { print "overlap: " track " at " start; bad = 1; exit }
        ends[track] = start + end
    } END { if (!bad) print "tracks: slices follow each other" }' events
}
# Sums the cycles of slices by track and cause.
sum_of() {
    awk -v wanted="$1" '{
        key = $0; sub(/.*"key": "/, "", key); sub(/".*/, "", key)
        cycles = $0; if (!sub(/.*"cycles": /, "", cycles)) next
        if (!index($0, wanted)) next
        sum[key] += cycles + 0
    } END { for (key in sum) printf "%s %d\n", key, sum[key] }' events | sort
}
# The cause and cycles of a part of the report, without those of 0.
causes_of() {
    awk -F'"' '$2 == "cause" { name = $4 } $2 == "cycles" || $2 == "slot_cycles" {
        value = $3; gsub(/[^0-9]/, "", value)
        if (name != "" && value > 0) print name, value; name = "" }' | sort
}
same() {
    if cmp -s "$1" "$2"; then echo "$3: the figures of the report"; else diff "$1" "$2"; fi
}
# The share of the time in which servers are busy.
busy_of() {
    awk -v key="\"key\": \"$1\"" -v cycles="$2" '/"busy_cycles"/ && index($0, key) {
        busy = $0; sub(/.*"busy_cycles": /, "", busy); sum += busy + 0
        servers = $0; sub(/.*"servers": /, "", servers)
        track = $0; sub(/.*"tid": "/, "", track); sub(/".*/, "", track); all[track] = servers + 0
    } END { for (track in all) count += all[track]; printf "%.3f\n", sum / (count * cycles) }' events
}

echo "-- pipelines"
tmasim run "$configs/gemm_tile.yaml" --no-why --format json --timeline timeline.json >report.json
check_form
sum_of " slot (line" >got
sed -n '/^  "time": /,/^  \]/p' report.json | causes_of >wanted
same got wanted "slots"
cycles=$(sed -n 's/.*"memory_cycles": \([0-9]*\),.*/\1/p' timeline.json)
sed -n '/^  "busy"/,/}/p' report.json | sed -n 's/.*"\(l2\|dram\)": \([0-9.]*\).*/\1 \2/p' >wanted
for kind in l2_slices dram_channels; do busy_of $kind "$cycles"; done
awk '{ printf "%s %.3f\n", $1, $2 }' wanted
grep -c '"name": "CTA"' events
grep -c '"key": "tma_unit"' events
sed -n 's/^ *"\(operations\)": \([0-9]*\).*/\1 \2/p' report.json
echo "-- kernels with roles"
tmasim run "$configs/kernels/gemm.yaml" --no-why --format json --timeline timeline.json >report.json
check_form
for role in producer consumer; do
    sum_of " $role (line" >got
    sed -n '/"roles"/,/^  \]/p' report.json | awk -v role="\"$role\"" '/"name": / && index($0, role) { on = 1 }
        on { print } on && /^    }/ { exit }' | sed '1d' | sed -n '/\[/,$p' | causes_of >wanted
    same got wanted "$role"
done
sed -n 's/.*"tid": "\(warp[^"]*\)".*/\1/p' events | sort -u
echo "-- a run without a timeline reports the same"
tmasim run "$configs/kernels/gemm.yaml" --no-why --format json | cmp - report.json && echo same
echo "-- errors"
tmasim run "$configs/copy.yaml" --timeline x --trace x
echo "exit $?"
tmasim run "$configs/copy.yaml" --timeline x -o x
echo "exit $?"
tmasim run "$configs/copy.yaml" --timeline missing/x
echo "exit $?"
ls x missing 2>/dev/null
