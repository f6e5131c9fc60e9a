# Records of kernels are replayed with kernels of the library, and summed up by family; a family without a file, and
# parameters that are not legal, are skipped.
records=../hardware/h200/kernels.tsv
head -n 1 $records >"$SCRATCH/few.tsv"
grep -E '^read.*M=65536.*BN=128 S=3 ctas=132' $records >>"$SCRATCH/few.tsv"
grep -E '^read.*M=65536.*BN=128 S=3 ctas=132' $records | sed 's/BM=128/BM=512/' >>"$SCRATCH/few.tsv"
grep -E '^read.*M=65536.*BN=128 S=3 ctas=132' $records | sed 's/^read/nothing/' >>"$SCRATCH/few.tsv"
cd "$SCRATCH" || exit
tmasim validate few.tsv
tmasim validate --format json few.tsv | grep -A 2 '"family"'
tmasim validate --ablate few.tsv | sed 's/[0-9.]* %/N %/g' | tr -s ' '
