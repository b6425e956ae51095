"""Conversations in which something lasting is told here and there, and what is to be found.

The forms of sentences were written beside the first three, which so give an upper bound; the prompt
was tuned on the English one. The two loose ones were written when all that was done, to be unlike
them: slips, slang, facts told in passing. They are the measure.
"""

from dataclasses import dataclass

__all__ = ["CONVERSATIONS", "Conversation", "Wanted"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A proposal that a careful reader would make.

    Attributes:
        words: What the new line must hold; alternatives are separated by "|".
        before: The line that it replaces, or that says the same; empty when it adds one.
    """

    words: tuple[str, ...]
    before: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """What the block held before, what the user said, and what is to be proposed."""

    name: str
    block: tuple[str, ...]
    said: tuple[str, ...]
    wanted: tuple[Wanted, ...]


_ENGLISH = Conversation(
    "English",
    (
        "Name: Ines",
        "Lives in Coimbra",
        "Has a cat called Miso",
        "Works at a bookshop",
        "Has a pet cat called Miso",
    ),
    (
        "Good morning! How are you?",
        "I'm allergic to peanuts, so no satay for me.",
        "My daughter Rita turns nine on 3 March.",
        "What is the capital of Iceland?",
        "I'm a bit tired today, it rained all night.",
        "We moved to Aveiro last month.",
        "Can you suggest a quick dinner for two?",
        "My husband Paulo is a carpenter.",
        "Thanks, that was delicious!",
        "Here is the letter from the landlord:\nI am writing to inform you that my office moved "
        "to Porto and I will raise the rent to 900 euros.",
        "I quit the bookshop; I teach chemistry at a secondary school now.",
        "I love this weather.",
        "I play the cello in the town orchestra.",
        "If I won the lottery I would buy a boat.",
        "I need you to translate a sentence for me.",
        "We have a second cat now, Tofu.",
        "I watched a film about whales yesterday.",
        "Our holiday in the Azores starts on 12 July.",
        "My cat is called Miso, as you know.",
        "I don't drink coffee.",
    ),
    (
        Wanted(("peanut",)),
        Wanted(("Rita", "3 March")),
        Wanted(("Aveiro",), "Lives in Coimbra"),
        Wanted(("Paulo", "carpenter")),
        Wanted(("chemistry",), "Works at a bookshop"),
        Wanted(("cello",)),
        Wanted(("Tofu",)),
        Wanted(("Azores", "12 July")),
        Wanted(("coffee",)),
        Wanted((), "Has a cat called Miso|Has a pet cat called Miso"),
    ),
)

_CHINESE = Conversation(
    "Chinese",
    ("名字：林悦", "住在北京", "养了一只猫叫团子", "在银行上班"),
    (
        "你好！今天天气真不错。",
        "我对海鲜过敏。",
        "帮我写一句生日祝福。",
        "我女儿小雨今年六岁，上幼儿园。",
        "明天会下雨吗？",
        "我上个月搬到杭州了。",
        "谢谢你！",
        "我先生是外科医生。",
        "我有点累，今天开了一整天会。",
        "下面是公司的通知：\n我们公司将于下月搬到深圳，我会通知大家。",
        "我从银行辞职了，现在在中学教英语。",
        "我周末喜欢去爬山。",
        "如果我有很多钱，我想环游世界。",
        "长城有多长？",
        "我家的猫叫团子。",
        "我十月五日要去东京参加婚礼。",
        "这个笑话真好笑，我笑了半天。",
        "我不吃辣。",
        "我昨天看了一部电影。",
        "我妈妈住在成都。",
    ),
    (
        Wanted(("海鲜",)),
        Wanted(("小雨",)),
        Wanted(("杭州",), "住在北京"),
        Wanted(("外科医生",)),
        Wanted(("英语",), "在银行上班"),
        Wanted(("爬山",)),
        Wanted(("东京",)),
        Wanted(("辣",)),
        Wanted(("成都",)),
    ),
)

_MIXED = Conversation(
    "mixed",
    (
        "Name: Tom",
        "Drives an old Volvo",
        "Vegetarian",
        "Lives in Berlin with Mia",
        "Lives with Mia in Berlin",
    ),
    (
        "Hi there!",
        "I grew up in Shanghai and speak Mandarin with my mother.",
        "我的中文名字是李明。",
        "My girlfriend Mia is a nurse at the Charité.",
        "How do I say 'nurse' in Chinese?",
        "I'm not vegetarian any more, I eat fish now.",
        "I feel great today.",
        "我下个月十二号做膝盖手术。",
        'She sent me this text: "I am leaving my job and I move to Hamburg on Monday."',
        "I sold the Volvo and bought an electric bike.",
        "Please summarise this article:\nMy life as a diver. I have lived on the sea for ten "
        "years.",
        "My favourite tea is oolong.",
        "我喜欢打羽毛球。",
        "What's the weather usually like in May?",
        "I have to call the bank at three.",
        "Our dog Rex is fourteen and nearly deaf.",
        "That's funny, I laughed a lot.",
        "My brother Jan lives in Oslo.",
        "我刚吃完午饭。",
        "I work as a sound engineer for the radio.",
    ),
    (
        Wanted(("Shanghai",)),
        Wanted(("李明",)),
        Wanted(("nurse",)),
        Wanted(("fish",), "Vegetarian"),
        Wanted(("膝盖",)),
        Wanted(("bike|Sold|sold",), "Drives an old Volvo"),
        Wanted(("oolong",)),
        Wanted(("羽毛球",)),
        Wanted(("Rex",)),
        Wanted(("Jan", "Oslo")),
        Wanted(("sound engineer",)),
        Wanted((), "Lives in Berlin with Mia|Lives with Mia in Berlin"),
    ),
)

_LOOSE_ENGLISH = Conversation(
    "loose English",
    ("Name: Samuel", "Girlfriend: Lea", "Works nights at the hospital", "Likes techno"),
    (
        "hey, you there?",
        "been living in Ghent for two years now and still can't cycle on cobbles lol",
        "doc says no more gluten for me, so that's that",
        "just adopted a puppy, Biscuit, she's chewing everything",
        "ugh monday",
        "can u make me a shopping list with rice and eggs",
        "btw call me Sam, nobody says Samuel",
        "my sis is getting married in june",
        "I hate cilantro with a passion",
        'mom says: "you should move back home, I found you a job at the bank"',
        "I'm on the train",
        "since the accident I only see with one eye",
        "new laptop arrived, finally",
        "I switched from the night shift to days",
        "my landlord is a pain",
        "we broke up, Lea and I",
        "I think the earth is warming faster than they say",
        "I'm running the Antwerp marathon on 25 April",
        "my knee hurts",
        "Spanish is going well, A2 exam next month",
    ),
    (
        Wanted(("Ghent",)),
        Wanted(("gluten",)),
        Wanted(("Biscuit",)),
        Wanted(("Sam",)),
        Wanted(("married",)),
        Wanted(("cilantro",)),
        Wanted(("eye",)),
        Wanted(("day",), "Works nights at the hospital"),
        Wanted(("roke up",), "Girlfriend: Lea"),
        Wanted(("marathon",)),
        Wanted(("Spanish",)),
    ),
)

_LOOSE_CHINESE = Conversation(
    "loose Chinese",
    ("姓名：周航", "女朋友叫小美", "在医院上夜班", "喜欢听摇滚"),
    (
        "在吗",
        "来深圳三年了，还是听不懂粤语",
        "医生让我戒糖，血糖太高",
        "上周领养了一只小狗，取名豆豆",
        "烦死了",
        "给我列个购物清单",
        "以后叫我小周就行",
        "我表妹六月结婚",
        "最讨厌香菜",
        "妈妈发来：“你应该搬回家住，我给你找了银行的工作。”",
        "我在地铁上",
        "我对花粉过敏，一到春天就难受",
        "新电脑到了",
        "我从夜班换到白班了",
        "房东真讨厌",
        "我跟小美分手了",
        "我觉得房价还会跌",
        "四月二十五号我跑马拉松",
        "膝盖疼",
        "西班牙语学得不错，下个月考A2",
    ),
    (
        Wanted(("深圳",)),
        Wanted(("糖",)),
        Wanted(("豆豆",)),
        Wanted(("小周",)),
        Wanted(("表妹",)),
        Wanted(("香菜",)),
        Wanted(("花粉",)),
        Wanted(("白班",), "在医院上夜班"),
        Wanted(("分手",), "女朋友叫小美"),
        Wanted(("马拉松",)),
        Wanted(("西班牙语",)),
    ),
)

CONVERSATIONS = (_ENGLISH, _CHINESE, _MIXED, _LOOSE_ENGLISH, _LOOSE_CHINESE)
