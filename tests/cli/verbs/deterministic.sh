# Twenty runs write the same trace and the same report, in any locale, and the same verdict.
scenario=../../configs/scenarios/volume_3d.yaml
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    LC_ALL=de_DE.UTF-8 tmasim run "$scenario" --no-why --format json --trace "$SCRATCH/trace" | cat - "$SCRATCH/trace" | cksum
done | sort -u | wc -l
for i in 1 2; do LC_ALL=de_DE.UTF-8 tmasim run "$scenario" --format json | cksum; done | sort -u | wc -l
