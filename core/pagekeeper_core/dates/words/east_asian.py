"""Chinese (both scripts), Japanese and Korean words of time."""

from pagekeeper_core.dates.lexicon import Lexicon

__all__ = ["CHINESE", "JAPANESE", "KOREAN"]

_WEEK_WORDS = ("周", "週", "星期", "礼拜", "禮拜", "个星期", "個星期", "个礼拜", "個禮拜")
_WEEKDAYS = ("一", "二", "三", "四", "五", "六", "日天")
_WEEKS = {
    "relative last": ("上", "上个", "上個"),
    "relative this": ("这", "這", "本", "这个", "這個"),
    "relative next": ("下", "下个", "下個"),
}
_NATIVE_HOURS = "한 두 세 네 다섯 여섯 일곱 여덟 아홉 열 열한 열두".split()  # noqa: SIM905
_COUNTED = {
    "oclock": ("시",),
    "unit hour": ("시간",),
    "unit week": ("주",),
    "unit month": ("달",),
}


def _chinese_weekdays() -> str:
    """Lines for 周三, 上周三, 下个星期天 …: one word each, since 上周 alone is one too."""
    lines = []
    for number, signs in enumerate(_WEEKDAYS):
        named = [week + sign for week in _WEEK_WORDS[:5] for sign in signs]
        lines.append(f"weekday {number}: {', '.join(named)}")
        lines.append(
            f"every weekday {number}: "
            + ", ".join(
                every + week + sign
                for every in ("每", "每个", "每個")
                for week in _WEEK_WORDS[:5]
                for sign in signs
            )
        )
        for relative, words in _WEEKS.items():
            said = [word + name for word in words for name in named]
            lines.append(f"{relative} unit week weekday {number}: {', '.join(said)}")
        lines.append(
            f"relative -2 unit week weekday {number}: {', '.join('上上' + n for n in named)}"
        )
        lines.append(
            f"relative 2 unit week weekday {number}: {', '.join('下下' + n for n in named)}"
        )
    return "\n".join(lines)


def _korean_counts() -> str:
    """Lines for 아홉 시, 두 시간, 세 주: the small numbers are too short to stand alone."""
    return "\n".join(
        f"number {number} {meaning}: {name} {word}, {name}{word}"
        for number, name in enumerate(_NATIVE_HOURS, 1)
        for meaning, words in _COUNTED.items()
        for word in words
    )


CHINESE = Lexicon(
    "Chinese",
    _chinese_weekdays()
    + """
    day -3: 大前天
    day -2: 前天, 一昨日
    day -1: 昨天, 昨日
    day 0: 今天, 今日
    day 1: 明天, 明日
    day 2: 后天, 後天
    day 3: 大后天, 大後天
    day -1 part evening: 昨晚, 昨夜
    day 0 part morning: 今早, 今晨, 今天早上
    day 0 part evening: 今晚, 今夜
    day 1 part morning: 明早
    day 1 part evening: 明晚
    part morning: 早上, 上午, 午前, 早晨, 清晨, 早
    part noon: 中午
    part afternoon: 下午, 午后, 午後
    part evening: 晚上, 傍晚
    part night: 夜里, 夜裡, 半夜, 凌晨, 深夜
    every part morning: 每早
    every part evening: 每晚
    on unit weekend: 周末, 週末
    relative last unit weekend: 上周末, 上週末, 上个周末, 上個週末
    relative this unit weekend: 这周末, 這週末, 这个周末, 這個週末, 本周末
    relative next unit weekend: 来週末, 下周末, 下週末, 下个周末, 下個週末
    relative last unit week: 上周, 上週, 上星期, 上个星期, 上個星期, 上礼拜, 上个礼拜, 上禮拜
    relative this unit week: 这周, 這週, 本周, 本週, 这星期, 这个星期, 這個星期, 这礼拜, 这个礼拜
    relative next unit week: 下周, 下週, 下星期, 下个星期, 下個星期, 下礼拜, 下个礼拜
    relative -2 unit week: 上上周, 上上週, 上上个星期
    relative last unit month: 上月, 上个月, 上個月
    relative this unit month: 这个月, 這個月, 本月
    relative next unit month: 下月, 下个月, 下個月
    relative last unit year: 去年
    relative -2 unit year: 前年, 一昨年
    relative this unit year: 今年
    relative next unit year: 明年
    season 0: 春天, 春季
    season 1: 夏天, 夏季
    season 2: 秋天, 秋季
    season 3: 冬天, 冬季
    unit minute: 分钟, 分鐘
    unit hour: 小时, 小時, 个小时, 個小時, 钟头, 鐘頭, 个钟头
    unit day: 天
    unit week: 周, 週, 星期, 个星期, 個星期, 礼拜, 个礼拜
    unit month: 个月, 個月
    number 30 unit minute: 半小时, 半小時, 半个小时, 半個小時
    number 15 unit minute: 一刻钟
    year_sign: 年
    month_sign: 月, 月份
    day_sign: 日, 号, 號
    oclock: 点, 點, 点钟, 點鐘, 时, 時
    later 30: 半
    later 15: 一刻
    relative last: 最近, 过去, 過去
    ago: 前, 以前, 之前
    ahead: 后, 後, 以后, 以後, 之后, 之後
    since: 从, 從, 自, 自从, 以来, 以來
    to: 到, 至
    and: 和
    every: 每, 每个, 每個
    every unit day: 每天, 每日
    every unit weekend: 每周末, 每週末, 每个周末, 每個週末
    every unit week: 每周, 每週, 每星期, 每个星期, 每個星期
    every unit month: 每月, 每个月, 每個月
    every unit year: 每年
    every unit workday: 每个工作日, 工作日
    edge 0: 初
    edge 2: 底
    lately 7: 前几天, 前幾天, 前些天, 那天前
    lately 3: 前两天, 前兩天, 这两天, 這兩天
    lately 7: 这几天, 這幾天, 最近几天, 最近幾天
    number 3: 几, 幾
    number 6 unit month: 半年
    ordinal 25 month 12: 圣诞节, 聖誕節, 圣诞, 聖誕
    ordinal 1 month 1: 元旦
    the: 的, 在, 于
    other: 一点, 一點, 一时, 一時, 零时, 零時, 西元前, 公元前, 有一天
    number 1 oclock: 一点钟, 一點鐘
    number 1 oclock later 30: 一点半, 一點半
    part afternoon number 1 oclock: 下午一点, 下午一點
    part night number 1 oclock: 凌晨一点, 凌晨一點
    """,
    is_spaced=False,
)

