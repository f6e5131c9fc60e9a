# Files that cannot be scenarios.
try() {
    tmasim "$@" 2>&1
    echo "exit $?"
}
try run "does/not/exist.yaml"
try run /dev
: >"$SCRATCH/empty.yaml"
printf 'name: \000binary\n' >"$SCRATCH/binary.yaml"
awk 'BEGIN { for (i = 0; i < 40000; i++) print "# a comment that makes a file too large" }' >"$SCRATCH/large.yaml"
cd "$SCRATCH" || exit
try run empty.yaml
try run binary.yaml
try run large.yaml
try diff empty.yaml does/not/exist
try validate does/not/exist.tsv
try validate --gpu empty.yaml empty.yaml
