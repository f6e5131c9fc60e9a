# Cells that a spreadsheet would take for formulas are data; numbers stay numbers.
tmasim sweep gemm_tile --set workload.iterations=1 --try 'description==1+2,-3,+4a,a=b' --format csv | cut -d , -f 1,2
