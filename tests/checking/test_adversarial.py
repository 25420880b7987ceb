"""Forged solutions, by the kind of forgery. None may pass, none may cost much, none may raise."""

import random
import resource
import subprocess
import sys
import time
from functools import partial

import pytest

from codoku_env import (
    Assignment,
    ConfigError,
    PuzzleFormatError,
    Stage,
    check,
    format_program,
    format_puzzle,
    parse_puzzle,
)
from tests.checking.puzzles import ARRAY, FLAGS, PUZZLES, masked, solution, straight

BASICS, PARSE, COMPILE, REMASK = Stage.BASICS, Stage.PARSE, Stage.COMPILE, Stage.REMASK
CFG, LIMIT, PATH, OUTPUT, CONST = Stage.CFG, Stage.LIMIT, Stage.PATH, Stage.OUTPUT, Stage.CONST

GOOD = solution("diamond")
DEF = "def codoku(a, b):"
RETURN = "return c + b * 90"
FIRST = "c: int = -500"
BRANCH = "c = c - (a * 25)"


def edit(*changes, text=GOOD):
    """The solved program with pairs of (old, new) replaced; every old text must be there."""
    for old, new in zip(changes[::2], changes[1::2], strict=True):
        assert old in text, old
        text = text.replace(old, new)
    return text


def body(*statements):
    """The solved program with statements put before everything else in the function."""
    return edit(FIRST, "\n    ".join([*statements, FIRST]))


