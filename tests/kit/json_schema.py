# SPDX-License-Identifier: MIT
"""The schemas of Documentation and what they say of a document: the part of JSON schema that they use.
Where the package jsonschema is installed, it can be asked, too."""
import json
import os
import re

try:
    import jsonschema
except ImportError:
    jsonschema = None

DOCUMENTATION = os.path.join(os.path.dirname(__file__), "..", "..", "Documentation")
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int,
         "number": (int, float)}
KNOWN = {"$schema", "$id", "$defs", "$ref", "title", "description", "type", "const", "enum", "oneOf", "pattern",
         "minimum", "items", "properties", "required", "additionalProperties"}


def no_number(word):
    raise ValueError(f"{word} is no JSON")


def no_pairs_twice(pairs):
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError(f"a member comes twice: {[name for name, _ in pairs]}")
    return members


def parse(text):
    """What json.loads() says, but without NaN, Infinity and members that come twice."""
    return json.loads(text, parse_constant=no_number, object_pairs_hook=no_pairs_twice)


def skeleton(text):
    """The text without the digits of its numbers: documents that differ in nothing else have one shape."""
    return re.sub(r"0x[0-9a-f]+|[0-9]+", "0", text)


def distinct(lines, seen):
    """The first line of each shape that is not in @seen, to which it is added."""
    for line in lines:
        if (shape := skeleton(line)) not in seen:
            seen.add(shape)
            yield line


def shortened(value):
    """The document with at most three items in each list."""
    if isinstance(value, list):
        return [shortened(item) for item in value[:3]]
    return {name: shortened(member) for name, member in value.items()} if isinstance(value, dict) else value


def is_of(value, name):
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


class Schema:
    """Documentation/NAME-schema.json."""

    def __init__(self, name):
        with open(os.path.join(DOCUMENTATION, f"{name}-schema.json"), encoding="utf-8") as file:
            self.root = json.load(file)
        self.judge = None
        self.seen = set()  # shapes of items that are right, with the rule
        if jsonschema:
            kind = jsonschema.validators.validator_for(self.root)
            kind.check_schema(self.root)
            self.judge = kind(self.root)

    def wrong(self, value):
        """What is wrong with a document, "" when nothing is."""
        return self.look(self.root, value, "$")

    def second_opinion(self, value):
        """What the package jsonschema says, which takes its time, of the first items of each list; ""
        without it."""
        found = next(self.judge.iter_errors(shortened(value)), None) if self.judge else None
        return f"jsonschema: {found.message[:300]}" if found else ""

    def look(self, rule, value, at):
        assert KNOWN >= rule.keys(), f"what does {rule.keys() - KNOWN} mean?"
        if "$ref" in rule:
            return self.look(self.root["$defs"][rule["$ref"].rsplit("/", 1)[1]], value, at)
        if "oneOf" in rule:
            found = [self.look(one, value, at) for one in rule["oneOf"]]
            return "" if found.count("") == 1 else f"{at}: {found}"
        if "const" in rule and value != rule["const"]:
            return f"{at}: {value!r} is not {rule['const']!r}"
        if "enum" in rule and value not in rule["enum"]:
            return f"{at}: {value!r} is none of {rule['enum']}"
        types = rule.get("type", list(TYPES))
        types = [types] if isinstance(types, str) else types
        if not any(is_of(value, name) for name in types):
            return f"{at}: {value!r} is no {types}"
        if "pattern" in rule and not re.search(rule["pattern"], value):
            return f"{at}: {value!r} is not {rule['pattern']}"
        if "minimum" in rule and value < rule["minimum"]:
            return f"{at}: {value} is below {rule['minimum']}"
        return self.look_inside(rule, value, at)

    def look_at_item(self, rule, item, at):
        """As look(), once for each shape: there are many rows, and most are alike."""
        if not isinstance(item, dict):
            return self.look(rule, item, at)
        shape = id(rule), skeleton(json.dumps(item))
        if shape in self.seen:
            return ""
        problem = self.look(rule, item, at)
        if not problem:
            self.seen.add(shape)
        return problem

    def look_inside(self, rule, value, at):
        if isinstance(value, list) and "items" in rule:
            return next(filter(None, (self.look_at_item(rule["items"], item, f"{at}[{i}]")
                                      for i, item in enumerate(value))), "")
        if not isinstance(value, dict):
            return ""
        for name in rule.get("required", ()):
            if name not in value:
                return f"{at}: no {name}"
        for name, member in value.items():
            how = rule.get("properties", {}).get(name, rule.get("additionalProperties", True))
            if how is False:
                return f"{at}: {name} is not in the schema"
            problem = self.look(how, member, f"{at}.{name}") if isinstance(how, dict) else ""
            if problem:
                return problem
        return ""
