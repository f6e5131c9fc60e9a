# What stays in L2 by hints of loads: a tile of 8 MiB that is loaded before and behind a stream of 64
# MiB, which DRAM brings again or not; and hints that are wrong.
kernel() {
    printf '%s\n' 'name: hints' 'gpu: h100_sxm' 'tensor_maps:' \
        '  X: {data_type: float32, global_dim: [1024, 2048], box_dim: [64, 64]}' \
        '  S: {data_type: float32, global_dim: [1024, 16384], box_dim: [64, 64]}' \
        'kernel:' '  ctas: 128' '  rings: {t: {stages: 4}}' '  roles:' '    one:' '      program:' \
        '        - for: {i: 4}' \
        '          do: [{acquire: t}, {load: {map: X, into: t, at: [(cta/32*4 + i)*64, cta%32*64]'"$1"'}}, {wait: t}, {release: t}]' \
        '        - for: {i: 32}' \
        '          do: [{acquire: t}, {load: {map: S, into: t, at: [i%16*64, (cta*2 + i/16)*64]'"$2"'}}, {wait: t}, {release: t}]' \
        '        - for: {i: 4}' \
        '          do: [{acquire: t}, {load: {map: X, into: t, at: [(cta/32*4 + i)*64, cta%32*64]'"$1"'}}, {wait: t}, {release: t}]'
}
cd "$SCRATCH" || exit
try() {
    kernel "$1" "$2" >hints.yaml
    echo "first:${1:-, none}  stream:${2:-, none}"
    tmasim run hints.yaml --no-why --set kernel.initial_cache=cold --details 2>&1 | grep '^DRAM\|error'
}
try '' ''
try ', l2: evict_last' ''
try ', l2: evict_last, l2_percent: 50' ''
try '' ', l2: evict_first'
try ', l2: evict_last, l2_percent: 25, l2_others: evict_first' ''
tmasim run hints.yaml --no-why --resolved resolved.yaml >/dev/null; cat resolved.yaml | grep -m 1 -o 'at.*l2: evict[^}]*' | sed 's/^ *//'
try ', l2: evict' ''
try ', l2_percent: 50' ''
try ', l2: evict_last, l2_percent: 0' ''
try ', l2: evict_last, l2_others: evict_last' ''
