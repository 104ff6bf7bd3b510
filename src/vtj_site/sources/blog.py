"""The claims of the blog post, run again on z = 2x at x = [[1, 2, 3, 4]]."""

import warnings

import torch
from torch import Tensor, tensor
from torch.autograd import Variable

from vtj_site.outcomes.trials import attempt
from vtj_site.sources.agreement import equals, one_is_enough
from vtj_site.sources.claim import Source
from vtj_site.sources.verdict import Cases, Evidence, Held, Printed, Renamed

blog = Source("blog")

SAVED = "Trying to backward through the graph a second time"


def leaf() -> Tensor:
    """Return a fresh x."""
    return tensor([[1.0, 2.0, 3.0, 4.0]], requires_grad=True)


def grad_of(*v: float) -> Tensor | None:
    """Return x.grad after (2*x).backward(v)."""
    x = leaf()
    torch.autograd.backward(2 * x, tensor([v]))
    return x.grad


def rows() -> Tensor:
    """Return J of z = 2x as a matrix of four rows."""
    j: Tensor = torch.func.jacrev(lambda x: 2 * x)(leaf().detach())
    return j.reshape(4, 4)


@blog.claim("01", 43, "2 0 0 0", "cosmetic")
def first_print() -> Evidence:
    """Tensors print in another form today."""
    return Printed(str(grad_of(1, 0, 0, 0)))


@blog.claim("02", 50, "0 2 0 0", "cosmetic")
def second_print() -> Evidence:
    """Tensors print in another form today."""
    return Printed(str(grad_of(0, 1, 0, 0)))


@blog.claim("03", 57, "2 2 2 2", "cosmetic")
def third_print() -> Evidence:
    """Tensors print in another form today."""
    return Printed(str(grad_of(1, 1, 1, 1)))


@blog.claim("04", 66, "2 2 2 2", "cosmetic")
def fourth_print() -> Evidence:
    """Tensors print in another form today."""
    x = leaf()
    torch.autograd.backward((2 * x).sum(dim=1))
    return Printed(str(x.grad))


