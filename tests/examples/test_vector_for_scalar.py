import torch

from vtj.examples.vector_for_scalar import (
    batched_gradients,
    expanded_output,
    expanded_sum,
    loop_over_square,
    loop_over_sum,
    summed_vector,
    vector_for_square,
    vector_for_sum,
)

MISMATCH = (
    "Mismatch in shape: grad_output[0] has a shape of torch.Size([4]) "
    "and output[0] has a shape of torch.Size([])."
)


def test_vector_for_square() -> None:
    assert str(vector_for_square().backward().error) == MISMATCH
    assert vector_for_square().check()


def test_loop_over_square() -> None:
    assert [float(grad) for grad in loop_over_square().run()] == [2, 22, 222, 2222]
    assert loop_over_square().check()


def test_vector_for_sum() -> None:
    assert str(vector_for_sum().backward().error) == MISMATCH
    assert vector_for_sum().check()


def test_loop_over_sum() -> None:
    grads = [grad.tolist() for grad in loop_over_sum().run()]
    assert grads == [[1, 1], [11, 11], [111, 111], [1111, 1111]]
    assert loop_over_sum().check()


def test_summed_vector() -> None:
    assert torch.equal(summed_vector().backward().grad, torch.tensor(2222.0))
    assert summed_vector().check()


def test_expanded_output() -> None:
    assert torch.equal(expanded_output().backward().grad, torch.tensor(2222.0))
    assert expanded_output().check()


def test_expanded_sum() -> None:
    assert torch.equal(expanded_sum().backward().grad, torch.tensor([1111.0, 1111.0]))
    assert expanded_sum().check()


def test_batched_gradients() -> None:
    assert [float(grad) for grad in batched_gradients().run()] == [2, 20, 200, 2000]
    assert batched_gradients().check()
