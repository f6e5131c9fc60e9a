"""Reads what nvdisasm -c prints of a cubin, and tells the pipes of its instructions."""
import re

PIPES = {}
for _pipe, _opcodes in {
    "fma": "FADD FMUL FFMA IMAD HADD2 HMUL2 HFMA2",
    "alu": "FMNMX FSETP FSEL ISETP IADD3 IABS LOP3 PLOP3 SHF LEA SEL F2FP MOV PRMT VIADD VIMNMX",
    "sfu": "MUFU I2F F2I",
}.items():
    PIPES.update(dict.fromkeys(_opcodes.split(), _pipe))
# From an instruction to one that waits for it, in cycles: h100/pipe_rates.tsv (add_chain, max_chain, ex2_chain);
# shuffles as public measurements have them.
LATENCY = {"fma": 4, "alu": 4, "sfu": 17, "shuffle": 24, "other": 4}
NOTHING = {"NOP", "CS2R"}


def pipe_of(opcode):
    """Returns the pipe of an opcode; "other": it takes an issue slot only."""
    return "shuffle" if opcode == "SHFL" else PIPES.get(opcode, "other")


def opcode_of(line):
    """Returns the opcode of an instruction without its modifiers."""
    return line.split()[0].split(".")[0]


def parts(text):
    """Yields the name of each kernel, its instructions without predicates, and the places of its labels."""
    for part in re.split(r"\n(?=\.text\.)", text)[1:]:
        instructions, labels = [], {}
        for line in part.split("\n"):
            label = re.match(r"(\.L\w+):", line)
            if label:
                labels[label.group(1)] = len(instructions)
            code = re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(.*?);", line)
            if code:
                instructions.append(re.sub(r"^@!?U?P\w+\s+", "", code.group(1).strip()))
        yield re.match(r"\.text\.([^:]+):", part).group(1), instructions, labels


def loops(instructions, labels):
    """Returns the first instruction and the end of each loop of more than 20 instructions."""
    found = []
    for at, line in enumerate(instructions):
        target = re.search(r"^BRA.*`\((\.L\w+)\)", line)
        if target and at - labels.get(target.group(1), at) > 20:
            found.append((labels[target.group(1)], at + 1))
    return found


class Window:
    """Some instructions in a row, and when the result of each is there."""

    def __init__(self):
        self.counts = dict.fromkeys(("fma", "alu", "sfu", "other"), 0)
        self.ready, self.chain = {}, 0

    def add(self, line):
        pipe = pipe_of(opcode_of(line))
        registers = [re.findall(r"\bR\d+\b", operand) for operand in line.split(",")]
        if pipe == "shuffle":  # SHFL.BFLY PT, R1, R2, ...
            target, sources = (registers[1] + [None])[0], registers[2]
        else:
            target = registers[0][0] if pipe != "other" and registers[0] else None
            sources = [r for operand in registers[1 if target else 0 :] for r in operand]
        start = max([self.ready.get(r, 0) for r in sources] or [0])
        if target:
            self.ready[target] = start + LATENCY[pipe]
        self.chain = max(self.chain, start + 4)
        self.counts["other" if pipe == "shuffle" else pipe] += 1

    def size(self):
        return sum(self.counts.values())

    def word(self):
        return ",".join(map(str, [*self.counts.values(), -(-self.chain // 4)]))
