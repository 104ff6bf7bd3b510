"""The network that the claims of the forum thread are tried on."""

import pytest
import torch

from vtj_site.sources.forum import accepted, gradients, images, network, out


def test_the_images_differ_and_run_from_black_to_white() -> None:
    batch = images(4)
    assert batch.shape == (4, 1, 32, 32)
    assert batch.aminmax() == (0, 1)
    assert all(not torch.equal(batch[i], batch[j]) for i in range(4) for j in range(i))
    assert torch.equal(images(1), batch[:1])


def test_the_network_has_ten_outputs_for_each_image() -> None:
    assert out().shape == (1, 10)
    assert out(4).shape == (4, 10)
    torch.testing.assert_close(out(4)[:1], out())


def test_a_fresh_output_starts_from_no_gradient() -> None:
    y = out()
    assert gradients() == []
    assert accepted(y, (1, 10))
    kept = gradients()
    assert [g.shape for g in kept] == [p.shape for p in network().parameters()]
    before = [g.clone() for g in kept]
    assert accepted(network()(images(1)), (1, 10))
    assert all(torch.equal(a, b) for a, b in zip(kept, before, strict=True))
    assert not any(torch.equal(a, b) for a, b in zip(gradients(), before, strict=True))


@pytest.mark.parametrize("shape", [(), (10,), (10, 1), (1, 10, 1)])
def test_a_gradient_of_another_shape_is_not_accepted(shape: tuple[int, ...]) -> None:
    assert not accepted(out(), shape)
