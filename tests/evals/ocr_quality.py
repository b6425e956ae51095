"""How well the text of scanned pages is recognised: the character error rate.

    python tests/evals/ocr_quality.py [--pages 10] [--font FILE ...]

Draws pages of A4 at 200 dpi, English and Chinese, in several sizes and fonts, every second one as a
scanner would give it (a little crooked, grey, grainy, JPEG), and compares what is recognised with
what was drawn. White space does not count in Chinese, and in English only where it stands. Ends
with 1 where an aim is missed, and writes build/eval/ocr.json. Chinese needs a font: one of the
system's, or those that are named.
"""

import argparse
import io
import json
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean

from PIL import Image, ImageDraw, ImageFilter, ImageFont

sys.path.insert(0, str(Path(__file__).parents[1]))

from pagekeeper_core.documents.ocr import RapidRecognizer

REPORT = Path(__file__).parents[2] / "build" / "eval" / "ocr.json"
AIM = 0.03
PAGE = (1654, 2339)
MARGIN = 150

ENGLISH = """\
The lease begins on 1 March 2026 and runs for two years, unless one side ends it earlier in writing.
The monthly rent is €1,250.00, to be paid in advance by the 5th; heating and water cost €85 more.
Mrs. O'Brien, the landlady, keeps a second key at her office (Harbour Street 14, 3rd floor).
“Please don't ring before nine,” said the note on the door; nobody had signed it.
Invoice no. 2026/0417: 3 chairs at 49.90, 1 table at 189.00, delivery free, total 338.70.
Dr. Costa examined the dog at 10:45 and found a temperature of 38.6 °C, which is normal.
Our experiments (n = 128) show that the second method is 17.5% faster; see table 4 and figure 2.
In the north the winters are long, and the ferries stop whenever the wind turns to the west.
Mix 250 g of flour with 2 eggs, a pinch of salt and 150 ml of milk; let it rest for half an hour.
The museum is closed on Mondays. On all other days it opens from 10 a.m. to 6 p.m.
Contact: anna.keller@example.org, +49 30 5550-1234, or the form at www.example.org/contact.
He had read the letter twice before he understood that it was meant for somebody else.
Passengers are asked to keep their tickets until they have left the station.
The committee agreed, by seven votes to two, to put off the decision until its meeting in June.
A body at rest stays at rest; a body in motion stays in motion, unless a force acts upon it.
Store below 25 °C, out of the reach of children, and do not use after the date on the box.
"""

CHINESE = """\
租期自2026年3月1日起，为期两年；任何一方如需提前终止，须以书面形式通知对方。
每月租金为人民币5,200元，须于每月5日前支付，水费和取暖费另计，约380元。
房东王女士在办公室（海港路14号3楼）保留一把备用钥匙，周末也可以联系她。
会议记录：今天下午三点在二楼会议室开会，请大家准时参加，并带上各自的报告。
发票号码：2026/0417，椅子三把，每把249元；桌子一张，1,189元；免费送货。
医生在上午十点四十五分检查了小狗，体温三十八度六，一切正常，五月再来复查。
实验结果表明，第二种方法比第一种快百分之十七点五，详见表四和图二。
北方的冬天漫长而寒冷，一刮西风，渡轮就停航，岛上的人只好在家里等待。
面粉二百五十克，鸡蛋两个，牛奶一百五十毫升，加少许盐，搅拌均匀后静置半小时。
博物馆每周一闭馆，其余时间上午十点开门，下午六点关门，节假日照常开放。
联系方式：电话010-55501234，或者发送邮件到办公室的公共信箱。
他把那封信读了两遍，才明白这封信原来是写给另一个人的，只是送错了门牌。
旅客们请注意，请保管好自己的车票，出站时需要再次检查，谢谢合作。
委员会以七票赞成、两票反对，决定把这个问题推迟到六月的会议上再讨论。
静止的物体保持静止，运动的物体保持运动，除非有外力作用在它上面。
请存放在二十五度以下的阴凉处，避免儿童接触，过期后请勿使用。
"""


@dataclass(frozen=True, slots=True)
class Page:
    """One page and what became of it.

    Attributes:
        language: "English" or "Chinese".
        font: The font's file.
        size: Of the letters, in pixels.
        scanned: Whether it was spoilt as a scanner does.
        characters: That were drawn.
        errors: Characters to be changed, added or taken out to make what was drawn.
        seconds: That recognising it took.
    """

    language: str
    font: str
    size: int
    scanned: bool
    characters: int
    errors: int
    seconds: float


