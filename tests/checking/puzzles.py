"""Hand-written puzzles for the checker's tests, each written with its solution in the cells: ``{KIND:fill}``."""

import re

from codoku_env import Assignment, format_program, parse_puzzle

_SOLVED_CELL = re.compile(r"\{(ID|FUNC|CONST|OP|CTRL|LABEL):([^}]+)\}")

DIAMOND = """\
#@CODOKU: 1
#@CFG_EDGE: entry -> b1, b2
#@CFG_EDGE: b1 -> exit
#@CFG_EDGE: b2 -> exit
#@EXE_PATH: entry -> b1 -> exit
#@CONST_TB: 500:1, 25:2
#@INOUT_EX: codoku(10, 20) == 1050
def codoku(a, b):
    c: int = -{CONST:500}
    #@CFG_BLOCK: entry
    if {ID:c} < b:
        #@CFG_BLOCK: b1
        c = {ID:c} {OP:-} (a * {CONST:25})
    else:
        #@CFG_BLOCK: b2
        {ID:c} += {CONST:25}
    #@CFG_BLOCK: exit
    return c + {ID:b} * 90
"""

LOOP = """\
#@CODOKU: 1
#@CFG_EDGE: entry -> b0
#@CFG_EDGE: b0 -> b1, b2
#@CFG_EDGE: b1 -> b0
#@CFG_EDGE: b2 -> exit
#@EXE_PATH: entry -> b0 -> b1 -> b0 -> b1 -> b0 -> b2 -> exit
#@CONST_TB: 2:1, 5:1
#@INOUT_EX: codoku(6) == -3
def codoku(n):
    total = 0
    #@CFG_BLOCK: entry
    i = 0
    while True:
        #@CFG_BLOCK: b0
        i += {CONST:2}
        if i < {ID:n}:
            #@CFG_BLOCK: b1
            total {OP:+}= i
            {CTRL:continue}
        #@CFG_BLOCK: b2
        total {OP:^}= {CONST:5}
        {CTRL:break}
    #@CFG_BLOCK: exit
    return total {OP:-} {ID:n}
"""

ROTATED = """\
#@CODOKU: 1
#@CFG_EDGE: entry -> b0
#@CFG_EDGE: b0 -> b1, exit
#@CFG_EDGE: b1 -> b0
#@EXE_PATH: entry -> b0 -> b1 -> b0 -> b1 -> b0 -> exit
#@CONST_TB: 3:2, 2:1
#@INOUT_EX: codoku(7) == -30
def codoku(n):
    #@CFG_BLOCK: entry
    k = n
    #@CFG_BLOCK: b0
    k -= {CONST:3}
    while k > 0:
        #@CFG_BLOCK: b1
        n {OP:*}= {CONST:2}
        #@CFG_BLOCK: b0
        k -= {CONST:3}
    #@CFG_BLOCK: exit
    return {OP:-} n {OP:+} k
"""

FLAGS = """\
#@CODOKU: 1
#@CFG_EDGE: entry -> b0
#@CFG_EDGE: b0 -> b1
#@CFG_EDGE: b1 -> b2, b3
#@CFG_EDGE: b2 -> b0, b1
#@CFG_EDGE: b3 -> exit
#@EXE_PATH: entry -> b0 -> b1 -> b2 -> b0 -> b1 -> b2 -> b1 -> b3 -> exit
#@CONST_TB: 2:1, 7:1
#@INOUT_EX: codoku(1, 30) == -38
def codoku(a, b):
    _go_b3 = 0
    #@CFG_BLOCK: entry
    c = a
    while True:
        #@CFG_BLOCK: b0
        c += {CONST:2}
        while True:
            #@CFG_BLOCK: b1
            c = c {OP:*} 2
            if c > b:
                _go_{LABEL:b3} = 1
                {CTRL:break}
            #@CFG_BLOCK: b2
            c += 1
            if c == {CONST:7}:
                break
        if _go_b3:
            break
    #@CFG_BLOCK: b3
    c = -{ID:c}
    #@CFG_BLOCK: exit
    return c
"""

