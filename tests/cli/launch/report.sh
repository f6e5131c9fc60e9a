# The page of a launch: lines of the PTX with their counts, findings, and the source beside it.
tmasim report launch/data/good.yaml --set kernel=race -o "$SCRATCH/page.html"
echo "exit $?"
grep -c '<tr id="L' "$SCRATCH/page.html"
grep -E '<h2>|class="found"|<tr><td>' "$SCRATCH/page.html"
tmasim report launch/data/good.yaml | grep -E '<title>|None; '
mkdir "$SCRATCH/sources"
cp launch/data/good.yaml "$SCRATCH"
cp -r launch/data/ptx "$SCRATCH"
cd "$SCRATCH" || exit
sed -i 's|^\.visible \.entry good|.file 1 "/nowhere/good.cu"\n&|;0,/ld.param/s/ld.param/.loc 1 2 1\n&/' ptx/faults.ptx
printf 'first <line>\nsecond & last\n' >sources/good.cu
tmasim report good.yaml | grep -A6 'good.cu</h2>'
