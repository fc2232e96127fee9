#!/usr/bin/env python3
"""Writes the four parts of a new rule: rules/new_rule.py DG105 graph-kept-by-cache

They are rules/dg105_graph_kept_by_cache.cpp and .md, a line in rules/rules.def, and the folder
fixtures/dg105_graph_kept_by_cache with a bad_ and an ok_ program.
"""

import argparse
import pathlib
import re
import sys

SOURCE = """\
#include "rules/rules.h"

namespace deadgrad::rules {{

static void check(const Query& query, std::vector<Finding>& out) {{
  (void)query;
  (void)out;
}}

constinit const Rule {variable} = {{
    .id = "{id}",
    .name = "{name}",
    .summary = "{summary}",
    .since = "{since}",
    .check = check,
}};

}}  // namespace deadgrad::rules
"""

PAGE = """\
<!-- head -->
<!-- /head -->

## Why it is a problem

## Example

<!-- fixture: bad_example.py -->
<!-- /fixture -->

This is fine:

<!-- fixture: ok_example.py -->
<!-- /fixture -->

## When it stays quiet

## The fix
"""

BAD = """\
import torch


def predict(model, x):
    model.eval()
    return model(x).argmax()  # expect: {id}
"""

OK = """\
import torch


@torch.inference_mode()
def predict(model, x):
    model.eval()
    return model(x).argmax()
"""


def version(root):
    return re.search(r"project\(deadgrad VERSION (\d+\.\d+)", (root / "CMakeLists.txt").read_text())[1]


def line_of(entry):
    return int(re.search(r"dg(\d+)_", entry)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("id", help="DG and three digits")
    parser.add_argument("name", help="the bad pattern, lower case, joined by hyphens")
    parser.add_argument("--summary", default="TODO say in one sentence what is wrong")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()

    if not re.fullmatch(r"DG[1-9]\d\d", arguments.id):
        parser.error(f"{arguments.id} is not DG and three digits")
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", arguments.name):
        parser.error(f"{arguments.name} is not lower-case words joined by hyphens")
    if set(arguments.name.split("-")) & {"missing", "no", "use"}:
        parser.error("name the bad pattern, so that 'allow NAME' reads well: not missing-…, no-…, use-…")
    definitions = arguments.root / "rules" / "rules.def"
    lines = definitions.read_text().splitlines()
    stem = f"{arguments.id.lower()}_{arguments.name.replace('-', '_')}"
    if any(f"({arguments.id.lower()}_" in line for line in lines):
        parser.error(f"{arguments.id} exists; ids are never reused")

    facts = {"id": arguments.id, "name": arguments.name, "variable": stem, "summary": arguments.summary,
             "since": version(arguments.root)}
    fixtures = arguments.root / "fixtures" / stem
    files = {
        arguments.root / "rules" / f"{stem}.cpp": SOURCE,
        fixtures / "bad_example.py": BAD,
        fixtures / "ok_example.py": OK,
    }
    page = arguments.root / "rules" / f"{stem}.md"
    for path in [*files, page]:
        if path.exists():
            parser.error(f"{path} exists")
    fixtures.mkdir(parents=True, exist_ok=True)
    for path, template in files.items():
        path.write_text(template.format(**facts))
    page.write_text(PAGE)
    lines.append(f"DEADGRAD_RULE({stem})")
    definitions.write_text("\n".join(sorted(lines, key=line_of)) + "\n")
    for path in [*files, page, definitions]:
        print(path)
    print("Now write the check, then fill the page's regions with: deadgrad dev docs --write")
    return 0


if __name__ == "__main__":
    sys.exit(main())
