# What each verb says of itself.
for verb in run compare diff validate help; do tmasim $verb --help; done
tmasim help diff
