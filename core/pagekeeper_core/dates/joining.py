"""Numbers and the signs behind them in Chinese, Japanese and Korean: 3月, 15日, 2026年, 3年前."""

from dataclasses import replace

from pagekeeper_core.dates.tokens import KINDS, Token, Unit

__all__ = ["joined"]

_NOT_A_DAY = frozenset("楼樓线線门門车車房桌机機店院厅館馆仓窗床中间間")
"""Behind "15号" these make a house, a bus or a line of it."""

_HAN_DIGITS = frozenset("一二三四五六七八九十两兩")


def joined(text: str, tokens: list[Token]) -> list[Token]:
    """The tokens with numbers and signs made into years, months and days of a month."""
    made: list[Token] = []
    for place, token in enumerate(tokens):
        number = made[-1] if made and _is_number_before(made[-1], token) else None
        following = tokens[place + 1].kind if place + 1 < len(tokens) else ""
        made[len(made) - (number is not None) :] = _together(number, token, following)
    return _with_days_alone(text, made)


def _is_number_before(number: Token, sign: Token) -> bool:
    return number.kind in "ny" and sign.kind in "Yjg" and sign.start - number.end <= 1


def _together(number: Token | None, sign: Token, following: str) -> list[Token]:
    if sign.kind not in "Yjg":
        return [token for token in (number, sign) if token]
    if number is None:
        return [replace(sign, kind=KINDS["other"])]
    limit, kind, unit = _MEANINGS[sign.kind]
    is_length = following in {"a", "h"} or not limit[0] <= number.value <= limit[1]
    if is_length and unit is not None:
        return [number, replace(sign, kind=KINDS["unit"], value=unit)]
    if is_length:
        return [replace(sign, kind=KINDS["other"], start=number.start)]
    return [Token(kind, number.value, number.start, sign.end)]


_MEANINGS = {
    "Y": ((1900, 2100), KINDS["year"], Unit.YEAR),
    "j": ((1, 12), KINDS["month"], None),
    "g": ((1, 31), KINDS["ordinal"], Unit.DAY),
}


def _with_days_alone(text: str, tokens: list[Token]) -> list[Token]:
    """A preposition before "15号" that stands by itself: days are only days behind a month or one.

    "15号线" is an underground line, and "一日" in Han digits a length of time.
    """
    made: list[Token] = []
    for token in tokens:
        is_day = token.kind == "o" and text[token.end - 1] in "号號日일"
        if is_day and (not made or made[-1].kind not in "mMyu-e&qi@"):
            if text[token.end : token.end + 1] in _NOT_A_DAY or _is_length(text, token):
                made.append(replace(token, kind=KINDS["other"]))
                continue
            made.append(Token(KINDS["on"], 0, token.start, token.start))
        made.append(token)
    return made


def _is_length(text: str, token: Token) -> bool:
    return text[token.end - 1] == "日" and text[token.start] in _HAN_DIGITS
