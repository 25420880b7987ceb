"""The solver's answers depend on the query alone, and it can be interrupted."""

import subprocess
import sys
from pathlib import Path

from codoku_env.synthesis import smt

FACTORS = """
(declare-const a (_ BitVec 48)) (declare-const b (_ BitVec 48))
(assert (= (bvmul a b) (_ bv70368744177687 48)))
(assert (bvult (_ bv3 48) a)) (assert (bvult (_ bv3 48) b))
(assert (bvult a (_ bv16777216 48))) (assert (bvult b (_ bv16777216 48)))
"""


def test_models_are_signed_and_cover_what_matters():
    script = "(declare-const x (_ BitVec 8)) (define-fun y () Bool (= x (_ bv254 8))) (assert y)"
    assert smt.solve(script, 100_000, 0) == {"x": -2}


def test_no_model_and_no_budget_are_none():
    assert smt.solve("(declare-const x (_ BitVec 8)) (assert (bvslt x x))", 100_000, 0) is None
    assert smt.solve(FACTORS, 20_000, 0) is None


def test_earlier_queries_do_not_change_an_answer():
    script = "(declare-const x (_ BitVec 32)) (declare-const y (_ BitVec 32)) (assert (= (bvmul x y) (_ bv9699690 32)))"
    first = smt.solve(script, 3_000_000, 1)
    assert first is not None
    for constant in range(3):
        smt.solve(f"(declare-const x (_ BitVec 16)) (assert (= (bvmul x x) (_ bv{constant} 16)))", 100_000, constant)
        assert smt.solve(script, 3_000_000, 1) == first


def test_an_interrupt_is_not_taken_for_an_exhausted_budget():
    code = f"""
import os, signal, threading, time
from codoku_env.synthesis import smt
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    smt.solve('''{FACTORS}''', 3_000_000, 0)
    time.sleep(1)
except KeyboardInterrupt:
    print("interrupted")
"""
    root = Path(__file__).parents[2]
    result = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert result.stdout == "interrupted\n"
