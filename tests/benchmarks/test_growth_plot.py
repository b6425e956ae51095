"""The picture of how costs grow, from made-up figures."""

from xml.etree import ElementTree

from benchmarks.figures import Figure, at_most, reported
from benchmarks.growth_plot import draw, series_of

MADE_UP = [
    reported("growth: recall search at 1,000,000", 1.9, "times"),
    reported("growth: recall search at 10,000", 1.0, "times"),
    at_most("growth: recall search at 100,000", 1.2, 2, "times"),
    reported("window: first paint", 0.4, "s"),
    reported("growth: size & more <on disk> at 600", 1.0, "times"),
    reported("growth: size & more <on disk> at 6,000", 9.8, "times"),
    reported("growth: measured once at 10", 1.0, "times"),
]


def words_of(figures: list[Figure]) -> list[str]:
    """All texts of the picture, which must be sound XML."""
    tree = ElementTree.fromstring(draw(series_of(figures)))
    return [element.text or "" for element in tree.iter("{http://www.w3.org/2000/svg}text")]


def test_sizes_ascend_and_other_figures_are_left_out() -> None:
    assert series_of(MADE_UP) == {
        "recall search": [(10_000, 1.0), (100_000, 1.2), (1_000_000, 1.9)],
        "size & more <on disk>": [(600, 1.0), (6_000, 9.8)],
    }


def test_each_panel_names_its_sizes_and_costs() -> None:
    words = words_of(MADE_UP)
    for expected in ("recall search", "10k", "100k", "1M", "1.9", "size & more <on disk>", "9.8"):
        assert expected in words


def test_all_panels_share_the_scale_of_the_widest() -> None:
    assert words_of(MADE_UP).count("100×") == 2


def test_a_cost_that_falls_stays_within_the_panel() -> None:
    falling = [
        reported("growth: search at 10", 1.0, "times"),
        reported("growth: search at 100", 0.01, "times"),
    ]
    assert "0.01" in words_of(falling)
