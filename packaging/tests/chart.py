"""Renders the Helm chart without Helm, which no package index carries.

Knows the part of Go's templates that the chart uses and refuses everything else, so the chart stays within it.
CI renders the chart with Helm itself.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Callable

import yaml

ACTION = re.compile(r"{{(-)?\s*(.*?)\s*(-)?}}", re.S)
WORD = re.compile(r'"(?:[^"\\]|\\.)*"|[()|]|[^\s()|]+')


class ChartError(Exception):
    """A message of `required`, or a construct that this renderer does not know."""


def merge(base: Any, over: Any) -> Any:
    if isinstance(base, dict) and isinstance(over, dict):
        return {key: merge(base.get(key), over[key]) if key in over else base[key] for key in {**base, **over}}
    return over


def to_yaml(value: Any) -> str:
    return yaml.safe_dump(value, default_flow_style=False).rstrip("\n")


def required(message: str, value: Any) -> Any:
    if value in (None, ""):
        raise ChartError(message)
    return value


class Chart:
    """A chart in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = yaml.safe_load((folder / "Chart.yaml").read_text())
        self.values = yaml.safe_load((folder / "values.yaml").read_text())
        self.templates: dict[str, list] = {}
        self.functions: dict[str, Callable[..., Any]] = {
            "include": lambda name, dot: self.execute(self.templates[name], dot),
            "printf": lambda form, *values: form % values,
            "default": lambda fallback, value: value or fallback,
            "quote": lambda value: '"%s"' % value,
            "required": required,
            "toYaml": to_yaml,
            "nindent": lambda count, text: "\n" + "\n".join(" " * count + line if line else "" for line in text.split("\n")),
            "trunc": lambda count, text: text[:count],
            "trimSuffix": lambda suffix, text: text.removesuffix(suffix),
            "not": lambda value: not value,
        }

    def render(self, release: str = "test", **values: Any) -> dict[str, str]:
        """Returns the text of each template, by file name."""
        dot = {
            "Values": merge(self.values, values),
            "Chart": {"Name": self.manifest["name"], "Version": self.manifest["version"], "AppVersion": self.manifest["appVersion"]},
            "Release": {"Name": release, "Service": "Helm", "Namespace": "default"},
        }
        trees = {path.name: self.parse(path.read_text()) for path in sorted((self.folder / "templates").iterdir())}
        return {name: self.execute(tree, dot) for name, tree in trees.items() if not name.startswith("_")}

    def parse(self, text: str) -> list:
        """Returns a tree: text, ("put", pipeline), ("if" or "with", pipeline, then, otherwise)."""
        stack: list[tuple] = [("root", [], None)]
        at, trim = 0, ""
        for match in ACTION.finditer(text):
            left, action, right = match.groups(default="")
            before = text[at : match.start()]
            before = before.lstrip() if trim else before
            stack[-1][1].append(before.rstrip() if left else before)
            at, trim = match.end(), right
            keyword, _, rest = action.partition(" ")
            if keyword in ("if", "with"):
                stack.append((keyword, [], rest))
            elif keyword == "define":
                stack.append((keyword, [], rest.strip('"')))
            elif keyword == "end":
                kind, body, what = stack.pop()
                if kind == "define":
                    self.templates[what] = body
                else:
                    stack[-1][1].append((kind, what, body))
            elif keyword in ("else", "range", "template", "block") or action.startswith("/*") or ":=" in action:
                raise ChartError(f"'{action}' is not supported here")
            else:
                stack[-1][1].append(("put", action, []))
        if len(stack) != 1:
            raise ChartError(f"'{stack[-1][0]}' has no end")
        stack[0][1].append(text[at:].lstrip() if trim else text[at:])
        return stack[0][1]

    def execute(self, tree: list, dot: Any) -> str:
        written = ""
        for node in tree:
            if isinstance(node, str):
                written += node
                continue
            kind, pipeline, body = node
            value = self.pipeline(WORD.findall(pipeline), dot)
            if kind == "put":
                written += "" if value is None else {True: "true", False: "false"}.get(value, str(value)) if isinstance(value, bool) else str(value)
            elif value:
                written += self.execute(body, value if kind == "with" else dot)
        return written

    def pipeline(self, words: list[str], dot: Any) -> Any:
        commands: list[list[str]] = [[]]
        depth = 0
        for word in words:
            depth += (word == "(") - (word == ")")
            if word == "|" and depth == 0:
                commands.append([])
            else:
                commands[-1].append(word)
        piped: list[Any] = []
        for command in commands:
            values = self.operands(command, dot)
            head, arguments = values[0], [*values[1:], *piped]
            piped = [head(*arguments) if callable(head) else head]
        return piped[0]

    def operands(self, words: list[str], dot: Any) -> list[Any]:
        values, rest = [], list(words)
        while rest:
            word = rest.pop(0)
            if word == "(":
                inner, depth = [], 1
                while depth:
                    inner.append(rest.pop(0))
                    depth += (inner[-1] == "(") - (inner[-1] == ")")
                values.append(self.pipeline(inner[:-1], dot))
            else:
                values.append(self.operand(word, dot))
        return values

    def operand(self, word: str, dot: Any) -> Any:
        if word.startswith('"'):
            return word[1:-1]
        if word.isdigit():
            return int(word)
        if word in self.functions:
            return self.functions[word]
        if word == ".":
            return dot
        if word.startswith("."):
            value = dot
            for name in word[1:].split("."):
                if name not in value:
                    raise ChartError(f"'{word}' does not exist")
                value = value[name]
            return value
        raise ChartError(f"'{word}' is not supported here")
