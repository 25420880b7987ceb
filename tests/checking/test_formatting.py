"""Formatting is free, and checking is a pure function."""

import ast
import json
import random
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codoku_env import Assignment, Checker, Stage, check, format_program, parse_puzzle
from codoku_env.checking.remask import Aligner, list_tokens, program_nodes
from tests.checking.puzzles import PUZZLES, small, straight

NAMES = sorted(PUZZLES)
seeds = st.integers(0, 2**32 - 1)


class Scribe:
    """Writes a syntax tree as text whose layout is drawn at random."""

    def __init__(self, rng):
        self.rng = rng

    def maybe(self, chance=0.3):
        return self.rng.random() < chance

    def blank(self, joined):
        """Blanks, perhaps over a line end: inside parentheses any, outside by a backslash."""
        if not self.maybe(0.15):
            return self.rng.choice([" ", "  ", "\t", " \f"])
        comment = self.rng.choice(["", "# ( <ID> ' \\", "#@CFG_BLOCK: b7", "#@EXE_PATH: exit", "# é \x0b \u2028 x = 1"])
        return f" {comment}\n   " if joined else " \\\n  "

    def number(self, value):
        if isinstance(value, float):
            text = repr(value)
            longer = [f"{value:.17e}", f"{value * 10}e-1", f"0{text}", *([] if "e" in text else [f"{text}0_0"])]
            return self.rng.choice([text, text.replace("e", "E"), *(t for t in longer if float(t) == value)])
        return self.rng.choice([str(value), f"0x{value:X}", hex(value), oct(value), f"0B{value:b}", f"{value:_}"])

    def expression(self, node, joined=False):
        if self.maybe(0.25):
            return self.parenthesized(node)
        return self.bare(node, joined)

    def parenthesized(self, node):
        return f"({self.blank(True)}{self.bare(node, True)}{self.blank(True)})"

    def bare(self, node, joined):
        """The expression; its parts are in parentheses unless they are atoms, so that precedence plays no part."""
        space = self.blank(joined)
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, ast.Constant):
            return str(node.value) if isinstance(node.value, bool) else self.number(node.value)
        if isinstance(node, ast.Subscript):
            return f"{node.value.id}{space}[{self.expression(node.slice, True)}]"  # pyright: ignore[reportAttributeAccessIssue]
        if isinstance(node, ast.Call):
            comma = self.rng.choice(["", ",", " ,"]) if node.args else ""
            arguments = f",{self.blank(True)}".join(self.expression(argument, True) for argument in node.args)
            return f"{node.func.id}{self.rng.choice(['', space])}({arguments}{comma})"  # pyright: ignore[reportAttributeAccessIssue]
        if isinstance(node, ast.List):
            return f"[{', '.join(self.expression(element, True) for element in node.elts)}{self.rng.choice(['', ','])}]"
        if self.maybe(0.2):
            return ast.unparse(node)
        atom = self.atom
        if isinstance(node, ast.UnaryOp):
            return f"{_sign(node.op)}{space}{atom(node.operand)}"
        if isinstance(node, ast.BinOp):
            return f"{atom(node.left)}{space}{_sign(node.op)}{space}{atom(node.right)}"
        if isinstance(node, ast.BoolOp):
            return f"{space}{_sign(node.op)}{space}".join(atom(value) for value in node.values)
        if isinstance(node, ast.IfExp):
            return f"{atom(node.body)}{space}if{space}{atom(node.test)}{space}else{space}{atom(node.orelse)}"
        assert isinstance(node, ast.Compare), node
        parts = [atom(node.left)]
        for operator, right in zip(node.ops, node.comparators, strict=True):
            parts += [_sign(operator), atom(right)]
        return space.join(parts)

    def atom(self, node):
        if isinstance(node, ast.Name | ast.Constant | ast.Subscript | ast.Call):
            return self.expression(node)
        return self.parenthesized(node)

    def suite(self, nodes, indent):
        own = indent + self.rng.choice([" ", "    ", "\t", "       "])
        if all(isinstance(node, SIMPLE) for node in nodes) and self.maybe():
            return self.blank(False) + self.line(nodes) + self.end()
        text = self.end()
        while nodes:
            count = 1
            while count < len(nodes) and all(isinstance(n, SIMPLE) for n in nodes[: count + 1]) and self.maybe(0.4):
                count += 1
            text += self.rng.choice(["", "", "\n", f"{own}# prose\n", "#@CFG_BLOCK: b1\n"])
            if isinstance(nodes[0], SIMPLE):
                text += own + self.line(nodes[:count]) + self.end()
            else:
                text += self.compound(nodes[0], own)
            nodes = nodes[count:]
        return text

    def end(self):
        return self.rng.choice(["\n", "\n", " \n", "  # x <OP> = '\n", "\n\n", "\n\f\n", " # \\\n"])

    def line(self, nodes):
        return self.rng.choice(["; ", ";", " ; "]).join(map(self.simple, nodes)) + self.rng.choice(["", "", ";"])

    def simple(self, node):
        space = self.blank(False)
        if isinstance(node, ast.Return):
            return "return" if node.value is None else f"return{space}{self.expression(node.value)}"
        if isinstance(node, ast.Assign):
            target = self.expression(node.targets[0])
            return f"{target}{space}={space}{self.expression(node.value)}"
        if isinstance(node, ast.AugAssign):
            return f"{self.bare(node.target, False)}{space}{_sign(node.op)}={space}{self.expression(node.value)}"
        if isinstance(node, ast.AnnAssign):
            target = self.bare(node.target, False)
            return f"{target}{space}:{space}{self.expression(node.annotation)}={self.expression(node.value)}"
        return type(node).__name__.lower()

    def compound(self, node, indent):
        space = self.blank(False)
        if isinstance(node, ast.While):
            return f"{indent}while{space}{self.expression(node.test)}{space}:{self.suite(node.body, indent)}"
        text = f"{indent}if{space}{self.expression(node.test)}:{self.suite(node.body, indent)}"
        if not node.orelse:
            return text
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If) and self.maybe(0.5):
            return text + f"{indent}el" + self.compound(node.orelse[0], indent)[len(indent) :]
        return text + f"{indent}else{space}:{self.suite(node.orelse, indent)}"

    def module(self, tree):
        text = self.rng.choice(["", "\ufeff", "# -*- coding: utf-8 -*-\n", "#@CODOKU: 2\n", "\n\n"])
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name == "codoku":
                parts = [a.arg + (f": {ast.unparse(a.annotation)}" if a.annotation else "") for a in node.args.args]
                arrow = f" -> {ast.unparse(node.returns)}" if node.returns else ""
                comma = self.rng.choice(["", ",\n"])
                text += f"def codoku({self.blank(True)}{', '.join(parts)}{comma}){arrow}:{self.suite(node.body, '')}"
            else:
                text += ast.unparse(node) + "\n"
        return text.replace("\n", self.rng.choice(["\n", "\n", "\r\n", "\r"]))


SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Break, ast.Continue, ast.Pass)
SIGNS = {
    "Add": "+",
    "Sub": "-",
    "Mult": "*",
    "Div": "/",
    "FloorDiv": "//",
    "Mod": "%",
    "Pow": "**",
    "LShift": "<<",
    "RShift": ">>",
    "BitAnd": "&",
    "BitOr": "|",
    "BitXor": "^",
    "Eq": "==",
    "NotEq": "!=",
    "Lt": "<",
    "LtE": "<=",
    "Gt": ">",
    "GtE": ">=",
    "Is": "is",
    "IsNot": "is not",
    "In": "in",
    "NotIn": "not in",
    "Invert": "~",
    "Not": "not",
    "UAdd": "+",
    "USub": "-",
    "And": "and",
    "Or": "or",
}


def _sign(operator):
    return SIGNS[type(operator).__name__]


def draw(rng, puzzle, solution):
    """In-domain fills: mostly the solution's."""
    fills = list(solution.fills)
    for cell in puzzle.cells:
        if rng.random() < 0.2:
            fills[cell.index] = rng.choice(puzzle.domain(cell))
    return Assignment(tuple(fills))


@given(seeds, st.sampled_from(NAMES))
@settings(max_examples=250, deadline=None)
def test_any_formatting_has_the_fills_that_were_put_in(seed, name):
    rng = random.Random(seed)
    puzzle, solution = PUZZLES[name]
    assignment = draw(rng, puzzle, solution)
    expected = check(puzzle, assignment)
    text = format_program(puzzle, assignment)
    if expected.stage in (Stage.PARSE, Stage.COMPILE, Stage.REMASK):
        return  # not a program of the small language, which is all that the scribe can write
    tree = ast.parse(text)
    for formatted in (Scribe(rng).module(tree), ast.unparse(tree)):
        assert Aligner(puzzle).align(*list_tokens(program_nodes(ast.parse(formatted.encode())))) == assignment.fills
        assert check(puzzle, formatted) == expected


