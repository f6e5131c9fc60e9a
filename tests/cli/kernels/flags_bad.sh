# What can be wrong with flags: one that is never high enough, a number that there is none of, one that nobody
# adds to, and names.
try() {
    echo "$1"
    sed "$1" kernels/flags.yaml >"$SCRATCH/flags_bad.yaml"
    (cd "$SCRATCH" && tmasim run flags_bad.yaml --no-why 2>&1 | sed "s|$SCRATCH/||")
}
try 's/until: 2\*CTAS/until: 2*CTAS + 1/'
try 's/index: cta}/index: cta + 1}/'
try '/add_flag: {flag: all/d'
try 's/wait_flag: {flag: all/wait_flag: {flag: alle/'
try 's/all: 1/all: 0/'
