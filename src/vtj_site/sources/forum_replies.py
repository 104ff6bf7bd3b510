"""The second half of the forum thread: the example with two matrices, and the replies to it."""

import torch
from torch import Tensor, tensor

from vtj_site.outcomes.trials import attempt
from vtj_site.sources.agreement import equals
from vtj_site.sources.forum import IMPLICIT, accepted, accumulation, forum
from vtj_site.sources.verdict import Broken, Cases, Evidence, Held, Printed

__all__ = ["forum"]

V = tensor([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])


def matrices() -> tuple[Tensor, Tensor]:
    """Return x, a 2 × 3 leaf of ones, and out, its product with a 3 × 4 matrix of ones."""
    x = torch.ones(2, 3, requires_grad=True)
    return x, x @ torch.ones(3, 4)


def x_grad() -> Tensor | None:
    """Return x.grad after out.backward(V)."""
    x, out = matrices()
    torch.autograd.backward(out, V)
    return x.grad


@forum.claim("19", 50, "shape: (2,4)", "reproduces")
def product_shape() -> Cases:
    """The product has this shape."""
    return {"shape (2, 4)": matrices()[1].shape == (2, 4)}


@forum.claim("20", 52, "shape=(2,4)", "reproduces")
def gradient_shape() -> Cases:
    """The gradient has the output's shape."""
    return {"shape (2, 4)": V.shape == (2, 4), "taken": accepted(matrices()[1], (2, 4))}


@forum.claim("21", 48, "x = Variable(torch.ones(2, 3), ", "broken as printed")
def missing_calls() -> Evidence:
    """The lines that call backward and print x.grad are not on the page."""
    x, _ = matrices()
    rows = tensor([[10.0] * 3, [26.0] * 3])
    return Broken(
        f"without a call of backward, x.grad is {x.grad}",
        Held({"with out.backward(gradient), rows of 10 and of 26": equals(x_grad(), rows)}),
    )


@forum.claim("22", 53, "#gradient = torch.ones(4, 4)", "reproduces")
def commented_out() -> Cases:
    """Rightly a comment: that shape is not the output's."""
    return {"(4, 4) is refused": not accepted(matrices()[1], (4, 4))}


@forum.claim("23", 69, "10  10  10", "cosmetic")
def first_row() -> Evidence:
    """The same numbers in today's form."""
    return Printed(str(x_grad()).splitlines()[0])


@forum.claim("24", 70, "26  26  26", "cosmetic")
def second_row() -> Evidence:
    """The same numbers in today's form."""
    return Printed(str(x_grad()).splitlines()[1])


@forum.claim("25", 56, "x_11 x_12 x_13", "reproduces")
def entries_of_x() -> Cases:
    """It has two rows of three entries."""
    return {"x of shape (2, 3)": matrices()[0].shape == (2, 3)}


@forum.claim("26", 60, "x_11+x_12+x_13", "reproduces")
def entries_of_out() -> Cases:
    """Every entry of a row of out is that row's sum, since a holds ones."""
    x = tensor([[1.0, 10.0, 100.0], [2.0, 20.0, 200.0]])
    rows = x.sum(dim=1, keepdim=True).expand(2, 4)
    return {"row sums": equals(x @ torch.ones(3, 4), rows)}


@forum.claim("27", 64, "2x_11+2x_12+2x_13", "reproduces")
def elementwise_product() -> Cases:
    """It is the element-wise product of gradient and out, whose sum is their dot product."""
    out = matrices()[1].detach()
    return {"gradient * out": equals((V * out)[0, 1], 2 * out[0, 1])}


@forum.claim("28", 72, "10 = 1+2+3+4+0+0+0+0", "reproduces")
def ten_as_a_sum() -> Cases:
    """One term for each output: its v times its derivative with respect to the first entry."""
    jacobian = torch.func.jacrev(lambda x: x @ torch.ones(3, 4))(torch.ones(2, 3))
    terms = (V * jacobian[:, :, 0, 0]).flatten()
    return {"the eight terms": terms.tolist() == [1, 2, 3, 4, 0, 0, 0, 0]}


@forum.claim("29", 81, "I don’t think that’s what it does", "reproduces")
def denial() -> Cases:
    """Right: no dot product with the output is formed, though x.grad is the gradient of one."""
    x, out = matrices()
    torch.autograd.backward(out + 5, V)
    returned = attempt(lambda: torch.autograd.backward(matrices()[1], V))
    return {
        "backward returns no dot product": returned.text == "None",
        "the values of the output do not matter": equals(x.grad, x_grad()),
    }


