# Copyright (c) 2026, The flakelint Authors
#
# This source code is licensed under the MIT License found in the LICENSE file in the root directory of this source tree.
# For a list of all contributors, see the git history of this repository.

"""Which capital letter at the start of a comment is only the start of a sentence."""

import ast
import re
from collections.abc import Set
from functools import lru_cache
from typing import TYPE_CHECKING

from flakelint.rules.doc.comment_kinds import is_foreign

if TYPE_CHECKING:
    from flakelint.source.file import SourceFile

# platforms, makers, tools; mathematicians; models whose names are no words; languages, days, months that are no verbs
_KNOWN = """
Ada Ampere Android Anthropic Apple Ascend Blackwell Cloudflare Colab Cuda Databricks Debian Docker Fedora Google Hopper
Huawei Intel Jupyter Kaggle Kubernetes Linux Metal Microsoft Mac Nvidia Numpy Openai Pallas Pascal Pydantic Python Pytorch
Rubin Rust Slurm Sphinx Tegra Tensorflow Triton Turing Ubuntu Unicode Unix Userbuffers Volta Windows Xeon Adagrad Adam Adamw
Bayes Bernoulli Bessel Boltzmann Boolean Cartesian Cayley Chebyshev Cholesky Dirichlet Einstein Euclid Euclidean Euler
Fibonacci Fisher Fourier Frobenius Gauss Gaussian Givens Gram Gumbel Hadamard Hamming Hessian Hilbert Horner Householder
Hungarian Jacobi Jacobian Kahan Krylov Lagrange Lagrangian Laplace Legendre Levenshtein Lipschitz Lloyd Markov Neumann Newton
Nesterov Nyquist Pareto Poisson Rademacher Riccati Riemann Schmidt Schur Sinkhorn Sobol Sylvester Taylor Toeplitz Vandermonde
Wigner Arctic Aurora Axolotl Bart Bert Bloom Claude Cohere Deepseek Falcon Gemini Gemma Kimi Liger Llama Lora Mamba Megatron
Mistral Mixtral Mllama Nemotron Pixtral Qwen Roberta Rwkv Ulysses Unsloth Whisper Arabic Chinese Dutch English European
French German Greek Hebrew Hindi Italian Japanese Korean Latin Portuguese Roman Russian Spanish Turkish Vietnamese Monday
Tuesday Wednesday Thursday Friday Saturday Sunday January February April June July August September October November December
None True False Ellipsis NotImplemented Hugging Cutlass Deci Dynamo Eagle Flux Huggingface Hunyuan Inductor Jamba Knuth
Lhotse Medusa Sam Slaney Torch Van Wan Yarn Bash Cython Git Markdown Numba Eq Eqn Eqs Fig Figs Sec Thm Prop
Muon Welford Woodbury Kronecker Strassen Huber Xavier Kaiming Glorot Philox Morton Lanczos Arnoldi Laplacian Hermitian
Github Fortran Java Pandas Flax Redis Gaudi Mosaic Nsight Christmas Kahn Wilson Winograd Karatsuba Cauchy Hilbert
Wasserstein Langevin Metropolis Brownian Legendre Tikhonov Nelder Powell Shannon Hoeffding Chernoff Zipf Pythagorean
Abelian Hopfield Sherman Morrison
"""
# words that begin a sentence even where the next word has a capital too
_COMMON = """
The This That These Those There An All Any Both Each Every Some No Not One Two First Second Next Last Then Now Also Here We
You It They Its Our If When While Where Whether Since Because Although Unless Until Once As At By For From In Into Of On Or
And But To With Without After Before Between During Otherwise However Instead Same See Note Use Uses Used Using Add Adds
Apply Avoid Build Call Calls Check Checks Clean Clear Compute Computes Convert Copy Create Creates Define Do Does Ensure
Extract Fall Fetch Find Fix Get Gets Handle Handles Ignore Import Init Initialize Is Are Keep Keeps Let Load Loads Loop Make
Makes Map Match May Must Need Needs Only Pass Prepare Print Process Read Remove Replace Reset Return Returns Run Runs Save
Select Set Sets Should Skip Skips Start Store Stores Support Supports Test Try Update Verify Wait Wrap Write Writes
"""
NAMES = frozenset(_KNOWN.split())
_OPENERS = frozenset(_COMMON.split())
_FIRST = re.compile(r"#+\s*(?P<word>[A-Z][a-z]+|A(?= [a-z]{3}))(?P<rest>(?:['\u2019-][a-z]+)*(?![\w'\u2019-]).*)")
# what follows a word that is code, a marker or a label
_CODE = re.compile(r'(?:\.\w|::|[(\[{_@`"=:]|\s*(?:=|:=|\+=|->|<-|:(?=\s|$)))')
_INNER = re.compile(r'[a-z,] ([A-Z][a-z]*)\b')
_NUMBER = re.compile(r'\s+#?\d')
# behind the letter A, that speaks of something called A
_OF_A = re.compile(
    r' (?:and|are|can|comes|does|for|from|goes|has|holds|into|lives|matrix|may|minus|must|operand|plus|points|side|stays'
    r'|stores|tile|times|was|will|with)\b',
)
_SECOND = re.compile(r'\s(?P<word>[A-Z][a-z]+)\b(?![_.(:])')


@lru_cache(maxsize=2)
def identifiers(file: 'SourceFile') -> Set[str]:
    """The names that the code of a file uses, whatever for."""
    found: set[str] = set()
    for node in file.nodes:
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, (ast.arg, ast.keyword)):
            found.add(node.arg or '')
        elif isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.update(node.name.split('.'), [node.asname or ''])
    # `b_Akk` is the block of what a comment calls `Akk`
    return found | {part for name in found if '_' in name for part in name.split('_')}


def may_be_sentence(text: str) -> bool:
    """Whether a comment begins with a word in a capital letter, as a cheap test."""
    return _FIRST.match(text) is not None


def wrong_capital(text: str, file: 'SourceFile', names: Set[str]) -> tuple[int, int] | None:
    """Where a comment begins with an ordinary word in a capital letter, as offsets into it.

    Args:
        text (str):
            The comment, from its `#` on.
        file (SourceFile):
            The file in which it stands.
        names (Set[str]):
            Proper names beside those that everybody knows.
    """
    match = _FIRST.match(text)
    if match is None or is_foreign(text):
        return None
    word, rest = match['word'], match['rest']
    if word in NAMES or word in names or _CODE.match(rest) or _NUMBER.match(rest):
        return None
    used = identifiers(file)
    if word in used:
        return None
    if word == 'A' and (_OF_A.match(rest) or _is_name(word, file)):
        return None
    second = _SECOND.match(rest)
    if word not in _OPENERS and ((second and second['word'] not in NAMES | names | used) or _is_name(word, file)):
        return None
    return match.span('word')


def lowered(text: str, file: 'SourceFile', names: Set[str]) -> str:
    """A comment without the capital letter at its start, where that is not part of a name."""
    place = wrong_capital(text, file, names)
    return text if place is None else text[:place[0]] + text[place[0]].lower() + text[place[0] + 1:]


def _is_name(word: str, file: 'SourceFile') -> bool:
    """Whether a file writes a word with a capital letter within a sentence too."""
    return word in _within_sentences(file)


@lru_cache(maxsize=2)
def _within_sentences(file: 'SourceFile') -> Set[str]:
    return frozenset(_INNER.findall(file.text))