# kind, name, candidate, stages it may get
TEXTS = [
    # Code smuggled into a cell.
    ("smuggle", "sum for a variable", edit(RETURN, "return c + (b + 0) * 90"), {REMASK}),
    ("smuggle", "call for a variable", edit(RETURN, "return c + abs(b) * 90"), {REMASK}),
    ("smuggle", "answer returned", edit(RETURN, "return 1050"), {REMASK}),
    ("smuggle", "answer and the rest", edit(RETURN, "return 1050 or c + b * 90"), {REMASK}),
    ("smuggle", "two statements in a cell", edit("c += 25", "c = 0; c += 25"), {REMASK}),
    ("smuggle", "statement after a cell", edit("c += 25", "c += 25; return 1050"), {REMASK}),
    ("smuggle", "constant folded", edit("-500", "-(250 * 2)"), {REMASK}),
    ("smuggle", "sign in a constant", edit("-500", "- -500"), {REMASK}),
    ("smuggle", "string for a constant", edit("-500", "-'500'"), {REMASK}),
    ("smuggle", "bytes for a constant", edit("-500", "-b'500'"), {REMASK}),
    ("smuggle", "None for a constant", edit("-500", "-None"), {REMASK}),
    ("smuggle", "ellipsis for a constant", edit("-500", "-..."), {REMASK}),
    ("smuggle", "name for a constant", edit("-500", "-a"), {REMASK}),
    ("smuggle", "constant for a name", edit(RETURN, "return c + 10 * 90"), {REMASK}),
    ("smuggle", "starred value", edit(BRANCH, "c = *c - (a * 25),"), {REMASK}),
    ("smuggle", "tuple", edit(RETURN, "return (c + b * 90, 1)"), {REMASK}),
    ("smuggle", "comma", edit(RETURN, "return c + b * 90,"), {REMASK}),
    ("smuggle", "slice", edit(RETURN, "return c + b[:] * 90"), {REMASK}),
    ("smuggle", "matrix product", edit(BRANCH, "c = c @ (a * 25)"), {REMASK}),
    ("smuggle", "matrix product augmented", edit("c += 25", "c @= 25"), {REMASK}),
    ("smuggle", "and for an operator", edit(BRANCH, "c = c and (a * 25)"), {REMASK}),
    ("smuggle", "prefix operator added", edit(BRANCH, "c = c - (-a * 25)"), {REMASK}),
    ("smuggle", "undeclared name", edit(RETURN, "return c + d * 90"), {REMASK}),
    ("smuggle", "function for a variable", edit(RETURN, "return c + codoku * 90"), {REMASK}),
    ("smuggle", "builtins for a variable", edit(RETURN, "return c + __builtins__ * 90"), {REMASK}),
    # Text that a comment stripper and CPython read differently.
    ("reading", "carriage return ends a comment", edit(FIRST, FIRST + " # \r    return 1050"), {REMASK}),
    ("reading", "carriage return in the first line", "# \rimport os\n" + GOOD, {REMASK}),
    ("reading", "form feed before code", edit(FIRST, FIRST + " # \n\f    return 1050"), {REMASK, PARSE}),
    ("reading", "vertical tab", edit(FIRST, FIRST + "\v;return 1050"), {PARSE}),
    ("reading", "next line character", edit(FIRST, FIRST + "\x85return 1050"), {PARSE}),
    ("reading", "line separator", edit(FIRST, FIRST + "\u2028return 1050"), {PARSE}),
    ("reading", "file separator", edit(FIRST, FIRST + "\x1c;return 1050"), {PARSE}),
    ("reading", "backslash joins a comment's line", edit(FIRST, FIRST + " # \\\n    return 1050"), {REMASK}),
    ("reading", "string with a hash", body("'#'; return 1050"), {REMASK}),
    ("reading", "string over lines", body("'''", "#'''; return 1050"), {REMASK}),
    ("reading", "string that opens in a string", edit(RETURN, "return '\"' # \" * 0 or c + b * 90"), {REMASK}),
    ("reading", "f-string with code", body("f'{exit()}'"), {REMASK}),
    ("reading", "docstring", body("'doc'"), {REMASK}),
    ("reading", "other coding", "# -*- coding: utf-7 -*-\n" + edit(FIRST, FIRST + " #+AAo-return 1050"), {BASICS}),
    ("reading", "rot13", "# coding: rot13\n" + GOOD, {BASICS}),
    ("reading", "UTF-16", GOOD.encode("utf-16"), {BASICS}),
    ("reading", "UTF-16 without mark", GOOD.encode("utf-16-le"), {PARSE}),
    ("reading", "Latin-1", edit(FIRST, FIRST + " # é").encode("latin-1"), {BASICS}),
    ("reading", "overlong UTF-8", GOOD.encode().replace(b"500", b"\xc0\xb500"), {BASICS}),
    ("reading", "surrogate", GOOD + "# \ud800", {BASICS}),
    ("reading", "two byte order marks", "\ufeff\ufeff" + GOOD, {PARSE}),
    ("reading", "byte order mark inside", edit(FIRST, "\ufeff" + FIRST), {PARSE}),
    ("reading", "null byte", edit(FIRST, FIRST + " # \0"), {PARSE}),
    ("reading", "null byte at the end", GOOD + "\0", {PARSE}),
    ("reading", "control-Z", GOOD + "\x1aimport os", {PARSE}),
    ("reading", "zero-width space", edit(FIRST, "\u200b" + FIRST), {PARSE}),
    ("reading", "right-to-left override", edit(FIRST, FIRST + " # \u202e\n    return 1050"), {REMASK}),
    # Visible code.
    ("visible", "condition", edit("c < b", "c <= b"), {REMASK}),
    ("visible", "condition without", edit("if c < b", "if c"), {REMASK}),
    ("visible", "number", edit("* 90", "* 91"), {REMASK}),
    ("visible", "number's type", edit("* 90", "* 90.0"), {REMASK}),
    ("visible", "parentheses that matter", edit(BRANCH, "c = (c - a) * 25"), {REMASK}),
    ("visible", "parentheses that matter, return", edit(RETURN, "return (c + b) * 90"), {REMASK}),
    ("visible", "re-indented into the branch", edit("    " + RETURN, "        " + RETURN), {REMASK}),
    ("visible", "re-indented out of the branch", edit("        c += 25", "        pass\n    c += 25"), {REMASK}),
    ("visible", "else gone", edit("    else:\n", "    if c:\n"), {REMASK}),
    ("visible", "else moved", edit("        c += 25", "        if c:\n            c += 25"), {REMASK}),
    ("visible", "elif", edit("    else:\n", "    elif a:\n"), {REMASK}),
    ("visible", "while for if", edit("if c < b", "while c < b"), {REMASK, PARSE}),
    ("visible", "duplicated statement", edit("c += 25", "c += 25; c += 25"), {REMASK}),
    ("visible", "duplicated function", GOOD + "\n" + GOOD, {REMASK}),
    ("visible", "second function", GOOD + "\ndef codoku(a, b): return 1050\n", {REMASK}),
    ("visible", "function rebound", GOOD + "\ncodoku = 1050\n", {REMASK}),
    ("visible", "function before", "def f(): pass\n" + GOOD, {REMASK}),
    ("visible", "statement removed", edit("c += 25", "pass"), {REMASK}),
    ("visible", "pass added", body("pass"), {REMASK}),
    ("visible", "statements swapped", edit(BRANCH, "c += 25", "    c += 25", "    " + BRANCH), {REMASK}),
    ("visible", "other name", edit("codoku(a, b):", "solve(a, b):"), {REMASK}),
    ("visible", "parameters swapped", edit(DEF, "def codoku(b, a):"), {REMASK}),
    ("visible", "parameter added", edit(DEF, "def codoku(a, b, c):"), {REMASK}),
    ("visible", "parameter removed", edit(DEF, "def codoku(a):"), {REMASK}),
    ("visible", "default", edit(DEF, "def codoku(a, b=1050):"), {REMASK}),
    ("visible", "default call", edit(DEF, "def codoku(a, b=exit(0)):"), {REMASK}),
    ("visible", "star-args", edit(DEF, "def codoku(a, b, *c):"), {REMASK}),
    ("visible", "star star-args", edit(DEF, "def codoku(a, b, **c):"), {REMASK}),
    ("visible", "keyword-only", edit(DEF, "def codoku(a, *, b):"), {REMASK}),
    ("visible", "positional-only", edit(DEF, "def codoku(a, b, /):"), {REMASK}),
    ("visible", "annotation of a parameter", edit(DEF, "def codoku(a: exit(0), b):"), {REMASK}),
    ("visible", "annotation of the result", edit(DEF, "def codoku(a, b) -> exit(0):"), {REMASK}),
    ("visible", "annotation removed", edit("c: int =", "c ="), {REMASK}),
    ("visible", "annotation with code", edit("c: int =", "c: exit(0) ="), {REMASK}),
    ("visible", "annotation alone", edit(FIRST, "c: int"), {REMASK}),
    ("visible", "chained assignment", edit(BRANCH, "c = b = c - (a * 25)"), {REMASK}),
    ("visible", "tuple assignment", edit(BRANCH, "c, = c - (a * 25),"), {REMASK}),
    ("visible", "augmented split", edit("c += 25", "c = c + 25"), {REMASK}),
    ("visible", "assignment joined", edit(BRANCH, "c -= (a * 25)"), {REMASK}),
    ("visible", "decorator", edit(DEF, "@print\n" + DEF), {REMASK}),
    ("visible", "type parameter", edit(DEF, "def codoku[T](a, b):"), {REMASK, PARSE}),
    ("visible", "async", edit(DEF, "async " + DEF), {REMASK}),
    ("visible", "class", "class A:\n" + "".join(f"    {row}\n" for row in GOOD.splitlines()), {REMASK}),
    ("visible", "lambda", "codoku = lambda a, b: 1050\n", {REMASK}),
    ("visible", "nothing", "", {REMASK}),
    ("visible", "only comments", "# nothing\n#@CODOKU: 1\n", {REMASK}),
    ("visible", "cut short", GOOD[: GOOD.index("    else")], {REMASK}),
    # Helpers and imports.
    ("import", "os", "import os\n" + GOOD, {REMASK}),
    ("import", "inside", body("import os"), {REMASK}),
    ("import", "star", "from codoku_env.runtime import *\n" + GOOD, {REMASK}),
    ("import", "alias", "from codoku_env.runtime import cast_int as sat_add\n" + GOOD, {REMASK}),
    ("import", "alias to itself", "from codoku_env.runtime import cast_int as cast_int\n" + GOOD, {REMASK}),
    ("import", "other module", "from os import cast_int\n" + GOOD, {REMASK}),
    ("import", "relative", "from .codoku_env.runtime import cast_int\n" + GOOD, {REMASK}),
    ("import", "not a helper", "from codoku_env.runtime import __builtins__\n" + GOOD, {REMASK}),
    ("import", "future", "from __future__ import annotations\n" + GOOD, {REMASK}),
    ("import", "misplaced future", GOOD + "from __future__ import annotations\n", {COMPILE}),
    ("helper", "redefined", "def cast_int(value, bits): return 1050\n" + GOOD, {REMASK}),
    ("helper", "internal one redefined", "def require_int(bits, *values): pass\n" + GOOD, {REMASK}),
    ("helper", "assigned", "cast_int = 5\n" + GOOD, {REMASK}),
    ("helper", "assigned inside", body("cast_int = 5"), {REMASK}),
    ("helper", "parameter", edit(DEF, "def codoku(a, b, cast_int):"), {REMASK}),
    ("helper", "keyword argument", edit(RETURN, "return c + b * cast_int(value=90, bits=8)"), {REMASK}),
    # Constructs.
    ("construct", "walrus", edit(BRANCH, "c = (c := c) - (a * 25)"), {REMASK}),
    ("construct", "lambda", edit(RETURN, "return (lambda: 1050)()"), {REMASK}),
    ("construct", "comprehension", edit(RETURN, "return [1050 for c in (1,)][0]"), {REMASK}),
    ("construct", "f-string", edit(RETURN, "return f'{c}' + b * 90"), {REMASK}),
    ("construct", "attribute", edit(RETURN, "return c.real + b * 90"), {REMASK}),
    ("construct", "dunder", edit(RETURN, "return c.__class__(1050)"), {REMASK}),
    ("construct", "dunder name", edit(RETURN, "return c + __name__ * 90"), {REMASK}),
    ("construct", "global", body("global d"), {REMASK}),
    ("construct", "global of a parameter", body("global a"), {COMPILE}),
    ("construct", "nonlocal", body("nonlocal d"), {COMPILE}),
    ("construct", "try", body("try: pass", "except: pass"), {REMASK}),
    ("construct", "try finally", body("try: pass", "finally: return 1050"), {REMASK}),
    ("construct", "try star", body("try: pass", "except* OSError: pass"), {REMASK}),
    ("construct", "del", body("del a"), {REMASK}),
    ("construct", "assert", body("assert c"), {REMASK}),
    ("construct", "with", body("with a: pass"), {REMASK}),
    ("construct", "match", body("match a:", "    case b: return 1050"), {REMASK}),
    ("construct", "for", body("for c in a: pass"), {REMASK}),
    ("construct", "while else", body("while c: pass", "else: return 1050"), {REMASK}),
    ("construct", "nested function", body("def codoku(a, b): return 1050"), {REMASK}),
    ("construct", "nested class", body("class c: pass"), {REMASK}),
    ("construct", "star call", edit(RETURN, "return cast_int(*b)"), {REMASK}),
    ("construct", "double star call", edit(RETURN, "return cast_int(**b)"), {REMASK}),
    ("construct", "star expression", edit(RETURN, "return *c"), {COMPILE}),
    ("construct", "yield", edit(BRANCH, "c = yield"), {REMASK}),
    ("construct", "await", edit(BRANCH, "c = await c"), {COMPILE}),
    ("construct", "dictionary", edit(RETURN, "return {1: 1050}[1]"), {REMASK}),
    ("construct", "set", edit(RETURN, "return {1050}"), {REMASK}),
    ("construct", "list", edit(RETURN, "return [c][0] + b * 90"), {REMASK}),
    ("construct", "break outside a loop", body("break"), {COMPILE}),
    ("construct", "return outside a function", GOOD + "return 1050\n", {COMPILE}),
    ("construct", "type alias", "type X = int\n" + GOOD, {REMASK, PARSE}),
    ("exit", "exit()", body("exit(0)"), {REMASK}),
    ("exit", "raise", body("raise SystemExit"), {REMASK}),
    ("exit", "quit at import", "quit()\n" + GOOD, {REMASK}),
    ("exit", "os._exit", "import os; os._exit(0)\n" + GOOD, {REMASK}),
    ("exit", "print and exit", "print('PASS'); raise SystemExit(0)\n", {REMASK}),
    ("exit", "main guard", GOOD + "if __name__ == '__main__': codoku(1, 2)\n", {REMASK}),
    # Unicode and numbers.
    ("unicode", "look-alike name", edit(RETURN, "return с + b * 90"), {REMASK}),
    ("unicode", "Arabic digits", edit("-500", "-٥٠٠"), {PARSE}),
    ("unicode", "full-width digits", edit("-500", "-５００"), {PARSE}),
    ("unicode", "superscript", edit("-500", "-500²"), {PARSE}),
    ("unicode", "minus sign", edit("-500", "\u2212500"), {PARSE}),
    ("unicode", "no-break space", edit("c: int", "c:\xa0int"), {PARSE}),
    ("number", "bool for a constant", edit("-500", "-True"), {REMASK}),
    ("number", "float for an int", edit("-500", "-500.0"), {CONST}),
    ("number", "complex", edit("-500", "-500j"), {REMASK}),
    ("number", "infinite", edit("-500", "-1e400"), {REMASK}),
    ("number", "old octal", edit("-500", "-0764"), {PARSE}),
    ("number", "doubled underscore", edit("-500", "-5__00"), {PARSE}),
    ("number", "trailing letter", edit("-500", "-500L"), {PARSE}),
    ("number", "attribute of a float", edit("-500", "-500..real"), {REMASK}),
    ("number", "not in the table", edit("-500", "-501"), {OUTPUT}),
    ("number", "huge decimal", edit("-500", "-" + "9" * 4000), {REMASK}),
    ("number", "huge hexadecimal", edit("-500", "-0x" + "f" * 200_000), {REMASK}),
    # Nesting and size.
    ("size", "too large", GOOD + "#" * (1 << 18), {BASICS}),
    ("size", "parentheses", edit("-500", "-" + "(" * 150 + "500" + ")" * 150 + " + 1"), {REMASK}),
    ("size", "more parentheses", edit("-500", "-" + "(" * 5000 + "500" + ")" * 5000), {PARSE}),
    ("size", "signs", edit("-500", "-" * 100_000 + "500"), {PARSE}),
    ("size", "signs within CPython's bounds", edit("-500", "-" * 900 + "500"), {PARSE}),
    ("size", "sum", edit("-500", "-500" + "+1" * 100_000), {PARSE}),
    ("size", "power", edit("-500", "-500" + "**1" * 50_000), {PARSE}),
    ("size", "comparison", edit("c < b", "c" + "<b" * 100_000), {REMASK}),
    ("size", "attributes", edit("-500", "-a" + ".b" * 100_000), {PARSE}),
    ("size", "subscripts", edit("-500", "-" + "a[" * 50_000), {PARSE}),
    ("size", "calls", edit("-500", "-a" + "()" * 100_000), {PARSE}),
    ("size", "lambdas", edit("-500", "-(" + "lambda:" * 30_000 + "0)"), {PARSE}),
    ("size", "conditionals", edit("-500", "-(" + "a if a else " * 20_000 + "0)"), {PARSE}),
    ("size", "elifs", "if a: pass\n" + "elif a: pass\n" * 18_000, {PARSE}),
    ("size", "indentation", "".join(" " * i + "if a:\n" for i in range(99)) + " " * 99 + "pass\n", {REMASK}),
    ("size", "deeper indentation", "".join(" " * i + "if a:\n" for i in range(300)), {PARSE}),
    ("size", "statements", edit("c += 25", "; ".join(["c += 25"] * 20_000)), {REMASK}),
    ("size", "strings", body(*(f"'{i}' * 4096" for i in range(5_000))), {REMASK}),
    ("size", "powers of literals", edit("-500", "-(9**9**9**9)"), {REMASK}),
    ("size", "shift of literals", edit("-500", "-(1 << 10**9)"), {REMASK}),
    ("size", "f-strings", "f'{" * 50_000, {PARSE}),
    ("size", "brackets", "[" * 100_000, {PARSE}),
    ("size", "with", "with " + "(" * 190 + "a" + ")" * 190, {PARSE}),
    ("size", "patterns", "match a:\n case " + "[" * 190 + "a" + "]" * 190 + ": pass", {PARSE, REMASK, COMPILE}),
    ("size", "newlines", "\n" * 200_000, {REMASK}),
    ("size", "semicolons", ";" * 200_000, {PARSE}),
    # Unfilled cells.
    ("unfilled", "puzzle itself", format_puzzle(PUZZLES["diamond"][0]), {BASICS}),
    ("unfilled", "one cell", edit(RETURN, "return c + <ID> * 90"), {BASICS}),
]


