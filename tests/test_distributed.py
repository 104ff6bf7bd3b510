"""`certify` runs unchanged on a model that is sharded over two processes."""

import os
import subprocess
import sys
from pathlib import Path

WORKER = Path(__file__).with_name("sharded_model.py")


def test_certify_on_two_processes(tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    environment = {**os.environ, "GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"}
    processes = [
        subprocess.Popen(
            [sys.executable, str(WORKER), str(rank), store],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in (0, 1)
    ]
    said = [process.communicate(timeout=120) for process in processes]
    for process, (out, err) in zip(processes, said, strict=True):
        assert process.returncode == 0, err
        assert out.splitlines()[0] == "correct correct wrong backward", out
    assert said[0][0] == said[1][0], "the two processes must come to the same report"
