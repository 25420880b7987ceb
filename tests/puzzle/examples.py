"""Hand-written puzzles that between them use every form of the file."""

DIAMOND = """\
#@CODOKU: 1
#@CFG_EDGE: entry -> b1, b2
#@CFG_EDGE: b1 -> exit
#@CFG_EDGE: b2 -> exit
#@EXE_PATH: entry -> b1 -> exit
#@CONST_TB: 500:1, 25:2
#@INOUT_EX: codoku(10, 20) == 1050

def codoku(a, b):
    c: int = -<CONST>
    #@CFG_BLOCK: entry
    if <ID> < b:
        #@CFG_BLOCK: b1
        c = <ID> <OP> (a * <CONST>)
    else:
        #@CFG_BLOCK: b2
        <ID> += <CONST>
    #@CFG_BLOCK: exit
    return c + <ID> * 90
"""

LOOPS = """\
#@CODOKU: 1
#@CFG_EDGE: entry -> b0
#@CFG_EDGE: b0 -> b1, b3
#@CFG_EDGE: b1 -> b1, b2, b3
#@CFG_EDGE: b2 -> b0
#@CFG_EDGE: b3 -> exit
#@EXE_PATH: entry -> b0 -> b1 -> b1 -> b2 -> b0 -> b3 -> exit
#@EXE_PATH 2: entry -> b0 -> b3 -> exit
#@CONST_TB: 3:1, 2.5:1, 2:2
#@FUNC_TB: sat_add, min_int
#@INOUT_EX: codoku(0, -7) == 12
#@INOUT_EX: codoku(9, 1.5) == -1e-05
#@CHECKSUM: -667895

from codoku_env.runtime import cast_int, checksum, min_int, sat_add


_checksum = [0]
def codoku(pa0: int, pa1: float) -> int:
    v0 = 0
    t0: list[int] = [1, -<CONST>, 0]
    _go_b3 = 0
    #@CFG_BLOCK: entry
    v1 = pa0
    while True:
        #@CFG_BLOCK: b0
        v0 <OP>= <CONST>
        if <OP> (v0 < 5):
            break
        while v1 < <CONST>:
            #@CFG_BLOCK: b1
            t0[v1 % 3] = <FUNC>(<ID>, t0[2], 8)
            v1 = <CONST> <OP> v0 > 3 else v1
            if v1 == 7:
                _go_<LABEL> = 1
                <CTRL>
        if _go_b3:
            break
        #@CFG_BLOCK: b2
        pass
    #@CFG_BLOCK: b3
    _checksum[0] = checksum(_checksum[0], v0)
    #@CFG_BLOCK: exit
    return cast_int(v0 if v1 is not 3 and not v0 else t0[1], 16)
"""

ALL = {"diamond": DIAMOND, "loops": LOOPS}