@pytest.mark.parametrize(("kind", "name", "candidate", "stages"), TEXTS, ids=[f"{t[0]}: {t[1]}" for t in TEXTS])
def test_forged_text_never_passes(kind, name, candidate, stages):
    start = time.process_time()
    verdict = check(PUZZLES["diamond"][0], candidate)
    assert verdict.stage in stages, verdict
    assert len(verdict.message) < 500
    assert time.process_time() - start < 2


ACCEPTED = [
    ("hexadecimal", edit("-500", "-0x1F4")),
    ("underscores", edit("-500", "-5_0_0")),
    ("octal and binary", edit("-500", "-0o764", "a * 25", "a * 0b11001")),
    ("byte order mark", "\ufeff" + GOOD),
    ("coding of UTF-8", "# -*- coding: UTF_8 -*-\n" + GOOD),
    ("coding of UTF-8 as an editor writes it", "# -*- coding: utf-8-unix -*-\n" + GOOD),
    ("coding in a comment behind code", edit(DEF, DEF + "\n    # coding: no such thing", text=GOOD.split("\n\n")[1])),
    ("identifiers that CPython normalizes", edit(RETURN, "return \uff43 + \U0001d41b * 90")),
    ("blocks moved", GOOD.replace("CFG_BLOCK: b1", "CFG_BLOCK: b7")),
    ("annotations gone", "\n".join(row for row in GOOD.split("\n") if "#@" not in row)),
    ("annotations changed", GOOD.replace("== 1050", "== 1").replace("500:1", "1:1").replace("entry -> b1, b2", "x")),
    ("annotations added", GOOD + "#@CHECKSUM: 5\n#@EXE_PATH 1: entry -> exit\n#@INOUT_EX: codoku(1) == x\n"),
    ("marks in comments", edit(FIRST, FIRST + " #@CFG_BLOCK: entry <ID> <CONST>")),
    ("backslash before a comment", edit(FIRST, FIRST + " \\\n # x")),
    ("backslash", edit("c + b", "c \\\n    + b")),
    ("carriage returns", GOOD.replace("\n", "\r")),
    ("carriage returns and line feeds", GOOD.replace("\n", "\r\n")),
    ("form feeds", GOOD.replace("\n    #@", "\n\f\n    #@")),
    ("semicolon", edit("c += 25", "c += 25;")),
    ("one line suites", edit("else:\n        #@CFG_BLOCK: b2\n        ", "else: ")),
    ("bytes", GOOD.encode()),
]


