"""The zoo runs once for all tests of this folder."""

import pytest

from vtj_site.statements.facts import Facts, facts
from vtj_site.statements.pages import Judge


@pytest.fixture(scope="session")
def found() -> Facts:
    return facts()


@pytest.fixture(scope="session")
def judge(found: Facts) -> Judge:
    return Judge(found)