def main() -> int:
    """Draw, recognise, print the table, write the report; 1 if an aim is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=10, help="of each language")
    parser.add_argument("--language", choices=("English", "Chinese"), help="by default both")
    parser.add_argument("--font", type=Path, action="append", default=[], help="with Chinese signs")
    arguments = parser.parse_args()
    recognizer = RapidRecognizer()
    pages: list[Page] = []
    for language, sentences, fonts in _languages(arguments.font):
        if arguments.language not in (None, language):
            continue
        for number in range(arguments.pages):
            pages.append(
                _tried(recognizer, language, sentences, fonts[number % len(fonts)], number)
            )
            print(_line(pages[-1]), flush=True)
    return _report(pages)


def _languages(fonts: Sequence[Path]) -> Iterator[tuple[str, Sequence[str], Sequence[str]]]:
    latin = _fonts("en", ("DejaVuSans.ttf", "DejaVuSerif.ttf", "Arial.ttf", "Times.ttf"))
    yield "English", ENGLISH.splitlines(), latin or [""]
    chinese = [str(font) for font in fonts] or _fonts("zh", ("NotoSansCJK", "msyh", "PingFang"))
    chinese = [font for font in chinese if _has_all_signs(font, CHINESE)]
    if chinese:
        yield "Chinese", CHINESE.splitlines(), chinese
    else:
        print("Chinese is left out: this machine has no font for it; name one with --font.")


def _has_all_signs(file: str, text: str) -> bool:
    """Whether a font has every sign: some leave the figures to another one, and draw boxes."""
    font = ImageFont.truetype(file, 30)
    box = bytes(font.getmask("\U0010fffe"))
    return all(bytes(font.getmask(sign)) != box for sign in set(text) - {"\n"})


def _fonts(language: str, wanted: Sequence[str]) -> list[str]:
    """Font files of the system, those that are wanted first, three at most."""
    if shutil.which("fc-list"):
        listed = subprocess.run(
            ["fc-list", f":lang={language}", "file"], capture_output=True, text=True, check=True
        )
        files = sorted(line.strip().rstrip(":") for line in listed.stdout.splitlines())
    else:
        places = (Path("/System/Library/Fonts"), Path("/Library/Fonts"), Path("C:/Windows/Fonts"))
        files = sorted(str(file) for place in places for file in place.glob("**/*.tt?"))
    return [file for name in wanted for file in files if name in file][:3]


def _tried(
    recognizer: RapidRecognizer, language: str, sentences: Sequence[str], font: str, number: int
) -> Page:
    chance = random.Random(f"{language} {number}")
    size = (30, 34, 38, 27)[number % 4]
    picture, lines = _drawn(chance.sample(sentences, 12), font, size, language)
    scanned = number % 2 == 1
    began = time.perf_counter()
    said = recognizer.text(_as_scanned(picture, chance) if scanned else picture)
    seconds = time.perf_counter() - began
    join = " " if language == "English" else ""
    drawn, found = (join.join(text.split()) for text in ("\n".join(lines), said))
    if language == "Chinese":
        drawn, found = (re.sub(r"\s", "", text) for text in (drawn, found))
    errors = distance(drawn, found)
    return Page(language, Path(font).name, size, scanned, len(drawn), errors, round(seconds, 2))


def _drawn(
    sentences: Sequence[str], font: str, size: int, language: str
) -> tuple[Image.Image, list[str]]:
    """The page and its lines as they were broken."""
    picture = Image.new("RGB", PAGE, "white")
    draw = ImageDraw.Draw(picture)
    drawn = ImageFont.truetype(font, size) if font else ImageFont.load_default(size)
    lines, top = [], MARGIN
    for sentence in sentences:
        for line in _broken(sentence, drawn, spaced=language == "English"):
            draw.text((MARGIN, top), line, font=drawn, fill="black")
            lines.append(line)
            top += round(size * 1.5)
        top += size
    return picture, lines


def _broken(
    sentence: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont, *, spaced: bool
) -> Iterator[str]:
    join, line = " " if spaced else "", ""
    for piece in sentence.split() if spaced else sentence:
        longer = f"{line}{join}{piece}" if line else piece
        if font.getlength(longer) > PAGE[0] - 2 * MARGIN:
            yield line
            longer = piece
        line = longer
    yield line


def _as_scanned(picture: Image.Image, chance: random.Random) -> Image.Image:
    """A little crooked, soft, grey and grainy, and packed as JPEG."""
    crooked = picture.rotate(chance.uniform(-0.7, 0.7), Image.Resampling.BICUBIC, fillcolor="white")
    soft = crooked.convert("L").filter(ImageFilter.GaussianBlur(0.7))
    grain = Image.effect_noise(PAGE, 24)
    grey = Image.blend(soft.point(lambda tone: 30 + tone * 200 // 255), grain, 0.15)
    packed = io.BytesIO()
    grey.save(packed, "JPEG", quality=60)
    return Image.open(packed).convert("RGB")


def distance(drawn: str, found: str) -> int:
    """Levenshtein's: characters to be changed, added or taken out."""
    row = list(range(len(found) + 1))
    for above, sign in enumerate(drawn, start=1):
        corner, row[0] = row[0], above
        for column, other in enumerate(found, start=1):
            changed = corner + (sign != other)
            corner = row[column]
            row[column] = min(changed, corner + 1, row[column - 1] + 1)
    return row[-1]


def _line(page: Page) -> str:
    rate = page.errors / page.characters
    kind = "scan" if page.scanned else "clean"
    return (
        f"{page.language:8} {page.font:26} {page.size:3} px  {kind:6}"
        f"{page.errors:4} of {page.characters:5} wrong {rate:7.2%} {page.seconds:7.1f} s"
    )


def _report(pages: Sequence[Page]) -> int:
    rates = {}
    for name in ("English", "Chinese"):
        chosen = [page for page in pages if page.language == name]
        if chosen:
            rates[name] = sum(p.errors for p in chosen) / sum(p.characters for p in chosen)
            seconds = mean(page.seconds for page in chosen)
            met = "" if rates[name] <= AIM else ", MISSED"
            print(f"{name}: {rates[name]:.2%} wrong (aim {AIM:.0%}{met}), {seconds:.1f} s a page")
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    content = {"aim": AIM, "error_rate": rates, "pages": [asdict(page) for page in pages]}
    REPORT.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return int(any(rate > AIM for rate in rates.values()))


if __name__ == "__main__":
    sys.exit(main())
