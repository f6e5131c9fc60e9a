# docs/rules.md is what the command says: tmasim help rules >docs/rules.md writes it anew.
tmasim help rules | diff ../../docs/rules.md - && echo the same