JAPANESE = Lexicon(
    "Japanese",
    """
    day -2: 一昨日, おととい
    day -1: 昨日, きのう
    day 0: 今日, きょう, 本日
    day 1: 明日, あした, あす
    day 2: 明後日, あさって
    day -1 part night: 昨夜, ゆうべ
    day -1 part evening: 昨晩
    day 0 part morning: 今朝, けさ
    day 0 part evening: 今夜, 今晩
    part morning: 朝, 午前
    part noon: 正午, お昼, 昼
    part afternoon: 午後
    part evening: 夕方, 晩
    part night: 夜, 深夜
    every part morning: 毎朝
    every part evening: 毎晩
    weekday 0: 月曜日, 月曜
    weekday 1: 火曜日, 火曜
    weekday 2: 水曜日, 水曜
    weekday 3: 木曜日, 木曜
    weekday 4: 金曜日, 金曜
    weekday 5: 土曜日, 土曜
    weekday 6: 日曜日, 日曜
    on unit weekend: 週末
    relative last unit weekend: 先週末
    relative this unit weekend: 今週末
    relative next unit weekend: 来週末
    relative last unit week: 先週
    relative -2 unit week: 先々週
    relative this unit week: 今週
    relative next unit week: 来週
    relative last unit month: 先月
    relative this unit month: 今月
    relative next unit month: 来月
    relative last unit year: 去年, 昨年
    relative -2 unit year: 一昨年, おととし
    relative this unit year: 今年
    relative next unit year: 来年
    season 0?: 春
    season 1?: 夏
    season 2?: 秋
    season 3?: 冬
    unit minute: 分, 分間
    unit hour: 時間
    unit day: 日間
    unit week: 週間
    unit month: か月, ヶ月, ヵ月, カ月, ケ月, か月間
    unit year: 年間
    year_sign: 年
    month_sign: 月
    day_sign: 日
    oclock: 時
    later 30: 半
    relative last: この前の, 過去, ここ
    relative coming: 次の, 今度の
    ago: 前
    ahead: 後
    since: から, 以来
    until: まで
    every unit day: 毎日
    every unit week: 毎週
    every unit month: 毎月
    every unit year: 毎年
    every unit workday: 平日
    lately 7: 先日, この間, こないだ
    number 30 unit minute: 半時間
    the: の, に, は
    other: 一時
    """,
    is_spaced=False,
)

KOREAN = Lexicon(
    "Korean",
    _korean_counts()
    + """
    day -2: 그저께, 그제
    day -1: 어제
    day 0: 오늘
    day 1: 내일
    day 2: 모레
    day -1 part night: 어젯밤
    part morning: 아침, 오전
    part noon: 정오, 점심
    part afternoon: 오후
    part evening: 저녁
    part night: 밤, 새벽
    clock 1440: 자정
    weekday 0: 월요일
    weekday 1: 화요일
    weekday 2: 수요일
    weekday 3: 목요일
    weekday 4: 금요일
    weekday 5: 토요일
    weekday 6: 일요일
    on unit weekend: 주말
    relative last unit weekend: 지난 주말, 지난주말
    relative this unit weekend: 이번 주말
    relative next unit weekend: 다음 주말
    relative last unit week: 지난주, 지난 주, 저번 주, 저번주
    relative -2 unit week: 지지난주
    relative this unit week: 이번 주, 이번주
    relative next unit week: 다음 주, 다음주
    relative last unit month: 지난달, 지난 달
    relative this unit month: 이번 달, 이번달
    relative next unit month: 다음 달, 다음달
    relative last unit year: 작년, 지난해
    relative -2 unit year: 재작년
    relative this unit year: 올해, 금년
    relative next unit year: 내년
    season 0?: 봄
    season 1?: 여름
    season 2?: 가을
    season 3?: 겨울
    unit minute: 분
    unit hour: 시간
    unit week: 주, 주일
    unit month: 개월, 달
    number 1 unit day: 하루
    number 2 unit day: 이틀
    number 3 unit day: 사흘
    number 7 unit day: 일주일
    number 30 unit minute: 반 시간, 삼십 분
    number 10 unit minute: 십 분
    year_sign: 년
    month_sign: 월
    day_sign: 일
    oclock: 시
    later 30: 반
    relative last: 지난, 저번
    relative coming: 다음, 이번
    ago: 전
    ahead: 후, 뒤
    since: 부터
    until: 까지
    every: 매
    every unit day: 매일
    every unit week: 매주
    every unit month: 매달, 매월
    every unit year: 매년
    every unit workday: 평일
    lately 5: 며칠 전
    the: 의, 에
    """,
    is_spaced=False,
)