OPERATORS = [
    "a = <ID> <OP> <CONST> <OP> <ID>",
    "a = <OP> <ID>",
    "a = <OP> <ID> <OP> <OP> a",
    "a <OP>= <CONST>",
    "a = <ID> <OP> (<CONST> if a else <ID>)",
    "a = <ID> <OP> <ID> else <CONST>",
    "a = <FUNC>(<OP> a, <ID>, 8)",
    "a = t0[<OP> a]",
    "if <OP> a <OP> b: a = 1",
    "while a <OP> b:\n        a += 1\n        <CTRL>",
    "b = <CONST> <OP> a; <ID> = b",
    "return <OP> a",
]


@given(seeds, st.lists(st.sampled_from(OPERATORS), min_size=1, max_size=3))
@settings(max_examples=250, deadline=None)
def test_text_and_assignment_get_the_same_stage(seed, statements):
    rng = random.Random(seed)
    text = straight("b = 2", *statements, constants="1:1, 2:1, 2.5:1")
    puzzle = parse_puzzle(text.replace("    #@CFG_BLOCK: entry", "    t0 = [1, 2]\n    #@CFG_BLOCK: entry"))
    fills = Assignment(tuple(rng.choice(puzzle.domain(cell)) for cell in puzzle.cells))
    by_assignment, by_text = check(puzzle, fills), check(puzzle, format_program(puzzle, fills))
    assert by_assignment.stage is by_text.stage, (by_assignment, by_text)
    if by_assignment.stage not in (Stage.PARSE, Stage.COMPILE, Stage.REMASK):
        assert by_assignment == by_text


# Purity. Each case is a puzzle and a candidate; verdicts come from every stage.


def cases():
    result = []
    for name in NAMES:
        puzzle, solution = PUZZLES[name]
        rng = random.Random(name)
        result += [(puzzle, draw(rng, puzzle, solution)) for _ in range(8)]
        result += [(puzzle, format_program(puzzle, draw(rng, puzzle, solution))) for _ in range(8)]
    diamond = PUZZLES["diamond"][0]
    result += [(diamond, text) for text in ("", "x", "(", "break", "x = (lambda: 0)", "if 1is 1: pass", "x = '\\d'")]
    # Warnings when run: the inverse of a truth value. Warnings when compiled: identity of literals.
    warned = ["~(a < 1)", "~True", "1 is 1 if a < 1 else 2"]
    result += [(parse_puzzle(straight(f"b = {expression}")), Assignment(())) for expression in warned]
    # Nested as deeply as the reader allows, and beyond.
    result += [(parse_puzzle(straight("b = " + "-(" * 38 + "a" + ")" * 38)), Assignment(()))]
    result += [(diamond, "x = " + "-" * n + "1\n") for n in (50, 100, 150, 300, 900, 1500)]
    result += [(diamond, "x = lambda: 0\ny = " + "-" * n + "1\n") for n in (50, 100, 150, 300, 900, 1500)]
    return result


CASES = cases()


@pytest.fixture(scope="module")
def verdicts():
    return [check(puzzle, candidate) for puzzle, candidate in CASES]


def test_checking_twice_and_in_another_order_changes_nothing(verdicts):
    assert [check(*case) for case in reversed(CASES)] == verdicts[::-1]
    assert [Checker(puzzle).check(candidate) for puzzle, candidate in CASES] == verdicts


def test_threads_do_not_disturb_each_other(verdicts):
    with ThreadPoolExecutor(4) as pool:
        for result in (pool.map(lambda case: check(*case), CASES) for _ in range(3)):
            assert list(result) == verdicts


@pytest.mark.parametrize("action", ["error", "always", "ignore", "default"])
def test_warning_filters_do_not_matter(verdicts, action):
    with warnings.catch_warnings(record=action != "error") as seen:
        warnings.simplefilter(action)
        before = warnings.filters[:]
        assert [check(*case) for case in CASES] == verdicts
        assert warnings.filters == before
    assert not seen


def below(depth, call):
    return call() if depth == 0 else below(depth - 1, call)


