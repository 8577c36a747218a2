# SPDX-License-Identifier: BSD-2-Clause
"""What a field's name says of its unit, against the unit that docs/schema gives it."""
import json
import sys

# By the end of a name.  _ps is picoseconds of what is simulated, per second of what is
# watched.
UNITS = {
    "_pct": ["percent"],
    "_ppb": ["parts per billion"],
    "_bps": ["bits per second"],
    "_bytes": ["bytes"],
    "_ns": ["nanoseconds"],
    "_ps": ["picoseconds", "packets per second"],
    "_mm": ["millimetres"],
    "_quanta": ["pause quanta of 512 bit times"],
}
# Without a unit the name alone says it; of a share only where the label in text does, too.
BARE = {"link_use_pct", "paused_pct", "differ_pct"}


def types_of(schema):
    types = schema.get("type", [])
    return [types] if isinstance(types, str) else types


def look(name, schema):
    unit = schema.get("unit")
    number = {"integer", "number"} & set(types_of(schema))
    for end, units in UNITS.items():
        if name.endswith(end) and unit not in units and number:
            if unit is not None or (end == "_pct" and name not in BARE):
                yield f"{name}: {unit}, not {' or '.join(units)}"
    if unit == "percent" and not name.endswith("_pct"):
        yield f"{name}: percent, and its name does not say so"
    if unit == "parts per billion" and "number" in types_of(schema):
        yield f"{name}: parts per billion are whole"


def walk(node):
    if isinstance(node, list):
        node = dict(enumerate(node))
    if not isinstance(node, dict):
        return
    for name, schema in node.get("properties", {}).items():
        yield from look(name, schema)
    for inner in node.values():
        yield from walk(inner)


seen = 0
wrong = []
for path in sys.argv[1:]:
    with open(path) as file:
        schema = json.load(file)
    seen += json.dumps(schema).count('"unit"')
    wrong += [f"{path}: {line}" for line in walk(schema)]
if seen < 100:
    wrong.append(f"only {seen} units were there to look at")
print("\n".join(wrong))
sys.exit(bool(wrong))