@pytest.mark.parametrize(("name", "candidate"), ACCEPTED, ids=[case[0] for case in ACCEPTED])
def test_what_comments_and_spelling_say_means_nothing(name, candidate):
    verdict = check(PUZZLES["diamond"][0], candidate)
    assert verdict.passed, verdict


# name, cell to change, fill, stages: every kind of cell, wrong kinds and values outside the domain
FILLS = [
    ("diamond", 1, "a + 1", {REMASK}),
    ("diamond", 1, "__import__('os')", {REMASK}),
    ("diamond", 1, "a\n", {REMASK}),
    ("diamond", 1, "a # ", {REMASK}),
    ("diamond", 1, " a", {REMASK}),
    ("diamond", 1, "", {REMASK}),
    ("diamond", 1, "(a)", {REMASK}),
    ("diamond", 1, "codoku", {REMASK}),
    ("diamond", 1, "25", {REMASK}),
    ("diamond", 1, "True", {REMASK}),
    ("diamond", 1, "\uff41", {REMASK}),
    ("diamond", 1, "\ud800", {REMASK}),
    ("diamond", 1, "a[0]", {REMASK}),
    ("diamond", 0, "a", {REMASK}),
    ("diamond", 0, "-500", {REMASK}),
    ("diamond", 0, "0x1F4", {REMASK}),
    ("diamond", 0, "5_00", {REMASK}),
    ("diamond", 0, "1e400", {REMASK}),
    ("diamond", 0, "inf", {REMASK}),
    ("diamond", 0, "nan", {REMASK}),
    ("diamond", 0, "1j", {REMASK}),
    ("diamond", 0, "-0.0", {REMASK}),
    ("diamond", 0, "True", {REMASK}),
    ("diamond", 0, "None", {REMASK}),
    ("diamond", 0, "9" * 5000, {REMASK}),
    ("diamond", 0, "500\n", {REMASK}),
    ("diamond", 0, "500+0", {REMASK}),
    ("diamond", 0, "٥", {REMASK}),
    ("diamond", 0, "500.0", {CONST}),
    ("diamond", 3, "@", {REMASK}),
    ("diamond", 3, "and", {REMASK}),
    ("diamond", 3, "or", {REMASK}),
    ("diamond", 3, "- -", {REMASK}),
    ("diamond", 3, "is  not", {REMASK}),
    ("diamond", 3, ":=", {REMASK}),
    ("diamond", 3, ",", {REMASK}),
    ("diamond", 3, "+ 1 -", {REMASK}),
    ("diamond", 3, "if", {PARSE}),
    ("diamond", 3, "not", {PARSE}),
    ("diamond", 3, "~", {PARSE}),
    ("diamond", 3, "is", {PATH}),
    ("diamond", 3, "is not", {PATH}),
    ("diamond", 3, "in", {PATH}),
    ("diamond", 3, "not in", {PATH}),
    ("loop", 3, "pass", {REMASK}),
    ("loop", 3, "return", {REMASK}),
    ("loop", 3, "break; break", {REMASK}),
    ("loop", 2, "<", {REMASK}),  # total <= i is no assignment
    ("loop", 2, "==", {PARSE}),
    ("loop", 2, "is", {PARSE}),
    ("flags", 2, "b9", {REMASK}),
    ("flags", 2, "_go_b3", {REMASK}),
    ("flags", 2, "b3 = _go_b2", {REMASK}),
    ("flags", 2, "", {REMASK}),
    ("flags", 5, "_go_b3", {REMASK}),
    ("array", 2, "t0", {REMASK}),
    ("array", 2, "t0[3]", {REMASK}),
    ("array", 2, "t0[-1]", {REMASK}),
    ("array", 2, "t0[a]", {REMASK}),
    ("array", 2, "t0[0][0]", {REMASK}),
    ("array", 2, "t0[True]", {REMASK}),
    ("array", 2, "t0[00]", {REMASK}),
    ("array", 3, "sat_mul", {REMASK}),  # an intrinsic that this puzzle does not offer
    ("array", 3, "cast_int", {REMASK}),
    ("array", 3, "popcount", {REMASK}),
    ("array", 3, "print", {REMASK}),
    ("array", 3, "codoku", {REMASK}),
    ("array", 3, "abs_int", {PATH}),  # another number of arguments
    ("state", 3, "_checksum", {REMASK}),
    ("state", 3, "_checksum[0]", {REMASK}),
    ("state", 4, "checksum", {REMASK}),
    ("floats", 10, "*", {PARSE}),
    ("floats", 6, "*", {PARSE}),
    ("floats", 4, "*", {PARSE}),
]


