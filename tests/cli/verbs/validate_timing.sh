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
