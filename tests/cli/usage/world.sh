# What the world does to a run: files that vanish or cannot be read, folders that cannot be written, a
# small stack, another locale, no /proc, two writers of one output.
scenario=$PWD/../../configs/scenarios/narrow_rows.yaml
expected=$PWD/usage/world.stdout
cd "$SCRATCH" || exit
run() { tmasim run "$scenario" --set workload.iterations=8 "$@"; }
same() { cmp -s whole "$1" && echo "same report"; }
run >whole

echo "-- a small stack"
(ulimit -s 256 && run >got) && same got

echo "-- a locale with decimal commas"
(for name in de_DE.UTF-8 fr_FR.UTF-8 de_DE; do
    export LC_ALL=$name LANG=$name
    run >got || echo "exit $?"
    cmp -s whole got || echo "$name: another report"
done) && same got

echo "-- no variables, and a TMPDIR that does not exist"
command=$(command -v tmasim)
env -i "$command" run "$scenario" --set workload.iterations=8 >got && same got
TMPDIR=/does/not/exist run >got && same got

echo "-- no memory for files to be mapped"
(ulimit -v 50000 && run >got 2>said)
status=$?
[ $status -eq 2 ] && [ ! -s got ] && [ -s said ] && echo "refused"

echo "-- a file that vanishes: a link into nothing, and a machine that the scenario names"
ln -s gone.yaml link.yaml
tmasim run link.yaml 2>&1
echo "exit $?"
run --set gpu=gone.yaml 2>&1 | sed 's/^.*gone.yaml/gone.yaml/'

echo "-- outputs in a folder that is none, below a file, and in /proc"
for output in none/x whole/x /proc/self/x; do
    run -o $output 2>said
    echo "exit $?, $(sed 's/.*: //' said)"
done

echo "-- no /proc, and a folder that is read-only: where this user may mount file systems"
lib=$(dirname "$(readlink -f "$command")")/libtmasim-engine.so
if unshare -rm true 2>/dev/null; then
    mkdir mounted
    export scenario command lib
    export TMASIM_PATH="${scenario%/scenarios/*}" # without /proc the command does not know its folder
    unshare -rm sh -c 'mount -t tmpfs none /proc
        "$command" run "$scenario"; echo "exit $?"
        TMASIM_ENGINE=$lib "$command" run "$scenario"; echo "exit $?"
        mount -t tmpfs none mounted && echo old >mounted/x && mount -o remount,ro mounted
        "$command" check "$scenario" -o mounted/x; echo "exit $?"; cat mounted/x' 2>&1
    rmdir mounted
    unset TMASIM_PATH
else
    # Not tested here: what is expected stands for it.
    sed '1,/^-- no .proc/d; /^-- two/,$d' "$expected"
fi

echo "-- two writers of one output: one of the two reports, whole"
for i in 1 2 3 4 5 6 7 8; do
    run -o shared &
    first=$!
    run --set workload.iterations=9 -o shared
    wait $first || echo "exit $?"
    run --set workload.iterations=9 >other
    cmp -s shared whole || cmp -s shared other || echo "neither"
done
ls
