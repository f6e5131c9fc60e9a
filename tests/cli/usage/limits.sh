# Small files that are made to take long or to fill memory are refused at once, with what is allowed.
# Each takes less than a second.
cd "$SCRATCH" || exit
try() {
    timeout 10 tmasim "$@" >said 2>&1
    echo "exit $?, $(wc -l <said) lines"
    head -n 3 said
    tail -n +4 said | tail -n 1
}
echo "-- 100,000 lists within each other"
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "[" }' >deep.yaml
try run deep.yaml
echo "-- a long value with many aliases"
awk 'BEGIN { printf "a: &a \""; for (i = 0; i < 600000; i++) printf "x"; print "\""
             printf "b: ["; for (i = 0; i < 4000; i++) printf "*a, "; print "]" }' >aliases.yaml
try run aliases.yaml
echo "-- duplicate keys"
awk 'BEGIN { for (i = 0; i < 4000; i++) print "k" i ": 1"
             for (i = 0; i < 60000; i++) print "k" i % 4000 ": 1" }' >duplicates.yaml
try check duplicates.yaml
echo "-- many errors"
awk 'BEGIN { for (i = 0; i < 4000; i++) print "k" i ": 1" }' >errors.yaml
try run errors.yaml
echo "-- a file that never ends"
try run /dev/zero
try check /dev/zero
