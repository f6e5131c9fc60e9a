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
END
bash "$SCRATCH/ask" "$SCRATCH/bash" "$SCRATCH/files" 2>&1
for shell in zsh fish; do
    tmasim completion $shell >"$SCRATCH/$shell"
    if command -v $shell >/dev/null; then HOME=$SCRATCH $shell -n "$SCRATCH/$shell" 2>&1; fi
done
