"""The first half of the forum thread: the question, the network and the answers about it."""

from functools import cache, partial
from typing import Any

import torch
from torch import Tensor, nn, tensor
from torch.autograd import Variable

from vtj_site.outcomes.trials import attempt, backward
from vtj_site.sources.agreement import equals, one_is_enough
from vtj_site.sources.claim import Source
from vtj_site.sources.verdict import Broken, Cases, Evidence, Held, Printed, Renamed

forum = Source("forum")

IMPLICIT = "grad can be implicitly created only for scalar outputs"


@cache
def network() -> nn.Sequential:
    """Return a network with the thread's layers: two convolutions and three linear ones."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return nn.Sequential(
            *(nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2)),
            *(nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()),
            *(nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10)),
        )


def images(count: int) -> Tensor:
    """Return a batch of distinct images for the network."""
    pixels = torch.arange(count * 32 * 32) % 17 / 16
    return pixels.reshape(count, 1, 32, 32)


def out(count: int = 1) -> Tensor:
    """Return the network's output for a batch, with a fresh graph."""
    network().zero_grad()
    y: Tensor = network()(images(count))
    return y


def accepted(y: Tensor, shape: tuple[int, ...]) -> bool:
    """Say whether y takes a gradient of this shape."""
    return not attempt(lambda: torch.autograd.backward(y, torch.ones(shape))).raised


def gradients() -> list[Tensor]:
    """Return a copy of every parameter's gradient."""
    return [p.grad.clone() for p in network().parameters() if p.grad is not None]


@forum.claim("01", 5, "gradient will perform a dot product on out", "imprecise")
def dot_product() -> Cases:
    """Right in effect: x.grad is the derivative of that dot product, but nothing computes it."""
    v = tensor([1.0, 10.0, 100.0])
    leaf = [torch.arange(1.0, 4.0, requires_grad=True) for _ in range(3)]
    torch.autograd.backward(leaf[0] ** 2, v)
    torch.autograd.backward((leaf[1] ** 2 * v).sum())
    torch.autograd.backward(leaf[2] ** 2 + 1000, v)
    return {
        "x.grad is that of (v * out).sum()": equals(leaf[0].grad, leaf[1].grad),
        "out's own value enters": not equals(leaf[0].grad, leaf[2].grad),
    }


@forum.claim("02", 11, "which not specify the gradient argument", "broken as printed")
def lost_picture() -> Evidence:
    """The code was a picture; without the argument, the network's output raises the error below."""
    error = attempt(lambda: torch.autograd.backward(out())).text
    return Broken(
        "the code of the question is not on the page",
        Held({"net(input).backward() raises the error quoted": error == IMPLICIT}),
    )


@forum.claim("03", 16, IMPLICIT, "reproduces")
def implicit_gradient() -> Evidence:
    """The message is still this one."""
    return Printed(attempt(lambda: torch.autograd.backward(out())).text)


