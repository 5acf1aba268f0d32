"""The text of a DBC file -> tokens with their lines.

A word is everything between blanks and punctuation, so that names may begin with a digit and
numbers with a point.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from vdsim_protocol.checked_file import FileError

_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r\n\f\v\x00]+)
      |(?P<comment>//[^\n]*)
      |"(?P<text>(?:\\"|[^"])*)"
      |(?P<mark>[:;|@()\[\],])
      |(?P<word>[^ \t\r\n\f\v\x00:;|@()\[\],"]+)""",
    re.VERBOSE,
)


class Token(NamedTuple):
    """`kind`: word, text (of a string, without its quotes), mark, or end."""

    kind: str
    value: str
    line: int


def tokens_of(text: str, source: str) -> list[Token]:
    """Return the tokens of a file, closed by one of the kind "end"."""
    tokens: list[Token] = []
    place, line = 0, 1
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:  # only an opening quote is no token by itself
            raise FileError(source, f"line {line}", 'a text that begins with " does not end')
        kind = match.lastgroup or ""
        if kind not in {"blank", "comment"}:
            value = match.group(kind)
            tokens.append(Token(kind, value.replace('\\"', '"') if kind == "text" else value, line))
        line += match.group().count("\n")
        place = match.end()
    tokens.append(Token("end", "the end of the file", line))
    return tokens


class Tokens:
    """Reads tokens one after the other; every refusal names file and line."""

    def __init__(self, text: str, source: str) -> None:
        self._tokens = tokens_of(text, source)
        self._place = 0
        self.source = source

    @property
    def next(self) -> Token:
        """The token that comes next."""
        return self._tokens[self._place]

    def take(self) -> Token:
        """Return the next token and go on; the end stays the end."""
        token = self._tokens[self._place]
        if token.kind != "end":
            self._place += 1
        return token

    def takes(self, value: str) -> bool:
        """Go on past a mark or word when it comes next."""
        if self.next.kind in {"mark", "word"} and self.next.value == value:
            self._place += 1
            return True
        return False

    def expect(self, value: str, after: str) -> None:
        """Go on past a mark that must come next."""
        if not self.takes(value):
            self.refuse(f"{after}: expected {value!r}, not {_shown(self.next)}")

    def word(self, what: str) -> str:
        """Return the word that must come next."""
        if self.next.kind != "word":
            self.refuse(f"expected {what}, not {_shown(self.next)}")
        return self.take().value

    def text(self, what: str) -> str:
        """Return the text in quotes that must come next."""
        if self.next.kind != "text":
            self.refuse(f'expected {what} in "", not {_shown(self.next)}')
        return self.take().value

    def integer(self, what: str, low: int, high: int) -> int:
        """Return the whole number that must come next."""
        token = self.next
        word = self.word(what)
        value = int(word) if re.fullmatch(r"[-+]?[0-9]{1,20}", word) else None
        if value is None or not low <= value <= high:
            self.refuse(f"{what} {word[:40]}: must be a whole number of {low} to {high}", token)
        assert value is not None
        return value

    def number(self, what: str) -> float:
        """Return the finite number that must come next."""
        token = self.next
        word = self.word(what)
        if re.fullmatch(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?", word[:400]):
            value = float(word)
            if abs(value) < float("inf"):
                return value
        self.refuse(f"{what} {word[:40]}: must be a finite number", token)
        raise AssertionError

    def skip_statement(self) -> None:
        """Go on past the next semicolon, or to the next word that begins a line."""
        line = self.next.line
        while self.next.kind != "end" and not self.takes(";"):
            if self.next.line > line and self.next.value in KEYWORDS and self.next.kind == "word":
                return
            line = self.take().line

    def refuse(self, problem: str, at: Token | None = None) -> None:
        """Raise the error of a token, by default of the next one."""
        raise FileError(self.source, f"line {(at or self.next).line}", problem)


def _shown(token: Token) -> str:
    return token.value if token.kind == "end" else repr(token.value[:40])


KEYWORDS = frozenset(
    {
        *("VERSION", "NS_", "BS_", "BU_", "VAL_TABLE_", "BO_", "SG_", "BO_TX_BU_", "EV_"),
        *("ENVVAR_DATA_", "SGTYPE_", "CM_", "BA_DEF_", "BA_DEF_REL_", "BA_DEF_DEF_", "BA_"),
        *("BA_DEF_DEF_REL_", "BA_REL_", "VAL_", "SIG_GROUP_", "SIG_VALTYPE_", "SG_MUL_VAL_"),
        *("BA_DEF_SGTYPE_", "BA_SGTYPE_", "SIG_TYPE_REF_", "SGTYPE_VAL_", "CAT_DEF_", "CAT_"),
        *("FILTER", "BU_SG_REL_", "BU_EV_REL_", "BU_BO_REL_", "NS_DESC_", "SIGTYPE_VALTYPE_"),
    }
)
"""Words that begin a statement."""