@pytest.mark.parametrize(("name", "cell", "fill", "stages"), FILLS)
def test_forged_fill_never_passes(name, cell, fill, stages):
    puzzle, solution = PUZZLES[name]
    verdict = check(puzzle, solution.replace(cell, fill))
    assert verdict.stage in stages, verdict
    verdict.message.encode()  # can be printed


@pytest.mark.parametrize("fill", ["t0[-1]", "t0[a]", "t0[3]", "t0", "t0[0:1]", "t0[0, ]", "(t0)[0][0]", "t0[-0]"])
def test_array_elements_in_text(fill):
    text = edit("t0[0] = sat_add", f"{fill} = sat_add", text=solution("array"))
    assert check(PUZZLES["array"][0], text).stage in {REMASK, COMPILE}


@pytest.mark.parametrize(
    "edited",
    [
        edit("_go_b3 = 1", "_go_b9 = 1", text=solution("flags")),
        edit("_go_b3 = 1", "b3 = 1", text=solution("flags")),
        edit("_go_b3 = 1", "_go_ = 1", text=solution("flags")),
        edit("_go_b3 = 1", "_go_b3 = 2", text=solution("flags")),
        edit("_go_b3 = 1", "_go_b3 = _go_b0 = 1", text=solution("flags")),
        edit("if _go_b3", "if _go_b0", text=solution("flags")),
        edit("_checksum = [7]", "_checksum = [8]", text=solution("state")),
        edit("_checksum = [7]", "_checksum = [7, 7]", text=solution("state")),
        edit("_checksum = [7]\n", "", text=solution("state")),
        edit("_checksum = [7]", "_checksum = [7]; _checksum = [7]", text=solution("state")),
        edit("_checksum[0] = checksum", "_checksum[-1] = checksum", text=solution("state")),
        edit("checksum(_checksum[0]", "checksum(_checksum[0], 0", text=solution("state")),
        edit("cast_int(t0[0] * 3, 8)", "cast_int(t0[0] * 3, 9)", text=solution("array")),
    ],
)
@pytest.mark.parametrize("name", ["flags", "state", "array"])
def test_flags_state_and_layout_are_visible_code(name, edited):
    assert check(PUZZLES[name][0], edited).stage is REMASK