@forum.claim("04", 18, "set a tensor of ones as the default value", "imprecise")
def ones_as_default() -> Cases:
    """Ones give the derivative of the sum; torch does not assume that this is what you want."""
    x, z = (tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    torch.autograd.backward(x**2, torch.ones(2))
    torch.autograd.backward((z**2).sum())
    implicit = attempt(lambda: torch.autograd.backward(z**2))
    return {
        "ones give the gradient of the sum": equals(x.grad, z.grad),
        "torch takes them by default": not implicit.raised,
    }


@forum.claim("05", 20, "has absolutely no relation to the required shape", "reproduces")
def shapes_of_parameters() -> Cases:
    """The gradient has the output's shape, which no parameter has here."""
    shapes = [tuple(p.shape) for p in network().parameters()]
    return {
        "no parameter has the shape of out": tuple(out().shape) not in shapes,
        "out takes (1, 10)": accepted(out(), (1, 10)),
    }


@forum.claim("06", 21, "That makes 10 tensors in total", "reproduces")
def ten_tensors() -> Cases:
    """Ten parameters and ten outputs are a coincidence, the one that misled the asker."""
    kinds = [type(layer).__name__ for layer in network()]
    return {
        "two Conv2d and three Linear": (kinds.count("Conv2d"), kinds.count("Linear")) == (2, 3),
        "ten parameters": len(list(network().parameters())) == 10,
    }


@forum.claim("07", 23, "which is why out.backward needs 10 inputs", "imprecise")
def ten_inputs() -> Cases:
    """Ten numbers are not enough: the shape is that of out, the batch included."""
    return {
        "ten numbers of shape (1, 10)": accepted(out(), (1, 10)),
        "ten numbers of shape (10,)": accepted(out(), (10,)),
        "(1, 10) for a batch of four": accepted(out(4), (1, 10)),
    }


@forum.claim("08", 25, "out.backward() is equivalent to", "imprecise")
def one_element_gradient() -> Evidence:
    """True of shape (1,) alone; a 0-d output refuses it since torch 1.3.0."""
    shapes = ((1,), (), (1, 1))
    cases = {f"out of shape {shape}": one_is_enough(shape) for shape in shapes}
    given = attempt(lambda: torch.autograd.backward(out(), tensor([1.0])))
    return Held({**cases, "the thread's out": not given.raised}, str(given))


@forum.claim("09", 33, "equivalent to doing out.backward(torch.Tensor([1]))", "imprecise")
def one_element_gradient_again() -> Evidence:
    """As forum-08: true of shape (1,) alone."""
    return one_element_gradient()


@forum.claim("10", 25, "calculate-the-gradient-of-the-output", "reproduces")
def struck_out() -> Cases:
    """Struck out by its author, and rightly: torch refuses the call for the thread's output."""
    return {"out.backward() raises": bool(attempt(partial(backward, out())).raised)}


@forum.claim("11", 28, "torch.nn.functional.mse_loss(out, target)", "reproduces")
def usual_loss() -> Cases:
    """The loss is 0-d, so that backward needs no argument."""
    loss = nn.functional.mse_loss(out(), torch.zeros(1, 10))
    return {
        "shape ()": loss.ndim == 0,
        "loss.backward()": not attempt(lambda: torch.autograd.backward(loss)).raised,
    }


@forum.claim("12", 29, "are updated by adding the new gradients", "reproduces")
def accumulation() -> Cases:
    """Each backward adds to .grad: image by image or as a batch leads to the same gradients."""
    torch.autograd.backward(out(4), torch.ones(4, 10))
    batch = gradients()
    network().zero_grad()
    for image in images(4):
        torch.autograd.backward(network()(image[None]), torch.ones(1, 10))
    close = map(lambda a, b: torch.allclose(a, b, rtol=1e-4, atol=1e-5), gradients(), batch)
    return {"four images in turn are a batch of four": all(close)}


@forum.claim("13", 29, "then you will push the weights too far", "imprecise")
def stale_gradient() -> Cases:
    """A stale gradient is an extra term; whether it pushes too far depends on its sign."""

    def pushes_further(stale: float) -> bool:
        w = tensor(1.0, requires_grad=True)
        w.grad = tensor(stale)
        torch.autograd.backward(w**2)
        return bool(abs(w.grad) > 2)

    return {
        "the old gradient points the same way": pushes_further(2.0),
        "the old gradient points the other way": pushes_further(-1.0),
    }


@forum.claim("14", 31, "The shape of the argument should same", "reproduces")
def same_shape() -> Cases:
    """Torch enforces it for every shape since torch 1.3.0."""
    return {
        "(1, 10) is taken": accepted(out(), (1, 10)),
        "others are refused": not any(accepted(out(), s) for s in ((10,), (1,), (10, 1), ())),
    }


@forum.claim("15", 35, "Variable(.., requires_grad=True)", "cosmetic")
def declared_as_variables() -> Evidence:
    """They are nn.Parameter; a tensor still passes for a Variable."""
    parameters = list(network().parameters())
    same = all(p.requires_grad and p.is_leaf and isinstance(p, Variable) for p in parameters)
    return Renamed("nn.Parameter, a tensor with requires_grad=True", same=same)


@forum.claim("16", 35, "it saves all the details it is going to need", "reproduces")
def saved_tensors() -> Cases:
    """A node saves what its backward needs, and frees it once backward has run."""
    x = tensor(3.0, requires_grad=True)
    y: Any = x**2
    saved = bool(y.grad_fn._saved_self == x)
    torch.autograd.backward(y)
    freed = attempt(lambda: y.grad_fn._saved_self)
    return {"x**2 saved x": saved, "freed after backward": bool(freed.raised)}


@forum.claim("17", 37, "with respect to every one of those parameters", "imprecise")
def every_parameter() -> Cases:
    """Only those that require grad and were used in the forward pass."""
    used, frozen, unused = nn.Linear(2, 1), nn.Linear(2, 2).requires_grad_(False), nn.Linear(2, 2)
    torch.autograd.backward(used(frozen(torch.ones(1, 2))))
    layers = {"a used parameter": used, "a frozen one": frozen, "an unused one": unused}
    return {name: layer.weight.grad is not None for name, layer in layers.items()}


@forum.claim("18", 39, "you want the gradient you pass in to match that size", "reproduces")
def match_the_size() -> Cases:
    """Puts forum-07 right."""
    return {"(1, 10)": accepted(out(), (1, 10)), "not (10,)": not accepted(out(), (10,))}
