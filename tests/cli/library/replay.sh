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
# A long record is sampled, and says so; --exact simulates it whole, and it is not more wrong than it says.
head -n 1 $OLDPWD/$records >long.tsv
grep -E '^gemm.*M=8192 N=8192 K=1024 BM=64 BN=64' $OLDPWD/$records |
    sed 's/M=8192 N=8192 K=1024/M=16384 N=8192 K=128/' >>long.tsv
tmasim validate --format json long.tsv >part
tmasim validate --exact --format json long.tsv >whole
grep -c '"sampled"' part whole
awk '$1 == "\"predicted\":" { cycles[NR == FNR] = $2 + 0 } $1 == "\"error_percent\":" { error = $2 } END {
    off = 100 * (cycles[0] / cycles[1] - 1)
    print (off * off <= error * error ? "within the error" : "off by " off " %") }' whole part
tmasim validate --ablate few.tsv | sed 's/[0-9.]* %/N %/g' | tr -s ' '
