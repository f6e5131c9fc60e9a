# A file that never ends is refused when it is larger than any file of records.
tmasim validate /dev/zero
