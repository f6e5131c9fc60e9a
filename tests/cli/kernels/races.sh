# A race ends a run with status 3, or is counted and named behind its report.
tmasim run kernels/race.yaml
echo "exit $?"
echo "-- allowed"
tmasim run kernels/race.yaml --allow-races --no-why | grep '^time  '
tmasim run kernels/race.yaml kernels/race.yaml --allow-races --format csv | cut -d, -f1-4
echo "-- each CTA releases to both"
tmasim run kernels/race.yaml --set kernel.rings.ab.release_to=all --no-why | grep '^time  '
echo "-- none of them to the second one"
tmasim run kernels/race.yaml --set 'kernel.rings.ab.release_to=[0]'
echo "exit $?"
