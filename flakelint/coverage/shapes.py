# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""What functions of torch and methods of tensors make of shapes."""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flakelint.coverage.values import Opaque, is_known, joined

_NEW = frozenset({'randn', 'rand', 'zeros', 'ones', 'empty'})
_KEEP = frozenset({
    'Parameter', 'abs', 'as_tensor', 'add', 'add_', 'bernoulli_', 'bfloat16', 'clamp', 'clamp_', 'clip', 'clone', 'contiguous',
    'copy_', 'cos',
    'cpu', 'cuda', 'cumsum', 'detach', 'div', 'div_', 'double', 'dropout', 'elu', 'exp', 'exp_', 'expm1',
    'fill_', 'flip', 'float', 'gelu', 'half', 'log', 'log1p', 'log_', 'log_softmax', 'logsigmoid',
    'masked_fill', 'masked_fill_', 'mul', 'mul_', 'nan_to_num', 'neg', 'normal_', 'normalize', 'pow',
    'relu', 'requires_grad_', 'retain_grad', 'roll', 'rsqrt', 'sigmoid',
    'sigmoid_', 'silu', 'sin', 'softmax', 'softplus', 'sqrt', 'square', 'sub', 'sub_', 'tanh', 'to', 'tril', 'triu',
    'type', 'type_as', 'uniform_', 'where', 'zero_',
})

_CUT = frozenset({'chunk', 'split', 'unbind'})
_MOST_PARTS = 4096

Shape = tuple
_Known = Callable[[Shape, Sequence[Any]], Shape | None]


