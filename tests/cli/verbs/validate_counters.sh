# The records of the profiler counters, with those that differ. docs/fidelity.md explains them.
tmasim validate ../hardware/h200/counters.tsv
