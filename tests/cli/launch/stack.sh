# Memory on the stack, and multimem; what cannot be executed is named before it is reached.
try() {
    echo "\$ tmasim $*"
    tmasim "$@" 2>&1 | grep -vE '^(launch|SMs|busy|warps|time|TMA|shared|bank|instructions) |^  '
}
try run launch/data/stack.yaml --no-why
try run launch/data/stack.yaml --functional --set kernel=too_much
try run launch/data/stack.yaml --functional --set kernel=textured block=64
try check launch/data/stack.yaml --set kernel=textured
