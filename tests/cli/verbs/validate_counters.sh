# All counters of the profiler: those that differ are listed. Which they are is in docs/fidelity.md.
tmasim validate ../hardware/h200/counters.tsv
