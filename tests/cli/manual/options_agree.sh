# The help, the man page and the completion of each verb list the same options; the overview, tmasim(1)
# and the completion list the same verbs. Prints what differs.
tmasim help | sed -n 's/^  \([a-z]*\) .*/\1/p' | sort >"$SCRATCH/verbs"
tmasim help --man | sed -n 's/^\.BR tmasim\\-\([a-z]*\) (1)$/\1/p' | sort | diff "$SCRATCH/verbs" -
tmasim completion query -- '' | sed -n 's/^\([a-z]*\)	.*/\1/p' | sort | diff "$SCRATCH/verbs" -
# One line for each option: its long name.
while read -r verb; do
    tmasim help "$verb" | sed -n '/^options:/,$s/^  \(-., \)\{0,1\}\(--[a-z][a-z0-9-]*\).*/\2/p' |
        sort >"$SCRATCH/help"
    tmasim help --man "$verb" | sed -n '/^\.SH OPTIONS/,/^\.SH EXIT/p' |
        grep -A 1 '^\.TP$' | sed 's/\\fB\|\\fR//g; s/\\-/-/g' | sed -n 's/^\(-., \)\{0,1\}\(--[a-z][a-z0-9-]*\).*/\2/p' |
        sort >"$SCRATCH/man"
    tmasim completion query -- "$verb" -- 2>&1 | sed 's/	.*//' | sort >"$SCRATCH/completion"
    diff --label "$verb: help" --label "man page" -u "$SCRATCH/help" "$SCRATCH/man"
    diff --label "$verb: help" --label "completion" -u "$SCRATCH/help" "$SCRATCH/completion"
    # The options are those that the verb takes: none is unknown.
    while read -r option; do
        tmasim "$verb" "$option" </dev/null 2>&1 | grep 'unknown option'
    done <"$SCRATCH/help"
    [ -s "$SCRATCH/help" ] || echo "$verb: no options"
done <"$SCRATCH/verbs"
[ "$(wc -l <"$SCRATCH/verbs")" -gt 10 ] && echo "compared every verb"
