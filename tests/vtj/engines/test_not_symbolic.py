from vtj.engines.symbolic.errors import NotSymbolic, UnknownOperation


def test_an_unknown_operation_is_named_with_the_reason_if_there_is_one() -> None:
    without = UnknownOperation("aten.fft_fft.default")
    assert str(without) == "no formula is known for aten.fft_fft.default"
    assert without.name == "aten.fft_fft.default"
    assert isinstance(without, NotSymbolic)
    because = UnknownOperation("aten.var.correction", "of nothing")
    assert str(because) == "no formula is known for aten.var.correction (of nothing)"
