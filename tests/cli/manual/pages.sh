# Each man page has the sections that users expect, passes the checks of mandoc and man where they
# are installed, and tmasim(1) has each variable of the environment that the sources read.
verbs=$(tmasim help | sed -n 's/^  \([a-z]*\) .*/\1/p')
page() {
    tmasim help --man $1 >"$SCRATCH/$2"
    for section in NAME SYNOPSIS DESCRIPTION "SEE ALSO"; do
        case $2:$section in *.5:SYNOPSIS) continue ;; esac
        grep -qx "\.SH $section" "$SCRATCH/$2" || echo "$2: no $section"
    done
    if command -v mandoc >/dev/null; then mandoc -T lint -W warning "$SCRATCH/$2"; fi
    if man --version 2>/dev/null | grep -q '^man 2'; then
        LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$SCRATCH/$2" 2>&1 >/dev/null
    fi
}
page "" tmasim.1
for verb in $verbs; do page "$verb" "tmasim-$verb.1"; done
for file in scenario kernel machine; do page $file tmasim-$file.5; done
for variable in $(grep -rhoE 'getenv\("[A-Z_]+"' ../../sim | cut -d '"' -f 2 | sort -u); do
    grep -q "^\.TP\$" "$SCRATCH/tmasim.1" && grep -q "^\\\\fB$variable" "$SCRATCH/tmasim.1" ||
        echo "tmasim(1) does not name $variable"
done
# Each key of the references is in a page.
for file in scenario kernel machine; do
    tmasim help $file | sed -n 's/^| `\([^`]*\)` .*/\1/p' | while read -r key; do
        grep -qF "\\fB$key\\fR" "$SCRATCH/tmasim-$file.5" || echo "tmasim-$file(5) does not have $key"
    done
done
tmasim help --man rules
echo "exit $?"
cat "$SCRATCH/tmasim-kernels.1"
