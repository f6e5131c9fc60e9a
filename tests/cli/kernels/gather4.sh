# Rows gathered by four a load, on a GPU that has it; on others the statement is ruled out, or an error.
for gpu in h100 b200; do
    for how in 2 3; do
        echo "\$ tmasim run gather_rows --gpu $gpu --set HOW=$how"
        tmasim run gather_rows --gpu $gpu --set HOW=$how TAKEN=2048 ROWS=4096 --no-why 2>&1 | grep -E '^time  |error'
    done
done
