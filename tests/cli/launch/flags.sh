# A CTA that looks at a flag in global memory, until another one sets it, waits for the flag; what it loads then is a load.
tmasim run launch/data/flag.yaml --no-why | sed -n '/^warps/,/^TMA/p'
tmasim run launch/data/flag.yaml --no-why --format json | grep -o '"flags": [0-9]*' | sort -u
