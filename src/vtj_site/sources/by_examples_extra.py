"""What the post by examples says about vectors for a scalar, and of itself."""

import numpy as np
import torch
from torch import tensor

from vtj_site.outcomes.trials import Tried, attempt
from vtj_site.sources import transcripts as post
from vtj_site.sources.agreement import equals
from vtj_site.sources.by_examples import by_examples, grad_of, stacked
from vtj_site.sources.verdict import Broken, Cases, Evidence, Held, Renamed

__all__ = ["by_examples"]


def scalar_given(v: list[float]) -> Tried:
    """Give y = x² with a scalar x a vector as its gradient."""
    return attempt(lambda: grad_of(post.square, 1.0, v))


@by_examples.claim("p14", 312, "pass a vector as the gradient", "no longer holds")
def vector_for_a_scalar() -> Evidence:
    """It ran from torch 1.0.0 through 1.2.0; today the gradient must have the output's shape."""
    given = scalar_given(list(post.DECADES))
    return Held({"[1, 10, 100, 1000] for a 0-d y": not given.raised}, str(given))


@by_examples.claim("p15", 316, "a vector of arbitrary length as gradient", "no longer holds")
def arbitrary_length() -> Cases:
    """Every length is refused since torch 1.3.0, the length one too."""
    return {f"length {n}": not scalar_given([1.0] * n).raised for n in (1, 2, 4)}


@by_examples.claim("p16", 334, "backward accumulates gradient for x", "imprecise")
def accumulates() -> Cases:
    """Four calls do; the one call with a vector ran once, from torch 1.0.0 through 1.2.0."""
    last = post.one_by_one(post.square, 1.0)[-1]
    return {
        "four calls with a number each": last == "x.grad: tensor(2222.)",
        "one call with a vector": not scalar_given(list(post.DECADES)).raised,
    }


@by_examples.claim("p17", 350, "as if J is broadcast to the same length", "imprecise")
def broadcast() -> Cases:
    """True as algebra: v times the repeated J is v's sum times J; torch never broadcast J."""
    v, j = np.array(post.DECADES), post.scalar_jacobian()
    repeated = v @ np.repeat(j, 4, axis=0)
    return {
        "as algebra": bool((repeated == v.sum() * j[0]).all()),
        "as what backward does": not scalar_given(list(post.DECADES)).raised,
    }


@by_examples.claim("p18", 340, "y.backward(tensor(v), ", "broken as printed")
def lost_indentation() -> Evidence:
    """The page lost the loop's indentation."""
    ends = post.one_by_one(post.square, 1.0)[-1] == "x.grad: tensor(2222.)"
    indented = Held({"the indented loop ends at 2222": ends})
    return Broken(str(post.loop_without_indentation()), indented)


@by_examples.claim("p19", 287, "[2*x[0], 6*x[1]**2],", "reproduces")
def continuation_lines() -> Cases:
    """Inside brackets the lost indentation does no harm."""
    flat = attempt(lambda: compile("rows = [[1, 0],\n[2, 3]]", "<rows>", "exec"))
    return {"flat lines inside brackets": not flat.raised}


@by_examples.claim("p20", 258, "is a vector with 2 components and", "broken as printed")
def lost_formulas() -> Evidence:
    """The formulas were pictures; the code below them says what they said."""
    y = post.three_outputs(tensor(post.POINT))
    return Broken(
        "the formulas of x and y are not on the page",
        Held({"y = (3x₁², x₁² + 2x₂³, 10x₂)": equals(y, [3.0, 17.0, 20.0])}),
    )


@by_examples.claim("p21", 192, "y_1=3x_1^2and y_2=3x_2^2", "cosmetic")
def lost_space() -> Evidence:
    """A space is missing; the formula is right."""
    y = post.three_squares(tensor(post.POINT))
    return Renamed("y₁ = 3x₁² and y₂ = 3x₂²", same=equals(y, [3.0, 12.0]))


@by_examples.claim("p22", 7, "version of this post is on github", "broken as printed")
def lost_link() -> Evidence:
    """The address is lost; the post's examples run here, from code of ours."""
    return Broken(
        "the page gives no address",
        Held({f"{len(post.EXAMPLES)} examples run": all(map(post.transcript, post.EXAMPLES))}),
    )


@by_examples.claim("p23", 450, "some manual calculation of gradients", "reproduces")
def no_mistake_found() -> Cases:
    """No number derived by hand is wrong."""
    diagonal = post.three_squares_jacobian()
    point = tensor(post.POINT)
    return {
        "x²": equals(torch.func.jacrev(post.square)(tensor(1.0)), post.scalar_jacobian()),
        "the sum": equals(torch.func.jacrev(post.total)(point), [1, 1]),
        "3x²": equals(torch.func.jacrev(post.three_squares)(point), diagonal),
        "R² → R³": equals(torch.func.jacrev(stacked)(point), post.three_outputs_jacobian()),
    }


@by_examples.claim("p24", 28, "First, a simple example", "reproduces")
def one_number() -> Cases:
    """It is simple: J is one number, which v scales."""
    j, v = post.scalar_jacobian(), np.array([[100.0]])
    return {"v scales x.grad": (v @ j).item() == 200.0, "J is one number": j.size == 1}