# Operators that read as one when they stand side by side.
MERGES = [
    ("b = a <OP> <OP> a", ("is", "not"), {REMASK}),
    ("b = a <OP> <OP> a", ("not", "in"), {REMASK}),
    ("b = <OP> <OP> a", ("-", "-"), {Stage.PASS}),
    ("b = <OP> <OP> a", ("*", "*"), {PARSE}),
    ("b = a <OP> <OP> a", ("*", "*"), {PARSE}),
    ("b = a <OP> <OP> a", ("<", "not"), {PARSE}),
    ("b = a is <OP> a", ("not",), {REMASK}),
    ("b = 2 <OP> <OP> a", ("**", "-"), {Stage.PASS}),
    ("b = <OP> (a in a)", ("not",), {PATH}),
    ("a <OP>= 0", (">",), {REMASK}),
    ("a <OP>= 0", ("=",), {REMASK}),
    ("a <OP>= 3", ("//",), {OUTPUT}),
]


@pytest.mark.parametrize(("statement", "fills", "stages"), MERGES)
def test_neighbouring_operators(statement, fills, stages):
    puzzle = parse_puzzle(straight(statement))
    assert check(puzzle, Assignment(fills)).stage in stages
    assert check(puzzle, format_program(puzzle, Assignment(fills))).stage in stages


