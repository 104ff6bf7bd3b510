import torch

from vtj.examples.image import (
    image_itself,
    image_loss,
    image_squared,
    image_without_gradient,
    untracked_image,
)


def test_untracked_image() -> None:
    assert str(untracked_image().backward().error) == (
        "element 0 of tensors does not require grad and does not have a grad_fn"
    )
    assert untracked_image().check()


def test_image_without_gradient() -> None:
    assert str(image_without_gradient().backward().error) == (
        "grad can be implicitly created only for scalar outputs"
    )
    assert image_without_gradient().check()


def test_image_itself() -> None:
    example = image_itself()
    assert torch.equal(example.backward().grad, example.v)
    assert example.check()


def test_image_squared() -> None:
    example = image_squared()
    assert torch.equal(example.backward().grad, example.v * 2 * example.x)
    assert example.check()


def test_image_loss() -> None:
    example = image_loss()
    assert torch.equal(example.backward().grad, 2 * example.x)
    assert example.check()
