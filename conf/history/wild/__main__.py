"""Ask `check` and `certify` about torch's own operators and modules, and gradcheck beside them.

Usage: python -m wild [--all | NAME ...] [--device cuda] [--workers COUNT]

--all asks everything, and writes the record that the site shows. It goes on where it stopped, as
long as the code is the same. NAME is an operator or module as torch's tests call it (`sin`,
`nn.Linear`); what is said of it is printed in full. Without either, chance picks some. Exit
status 1 says that something disagrees and no person has judged it yet.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable

from environment import ROOT

from wild.asking import WAYS
from wild.recording import RECORDED, commit, listed, record, save
from wild.running import Entry, all_entries, cores, few, kept_for_this_code, resumed, run, told

sys.path.insert(0, str(ROOT / "src"))
from vtj_site.records.wild import unjudged


def main(arguments: list[str]) -> int:
    """Ask, print, and record where everything was asked; 1 where something is not judged."""
    parser = argparse.ArgumentParser(prog="nox -s wild --", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--all", action="store_true", help="everything, and record it")
    parser.add_argument("--workers", type=int, default=cores(), help="processes; one a core")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu", help="where")
    options = parser.parse_args(arguments)
    if options.all and options.names:
        parser.error("--all asks everything; expected it or names, not both")
    every = all_entries(options.device, options.names)
    if options.all:
        now = commit()
        kept = kept_for_this_code(options.device)
        found, minutes = resumed(every, options.device, options.workers, kept)
        made = record([*found.values()], options.device, minutes, now)
        save(made, RECORDED[options.device])
        return say(found.values())
    wanted = every if options.names else few(every)
    entries = []
    for entry in run(wanted, options.device, options.workers):
        entries.append(entry)
        if options.names:
            for number, sample in enumerate(entry["samples"]):
                print(f"{entry['name']} [{number}], x {sample['x']}")
                for way in WAYS:
                    print(f"  {way:8}" + "{said:10}{calls} calls  {text}".format(**sample[way]))
        for line in told(entry):
            print(line, flush=True)
    return say(entries)


def say(entries: Iterable[Entry]) -> int:
    """Say which disagreements no person has judged; 1 where there are some."""
    sentences = [*unjudged([*listed(entries)])]
    print("\n".join(sentences))
    return int(bool(sentences))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
