# The README's reference of scenario files is what the command says of them.
tmasim help scenario | sed '1d' >"$SCRATCH/said"
sed -n '/^<!-- tmasim help scenario -->$/,/^<!-- end -->$/p' ../../README.md | sed '1d;$d' >"$SCRATCH/written"
diff "$SCRATCH/written" "$SCRATCH/said" && echo same