@pytest.mark.parametrize("statement", ["b = a is (not a)", "b = not (a is a)", "b = (not a) is a"])
def test_operators_kept_apart_by_parentheses_are_no_other_puzzle(statement):
    puzzle = parse_puzzle(straight("b = a <OP> <OP> a"))
    text = format_program(puzzle, Assignment(("+", "-"))).replace("b = a + -a", statement)
    assert statement in text
    assert check(puzzle, text).stage is REMASK


# A trap traps even where its value is not used.
@pytest.mark.parametrize(
    "statement",
    [
        "b = 1 // (a - 3)",
        "b = 1 % (a - 3)",
        "b = 1 / (a - 3)",
        "b = 0 ** (a - 4)",
        "b = 1 << (a - 4)",
        "b = 1 >> (a - 4)",
        "b = a is a",
        "b = a is not 4",
        "b = 1 if a is 4 else 2",
        "b = 1 < a is a < 5",
        "b = a in a",
        "b = a not in 4",
        "b = ~1.5",
        "b = a & 1.5",
        "b = (0 - a) ** 0.5",
        "b = 2.0 ** 5000",
        "b = cast_int(a, 65)",
        "b = cast_int(1.5, 8)",
        "b = sat_add(a, 200, 8)",
        "b = checksum(1e308 * 10)",
        "b = sat_add(a, a)",
        "if a is a: pass",
        "while a is not a: a = 4",
        "a = a + (c if a < 9 else 1); c = 1",
        "a is_ 1".replace(" is_ 1", " = a if 1 in a else a"),
    ],
)
def test_a_trap_is_not_a_solution(statement):
    puzzle = parse_puzzle(straight(statement))
    verdict = check(puzzle, Assignment(()))
    assert (verdict.stage, verdict.got is not None and verdict.got.startswith("trap")) == (PATH, True), verdict


@pytest.mark.parametrize(
    "statement",
    [
        "while a: pass",
        "while a:\n        while a: a += 1",
        "while 1 < 2: b = a",
        "b = 2 ** 1000 ** 1000",
        "b = 1 << 1000000000000",
        "b = (1 << 4000) * (1 << 4000)",
        "b = 3\n    while a: b *= b",
        "b = 3\n    while a: b **= b",
        "b = 3\n    while a: b <<= b",
        "b = a\n    while a: b += b",
    ],
)
def test_running_away_is_stopped(statement):
    start = time.process_time()
    puzzle = parse_puzzle(straight(statement))
    assert check(puzzle, Assignment(())).stage in {LIMIT, CFG}
    assert time.process_time() - start < 2


def limited(code):
    """Run code with 10 s of CPU and 1 GiB of memory; its return code."""

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

    done = subprocess.run([sys.executable, "-c", code], preexec_fn=limit, capture_output=True, text=True)
    return done.returncode, done.stderr[-300:]


COSTLY = [
    (
        "nested finally",  # CPython compiles each finally suite twice
        "text = ''.join(' ' * i + 'try: pass\\n' + ' ' * i + 'finally:\\n' for i in range(19)) + ' ' * 19 + 'x = 1\\n'",
    ),
    (
        "returns through a finally",
        "text = 'def f():\\n try:\\n' + '  if x:return\\n' * 10000 + ' finally:\\n' + '  x=1\\n' * 18000",
    ),
]


@pytest.mark.parametrize(("name", "text"), COSTLY, ids=[case[0] for case in COSTLY])
def test_a_candidate_that_is_costly_to_compile_is_cheap_to_refuse(name, text):
    code = (
        "from codoku_env import check; from tests.checking.puzzles import PUZZLES\n"
        f"{text}\nassert check(PUZZLES['diamond'][0], text).stage == 'REMASK'"
    )
    assert limited(code) == (0, "")


