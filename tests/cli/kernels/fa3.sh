# Two warp groups in ping-pong: a hand-over at the issue of products costs next to nothing, and one
# at their end is slower than none.
cycles() {
    tmasim run fa3 --no-why --set PINGPONG="$1" --set L=1024 --set H=1 --set CTAS=4 --format json |
        awk '$1 == "\"cycles\":" { print $2 + 0; exit }'
}
free=$(cycles 0)
issue=$(cycles 1)
end=$(cycles 2)
awk -v free="$free" -v issue="$issue" -v end="$end" 'BEGIN {
    print "at issue:", (issue < free * 1.03 ? "costs nothing" : "costs " issue - free " of " free)
    print "at the end:", (end > 1.1 * free ? "slower" : "costs " end - free " of " free)
}'
