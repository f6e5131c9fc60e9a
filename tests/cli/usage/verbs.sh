# The command without a verb, with an unknown verb, and with unknown and incomplete options. Each
# message says what is allowed; the exit status is 2.
try() {
    echo "\$ tmasim $*"
    tmasim "$@" 2>&1
    echo "exit $?"
}
try --version
try
try --help
try rum
try frobnicate
try run
try run a.yaml b.yaml
try run --sett x.y=3 a.yaml
try run --frobnicate
try run --set
try run --format xml a.yaml
try run --format=csv a.yaml
try run --help=yes
try diff a
try diff --abs minus a b
try diff --rel -1 a b
try help frobnicate