@forum.claim("30", 85, "is the “gradient of the output”", "reproduces")
def gradient_of_the_output() -> Cases:
    """The gradient of a loss with respect to the output, as the sentence after it says."""
    out = matrices()[1].detach().requires_grad_()
    torch.autograd.backward((V * out).sum())
    return {"of a loss, with respect to the output": equals(out.grad, V)}


@forum.claim("31", 91, "the gradient of output = d(out)?", "reproduces")
def unanswered() -> Cases:
    """A question, whose answer is: the derivative of a scalar loss with respect to out."""
    y = matrices()[1].detach().requires_grad_()
    torch.autograd.backward((V * y).sum())
    return {"d(loss)/d(out)": equals(y.grad, V)}


@forum.claim("32", 98, "the gradient of the input of the next layer", "reproduces")
def hand_over() -> Cases:
    """Handing over by hand equals backward end to end."""
    x, out = matrices()
    received = out.detach().requires_grad_()
    torch.autograd.backward((received**3).sum())
    torch.autograd.backward(out, received.grad)
    whole, through = matrices()
    torch.autograd.backward((through**3).sum())
    return {"both ways lead to the same x.grad": equals(x.grad, whole.grad)}


@forum.claim("33", 105, "since A is not scalar I need to give gradient", "imprecise")
def image_without_graph() -> Cases:
    """An image alone has no graph to go back through, with or without the argument."""
    image, leaf = torch.ones(720, 720), torch.ones(720, 720, requires_grad=True)
    with_argument = attempt(lambda: torch.autograd.backward(image, torch.ones(720, 720)))
    without = attempt(lambda: torch.autograd.backward(leaf))
    return {
        "an image that requires grad": without.text == IMPLICIT,
        "an image that does not": not with_argument.raised,
    }


@forum.claim("34", 105, "should also be 720*720", "reproduces")
def image_shape() -> Cases:
    """It is the output's shape."""
    image = torch.ones(720, 720, requires_grad=True)
    return {
        "(720, 720) is taken": accepted(image * 2, (720, 720)),
        "(720,) is refused": not accepted(image * 2, (720,)),
    }


@forum.claim("35", 107, "Should I randomly initialize a tensor", "reproduces")
def random_gradient() -> Cases:
    """A question: a random tensor is taken, and a leaf hands back what you gave it."""
    image = torch.ones(720, 720, requires_grad=True)
    v = torch.rand(720, 720, generator=torch.Generator().manual_seed(0))
    torch.autograd.backward(image, v)
    return {"it is taken": equals(image.grad, v)}


@forum.claim("36", 111, "you calculate gradients of an operation", "reproduces")
def of_an_operation() -> Cases:
    """The operation decides: the identity hands v on, a square multiplies it by 2x."""
    x, z = (tensor([3.0, 5.0], requires_grad=True) for _ in range(2))
    v = tensor([1.0, 10.0])
    torch.autograd.backward(x, v)
    torch.autograd.backward(z**2, v)
    return {"no operation": equals(x.grad, v), "a square": equals(z.grad, [6.0, 100.0])}


@forum.claim("37", 113, "an operation that returned a 720^2 tensor", "reproduces")
def operation_on_an_image() -> Cases:
    """Its result takes a gradient of that shape and needs one."""
    image = torch.ones(720, 720, requires_grad=True)
    without = attempt(lambda: torch.autograd.backward(image * image))
    return {
        "without a gradient it raises": without.text == IMPLICIT,
        "(720, 720) is taken": accepted(image * image, (720, 720)),
    }


@forum.claim("38", 113, "explained in Andrej Karpathy’s lecture", "broken as printed")
def lecture() -> Evidence:
    """The link is lost; passing v by hand from node to node leads to what backward leaves."""
    x = tensor(3.0, requires_grad=True)
    torch.autograd.backward((x**2).exp())
    by_hand = 1.0 * (x.detach() ** 2).exp() * 2 * x.detach()
    return Broken(
        "the page names a lecture and gives no address",
        Held({"v by hand through exp and the square": equals(x.grad, by_hand)}),
    )


@forum.claim("39", 29, "1. Each time you run .backward()", "broken as printed")
def lost_list() -> Evidence:
    """The list lost its markup: three items carry the number one; what this one says holds."""
    return Broken("three items of the list carry the same number", Held(accumulation()))
