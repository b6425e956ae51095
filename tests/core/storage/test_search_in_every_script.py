"""All is found as it was typed: a table of queries in ten scripts among thousands of messages.

Real DuckDB and LanceDB. The vectors are of words: no embedder that is at hand reads ten scripts.
"""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from helpers.memory_stores import HashEmbedder
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.records import DocumentRecord, IndexEntry, Passage
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.duckdb_recall import DuckDBRecallStore
from pagekeeper_core.storage.lancedb_archival import LanceDBArchivalStore
from pagekeeper_core.storage.lancedb_recall_index import LanceDBRecallIndex

pytestmark = pytest.mark.thorough

NOON = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)
DISTRACTORS = 2000
FIRST = 5

# What was said, and what is typed to find it.
TABLE = (
    # Latin, with and without the accents
    ("Nous avons dîné à la crêperie près du château", "crêperie"),
    ("Zoë's fiancé lives in São Tomé", "sao tome"),
    ("Moja żółta łódź stoi w Gdańsku", "żółta łódź"),
    ("Meine Großmutter wohnt in der Königsstraße", "KÖNIGSSTRASSE"),
    ("İstanbul'da güneşli bir gün geçirdik", "güneşli"),
    ("Tôi thích ăn phở bò ở Hà Nội", "phở bò"),
    ("The allergist found a walnut intolerance", "walnut intolerance"),
    # Chinese
    ("我女儿对花生过敏，要小心", "花生过敏"),
    ("我的護照放在書房的抽屜裡", "護照"),
    ("下个月我们搬到成都", "成都"),
    ("医生说要每天吃维生素D", "维生素D"),
    ("猫", "猫"),
    # Japanese
    ("娘のピアノの発表会は六月です", "ピアノの発表会"),
    ("鎌倉の寺を見に行った", "鎌倉"),
    ("ﾊﾝｶｸでメモを書いた", "ハンカク"),
    ("おばあちゃんの煮物が食べたい", "おばあちゃん"),
    # Korean
    ("제 여동생은 부산에서 간호사로 일해요", "간호사"),
    ("김치찌개를 끓이는 법을 배웠어요", "김치찌개"),
    ("우리 강아지 이름은 콩이에요", "강아지 이름"),
    # Hebrew
    ("אחותי גרה בחיפה ליד הים", "חיפה"),
    ("התור לרופא השיניים ביום שלישי", "רופא השיניים"),
    ("שָׁלוֹם לסבתא מֵרָחֵל", "מרחל"),
    ("ובסוף נסענו לאילת", "באילת"),
    # Arabic
    ("موعد طبيب الأسنان يوم الخميس", "طبيب الأسنان"),
    ("أُحِبُّ القَهْوَةَ بِالهَيْل", "القهوة بالهيل"),
    ("اشتريت سيارة زرقاء من دبي", "سيارة زرقاء"),
    ("والمطبخ يحتاج إلى دهان", "مطبخ"),
    # Cyrillic
    ("Мой кот Барсик боится пылесоса", "барсик"),
    ("Ёлку мы купили в Ярославле", "Ярославле"),
    ("Моя сестра живе у Львові", "Львові"),
    # Greek
    ("Η γιαγιά μου ζει στη Θεσσαλονίκη", "θεσσαλονικη"),
    ("Αγόρασα ένα κόκκινο ποδήλατο", "ΠΟΔΗΛΑΤΟ"),
    ("Ο Οδυσσέας είναι ο σκύλος μας", "οδυσσεας"),
    # Devanagari
    ("मेरी बहन जयपुर में रहती है", "जयपुर"),
    ("मुझे हिन्दी में कविता लिखना पसंद है", "हिन्दी कविता"),
    ("डॉक्टर ने दूध पीने से मना किया", "दूध"),
    # Thai
    ("น้องสาวของฉันอยู่ที่เชียงใหม่", "เชียงใหม่"),
    ("ฉันแพ้กุ้งและปู", "แพ้กุ้ง"),
    ("วันเกิดของแม่คือวันจันทร์", "วันเกิดของแม่"),
    # Emoji
    ("The party was wild 🎉🦩", "🦩"),
    ("our family 👨‍👩‍👧‍👦 at the beach", "👨‍👩‍👧‍👦"),
    ("flag of the trip: 🇵🇹", "🇵🇹"),
    # Code
    ("call frobnicate_all() before exit", "frobnicate_all()"),
    ("I wrote it in C++ and a bit of F#", "F#"),
    ("use git rebase --autosquash there", "--autosquash"),
    ("if (x != nullptr) { return; }", "nullptr"),
    ("the file is C:\\Users\\ana\\taxes_2025.xlsx", "taxes_2025.xlsx"),
    # Numbers, dates, money
    ("my locker code is 48151", "48151"),
    ("flight TP-1927 leaves at 06:35", "TP-1927"),
    ("the rent went up to €1,249.50", "€1,249.50"),
    ("call me on +351 912 555 017", "912 555 017"),
    ("version 2.14.7 broke it", "2.14.7"),
    # Addresses
    ("write to ana.souza+tax@example.org please", "ana.souza+tax@example.org"),
    ("see https://example.net/wiki/Bento?x=1", "https://example.net/wiki/Bento?x=1"),
    # Mixed
    ("我在Berlin的Spreewald度假了", "spreewald"),
    ("הקוד של הבניין הוא B7x9", "B7x9"),
    ("ร้าน Café Amazon ใกล้บ้าน", "cafe amazon"),
    ("iPhone 15を買った、色はブルー", "iphone 15 ブルー"),
)

