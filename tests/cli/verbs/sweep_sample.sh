# A sampled sweep says of each row how much of it was simulated, and how wrong its cycles may be. Short rows are
# simulated whole.
tries='--set workload.ctas=8 --try workload.iterations=16,2048'
# shellcheck disable=SC2086 # options
{
    for format in text csv jsonl markdown; do
        echo "-- $format"
        tmasim sweep l2_resident $tries --sample --format $format
    done
    tmasim sweep l2_resident $tries --format csv >"$SCRATCH/whole"
    tmasim sweep l2_resident $tries --sample --format csv >"$SCRATCH/part"
}
echo "-- the short row is the same, the long one is within its error"
python3 - "$SCRATCH" <<'PYTHON'
import csv, sys
whole, part = (list(csv.DictReader(open(f"{sys.argv[1]}/{name}"))) for name in ("whole", "part"))
for a, b in zip(whole, part):
    off = 100 * abs(int(b["cycles"]) / int(a["cycles"]) - 1)
    print("the same" if off == 0 else "within its error" if off <= float(b["error_percent"]) else f"{off} % off")
PYTHON
echo "-- a journal has sampled rows or whole ones"
journal() {
    tmasim sweep l2_resident --set workload.ctas=8 --try workload.iterations=16 --resume "$SCRATCH/journal" "$@" 2>&1 |
        sed "s|$SCRATCH/||"
}
journal --sample --format csv
journal --sample --format csv
journal --format csv
journal --sample=careful --format csv
echo "-- several scenarios"
tmasim run l2_resident narrow_rows --set workload.ctas=8 --sample --format text
