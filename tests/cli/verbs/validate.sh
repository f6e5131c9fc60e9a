# A known and an unknown kind of records. The JSON has exactly these keys.
head -n 20 ../hardware/h200/load_tile.tsv >"$SCRATCH/load.tsv"
printf 'name\tvalue\nx\t1\n' >"$SCRATCH/other.tsv"
cd "$SCRATCH" || exit
tmasim validate load.tsv other.tsv
tmasim validate --format json load.tsv other.tsv | sed 's|\("timing_digest": "\)[0-9a-f]\{16\}"|\1DIGEST"|'