@pytest.mark.parametrize("share", [0.3, 0.6])
def test_depth_of_the_caller_does_not_matter(verdicts, share):
    """As long as there is stack left for the check at all."""
    depth = int(share * sys.getrecursionlimit())
    assert below(depth, lambda: [check(*case) for case in CASES]) == verdicts


@pytest.mark.parametrize("depth", range(20, 400, 20))
def test_a_full_stack_gives_no_verdict_or_the_right_one(depth):
    """With ``depth`` frames left a check may raise RecursionError, but says nothing wrong."""
    puzzle, solution = PUZZLES["array"]
    text = format_program(puzzle, solution)

    def used():
        frame, count = sys._getframe(), 0
        while frame:
            frame, count = frame.f_back, count + 1
        return count

    try:
        passed = below(sys.getrecursionlimit() - used() - depth, lambda: check(puzzle, text).passed)
    except RecursionError:
        passed = True
    assert passed


CHILD = """
import json, sys
from tests.checking.test_formatting import CASES
from codoku_env import check
print(json.dumps([check(*case).to_dict() for case in CASES]))
"""


@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_another_process_with_another_hash_seed_agrees(verdicts, hash_seed):
    done = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning:<", "-c", CHILD],
        capture_output=True,
        text=True,
        env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": ":".join(path for path in sys.path if path)},
        check=True,
    )
    assert json.loads(done.stdout) == [verdict.to_dict() for verdict in verdicts]


LIBERTIES = [
    ("annotated parameters", straight().replace("(a):", "(a: int,) -> int:")),
    ("annotated element", small("def codoku(a):\n    t: list[int] = [3]\n    #@CFG_BLOCK: entry\n    t[0]: int = a\n"
                                "    #@CFG_BLOCK: exit\n    return t[0]\n")),
    ("annotated state", "_checksum: list[int] = [0]\n" + straight("a += 0")),
    ("tabs", straight().replace("    ", "\t")),
    ("tab after blanks", straight("if a:\n     \ta = 3\n\ta = 3").replace("\n\ta", "\n        a")),
    ("form feed before a statement", straight().replace("    a += 0", "\f    a += 0")),
    ("form feed on a line of its own", straight().replace("    a += 0", "\f\n    a += 0")),
    ("backslash before a statement", straight("a = 3").replace("    a = 3", "    \\\n  a = 3")),
    ("backslash before an empty line", straight("a = 3 \\\n")),
    ("comment after a backslash", straight("a = 3 \\\n # x")),
    ("carriage returns", straight().replace("\n", "\r")),
    ("byte order mark", "\ufeff" + straight()),
    ("no newline at the end", straight().rstrip()),
    ("several statements on a line", straight("b = 1; c = b ;a = 3; ")),
    ("suite on the line of its header", straight("while a > 9: a -= 1; a -= 2", "if a: pass", "else: a = 1; a = 3")),
    ("annotations indented", "\n".join(f"  {row}" if row[:2] == "#@" else row for row in straight().split("\n"))),
    ("annotations behind the body", "\n".join(sorted(straight().split("\n"), key=lambda row: row[:2] == "#@"))),
    ("annotation between the rows of a statement", straight("a = (3\n#@CONST_TB: \n  + 0)")),
    ("blanks in annotations", straight().replace("#@EXE_PATH: entry -> exit", "#@  EXE_PATH :\tentry->exit  ")),
    ("blanks in an example", straight(example=" codoku ( 3 , )==3")),
    ("numbers in other spellings", straight("a += 0x_0 + 0b0_0 + 0.0e1_0 + 0_0", example="codoku(0x3) == 3e0")),
    ("two imports", "from codoku_env.runtime import cast_int\nfrom codoku_env.runtime import sat_add\n"
                    + straight("a = sat_add(cast_int(a, 8), 0, 8)")),
    ("import over several lines", "from codoku_env.runtime import (\n    cast_int,\n    sat_add,\n)\n"
                                  + straight("a = sat_add(cast_int(a, 8), 0, 8)")),
    ("import behind annotations and prose", straight("a = cast_int(a, 8)").replace(
        "def ", "# prose\nfrom codoku_env.runtime import cast_int  # more\n\n\ndef ")),
    ("soft keywords as names", straight("match = a; case = match; type = case; _ = type", result="_")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text"), LIBERTIES, ids=[case[0] for case in LIBERTIES])
def test_a_reader_accepts(name, text):
    assert check(parse_puzzle(text), Assignment(())).passed
