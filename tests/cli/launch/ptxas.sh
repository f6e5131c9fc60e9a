# What ptxas does to a kernel, and because of which line: products that it serialises, spills.
tmasim run launch/data/serialised.yaml --no-why | grep -A1 -E '^(time|serialised|spills)'
tmasim run launch/data/serialised.yaml --no-why --set registers=24 --format json | sed -n '/"ptxas"/,/^    \]/p'
tmasim run launch/data/serialised.yaml --no-why --set kernel=overlapped | grep -E '^(serialised|findings)'
