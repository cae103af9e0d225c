# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What only a person says, of himself or to another one."""

import re
from collections.abc import Iterator

_GIVEN = """
alan alex alexander alice amy andrea andreas andrew andy anna anne ben benjamin bob brian carlos carol charles charlie chen
chris christian christopher daniel dave david diana elena emily emma eric erik fred george greg hannah hans harry helen henry
ivan jacob james jane jason jeff jenny jerry jiayi jim joe joel john jonas jonathan joseph josh juan julia julian karen kate
kevin klaus lars laura lisa liz lucas luis luke maria marie martin mary matt matthew michael michelle mike mohamed nicolas
nina oliver olivia pablo patrick paul pedro peter phil philipp priya rachel raj rebecca richard robert roger ryan samuel sara
sarah sebastian sergei sergey simon songlin sophie stefan steve steven susan sylvain thomas tim timothy tom tony wang william
xiao yang yuri zhang
"""
_WORDS = """
abstractmethod api author brief cache cached classmethod contextmanager cute dataclass decorator deprecated eg example
experimental fixture flow generated helion ie internal jit kernel lint-ignore-every link manual markdown mock note nocommit
nolint numba ops oss-disable oss-only overload override param parameterized patch precondition property pytest ray register
return returns rtype see since skip staticmethod test throws title todo torch triton type typing wraps
"""
_NAMES = '|'.join(_GIVEN.split())
_CAPITAL = '|'.join(name.capitalize() for name in _GIVEN.split())
_DAY = r'\(?(?:19|20)\d\d[-/.]\d{1,2}(?:[-/.]\d{1,2})?'
_LOGIN = r'@(?P<login>[A-Za-z][\w-]{1,38})(?![\w.(\[=])'
_SAYING = (
    'think|thought|guess|believe|suspect|assume|hope|wonder|feel|suppose|doubt|do not|dont|did|cannot|couldn.t|don.t|didn.t'
    '|can.t|haven.t|wasn.t|would|wouldn.t|am|was|had|have|saw|know|knew|tried|used|need|want|wanted|prefer|hate|love|found'
    '|added|changed|wrote|made|left|moved|removed|implemented|forgot|noticed|figured|expect|expected'
    '|really|honestly|still|also|just'
)
# two letters that are no initials
_NO_INITIALS = 'OK|NO|TP|DP|EP|PP|CP|SP|TN|FP|FN|IO|ID|LR|KV|QK|PV|GB|MB|KB|MS|US|NS|HQ|HV|BT|BC|BK|BV|BH|NT|VS|UP|ON|IN|OR'
_SELF, _DOUBT, _OTHER, _SIGNED = 'speaks of its author', 'voices a doubt', 'is addressed to a person', 'is signed'
# each with what is to be said of it
_ASIDES = (
    (rf"(?<![\w.'`*])(?<!if )(?<!when )(?<!can )I(?:['\u2019](?:m|d|ve|ll)\b|\s+(?:{_SAYING})\b(?!\s*[=(\[]))", _SELF),
    (r'\b(?:in my opinion|my (?:guess|bad|understanding|opinion|hunch|gut|fault|hack|apologies)|to my knowledge)\b', _SELF),
    (r'\b(?:as far as I (?:can|know)|beats me|bites? me|ask me|ping me|remind me)\b', _SELF),
    (r'\b(?:IMO|IMHO|AFAIK|AFAICT|IIRC)\b(?![-_/])', 'is an opinion'),
    (
        r"(?<!if )(?<!you are )(?<!you're )(?<!when )\bnot (?:really |quite |entirely |100% )?sure "
        r'(?:why|if|whether|how|what|about)\b',
        _DOUBT,
    ),
    (r'\b(?:don.?t|do not) know why\b|\bno idea (?:why|how|what|if)\b|\bwho knows\b(?! (?:the|its|that))', _DOUBT),
    (r'(?i)\b(?:wtf|omg|lol|lmao|haha+|ugh+|argh+|yikes|damn|dammit|sigh|facepalm)\b[!.,:;]*(?= |$)', 'is an exclamation'),
    (r'(?i)(?:^[#\s]*|[,;.(-]\s*)sorry\b(?! for the inconvenience)', 'is an apology'),
    (
        rf'(?i)\b(?:cc|ping|ask|asked|thanks to|courtesy of|kudos to|poke|blame|credits? to|todo|fixme)[: ]\s*{_LOGIN}',
        _OTHER,
    ),
    (
        rf'(?i)(?:^[#\s]*|[.;(]\s+|, ){_LOGIN}(?::|,?\s+(?:please|can (?:you|we)|could (?:you|we)|should we|do (?:you|we)'
        r'|how|why|what|any idea|fyi|thoughts|@\w))',
        _OTHER,
    ),
    (
        rf'\b(?:[Aa]sk|[Aa]sked|[Pp]ing|[Tt]ell|[Pp]oke|[Bb]lame|[Tt]alk to|[Cc]heck with|[Tt]hanks to|[Kk]udos to|cc) '
        rf'(?:{_CAPITAL})\b(?!\s+[A-Z])',
        _OTHER,
    ),
    (
        r'\b(?:we|someone|somebody) should (?:ask|talk to|check with) '
        r'(?!(?:the|for|it|its|all|each|a|an|every)\b)[A-Z]?[a-z]+',
        _OTHER,
    ),
    (rf'^[#\s]*\((?:{_NAMES}|{_CAPITAL})\)', _SIGNED),
    (rf'\bby\s+(?:[A-Z][a-z]+\s+){{1,3}}(?:on |at |, ?)?{_DAY}', _SIGNED),
    (
        r'^[#\s]*(?:[Ww]ritten|[Cc]reated|[Aa]dded|[Ii]mplemented|[Aa]uthored|[Cc]oded|[Ff]ixed|[Hh]acked) by '
        r'(?:Dr\.? )?[A-Z][a-z]+(?: [A-Z]\.)? [A-Z][a-z]+[.,]?\s*(?:$|[@(<-].*|.*\b20\d\d\b.*)',
        _SIGNED,
    ),
    (r'^[#\s]*@?[Aa]uthor\s*:\s*\S.*', _SIGNED),
    (rf'(?<=[.!?)])\s+(?:--?|\u2014|~)\s?(?!{_NO_INITIALS})[A-Z]{{2}}\s*$', _SIGNED),
    (rf'\s(?:--?|\u2014|~)\s?(?:{_CAPITAL})\s*[.,]?\s*(?:{_DAY}\)?)?$', _SIGNED),
)
PATTERNS = tuple((re.compile(pattern), what) for pattern, what in _ASIDES)
# what stands behind an at sign and is nobody
_NOBODY = frozenset(_WORDS.split())
# a cheap test of a line
MAY_BE = re.compile(
    r"\bI['\u2019 ]|\bmy |\b(?:IMO|IMHO|AFAIK|AFAICT|IIRC)\b|\bsure\b|know why|no idea|who knows|[^\w\n]@\w"
    r"|(?i:\b(?:sorry|wtf|omg|lol|lmao|haha|ugh|argh|yikes|damn|sigh|facepalm))"
    r"|(?i:\b(?:ask|ping|tell|poke|blame|talk to|check with|thanks|kudos|cc|credits?)\b)"
    r"|\bme\b|\bby\s+[A-Z]|^[#\s]*\([A-Za-z]+\)|[Aa]uthor|\s(?:--?|\u2014|~)\s?[A-Z]",
    re.MULTILINE,
)
# a signature of two letters on a line of its own
INITIALS = re.compile(rf'#+\s*(?:--?|\u2014|~)\s?(?!{_NO_INITIALS})[A-Z]{{2}}\s*')
_SPEECH = re.compile(r'[#\s]*(?:human|user|assistant|system|question|answer|prompt|q|a)\s*:', re.IGNORECASE)
# what an author says of himself; the rest may be the voice of a sample
_IN_DOCSTRING = re.compile(
    r"I(?:['\u2019]ve|['\u2019]m (?:not|sure|unsure|guessing|assuming|afraid)| (?:think|guess|believe|suspect|assume|hope"
    r'|doubt|don.t|do not|couldn.t|found|added|changed|wrote|made|moved|removed|implemented|tried|used|just))\b',
)
_QUOTES = '"\u201c\u201d`'


def asides(text: str, in_docstring: bool) -> 'Iterator[tuple[re.Match[str], str]]':
    """The personal asides in a line, each with what it does.

    Args:
        text (str):
            The line.
        in_docstring (bool):
            Whether it is one of a docstring, where `I want` may be part of a sample.
    """
    if _SPEECH.match(text):
        return
    for pattern, what in PATTERNS:
        match = pattern.search(text)
        if match is None or is_quoted(text, match.start()):
            continue
        of_author = not in_docstring or what != _SELF or match[0][0] != 'I' or _IN_DOCSTRING.match(text, match.start())
        if of_author:
            yield match, what


def is_somebody(login: str) -> bool:
    """Whether what stands behind an at sign may be a person."""
    return '_' not in login and login.lower() not in _NOBODY


def is_quoted(text: str, offset: int) -> bool:
    """Whether a place in a line lies between quotation marks."""
    if sum(text.count(sign, 0, offset) for sign in _QUOTES) % 2:
        return True
    return text.count(" '", 0, offset) > text.count("' ", 0, offset)
