# The report of a launch as JSON: figures by line of the PTX, findings and failures.
tmasim run launch/data/good.yaml --format json
for kernel in race deadlock outside; do
    tmasim run launch/data/good.yaml --format json --set kernel=$kernel | sed '/"lines": \[/,$d'
done
