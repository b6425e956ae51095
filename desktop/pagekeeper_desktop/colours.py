"""The two sets of colours, and the measure of whether they can be read."""

from dataclasses import dataclass

__all__ = ["DARK", "LIGHT", "Colours", "contrast"]


@dataclass(frozen=True, slots=True)
class Colours:
    """All colours of a theme, as #rrggbb.

    Attributes:
        window: Behind everything.
        surface: Cards, fields, the panel.
        raised: Hovered and pressed things.
        border: Lines that separate; not for text.
        text: Body text.
        muted: Text of lesser weight.
        accent: Buttons, focus, progress.
        accent_text: Links: the accent where it is text.
        on_accent: Text on the accent.
        user: Behind the person's messages.
        code: Behind code.
        danger: Text that says that something failed.
        danger_surface: Behind a banner that says so.
        notice_surface: Behind a banner that only tells.
        instructions: The meter's region, as the next three.
        working_context: Violet.
        summary: Amber.
        queue: Blue.
        reserve: What is kept for the reply.
    """

    window: str
    surface: str
    raised: str
    border: str
    text: str
    muted: str
    accent: str
    accent_text: str
    on_accent: str
    user: str
    code: str
    danger: str
    danger_surface: str
    notice_surface: str
    instructions: str
    working_context: str
    summary: str
    queue: str
    reserve: str


LIGHT = Colours(
    window="#f7f6f3",
    surface="#ffffff",
    raised="#eceae4",
    border="#dcd9d1",
    text="#1f2328",
    muted="#5b6069",
    accent="#0f766e",
    accent_text="#0b655e",
    on_accent="#ffffff",
    user="#e3efec",
    code="#f0eee8",
    danger="#a1261d",
    danger_surface="#fbe9e6",
    notice_surface="#e6f1ef",
    instructions="#8d939c",
    working_context="#7c5cd6",
    summary="#d08a12",
    queue="#3b7dd8",
    reserve="#e4e1d9",
)

DARK = Colours(
    window="#15171a",
    surface="#1d2024",
    raised="#292d32",
    border="#353a41",
    text="#e7e9ec",
    muted="#a3a9b2",
    accent="#2fb5a6",
    accent_text="#5fd0c3",
    on_accent="#06201d",
    user="#1f3936",
    code="#25292e",
    danger="#ff9d92",
    danger_surface="#3a2220",
    notice_surface="#1c312f",
    instructions="#7d848e",
    working_context="#9b80ea",
    summary="#dfa234",
    queue="#5b9bea",
    reserve="#2b2f35",
)


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.2, relative luminance)."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