ARRAY = """\
#@CODOKU: 1
#@CFG_EDGE: entry -> b1, b2
#@CFG_EDGE: b1 -> exit
#@CFG_EDGE: b2 -> exit
#@EXE_PATH: entry -> b1 -> exit
#@CONST_TB: 9:1, 4:1, 2:1
#@FUNC_TB: sat_add, sat_sub, abs_int
#@INOUT_EX: codoku(100, 50) == -1
from codoku_env.runtime import abs_int, cast_int, popcount, sat_add, sat_sub

def codoku(a, b):
    t0: list[int] = [0, {CONST:9}, -{CONST:4}]
    v = 0
    #@CFG_BLOCK: entry
    {ID:t0[0]} = {FUNC:sat_add}(a, {ID:b}, 8)
    t0[a % 3] {OP:+}= t0[{CONST:2}]
    if {ID:t0[1]} < cast_int({ID:t0[0]} * 3, 8):
        #@CFG_BLOCK: b1
        v = {FUNC:abs_int}(t0[2], 8)
    else:
        #@CFG_BLOCK: b2
        v = popcount(b, 8)
    #@CFG_BLOCK: exit
    return v {OP:-} t0[1]
"""

STATE = """\
#@CODOKU: 1
#@CFG_EDGE: entry -> b0, exit
#@CFG_EDGE: b0 -> exit
#@EXE_PATH: entry -> b0 -> exit
#@EXE_PATH 2: entry -> exit
#@CONST_TB: 3:1, 4:1
#@INOUT_EX: codoku(20) == 19
#@INOUT_EX: codoku(1) == 4
#@CHECKSUM: -1173193766
from codoku_env.runtime import checksum

_checksum = [7]
def codoku(a):
    #@CFG_BLOCK: entry
    v0 = a {OP:+} {CONST:3}
    v1 = v0
    if v0 > 10:
        #@CFG_BLOCK: b0
        v0 -= {CONST:4}
    #@CFG_BLOCK: exit
    _checksum[0] = checksum(_checksum[0], {ID:v0})
    return {ID:v0}
"""

FLOATS = """\
#@CODOKU: 1
#@CFG_EDGE: entry -> b0, exit
#@CFG_EDGE: b0 -> exit
#@EXE_PATH: entry -> b0 -> exit
#@CONST_TB: 2.5:1, 4:2, 0.5:1
#@INOUT_EX: codoku(12, 3) == -16.0
def codoku(a, b):
    x: float = {CONST:2.5}
    #@CFG_BLOCK: entry
    {ID:x} {OP:*}= {CONST:4}
    y = a {OP:if} (x > b) else {CONST:0.5}
    if {OP:not} (y < x):
        #@CFG_BLOCK: b0
        y = {OP:-} y {OP:/} {CONST:4}
    #@CFG_BLOCK: exit
    return y + ({OP:~} a)
"""

CONSTANT = """\
#@CODOKU: 1
#@CFG_EDGE: entry -> b0
#@CFG_EDGE: b0 -> b0, exit
#@EXE_PATH: entry -> b0 -> b0 -> exit
#@CONST_TB: 7:1
#@INOUT_EX: codoku(5) == 3
def codoku(a):
    #@CFG_BLOCK: entry
    a += 0
    while {CONST:7} {OP:*} 2:
        #@CFG_BLOCK: b0
        a -= 1
        if a < 4:
            break
    #@CFG_BLOCK: exit
    return {ID:a}
"""

SOURCES = {
    "diamond": DIAMOND,
    "loop": LOOP,
    "rotated": ROTATED,
    "flags": FLAGS,
    "array": ARRAY,
    "state": STATE,
    "floats": FLOATS,
    "constant": CONSTANT,
}


def masked(source):
    """The text of the puzzle without its solution."""
    return _SOLVED_CELL.sub(r"<\1>", source)


def solved(source):
    """The puzzle, and the assignment written in its cells."""
    puzzle = parse_puzzle(masked(source))
    return puzzle, Assignment(tuple(match[2] for match in _SOLVED_CELL.finditer(source)))


PUZZLES = {name: solved(source) for name, source in SOURCES.items()}


def small(body, *, edges=("entry -> exit",), path="entry -> exit", constants="", example="codoku(3) == 3", more=()):
    """Text of a puzzle around ``body``; a plain one unless told otherwise."""
    lines = [
        "#@CODOKU: 1",
        *(f"#@CFG_EDGE: {edge}" for edge in edges),
        f"#@EXE_PATH: {path}",
        f"#@CONST_TB: {constants}",
        f"#@INOUT_EX: {example}",
        *more,
    ]
    return "\n".join(lines) + "\n" + body


def straight(*statements, result="a", **settings):
    """Text of a puzzle whose function of ``a`` runs the statements and returns ``result``."""
    lines = ["def codoku(a):", "    #@CFG_BLOCK: entry", "    a += 0", *(f"    {line}" for line in statements)]
    return small("\n".join([*lines, "    #@CFG_BLOCK: exit", f"    return {result}", ""]), **settings)


def solution(name):
    """Text of the solved program of a puzzle."""
    return format_program(*PUZZLES[name])
