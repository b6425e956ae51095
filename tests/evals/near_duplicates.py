"""Near-duplicates among notes: what the rule takes for one fact, with the real embedder.

    .venv/bin/python tests/evals/near_duplicates.py

Each row is what the archive holds, and a note that is to be inserted. Prints the cosine of both and
whether the new one is taken for the old; then the figures for other thresholds.
"""

from pagekeeper_core.sameness import says_nothing_new
from pagekeeper_models.catalogue import load_catalogue, models_dir
from pagekeeper_models.sentence_embedder import SentenceEmbedder

SAME = """\
Ana's dog is Bento | Ana has a dog called Bento
Ana has a dog called Bento | Ana's dog is named Bento.
Ana has a dog called Bento | The user Ana owns a dog, Bento
The user lives in Porto | Lives in Porto
The user lives in Porto | The user is living in Porto
Name: Ana | The user's name is Ana
The user's name is Ana | The user is called Ana
Allergic to peanuts | The user is allergic to peanuts.
Ana is allergic to peanuts and shellfish | Ana has an allergy to peanuts
Works as a nurse in Lisbon | The user works in Lisbon as a nurse
The user works as a nurse | User is working as a nurse
Rita turns nine on 3 March | Rita is turning nine on 3 March
The car is a blue Renault Clio | The user has a blue car, a Renault Clio
The meeting with Dr. Costa is on 3 May at 10:00 | Meeting with Dr. Costa on 3 May at 10:00
Bento's vet is Dr. Costa | The vet of Bento is Dr. Costa
Brother Paulo plays the cello | The user's brother Paulo is playing the cello
Ana's boss is Rita | Ana has Rita as her boss
The wedding is on 12 June 2027 in Braga | The wedding in Braga is on 12 June 2027
用户住在波尔图 | 住在波尔图
用户有一只叫豆豆的猫 | 有一只猫叫豆豆
The password hint is the name of the first cat | Password hint: name of the first cat
"""

DIFFERENT = """\
Bento is 3 | Bento is 4
Bento is 3 years old | Bento is 4 years old
Ana's dog is Bento | Ana's dog is Luna
Ana's boss is Rita | Rita's boss is Ana
Ana likes fish | Ana does not like fish
Ana does not like fish | Ana likes fish
The user lives in Porto | The user lives in Lyon
The user lives in Porto | The user moved away from Porto
Ana has a dog called Bento | Ana sold her dog Bento
Ana has a dog called Bento | Ana lost her dog Bento
Ana has a dog called Bento | Ana's dog Bento is a brown labrador
Ana likes hiking in the mountains on Sundays | Rita likes hiking in the mountains on Sundays
Ana likes tea | Ana hates tea
The meeting is on 3 May at 10:00 | The meeting is on 3 May at 11:00
The meeting is on 3 May at 10:00 | The meeting is on 4 May at 10:00
Rent is 900 euros a month | Rent is 950 euros a month
Works as a nurse in Lisbon | Works as a nurse in Braga
Works as a nurse | Worked as a nurse until 2024
Brother Paulo plays the cello | Brother Paulo plays the violin
The car is a blue Renault Clio | The car is a red Renault Clio
Allergic to peanuts | Allergic to penicillin
Ana's birthday is 3 March | Ana's birthday is 13 March
用户喜欢红茶 | 用户喜欢绿茶
用户不喜欢红茶 | 用户喜欢红茶
用户住在里昂 | 用户住在波尔图
The lease ends in June | The lease starts in June
Ana likes ginger tea | Ana liked ginger tea
Rita lives in Porto | Lives in Porto
Writes in C++ | Writes in C
The scale reads 3.5 | The scale reads 5.3
Ana is taller than Rita | Rita is taller than Ana
Ana wants to learn Spanish | Ana has learned Spanish well
"""


def pairs(table: str) -> list[tuple[str, str]]:
    """The rows of a table."""
    rows = (line.split(" | ") for line in table.splitlines())
    return [(known, text) for known, text in rows]


def main() -> None:
    """Print what is taken for what."""
    embedder = SentenceEmbedder(models_dir() / load_catalogue().embedder.location)
    rows = []
    for is_same, table in ((True, SAME), (False, DIFFERENT)):
        for known, text in pairs(table):
            one, other = embedder.embed([known, text])
            cosine = sum(a * b for a, b in zip(one, other, strict=True))
            by_words = says_nothing_new(text, known)
            rows.append((is_same, by_words, cosine))
            verdict = "one" if by_words else "two"
            right = "" if by_words == is_same else "  <--"
            print(f"{cosine:.2f} {verdict}  {known} | {text}{right}")
    print("\nleast cosine   words and cosine: right, wrong   cosine alone: right, wrong")
    for least in (0.0, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95):
        both = [same for same, by_words, cosine in rows if by_words and cosine >= least]
        alone = [same for same, _, cosine in rows if cosine >= least]
        figures = [both.count(True), both.count(False), alone.count(True), alone.count(False)]
        print(f"{least:12.2f}   {figures[0]:10} {figures[1]:5} {figures[2]:22} {figures[3]:5}")


if __name__ == "__main__":
    main()
