"""Makes the jobs of a build."""

from dataclasses import dataclass
from pathlib import Path

from myst_nb.core.config import NbParserConfig

from myst_nb_fork.messages import Job, Step


@dataclass(frozen=True)
class Jobs:
    """What all jobs of a build have in common."""

    scratch: str
    """A folder for the pages that are to run in a new one."""
    environment: dict[str, str]
    watched: frozenset[str]

    def job(
        self,
        path: Path | None,
        nb_config: NbParserConfig,
        steps: tuple[Step, ...] = (),
        *,
        follow: bool = False,
    ) -> Job:
        """How to run a page: beside its file, unless it has none or an option says otherwise."""
        temporary = path is None or nb_config.execution_in_temp
        folder = self.scratch if path is None or temporary else str(path.parent)
        return Job(folder, temporary, self.environment, steps, self.watched, follow)
