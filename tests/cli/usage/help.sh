# The help text of every verb.
for verb in run compare layout explain pattern fragment descriptor cute diff validate check encode decode help; do tmasim $verb --help; done
tmasim help diff
