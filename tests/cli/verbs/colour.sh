# Terminals get colours, unless NO_COLOR is set or the terminal is dumb; files and pipes never do.
cd "$SCRATCH" || exit
escape=$(printf '\033')
# Runs a command on a terminal of its own, and shows escape sequences as <...>.
on_terminal() {
    script --quiet --return --command "$*" /dev/null </dev/null | tr -d '\r\004\b' |
        sed "s/^\^D//; s/$escape\[\([0-9;]*\)m/<\1>/g"
}
unset NO_COLOR
export TERM=xterm
echo "-- check on a terminal"
on_terminal tmasim check narrow_rows
on_terminal tmasim check narrow_rows none
on_terminal tmasim check narrow_rows --set 'tensor_maps.slice.box_dim=[300,1]' | head -n 2 | cut -c 1-80
echo "-- errors of files on a terminal"
on_terminal tmasim run narrow_rows --set workload.ctas=0
echo "-- each verb, on a terminal: coloured; NO_COLOR empty: coloured; NO_COLOR: not; dumb: not; in a pipe: not"
for verb in $(tmasim completion query -- '' | cut -f 1 | grep -v '^-'); do
    printf '%s:' "$verb"
    for setting in A=a NO_COLOR= NO_COLOR=1 TERM=dumb; do
        case $(on_terminal env "$setting" tmasim "$verb" --nonsense) in
        *'<'*'>error:<'*) printf ' coloured' ;;
        *'error:'*) printf ' plain' ;;
        *) printf ' ?' ;;
        esac
    done
    case $(tmasim "$verb" --nonsense 2>&1) in
    *"$escape"*) echo " coloured" ;;
    *'error:'*) echo " plain" ;;
    esac
done
echo "-- what verbs write on a terminal with NO_COLOR has no escape sequence"
export NO_COLOR=1
for line in "check narrow_rows" "run narrow_rows --no-why" "encode narrow_rows" "layout narrow_rows" \
    "explain narrow_rows" "kernels" "help faults" "help scenario"; do
    on_terminal "tmasim $line" | grep -c '<[0-9;]*>\|'"$escape"
done
