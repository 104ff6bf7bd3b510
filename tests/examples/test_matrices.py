import torch

from vtj.examples.matrices import distinct_matrix_product, matrix_product, square_gradient


def test_matrix_product() -> None:
    grad = matrix_product().backward().grad
    assert torch.equal(grad, torch.tensor([[10.0, 10.0, 10.0], [26.0, 26.0, 26.0]]))
    assert matrix_product().check()


def test_distinct_matrix_product() -> None:
    grad = distinct_matrix_product().backward().grad
    assert torch.equal(grad, torch.tensor([[20.0, 60.0, 100.0], [44.0, 148.0, 252.0]]))
    assert distinct_matrix_product().check()


def test_square_gradient() -> None:
    assert str(square_gradient().backward().error) == (
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([4, 4]) "
        "and output[0] has a shape of torch.Size([2, 4])."
    )
    assert square_gradient().check()
