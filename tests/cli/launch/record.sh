# Records of launches: one of them as a run, and their outputs against those of a GPU.
cp -r launch/data/. "$SCRATCH"
cd "$SCRATCH" || exit
try() {
    echo "\$ tmasim $*"
    tmasim "$@" 2>&1
    echo "exit $?"
}
try run copy.jsonl --launch copy
try run copy.jsonl --launch copy --gpu h100 --no-why
try run copy.jsonl --launch copy --sample --no-why
try run copy.jsonl --launch copy --sample --functional
try run copy.jsonl --launch copy --sample=careful
try run copy.jsonl
try run copy.jsonl --launch other
try validate copy.jsonl
try validate copy.jsonl --sanitize 1 --format tsv
printf '\377' | dd of=outputs/copy.b.bin bs=1 seek=1000 conv=notrunc 2>/dev/null
try validate copy.jsonl
try run copy.jsonl --launch copy
rm outputs/copy.b.bin
try validate copy.jsonl
try run copy.jsonl --launch copy
sed 's/"grid": \[4/"grid": [0/' copy.jsonl >broken.jsonl
try validate broken.jsonl
head -c 200 copy.jsonl >broken.jsonl
try validate broken.jsonl
{ head -n 1 copy.jsonl; sed 's/"kernel": "copy"/"kernel": "coppy"/; s/"label": "copy"/"label": "second"/' copy.jsonl; } >two.jsonl
try run two.jsonl --launch second
{ head -n 1 copy.jsonl; echo '{"label": 1'; } >two.jsonl
try run two.jsonl
try validate copy.jsonl --gpu nope
try validate copy.jsonl --without order
try validate copy.jsonl --without pipes
# Scratch memory that no address space has.
sed 's/"scratch_per_cta": 0/"scratch_per_cta": 18446744073709551615/; s/"kind": "tensor_map", "name": "\([a-z]*\)", "buffer": "[a-z]*"/"kind": "tensor_map", "name": "\1", "buffer": "scratch"/' "$OLDPWD/launch/data/copy.jsonl" >scratch.jsonl
try run scratch.jsonl --launch copy
try run copy.jsonl --launch copy --set grid=2
