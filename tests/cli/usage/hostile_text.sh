# Names with ESC, control characters, ends of lines, quotes, markup, changes of direction and bytes that
# are not UTF-8: no output format passes one on, and none is cut within a character.
configs=$PWD/../../configs
cd "$SCRATCH" || exit
escape=$(printf '\033') invalid=$(printf '\377')
folder="a${escape}[31m<script>\"'&|b$invalid"
mkdir "$folder"
sed "s|^name:.*|name: \"n\\\\e[31m<script>\\\\n\\\\r\\\\t'\\\\u202e\&amp;,]](x)\\\\\"\"|; s|gpu: .*|gpu: gpu.yaml|" \
    "$configs/scenarios/strided_sampling.yaml" >"$folder/s.yaml"
sed "s|^name:.*|name: \"g\\\\e[0m<img>\"|" "$configs/gpus/h200.yaml" >"$folder/gpu.yaml"

# Says which bytes an output has that a terminal or a reader could take for something else.
inspect() {
    tr -d '\n' <output | LC_ALL=C grep -q '[[:cntrl:]]' && echo "control characters"
    iconv -f UTF-8 -t UTF-16 output >/dev/null 2>&1 || echo "not UTF-8"
    LC_ALL=C grep -q "$(printf '\342\200\256')" output && echo "a change of direction"
    [ -s output ] || echo "nothing"
}
try() {
    echo "-- $*" | sed "s|$escape|ESC|g; s|$invalid|BYTE|g"
    tmasim "$@" >output 2>&1
    echo "exit $?"
    inspect
}
for format in text json; do try run "$folder/s.yaml" --format $format; done
for format in text json svg; do
    try compare "$folder/s.yaml" --format $format
    case $format in svg) grep -c '[^\\]<script' output ;; esac
done
for format in text json csv svg; do try layout "$folder/s.yaml" --format $format; done
for format in text json csv svg; do try explain "$folder/s.yaml" --format $format; done
try check "$folder/s.yaml"
try encode "$folder/s.yaml"
tmasim run "$folder/s.yaml" --trace "$folder/t" >output
sed "s|^# scenario .*|# scenario x$escape$invalid|" "$folder/t" >"$folder/u"
try diff "$folder/t" "$folder/u"
cat output
printf 'na\033me\n1\n' >"$folder/r.tsv"
try validate "$folder/r.tsv" --gpu "$folder/gpu.yaml"
cat output
# 59 bytes before a character of three: it is shown whole or not at all.
long=$(printf '%059d' 0)$(printf '\342\202\254')
try run "$folder/s.yaml" --set "$long=1"
try run "$folder/s.yaml" --set "workload.iterations=$long"
try run "$folder/s.yaml" --set "tensor_maps={$long: {}}"
try run "$folder/s.yaml" --set "tensor_maps.A={$long: 1}"
