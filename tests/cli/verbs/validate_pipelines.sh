# Records of kernels with roles, by family. Their traffic was measured with cold caches: it is compared where the
# kernel's time was, too, and with --traffic for the others, which are simulated twice then.
records=../hardware/h200/pipelines.tsv
head -n 1 $records >"$SCRATCH/few.tsv"
grep -P '^(stream_11_2|stream_11_4|copy_11_3|mma_11_5)\t' $records >>"$SCRATCH/few.tsv"
cd "$SCRATCH" || exit
summary() { sed -E 's/[0-9]+\.[0-9]+ %/N %/g; /worst rows/,$d; /cycle error/d' | tr -s ' '; }
tmasim validate few.tsv | summary
tmasim validate --traffic few.tsv | summary
tmasim validate --traffic --format json few.tsv | grep -A 2 -E '"(l2_measured|dram_measured)"'
