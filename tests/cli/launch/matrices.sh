# Products of matrix instructions, against those of an H100.
tmasim validate ../hardware/ptx/matrices/launches.jsonl