COSTLY_PUZZLES = [
    (
        "blanks in an import",
        "text = small('from codoku_env.runtime import a' + ' ' * 100000 + '!\\n')",
    ),
    ("blanks in an annotation", "text = small('', more=['#@CONST_TB: 5' + ' ' * 200000 + 'x'])"),
    ("edges", "text = small('', edges=['entry -> ' + ','.join(f'b{i}' for i in range(90000))])"),
    ("chain of edges", "text = small('', edges=[f'b{i} -> b{i + 1}' for i in range(30000)])"),
    ("constant tables", "text = small('', more=[f'#@CONST_TB: {i}:1' for i in range(40000)])"),
    ("statements", "text = straight(*['b = a'] * 60000)"),
    ("flags", "text = straight(*(f'_go_b{i} = 1' for i in range(40000)))"),
    ("flag states", "text = straight(*(f'_go_b{i} = 1\\n    if a: _go_b{i} = 0' for i in range(5000)))"),
    (
        "nested identity",
        "text = 'a'\nfor _ in range(35): text = f'a < ({text}) is 1'\ntext = straight(f'b = {text}')",
    ),
    (
        "doubling",
        "text = straight('b = a', *['b += b'] * 30000, 'c = b', *['c += c'] * 30000, *['d = c // b'] * 9000)",
    ),
    ("cells", "text = straight(*['<ID>=<ID>'] * 50000)"),
    (
        "long path of many examples",
        "text = small('def codoku(a):\\n    #@CFG_BLOCK: entry\\n    a += 0\\n    while a:\\n        #@CFG_BLOCK: b0\\n"
        "        a -= 1\\n    #@CFG_BLOCK: exit\\n    return a\\n', edges=['entry -> b0, exit', 'b0 -> b0, exit'], "
        "path='entry' + ' -> b0' * 60000 + ' -> exit', example='codoku(60000) == 0', "
        "more=['#@INOUT_EX: codoku(60000) == 0'] * 10000)",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "text"), COSTLY_PUZZLES, ids=[case[0] for case in COSTLY_PUZZLES])
def test_a_puzzle_from_a_stranger_costs_little(name, text):
    code = (
        "from codoku_env import *; from tests.checking.puzzles import small, straight\n"
        f"{text}\nassert len(text) <= 1 << 20\n"
        "try: puzzle = parse_puzzle(text)\nexcept PuzzleFormatError: raise SystemExit(0)\n"
        "verdict = check(puzzle, Assignment(tuple(puzzle.domain(cell)[0] for cell in puzzle.cells)))\n"
        "assert verdict.stage not in ('PARSE', 'COMPILE'), verdict"
    )
    assert limited(code) == (0, "")


MISUSE = [
    ("candidate None", lambda puzzle: check(puzzle, None)),  # pyright: ignore[reportArgumentType]
    ("candidate a number", lambda puzzle: check(puzzle, 5)),  # pyright: ignore[reportArgumentType]
    ("assignment of another length", lambda puzzle: check(puzzle, Assignment(("a",)))),
    ("assignment of numbers", lambda puzzle: check(puzzle, Assignment((500, "c", "c", "-", 25, "c", 25, "b")))),  # pyright: ignore[reportArgumentType]
    ("assignment of lists", lambda puzzle: check(puzzle, Assignment(([],) * 8))),  # pyright: ignore[reportArgumentType]
    ("no puzzle", lambda puzzle: check(None, "")),  # pyright: ignore[reportArgumentType]
    ("puzzle as text", lambda puzzle: check(format_puzzle(puzzle), "")),  # pyright: ignore[reportArgumentType]
    ("limits a number", lambda puzzle: check(puzzle, "", 5)),  # pyright: ignore[reportArgumentType]
]


@pytest.mark.parametrize(("name", "call"), MISUSE, ids=[case[0] for case in MISUSE])
def test_misuse_is_a_config_error(name, call):
    with pytest.raises(ConfigError):
        call(PUZZLES["diamond"][0])


# name, text of a puzzle whose names would change what the checker does
RESERVED = [
    ("parameter like a flag", straight("_go_b1 = 1").replace("codoku(a)", "codoku(a, _go_b1)")),
    ("function like a flag", straight("if _go_b1: pass").replace("codoku", "_go_b1")),
    ("function like an internal helper", straight().replace("codoku", "saturate")),
    ("function like an internal check", straight().replace("codoku", "require_int")),
]


@pytest.mark.parametrize(("name", "text"), RESERVED, ids=[case[0] for case in RESERVED])
def test_names_that_mean_something_to_the_checker_are_reserved(name, text):
    with pytest.raises(PuzzleFormatError, match="reserved"):
        parse_puzzle(text)


def test_flags_are_no_variables():
    puzzle = parse_puzzle(masked(FLAGS))
    assert not [fill for fill in puzzle.body.id_domain if fill.startswith("_go_")]


def test_an_array_is_no_variable():
    assert "t0" not in parse_puzzle(masked(ARRAY)).body.id_domain


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_no_mutation_of_a_text_raises(seed):
    rng = random.Random(seed)
    bits = ["<ID>", "#@", "\n", "    ", "\t", ";", ":", "(", ")", "\\", "\r", "\f", "\0", "\x85", "1e999", "0x", "not "]
    bits += ["is ", "if ", "else ", "while ", "def ", "lambda", "'", "->", "**", "é", "\ud800", "t0[0]", "_go_b1"]
    spoil = partial(_spoil, rng, bits)
    for _ in range(3000):
        name = rng.choice(list(PUZZLES))
        puzzle, solution = PUZZLES[name]
        check(puzzle, spoil(format_program(puzzle, solution)))
        place = _place_of_error(spoil(format_puzzle(puzzle)))
        assert None not in place


def _place_of_error(text):
    try:
        parse_puzzle(text)
    except PuzzleFormatError as error:
        return error.line, error.column
    return (1, 1)


def _spoil(rng, bits, text):
    for _ in range(rng.choice([1, 1, 2, 3])):
        start = rng.randrange(len(text) + 1)
        text = text[:start] + rng.choice(bits) + text[start + rng.choice([0, 0, 1, 3, 10]) :]
    return text
