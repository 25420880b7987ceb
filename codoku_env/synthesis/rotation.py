"""Rotated loops: ``while condition`` instead of ``while True`` and a break, with the header at two places.

The header's statements stand before the loop and once more at the end of its body, so that the block starts at both
places; its condition stands once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np

from codoku_env.synthesis.cfg import Flow
from codoku_env.synthesis.lowering import lower
from codoku_env.synthesis.profiles import Profile
from codoku_env.synthesis.structure import Branch, Jump, Loop, Node, Straight, Structure, While, suites, with_suites

__all__ = ["draw_structure", "rotatable", "rotate"]


def draw_structure(flow: Flow, profile: Profile, rng: np.random.Generator) -> Structure:
    """Structured code for the graph, with the choices that there are drawn as the profile says.

    Args:
        flow: The graph.
        profile: How probable each choice is.
        rng: Source of every choice.

    Raises:
        ConfigError: The code would nest deeper than a body may.
    """

    def chosen(labels: Iterable[str], probability: float) -> list[str]:
        return [label for label in labels if rng.random() < probability] if probability else []

    structure = lower(flow, chosen(flow.order[1:], profile.apart), chosen(flow.order, profile.explicit_continue))
    return rotate(structure, flow, chosen(rotatable(structure), profile.rotation))


def rotatable(structure: Structure) -> tuple[str, ...]:
    """Headers of the loops that can be rotated, in program order.

    These are the loops that begin by breaking out on a condition and go round only by reaching the end of their body.
    """
    return tuple(_headers(structure.nodes))


def rotate(structure: Structure, flow: Flow, headers: Collection[str]) -> Structure:
    """The same graph as code in which the loops of these headers, each of them rotatable, are rotated."""
    then = {
        label: next(t for t in flow.cfg.successors(label) if t != target) if label in headers else target
        for label, target in structure.then.items()
    }
    loops = {header: flow.loops[header] for header in flow.loops if header in headers}
    return replace(structure, nodes=_rotated(structure.nodes, headers), then=then, rotated=loops)


def _headers(nodes: Sequence[Node]) -> list[str]:
    result: list[str] = []
    for node in nodes:
        header = _header(node)
        result += [header] if header else []
        for suite in suites(node):
            result += _headers(suite)
    return result


def _header(node: Node) -> str | None:
    """Header of the loop that the node is, if it can be rotated."""
    match node:
        case Loop(body=(Straight(label=label), Branch(then=(Jump(keyword="break"),), otherwise=()) as branch, *rest)):
            return label if branch.label == label and not _continues(rest) else None
        case _:
            return None


def _continues(nodes: Sequence[Node]) -> bool:
    """Whether a continue of the loop around the nodes is among them."""
    return any(
        node == Jump("continue") or (not isinstance(node, Loop | While) and any(map(_continues, suites(node))))
        for node in nodes
    )


def _rotated(nodes: Sequence[Node], headers: Collection[str]) -> tuple[Node, ...]:
    result: list[Node] = []
    for node in nodes:
        header = _header(node)
        inner = with_suites(node, tuple(_rotated(suite, headers) for suite in suites(node)))
        if header is not None and header in headers and isinstance(inner, Loop):
            start, _, *rest = inner.body
            result += [start, While(header, (*rest, Straight(header, again=True)))]
        else:
            result.append(inner)
    return tuple(result)
