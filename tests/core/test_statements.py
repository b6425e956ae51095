"""Which sentences may tell something lasting, and how two facts stand to each other."""

import pytest

from pagekeeper_core.fact_comparison import as_line, ends, is_grounded, says_already
from pagekeeper_core.statements import statements_in


def texts(said: str, *names: str) -> list[str]:
    return [statement.text for statement in statements_in(said, names)]


class TestStatements:
    @pytest.mark.parametrize(
        "said",
        [
            "Where do I live?",
            "我女儿几岁了？",
            "Thank you, that helps me.",
            "Please write a card for my sister.",
            "I want you to translate this.",
            "I'm a bit tired.",
            "If I were rich, I would sail.",
            "如果我有钱，我想去旅行。",
            "My cat is called Miso, as you know.",
            "> I live in Hamburg",
            'He wrote "I am moving to Hamburg on Monday".',
            "The letter:\nI live in Hamburg now.",
            "That's funny, I laughed a lot.",
            "Paris is the capital of France.",
            "I " + "really " * 40 + "like tea.",
            "I live in Porto. " * 80,
            "",
            "!!!",
        ],
    )
    def test_what_tells_nothing(self, said: str) -> None:
        assert texts(said) == []

    def test_sentences_stand_alone(self) -> None:
        said = "Hi! I live in Porto. Do you know it? 我喜欢爬山。\nMy knee hurts"
        assert texts(said) == ["I live in Porto.", "我喜欢爬山。", "My knee hurts"]

    @pytest.mark.parametrize(
        "said",
        ["Hi, I live in Porto.", "Good news: I live in Porto.", "By the way, I live in Porto."],
    )
    def test_a_word_of_greeting_is_left_out(self, said: str) -> None:
        assert texts(said) == ["I live in Porto."]

    def test_two_facts_in_a_sentence_are_two(self) -> None:
        assert texts("I'm a cook, and I live in Ghent.") == ["I'm a cook", "I live in Ghent."]

    def test_somebody_whom_memory_knows_counts(self) -> None:
        assert texts("Rita has changed her mind.") == []
        assert texts("Rita has changed her mind.", "Rita") == ["Rita has changed her mind."]

    @pytest.mark.parametrize(
        ("said", "is_lasting"),
        [
            ("My brother Jan lives in Oslo.", True),
            ("I'm allergic to nuts.", True),
            ("我对海鲜过敏。", True),
            ("I have a dentist appointment on 14 May at nine.", True),
            ("I can't stand coriander.", True),
            ("I hate this weather.", False),
            ("以后叫我小周就行", True),
            ("I have to call the bank at three.", False),
            ("I love this weather.", False),
            ("我喜欢这个天气。", False),
            ("Я живу в Одессе уже давно.", False),
        ],
    )
    def test_the_form_alone_may_show_that_it_lasts(self, said: str, is_lasting: bool) -> None:
        (statement,) = statements_in(said)
        assert statement.is_lasting is is_lasting


class TestComparison:
    @pytest.mark.parametrize(
        ("fact", "line"),
        [
            ("I'm allergic to nuts.", "Allergic to nuts"),
            ("I am a cook.", "A cook"),
            ("I play the cello and I teach.", "Plays the cello and teaches"),
            ("My daughter Rita is nine", "Daughter Rita is nine"),
            ("我的女儿叫小雨。", "女儿叫小雨"),
            ("The user likes tea", "Likes tea"),
        ],
    )
    def test_a_fact_as_a_line(self, fact: str, line: str) -> None:
        assert as_line(fact) == line

    @pytest.mark.parametrize(
        ("line", "fact", "said"),
        [
            ("Has a cat called Miso", "We have a cat, Miso", True),
            ("Lives in Porto since June", "Lives in Porto", True),
            ("Plays the cello", "I play the cello, you see.", True),
            ("Lives in Porto", "Lived in Porto", False),
            ("Moved to Porto", "We live in Porto now", True),
            ("Husband Paulo is a carpenter", "Husband Paulo broke his arm", False),
            ("Daughter Rita plays chess", "Daughter Rita plays the flute", False),
            ("Rita is eight", "Rita is nine", False),
            ("Eats meat", "Does not eat meat", False),
        ],
    )
    def test_what_a_line_says_already(self, line: str, fact: str, said: bool) -> None:
        assert says_already(line, fact) is said

    @pytest.mark.parametrize(
        ("line", "statement", "ended"),
        [
            ("Rita is eight", "Rita is nine", True),
            ("Has two cats called Miso and Tofu", "We have a dog.", False),
            ("Lives in Porto", "We moved to Porto.", False),
            ("Eats meat", "I don't eat fish.", False),
            ("Eats meat", "I don't eat meat any more.", True),
            ("Girlfriend: Lea", "We broke up, Lea and I.", True),
            ("女朋友叫小美", "我跟小美分手了。", True),
            ("养了一只小狗", "我跟小美分手了。", False),
            ("Works nights at the hospital", "I switched from the night shift to days.", True),
            ("Rents a garden", "We no longer rent the garden.", True),
            ("Home: Porto", "We moved to Aveiro.", True),
            ("Lives in Porto", "I live in Aveiro.", True),
            ("Moved to Porto", "I live in Aveiro.", True),
            ("Moved to Porto", "We live in Porto now.", False),
            ("Home: Porto", "We moved the sofa to the garage.", False),
            ("Home: Porto", "We moved to Friday.", False),
            ("Works at Siemens", "I have a new job.", True),
            ("Works at Siemens", "My wife has a new job.", False),
            ("Brother Luc lives in Nice", "I stopped calling my brother Luc.", False),
            ("Sister Ana smokes cigars", "My sister Ana quit cigars.", True),
            ("Smokes cigars", "My sister Ana quit cigars.", False),
            ("Plays tennis", "I stopped playing chess.", False),
            ("Has two children", "My brother has three children.", False),
        ],
    )
    def test_what_ends_a_line(self, line: str, statement: str, ended: bool) -> None:
        assert ends(line, statement) is ended

    @pytest.mark.parametrize(
        ("fact", "grounded"),
        [
            ("Daughter Rita turns nine on 3 March", True),
            ("Daughter Rita turns nine on 5 March", False),
            ("Daughter Marta turns nine", False),
            ("Rita will not turn nine", False),
            ("Loves telescopes, stars and the moon", False),
            ("?", False),
        ],
    )
    def test_what_the_user_said(self, fact: str, grounded: bool) -> None:
        assert is_grounded(fact, "My daughter Rita turns nine on 3 March.") is grounded