@blog.claim("05", 17, "Variable(torch.FloatTensor([[1, 2, 3, 4]])", "reproduces")
def old_style() -> Cases:
    """Old in style, but it still makes a leaf, and without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = Variable(torch.FloatTensor([[1, 2, 3, 4]]), requires_grad=True)
    return {"runs without a warning": x.is_leaf, "a plain tensor": type(x) is Tensor}


@blog.claim("06", 24, "or it will be accumulated", "reproduces")
def accumulates() -> Cases:
    """A second backward adds to x.grad; today one writes x.grad = None between them."""
    x = leaf()
    z = 2 * x
    torch.autograd.backward(z, tensor([[1.0, 0, 0, 0]]), retain_graph=True)
    torch.autograd.backward(z, tensor([[0, 1.0, 0, 0]]))
    return {"two backwards leave their sum": equals(x.grad, [[2, 2, 0, 0]])}


@blog.claim("07", 22, "retain_graph=True", "reproduces")
def first_retain() -> Cases:
    """Needed: the multiplication saved its factor, although dz/dx is constant."""
    z = 2 * leaf()
    torch.autograd.backward(z, torch.ones(1, 4))
    again = attempt(lambda: torch.autograd.backward(z, torch.ones(1, 4)))
    return {"without it the next z.backward raises": again.text.startswith(SAVED)}


@blog.claim("08", 33, "retain_graph=True", "reproduces")
def third_retain() -> Cases:
    """Needed on the last z.backward too, since the loss goes through the same multiplication."""
    z = 2 * leaf()
    loss = z.sum(dim=1)
    torch.autograd.backward(z, torch.ones(1, 4))
    again = attempt(lambda: torch.autograd.backward(loss))
    return {"without it loss.backward() raises": again.text.startswith(SAVED)}


@blog.claim("09", 38, "loss.backward(torch.FloatTensor([1.0]))", "reproduces")
def one_element_gradient() -> Evidence:
    """True of this loss, whose shape is (1,); a 0-d loss refuses it since torch 1.3.0."""
    refused = attempt(lambda: torch.autograd.backward(leaf().sum(), tensor([1.0])))
    return Held({"loss of shape (1,)": one_is_enough((1,))}, str(refused))


@blog.claim("10", 5, "The loss term is usually a scalar value", "reproduces")
def scalar_loss() -> Cases:
    """Torch's losses reduce to a 0-d tensor by default; the page's own has one dimension."""
    scores, labels, values = torch.zeros(3, 2), tensor([0, 1, 0]), torch.ones(3, 2)
    others = ("mse_loss", "l1_loss", "binary_cross_entropy_with_logits")
    targets = {"cross_entropy": labels, **dict.fromkeys(others, values)}
    losses = {name: getattr(torch.nn.functional, name)(scores, t) for name, t in targets.items()}
    return {name: loss.ndim == 0 for name, loss in losses.items()}


@blog.claim("11", 5, "which is actually leaf node", "reproduces")
def leaves() -> Cases:
    """Parameters are leaves of the graph."""
    return {"x": leaf().is_leaf, "nn.Parameter": torch.nn.Parameter(torch.ones(2)).is_leaf}


@blog.claim("12", 7, "do a dot product and sum all these up", "reproduces")
def dot_product_and_sum() -> Cases:
    """One dot product for each intermediate variable, and their sum is the gradient of a leaf."""
    x = tensor(3.0, requires_grad=True)
    between = [torch.stack([x, x**2]), torch.stack([5 * x, x**3])]
    torch.autograd.backward((between[0] ** 2).sum() + between[1].prod())
    (a, b), (c, d) = (part.tolist() for part in between)
    derivatives = [tensor([2 * a, 2 * b]), tensor([d, c])]
    columns = [tensor([1.0, 2 * 3.0]), tensor([5.0, 3 * 9.0])]
    products = [torch.dot(v, column) for v, column in zip(derivatives, columns, strict=True)]
    return {"two intermediate variables": equals(x.grad, sum(products))}


@blog.claim("13", 9, "a weighted sum of each element of a Variable w.r.t the leaf", "reproduces")
def weighted_sum() -> Cases:
    """Read with its last words it is a weighted sum of the derivatives of each element."""
    v = tensor([1.0, 10.0, 100.0, 1000.0])
    weighted = (v @ rows())[None]
    return {"of the elements' derivatives": equals(grad_of(*v.tolist()), weighted)}


@blog.claim("14", 9, "the derivate of final loss w.r.t each element", "imprecise")
def derivative_of_the_loss() -> Cases:
    """Any v is allowed; it is the derivative of the scalar (v * z).sum(), whatever the loss is."""
    z = (2 * leaf()).detach().requires_grad_()
    torch.autograd.backward(z.sum())
    weights = {"[1, 1, 1, 1]": torch.ones(1, 4), "[1, 0, 0, 0]": tensor([[1.0, 0, 0, 0]])}
    return {f"the page's v = {name}": equals(z.grad, v) for name, v in weights.items()}


@blog.claim("15", 46, "exactly the derivative of z_1", "reproduces")
def first_row() -> Cases:
    """It is row 1 of J."""
    return {"row 1 of J": equals(grad_of(1, 0, 0, 0), rows()[:1])}


@blog.claim("16", 53, "the derivative of z_2", "reproduces")
def second_row() -> Cases:
    """It is row 2 of J."""
    return {"row 2 of J": equals(grad_of(0, 1, 0, 0), rows()[1:2])}


@blog.claim("17", 55, "1*dz_1/dx + 1*dz_2/dx", "reproduces")
def sum_of_rows() -> Cases:
    """It is the sum of the rows of J."""
    return {"the sum of the rows": equals(grad_of(1, 1, 1, 1), rows().sum(0, keepdim=True))}


@blog.claim("18", 60, "is exactly derivative of loss", "reproduces")
def ones_are_the_loss_derivative() -> Cases:
    """After z.retain_grad(), z.grad shows it."""
    z = 2 * leaf()
    z.retain_grad()
    torch.autograd.backward(z.sum(dim=1))
    return {"z.grad after loss.backward()": equals(z.grad, torch.ones(1, 4))}


@blog.claim("19", 64, "4th print is the same as the 3rd print", "reproduces")
def fourth_is_third() -> Cases:
    """The chain rule written there and the run agree."""
    x = leaf()
    torch.autograd.backward((2 * x).sum(dim=1))
    return {"loss.backward() and z.backward(ones)": equals(x.grad, grad_of(1, 1, 1, 1))}


@blog.claim("20", 9, "a Variable‘s backward() method", "cosmetic")
def renamed_variable() -> Evidence:
    """A Variable is a tensor today; the argument is gradient, grad_tensors or grad_outputs."""
    plain = torch.ones(2)
    return Renamed("Tensor.backward(gradient)", same=type(Variable(plain)) is type(plain))


@blog.claim("21", 13, "a concrete and simple example", "reproduces")
def diagonal_example() -> Cases:
    """It is simple: v weights the entries of a diagonal J, so that vᵀ·J and J·v are the same."""
    v, j = tensor([1.0, 10.0, 100.0, 1000.0]), rows()
    return {
        "v weights the entries": equals(grad_of(*v.tolist()), (2 * v)[None]),
        "J is diagonal": equals(j, j.diagonal().diag()),
    }