def of_call(name: str, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """What a function of torch gives.

    Args:
        name (str):
            Its full name.
        arguments (Sequence[Any]):
            What is passed without a name.
        keywords (Mapping[str, Any]):
            What is passed with one.
    """
    sources = joined([*arguments, *keywords.values()])
    last = name.rpartition('.')[2]
    if name.startswith('einops.') and last in _EINOPS and len(arguments) > 1:
        return Opaque(sources, _rearranged(arguments[0], arguments[1], keywords))
    if last in _NEW or last in ('full', 'randint'):
        return Opaque(sources, _new_shape(last, arguments, keywords))
    if last == 'arange' and len(arguments) == 1:
        return Opaque(sources, (arguments[0],))
    if last == 'tensor' and arguments:
        return Opaque(sources, _nested(arguments[0]))
    tensors = [one for one in arguments if isinstance(one, Opaque)]
    if last.endswith('_like') and tensors:
        # new values, of the shape of others
        return Opaque(shape=tensors[0].shape)
    if last in _KEEP and tensors:
        return Opaque(sources, tensors[0].shape)
    if last in ('cat', 'concat', 'stack') and arguments:
        return Opaque(sources, _joint(last, arguments[0], _dim(arguments[1:], keywords)))
    if last in _CUT and tensors:
        return _parts(last, tensors[0], arguments[1:], keywords, sources)
    known = _METHODS.get(last)
    if known is not None and arguments and isinstance(arguments[0], Opaque):
        return Opaque(sources, _shape(known, arguments[0].shape, arguments[1:]))
    return Opaque(sources)


def of_method(owner: Opaque, name: str, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """What a method of a tensor gives.

    Args:
        owner (Opaque):
            The tensor.
        name (str):
            The method.
        arguments (Sequence[Any]):
            What is passed without a name.
        keywords (Mapping[str, Any]):
            What is passed with one.
    """
    sources = owner.sources | joined([*arguments, *keywords.values()])
    if name in ('size', 'dim') and owner.shape is not None:
        if name == 'dim':
            return len(owner.shape)
        return owner.shape if not arguments else _at(owner.shape, arguments[0])
    if name in ('size', 'dim', 'numel', 'stride', 'ndimension'):
        return Opaque()
    if name in _KEEP:
        return Opaque(sources, owner.shape)
    if name in _CUT:
        return _parts(name, owner, arguments, keywords, sources)
    known = _METHODS.get(name)
    return Opaque(sources, _shape(known, owner.shape, arguments) if known is not None else None)


def of_operation(left: Any, right: Any) -> Opaque:
    """What an operation on two values gives, one of them opaque at least."""
    shapes = [one.shape for one in (left, right) if isinstance(one, Opaque)]
    sources = joined([left, right])
    if len(shapes) == 1 or None in shapes:
        return Opaque(sources, shapes[0] if len(shapes) == 1 and not isinstance(left, list | tuple) else None)
    longer, shorter = sorted(shapes, key=len, reverse=True)
    padded = (1,) * (len(longer) - len(shorter)) + tuple(shorter)
    return Opaque(sources, tuple(b if a == 1 else a for a, b in zip(longer, padded, strict=True)))


def indexed(owner: Opaque, index: Any) -> Any:
    """An element or a part of a tensor."""
    if owner.shape is None:
        return Opaque(owner.sources)
    rest = list(owner.shape)
    found = []
    parts = list(index) if isinstance(index, tuple) else [index]
    if Ellipsis in parts:
        place = parts.index(Ellipsis)
        given = len([one for one in parts if one is not None]) - 1
        parts[place:place + 1] = [slice(None)] * max(len(rest) - given, 0)
    for part in parts:
        if part is None:
            found.append(1)
            continue
        if not rest:
            return Opaque(owner.sources)
        size = rest.pop(0)
        if isinstance(part, slice):
            found.append(size if part == slice(None) else _sliced(size, part))
        elif not isinstance(part, int):
            return Opaque(owner.sources)
    return Opaque(owner.sources, (*found, *rest))


def _sliced(size: Any, part: slice) -> Any:
    bounds = (part.start, part.stop, part.step)
    if isinstance(size, int) and part.step != 0 and all(one is None or isinstance(one, int) for one in bounds):
        return len(range(*part.indices(size)))
    return Opaque()


def _dim(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> int:
    dim = keywords.get('dim', arguments[0] if arguments else 0)
    return dim if isinstance(dim, int) else 0


def _joint(name: str, tensors: Any, dim: int) -> Shape | None:
    """The shape of tensors that are put together."""
    shapes = [getattr(one, 'shape', None) for one in tensors] if _is_sequence(tensors) else []
    if not shapes or None in shapes or any(len(one) != len(shapes[0]) for one in shapes):
        return None
    first = shapes[0]
    if name == 'stack':
        place = dim if dim >= 0 else dim + len(first) + 1
        return (*first[:place], len(shapes), *first[place:])
    place = dim % len(first) if first else 0
    sizes = [one[place] for one in shapes]
    return (*first[:place], sum(sizes) if is_known(sizes) else Opaque(), *first[place + 1:])


def _parts(name: str, tensor: Opaque, arguments: Sequence[Any], keywords: Mapping[str, Any], sources: Any) -> Any:
    """The tensors into which one is cut; one value for all where it is not known how many there are."""
    rest = list(arguments)
    how = None
    if name != 'unbind':
        named = [keywords[one] for one in ('chunks', 'split_size_or_sections') if one in keywords]
        how = named[0] if named else rest.pop(0) if rest else None
    dim = _dim(rest, keywords)
    if not tensor.shape or not -len(tensor.shape) <= dim < len(tensor.shape):
        return Opaque(sources)
    place = dim % len(tensor.shape)
    size = tensor.shape[place]
    before, after = tensor.shape[:place], tensor.shape[place + 1:]
    if not isinstance(size, int) or size > _MOST_PARTS:
        return Opaque(sources)
    if name == 'unbind':
        return tuple(Opaque(sources, (*before, *after)) for _ in range(size))
    sizes = how if _is_sequence(how) else _even(name, size, how)
    return Opaque(sources) if sizes is None else tuple(Opaque(sources, (*before, one, *after)) for one in sizes)


def _even(name: str, size: int, how: Any) -> list[int] | None:
    if not isinstance(how, int) or how < 1:
        return None
    each = how if name == 'split' else -(-size // how)
    return [min(each, size - start) for start in range(0, size, each)]


def _at(shape: Shape, index: Any) -> Any:
    if isinstance(index, int) and -len(shape) <= index < len(shape):
        return shape[index]
    return Opaque()


def _new_shape(name: str, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Shape | None:
    size = keywords.get('size')
    if size is None and name == 'randint':
        size = next((one for one in arguments if isinstance(one, list | tuple)), None)
    elif size is None:
        size = arguments[0] if arguments and (name == 'full' or _is_sequence(arguments[0])) else tuple(arguments)
    return tuple(size) if _is_sequence(size) else None


def _is_sequence(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _nested(value: Any) -> Shape | None:
    if not _is_sequence(value):
        return None if isinstance(value, Opaque) else ()
    if not value:
        return (0,)
    inner = _nested(value[0])
    return None if inner is None else (len(value), *inner)


def _shape(known: _Known, shape: Shape | None, arguments: Sequence[Any]) -> Shape | None:
    try:
        return None if shape is None else known(shape, arguments)
    except (ArithmeticError, IndexError, TypeError, ValueError):
        return None


def _flat(arguments: Sequence[Any]) -> Sequence[Any]:
    return arguments[0] if len(arguments) == 1 and _is_sequence(arguments[0]) else arguments


def _transpose(shape: Shape, arguments: Sequence[Any]) -> Shape:
    found = list(shape)
    first, second = arguments
    found[first], found[second] = found[second], found[first]
    return tuple(found)


def _permute(shape: Shape, arguments: Sequence[Any]) -> Shape:
    return tuple(shape[index] for index in _flat(arguments))


def _view(shape: Shape, arguments: Sequence[Any]) -> Shape | None:
    found = list(_flat(arguments))
    if any(isinstance(one, Opaque) and one.shape is not None for one in found):
        return None
    if -1 in found:
        others = [one for one in found if one != -1]
        whole = is_known(shape) and is_known(others) and math.prod(others)
        found[found.index(-1)] = math.prod(shape) // math.prod(others) if whole else Opaque()
    return tuple(found)


def _expand(shape: Shape, arguments: Sequence[Any]) -> Shape:
    sizes = _flat(arguments)
    padded = (1,) * (len(sizes) - len(shape)) + tuple(shape)
    return tuple(old if new == -1 else new for old, new in zip(padded, sizes, strict=True))


def _repeat(shape: Shape, arguments: Sequence[Any]) -> Shape:
    times = _flat(arguments)
    padded = (1,) * (len(times) - len(shape)) + tuple(shape)
    return tuple(_product((a, b)) for a, b in zip(padded, times, strict=True))


def _interleaved(shape: Shape, arguments: Sequence[Any]) -> Shape:
    times, dim = arguments
    found = list(shape)
    found[dim] = _product((found[dim], times))
    return tuple(found)


def _unsqueeze(shape: Shape, arguments: Sequence[Any]) -> Shape:
    place = arguments[0] if arguments[0] >= 0 else arguments[0] + len(shape) + 1
    return (*shape[:place], 1, *shape[place:])


def _squeeze(shape: Shape, arguments: Sequence[Any]) -> Shape | None:
    if not arguments:
        return None
    place = arguments[0] % len(shape)
    return tuple(shape[:place] + shape[place + 1:]) if shape[place] == 1 else shape


def _product(sizes: Sequence[Any]) -> Any:
    return math.prod(sizes) if is_known(sizes) else Opaque()


_METHODS: dict[str, _Known] = {
    'transpose': _transpose, 'permute': _permute, 'view': _view, 'reshape': _view, 'expand': _expand, 'repeat': _repeat,
    'repeat_interleave': _interleaved, 'unsqueeze': _unsqueeze, 'squeeze': _squeeze,
}
_EINOPS = frozenset({'rearrange', 'repeat'})


def _rearranged(tensor: Any, pattern: Any, sizes: Mapping[str, Any]) -> Shape | None:
    if not isinstance(tensor, Opaque) or tensor.shape is None or not isinstance(pattern, str):
        return None
    before, _, after = pattern.partition('->')
    names = before.split()
    if '(' in before or '...' in pattern or len(names) != len(tensor.shape):
        return None
    known = {**dict(zip(names, tensor.shape, strict=True)), **sizes}
    found = []
    for outer, group in itertools.groupby(_grouped(after), key=lambda one: one[0]):
        parts = [known.get(name, int(name) if name.isdigit() else Opaque()) for _, name in group]
        found.extend([_product(parts)] if outer else parts)
    return tuple(found)


def _grouped(pattern: str) -> list[tuple[int, str]]:
    """The names of a pattern, each with the number of the brackets around it; 0 where there are none."""
    found, number, inside = [], 0, False
    for word in pattern.replace('(', ' ( ').replace(')', ' ) ').split():
        if word == '(':
            number, inside = number + 1, True
        elif word == ')':
            inside = False
        else:
            found.append((number if inside else 0, word))
    return found
