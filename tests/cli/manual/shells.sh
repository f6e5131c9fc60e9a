# The completion in the shells themselves. bash is there wherever the tests run; zsh and fish read
# their programs without an error where they are installed.
tmasim completion bash >"$SCRATCH/bash"
mkdir "$SCRATCH/files" && touch "$SCRATCH/files/a file.yaml" "$SCRATCH/files/afile.tsv"
cat >"$SCRATCH/ask" <<'END'
. "$1"
cd "$2"
# ask WORD...: completes the last word, split as bash splits a line.
ask() {
    COMP_WORDS=(tmasim "$@")
    COMP_CWORD=$#
    _tmasim
    echo "\$ tmasim $*"
    printf '<%s>\n' "${COMPREPLY[@]}"
}
ask va
ask run --fo
ask run --format = ''
ask run --format = j
ask run --format te
ask run gemm --set tensor_maps.A.swi
ask run gemm --set = tensor_maps.A.swi
ask run gemm --set M = 4 --set N
ask run -o a
ask run --output = a
ask run gemm_w
complete -p tmasim
# Its options are those of the help of the command.
tmasim-capture() { echo '  -n, --launches N  some'; echo '      --no-time  none; not --launches'; }
capture() {
    COMP_WORDS=(tmasim-capture "$@")
    COMP_CWORD=$#
    _tmasim_capture
    echo "\$ tmasim-capture $*"
    printf '<%s>\n' "${COMPREPLY[@]}"
}
capture -o records --
capture -o records --n
capture -o records -- mkfif
capture -o records -- mkfifo -
complete -p tmasim-capture
END
bash "$SCRATCH/ask" "$SCRATCH/bash" "$SCRATCH/files" 2>&1
for shell in zsh fish; do
    tmasim completion $shell >"$SCRATCH/$shell"
    if command -v $shell >/dev/null; then HOME=$SCRATCH $shell -n "$SCRATCH/$shell" 2>&1; fi
done
