# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Small functions that kernels call, typed anew for the arguments of each call."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from tests.compiler.algebra import Expr, Invalid, binary, bound, cast, cdiv, constant, extreme, need

_PARAMETERS = ('a', 'b', 'c')
_NONE = Expr('None', 'none')
# makes the expression of a body from what the names in it stand for
Formula = Callable[[Mapping[str, Expr]], Expr]


@dataclass(frozen=True)
class Helper:
    """A function that kernels call.

    Args:
        name (str):
            Its name.
        parameters (tuple[str, ...]):
            The names of its parameters.
        text (str):
            How it is written.
        evaluate (Callable[[Mapping[str, Expr]], tuple[Expr, ...]]):
            What it returns, one value or several, for the arguments of a call; `Invalid` where the compiler would refuse them.
        default (Expr | None):
            What its last parameter is by default.
    """

    name: str
    parameters: tuple[str, ...]
    text: str
    evaluate: Callable[[Mapping[str, Expr]], tuple[Expr, ...]]
    default: Expr | None

    def call(self, arguments: tuple[Expr, ...], by_name: bool) -> tuple[Expr, ...]:
        """What a call gives, each value with the text of the whole call; its last argument may be given by its name."""
        named = dict(zip(self.parameters, arguments, strict=False))
        texts = [argument.text for argument in arguments]
        if by_name:
            texts[-1] = f'{self.parameters[len(texts) - 1]}={texts[-1]}'
        if self.default:
            named.setdefault(self.parameters[-1], self.default)
        named = {name: Expr(name, one.kind, one.shape, one.value) for name, one in named.items()}
        text = f'{self.name}({", ".join(texts)})'
        return tuple(Expr(text, one.kind, one.shape, one.value) for one in self.evaluate(named))


def make(random: Random, number: int, others: list[Helper]) -> Helper:
    """A function of its own make, which may call others."""
    name, parameters = f'helper_{number}', _PARAMETERS[:random.choice((2, 2, 3))]
    while True:
        form = random.choice((_plain, _plain, _stepwise, _pair, _early, _widening, _loop, _optional, _tuple))
        try:
            body, evaluate = form(random, parameters, others)
            break
        except Invalid:
            continue
    default = _NONE if form is _optional else constant(5) if random.random() < 0.2 else None
    written = ', '.join(parameters) + (f'={default.text}' if default else '')
    text = f'@triton.jit\ndef {name}({written}):\n' + ''.join(f'    {line}\n' for line in body)
    return Helper(name, parameters, text, evaluate, default)


def _plain(random: Random, parameters: tuple[str, ...], others: list[Helper]):
    formula = _formula(random, parameters, others, 2)
    return [f'return {_text(formula, parameters)}'], lambda given: (formula(given),)


def _stepwise(random: Random, parameters: tuple[str, ...], others: list[Helper]):
    first = _formula(random, parameters, others, 2)
    second = _formula(random, (*parameters, 'r'), others, 2)

    def evaluate(given: Mapping[str, Expr]) -> tuple[Expr, ...]:
        return (second({**given, 'r': bound(first(given), 'r')}),)

    return [f'r = {_text(first, parameters)}', f'return {_text(second, (*parameters, "r"))}'], evaluate


def _pair(random: Random, parameters: tuple[str, ...], others: list[Helper]):
    first, second = (_formula(random, parameters, others, 2) for _ in range(2))
    return [f'return {_text(first, parameters)}, {_text(second, parameters)}'], lambda given: (first(given), second(given))


def _early(random: Random, parameters: tuple[str, ...], others: list[Helper]):
    first, second = (_formula(random, parameters, others, 1) for _ in range(2))

    def evaluate(given: Mapping[str, Expr]) -> tuple[Expr, ...]:
        one, other = first(given), second(given)
        need(given['a'].is_integer and not given['a'].shape)
        need(one.kind == other.kind != 'const' and one.shape == other.shape)
        return (one,)

    return ['if a > 3:', f'    return {_text(first, parameters)}', f'return {_text(second, parameters)}'], evaluate


def _widening(random: Random, parameters: tuple[str, ...], others: list[Helper]):
    formula = _formula(random, parameters, others, 2)
    changed = random.choice(parameters)

    def evaluate(given: Mapping[str, Expr]) -> tuple[Expr, ...]:
        wide = cast(given[changed], 'i64', False)
        return (formula({**given, changed: bound(wide, changed)}),)

    return [f'{changed} = tl.cast({changed}, tl.int64)', f'return {_text(formula, parameters)}'], evaluate


def _optional(random: Random, parameters: tuple[str, ...], others: list[Helper]):
    formula = _formula(random, parameters, others, 1)
    last = parameters[-1]

    def evaluate(given: Mapping[str, Expr]) -> tuple[Expr, ...]:
        if given[last].kind == 'none':
            return (binary(given['a'], '+', constant(1)),)
        return (binary(bound(formula(given), 'a'), '+', constant(1)),)

    return [f'if {last} is not None:', f'    a = {_text(formula, parameters)}', 'return a + 1'], evaluate


def _tuple(random: Random, parameters: tuple[str, ...], others: list[Helper]):
    formula = _formula(random, parameters, others, 1)
    chosen = random.randrange(2)

    def evaluate(given: Mapping[str, Expr]) -> tuple[Expr, ...]:
        need(given['a'].kind not in ('const', 'none') and given['b'].kind not in ('const', 'none'))
        return (binary(bound((given['a'], given['b'])[chosen], 't'), '*', formula(given)),)

    return ['t = (a, b)', f'return t[{chosen}] * ({_text(formula, parameters)})'], evaluate


def _loop(random: Random, parameters: tuple[str, ...], others: list[Helper]):
    formula = _formula(random, (*parameters, 'j'), others, 1)

    def evaluate(given: Mapping[str, Expr]) -> tuple[Expr, ...]:
        need(given['b'].kind in ('i32', 'i64') and not given['b'].shape)
        start = bound(cast(given['a'], 'i64', False), 's')
        step = binary(start, '+', formula({**given, 'j': Expr('j', given['b'].kind)}))
        need(step.kind == 'i64' and step.shape == start.shape)
        return (start,)

    text = _text(formula, (*parameters, 'j'))
    return ['s = tl.cast(a, tl.int64)', 'for j in range(b):', f'    s += {text}', 'return s'], evaluate


def _text(formula: Formula, names: tuple[str, ...]) -> str:
    return formula({name: Expr(name, 'i32') for name in names}).text


def _formula(random: Random, names: tuple[str, ...], others: list[Helper], depth: int) -> Formula:
    if depth == 0 or random.random() < 0.1:
        if random.random() < 0.2:
            number = constant(random.choice((2, 3, 7)))
            return lambda given: number
        name = random.choice(names)
        return lambda given: given[name]
    left, right = (_formula(random, names, others, depth - 1) for _ in range(2))
    choice = random.random()
    if choice < 0.65:
        symbol = random.choice('***++-')
        return lambda given: binary(left(given), symbol, right(given))
    if choice < 0.75:
        return lambda given: extreme('min', left(given), right(given))
    if choice < 0.85:
        return lambda given: cdiv(left(given), constant(4))
    if choice < 0.93 or not others:
        kind = random.choice(('i32', 'i64'))
        return lambda given: cast(left(given), kind, False)
    other = random.choice(others)
    arguments = tuple(_formula(random, names, [], 1) for _ in other.parameters)

    def call(given: Mapping[str, Expr]) -> Expr:
        results = other.call(tuple(argument(given) for argument in arguments), False)
        need(len(results) == 1)
        return results[0]

    return call
