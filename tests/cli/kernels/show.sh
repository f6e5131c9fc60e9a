# The scenario that validate --show prints of a record takes the same cycles as the record's replay: one
# of each family, with and without stores, clusters and products.
records=../hardware/h200/pipelines.tsv
for name in stream_11_2 copy_11_3 gemm_11_6 mma_11_13 cluster_11_18 clustermma_11_27; do
    tmasim validate --show "$name" "$records" --gpu "$PWD/../../configs/gpus/h200.yaml" >"$SCRATCH/$name.yaml"
    { head -n 1 "$records"; grep "^$name	" "$records"; } >"$SCRATCH/one.tsv"
    shown=$(tmasim run "$SCRATCH/$name.yaml" --no-why --format json | sed -n '/"cta_cycles"/,/}/s/.*"\(median\|max\)": \([0-9]*\).*/\2/p')
    replayed=$(tmasim validate --format json "$SCRATCH/one.tsv" | sed -n 's/.*"predicted": \([0-9]*\).*/\1/p' | sort -n)
    [ -n "$shown" ] && [ "$shown" = "$replayed" ] && echo "$name: the same" || echo "$name: $shown, $replayed"
done
tmasim validate --show clustermma_11_27 "$records"
# The last of four stores of a tile has a place of its own, too.
tmasim validate --show cluster_11_87 "$records" | grep store:
tmasim validate --show stream "$records" 2>&1
echo "exit $?"
