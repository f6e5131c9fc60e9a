# The machines, how well each is known, and the words for them.
run() {
    echo "\$ tmasim $*"
    tmasim "$@" 2>&1
    echo "exit $?"
}
run machines
run machines --format json
run run read --gpu h100 --no-why --set M=512 N=512
run run read --gpu rtx5090 --no-why --format json --set M=512 N=512 | sed '/"rate"/,$d'
run sweep read --gpu gh200 --set M=512 --try N=512,1024
run run read --gpu h101
run validate --gpu h102 none.tsv
