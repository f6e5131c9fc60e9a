# The JSON of a timing file lists the rows that are not skipped, in the order of the file. The error of
# a row follows from its two figures, and the summary from the errors. The test does not show the
# predictions, because they change with the timing model.
head -n 4 ../hardware/h200/timing.tsv >"$SCRATCH/timing.tsv"
sed -n '5s/depth=1/depth=0/p' ../hardware/h200/timing.tsv >>"$SCRATCH/timing.tsv"
cd "$SCRATCH" || exit
tmasim validate --format json timing.tsv | awk '
    function off(a, b) { return a - b > 0.000001 || b - a > 0.000001 }
    $1 == "\"measured\":" { measured = $2 + 0 }
    $1 == "\"predicted\":" { predicted = $2 + 0 }
    $1 == "\"mape\":" { mean = $2 + 0 }
    $1 == "\"max\":" { max = $2 + 0 }
    $1 == "\"error\":" {
        error = predicted / measured - 1
        if (error < 0)
            error = -error
        print off($2 + 0, error) ? "error is not that of the row" : "error of the row"
        sum += error
        most = error > most ? error : most
        rows++
        next
    }
    /"name"|"measured"|"records"|"skipped"|"rows"/ { print }
    END {
        print off(mean, sum / rows) ? "another mean" : "mean of the rows"
        print off(max, most) ? "another maximum" : "maximum of the rows"
    }'
# As TSV, too: every row with its error, which has a sign.
tmasim validate --format tsv timing.tsv | awk -F '\t' '
    function off(a, b) { return a - b > 0.000001 || b - a > 0.000001 }
    NR == 1 { print; next }
    { print $1, $2, $3, off($5, $4 / $3 - 1) ? "error is not that of the row" : "error of the row" }'
# The seed of the machine is 1: the median of one seed has the errors of the replay without --draws. The
# error of one row's median is at most that of the worst seed.
tmasim validate --format json --draws 1 timing.tsv | awk '
    /"(mape|p95)":/ { alone[++count] = $2 + 0 }
    /"median_(mape|p95)":/ { print $2 + 0 == alone[++draws] ? "that of one seed" : "another error" }'
head -n 2 timing.tsv >row.tsv
tmasim validate --format json --draws 3 row.tsv | awk '
    /"most_mape":/ { most = $2 + 0 }
    /"median_mape":/ { print $2 + 0 <= most ? "at most that of the worst seed" : "a larger error" }'
tmasim validate --draws 3 timing.tsv | grep -c "  cycle error of the median of all seeds: mean "