# Pieces of other messages, in the same scripts and partly of the same characters and words.
PIECES = (
    "we had dinner near the castle|the doctor called|my sister lives by the sea|the car is blue|"
    "call me before you leave|the file is in the drawer|a bit of tax work|write to the landlord",
    "nous avons mangé|près de la gare|à la plage|une journée d'été|chez ma mère|le château fermé",
    "我的女儿|下个星期|医生说|要小心|放在桌子上|我们去了北京|每天吃药|书房里|我喜欢花|生日快乐",
    "娘の学校は|見に行った|食べたい|メモを書いた|六月の雨|寺の前で|おじいちゃんの話|買った本",
    "제 동생은|서울에서|일해요|배웠어요|이름은 몰라요|우리 집은|김밥을 먹었어요|강가를 걸었어요",
    "אחי גר ליד הבית|התור ביום ראשון|הרופא אמר|סבא בא|הקוד של הדלת|שלום לכולם|אני אוהב ים",
    "موعد العمل يوم الأحد|اشتريت كتابا|أحب الشاي|من القاهرة|طبيب العيون|سيارة جديدة|في البيت",
    "мой брат живет в Москве|мы купили хлеб|кот спит|боится грозы|сестра звонила|в городе дождь",
    "ο παππούς μου ζει εδώ|αγόρασα ψωμί|είναι ο φίλος μας|κόκκινο σπίτι|στη θάλασσα|ένα βιβλίο",
    "मेरा भाई दिल्ली में रहता है|मुझे पसंद है|डॉक्टर ने कहा|पानी पीना|हिन्दुस्तान में|लिखना है",
    "พี่ชายของฉันอยู่ที่กรุงเทพ|ฉันชอบข้าว|วันนี้วันอังคาร|แม่ทำอาหาร|เกิดอะไรขึ้น|ใกล้โรงเรียน",
    "call all() before|use git merge|in C and Java|x == null|return 48|at 06:30|+351 912|€1,200|"
    "version 2.14|flight TP-1900|code 4815|taxes.xlsx|https://example.net/wiki|ana@example.org",
    "party 🎉|at the beach 👨‍👩‍👧|trip 🇫🇷|so happy 😀|flowers 🌷|good night 🌙",
)


def distractors() -> list[str]:
    chance = random.Random(4)
    pieces = [line.split("|") for line in PIECES]
    said = []
    for number in range(DISTRACTORS):
        own = pieces[number % len(pieces)]
        said.append(" ".join([*chance.sample(own, 2), chance.choice(chance.choice(pieces))]))
    return said


@pytest.fixture(scope="module")
def everything() -> list[str]:
    chance = random.Random(7)
    texts = distractors()
    for text, _ in TABLE:
        texts.insert(chance.randrange(len(texts)), text)
    return texts


@pytest.fixture(scope="module")
def recall(
    everything: list[str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[DuckDBRecallStore]:
    folder = tmp_path_factory.mktemp("recall")
    database = Database(folder / "recall.duckdb")
    index = LanceDBRecallIndex(folder / "index.lance", HashEmbedder())
    index.make_ready()
    store = DuckDBRecallStore(database, index)
    kinds = (MessageKind.USER, MessageKind.ASSISTANT)
    stored = [
        store.append(Message(kinds[n % 2], text, text, NOON + timedelta(minutes=n)))
        for n, text in enumerate(everything)
    ]
    index.add([IndexEntry(message, message.text) for message in stored])
    yield store
    database.close()


@pytest.fixture(scope="module")
def archive(
    everything: list[str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LanceDBArchivalStore]:
    store = LanceDBArchivalStore(tmp_path_factory.mktemp("archive") / "a.lance", HashEmbedder())
    record = DocumentRecord("everything.txt", "text", "e1")
    store.add_document(record, [Passage(text) for text in everything])
    yield store
    store.close()


def test_the_table_is_as_large_as_it_claims() -> None:
    assert len(TABLE) >= 40
    assert len({text for text, _ in TABLE}) == len(TABLE)


@pytest.mark.parametrize(("text", "query"), TABLE, ids=[query for _, query in TABLE])
def test_what_was_said_is_found_in_every_script(
    recall: DuckDBRecallStore, text: str, query: str
) -> None:
    hits = recall.search([query], page_size=FIRST).hits
    assert text in [hit.message.text for hit in hits]


@pytest.mark.parametrize(("text", "query"), TABLE, ids=[query for _, query in TABLE])
def test_what_was_archived_is_found_in_every_script(
    archive: LanceDBArchivalStore, text: str, query: str
) -> None:
    hits = archive.search([query], page_size=FIRST).hits
    assert text in [hit.passage.text for hit in hits]
